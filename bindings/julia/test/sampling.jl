# SPDX-License-Identifier: MIT
# Samplers and diagnostics.

@tests "samples follow the exact marginals" begin
    truth = truth_model()
    sampler = Sampler(truth; chains = 256, seed = 4)
    @test sweep!(sampler, 100) === :done && sampler.sweeps == 100 && sampler.chains == 256
    samples = Alignment(sample!(sampler, 256 * 40; thin = 5).sequences; colors = 4)
    exact = enumerate_states(truth).marginals
    # Binomial errors, times 2 for what is left of correlation; 5 of them: a false alarm in 1e6.
    @test all(abs.(frequencies(samples) .- exact) .< 10 .* sqrt.(exact .* (1 .- exact) ./ length(samples)) .+ 1e-4)
    @test compare_statistics(samples, samples).pairs.pearson ≈ 1
    @test compare_statistics(samples, samples).covariances.slope ≈ 1
    quality = samples_quality(samples, samples; runs = 3, triples = 100)
    @test length(quality.measures) == 32 && quality.measures.copies.samples == 1 && quality.measures.triples_slope.samples ≈ 1
    @test quality.measures.pairs_pearson.samples == compare_statistics(samples, samples).pairs.pearson
    @test sum(quality.distances.pairs_data) ≈ 1
    components = principal_components(samples, samples; components = 3)
    @test components.data == components.samples && size(components.data) == (3, samples.count)
    @test size(principal_components(samples).samples) == (2, 0)
end

