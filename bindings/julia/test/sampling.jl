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
    @test library_error(() -> states(sampler; rung = 0))[1] === :e_value
    seed = UInt8[0 1; 1 2; 2 3; 3 0; 0 1; 1 2]
    start!(sampler, seed)
    @test sampler.sweeps == 0 && states(sampler)[:, 2] == seed[:, 2] && states(sampler)[:, 3] == seed[:, 1]
    @test start!(sampler).sweeps == 0
    @test sampler_bytes(truth; chains = 64) > sampler_bytes(truth; chains = 4) > 0
    x = tune_beta(truth, 0.6; chains = 8, seed = 2)
    @test x isa Tuned && x.outcome === :converged && 0 < x.beta && 0 < x.beta_error < x.beta && x.hamming ≈ 0.6
end

@tests "states go on with the same numbers" begin
    truth = truth_model()
    data = some_data(truth)
    a, b = Sampler(truth; seed = 2), Sampler(truth; seed = 2)
    sweep!(a, 10)
    load_state!(b, save_state(a))
    @test sample!(a, 20).sequences == sample!(b, 20).sequences
    mktempdir() do folder
        t, u = Trainer(data; epochs = 30, l2_couplings = 1e-3), Trainer(data; epochs = 30, l2_couplings = 1e-3)
        train!(t, 10)
        path = joinpath(folder, "state")
        save_state(path, t)
        @test file_kind(path) === :state
        load_state!(u, path)
        @test train!(t) === train!(u)
        @test t.parameters == u.parameters
        damaged = save_state(t)
        damaged[end ÷ 2] ⊻= 0x01
        @test library_error(() -> load_state!(u, damaged))[1] === :e_checksum
        @test library_error(() -> load_state!(u, damaged[1:20]))[1] === :e_format
    end
end

@tests "diagnostics" begin
    x = randn(MersenneTwister(1), 4000)
    tau = autocorrelation_time(x)
    @test abs(tau.tau - 0.5) < 5 * tau.error < 0.5
    # Chains are columns.
    y = randn(MersenneTwister(2), 1000, 2)
    @test split_rhat(y) < 1.05 < split_rhat(y .+ [0 1])
    h = hamming_histogram(UInt8[0 0 1; 1 1 0])
    @test h.counts == [1, 0, 2] && h.mean ≈ 2 / 3
end

small_encoder(data; options...) = Transformer(data; blocks = 2, width = 6, batch = 50, epochs = 12, precision = 64,
    seed = 7, options...)
