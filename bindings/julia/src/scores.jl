# SPDX-License-Identifier: MIT
# Scores of pairs, precision of contacts, statistics of samples; files of bytes.

"""
    apc(scores)

Average product correction of scores `L x L`.
"""
function apc(scores)
    given = square_matrix(scores, "scores")
    out = similar(given)
    check(atp_scores_apc(given, size(given, 1), out, length(out)))
    return out
end

function numbers_for(numbers, sites)
    numbers === nothing && return C_NULL
    given = dense(Int64, numbers, "numbers")
    size(given) == (sites,) || throw(DimensionMismatch("numbers has size $(size(given)), expected ($sites,)"))
    return given
end

"""
    rank_pairs(scores; count, separation = 1, numbers)

The pairs of sites of the largest scores, largest first: `2 x n` of i < j, each 1..L. Pairs whose numbers differ by less
than `separation` are left out; `numbers` are those of the sites, by default 1..L.
"""
function rank_pairs(scores; count::Union{Nothing,Integer} = nothing, separation::Integer = 1, numbers = nothing)
    given = square_matrix(scores, "scores")
    sites = size(given, 1)
    places = numbers_for(numbers, sites)
    most = max(1, sites * (sites - 1) ÷ 2)
    capacity = count === nothing ? most : min(count, most)
    pairs = Matrix{Int64}(undef, 2, max(capacity, 1))
    found = Ref(Int64(0))
    check(atp_scores_rank(given, sites, places, separation, pairs, capacity, found))
    return pairs[:, 1:found[]] .+ 1
end

"""
    contacts(model; count, separation = 6, gap = 0, context)

The best pairs by APC-corrected Frobenius norm, largest first: a vector of `(i, j, score)` with the numbers of the
sites. `gap`: the colour that is left out of the norm, -1 for none.
"""
function contacts(model::Model; count::Union{Nothing,Integer} = nothing, separation::Integer = 6, gap::Integer = 0,
                  context::Context = default_context())
    scores = apc(frobenius(model; gap = gap, context = context))
    numbers = model.site_numbers
    pairs = rank_pairs(scores; count = count, separation = separation, numbers = numbers)
    return [(i = numbers[i], j = numbers[j], score = scores[i, j]) for (i, j) in eachcol(pairs)]
end

"""
    read_distances(path, sites; numbers, context)

Distances between sites from a file of lines `i j d` or `i j x d`: `(distances, pairs, used)`, with `L x L` distances,
NaN where the file says nothing, the number of its lines of two different sites, and of those that have both sites.
"""
function read_distances(path::AbstractString, sites::Integer; numbers = nothing, context::Context = default_context())
    sites >= 0 || throw(ArgumentError("sites is $sites, expected at least 2"))
    places = numbers_for(numbers, sites)
    distances = Matrix{Float64}(undef, sites, sites)
    counts = zeros(Int64, 2)
    borrow(c -> check(atp_distances_read(c, path, places, sites, distances, length(distances), counts)), context)
    return (distances = distances, pairs = counts[1], used = counts[2])
end

"""
    precision_curve(pairs, distances; cutoff = 8, absent = :excluded)

The fraction of contacts, nearer than `cutoff`, among the first 1, 2, ... of ranked pairs, `2 x n` of 1..L, that count.
`absent`: pairs of unknown distance, NaN, do not count (`:excluded`) or are no contacts (`:counted`).
"""
function precision_curve(pairs, distances; cutoff::Real = 8, absent = :excluded)
    given, known = dense(Int64, pairs, "pairs"), square_matrix(distances, "distances")
    ndims(given) == 2 && size(given, 1) == 2 ||
        throw(DimensionMismatch("pairs has size $(size(given)), expected (2, n)"))
    places = given .- 1
    number = word(:absent, absent)
    curve = Vector{Float64}(undef, size(given, 2))
    check(atp_pairs_precision(places, size(places, 2), known, size(known, 1), cutoff, number, curve))
    return filter(!isnan, curve)
end

"""
    compare_statistics(data, samples; context)

How f_i, f_ij and C_ij of one alignment, samples of a model say, follow those of another: `(sites, pairs, covariances)`,
each of `(count, pearson, slope, rms, largest)`.
"""
function compare_statistics(data::Alignment, samples::Alignment; context::Context = default_context())
    numbers = Matrix{Float64}(undef, ATP_COMPARISON_COLUMNS, ATP_COMPARISON_ROWS)
    borrow((c, d, s) -> check(atp_statistics_compare(c, d, s, numbers, length(numbers))), context, data, samples)
    columns = Tuple(first.(WORDS[:comparison_column]))
    rows = Tuple(first.(WORDS[:comparison_row]))
    return NamedTuple{rows}(Tuple(NamedTuple{columns}(Tuple(row)) for row in eachcol(numbers)))
end

"""
    write_scores(path, scores; format = :ccmpred, numbers, residues, context)

Write scores `L x L` as a matrix (`:ccmpred`) or as a line for each pair (`:plmc`), with the numbers and residues of the
sites.
"""
function write_scores(path::AbstractString, scores; format = :ccmpred, numbers = nothing,
                      residues::Union{Nothing,AbstractString} = nothing, context::Context = default_context())
    given = square_matrix(scores, "scores")
    sites = size(given, 1)
    places = numbers_for(numbers, sites)
    number = word(:score_format, format, :format)
    residues === nothing || length(residues) == sites ||
        throw(DimensionMismatch("residues has length $(length(residues)), expected $sites"))
    borrow(context) do c
        check(atp_scores_write(c, given, sites, places, something_or_null(residues), number, path))
    end
end

"""
    read_scores(path; context)

`(scores, numbers, residues)` of a file of scores in either format: `L x L`, L numbers, and text of length L or "".
"""
function read_scores(path::AbstractString; context::Context = default_context())
    sites = integer_of((c, place) -> atp_scores_sites(c, path, place), context)
    scores, numbers = Matrix{Float64}(undef, sites, sites), Vector{Int64}(undef, sites)
    residues = zeros(UInt8, sites + 1)
    borrow(c -> check(atp_scores_read(c, path, scores, length(scores), numbers, residues)), context)
    return (scores = scores, numbers = numbers, residues = GC.@preserve(residues, unsafe_string(pointer(residues))))
end

"""
    file_kind(path; context)

What a file holds: `:model`, `:alignment`, `:fasta`, `:stockholm`, `:integers`, `:state`, ..., or `:unknown`.
"""
function file_kind(path::AbstractString; context::Context = default_context())
    kind = Ref{Ptr{UInt8}}(C_NULL)
    borrow(c -> check(atp_file_kind(c, path, kind)), context)
    return Symbol(replace(unsafe_string(kind[]), "-" => "_"))
end

"""
    write_file(path, bytes; context)

Write bytes under a temporary name beside the target, flush them to the disk and rename: after a crash the old file is
still whole.
"""
write_file(path::AbstractString, bytes::Vector{UInt8}; context::Context = default_context()) =
    borrow(c -> check(atp_file_write(c, path, bytes, length(bytes))), context)

"""
    read_file(path; context)

A whole file as bytes.
"""
function read_file(path::AbstractString; context::Context = default_context())
    return borrow(context) do c
        size = Ref(Int64(0))
        check(atp_file_size(c, path, size))
        bytes = Vector{UInt8}(undef, size[])
        check(atp_file_read(c, path, bytes, length(bytes)))
        return bytes
    end
end
