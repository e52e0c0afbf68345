# SPDX-License-Identifier: MIT
# What pictures show, as data and through recipes with a stand-in for RecipesBase.

"What the macros of RecipesBase make of a recipe, as far as the extension needs it."
module RecipesBase
export @recipe, @series

struct RecipeData
    plotattributes::Dict{Symbol,Any}
    args::Tuple
end

function apply_recipe end
tuple_of(x) = x isa Tuple ? x : (x,)

# `key := value` sets an attribute, `key --> value` sets one that is not set.
walk(x) = x
walk(x::Expr) =
    x.head === :(:=) ? :(plotattributes[$(QuoteNode(x.args[1]))] = $(walk(x.args[2]))) :
    x.head === :(-->) ? :(get!(plotattributes, $(QuoteNode(x.args[1])), $(walk(x.args[2])))) :
    Expr(x.head, map(walk, x.args)...)

macro series(block)
    return esc(quote
        let plotattributes = copy(plotattributes)
            push!(series_list, $RecipeData(plotattributes, $tuple_of($(walk(block)))))
            nothing
        end
    end)
end

macro recipe(definition)
    call, body = definition.args
    arguments, keywords = call.args[2:end], []
    Meta.isexpr(arguments[1], :parameters) && (keywords = popfirst!(arguments).args)
    taken = [:($(k.args[1]) = pop!(plotattributes, $(QuoteNode(k.args[1])), $(k.args[2]))) for k in keywords]
    return esc(quote
        function $(GlobalRef(@__MODULE__, :apply_recipe))(plotattributes, $(arguments...))
            series_list = $RecipeData[]
            $(taken...)
            result = $(walk(body))
            result === nothing || push!(series_list, $RecipeData(plotattributes, $tuple_of(result)))
            return series_list
        end
    end)
end
end

# The extension, as Julia 1.9 loads it: `using RecipesBase` is that of the stand-in.
let path = joinpath(@__DIR__, "..", "ext", "AttoPottsRecipesExt.jl"), text = read(path, String)
    @test occursin("using AttoPotts, RecipesBase\n", text)
    include_string(@__MODULE__, replace(text, "using AttoPotts, RecipesBase\n" => "using AttoPotts, ..RecipesBase\n"), path)
end

"The series that Plots would draw: recipes until there are numbers."
function drawn(args...; attributes...)
    found = RecipesBase.apply_recipe(Dict{Symbol,Any}(attributes), args...)
    return reduce(vcat, [any(x -> x isa Union{Number,AbstractArray{<:Number}}, one.args) ? [one] : drawn(one.args...; one.plotattributes...)
                         for one in found])
end

