# SPDX-License-Identifier: MIT

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
    if colors === nothing && alphabet !== nothing
        colors = get(Dict("protein" => 21, "rna" => 5, "dna" => 5), alphabet, length(alphabet))
    elseif colors === nothing
        colors = isempty(data) ? 2 : max(Int(maximum(data)), 1) + 1
    end
    alignment = c_alignment_create(context, data, colors, weights)
    alphabet === nothing || (alignment.alphabet = alphabet)
    return alignment
end

"""
    read_alignment(path; alphabet, context, options...)

Read FASTA, A2M, A3M, Stockholm, HDF5 or what else docs/formats.md has. `alphabet`: "protein", "rna", "dna" or the
symbols, first the gap. Options with their defaults: $(OPTION_TEXTS[:reader]).
"""
read_alignment(path::AbstractString; alphabet::Union{Nothing,AbstractString} = nothing,
               context::Context = default_context(), options...) =
    c_alignment_read(context, path, alphabet, options)

"""
    write_alignment(path, alignment; format = :hdf5, context)

Write as `:hdf5`, `:fasta` or `:integers`.
"""
write_alignment(path::AbstractString, alignment::Alignment; format = :hdf5, context::Context = default_context()) =
    c_alignment_write(context, alignment, format, path)

Base.length(x::Alignment) = x.count
more_names(::Type{Alignment}) = (:names,)
property(x::Alignment, ::Val{:names}) =
    borrow(a -> [text_of(atp_alignment_name(a, n - 1)) for n in 1:atp_alignment_count(a)], x)

function Base.getindex(x::Alignment, rows::OrdinalRange{<:Integer})
    isempty(rows) || checkbounds(1:length(x), rows)
    step(rows) >= 1 || throw(ArgumentError("the step is $(step(rows)), expected at least 1"))
    return c_alignment_select(default_context(), x, first(rows), length(rows), step(rows))
end
Base.firstindex(::Alignment) = 1
Base.lastindex(x::Alignment) = length(x)

"""
    set_sites!(alignment or model; numbers, residues)

What the sites are called: L numbers, by default 1..L, and the residues of a focus sequence as text of length L, by
default none.
"""
set_sites!(x::Handle; numbers = nothing, residues::Union{Nothing,AbstractString} = nothing) =
    ((x isa Model ? c_model_set_sites : c_alignment_set_sites)(x, numbers, residues); x)

"""
    find_sequence(alignment, name)

The number of the sequence that a name means, 1..N: the only one of exactly this name, or of this name and a range,
`NAME/12-170`.
"""
find_sequence(x::Alignment, name::AbstractString) = c_alignment_find(x, name)

"""
    focus(alignment, name; context)

An alignment of the columns where the sequence of this name has a residue; sites get its residue numbers.
"""
focus(x::Alignment, name::AbstractString; context::Context = default_context()) = c_alignment_focus(context, x, name)

"""
    filtered(alignment; max_gaps_sequence, max_gaps_column, remove_duplicates, context)

`(alignment, removed)`: without sequences and columns of too many gaps and, where asked for, without sequences equal to
an earlier one; `removed` says how many of each were: `(sequences, columns, duplicates)`.
"""
function filtered(x::Alignment; context::Context = default_context(), options...)
    counts, kept = c_alignment_filter(context, x, zeros(Int64, 3), options)
    return (alignment = kept, removed = (sequences = counts[1], columns = counts[2], duplicates = counts[3]))
end

"""
    weigh!(alignment; theta = 0.2, rule = :inclusive)

Weights of 1 / (number of sequences that differ in at most a fraction theta of the columns, itself included). `rule`
says what happens at the edge: `:inclusive`, `:strict` or `:floor`.
"""
weigh!(x::Alignment; theta::Real = 0.2, rule = :inclusive) = (c_alignment_weigh(x, theta, rule); x)

"""
    auto_theta(alignment)

The theta that plmDCA chooses: min(0.5, 0.1216 / mean identity).
"""
auto_theta(x::Alignment) = c_alignment_auto_theta(x)

"""
    frequencies(alignment; pseudocount = 0)

Weighted f_i(a), `q x L`: `f[a + 1, i]`.
"""
frequencies(x::Alignment; pseudocount::Real = 0) = c_alignment_frequencies(x, pseudocount)

"""
    pair_frequencies(alignment; pseudocount = 0)

Weighted f_ij(a, b), `q x q x L x L`: `f[b + 1, a + 1, j, i]`.
"""
pair_frequencies(x::Alignment; pseudocount::Real = 0) = c_alignment_pair_frequencies(x, pseudocount)

"""
    covariances(alignment; pseudocount = 0)

Weighted f_ij(a, b) - f_i(a) f_j(b), `q x q x L x L`: `c[b + 1, a + 1, j, i]`.
"""
covariances(x::Alignment; pseudocount::Real = 0) = c_alignment_covariances(x, pseudocount)

"""
    independent_loss(alignment, frequencies)

The loss of the site-independent model with these frequencies, `q x L`, in nats per site: what couplings have to beat.
"""
independent_loss(x::Alignment, frequencies) = c_alignment_independent_loss(x, frequencies)

function Base.show(io::IO, x::Alignment)
    isopen(x) || return print(io, "Alignment, closed")
    print(io, "Alignment of ", length(x), " sequences, ", x.sites, " sites, ", x.colors, " colours")
end
