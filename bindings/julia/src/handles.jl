# SPDX-License-Identifier: MIT
# What all handles share: ownership, arrays, words, options.
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

What is common to `Context`, `Alignment`, `Model`, `Sampler`, `Sampling`, `Trainer` and `Transformer`: a C handle that is
freed by a finalizer, or at once by `close`. Memory of the library is not seen by Julia's garbage collector: close large
handles that are no longer needed. Arrays that look into a handle and handles that need it keep it alive beyond `close`;
any other use of a closed handle is an `ArgumentError`.
"""
abstract type Handle end

kind(x::Handle) = string(nameof(typeof(x)))

function open_owned(x::Handle)
    owned = getfield(x, :owned)
    owned === nothing && throw(ArgumentError("this $(kind(x)) is closed"))
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
function create(make, ::Type{T}, destroy, handles::Union{Handle,Nothing}...; needs = Owned[]) where {T}
    return borrow(handles...) do addresses...
        out = Ref{Ptr{Cvoid}}(C_NULL)
        check(make(addresses..., out))
        return T(Owned(out[], destroy, root(open_owned(handles[1])), needs))
    end
end

# --- properties -------------------------------------------------------------------------------------------------------

# property(x, Val(name)) gives one; a type lists the names of its own.
names_of(::Type) = ()
Base.propertynames(x::Handle, private::Bool = false) = names_of(typeof(x))

function Base.getproperty(x::Handle, name::Symbol)
    name in names_of(typeof(x)) ||
        throw(ArgumentError("$(kind(x)) has no property $name, only $(join(names_of(typeof(x)), ", "))"))
    return property(x, Val(name))
end

function Base.setproperty!(x::Handle, name::Symbol, value)
    hasmethod(set_property!, Tuple{typeof(x),Val{name},Any}) ||
        throw(ArgumentError("$(kind(x)) has no property $name that can be set"))
    set_property!(x, Val(name), value)
    return value
end

function set_property! end

# Properties of a type that are not generated.
more_names(::Type) = ()

number(f, x::Handle) = borrow(f, x)
word_text(f, x::Handle) = borrow(a -> text_of(f(a)), x)

# Trainer or Transformer.
abstract type Learner <: Handle end

# --- arrays -----------------------------------------------------------------------------------------------------------

"""
    AttoPotts.ReadOnlyArray

