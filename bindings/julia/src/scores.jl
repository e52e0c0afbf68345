# SPDX-License-Identifier: MIT
# Scores of pairs, precision of contacts, statistics of samples; files of bytes.

# Numbers of the statistics of two alignments, a column for each of them.
function comparison_of(numbers)
    columns, rows = (Tuple(first.(WORDS[names])) for names in (:comparison_column, :comparison_row))
    return NamedTuple{rows}(Tuple(NamedTuple{columns}(Tuple(row)) for row in eachcol(numbers)))
end

# The rows of the quality of samples by their names.
function quality_of(numbers)
    columns, measures = Tuple(first.(WORDS[:quality_column])[2:end]), Symbol[]
    for (word, row) in WORDS[:quality]
        of_row = row < ATP_QUALITY_VARIANCE_1 ? [Symbol(word, :_, column) for (column, _) in WORDS[:comparison_column]] : [word]
        append!(measures, of_row)
    end
    return NamedTuple{Tuple(measures)}(Tuple(NamedTuple{columns}(Tuple(row[2:end])) for row in eachcol(numbers)))
end

@api begin
    """What `contacts` gives: a vector of pairs `(i, j, apc)`, best first, with the numbers of all sites, `site_numbers`."""
    struct Contacts <: AbstractVector{NamedTuple{(:i, :j, :apc),Tuple{Int64,Int64,Float64}}}
        pairs::Vector{NamedTuple{(:i, :j, :apc),Tuple{Int64,Int64,Float64}}}
        site_numbers::Vector{Int64}
    end

    "Average product correction of scores `L x L`."
    apc(scores) = atp_scores_apc

    """The pairs of sites of the largest scores, largest first: `2 x n` of i < j, each 1..L. Pairs whose numbers differ by
    less than `separation` are left out; `numbers` are those of the sites, by default 1..L. `border`: how many sites are those
    of the first of two proteins, whose pairs with the others are never left out."""
    function rank_pairs(scores; count::Union{Nothing,Integer} = nothing, separation::Integer = 1, numbers, border::Integer = 0)
        sites = size(scores, 1)
        most = max(1, sites * (sites - 1) ÷ 2)
        pairs, found = c_scores_rank(scores, numbers, [separation, border], count === nothing ? most : min(count, most))
        return pairs[:, 1:found]
    end

    "The fraction of the ranked `pairs`, `2 x n`, that are among `others`, `2 x m`."
    pairs_overlap(pairs, others; context) = c_pairs_overlap(context, pairs, others)

    """The best pairs by APC-corrected Frobenius norm, as the program's `contacts` ranks them, largest first: a vector of
    `(i, j, apc)` with the numbers of the sites. Pairs whose numbers differ by less than `separation` are left out. `gap`:
    the colour that is left out of the norm, -1 for none, or `:auto`: colour 0 if the alphabet begins with a gap."""
    function contacts(model::Model; count::Union{Nothing,Integer} = nothing, separation::Integer = 1, gap = :auto,
                      gauge = :zero_sum, context)
        all = model.sites * (model.sites - 1) ÷ 2
        color = gap in (:auto, "auto") ? ATP_GAP_AUTO : gap
        ranked = c_table_create(context, ATP_TABLE_CONTACTS, count === nothing ? all : min(count, all))
        return with_handle(ranked) do table
            c_model_contacts(context, model, gauge, color, separation, table)
            rows = table_of(table)
            pairs = [(i = Int64(i), j = Int64(j), apc = apc) for (i, j, apc) in zip(rows.i, rows.j, rows.apc)]
            return Contacts(pairs, collect(model.site_numbers))
        end
    end

    """The mean-field couplings of an alignment, as a dense model with fields. Options with their defaults:
    $(OPTION_TEXTS[:mean_field])."""
    mean_field(alignment; context, options...) = atp_mean_field_model

    "The memory that `mean_field` and `gaussian_scores` will ask for at most, for n sequences."
    mean_field_bytes(n, sites, colors; context, options...) = atp_mean_field_bytes

    """Direct information of a model, `L x L` in nats: the mutual information of two sites alone, with their coupling, where
    the sites have these frequencies, `q x L`."""
    direct_information(model, frequencies; context) = atp_direct_information

    """Scores of the Gaussian model of an alignment, `L x L`: `:fn` (Frobenius norms without the colour `gap`, 0..q-1, -1 for
    none) or `:di` (direct information). Options with their defaults: $(OPTION_TEXTS[:gaussian])."""
    gaussian_scores(alignment; score = :fn, gap = -1, context, options...) = atp_gaussian_scores

    """What learning from `samples` sequences costs: a named tuple of the expected excess of losses per site, the expected coupling
    error and the numbers behind them; averages are over the sequences of `alignment`, or over all states. Options with their defaults:

    $(OPTION_TEXTS[:asymptotics])."""
    function asymptotics(model::Model, alignment = nothing; context, options...)
        with_handle(c_table_create(context, :asymptotics, 1)) do table
            c_model_asymptotics(context, model, alignment, table, false, options)
            return map(first, table_of(table))
        end
    end

    "Standard errors of the couplings times beta in the zero-sum gauge, `q x q x L x L`, with the options of `asymptotics`."
    coupling_errors(model::Model, alignment = nothing; context, options...) =
        c_model_asymptotics(context, model, alignment, nothing, true, options)

    """Standard errors of the scores of pairs of dense couplings learned with the penalties `l2_couplings` and `l2_fields`, `L x L x 2`: of
    Frobenius norms without the colour `gap`, 0..q-1, -1 for none, and of those with average product correction."""
    score_errors(model, alignment; gap = -1, context, options...) = atp_model_score_errors

    "The memory that `coupling_errors` will ask for, with so many sequences, 0 without an alignment."
    asymptotics_bytes(model, sequences; context, options...) = atp_model_asymptotics_bytes
    "The memory that `score_errors` will ask for."
    score_errors_bytes(model, sequences; context) = atp_model_score_errors_bytes

    "Mutual information of the columns of an alignment, `L x L` in nats. Options: $(OPTION_TEXTS[:mutual_information])."
    mutual_information(alignment; context, options...) = atp_mutual_information

    """Distances between sites from a file of lines `i j d` or `i j x d`: `(distances, pairs, used)`, with `L x L`
    distances, NaN where the file says nothing, the number of its lines of two different sites, and of those that have both
    sites."""
    function read_distances(path::AbstractString, sites::Integer; numbers, context)
        distances, counts = c_distances_read(context, path, numbers, sites, true)
        return (distances = distances, pairs = counts[1], used = counts[2])
    end

    """The fraction of contacts, nearer than `cutoff`, among the first 1, 2, ... of ranked pairs, `2 x n` of 1..L, that
    count. `absent`: pairs of unknown distance, NaN, do not count (`:excluded`) or are no contacts (`:counted`)."""
    precision_curve(pairs, distances; cutoff::Real = 8, absent = :excluded) =
        filter(!isnan, c_pairs_precision(pairs, distances, cutoff, absent))

    """A measure of agreement of scores x with measurements y, larger being more in both: `(value, low, high)` with its 95 per
    cent bootstrap interval. `measure`: `:spearman`, `:kendall`, `:auc` (of the positives, y > 0) or `:recall` (of the `top`
    largest). `draws = 0`: no interval."""
    agreement(measure, x, y; draws::Integer = 1000, seed::Integer = 1, top::Integer = 1, context) =
        NamedTuple{(:value, :low, :high)}(Tuple(c_agreement_interval(context, measure, x, y, [draws, seed, top])))

    """Repeated measurements, NaN where not measured, of mutants with `changes`, `3 x m` of mutant (from 0), site and colour: `(first,
    average)`, for each mutant the first that is the same, from 1, and the mean of their measurements."""
    average_mutants(changes, measured; context) = c_mutants_average(context, changes, measured)

    """Numbers that were computed on bootstrap samples, `numbers x samples`, as vectors `(samples, mean, error, low, high)`: in how many
    they are known (not NaN), mean, standard deviation, 95 per cent interval."""
    function bootstrap_errors(values; context)
        names = Tuple(first.(WORDS[:bootstrap_column]))
        return NamedTuple{names}(Tuple(collect(row) for row in eachrow(c_bootstrap_errors(context, values))))
    end

    "How many `values` are at most `factor` of their standard `errors` from what is expected."
    count_within_errors(expected, values, errors, factor) = atp_count_within_errors

    """How scores of mutants agree with measured effects, NaN where not measured, larger being better in both: a table of four
    measures for all mutants, and for those with one, two, ... mutations. `threshold`: the AUC tells mutants measured above it
    from the others, NaN: the median; `top`: the best of the recall, 0: a tenth."""
    function mutants_agreement(scores, measured, mutations; threshold::Real = NaN, draws::Integer = 500, seed::Integer = 1,
                               top::Integer = 0, context)
        return with_handle(c_table_create(context, ATP_TABLE_MEASURED, 4 * (1 + length(scores) ÷ 10))) do table
            c_mutants_agreement(scores, measured, mutations, [draws, seed, top], threshold, table)
            return table_of(table)
        end
    end

    """What `compare_statistics` would give for independent samples of this summed weight, from random parts of the data:
    `(mean, deviation)` over the splits."""
    function compare_parts(data::Alignment, samples::Real; splits::Integer = 10, seed::Integer = 1, context)
        numbers, _ = c_statistics_parts(context, data, samples, splits, seed)
        return (mean = comparison_of(numbers[:, :, 1]), deviation = comparison_of(numbers[:, :, 2]))
    end

    """`(measures, distances)`: the quality of samples of a generative model against its data, beside what independent samples would
    give. `measures.covariances_pearson`, `triples_slope`, `variance_1`, `nearest`, `copies`, ... are `(samples, data, parts, parts_sd,
    low, high, verdict)`; a verdict of -1 or 1: below low or above high. `distances` is a table of distributions. Options with their
    defaults: $(OPTION_TEXTS[:quality])."""
    function samples_quality(data::Alignment, samples::Alignment; context, options...)
        rows = c_table_create(context, ATP_TABLE_QUALITY, ATP_QUALITY_ROWS)
        distances = c_table_create(context, ATP_TABLE_DISTANCES, data.sites + 1)
        return with_handle(rows) do quality
            with_handle(distances) do table
                c_samples_quality(context, data, samples, quality, table, options)
                return (measures = quality_of(c_table_values(quality)), distances = table_of(table))
            end
        end
    end

    """`(data, samples, variances)`: the coordinates of data and samples, `components x N` each, along the principal components of the
    data, and the variances of the data along these."""
    function principal_components(data::Alignment, samples::Union{Nothing,Alignment} = nothing; components::Integer = 2, context)
        n = data.count + (samples === nothing ? 0 : samples.count)
        found = c_statistics_components(context, data, samples, components, n)
        return (data = found.coordinates[:, 1:data.count], samples = found.coordinates[:, data.count+1:end], variances = found.variances)
    end

    """How f_i, f_ij and C_ij of one alignment, samples of a model say, follow those of another: `(sites, pairs,
    covariances)`, each of `(count, pearson, slope, rms, largest)`."""
    function compare_statistics(data::Alignment, samples::Alignment; context)
        return comparison_of(c_statistics_compare(context, data, samples))
    end

    """Write scores `L x L` as a matrix (`:ccmpred`) or as a line for each pair (`:plmc`), with the numbers and residues of
    the sites."""
    function write_scores(path::AbstractString, scores; format = :ccmpred, numbers,
                          residues::Union{Nothing,AbstractString} = nothing, context)
        sites = size(scores, 1)
        residues === nothing || length(residues) == sites ||
            throw(DimensionMismatch("residues has length $(length(residues)), expected $sites"))
        c_scores_write(context, scores, numbers, residues, format, path)
    end

    """`(scores, numbers, residues)` of a file of scores in either format: `L x L`, L numbers, and text of length L or ""."""
    function read_scores(path::AbstractString; context)
        sites = c_scores_sites(context, path)
        scores, numbers = Matrix{Float64}(undef, sites, sites), Vector{Int64}(undef, sites)
        residues = zeros(UInt8, sites + 1)
        borrow(c -> check(atp_scores_read(c, path, scores, length(scores), numbers, residues)), context)
        return (scores = scores, numbers = numbers, residues = GC.@preserve(residues, unsafe_string(pointer(residues))))
    end

    "What a file holds: `:model`, `:alignment`, `:fasta`, `:stockholm`, `:integers`, `:state`, ..., or `:unknown`."
    file_kind(path::AbstractString; context) = Symbol(replace(c_file_kind(context, path), "-" => "_"))

    """Write bytes under a temporary name beside the target, flush them to the disk and rename: after a crash the old file is
    still whole."""
    write_file(path, bytes; context) = atp_file_write

    "A whole file as bytes."
    read_file(path::AbstractString; context) =
        c_file_read(context, path, Vector{UInt8}(undef, c_file_size(context, path)))
end

Base.size(x::Contacts) = size(x.pairs)
Base.getindex(x::Contacts, k::Int) = x.pairs[k]
