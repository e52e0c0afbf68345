# SPDX-License-Identifier: MIT
# Pictures as plain data, which any package can draw; ext/AttoPottsRecipesExt.jl hands them to Plots.

using .Replica: Curve

@api begin
    """A picture as plain data. `series` is a vector of `(seriestype, x, y, z, error, label)`: `:path`, `:scatter` or `:bar` of
    `y` against `x`, with standard errors where they are not `nothing`; or `:heatmap`, the matrix `z` with `z[k, l]` at
    `(x[l], y[k])`. `attributes` are those of Plots: `xlabel`, `ylabel`, and others where they are needed."""
    struct Picture
        series::Vector{NamedTuple}
        attributes::NamedTuple
    end

    """What a picture of `x` shows, as a `Picture`. With Plots (Julia 1.9 or later) `plot(x)` draws it.

    - Tables: curves of `Replica` and `DotAttention`, or a kind with its columns, as `select_penalty` (`:selection`) and
      `scan_weights` (`:weights`) give them. `columns`: which ones, by default losses, overlaps against time. `across`: the one
      along the axis. Columns of simulations are points with standard errors.
    - A model: the strength of its couplings, corrected (APC) or not; with `head`, 1..H, a `part` of it, `:map` or `:values`.
    - A model and a sequence: its single mutants as `attopotts mutants --picture` draws them, the first colour at the top, blue
      where they are more probable than the sequence. `score`: `:energy`, minus its change, or `:log_pseudolikelihood`, its change.
    - Contacts: the best `count` pairs, by default L, in both triangles. With `distances`, `L x L`, the contacts nearer than
      `cutoff`, and which pairs are among them.
    - What `hamming_histogram` gives: fractions of pairs at each distance.
    - What `samples_quality` gives: the measures that have limits, which are bars; what independent samples would give, with its
      standard deviation over splits of the data; and the samples, those beyond the limits apart.
    - A family and samples, two alignments: covariances C_ij(a, b), i < j, of samples against those of the family. `z` is the
      logarithm to base 10 of their number in each of `bins x bins` cells; the line is where both are equal."""
    plotdata(curve::Curve; columns = nothing, across = nothing) =
        plotdata(curve.kind, curve.columns; columns = columns, across = across)

    function plotdata(kind::Symbol, table::NamedTuple; columns = nothing, across = nothing)
        haskey(CURVES, kind) || throw(ArgumentError("a table :$kind has no picture: it is not a curve"))
        drawn = CURVES[kind]
        named = columns === nothing ? filter(name -> any(isfinite, table[name]), collect(drawn.y)) :
            columns isa Symbol ? [columns] : collect(columns)
        x = across !== nothing ? across : kind === :selection && length(unique(table.heads)) > 1 ? :heads : drawn.x
        for name in [named; x]
            haskey(table, name) || throw(ArgumentError("no column :$name, expected one of :$(join(keys(table), ", :"))"))
        end
        isempty(named) && throw(ArgumentError("nothing to plot: $(join(drawn.y, ", ")) have no numbers"))
        told = Dict(column.name => column for column in table_columns(kind))
        series = reduce(vcat, [series_of(kind, table, x, name, told) for name in named])
        return Picture(series, axes_of(table, drawn, x, named, told))
    end

    function plotdata(model::Model; corrected::Bool = true, gap = :auto, head = nothing, part = :map)
        head === nothing || return plotdata_head(model, head, part)
        scores = frobenius(model; gap = gap in (:auto, "auto") ? model.gap_color : gap)
        return site_map(corrected ? apc(scores) : scores, model.site_numbers,
            "coupling strength: Frobenius norm" * (corrected ? ", corrected (APC)" : ""))
    end

    function plotdata(model::Model, sequence::AbstractVector; score = :energy)
        words = Dict(:log_pseudolikelihood => "change of the log pseudo-likelihood [nats]", :energy => "score -(H(mutant) - H(sequence))")
        haskey(words, score) || throw(ArgumentError("score is :$score, expected :energy or :log_pseudolikelihood"))
        scores = mutants(model, sequence)
        z = score === :energy ? -scores.energy : scores.log_pseudolikelihood
        positions, known = site_positions(model.site_numbers), findall(<(model.colors), sequence)
        own = (seriestype = :scatter, x = positions[known], y = Int.(sequence[known]), z = nothing, error = nothing, label = "sequence")
        return Picture([heat_map(z, positions, 0:(model.colors - 1)), own],
            (title = "All single mutants", xlabel = "site", ylabel = "mutated to", yticks = color_ticks(model), yflip = true,
                colorbar_title = words[score], clims = limits(z), fillcolor = PROGRAM_COLORS, markercolor = :black))
    end

    function plotdata(contacts::Contacts; count = length(contacts.site_numbers), distances = nothing, cutoff = 8, unit = "Å")
        sites = length(contacts.site_numbers)
        distances === nothing || size(distances) == (sites, sites) ||
            throw(DimensionMismatch("distances has size $(size(distances)), expected ($sites, $sites)"))
        place = Dict(number => k for (k, number) in enumerate(contacts.site_numbers))
        found = [(place[pair.i], place[pair.j]) for pair in contacts[1:min(count, end)]]
        sets = distances === nothing ? ["predicted" => found] : told_apart(found, distances, cutoff, unit)
        positions = site_positions(contacts.site_numbers)
        series = [dots(pairs, positions, label) for (label, pairs) in sets if !isempty(pairs)]
        return Picture(series, (xlabel = "site", ylabel = "site", aspect_ratio = :equal))
    end

    function plotdata(histogram::NamedTuple{(:counts, :mean)})
        shares = histogram.counts ./ max(1, sum(histogram.counts))
        bars = (seriestype = :bar, x = collect(0:(length(shares) - 1)), y = shares, z = nothing, error = nothing, label = "")
        return Picture([bars], (xlabel = "Hamming distance [sites]", ylabel = "fraction of pairs of sequences"))
    end

    function plotdata(quality::NamedTuple{(:measures, :distances)})
        rows = [(name, row) for (name, row) in pairs(quality.measures) if isfinite(row.low) || isfinite(row.high)]
        isempty(rows) && throw(ArgumentError("nothing to plot: no measure has limits, which need runs = 2 or more"))
        names, found = [replace(String(name), "_" => " ") for (name, _) in rows], last.(rows)
        column(key) = Float64[getproperty(row, key) for row in found]
        reach = filter(isfinite, [column(:low); column(:high); column(:parts); column(:samples); 0.0])
        ends = extrema(reach) .+ (-0.03, 0.03) .* (maximum(reach) - minimum(reach))
        bars = (seriestype = :path, x = repeat(1:length(rows); inner = 3) .+ 0.0, z = nothing, error = nothing, label = "limits",
            y = reduce(vcat, [[isfinite(row.low) ? row.low : ends[1], isfinite(row.high) ? row.high : ends[2], NaN] for row in found]))
        parts = (seriestype = :scatter, x = collect(1.0:length(rows)), y = column(:parts), z = nothing, error = column(:parts_sd),
            label = "independent samples")
        fault = [isfinite(row.verdict) && row.verdict != 0 for row in found]
        shown(which, label) = (seriestype = :scatter, x = float.(findall(which)), y = column(:samples)[which], z = nothing, error = nothing,
            label = label)
        samples = [shown(.!fault, "samples"), shown(fault, "samples, beyond the limits")]
        return Picture([bars; parts; filter(series -> !isempty(series.x), samples)],
            (ylabel = "number of the samples, and of parts of the data", xticks = (1:length(rows), names), xrotation = 45, ylims = ends))
    end

    function plotdata(data::Alignment, samples::Alignment; bins::Integer = 100)
        (samples.sites, samples.colors) == (data.sites, data.colors) || throw(DimensionMismatch(
            "samples have $(samples.sites) sites and $(samples.colors) colours, expected $(data.sites) and $(data.colors) as in data"))
        bins >= 2 || throw(ArgumentError("bins is $bins, expected 2 or more"))
        x, y = covariances_above(data), covariances_above(samples)
        places, heights, counts = cells(x, y, bins)
        line = [max(places[1], heights[1]), min(places[end], heights[end])]
        equal = (seriestype = :path, x = line, y = line, z = nothing, error = nothing, label = "equal")
        return Picture([heat_map([n > 0 ? log10(n) : NaN for n in counts], places, heights), equal],
            (xlabel = "C_ij(a, b) of the data", ylabel = "C_ij(a, b) of the samples", colorbar_title = "log10 of pairs of sites and colours"))
    end
