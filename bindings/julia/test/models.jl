# SPDX-License-Identifier: MIT
# Models by definition, frequencies, scores.

@tests "energies and conditionals by definition" begin
    rng = MersenneTwister(1)
    q = L = 3
    c = randn(rng, q, q, L, L)
    c = (c + permutedims(c, (2, 1, 4, 3))) / 2
    for i in 1:L
        c[:, :, i, i] .= 0
    end
    b = randn(rng, q, L)
    model = Model(c; fields = b)
    @test couplings(model) == c && model.fields == b && model.heads == 0 && model.has_fields && model.is_symmetric
    states = all_states(L, q)
    byhand = map(eachcol(states)) do s
        -sum(c[s[j] + 1, s[i] + 1, j, i] for i in 1:L, j in 1:L) / 2 - sum(b[s[i] + 1, i] for i in 1:L)
    end
    @test energies(model, states) ≈ byhand atol = 1e-12
    exact = enumerate_states(model; probabilities = true, pairs = true)
    p = exp.(-byhand)
    @test exact.log_z ≈ log(sum(p)) atol = 1e-12
    @test vec(exact.probabilities) ≈ p / sum(p) atol = 1e-14
    @test exact.energy ≈ sum(byhand .* p) / sum(p) atol = 1e-12
    joint = reshape(p / sum(p), q, q, q) # [s_3 + 1, s_2 + 1, s_1 + 1]
    @test exact.marginals[:, 1] ≈ vec(sum(joint, dims = (1, 2)))
    # P(s_1 = a, s_2 = b): pairs[b + 1, a + 1, 2, 1]
    @test exact.pairs[:, :, 2, 1] ≈ dropdims(sum(joint, dims = 1), dims = 1)
    s = states[:, 6]
    expected = joint[s[3] + 1, s[2] + 1, :]
    @test conditionals(model, s)[:, 1, 1] ≈ expected / sum(expected) atol = 1e-13
    @test log_pseudolikelihoods(model, s)[1] ≈ sum(log(conditionals(model, s)[s[i] + 1, i, 1]) for i in 1:L)
    zero_sum = gauge(model, :zero_sum)
    @test zero_sum.fields ≈ Model(couplings(zero_sum); fields = zero_sum.fields).fields
    @test isempty(filter(x -> abs(x) > 1e-12, sum(couplings(gauge(model, "zero-sum")), dims = 1)))
end

@tests "autoregressive models" begin
    rng = MersenneTwister(5)
    order, q, L = [3, 1, 4, 2], 3, 4
    c, b = zeros(q, q, L, L), randn(rng, q, L)
    for k in 2:L, l in 1:k-1
        c[:, :, order[l], order[k]] = randn(rng, q, q)  # C_ij, i = order[k], j = order[l] before it
    end
    model = Model(c; fields = b)
    @test !model.is_ordered
    @test_throws Exception site_order(model)
    @test_throws Exception set_order!(model, [1, 3, 4, 2])
    set_order!(model, order)
    @test model.is_ordered && site_order(model) == order
    states = all_states(L, q)
    logs = map(eachcol(states)) do s
        sum(1:L) do i
            x = b[:, i] + sum(c[s[j] + 1, :, j, i] for j in 1:L)
            x[s[i] + 1] - log(sum(exp.(x)))
        end
    end
    @test sum(exp.(logs)) ≈ 1
    @test energies(model, states) ≈ -logs atol = 1e-12
    @test enumerate_states(model).log_z ≈ 0 atol = 1e-12
    of = Dict(Vector{Int}(s) => x for (s, x) in zip(eachcol(states), logs))
    d = [of[[x, 1, 0, y]] for x in 0:q-1, y in 0:q-1]
    d = d .- sum(d, dims = 1) / q .- sum(d, dims = 2) / q .+ sum(d) / q^2
    @test epistatic_scores(model, [2, 1, 0, 0]; gap = -1)[1, 4] ≈ sqrt(sum(abs2, d))
    set_order!(model, nothing)
    @test !model.is_ordered
end

@tests "asymmetric arrays keep their orientation" begin
    maps, values = [0.0 0.5; -1.5 0.0], [1.0 2.0 3.0; 4.0 5.0 6.0; 7.0 8.0 9.0]
    model = Model(maps, values; fields = zeros(3, 2))
    @test model.maps[:, :, 1] == maps && model.values[:, :, 1] == values && model.heads == 1 && !model.is_symmetric
    c = couplings(model)
    @test all(c[b, a, j, i] == maps[j, i] * values[b, a] for a in 1:3, b in 1:3, i in 1:2, j in 1:2)
    # C_ij(a, b): a at site i is predicted from b at site j
    s = UInt8[2, 1]
    logits = [maps[2, 1] * values[s[2] + 1, a + 1] for a in 0:2]
    @test conditionals(model, s)[:, 1, 1] ≈ exp.(logits) / sum(exp.(logits))
    single = Model(Float32.(c); fields = zeros(Float32, 3, 2))
    @test couplings(single, Float32) == Float32.(c)
    @test eltype(couplings(single)) == Float64
