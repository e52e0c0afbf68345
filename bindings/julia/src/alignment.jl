# SPDX-License-Identifier: MIT

@api begin
    """N sequences of L sites with colours 0..q-1, a weight each, and what is known of symbols, names and numbers of sites.

    `sequences`: `L x N` integers, a column per sequence; a `Matrix{UInt8}` is handed to the library as it is, which copies
    it once. Or a vector of strings of symbols of the `alphabet`, with a vector of `names` and the options of
    [`read_alignment`](@ref). `colors`: q; the default is the length of the alphabet, or the largest value plus one. `weights`: N numbers,
    not negative. `alphabet`: `:protein`, `:rna`, `:dna` or the symbols themselves as a string, first the gap.

    Properties: `sequences` (`L x N`, read-only, no copy), `weights` (N, read-only, no copy; can be set), `sites`, `colors`,
    `effective_count` (sum of the weights), `alphabet` (can be set), `site_numbers`, `site_residues`, `names`, `origin` (can
    be set). `alignment[3]` is the third sequence, and so `for s in alignment` goes over them; `alignment[1:2:99]`,
    `alignment[[5, 2, 2]]` and `alignment[mask]` are alignments of some of them, with their weights and names. `length` is N,
    `size` is `(L, N)`."""
    function Alignment(sequences; colors::Union{Nothing,Integer} = nothing, weights,
                       alphabet::Union{Nothing,AbstractString,Symbol} = nothing, names, context, options...)
        alphabet = given_text(alphabet)
        if sequences isa AbstractVector{<:AbstractString}
            return alignment_of_strings(sequences, names, alphabet, colors, weights, context, options)
        end
        names === nothing && isempty(options) ||
            throw(ArgumentError("$(join([names === nothing ? () : :names; keys(options)...], ", ")): for sequences that are strings"))
        data = colors_array(sequences)
        ndims(data) == 2 || throw(DimensionMismatch("sequences has $(ndims(data)) dimensions, expected 2"))
        if colors === nothing && alphabet !== nothing
            colors = get(Dict("protein" => 21, "rna" => 5, "dna" => 5), alphabet, length(alphabet))
        elseif colors === nothing
            colors = isempty(data) ? 2 : max(Int(maximum(data)), 1) + 1
        end
        alignment = c_alignment_create(context, data, colors, weights)
        alphabet === nothing || (alignment.alphabet = alphabet)
        return alignment
    end

    """Read FASTA, A2M, A3M, Stockholm, HDF5 or what else docs/formats.md has. `alphabet`: `:protein`, `:rna`, `:dna` or the
    symbols as a string, first the gap. Options with their defaults: $(OPTION_TEXTS[:alignment])."""
    read_alignment(path; alphabet, context, options...) = atp_alignment_read

    """Read the records that begin in one of several equal parts of a FASTA, A2M or A3M file, for a process that trains on its
    part. `part` is 0..parts-1, as ranks count. Records with lower case or "." need the option `format`, or a name that ends
    in .a2m or .a3m. Options with their defaults: $(OPTION_TEXTS[:alignment])."""
    read_alignment_part(path, part, parts; alphabet, context, options...) = atp_alignment_read_part

    """An alignment that reads a dense `Matrix{UInt8}` (`L x N`) where it is, without a copy: for example shared memory of
    MPI.jl or `Mmap.mmap`. The values must not change as long as the alignment lives."""
    function borrow_alignment(sequences::Matrix{UInt8}, colors::Integer; weights, context)
        numbers = weights === nothing ? nothing : dense(Float64, weights, "weights", (size(sequences, 2),))
        return borrow(context) do address
            made = Ref{Ptr{Cvoid}}(C_NULL)
            check(atp_alignment_borrow(address, sequences, size(sequences, 2), size(sequences, 1), colors, something_or_null(numbers),
                made))
            return Alignment(Owned(made[], atp_alignment_destroy, root(open_owned(context)); keep = sequences))
        end
    end

    "Write as `:hdf5`, `:fasta` or `:integers`."
    write_alignment(path, alignment; format = :hdf5, context) = atp_alignment_write

    """What the sites are called: L numbers, by default 1..L, and the residues of a focus sequence as text of length L, by
    default none."""
    set_sites!(alignment; numbers, residues) = atp_alignment_set_sites
    set_sites!(model; numbers, residues) = atp_model_set_sites

    """The columns of the sites, L ascending numbers from 0, among the `total` columns of an alignment before any was removed;
    by default all of L. The properties `columns` and `total_columns` tell them."""
    set_columns!(alignment::Alignment; columns = nothing, total::Integer = 0) = (c_alignment_set_columns(alignment, columns, total); alignment)
    set_columns!(model::Model; columns = nothing, total::Integer = 0) = (c_model_set_columns(model, columns, total); model)

    """The sequences of an alignment with the sites of a model: of an alignment from which no columns were removed, those that
    the model was learned from."""
    for_model(alignment, model; context) = atp_alignment_for_model

    "The sequences of an alignment with the sites of another one."
    match_columns(alignment, other; context) = atp_alignment_match

    "The same sequences with these names, which have no blanks."
    rename(alignment::Alignment, names; context) = c_alignment_rename(context, alignment, join(map(name -> "$name\n", collect(names))))

    """The number of the sequence that a name means, 1..N: the only one of exactly this name, or of this name and a range,
    `NAME/12-170`."""
    find_sequence(alignment, name) = atp_alignment_find

    "An alignment of the columns where the sequence of this name has a residue; sites get its residue numbers."
    focus(alignment, name; context) = atp_alignment_focus

    """`(alignment, removed)`: without sequences and columns of too many gaps (options `max_gaps_sequence` and
    `max_gaps_column`) and, where `remove_duplicates` asks for it, without sequences equal to an earlier one; `removed` says
    how many of each were: `(sequences, columns, duplicates)`."""
    function filtered(alignment::Alignment; context, options...)
        counts, kept = c_alignment_filter(context, alignment, zeros(Int64, 3), options)
        return (alignment = kept, removed = NamedTuple{(:sequences, :columns, :duplicates)}(Tuple(counts)))
    end

    """Without similar sequences, as hhfilter -id: each has at most this share of equal residues with any other, of the columns where
    both have one. To learn a model, `weigh!` is the better way."""
    filter_identity(alignment, identity; context) = atp_alignment_filter_identity

    """`(training, test, parts)`: a training set and a test set without similar sequences. No test sequence is more identical than
    `identity` to a training sequence. `parts` is 0 for a sequence in neither, 1 for training, 2 for test. Weigh them afterwards."""
    function split_alignment(alignment::Alignment; context, options...)
        parts = c_alignment_split(alignment, alignment.count, options)
        made(part) = c_alignment_take(context, alignment, findall(==(part), parts) .- 1)
        return (training = made(1), test = made(2), parts = parts)
    end

    """Weights of 1 / (number of sequences that differ in at most a fraction theta of the columns, itself included). `rule`
    says what happens at the edge: `:inclusive`, `:strict` or `:floor`; `:residues` compares only columns where both have a
    residue. `weigh!(report, ...)` as `sweep!`: a run that is stopped leaves the weights as they were."""
    weigh!(report, alignment; theta = 0.2, rule = :inclusive) = atp_alignment_weigh

    "Weighted frequencies without colour 0, the gap, `(q - 1) x L`, 1 in sum at each site."
    residue_frequencies(alignment) = atp_alignment_residue_frequencies

    "The conservation of each site, 1 - entropy / log q. `gaps = :ignore` leaves colour 0 out."
    conservation(alignment; gaps = :state) = atp_alignment_conservation

    "The weights of a bootstrap sample 0, 1, ...: sequences drawn with replacement. `bootstrap_errors` summarises what is computed with them."
    resample(alignment::Alignment, seed::Integer, sample::Integer) = c_alignment_resample(alignment, seed, sample, alignment.count)

    """n random sequences, with their weights and names, in the order of the alignment. `replace = true`: each is drawn from all, so
    that `length(alignment)` of them are a bootstrap sample. Otherwise all are different, and fewer with the same seed are a part of
    these, for learning curves."""
    sample_rows(alignment::Alignment, n::Integer; replace::Bool = false, seed::Integer = 1, context) =
        c_alignment_sample(context, alignment, n, Int(replace), seed)

    "The theta that plmDCA chooses: min(0.5, 0.1216 / mean identity)."
    auto_theta(alignment) = atp_alignment_auto_theta

    "The effective number of sequences at each theta, as a table; the weights stay as they are."
    function scan_weights(alignment::Alignment, thetas; rule = :inclusive, context)
        return with_handle(c_table_create(context, ATP_TABLE_WEIGHTS, length(thetas))) do table
            c_alignment_scan_weights(alignment, thetas, rule, table)
            return table_of(table)
        end
    end

    "Weighted f_i(a), `q x L`: `f[a + 1, i]`."
    frequencies(alignment; pseudocount = 0) = atp_alignment_frequencies

    "Weighted f_ij(a, b), `q x q x L x L`: `f[b + 1, a + 1, j, i]`."
    pair_frequencies(alignment; pseudocount = 0) = atp_alignment_pair_frequencies

    "Weighted f_ij(a, b) - f_i(a) f_j(b), `q x q x L x L`: `c[b + 1, a + 1, j, i]`."
    covariances(alignment; pseudocount = 0) = atp_alignment_covariances

    "The loss of the site-independent model with these frequencies, `q x L`, in nats per site: what couplings have to beat."
    independent_loss(alignment, frequencies) = atp_alignment_independent_loss