end

# C_ij(a, b) of the pairs of sites i < j.
function covariances_above(alignment)
    all = covariances(alignment)
    return reduce(vcat, [vec(view(all, :, :, j, i)) for i in 1:(alignment.sites - 1) for j in (i + 1):alignment.sites])
end

# How many points fall into each of bins x bins cells of equal size: middles along x and y, and counts[y, x].
function cells(x, y, bins)
    ends = map(values -> extrema(values), (x, y))
    ends = map(((low, high),) -> low < high ? (low, high) : (low - 1, high + 1), ends)
    place(value, (low, high)) = min(bins, 1 + floor(Int, (value - low) / (high - low) * bins))
    counts = zeros(Int, bins, bins)
    for (u, v) in zip(x, y)
        counts[place(v, ends[2]), place(u, ends[1])] += 1
    end
    middles = map(((low, high),) -> [low + (k - 0.5) / bins * (high - low) for k in 1:bins], ends)
    return middles[1], middles[2], counts
end

# The first words of the description of a column.
function clause(text)
    parts = strip.(split(text, r"[,;:(]"))
    k = findfirst(part -> length(part) > 2, parts)
    return String(k === nothing ? text : parts[k])
end

with_unit(text, unit) = isempty(unit) || startswith(unit, "atp_") ? text : "$text [$unit]"
const GREEK = Dict(:alpha => "α", :omega => "ω", :theta => "θ")