@tests "pictures" begin
    fold = random_model(12, 4; couplings = :contacts, seed = 2)
    set_sites!(fold; numbers = [11:13; 15:23])
    fold.alphabet = "ABCD"

    # Tables: lines, points with errors, and other columns.
    theory = Replica.limit(2.5, [0.5, 1, 2, 5, 10], 0.01)
    picture = plotdata(theory)
    @test theory.kind === :replica_curve && [s.y for s in picture.series] == [theory.eg, theory.et]
    @test picture.attributes == (xlabel = "α: samples per parameter", ylabel = "loss", xscale = :log10)
    @test [s.label for s in picture.series] == ["generalisation loss", "training loss"] && picture.series[1].seriestype === :path
    simulated = simulate(mask_precision(goe_precision(30, 2.5)), [1.0, 2.0], 0.01; realisations = 5)
    points = plotdata(simulated; columns = :eg).series[1]
    @test (points.seriestype, points.x, points.y, points.error) == (:scatter, simulated.alpha, simulated.eg, simulated.eg_sem)
    @test points.label == "generalisation loss, simulated"
    other = plotdata(theory; columns = (:q, :m), across = :eg)
    @test other.attributes == (xlabel = "generalisation loss", ylabel = "q, m", xscale = :identity) && other.series[2].x == theory.eg
    @test error_of(() -> plotdata(theory; columns = :egg))[2] ==
        "ArgumentError: no column :egg, expected one of :$(join(keys(theory.columns), ", :"))"
    runs = D.trajectories([0, 0.1]; runs = 2, dimension = 50, test_samples = 10)
    @test [s.y for s in plotdata(runs; columns = :m).series] == [runs.m[1:2], runs.m[3:4]]
    for (kind, curve) in AttoPotts.CURVES
        @test issubset([curve.x; curve.y...], [column.name for column in table_columns(kind)])
    end
    @test_throws ArgumentError plotdata(:tuning, (beta = [1.0],))
    data = Alignment(sample!(Sampler(fold; chains = 8), 64).sequences; colors = 4)
    weights = scan_weights(data, [0.1, 0.3])
    @test plotdata(:weights, weights).series[1].y == weights.effective
    path = select_penalty(data; strengths = 3, folds = 2).path
    @test plotdata(:selection, path).series[1].error == path.standard_error

    # Maps.
    kept = [fold.site_numbers[k] for k in 1:12]
    (map,) = plotdata(fold; gap = -1).series
    scores = apc(frobenius(fold))
    @test (map.seriestype, map.x, map.y) == (:heatmap, kept, kept) && all(isnan(map.z[k, k]) for k in 1:12)
    @test all(map.z[k, l] == scores[k, l] for k in 1:12, l in 1:12 if k != l)
    head = plotdata(fold; head = 1)
    @test head.series[1].z[1, 2] == fold.maps[2, 1, 1] && head.attributes.clims[2] == maximum(abs, fold.maps)
    values = plotdata(fold; head = 1, part = :values)
    @test values.series[1].z == permutedims(fold.values[:, :, 1]) && values.attributes.xticks == (0:3, ["A", "B", "C", "D"])
    @test_throws BoundsError plotdata(fold; head = 2)
    @test_throws ArgumentError plotdata(fold; head = 1, part = :keys)
    sequence = UInt8[0, 1, 2, 3, 0, MISSING, 2, 3, 0, 1, 2, 3]
    mutated = plotdata(fold, sequence; score = :energy)
    @test mutated.series[1].z == -mutants(fold, sequence).energy && mutated.series[2].x == kept[[1:5; 7:12]]
    @test plotdata(fold, sequence).series[1].z == mutated.series[1].z && mutated.attributes.yflip
    @test plotdata(fold, sequence; score = :log_pseudolikelihood).series[1].z == mutants(fold, sequence).log_pseudolikelihood
    @test mutated.attributes.fillcolor[[1, 6, 11]] == ["#b35806", "#ffffff", "#08306b"]
    @test_throws ArgumentError plotdata(fold, sequence; score = :loss)
    set_sites!(fold; numbers = [1:11; 500])
    @test plotdata(fold).series[1].x == 1:12
    set_sites!(fold; numbers = [11:13; 15:23])

    # Contacts.
    found = contacts(fold; separation = 2, gap = -1)
    place = Dict(number => k for (k, number) in enumerate(kept))
    distances = fill(12.0, 12, 12)
    for (k, d) in zip(1:6, [5, 5, 5, 9, 9, NaN])
        i, j = place[found[k].i], place[found[k].j]
        distances[i, j] = distances[j, i] = d
    end
    sets(k) = Set([(found[n].i, found[n].j) for n in k]) ∪ Set([(found[n].j, found[n].i) for n in k])
    shown = Dict(s.label => Set(zip(s.x, s.y)) for s in plotdata(found; count = 6, distances = distances).series)
    @test shown == Dict("contact, distance < 8 Å" => sets(1:3), "predicted, contact" => sets(1:3), "predicted, no contact" => sets(4:5),
                        "predicted, distance not known" => sets(6))
    @test Set(zip(plotdata(found; count = 2).series[1].x, plotdata(found; count = 2).series[1].y)) == sets(1:2)
    @test_throws DimensionMismatch plotdata(found; distances = zeros(3, 3))
    histogram = hamming_histogram(data.sequences)
    @test plotdata(histogram).series[1].y == histogram.counts / 2016

    # The quality of weak samples: limits, independent samples, and samples on both sides of them.
    at(beta, seed) = Alignment(sample!(Sampler(fold; chains = 400, beta = beta, seed = seed), 400; thin = 200).sequences; colors = 4)
    quality = samples_quality(at(1.0, 1), at(0.3, 2); runs = 4, triples = 100)
    judged = [name => row for (name, row) in pairs(quality.measures) if isfinite(row.low) || isfinite(row.high)]
    limits, parts, good, beyond = plotdata(quality).series
    @test plotdata(quality).attributes.xticks == (1:length(judged), [replace(String(name), "_" => " ") for (name, _) in judged])
    @test parts.y == [row.parts for (_, row) in judged] && parts.error == [row.parts_sd for (_, row) in judged]
    faults = findall(row -> abs(row[2].verdict) == 1, judged)
    @test 0 < length(faults) < length(judged) && beyond.x == faults && beyond.y == [judged[k][2].samples for k in faults]
    @test length(good.x) + length(faults) == length(judged)
    @test [limits.y[3k - 1] for k in faults if isfinite(judged[k][2].high)] == [judged[k][2].high for k in faults if isfinite(judged[k][2].high)]
    without = Base.map(row -> merge(row, (low = NaN, high = NaN)), quality.measures)
    @test_throws ArgumentError plotdata((measures = without, distances = quality.distances))

    # Covariances of samples against those of a family.
    family = Alignment(sample!(Sampler(fold; chains = 8), 200).sequences; colors = fold.colors)
    constant = Alignment(zeros(UInt8, family.sites, 4); colors = fold.colors)
    density, equal = plotdata(family, constant; bins = 11).series
    numbers = [isnan(z) ? 0 : round(Int, exp10(z)) for z in density.z]
    @test sum(numbers) == 66 * fold.colors^2 && all(iszero, numbers[[1:5; 7:11], :]) && density.y[6] == 0
    @test count(!iszero, numbers[6, :]) > 5 && equal.x == equal.y
    same = plotdata(family, family; bins = 20).series[1]
    @test all(isnan(same.z[k, l]) == (k != l || isnan(same.z[k, k])) for k in 1:20, l in 1:20)
    @test_throws DimensionMismatch plotdata(family, Alignment(family.sequences; colors = 20))
    @test_throws ArgumentError plotdata(family, family; bins = 1)

    # The same through recipes.
    @test isequal(drawn(family, constant; cells = 11)[1].args[3], density.z)
    lines = drawn(theory; columns = :eg, xlabel = "mine")
    @test length(lines) == 1 && lines[1].args == (theory.alpha, theory.eg) && lines[1].plotattributes[:xlabel] == "mine"
    @test lines[1].plotattributes[:ylabel] == "generalisation loss" && lines[1].plotattributes[:seriestype] === :path
    @test drawn(simulated; columns = :et)[1].plotattributes[:yerror] == simulated.et_sem
    @test drawn(fold; head = 1)[1].args[1:2] == (kept, kept)
    @test isequal(drawn(fold; head = 1)[1].args[3], head.series[1].z)
    @test drawn(fold, sequence; score = :energy)[1].args[3] == mutated.series[1].z
    @test drawn(found; best = 2)[1].args == (plotdata(found; count = 2).series[1].x, plotdata(found; count = 2).series[1].y)
    @test drawn(plotdata(histogram))[1].plotattributes[:seriestype] === :bar
end