end

# The text of an alignment file with these strings as its records. A line end or '>' would begin another one; a blank ends a name.
function records(sequences, names)
    for (k, x) in enumerate(sequences)
        !isempty(x) && all(c -> '!' <= c <= '~' && c != '>', x) ||
            throw(ArgumentError("sequences[$k] is $(repr(String(x))), expected one or more symbols, without blanks"))
    end
    names === nothing && return join(map(x -> "$x\n", sequences)), :aln
    length(names) == length(sequences) ||
        throw(DimensionMismatch("names has length $(length(names)), expected $(length(sequences))"))
    for (k, name) in enumerate(names)
        name isa AbstractString && !any(in(" \t\n\v\f\r\0"), name) ||
            throw(ArgumentError("names[$k] is $(repr(name)), expected a string without blanks"))
    end
    return join(map((name, x) -> ">$name\n$x\n", collect(names), sequences)), :fasta
end

function alignment_of_strings(sequences, names, alphabet, colors, weights, context, options)
    text, format = records(collect(sequences), names)
    made = with_options(context, ATP_OWNER_ALIGNMENT, pairs((format = format, options...))) do bag
        create(Alignment, atp_alignment_destroy, context, bag) do c, b, place
            GC.@preserve text atp_alignment_parse(c, pointer(text), sizeof(text), something_or_null(alphabet), b, place)
        end
    end
    colors === nothing || colors == made.colors ||
        throw(ArgumentError("colors is $colors, the alphabet has $(made.colors) symbols"))
    weights === nothing || (made.weights = weights)
    return made