An array inside a handle, without a copy; it keeps the handle's memory alive. `copy` or `collect` makes an `Array` of
it.
"""
struct ReadOnlyArray{T,N} <: DenseArray{T,N}
    parent::Array{T,N}
end

Base.size(x::ReadOnlyArray) = size(x.parent)
Base.IndexStyle(::Type{<:ReadOnlyArray}) = IndexLinear()
Base.@propagate_inbounds Base.getindex(x::ReadOnlyArray, k::Int) = x.parent[k]
Base.setindex!(::ReadOnlyArray, value, indices...) =
    throw(ArgumentError("this array belongs to a handle and is read-only; copy it"))
Base.strides(x::ReadOnlyArray) = strides(x.parent)
Base.elsize(::Type{<:ReadOnlyArray{T}}) where {T} = sizeof(T)
Base.unsafe_convert(::Type{Ptr{T}}, x::ReadOnlyArray{T}) where {T} = Base.unsafe_convert(Ptr{T}, x.parent)

function view_of(f, ::Type{T}, x::Handle, size...) where {T}
    return borrow(x) do address
        array = unsafe_wrap(Array, Ptr{T}(f(address)), size)
        owned = open_owned(x)
        retain(owned)
        finalizer(_ -> release(owned), array)
        return ReadOnlyArray(array)
    end
end

something_or_null(x) = x === nothing ? C_NULL : x

# An Array{T}: the array itself where it is one already. Extents of `expected`: numbers, or Symbols, any number, equal
# ones the same.
function dense(::Type{T}, x, name, expected = nothing) where {T}
    array = x isa Array{T} ? x : x isa ReadOnlyArray{T} ? x.parent : converted(T, x, name)
    expected === nothing || fits(size(array), expected) ||
        throw(DimensionMismatch("$name has size $(size(array)), expected ($(join(expected, ", ")))"))
    return array
end

function converted(::Type{T}, x, name) where {T}
    numbers = T <: Integer ? "integers" : "real numbers"
    x isa AbstractArray{<:(T <: Integer ? Integer : Real)} ||
        throw(ArgumentError("$name is of type $(typeof(x)), expected an array of $numbers"))
    return convert(Array{T}, collect(x))
end

function fits(found, expected)
    free = Dict(e => n for (e, n) in zip(expected, found) if e isa Symbol)
    return length(found) == length(expected) && all(get(free, e, e) == n for (e, n) in zip(expected, found))
end

# Colours as bytes; no copy where they are bytes already. One dimension (L) or two (L, N), of so many sites.
function colors_array(x, name = "sequences", dimensions = 2, sites = nothing)
    if x isa Array{UInt8}
        bytes = x
    elseif x isa ReadOnlyArray{UInt8}
        bytes = x.parent
    elseif x isa AbstractArray{<:Integer}
        if !isempty(x)
            lowest, highest = extrema(x)
            0 <= lowest && highest <= 255 ||
                throw(ArgumentError("$name has values from $lowest to $highest, expected 0..255"))
        end
        bytes = convert(Array{UInt8}, collect(x))
    else
        throw(ArgumentError("$name is of type $(typeof(x)), expected an array of integers"))
    end
    ndims(bytes) == dimensions || throw(DimensionMismatch("$name has $(ndims(bytes)) dimensions, expected $dimensions"))
    sites === nothing || size(bytes, 1) == sites ||
        throw(DimensionMismatch("$name has $(size(bytes, 1)) sites, expected $sites"))
    return bytes
end

# One sequence, or one head, as an array of one.
columns(x) = x isa AbstractVector ? reshape(x, :, 1) : x
several(x) = x isa AbstractMatrix ? reshape(x, size(x)..., 1) : x

# --- words and options ------------------------------------------------------------------------------------------------

# The number of a word of an enum; a number stays what it is.
word(enum::Symbol, value::Integer, name = enum) = Cint(value)
function word(enum::Symbol, value::Union{Symbol,AbstractString}, name = enum)
    given = Symbol(replace(lowercase(string(value)), "-" => "_"))
    for (known, number) in WORDS[enum]
        known === given && return number
    end
    throw(ArgumentError("$name is :$given, expected one of :$(join(first.(WORDS[enum]), ", :"))"))
end
word(enum::Symbol, value, name = enum) = throw(ArgumentError("$name is of type $(typeof(value)), expected a Symbol"))

# The way back.
word_of(enum::Symbol, value::Integer) = first(WORDS[enum][findfirst(pair -> last(pair) == value, WORDS[enum])])

option_word(key) = Symbol(replace(text_of(atp_option_name(key)), "-" => "_"))
option_keys() = [atp_option_at(k) for k in 0:(atp_option_count() - 1)]

function set_option(bag, families, name::Symbol, value)
    key = atp_option_from_name(replace(string(name), "_" => "-"))
    if key < 0 || !(key ÷ 100 in families || option_word(key) in families || key == ATP_OPT_SEED)
        known = sort!([option_word(k) for k in option_keys() if k ÷ 100 in families || option_word(k) in families])
        throw(ArgumentError("no option $name, expected one of $(join(known, ", "))"))
    end
    words = get(OPTION_ENUMS, name, nothing)
    if value isa Union{Symbol,AbstractString} && words !== nothing
        check(atp_options_set_i64(bag, key, word(words, value, name)))
    elseif value isa Integer
        typemin(Int64) <= value <= typemax(Int64) ||
            throw(ArgumentError("option $name is $value, which is beyond 64 bits"))
        check(atp_options_set_i64(bag, key, value))
    elseif value isa Real
        check(atp_options_set_f64(bag, key, value))
    else
        expected = words === nothing ? "a number" : "a number or a Symbol"
        throw(ArgumentError("option $name is of type $(typeof(value)), expected $expected"))
    end
end

# A bag of options; made for one call.
mutable struct Options <: Handle
    owned::Union{Nothing,Owned}
    Options(owned::Owned) = finalizer(close, new(owned))
end

# f(bag) with a bag of options from keywords. `families` are the hundreds of keys that apply, or names.
function with_options(f, context::Handle, families, values)
    bag = create(atp_options_create, Options, atp_options_destroy, context)
    try
        borrow(bag) do address
            for (name, value) in pairs(values)
                value === nothing || set_option(address, families, name, value)
            end
        end
        return f(bag)
    finally
        close(bag)
    end
end

"""
    option_list()

Every option that samplers, trainers, readers and tasks take as a keyword: a vector of `(name, lowest, highest, default,
integer, words)`; `words` are the Symbols that stand for its values, where it has some.
"""
function option_list()
    return map(option_keys()) do key
        lowest, highest, default, integer = Ref(0.0), Ref(0.0), Ref(0.0), Ref(Cint(0))
        check(atp_option_bounds(key, lowest, highest, default, integer))
        name = option_word(key)
        return (name = name, lowest = lowest[], highest = highest[], default = default[], integer = integer[] != 0,
                words = haskey(OPTION_ENUMS, name) ? first.(WORDS[OPTION_ENUMS[name]]) : Symbol[])
    end
end