@tests "equilibrium samples by one call" begin
    truth = random_model(6, 3; seed = 3)
    # The quick tests are interpreted: fewer sequences of each of 64 ladders.
    per_ladder = haskey(ENV, "ATP_TEST_QUICK") ? 16 : 64
    x = sample_equilibrium(truth, 64per_ladder; seed = 7)
    @test x isa Sampled && x.outcome === :converged && x.difference == "" && x.numbers.rhat < 1.05
    s, exact = x.alignment.sequences, enumerate_states(truth)
    seen = vcat(reshape([s[i, n] == a for a in 0:2, i in 1:6, n in 1:64per_ladder], 18, :), energies(truth, s)')
    # Sequence m is of ladder m mod 64: errors are from the scatter of ladders.
    ladders = dropdims(sum(reshape(seen, 19, 64, per_ladder); dims = 3); dims = 3) ./ per_ladder
    means = vec(sum(ladders; dims = 2)) ./ 64
    errors = sqrt.(vec(sum(abs2, ladders .- means; dims = 2)) ./ 63) ./ 8
    # 5 errors of Student's t with 63 degrees of freedom, 19 numbers: a false alarm in 1e4.
    @test all(abs.(means .- [vec(exact.marginals); exact.energy]) .< 5 .* errors) && all(errors .< 0.2)
    @test sample_equilibrium(truth, 64per_ladder; seed = 7, context = Context(; threads = 1)).alignment.sequences == s
    # Runs that go on, warn, are refused.
    a, b = (Sampling(truth, 100; chains = 8, seed = 2) for _ in 1:2)
    @test sample!(report -> a.stage === :burn_in, a).outcome === :cancelled && a.stage === :burn_in
    load_state!(b, save_state(a))
    expected = sample_equilibrium(truth, 100; chains = 8, seed = 2).alignment.sequences
    @test sample!(a).alignment.sequences == sample!(b).alignment.sequences == expected && a.stage === :done
    @test sample_equilibrium(truth, 50; protocol = :chain, thin = 5).outcome === :done
    glass = random_model(20, 20; seed = 1)
    x = @test_logs (:warn, r"not equilibrated: .*two runs differ") sample_equilibrium(glass, 64; chains = 16, beta = 5,
        burn_in = 64, thin = 1, temperatures = 2, beta_hot = 4.5)
    @test x.outcome === :max_iter && occursin("two runs differ", x.difference)
    @test occursin("chains is 2, must be at least 4", error_of(() -> sample_equilibrium(truth, 10; chains = 2))[2])
    @test_throws ArgumentError sample_equilibrium(truth, 10; protocol = :warm)
end

@tests "ladders, states, start" begin
    truth = truth_model()
    sampler = Sampler(truth; chains = 4, temperatures = 3, beta = 1.5, beta_hot = 0.3)
    @test sampler.betas[end] == 1.5 && length(sampler.betas) == 3 && issorted(sampler.betas)
    sampler.betas = [0.1, 0.5, 1.0]
    @test sampler.betas == [0.1, 0.5, 1.0]
    sweep!(sampler, 20)
    @test length(sampler.swap_rates) == 2 && all(0 .<= sampler.swap_rates .<= 1)
    @test energies(sampler) == energies(sampler; rung = 3)
    @test energies(truth, states(sampler)) ≈ energies(sampler) atol = 1e-9
    @test energies(truth, states(sampler; rung = 1)) ≈ energies(sampler; rung = 1) atol = 1e-9
    @fails :e_value states(sampler; rung = 0)
    @test occursin("rung is 0, must be in 1..", error_of(() -> states(sampler; rung = 0))[2])
    seed = UInt8[0 1; 1 2; 2 3; 3 0; 0 1; 1 2]
    start!(sampler, seed)
    @test sampler.sweeps == 0 && states(sampler)[:, 2] == seed[:, 2] && states(sampler)[:, 3] == seed[:, 1]
    @test start!(sampler).sweeps == 0
    allowed = ones(UInt8, truth.colors, truth.sites)
    allowed[[1; 3:end], 1] .= 0
    sweep!(restrict!(sampler, allowed), 3)
    @test all(states(sampler)[1, :] .== 1) && length(unique(states(sampler)[2, :])) > 1
    walks = Sampling(truth, 300; protocol = :chain, chains = 30, thin = 1, burn_in = 0, max_mutations = 2)
    start!(walks, zeros(UInt8, truth.sites, 1))
    walked = sample!(walks).alignment.sequences
    @test trajectory(walks).mutations == vec(sum(walked .!= 0; dims = 1))
    @test forgetting(walks, walked).overlap[1] ≈ sum(walked[:, 1:30] .== 0) / (30 * truth.sites)
    @test sampler_bytes(truth; chains = 64) > sampler_bytes(truth; chains = 4) > 0
    x = tune_beta(truth, 0.6; chains = 64, seed = 2)
    @test x isa Tuned && x.outcome === :converged && 0 < x.beta && 0 < x.beta_error < x.beta && x.hamming ≈ 0.6
    exact = estimate_log_z(truth; method = :exact)
    found = estimate_log_z(truth; method = :ladder, sweeps = 512)
    @test exact isa Partition && exact.method === :exact && exact.log_z_error == 0
    data = Alignment(walked; colors = truth.colors)
    mean, error = mean_log_p(truth, data; log_z = exact.log_z, log_z_error = 0.5)
    log_p, w = -truth.beta .* energies(truth, data.sequences) .- exact.log_z, data.weights ./ sum(data.weights)
    @test mean ≈ sum(w .* log_p) / truth.sites
    @test error ≈ sqrt(sum(w .* (log_p .- sum(w .* log_p)) .^ 2) * sum(w .^ 2) + 0.25) / truth.sites
    @test found.method === :ladder && abs(found.log_z - exact.log_z) < 5 * found.log_z_error
end

@tests "states go on with the same numbers" begin
    truth, data = truth_and_data()
    a, b = (Sampler(truth; seed = 2) for _ in 1:2)
    sweep!(a, 10)
    load_state!(b, save_state(a))
    @test sample!(a, 20).sequences == sample!(b, 20).sequences
    in_folder() do
        t, u = (Trainer(data; epochs = 30, l2_couplings = 1e-3) for _ in 1:2)
        train!(t, 10)
        save_state("state", t)
        @test file_kind("state") === :state
        load_state!(u, "state")
        @test train!(t) === train!(u)
        @test t.parameters == u.parameters
        damaged = save_state(t)
        damaged[end ÷ 2] ⊻= 0x01
        @fails :e_checksum load_state!(u, damaged)
        @fails :e_format load_state!(u, damaged[1:20])
    end
end

@tests "diagnostics" begin
    x = randn(MersenneTwister(1), 4000)
    tau = autocorrelation_time(x)
    @test abs(tau.tau - 0.5) < 5 * tau.error < 0.5
    # Chains are columns.
    y = randn(MersenneTwister(2), 1000, 2)
    @test split_rhat(y) < 1.05 < split_rhat(y .+ [0 1])
    z = randn(MersenneTwister(4), 500, 4)
    @test chain_mixing(z).outcome === :converged && chain_mixing(z).rhat <= chain_mixing(z).rhat_limit
    z[:, 2] .= 0  # stuck in the middle of the others
    @test split_rhat(z) < 1.01 && chain_mixing(z).outcome === :max_iter
    small, betas = random_model(5, 3; seed = 2), [0, 0.4, 0.8, 1.2]
    rungs = Sampler(small; chains = 16, temperatures = 4)
    rungs.betas = betas
    sweep!(rungs, 100)
    pattern = UInt8[0, 1, 2, 1, 0]
    measured, exact = measure!(rungs, 400; thin = 2, reference = pattern), enumerate_rungs(small, betas; reference = pattern)
    # 4.5 standard errors of 12 numbers: false alarm 8e-5; the seed is fixed.
    @test all(abs.(measured.rungs.energy .- exact.energy) .<= 4.5 .* measured.rungs.energy_error)
    @test all(abs.(measured.rungs.log_z .- exact.log_z) .<= 4.5 .* measured.rungs.log_z_error .+ 1e-9)
    @test all(abs.(measured.rungs.reference .- exact.reference) .<= 4.5 .* measured.rungs.reference_error)
    @test sum(measured.overlaps.density .* measured.overlaps.width) ≈ 4
    # Two chains that take turns: each in a state of its own, or both anywhere.
    stuck = UInt8[(n + k) % 2 for k in 1:6, n in 1:40]
    mixed = rand(MersenneTwister(3), UInt8(0):UInt8(3), 6, 4000)
    @test overlap_rhat(stuck, 2) == Inf && overlap_rhat(mixed, 2) < 1.05
    h = hamming_histogram(UInt8[0 0 1; 1 1 0])
    @test h.counts == [1, 0, 2] && h.mean ≈ 2 / 3
end
