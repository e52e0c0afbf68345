# SPDX-License-Identifier: MIT

const READERS = (3,)

"""
    Alignment(sequences; colors, weights, alphabet, context)

N sequences of L sites with colours 0..q-1, a weight each, and what is known of symbols, names and numbers of sites.

`sequences`: `L x N` integers, a column per sequence; a `Matrix{UInt8}` is handed to the library as it is, which copies
it once. `colors`: q; the default is the length of the alphabet, or the largest value plus one. `weights`: N numbers,
not negative. `alphabet`: "protein", "rna", "dna" or the symbols themselves, first the gap.

Properties: `sequences` (`L x N`, read-only, no copy), `weights` (N, read-only, no copy; can be set), `sites`, `colors`,
`effective_count` (sum of the weights), `alphabet` (can be set), `site_numbers`, `site_residues`, `names`, `origin` (can
be set). `length(alignment)` is N, and `alignment[1:2:99]` an alignment of some of the sequences.
"""
Alignment

function Alignment(sequences; colors::Union{Nothing,Integer} = nothing, weights = nothing,
                   alphabet::Union{Nothing,AbstractString} = nothing, context::Context = default_context())
    data = colors_array(sequences)
    sites, n = size(data)
    if colors === nothing && alphabet !== nothing
        colors = get(Dict("protein" => 21, "rna" => 5, "dna" => 5), alphabet, length(alphabet))
    elseif colors === nothing
        colors = isempty(data) ? 2 : max(Int(maximum(data)), 1) + 1
    end
    given = weights === nothing ? C_NULL : reals(weights, "weights", (n,))
    alignment = create(Alignment, atp_alignment_destroy, context) do address, out
        atp_alignment_create(address, data, n, sites, colors, given, out)
    end
    alphabet === nothing || (alignment.alphabet = alphabet)
    return alignment
end

"""
    read_alignment(path; alphabet, context, options...)

Read FASTA, A2M, A3M, Stockholm, HDF5 or what else docs/formats.md has. `alphabet`: "protein", "rna", "dna" or the
symbols, first the gap. Options: `unknown = :gap`, `:drop` or `:error`, `colors`, `format`.
"""
function read_alignment(path::AbstractString; alphabet::Union{Nothing,AbstractString} = nothing,
                        context::Context = default_context(), options...)
    return with_options(context, READERS, options) do bag
        create(Alignment, atp_alignment_destroy, context, bag) do address, bag, out
            atp_alignment_read(address, path, something_or_null(alphabet), bag, out)
        end
    end
end

"""
    write_alignment(path, alignment; format = :hdf5, context)

Write as `:hdf5`, `:fasta` or `:integers`.
"""
function write_alignment(path::AbstractString, alignment::Alignment; format = :hdf5,
                         context::Context = default_context())
    number = word(:format, format)
    borrow((c, a) -> check(atp_alignment_write(c, a, number, path)), context, alignment)
end

Base.length(x::Alignment) = x.count
more_names(::Type{Alignment}) = (:names,)
property(x::Alignment, ::Val{:names}) =
    borrow(a -> [text_of(atp_alignment_name(a, n - 1)) for n in 1:atp_alignment_count(a)], x)

function Base.getindex(x::Alignment, rows::OrdinalRange{<:Integer})
    isempty(rows) || checkbounds(1:length(x), rows)
    step(rows) >= 1 || throw(ArgumentError("the step is $(step(rows)), expected at least 1"))
    return create(Alignment, atp_alignment_destroy, default_context(), x) do address, source, out
        atp_alignment_select(address, source, first(rows) - 1, length(rows), step(rows), out)
    end
end
Base.firstindex(::Alignment) = 1
Base.lastindex(x::Alignment) = length(x)

"""
    set_sites!(alignment or model; numbers, residues)

What the sites are called: L numbers, by default 1..L, and the residues of a focus sequence as text of length L, by
default none.
"""
function set_sites!(x::Handle; numbers = nothing, residues::Union{Nothing,AbstractString} = nothing)
    given = numbers === nothing ? C_NULL : dense(Int64, numbers, "numbers")
    size = numbers === nothing ? x.sites : length(given)
    set = x isa Model ? atp_model_set_sites : atp_alignment_set_sites
    borrow(a -> check(set(a, given, size, something_or_null(residues))), x)
    return x
end

