# SPDX-License-Identifier: MIT
# Copies of handles, equality, and what Serialization takes along: the bytes of models and alignments; of samplers and trainers what they were
# made of, and their states.

const Stored = Union{Alignment,Model}
const Runner = Union{Sampler,Sampling,Trainer}

# --- models and alignments ---

# The origin of a model is not in its bytes.
stored(x::Alignment) = (c_alignment_save_state(x), "")
stored(x::Model) = (c_model_save_state(x), x.origin)

function restored(::Type{T}, context, state, origin) where {T<:Stored}
    x = T === Alignment ? c_alignment_from_state(context, state) : c_model_from_state(context, state)
    isempty(origin) || (x.origin = origin)
    return x
end

# f(context of a handle), another Julia object around it.
function in_context_of(f, x::Handle)
    owned = root(open_owned(x))
    retain(owned)
    return with_handle(f, Context(owned))
end

Base.copy(x::T) where {T<:Stored} = in_context_of(context -> restored(T, context, stored(x)...), x)
Base.:(==)(x::T, y::T) where {T<:Stored} = x === y || stored(x) == stored(y)
Base.hash(x::Stored, h::UInt) = hash(stored(x), hash(typeof(x), h))

# --- samplers and trainers ---

# How one was made, beside the data, and what changed it later: functions with the last of their arguments.
mutable struct Recipe
    given::Tuple
    options::Vector{Pair{Symbol,Any}}
    later::Vector{Pair{Symbol,Any}}
end

# The data, which a trainer needs in any case, are the last need of a sampler.
function recipe!(x::Runner, data, given, options)
    owned = open_owned(x)
    owned.keep = Recipe(map(own, given), collect(Pair{Symbol,Any}, pairs(options)), Pair{Symbol,Any}[])
    if !(x isa Trainer)
        needed = open_owned(data)
        retain(needed)
        push!(owned.needs, needed)
    end
    return x
end

own(x) = x isa Union{AbstractArray,Alignment} ? copy(x) : x

function changed!(x::Runner, name::Symbol, arguments...)
    later = open_owned(x).keep.later
    filter!(pair -> first(pair) !== name, later)
    push!(later, name => map(own, arguments))
    return x
end

# Its data, of a trainer also the test data and the truth, as other Julia objects around the same handles.
function data_of(x::Runner)
    needs = open_owned(x).needs
    wrapped(T, owned) = owned === nothing ? nothing : (retain(owned); T(owned))
    x isa Trainer || return (wrapped(Model, last(needs)),)
    return (wrapped(Alignment, needs[NEEDS_DATA]), wrapped(Alignment, needs[NEEDS_TEST]), wrapped(Model, needs[NEEDS_TRUTH]))
end

recipe_of(x::Runner) = open_owned(x).keep::Recipe

function remade(::Type{T}, context, data, recipe, state) where {T<:Runner}
    x = T(data[1], recipe.given...; context = context, recipe.options...)
    for (name, arguments) in recipe.later
        getfield(AttoPotts, name)(x, arguments...)
    end
    if T === Trainer
        data[2] === nothing || set_test!(x, data[2])
        data[3] === nothing || set_truth!(x, data[3])
    end
    return load_state!(x, state)
end

another(x::T, data) where {T<:Runner} = in_context_of(context -> remade(T, context, data, recipe_of(x), save_state(x)), x)
Base.copy(x::Runner) = another(x, data_of(x))

# --- copies of what has handles within, other processes ---

deep(x::Stored) = copy(x)
deep(x::Runner) = another(x, map(y -> y === nothing ? nothing : copy(y), data_of(x)))
Base.deepcopy_internal(x::Union{Stored,Runner}, known::IdDict) = get!(() -> deep(x), known, x)

taken_along(x::Stored) = stored(x)
taken_along(x::Runner) = (data_of(x), recipe_of(x), save_state(x))
brought(::Type{T}, found) where {T<:Stored} = restored(T, default_context(), found...)
brought(::Type{T}, found) where {T<:Runner} = remade(T, default_context(), found...)

for T in (Alignment, Model, Sampler, Sampling, Trainer)
    @eval function Serialization.serialize(s::Serialization.AbstractSerializer, x::$T)
        Serialization.serialize_cycle_header(s, x) && return
        Serialization.serialize(s, taken_along(x))
    end
    @eval function Serialization.deserialize(s::Serialization.AbstractSerializer, ::Type{$T})
        x = brought($T, Serialization.deserialize(s))
        Serialization.deserialize_cycle(s, x)
        return x
    end
end
