# SPDX-License-Identifier: MIT
# Arrays on the way to the library, and those inside it.

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
given_text(x) = x isa Symbol ? string(x) : x

# An Array{T}: the array itself where it is one already. Extents of `expected`: numbers, or Symbols, any number, equal
# ones the same. An array without its last index is an array of one.
function dense(::Type{T}, x, name, expected = nothing) where {T}
    array = x isa Array{T} ? x : x isa ReadOnlyArray{T} ? x.parent : converted(T, x, name)
    expected === nothing && return array
    ndims(array) == length(expected) - 1 && (array = reshape(array, size(array)..., 1))
    fits(size(array), expected) ||
        throw(DimensionMismatch("$name has size $(size(array)), expected ($(join(expected, ", ")))"))
    return array
end

function converted(::Type{T}, x, name) where {T}
    numbers = T <: Integer ? "integers" : "real numbers"
    x isa AbstractArray{<:(T <: Integer ? Integer : Real)} ||
        throw(ArgumentError("$name is of type $(typeof(x)), expected an array of $numbers"))
    return convert(Array{T}, T <: Integer ? map(value -> whole(value, "a value of $name"), collect(x)) : collect(x))
end

# One number for C.
function whole(x::Integer, name, T = Int64)
    typemin(T) <= x <= typemax(T) || throw(ArgumentError("$name is $x, which is beyond $(8sizeof(T)) bits"))
    return T(x)
end
whole(x, name, T = Int64) = throw(ArgumentError("$name is $(repr(x)), expected a whole number of a type of integers"))

# One that counts from 1; the library says which there are.
place(x, name) = max(whole(x, name), typemin(Int64) + 1) - 1

real_number(x::Real, name) = Float64(x)
real_number(x, name) = throw(ArgumentError("$name is $(repr(x)), expected a real number"))

function fits(found, expected)
    free = Dict(e => n for (e, n) in zip(expected, found) if e isa Symbol)
    return length(found) == length(expected) && all(get(free, e, e) == n for (e, n) in zip(expected, found))
end

# An array for results. What is below 0 is for the library to refuse.
room(::Type{T}, extents...) where {T} = Array{T}(undef, max.(0, extents))

# Colours as bytes.
colors_array(x::Handle, name = "sequences", expected = nothing) = colors_array(sequences_in(x, name), name, expected)
function colors_array(x, name = "sequences", expected = nothing)
    if x isa AbstractArray{<:Integer} && !(eltype(x) <: UInt8) && !isempty(x)
        lowest, highest = extrema(x)
        0 <= lowest && highest <= 255 ||
            throw(ArgumentError("$name has values from $lowest to $highest, expected 0..255"))
    end
    return dense(UInt8, x, name, expected)
end
