# SPDX-License-Identifier: MIT
# What all handles share: ownership and properties.
#
# A C handle lives in an Owned, which counts its users: the Julia object around it, arrays that look into it, handles
# that need it (all need their context), calls that run. When the last one is gone it is destroyed, and lets go of what
# it needs, so that order never matters to finalizers. They may run in any thread and inside any call, while a context
# belongs to one thread at a time: a handle that nothing uses is put on a list of its context, and destroyed at once
# where no call is under way there, else by the last call that ends.

mutable struct Owned
    address::Ptr{Cvoid}
    destroy::Function
    context::Union{Nothing,Owned} # nothing: it is one
    needs::Vector{Union{Nothing,Owned}}
    keep::Any
    users::Threads.Atomic{Int}
    calls::Threads.Atomic{Int} # of a context: that are under way; EXCLUSIVE while handles are destroyed
    waiting::Union{Nothing,Owned} # of a context: the first handle to be destroyed
    next::Union{Nothing,Owned}
    lock::Threads.SpinLock # of a context: for its list

    function Owned(address, destroy, context, needs = Owned[]; keep = nothing)
        all = Union{Nothing,Owned}[needs...]
        context === nothing || push!(all, context)
        foreach(retain, all)
        return new(address, destroy, context, all, keep, Threads.Atomic{Int}(1), Threads.Atomic{Int}(0), nothing,
            nothing, Threads.SpinLock())
    end
end

const EXCLUSIVE = -1 << 40

root(owned::Owned) = owned.context === nothing ? owned : owned.context
retain(::Nothing) = nothing
retain(owned::Owned) = (Threads.atomic_add!(owned.users, 1); nothing)
release(::Nothing) = nothing

function release(owned::Owned)
    Threads.atomic_sub!(owned.users, 1) == 1 || return
    context = owned.context
    if context === nothing
        owned.destroy(owned.address)
        return
    end
    disable_sigint() do
        # Nothing between lock and unlock allocates: no finalizer runs there in this thread.
        lock(context.lock)
        owned.next = context.waiting
        context.waiting = owned
        unlock(context.lock)
        destroy_waiting(context)
    end
    return
end

# With Ctrl-C held back: what began must come to its end.
function destroy_waiting(context::Owned)
    while context.waiting !== nothing
        Threads.atomic_cas!(context.calls, 0, EXCLUSIVE) == 0 || return
        lock(context.lock)
        owned = context.waiting
        context.waiting = nothing
        unlock(context.lock)
        retain(context)
        while owned !== nothing
            owned.destroy(owned.address)
            foreach(release, owned.needs)
            owned = owned.next
        end
        Threads.atomic_sub!(context.calls, EXCLUSIVE)
        release(context)
    end
end

enter(::Nothing) = nothing

function enter(owned::Owned)
    context = root(owned)
    while true
        calls = context.calls[]
        if calls < 0
            GC.safepoint()
        elseif Threads.atomic_cas!(context.calls, calls, calls + 1) == calls
            break
        end
    end
    retain(owned)
end

leave(::Nothing) = nothing

function leave(owned::Owned)
    context = root(owned)
    retain(context)
    Threads.atomic_sub!(context.calls, 1) == 1 && destroy_waiting(context)
    release(owned)
    release(context)
end

"""
    AttoPotts.Handle

What is common to `Context`, `Alignment`, `Model`, `Sampler`, `Sampling` and `Trainer`: a C handle that is
freed by a finalizer, or at once by `close`. Memory of the library is not seen by Julia's garbage collector: close large
handles that are no longer needed. Arrays that look into a handle and handles that need it keep it alive beyond `close`;
any other use of a closed handle is an `ArgumentError`.
"""
abstract type Handle end

kind(x::Handle) = string(nameof(typeof(x)))

function open_owned(x::Handle)
    owned = getfield(x, :owned)
    owned === nothing && throw(ArgumentError("this $(kind(x)) is closed"))
    owned.address == C_NULL && refused(x, "was made in another process") # kept in a precompiled image
    return owned::Owned
end
open_owned(::Nothing) = nothing

Base.isopen(x::Handle) = getfield(x, :owned) !== nothing

"""
    close(handle)

Let go of a C handle: see `AttoPotts.Handle`. A second time does nothing.
"""
function Base.close(x::Handle)
    owned = getfield(x, :owned)
    owned === nothing && return
    setfield!(x, :owned, nothing)
    release(owned)
    return
end

# A second owner would free the library's memory twice, and in another process there is none: copies.jl makes other handles of the same
# content where there can be some.
refused(x::Handle, what) = throw(ArgumentError("this $(kind(x)) $what: make a new one"))
Base.deepcopy_internal(x::Handle, ::IdDict) = refused(x, "has one owner, deepcopy makes a second")
Base.copy(x::Handle) = refused(x, "has one owner, copy makes a second")
Serialization.serialize(::Serialization.AbstractSerializer, x::Handle) =
    refused(x, "cannot be serialized, as the library's memory stays in this process")

address(::Nothing) = C_NULL
address(owned::Owned) = owned.address

# f(addresses...) with handles that stay alive meanwhile. Ctrl-C is held back until it is over: an exception must not
# leave a callback through the library's frames, and a handle that was made must find its owner.
function borrow(f, handles::Union{Handle,Nothing}...)
    return disable_sigint() do
        owned = map(open_owned, handles)
        foreach(enter, owned)
        try
            f(map(address, owned)...)
        finally
            foreach(leave, owned)
        end
    end
end

# A handle of type T by make(addresses..., place); it belongs to the context of the first handle.
function create(make, ::Type{T}, destroy, handles::Union{Handle,Nothing}...; with = (), needs = Owned[]) where {T}
    return borrow(handles...) do addresses...
        out = Ref{Ptr{Cvoid}}(C_NULL)
        check(make(addresses..., with..., out))
        return T(Owned(out[], destroy, root(open_owned(handles[1])), needs))
    end
end

# A handle of one call: options, a task, a table, a masked system.
mutable struct Temporary <: Handle
    owned::Union{Nothing,Owned}
    Temporary(owned::Owned) = finalizer(close, new(owned))
end

function with_handle(f, handle)
    try
        return f(handle)
    finally
        close(handle)
    end
end

function Base.show(io::IO, x::Handle)
    print(io, kind(x))
    isopen(x) ? show_told(io, x) : print(io, ", closed")
end

# --- properties: property(x, Val(name)) gives one, set_property!(x, Val(name), value) sets it -----------------------------

names_of(T) = sort!([m.sig.parameters[3].parameters[1] for m in methods(property, Tuple{T,Val}) if m.sig isa DataType])
Base.propertynames(x::Handle, private::Bool = false) = names_of(typeof(x))
Base.getproperty(x::Handle, name::Symbol) = property(x, Val(name))
Base.setproperty!(x::Handle, name::Symbol, value) = (set_property!(x, Val(name), value); value)

property(x::Handle, ::Val{name}) where {name} =
    throw(ArgumentError("$(kind(x)) has no property $name, only $(join(names_of(typeof(x)), ", "))"))
set_property!(x::Handle, ::Val{name}, value) where {name} =
    throw(ArgumentError("$(kind(x)) has no property $name that can be set"))

number(f, x::Handle) = borrow(f, x)
word_text(f, x::Handle) = borrow(a -> text_of(f(a)), x)