"""
    find_sequence(alignment, name)

The number of the sequence that a name means, 1..N: the only one of exactly this name, or of this name and a range,
`NAME/12-170`.
"""
function find_sequence(x::Alignment, name::AbstractString)
    return borrow(x) do address
        index = Ref(Int64(0))
        check(atp_alignment_find(address, name, index))
        return Int(index[]) + 1
    end
end

"""
    focus(alignment, name; context)

An alignment of the columns where the sequence of this name has a residue; sites get its residue numbers.
"""
function focus(x::Alignment, name::AbstractString; context::Context = default_context())
    return create(Alignment, atp_alignment_destroy, context, x) do address, source, out
        atp_alignment_focus(address, source, name, out)
    end
end

"""
    filtered(alignment; max_gaps_sequence, max_gaps_column, remove_duplicates, context)

`(alignment, removed)`: without sequences and columns of too many gaps and, where asked for, without sequences equal to
an earlier one; `removed` says how many of each were: `(sequences, columns, duplicates)`.
"""
function filtered(x::Alignment; context::Context = default_context(), options...)
    counts = zeros(Int64, 3)
    kept = with_options(context, READERS, options) do bag
        create(Alignment, atp_alignment_destroy, context, x, bag) do address, source, bag, out
            atp_alignment_filter(address, source, bag, counts, length(counts), out)
        end
    end
    return (alignment = kept, removed = (sequences = counts[1], columns = counts[2], duplicates = counts[3]))
end

"""
    weigh!(alignment; theta = 0.2, rule = :inclusive)

Weights of 1 / (number of sequences that differ in at most a fraction theta of the columns, itself included). `rule`
says what happens at the edge: `:inclusive`, `:strict` or `:floor`.
"""
function weigh!(x::Alignment; theta::Real = 0.2, rule = :inclusive)
    number = word(:weight_rule, rule, :rule)
    borrow(a -> check(atp_alignment_weigh(a, theta, number)), x)
    return x
end

"""
    auto_theta(alignment)

The theta that plmDCA chooses: min(0.5, 0.1216 / mean identity).
"""
auto_theta(x::Alignment) = real_of((a, place) -> atp_alignment_auto_theta(a, place), x)

# One number that a call f(addresses..., place) puts somewhere.
function real_of(f, handles...)
    return borrow(handles...) do addresses...
        place = Ref(0.0)
        check(f(addresses..., place))
        return place[]
    end
end

# An array that a call f(address, array, its length) fills.
function filled(f, x::Handle, size...; T = Float64)
    return borrow(x) do address
        array = Array{T}(undef, size...)
        check(f(address, array, length(array)))
        return array
    end
end

"""
    frequencies(alignment; pseudocount = 0)

Weighted f_i(a), `q x L`: `f[a + 1, i]`.
"""
frequencies(x::Alignment; pseudocount::Real = 0) =
    filled((a, array, size) -> atp_alignment_frequencies(a, pseudocount, array, size), x, x.colors, x.sites)

"""
    pair_frequencies(alignment; pseudocount = 0)

Weighted f_ij(a, b), `q x q x L x L`: `f[b + 1, a + 1, j, i]`.
"""
pair_frequencies(x::Alignment; pseudocount::Real = 0) =
    filled((a, array, size) -> atp_alignment_pair_frequencies(a, pseudocount, array, size), x, x.colors, x.colors,
        x.sites, x.sites)

"""
    covariances(alignment; pseudocount = 0)

Weighted f_ij(a, b) - f_i(a) f_j(b), `q x q x L x L`: `c[b + 1, a + 1, j, i]`.
"""
covariances(x::Alignment; pseudocount::Real = 0) =
    filled((a, array, size) -> atp_alignment_covariances(a, pseudocount, array, size), x, x.colors, x.colors, x.sites,
        x.sites)

"""
    independent_loss(alignment, frequencies)

The loss of the site-independent model with these frequencies, `q x L`, in nats per site: what couplings have to beat.
"""
function independent_loss(x::Alignment, frequencies)
    given = reals(frequencies, "frequencies", (x.colors, x.sites))
    return real_of((a, place) -> atp_alignment_independent_loss(a, given, length(given), place), x)
end

function Base.show(io::IO, x::Alignment)
    isopen(x) || return print(io, "Alignment, closed")
    print(io, "Alignment of ", length(x), " sequences, ", x.sites, " sites, ", x.colors, " colours")
end