end

# Where sequences are asked for, an alignment stands for its own.
sequences_in(x::Alignment, name) = x.sequences
# For a model of so many colours: one less than those of the alignment has no gap, which is a missing site then.
in_colors(x, colors) = x
in_colors(x::Alignment, colors) = x.colors == colors + 1 ? ifelse.(x.sequences .== 0, MISSING, x.sequences .- 0x01) : x.sequences
sequences_in(x::Handle, name) = throw(ArgumentError("$name is of type $(kind(x)), expected sequences or an Alignment"))

# Like a vector of sequences; its size is that of the matrix `sequences`.
Base.length(x::Alignment) = x.count
Base.size(x::Alignment) = (x.sites, x.count)
Base.size(x::Alignment, k::Integer) = k <= 2 ? size(x)[k] : 1
Base.firstindex(::Alignment) = 1
Base.lastindex(x::Alignment) = length(x)
Base.keys(x::Alignment) = Base.OneTo(length(x))
Base.eachindex(x::Alignment) = keys(x)
Base.eltype(::Type{Alignment}) = AbstractVector{UInt8}
Base.iterate(x::Alignment, (columns, k) = (x.sequences, 1)) =
    k > size(columns, 2) ? nothing : (view(columns, :, k), (columns, k + 1))

function Base.getindex(x::Alignment, row::Integer)
    checkbounds(1:length(x), row)
    return view(x.sequences, :, Int(row))
end
function Base.getindex(x::Alignment, rows::AbstractVector{<:Integer})
    isempty(rows) || checkbounds(1:length(x), rows)
    return c_alignment_take(default_context(), x, collect(rows) .- 1)
end
Base.getindex(x::Alignment, rows::AbstractVector{Bool}) = x[(checkbounds(1:length(x), rows); findall(rows))]
Base.getindex(x::Alignment, ::Colon) = x[1:end]

property(x::Alignment, ::Val{:names}) =
    borrow(a -> [text_of(atp_alignment_name(a, n - 1)) for n in 1:atp_alignment_count(a)], x)

show_told(io, x::Alignment) = print(io, " of ", length(x), " sequences, ", x.sites, " sites, ", x.colors, " colours")