end

@tests "heads and copies" begin
    truth = truth_model()
    again = Model(truth.maps, truth.values)
    @test couplings(again) == couplings(truth)
    @test coupling_error(again, truth) < 1e-28
    @test couplings(copy(truth)) == couplings(truth)
    @test coupling_error(gauge(truth, :colors), truth) < 1e-24
    truth.beta, truth.alphabet = 0.5, "ACDE"
    set_sites!(truth; numbers = 11:16, residues = "ACDEAC")
    @test (truth.beta, truth.alphabet, truth.site_numbers, truth.site_residues) == (0.5, "ACDE", 11:16, "ACDEAC")
    @test_throws DimensionMismatch Model(truth.maps, truth.values[:, 1:2, :])
    @test_throws ArgumentError truth.gamma
    @test_throws ArgumentError truth.sites = 3
    @test :beta in propertynames(truth)
end

@tests "frequencies by plain Julia" begin
    _, data = truth_and_data()
    N, L, q = length(data), data.sites, data.colors
    w = rand(MersenneTwister(2), N)
    data.weights = w
    s = data.sequences
    f = [sum(w .* (s[i, :] .== a)) / sum(w) for a in 0:(q - 1), i in 1:L]
    @test frequencies(data) ≈ f
    @test frequencies(data; pseudocount = 0.5) ≈ 0.5f .+ 0.125
    g = pair_frequencies(data)
    @test g[2 + 1, 1 + 1, 4, 3] ≈ sum(w .* (s[3, :] .== 1) .* (s[4, :] .== 2)) / sum(w)
    @test covariances(data)[3, 2, 4, 3] ≈ g[3, 2, 4, 3] - f[2, 3] * f[3, 4] atol = 1e-14
    @test data.effective_count ≈ sum(w)
    @test independent_loss(data, f) ≈ -sum(w[n] * log(f[s[i, n] + 1, i]) for n in 1:N, i in 1:L) / (L * sum(w))
    @test data.weights == w
end

