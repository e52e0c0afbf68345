# SPDX-License-Identifier: MIT

"""
    Context(; threads = 0, simd = :auto, log = (level, text) -> ...)

Threads, SIMD target and log of the handles that are made from it, and their memory. Results depend on neither threads
nor target.

`threads`: 0 for all cores. `simd`: `:auto` or one of `simd_targets()`. `log` is called with `:info` or `:warning` and a
line of text; the default hands it to Julia's logging. It must not call the library.

A context and its handles belong to one task at a time; models and alignments may be read by several. Every task has a
default context, which functions use that are not given one.

Properties: `threads` (can be set), `simd`, `memory`: `(count, bytes)`, the allocations made so far and the bytes in use
now, `memory_limit` in bytes (can be set; 0: automatic, what the process can still have), `memory_available`: the bytes
that the limit leaves now, `stop_requested`, see `request_stop!`; `rank`, from 0, `rank_count`, `traffic`: `(calls, sent,
received, seconds)`, what has passed between the ranks, see `set_ranks!`.
"""
mutable struct Context <: Handle
    owned::Union{Nothing,Owned}

    Context(owned::Owned) = finalizer(close, new(owned))
    function Context(; threads::Integer = 0, simd::Union{Symbol,AbstractString} = :auto, log = default_log)
        target = Log(log)
        context = disable_sigint() do
            out = Ref{Ptr{Cvoid}}(C_NULL)
            check(atp_context_create(C_NULL, C_NULL, C_NULL, out))
            return finalizer(close, new(Owned(out[], atp_context_destroy, nothing; keep = target)))
        end
        borrow(context) do address
            check(atp_context_set_log(address, WRITE_LOG[], pointer_from_objref(target)))
            threads == 0 || check(atp_context_set_threads(address, whole(threads, "threads")))
            check(atp_context_set_simd(address, string(simd)))
        end
        return context
    end
end

property(x::Context, ::Val{:threads}) = Int(number(atp_context_threads, x))
property(x::Context, ::Val{:stop_requested}) = number(atp_context_stop_requested, x) != 0
property(x::Context, ::Val{:simd}) = Symbol(word_text(atp_context_simd, x))
property(x::Context, ::Val{:memory}) = NamedTuple{(:count, :bytes)}(two_numbers(atp_context_memory, x))
property(x::Context, ::Val{:memory_limit}) = two_numbers(atp_context_memory_limit, x)[1]
property(x::Context, ::Val{:memory_available}) = two_numbers(atp_context_memory_limit, x)[2]
property(x::Context, ::Val{:rank}) = Int(number(atp_context_rank, x))
property(x::Context, ::Val{:rank_count}) = Int(number(atp_context_rank_count, x))
function property(x::Context, ::Val{:traffic})
    value = Ref(0.0)
    found = [(borrow(a -> check(atp_context_traffic(a, what, value)), x); word => value[]) for (word, what) in WORDS[:traffic]]
    return (; found...)
end
set_property!(x::Context, ::Val{:memory_limit}, value) = borrow(a -> check(atp_context_set_memory_limit(a, whole(value, "memory_limit"))), x)
set_property!(x::Context, ::Val{:threads}, value) = borrow(a -> check(atp_context_set_threads(a, whole(value, "threads"))), x)

function two_numbers(f, x::Context)
    first, second = Ref(Int64(0)), Ref(Int64(0))
    borrow(a -> check(f(a, first, second)), x)
    return first[], second[]
end

show_told(io, x::Context) = print(io, "(threads = ", x.threads, ", simd = :", x.simd, ")")

"""
    default_context()

The context of the running task, made at its first use: all cores, messages to Julia's logging.
"""
function default_context()
    storage = task_local_storage()
    context = get(storage, :AttoPotts_context, nothing)
    if context === nothing || !isopen(context)
        context = storage[:AttoPotts_context] = Context()
    end
    return context::Context
end