# One column: a line for each run, or points if it is estimated.
function series_of(kind, table, x, name, told)
    label = name in (CURVES[kind].y..., NAMED...) ? clause(told[name].description) : String(name)
    simulated = kind in SIMULATED
    points = simulated || kind === :selection && haskey(ERROR_COLUMNS, name)
    errors = get(ERROR_COLUMNS, name, Symbol(name, :_sem))
    error = points && haskey(table, errors) ? table[errors] : nothing
    runs = haskey(table, :run) ? table.run : zeros(length(table[x]))
    return NamedTuple[(seriestype = points ? :scatter : :path, x = table[x][runs .== run], y = table[name][runs .== run], z = nothing,
                       error = error, label = run > first(runs) ? "" : label * (simulated ? ", simulated" : "")) for run in unique(runs)]
end

function axes_of(table, drawn, x, named, told)
    usual, first_unit = all(in(drawn.y), named), told[named[1]].unit
    along = x === drawn.x || x in NAMED ? (haskey(GREEK, x) ? GREEK[x] * ": " : "") * clause(told[x].description) : String(x)
    words = length(named) == 1 ? (usual || named[1] in NAMED ? clause(told[named[1]].description) : String(named[1])) :
        usual ? get(GREEK, Symbol(drawn.axis), drawn.axis) : join(named, ", ")
    values = filter(isfinite, table[x])
    logarithmic = x === :l2_couplings || x === :alpha && !isempty(values) && minimum(values) > 0 && maximum(values) >= 10minimum(values)
    return (xlabel = with_unit(along, told[x].unit), ylabel = usual || length(named) == 1 ? with_unit(words, first_unit) : words,
        xscale = logarithmic ? :log10 : :identity)
end

# Where sites are on an axis: their numbers, or places from 1 if the numbers have large gaps.
function site_positions(numbers)
    rising = all(diff(numbers) .> 0)
    return rising && numbers[end] - numbers[1] < 2length(numbers) ? collect(numbers) : collect(1:length(numbers))
end

# Of the program's maps of mutants, from less to more probable: the letters d of cli/report/svg.cpp.
const PROGRAM_COLORS = ["#b35806", "#cc761d", "#e59434", "#f4b566", "#f9dab3", "#ffffff",
    "#b7d3e9", "#6ea6d3", "#3d7db5", "#225690", "#08306b"]

heat_map(z, x, y) = (seriestype = :heatmap, x = x, y = y, z = z, error = nothing, label = "")
limits(z) = (-1, 1) .* mapreduce(abs, max, filter(isfinite, z); init = 0.0)

function site_map(z, numbers, title; attributes...)
    z, positions = convert(Matrix{Float64}, z), site_positions(numbers)
    z = [k == l ? NaN : z[k, l] for k in axes(z, 1), l in axes(z, 2)]
    return Picture([heat_map(z, positions, positions)],
        (xlabel = "site", ylabel = "site", aspect_ratio = :equal, colorbar_title = title, attributes...))
end

function color_ticks(model)
    colors = 0:(model.colors - 1)
    return (collect(colors), isempty(model.alphabet) ? string.(colors) : string.(collect(model.alphabet)))
end

function plotdata_head(model, head, part)
    head in 1:model.heads || throw(BoundsError(model, head))
    if part === :map
        z = permutedims(model.maps[:, :, head])
        return site_map(z, model.site_numbers, "map A of head $head"; clims = limits(z), color = :RdBu)
    end
    part === :values || throw(ArgumentError("part is :$part, expected :map or :values"))
    z, colors = permutedims(model.values[:, :, head]), collect(0:(model.colors - 1))
    return Picture([heat_map(z, colors, colors)],
        (xlabel = "colour", ylabel = "colour", xticks = color_ticks(model), yticks = color_ticks(model), aspect_ratio = :equal,
            colorbar_title = "values V of head $head", clims = limits(z), color = :RdBu))
end

# Predicted pairs by what they are, after the known contacts.
function told_apart(found, distances, cutoff, unit)
    sites = size(distances, 1)
    near(pair) = distances[pair...] < cutoff
    unknown = filter(pair -> isnan(distances[pair...]), found)
    return ["contact, distance < $cutoff $unit" => [(i, j) for i in 1:sites for j in (i + 1):sites if near((i, j))],
        "predicted, contact" => filter(near, found),
        "predicted, no contact" => filter(pair -> !near(pair) && !(pair in unknown), found),
        "predicted, distance not known" => unknown]
end

# Pairs of places in both triangles.
function dots(pairs, positions, label)
    i, j = positions[first.(pairs)], positions[last.(pairs)]
    return (seriestype = :scatter, x = [i; j], y = [j; i], z = nothing, error = nothing, label = label)
end