@tests "no copies" begin
    truth = truth_model()
    out = Matrix{UInt8}(undef, 6, 64)
    first = sample!(out, Sampler(truth; chains = 8, seed = 9); thin = 3, energies = true)
    @test first.sequences === out && first.outcome === :done
    second = sample!(Sampler(truth; chains = 8, seed = 9), 64; thin = 3)
    @test second.sequences == out && second.energies === nothing
    @test first.energies ≈ energies(truth, out) atol = 1e-9
    @test AttoPotts.colors_array(out) === out
    data = Alignment(out; colors = 4)
    # Errors name places as Julia counts them.
    wrong = copy(out)
    wrong[3, 5] = 4
    @test occursin("sequences(3, 5) is 4", error_of(() -> Alignment(wrong; colors = 4))[2])
    view = data.sequences
    @test view == out && view isa AttoPotts.ReadOnlyArray && AttoPotts.colors_array(view) === view.parent
    @test pointer(view) == pointer(data.sequences) != pointer(out)
    @test_throws ArgumentError view[1, 1] = 0
    # Views outlive the handle.
    close(data)
    close(data)
    @test !isopen(data) && sprint(show, data) == "Alignment, closed"
    bytes_in_use()
    @test view == out
    @test_throws ArgumentError("this Alignment is closed") length(data)
    # Other integers and transposes are converted.
    @test energies(truth, Int64.(out)) == energies(truth, out) == energies(truth, permutedims(out)')
    @test energies(truth, out[:, 1]) == energies(truth, out)[1:1]
end

@tests "asymptotics" begin
    if has_feature("lapack")
        c = 0.9 # two spins: the variance of the logit times M is 1 / (p (1 - p))
        p = 1 / (1 + exp(-c))
        couplings = zeros(2, 2, 2, 2)
        couplings[:, :, 1, 2] = couplings[:, :, 2, 1] = [c -c; -c c] / 2
        model = Model(couplings; fields = zeros(2, 2))
        found = asymptotics(model; samples = 50)
        @test found.excess ≈ 4 / (2 * 2 * 50) && found.rank == 3
        errors = coupling_errors(model; samples = 50)
        @test errors[1, 1, 2, 1] ≈ 0.5 / sqrt(50p * (1 - p)) && errors[1, 1, 1, 1] == 0
        states = Alignment(UInt8[0 0 1 1; 0 1 0 1]; colors = 2, weights = 25 * [p, 1 - p, 1 - p, p])
        @test asymptotics(model, states).samples ≈ 50
        scores = score_errors(model, states; l2_couplings = 1e-6, l2_fields = 1e-6)
        @test scores[1, 2, 1] ≈ 2errors[1, 1, 1, 2] rtol = 1e-3
        @test asymptotics_bytes(model, 4) > 0 && score_errors_bytes(model, 4) > 0
    end
end

@tests "methods without training" begin
    sequences = UInt8[0 1 2 0 1 2 0 1; 0 1 2 0 1 2 1 1; 0 0 1 1 2 2 0 1]
    data = Alignment(sequences; colors = 3)
    p = zeros(3, 3)
    foreach(s -> p[s[1] + 1, s[2] + 1] += 1 / 8, eachcol(sequences))
    product = sum(p, dims = 2) * sum(p, dims = 1)
    expected = sum(p[k] * log(p[k] / product[k]) for k in eachindex(p) if p[k] > 0)
    @test mutual_information(data)[1, 2] ≈ expected
    if has_feature("lapack")
        model = mean_field(data; pseudocount = 0.8, precision = 64)
        @test gaussian_scores(data; precision = 64) ≈ frobenius(model) atol = 1e-12
        direct = direct_information(model, frequencies(data; pseudocount = 0.8))
        @test direct ≈ direct' && direct[1, 2] > 0 && gaussian_scores(data; score = :di)[1, 2] > 0
        @test mean_field_bytes(3, 4, 3) < mean_field_bytes(3, 4, 3; precision = 64)
        @test_throws Exception mean_field(data; heads = 2)
    end
end

@tests "scores by plain Julia" begin
    truth = truth_model()
    c = couplings(truth)
    c = (c + permutedims(c, (2, 1, 4, 3))) / 2
    c = c .- sum(c, dims = 1) / 4 .- sum(c, dims = 2) / 4 .+ sum(c, dims = (1, 2)) / 16
    fn = dropdims(sqrt.(sum(abs2, c, dims = (1, 2))), dims = (1, 2))
    @test frobenius(truth) ≈ fn atol = 1e-12
    row = vec(sum(fn, dims = 1)) / 5
    corrected = fn - row * row' / (sum(row) / 6)
    s = apc(fn)
    @test all(isapprox(s[i, j], corrected[i, j]; atol = 1e-12) for i in 1:6, j in 1:6 if i != j)
    pairs = rank_pairs(s)
    values = [s[i, j] for (i, j) in eachcol(pairs)]
    @test size(pairs) == (2, 15) && issorted(values; rev = true) && values[1] == maximum(s - 100I)
    @test all(pairs[1, :] .< pairs[2, :]) && extrema(pairs) == (1, 6)
    @test pairs_overlap(pairs, pairs[2:-1:1, 4:6]) ≈ 3 / 15 && pairs_overlap(pairs[:, 4:6], pairs) == 1
    @test all(rank_pairs(s; separation = 9, border = 1)[1, :] .== 1) && map_like(truth, truth) ≈ truth.beta * truth.maps[:, :, 1]
    best = contacts(truth; count = 2, separation = 1, gap = -1)
    @test (best[1].i, best[1].j) == (pairs[1, 1], pairs[2, 1]) && best[1].apc == values[1]
    # With one alphabet after the other; the program's numbers of the same model.
    model = random_model(30, 4; seed = 3)
    for (alphabet, gap, score) in (("", -1, 1.75548377), ("-ACD", 0, 1.172985382), ("ACDE", -1, 1.75548377))
        isempty(alphabet) || (model.alphabet = alphabet)
        found = contacts(model)
        @test model.gap_color == gap && length(found) == 435 && (found[1].i, found[1].j) == (5, 19)
        @test isapprox(found[1].apc, score; rtol = 1e-8) && found == contacts(model; gap = gap)
    end
    set_sites!(truth; numbers = 101:106)
    @test contacts(truth; count = 1, separation = 1, gap = -1)[1].i == pairs[1, 1] + 100
    distances = fill(10.0, 6, 6)
    i, j = pairs[:, 1]
    distances[i, j] = distances[j, i] = 5
    @test precision_curve(pairs[:, 1:2], distances) ≈ [1, 0.5]
    distances[pairs[1, 2], pairs[2, 2]] = distances[pairs[2, 2], pairs[1, 2]] = NaN
    @test precision_curve(pairs[:, 1:2], distances) == [1]
    @test precision_curve(pairs[:, 1:2], distances; absent = :counted) == [1, 0.5]
    @fails :e_value precision_curve([0 1; 1 2], distances)
    in_folder() do
        write("d.txt", "101 103 4.5\n102 200 1\n")
        d = read_distances("d.txt", 6; numbers = truth.site_numbers)
        @test d.distances[1, 3] == 4.5 && isnan(d.distances[1, 2]) && d.pairs == 2 && d.used == 1
    end
    change = mutants(truth, zeros(UInt8, 6))
    mutant = zeros(UInt8, 6, 2)
    mutant[3, 2] = 2
    @test change.energy[2 + 1, 3] ≈ diff(energies(truth, mutant))[1] atol = 1e-12
    @test change.log_pseudolikelihood[2 + 1, 3] ≈ diff(log_pseudolikelihoods(truth, mutant))[1] atol = 1e-12
    @test mutants(truth, zeros(UInt8, 6); pseudolikelihood = false).log_pseudolikelihood === nothing
    family = Alignment(UInt8[0 1 1; 1 1 2; 2 2 2; 3 3 3; 1 1 0]; alphabet = "-ACD")
    set_columns!(family; columns = [1, 2, 4, 5, 8], total = 9)
    texts = random_model(5, 4; seed = 3)
    texts.alphabet = "-ACD"
    wild = family.sequences[:, 2]
    independent = independent_model(family)
    @test independent.columns == [1, 2, 4, 5, 8] && independent.total_columns == 9
    table = score_mutations(texts, wild, ["A1D", "A2C/C3-"]; independent)
    mutated = hcat(wild, wild, wild)
    mutated[1, 2] = 3
    mutated[2:3, 3] = [2, 0]
    @test table.mutant == ["A1D", "A2C/C3-"] && table.mutations == [1, 2]
    @test table.energy ≈ energies(texts, mutated)[2:3] .- energies(texts, mutated)[1] atol = 1e-12
    @test table.log_pseudolikelihood ≈ log_pseudolikelihoods(texts, mutated)[2:3] .- log_pseudolikelihoods(texts, mutated)[1] atol = 1e-12
    @test table.independent ≈ energies(independent, mutated)[1] .- energies(independent, mutated)[2:3] atol = 1e-12
    @test double_mutants(texts, wild, reshape([2, 3], 2, 1))[1, 3, 1] ≈ table.energy[2] atol = 1e-12
    lowest = best_doubles(texts, wild, 2; gap = -1)
    both = epistasis(texts, wild, lowest)
    alone = mutants(texts, wild; pseudolikelihood = false).energy
    @test both.energy == lowest.energy
    @test both.epistasis[1] ≈ lowest.energy[1] - alone[lowest.color_i[1] + 1, lowest.site_i[1]] - alone[lowest.color_j[1] + 1, lowest.site_j[1]]
    @test count_within_errors([1, 2], [1.5, 3], [0.5, 0.25], 2) == 1
    mutated[:, 2] = wild
    mutated[[lowest.site_i[1], lowest.site_j[1]], 2] = [lowest.color_i[1], lowest.color_j[1]]
    @test lowest.energy[1] ≈ energies(texts, mutated)[2] - energies(texts, mutated)[1] atol = 1e-12
    @fails :e_mismatch score_mutations(texts, wild, ["C1A"])
    all_columns = Alignment(reshape(UInt8[0, 1, 2, 3, 1, 2, 3, 1, 2], 9, 1); alphabet = "-ACD")
    @test for_model(all_columns, independent).sequences == all_columns.sequences[[2, 3, 5, 6, 9], :]
    @test match_columns(all_columns, family).sequences == all_columns.sequences[[2, 3, 5, 6, 9], :]
    agreed = agreement(:spearman, 1:5, [2, 1, 4, 3, 5]; draws = 50)
    @test agreed.value ≈ 0.8 && agreed.low <= agreed.high
    groups = mutants_agreement(1:24, [k <= 12 ? k : -k for k in 1:24], repeat([1, 2], inner = 12); draws = 0)
    @test groups.mutations == repeat([0, 1, 2], inner = 4) && groups.value[[5, 9]] ≈ [1, -1]
    few = Alignment(UInt8[0 0 0; 0 0 2; 1 1 1]; alphabet = "-AC")
    @test few.summary[1:5] ≈ [1, 5 / 9, 1, 2, 2] && few.gap_color == 0
    @test all(isnan, residue_frequencies(few)[:, 1]) && residue_frequencies(few)[:, 2:3] == [0 1; 1 0]
    @test conservation(few)[[1, 3]] == [1, 1] && isnan(conservation(few; gaps = :ignore)[1])
    @test weigh!(report -> true, few) == :cancelled && few.weights == [1, 1, 1]
    parts = compare_parts(Alignment(UInt8[0 0; 0 0; 0 0; 0 0; 0 1]; colors = 2), 3; splits = 2)
    @test parts.mean.sites.pearson ≈ 36 / 46 && abs(parts.deviation.sites.rms) < 1e-12
    # Missing sites enter no sum.
    @test energies(truth, fill(MISSING, 6)) == [0]
end
