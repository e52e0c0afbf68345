# SPDX-License-Identifier: MIT
# The Julia package against closed forms, plain Julia and itself in other threads; its errors and interruptions.
using AttoPotts, LinearAlgebra, Random, Test
using AttoPotts.Replica
import Base.CoreLogging

const R = Replica
const D = DotAttention

struct Mine <: Exception end

truth_model() = random_model(6, 4; seed = 3)

function some_data(truth, n = 500)
    sampler = Sampler(truth; chains = 16, seed = 5)
    sweep!(sampler, 50)
    return Alignment(sample!(sampler, n; thin = 2).sequences; colors = 4)
end

"All states of L sites with q colours, L x q^L, the last site the fastest."
all_states(sites, q) = reduce(hcat, [reverse(digits(k; base = q, pad = sites)) for k in 0:(q^sites - 1)])

"What an AttoPottsError says that f throws."
function library_error(f)
    try
        f()
    catch problem
        problem isa AttoPottsError || rethrow()
        return problem.status, sprint(showerror, problem)
    end
    return :nothing, ""
end

"Bytes in use by the default context once what is unreachable is gone."
function bytes_in_use(context = default_context())
    for _ in 1:3
        GC.gc()
    end
    return context.memory.bytes
end

"Handles of every kind, and nothing that refers to them."
function make_and_forget(context)
    for _ in 1:20
        model = random_model(8, 4; context = context)
        sampler = Sampler(model; context = context)
        samples = Alignment(sample!(sampler, 64).sequences; colors = 4, context = context)
        trainer = Trainer(samples; context = context, epochs = 2)
        samples.sequences
        train!(trainer)
        Model(trainer)
        library_error(() -> Trainer(samples; context = context, heads = -1))
    end
end

"Sampling and learning in a context of its own."
function work(truth, seed)
    context = Context(; threads = 1)
    sampler = Sampler(truth; chains = 16, seed = seed, context = context)
    sequences = sample!(sampler, 800; thin = 5).sequences
    trainer = Trainer(Alignment(sequences; colors = 4, context = context); context = context, epochs = 20)
    train!(trainer)
    return sequences, trainer.parameters, Model(trainer).maps
end

# Small problems: one thread is faster, on a busy machine by far. Two threads have a test of their own.
default_context().threads = 1

@testset "AttoPotts" begin

@testset "energies and conditionals by definition" begin
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
    @test gauge(model, :zero_sum).fields ≈ Model(couplings(gauge(model, :zero_sum)); fields = gauge(model,
        :zero_sum).fields).fields
    @test isempty(filter(x -> abs(x) > 1e-12, sum(couplings(gauge(model, "zero-sum")), dims = 1)))
end

@testset "asymmetric arrays keep their orientation" begin
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

@testset "heads and copies" begin
    truth = truth_model()
    again = Model(truth.maps, truth.values)
    @test couplings(again) == couplings(truth)
    @test coupling_error(again, truth) < 1e-28
    @test couplings(copy(truth)) == couplings(truth)
    @test coupling_error(gauge(truth, :colors), truth) < 1e-24
    truth.beta = 0.5
    truth.alphabet = "ACDE"
    set_sites!(truth; numbers = 11:16, residues = "ACDEAC")
    @test truth.beta == 0.5 && truth.alphabet == "ACDE" && truth.site_numbers == 11:16 &&
        truth.site_residues == "ACDEAC"
    @test_throws DimensionMismatch Model(truth.maps, truth.values[:, 1:2, :])
    @test_throws ArgumentError truth.gamma
    @test_throws ArgumentError truth.sites = 3
    @test :beta in propertynames(truth)
end

@testset "frequencies by plain Julia" begin
    data = some_data(truth_model())
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

@testset "no copies" begin
    truth = truth_model()
    out = Matrix{UInt8}(undef, 6, 64)
    first = sample!(out, Sampler(truth; chains = 8, seed = 9); thin = 3, energies = true)
    @test first.sequences === out && first.outcome === :converged
    second = sample!(Sampler(truth; chains = 8, seed = 9), 64; thin = 3)
    @test second.sequences == out && second.energies === nothing
    @test first.energies ≈ energies(truth, out) atol = 1e-9
    @test AttoPotts.colors_array(out) === out
    data = Alignment(out; colors = 4)
    view = data.sequences
    @test view == out && view isa AttoPotts.ReadOnlyArray && AttoPotts.colors_array(view) === view.parent
    @test pointer(view) == pointer(data.sequences) != pointer(out)
    @test_throws ArgumentError view[1, 1] = 0
    # Views outlive the handle.
    close(data)
    close(data)
    @test !isopen(data) && sprint(show, data) == "Alignment, closed"
    for _ in 1:3
        GC.gc()
    end
    @test view == out
    @test_throws ArgumentError("this Alignment is closed") length(data)
    # Other integers and transposes are converted.
    @test energies(truth, Int64.(out)) == energies(truth, out) == energies(truth, permutedims(out)')
    @test energies(truth, out[:, 1]) == energies(truth, out)[1:1]
end

@testset "samples follow the exact marginals" begin
    truth = truth_model()
    sampler = Sampler(truth; chains = 256, seed = 4)
    @test sweep!(sampler, 100) === :converged && sampler.sweeps == 100 && sampler.chains == 256
    samples = Alignment(sample!(sampler, 256 * 40; thin = 5).sequences; colors = 4)
    exact = enumerate_states(truth).marginals
    # Binomial errors, times 2 for what is left of correlation; 5 of them: a false alarm in 1e6.
    @test all(abs.(frequencies(samples) .- exact) .< 10 .* sqrt.(exact .* (1 .- exact) ./ length(samples)) .+ 1e-4)
    @test compare_statistics(samples, samples).pairs.pearson ≈ 1
    @test compare_statistics(samples, samples).covariances.slope ≈ 1
end

@testset "ladders, states, start" begin
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

@testset "states go on with the same numbers" begin
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

@testset "gradients by differences" begin
    data = some_data(truth_model(), 100)
    trainer = Trainer(data; precision = 64, fields = true, map = :softmax, l2_couplings = 0.01)
    x = randn(MersenneTwister(3), trainer.parameter_count)
    trainer.parameters = x
    g = gradient(trainer)
    @test g isa Gradient && g.objective > g.loss ≈ loss(trainer, data)
    masked = rand(MersenneTwister(4), 1:6, length(data))
    m = gradient(trainer, masked)
    for k in 1:11:length(x)
        values = map((1, -1)) do sign
            y = copy(x)
            y[k] += sign * 1e-5
            trainer.parameters = y
            return gradient(trainer).objective, gradient(trainer, masked).objective
        end
        @test (values[1][1] - values[2][1]) / 2e-5 ≈ g.gradient[k] atol = 1e-8
        @test (values[1][2] - values[2][2]) / 2e-5 ≈ m.gradient[k] atol = 1e-8
    end
    # Sites count from 1.
    @test library_error(() -> gradient(trainer, zeros(Int, length(data))))[1] === :e_value
    @test gradient(trainer, fill(6, length(data))).loss > 0
end

@testset "training reports and stops" begin
    truth = truth_model()
    data = some_data(truth)
    trainer = Trainer(data; epochs = 50, tolerance = 1e-12)
    set_truth!(set_test!(trainer, data), truth)
    seen = []
    @test train!(trainer) do report
        push!(seen, report)
        return report[:step] >= 3
    end === :cancelled
    @test length(seen) == 3 && trainer.epochs == 3
    @test all(haskey(seen[1], k) for k in (:train_loss, :test_loss, :optimal_loss, :coupling_error, :gradient_norm))
    @test !haskey(seen[1], :energy)
    @test seen[3][:optimal_loss] ≈ loss(truth, data)
    # Other answers than true do not stop; calls of the library in a report are fine.
    @test train!(report -> (coupling_error(Model(trainer), truth); 1), trainer, 2) !== :cancelled && trainer.epochs == 5
    @test train!(trainer) in (:converged, :max_iter, :stalled)
    set_test!(set_truth!(trainer, nothing), nothing)
    request_stop!(trainer)
    fixed = Trainer(data; colors_fixed = true, heads = 1)
    @test library_error(() -> train!(fixed))[1] === :e_stage
    set_values!(fixed, truth.values)
    @test train!(fixed) === :converged && Model(fixed).values == truth.values
    @test coupling_error(Model(fixed), truth) < 0.1
    wide = Trainer(data; heads = 1, seed = 7)
    @test start_wide!(wide, 4; iterations = 20) isa Symbol && wide.epochs == 0
    more = Trainer(data; heads = 4, seed = 7, epochs = 20)
    train!(more)
    @test start_from!(Trainer(data; heads = 1, seed = 7), more).parameters == wide.parameters
    @test trainer_bytes(500, 6, 4; heads = 4) > trainer_bytes(500, 6, 4) > 0
    d = Trainer(data; family = :dense)
    @test train!(d) in (:converged, :stalled)
    @test Model(d).heads == 0 && Model(d).has_fields
end

@testset "callbacks that throw" begin
    truth = truth_model()
    data = some_data(truth)
    trainer = Trainer(data; epochs = 1000, optimizer = :sgd)
    before = bytes_in_use()
    @test_throws Mine train!(report -> throw(Mine()), trainer)
    @test trainer.epochs == 1 # the state is kept
    train!(trainer, 1)
    @test trainer.epochs == 2
    @test_throws KeyError train!(report -> report[:no_such_number], trainer)
    @test_throws MethodError train!(() -> true, trainer)
    @test_throws InterruptException train!(report -> throw(InterruptException()), trainer)
    @test trainer.epochs == 5
    # Throwing deep below the library, many times; and within a callback of a callback.
    for _ in 1:50
        @test_throws Mine train!(trainer, 1) do report
            sample!(report -> throw(Mine()), Sampler(truth; chains = 2), 100_000_000)
        end
    end
    # Closing a trainer that runs: it lives to the end of the call.
    other = Trainer(data; epochs = 3)
    @test train!(report -> (close(other); GC.gc(); false), other) isa Symbol
    @test !isopen(other)
    @test bytes_in_use() == before
    # Tasks may switch in a report.
    @test train!(report -> (yield(); sleep(0.001); false), Trainer(data; epochs = 3)) isa Symbol
end

@testset "errors are native and have the library's text" begin
    truth = truth_model()
    data = some_data(truth)
    before = bytes_in_use()
    status, text = library_error(() -> Alignment([0 1; 9 1]; colors = 4))
    @test status === :e_alphabet && occursin("ATP_E_ALPHABET", text) && occursin("9", text)
    @test library_error(() -> Model(fill(NaN, 2, 2, 2, 2)))[1] === :e_not_finite
    @test library_error(() -> Model(ones(2, 2), ones(2, 2)))[1] === :e_symmetry
    @test library_error(() -> truth.beta = NaN)[1] === :e_not_finite
    @test library_error(() -> data.weights = fill(NaN, length(data)))[1] === :e_not_finite
    @test library_error(() -> data.weights = [1.0])[1] === :e_shape
    @test library_error(() -> read_alignment("no-such-file.fasta"; alphabet = "protein"))[1] === :e_open
    @test library_error(() -> read_model("no-such-file.h5"))[1] === :e_open
    @test library_error(() -> Trainer(data; heads = 0))[1] === :e_option_range
    @test library_error(() -> Trainer(data; rate = NaN))[1] === :e_not_finite
    @test library_error(() -> Context(; simd = :mmx))[1] === :e_unsupported
    @test library_error(() -> limit(1.5, [1.0], 0.0))[1] === :e_value
    @test library_error(() -> enumerate_states(random_model(40, 10); probabilities = true))[1] === :e_too_large
    @test library_error(() -> random_model(1, 4))[1] === :e_value
    @test library_error(() -> sample!(Sampler(truth), 10; thin = 0))[1] === :e_value
    @test library_error(() -> loss(truth, Alignment(zeros(UInt8, 5, 2); colors = 4)))[1] === :e_shape
    @test_throws ArgumentError Trainer(data; head = 2)
    @test_throws ArgumentError Trainer(data; chains = 2)
    @test_throws ArgumentError Trainer(data; map = :round)
    @test_throws ArgumentError Trainer(data; heads = "two")
    @test_throws ArgumentError Trainer(data; heads = [1, 2])
    @test_throws ArgumentError Trainer(data; seed = big(2)^70)
    @test_throws ArgumentError Alignment(zeros(3, 3))
    @test_throws ArgumentError Alignment("ACD")
    @test_throws ArgumentError Alignment([0 300])
    @test_throws DimensionMismatch Alignment(UInt8[1, 2])
    @test_throws DimensionMismatch Alignment(zeros(UInt8, 2, 3); weights = [1, 2])
    @test_throws DimensionMismatch energies(truth, zeros(UInt8, 5, 2))
    @test_throws DimensionMismatch sample!(zeros(UInt8, 5, 2), Sampler(truth))
    @test_throws DimensionMismatch independent_loss(data, zeros(6, 4))
    @test_throws ArgumentError Model(fill("x", 2, 2, 2, 2))
    @test_throws ArgumentError data[3:-1:1]
    @test_throws BoundsError data[400:501]
    @test_throws ArgumentError read_alignment("a\0b") # a string that C would cut
    text = try
        Trainer(data; head = 2)
    catch problem
        sprint(showerror, problem)
    end
    @test occursin("no option head, expected one of", text) && occursin("heads", text) && !occursin("chains", text)
    # Freed handles.
    sampler, trainer, context = Sampler(truth), Trainer(data), Context(; threads = 1)
    foreach(close, (truth, sampler, trainer, context))
    for use in (() -> Sampler(truth), () -> sweep!(sampler, 1), () -> train!(trainer), () -> Model(trainer),
        () -> context.threads, () -> random_model(4, 3; context = context), () -> request_stop!(sampler),
        () -> save_state(trainer), () -> truth.beta = 1)
        @test_throws ArgumentError use()
    end
    @test bytes_in_use() <= before
end

@testset "files" begin
    data = some_data(truth_model())
    data.alphabet = "ACDE"
    mktempdir() do folder
        path = joinpath(folder, "a.fasta")
        write_alignment(path, data[1:10]; format = :fasta)
        again = read_alignment(path; alphabet = "ACDE")
        @test again.sequences == data.sequences[:, 1:10] && !isempty(again.names[1]) && file_kind(path) === :fasta
        if has_feature("hdf5")
            data.origin = "a test"
            h5 = joinpath(folder, "a.h5")
            write_alignment(h5, data)
            @test read_alignment(h5).sequences == data.sequences && read_alignment(h5).origin == "a test"
            @test file_kind(h5) === :alignment
            write_model(h5, truth_model())
            @test couplings(read_model(h5)) == couplings(truth_model()) && file_kind(h5) === :model
        end
        write(path, ">a\nACD\n>b\nAC\n")
        status, text = library_error(() -> read_alignment(path; alphabet = "ACDE"))
        @test status === :e_format && occursin("a.fasta", text)
        write(path, ">a\nACDX\n>b\nACDE\n")
        lines = []
        context = Context(; log = (level, text) -> push!(lines, (level, text)))
        @test length(read_alignment(path; alphabet = "-ACDE", unknown = :drop, context = context)) == 1
        @test !isempty(lines) && lines[1][1] in (:info, :warning) && occursin("X", join(last.(lines)))
        @test library_error(() -> read_alignment(path; alphabet = "-ACDE", unknown = :error))[1] === :e_alphabet
        # The default is Julia's logging; a log that throws does no harm.
        logger = Test.TestLogger()
        CoreLogging.with_logger(() -> read_alignment(path; alphabet = "-ACDE"), logger)
        @test !isempty(logger.logs)
        broken = Context(; log = (level, text) -> error("broken"))
        CoreLogging.with_logger(Test.TestLogger()) do
            @test length(read_alignment(path; alphabet = "-ACDE", context = broken)) == 2
        end
        # Files of other tools.
        model = gauge(truth_model(), :zero_sum)
        model.alphabet = "ACDE"
        text = joinpath(folder, "model.txt")
        write_model(text, model; format = :adabm)
        @test file_kind(text) === :adabm && couplings(read_model(text; alphabet = "ACDE")) ≈ couplings(model)
        @test library_error(() -> read_model(text))[1] === :e_conflict
        write_model(text, model; format = :plmc, alignment = data)
        @test file_kind(text) === :plmc_model
        @test read_model(text; format = :plmc).fields ≈ model.fields atol = 1e-6
        @test library_error(() -> write_model(text, model; format = :ccmpred))[1] === :e_conflict
        scores = frobenius(model)
        for format in (:ccmpred, :plmc)
            write_scores(text, scores; format = format, numbers = 11:16, residues = "ACDEAC")
            again = read_scores(text)
            @test maximum(abs, again.scores - scores) < 1e-6
            @test again.numbers == (format === :plmc ? (11:16) : (1:6))
            @test again.residues == (format === :plmc ? "ACDEAC" : "")
        end
        @test_throws DimensionMismatch write_scores(text, scores; residues = "AC")
        bytes = rand(MersenneTwister(1), UInt8, 1000)
        write_file(path, bytes)
        @test read_file(path) == bytes == read(path)
    end
end

@testset "parts of alignments" begin
    data = some_data(truth_model())
    @test data[4:7:100].sequences == data.sequences[:, 4:7:100] && length(data[end:end]) == 1
    mktempdir() do folder
        path = joinpath(folder, "a.fasta")
        write(path, ">one\nACDEF-G\n>two/7-12\nAC-EFGG\n>three\nAC-EFGG\n>four\n------G\n")
        x = read_alignment(path; alphabet = "protein")
        @test find_sequence(x, "two") == 2 && x.names[3] == "three"
        @test library_error(() -> find_sequence(x, "five"))[1] === :e_value
        f = focus(x, "two")
        @test f.sites == 6 && f.site_numbers == 7:12 && f.site_residues == "ACEFGG" && length(f) == 4
        kept = filtered(x; max_gaps_sequence = 0.5, remove_duplicates = true)
        @test length(kept.alignment) == 2 && kept.removed == (sequences = 1, columns = 0, duplicates = 1)
        @test weigh!(x; theta = 0.0).weights ≈ [1, 0.5, 0.5, 1]
        @test weigh!(x; theta = 0.3, rule = :strict).weights ≈ [1 / 3, 1 / 3, 1 / 3, 1]
        @test_throws ArgumentError weigh!(x; rule = :loose)
        @test 0 < auto_theta(x) <= 0.5
    end
end

@testset "scores by plain Julia" begin
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
    best = contacts(truth; count = 2, separation = 1, gap = -1)
    @test (best[1].i, best[1].j) == (pairs[1, 1], pairs[2, 1]) && best[1].score == values[1]
    set_sites!(truth; numbers = 101:106)
    @test contacts(truth; count = 1, separation = 1, gap = -1)[1].i == pairs[1, 1] + 100
    distances = fill(10.0, 6, 6)
    i, j = pairs[:, 1]
    distances[i, j] = distances[j, i] = 5
    @test precision_curve(pairs[:, 1:2], distances) ≈ [1, 0.5]
    distances[pairs[1, 2], pairs[2, 2]] = distances[pairs[2, 2], pairs[1, 2]] = NaN
    @test precision_curve(pairs[:, 1:2], distances) == [1] && precision_curve(pairs[:, 1:2],
        distances; absent = :counted) == [1, 0.5]
    @test library_error(() -> precision_curve([0 1; 1 2], distances))[1] === :e_value
    mktempdir() do folder
        path = joinpath(folder, "d.txt")
        write(path, "101 103 4.5\n102 200 1\n")
        d = read_distances(path, 6; numbers = truth.site_numbers)
        @test d.distances[1, 3] == 4.5 && isnan(d.distances[1, 2]) && d.pairs == 2 && d.used == 1
    end
    change = mutants(truth, zeros(UInt8, 6))
    mutant = zeros(UInt8, 6, 2)
    mutant[3, 2] = 2
    @test change.energy[2 + 1, 3] ≈ diff(energies(truth, mutant))[1] atol = 1e-12
    @test change.log_pseudolikelihood[2 + 1, 3] ≈ diff(log_pseudolikelihoods(truth, mutant))[1] atol = 1e-12
    @test mutants(truth, zeros(UInt8, 6); pseudolikelihood = false).log_pseudolikelihood === nothing
    # Missing sites enter no sum.
    @test energies(truth, fill(MISSING, 6)) == [0]
end

@testset "diagnostics" begin
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

@testset "transformers" begin
    truth = truth_model()
    data = some_data(truth)
    N = length(data)
    # The numbers of the C functions, called by hand.
    t = small_encoder(data)
    @test train!(t) === :max_iter && t.epochs == 12
    by_hand = AttoPotts.borrow(default_context(), data) do c, d
        bag, handle = Ref{Ptr{Cvoid}}(C_NULL), Ref{Ptr{Cvoid}}(C_NULL)
        @test AttoPotts.atp_options_create(c, bag) == 0
        for (key, value) in (AttoPotts.ATP_OPT_BLOCKS => 2, AttoPotts.ATP_OPT_WIDTH => 6, AttoPotts.ATP_OPT_BATCH => 50,
                             AttoPotts.ATP_OPT_EPOCHS => 12, AttoPotts.ATP_OPT_PRECISION => 64,
                             AttoPotts.ATP_OPT_SEED => 7)
            @test AttoPotts.atp_options_set_i64(bag[], key, value) == 0
        end
        @test AttoPotts.atp_transformer_create(c, d, bag[], handle) == 0
        @test AttoPotts.atp_transformer_run(handle[], 12, C_NULL, C_NULL, C_NULL) == 0
        place, p, maps = Ref(0.0), zeros(4 * 6 * 3), zeros(6 * 6 * 2)
        @test AttoPotts.atp_transformer_loss(handle[], d, place) == 0
        @test AttoPotts.atp_transformer_conditionals(handle[], data.sequences[:, 1:3], 3, 6, p, length(p)) == 0
        @test AttoPotts.atp_transformer_maps(handle[], d, maps, length(maps)) == 0
        AttoPotts.atp_transformer_destroy(handle[])
        AttoPotts.atp_options_destroy(bag[])
        (place[], p, maps)
    end
    @test by_hand == (loss(t, data), vec(conditionals(t, data.sequences[:, 1:3])), vec(attention_maps(t, data)))

    # By definition.
    s, p = data.sequences, conditionals(t, data.sequences)
    @test size(p) == (4, 6, N) && all(sum(p, dims = 1) .≈ 1)
    losses = [-log(p[s[i, n] + 1, i, n]) for i in 1:6, n in 1:N]
    @test loss(t, data) ≈ sum(losses) / length(losses)
    @test conditionals(t, s[:, 5])[:, :, 1] ≈ p[:, :, 5]
    maps = attention_maps(t, data)
    @test size(maps) == (6, 6, 2) && all(sum(maps, dims = 1) .≈ 1) && t.map_count == 2
    whole = gradient(t)
    @test whole.loss == whole.objective && whole.loss ≈ loss(t, data)
    @test gradient(t, fill(3, N)).loss ≈ sum(losses[3, :]) / N
    @test sum(gradient(t, fill(i, N)).gradient for i in 1:6) / 6 ≈ whole.gradient
    x = t.parameters
    for k in 1:53:length(x)
        sides = map((1e-5, -1e-5)) do step
            y = copy(x)
            y[k] += step
            t.parameters = y
            return loss(t, data)
        end
        @test abs((sides[1] - sides[2]) / 2e-5 - whole.gradient[k]) < 1e-7
    end
    @test t.epochs == 0
    parts = t.parts
    @test parts["tokens"] == 1:30 && parts["block1.qkv"] == 31:138 && haskey(parts, "block2.qkv")
    @test sort!(vcat(collect.(values(parts))...)) == 1:t.parameter_count
    @test transformer_bytes(N, 6, 4; width = 8) > transformer_bytes(N, 6, 4; width = 6) > 0

    # A dial at 0 is a model.
    t = Transformer(data; architecture = :dial, dial = 0, precision = 64, epochs = 20)
    set_test!(t, data)
    set_truth!(t, truth)
    seen = []
    train!(r -> (push!(seen, r); false), t, 5)
    @test length(seen) == 5 && seen[end][:optimal_loss] ≈ loss(truth, data)
    @test issubset((:train_loss, :test_loss, :optimal_loss, :coupling_error, :gradient_norm, :rate), keys(seen[1]))
    model = Model(t)
    @test model.heads == 1 && conditionals(model, s) ≈ conditionals(t, s)
    @test seen[end][:coupling_error] ≈ coupling_error(model, truth)
    @test library_error(() -> Model(Transformer(data; architecture = :dial, dial = 0.5)))[1] === :e_conflict
    @test library_error(() -> Model(small_encoder(data)))[1] === :e_conflict

    # Reports stop, throw and go on; states do, too.
    t, u = small_encoder(data), small_encoder(data)
    @test train!(r -> r[:step] >= 3, t) === :cancelled && t.epochs == 3
    @test_throws Mine train!(r -> throw(Mine()), t)
    @test t.epochs == 4
    load_state!(u, save_state(t))
    train!(t)
    train!(u)
    @test t.parameters == u.parameters && t.epochs == u.epochs == 12
    t.parameters = t.parameters
    request_stop!(t)
    @test train!(t) === :cancelled

    # Wrong uses.
    @test library_error(() -> small_encoder(data; heads = 2))[1] === :e_conflict
    @test library_error(() -> small_encoder(data; width = 0))[1] === :e_option_range
    @test_throws ArgumentError small_encoder(data; architecture = :decoder)
    @test_throws ArgumentError small_encoder(data; depth = 2)
    @test_throws DimensionMismatch conditionals(t, zeros(UInt8, 5, 2))
    @test library_error(() -> conditionals(t, fill(UInt8(4), 6, 2)))[1] === :e_alphabet
    @test library_error(() -> t.parameters = zeros(3))[1] === :e_shape
    @test library_error(() -> gradient(t, fill(7, N)))[1] === :e_value
    @test library_error(() -> gradient(t, [1, 2]))[1] === :e_shape
    other = Alignment(zeros(UInt8, 5, 4); colors = 4)
    for use in (loss, attention_maps, set_test!)
        @test library_error(() -> use(t, other))[1] === :e_shape
    end
    @test library_error(() -> load_state!(small_encoder(data; width = 8), save_state(t)))[1] === :e_mismatch
    @test library_error(() -> train!(t, -1))[1] === :e_value
    close(t)
    for use in (train!, gradient, save_state, x -> x.parts, x -> conditionals(x, s), x -> loss(x, data))
        @test_throws ArgumentError use(t)
    end

    # What it needs lives on, and all is given back.
    context = Context(; threads = 1)
    before = bytes_in_use(context)
    data = Alignment(copy(s); colors = 4, context = context)
    with_data = context.memory.bytes
    t = Transformer(data; context = context, width = 8, epochs = 3)
    @test context.memory.bytes - with_data == transformer_bytes(N, 6, 4; width = 8, epochs = 3)
    set_test!(t, Alignment(s[:, 1:50]; colors = 4, context = context))
    close(data)
    GC.gc()
    seen = []
    train!(r -> (push!(seen, r[:test_loss]); false), t)
    @test length(seen) == 3 && occursin("parameters, after 3 epochs", sprint(show, t))
    close(t)
    @test bytes_in_use(context) == before && sprint(show, t) == "Transformer, closed"
end

@testset "replica" begin
    # lambda = 0, alpha > 1: exactly alpha / (z (alpha - 1))
    curve = limit(2.5, [2.0, 4.0], 0)
    @test curve.eg ≈ [2, 4] ./ (2.5 .* [1, 3]) rtol = 1e-12
    @test curve.outcome === :converged && curve.alpha == [2, 4] && :kappa in propertynames(curve)
    @test collect(keys(curve.columns)) == column_names() && column_number(:eg) == 3 && column_number("none") === nothing
    masked = mask_precision(goe_precision(60, 2.5; seed = 2))
    @test mask_covariance(inv(goe_precision(60, 2.5; seed = 2))).noise ≈ masked.noise
    @test mask_precision(goe_precision(60, 2.5; seed = 2), 60).noise ≈ 1 / 2.5
    x = spectrum(masked)
    @test x.eigenvalues ≈ eigvals(Symmetric(masked.covariance)) rtol = 1e-10
    @test dot(x.eigenvalues, x.projections) ≈ dot(masked.teacher, masked.covariance * masked.teacher) rtol = 1e-10
    one, two = square(x, masked.noise, 2.0, 0.1), square_saddle(x, masked.noise, 2.0, 0.1)
    @test one.eg[1] ≈ two.eg[1] rtol = 1e-9
    simulated = simulate(masked, [2.0], 0.1; realisations = 200)
    @test abs(simulated.eg[1] - one.eg[1]) < 4 * simulated.eg_sem[1] + 0.02 * one.eg[1]
    steps = []
    @test simulate(r -> (push!(steps, r[:step]); true), masked, [1.0, 2.0],
        0.1; realisations = 2).outcome === :cancelled
    @test steps == [2]
    @test simulate_bytes(59, [2.0], 0.1) > 0
    huber = convex(x, 2.0, 0.1; loss = :huber, noise = masked.noise, delta = 1e6)
    @test huber.curve.eg[1] ≈ one.eg[1] rtol = 1e-8
    @test huber.optimum <= huber.curve.eg[1]
    @test_throws DimensionMismatch mask_precision(zeros(2, 3))
    @test library_error(() -> mask_precision(goe_precision(5, 2.5), 6))[1] === :e_value
end

@testset "dot-product attention" begin
    # The C functions called by hand; three tokens, a code of two columns, an A that is not symmetric.
    code, a, alphas = [1.0 0 -1; 0 1 -1], [0.6 0.2 0.3; 0.3 0.5 0.1; 0.1 0.3 0.6], [1.0, 3.0]
    task = (code = code, teacher = a, omega = 0.7, sigma = 0.6, penalty = 0.02)
    common = (code, 2, 6, 1, a, 9, 0.7, 0.6, 0.02, alphas, 2)
    table(curve) = permutedims(hcat(values(curve.columns)...))
    rows = zeros(AttoPotts.ATP_DOTATTN_SIM_COLUMNS, 2)
    @test 0 == AttoPotts.borrow(default_context()) do c
        AttoPotts.atp_dotattn_simulate(c, 30, 3, common..., AttoPotts.ATP_DOTATTN_START_POSITIONAL,
            AttoPotts.ATP_OPTIMIZER_ADAM, 40, 0.0, 0.0, 50, 3, 4, C_NULL, C_NULL, rows, length(rows), C_NULL)
    end
    seen = []
    found = D.simulate(alphas; dimension = 30, task..., start = :positional, optimizer = :adam, steps = 40,
                       tolerance = 0, fresh = 50, runs = 3, seed = 4) do report
        push!(seen, report)
        return false
    end
    @test table(found) == rows && found.outcome === :max_iter && found.alpha == alphas && found.samples == [30, 90]
    @test !isempty(seen) && seen[end][:step] == seen[end][:total]
    rows = zeros(AttoPotts.ATP_DOTATTN_TOKENS_COLUMNS, 2)
    @test 0 == AttoPotts.borrow(default_context()) do c
        AttoPotts.atp_dotattn_tokens(c, 3, common..., AttoPotts.ATP_DOTATTN_START_POSITIONAL, 64, 2, 3, 1e-6, 200,
            C_NULL, C_NULL, rows, length(rows), C_NULL)
    end
    found = D.tokens(alphas; task..., solution = :positional, points = 64, shifts = 2, seed = 3, tolerance = 1e-6,
                     max_iter = 200)
    @test table(found) == rows && all(found.theta .== 0) && all(found.m .> 0)
    skew = [0.7 0.2; 0.3 0.8]
    rows = zeros(AttoPotts.ATP_DOTATTN_COLUMNS, 2)
    @test 0 == AttoPotts.borrow(default_context()) do c
        AttoPotts.atp_dotattn_curve(c, skew, 4, 0.4, 0.6, 0.02, AttoPotts.ATP_DOTATTN_POSITIONAL, alphas, 2, 1e-2,
            10_000, C_NULL, C_NULL, rows, length(rows), C_NULL)
    end
    found = D.curve(alphas; branch = :positional, omega = 0.4, sigma = 0.6, penalty = 0.02, teacher = skew,
                    accuracy = 1e-2)
    @test isequal(table(found), rows) && found.omega == [0.4, 0.4] && all(found.m .> 0)
    rows = zeros(AttoPotts.ATP_DOTATTN_TRANSITION_COLUMNS, 1)
    @test 0 == AttoPotts.borrow(default_context()) do c
        AttoPotts.atp_dotattn_transition(c, D.TEACHER, 4, 0.5, 0.01, [0.3], 1, 1e-2, 10, C_NULL, C_NULL, rows,
            length(rows), C_NULL)
    end
    # A few iterations of many.
    found = D.transition(0.3; accuracy = 1e-2, max_iter = 10)
    @test isequal(table(found), rows) && occursin("Curve of 1 rows, max_iter", sprint(show, found))

    # The linear map and its loss; quadrature, lattices and simulation.
    theory, lattice = D.curve(alphas; accuracy = 1e-2), D.tokens(alphas; points = 256, shifts = 4)
    flat = D.linear(omega = 1, teacher = skew)
    @test flat.map ≈ skew && abs(flat.loss) < 1e-12
    @test D.linear().loss ≈ theory.eg_linear[1] rtol = 1e-6
    @test found.eg_linear[1] ≈ theory.eg_linear[1] rtol = 1e-6
    simulated = D.simulate(alphas; dimension = 200, runs = 6)
    for (name, sem) in (:q => :q_sem, :theta => :theta_sem)
        x, y, z = getproperty.((theory, lattice, simulated), name)
        @test all(abs.(x - y) .< 6 * getproperty(lattice, sem) + 0.02 * x)
        # What 200 dimensions are short of infinitely many.
        @test all(abs.(x - z) .< 5 * getproperty(simulated, sem) + 0.05 * x)
    end

    for (name, found) in (:curve => theory, :tokens => lattice, :simulate => simulated)
        @test D.column_names(name) == collect(keys(found.columns))
        @test D.column_number(name, :eg) == findfirst(==(:eg), D.column_names(name))
        @test D.column_number(name, "none") === nothing
    end
    @test D.column_number(:transition, "alpha_c") == 2 && D.column_number(:transition, :none) === nothing
    @test_throws ArgumentError D.column_names(:none)
    @test D.curve_bytes(10) > D.curve_bytes(0) > 0 && D.tokens_bytes(2) > 0
    @test D.simulate_bytes(alphas; dimension = 60) > D.simulate_bytes(alphas; dimension = 30) > 0

    # Stopped, failing, wrong.
    @test D.simulate(r -> true, 1.0; dimension = 100, runs = 4).outcome === :cancelled
    @test D.curve(r -> true, alphas; accuracy = 1).outcome === :cancelled
    @test_throws Mine D.simulate(r -> throw(Mine()), 1.0; dimension = 100, runs = 2)
    @test_throws Mine D.transition(r -> throw(Mine()), 0.3; max_iter = 10)
    @test_throws DimensionMismatch D.tokens(1.0; code = [1, 0, -1])
    @test_throws DimensionMismatch D.curve(1.0; teacher = zeros(3, 3))
    @test_throws DimensionMismatch D.simulate(1.0; code = zeros(1, 2, 2))
    @test_throws ArgumentError D.simulate(1.0; start = :cold)
    @test_throws ArgumentError D.curve(1.0; branch = :both)
    @test library_error(() -> D.simulate(1.0; omega = 2))[1] === :e_value
    @test library_error(() -> D.tokens(1.0; points = 100))[1] === :e_value
    @test library_error(() -> D.linear(sigma = 0))[1] === :e_value
    @test library_error(() -> D.curve(NaN))[1] === :e_not_finite
end

@testset "two threads give the numbers of one" begin
    Threads.nthreads() >= 2 || @warn "Julia has one thread: set JULIA_NUM_THREADS=2"
    truth = truth_model()
    for _ in 1:5
        alone = [work(truth, seed) for seed in 1:4]
        together = Vector{Any}(undef, 4)
        places = zeros(Int, 4)
        Threads.@threads for k in 1:4
            places[k] = Threads.threadid()
            together[k] = work(truth, k)
        end
        @test alone == together
        @test length(unique(places)) == min(Threads.nthreads(), 4)
        GC.gc()
    end
    # Finalizers of one thread while another works in the same context: handles wait for the end of its call.
    context = Context(; threads = 1)
    before = bytes_in_use(context)
    big = Sampler(truth; chains = 64, context = context)
    for _ in 1:20
        random_model(6, 4; context = context)
    end
    worker = Threads.@spawn sweep!(big, 20_000)
    for _ in 1:20
        GC.gc()
        sleep(0.002)
    end
    @test fetch(worker) === :converged
    close(big)
    big = nothing
    @test bytes_in_use(context) == before
    # A stop from another thread.
    sampler = Sampler(truth; chains = 64, context = context)
    stopper = Threads.@spawn begin
        sleep(0.3)
        request_stop!(sampler)
    end
    @test sweep!(report -> (yield(); false), sampler, 10^9) === :cancelled
    wait(stopper)
end

@testset "two threads of the library within Julia" begin
    truth = truth_model()
    numbers = map((1, 2)) do threads
        context = Context(; threads = threads)
        has_feature("openmp") && @test context.threads == threads
        sampler = Sampler(truth; chains = 64, context = context)
        data = Alignment(sample!(sampler, 640; thin = 3).sequences; colors = 4, context = context)
        trainer = Trainer(data; context = context)
        train!(trainer)
        return loss(Model(trainer), data; context = context)
    end
    @test numbers[1] == numbers[2]
end

@testset "a memory limit" begin
    context = Context(; threads = 1)
    @test context.memory_limit == 0 && context.memory_available > 0
    context.memory_limit = 10_000
    @test context.memory_limit == 10_000 && context.memory_available == 10_000
    @test_throws AttoPottsError random_model(100, 4; context = context)
    context.memory_limit = 0
    @test random_model(100, 4; context = context) isa Model
end

@testset "memory is given back" begin
    context = Context(; threads = 1)
    before = bytes_in_use(context)
    make_and_forget(context)
    @test context.memory.bytes > before
    @test bytes_in_use(context) == before
    # By close, at once and in any order.
    model = random_model(8, 4; context = context)
    sampler = Sampler(model; context = context)
    data = Alignment(sample!(sampler, 64).sequences; colors = 4, context = context)
    trainer = Trainer(data; context = context, epochs = 5)
    close(data)
    @test train!(trainer) isa Symbol # it keeps its data
    foreach(close, (model, sampler, trainer))
    @test context.memory.bytes == before
    model = random_model(5, 3; context = context)
    close(context)
    @test energies(model, zeros(UInt8, 5)) isa Vector{Float64}
end

@testset "interruption keeps the state" begin
    code = raw"""
        using AttoPotts
        Base.exit_on_sigint(false)
        default_context().threads = 1
        sampler = Sampler(random_model(64, 20; seed = 1); chains = 64)
        sweep!(sampler, 1)
        try
            print("ready\n")
            flush(stdout)
            sweep!(sampler, 10^9)
        catch problem
            println(problem isa InterruptException, " ", 1 < sampler.sweeps < 10^9, " ", sweep!(sampler, 5))
        end
        data = Alignment(sample!(sampler, 2000).sequences; colors = 20)
        trainer = Trainer(data; heads = 8, tolerance = 0, epochs = 100000)
        train!(trainer, 1)
        try
            print("ready\n")
            flush(stdout)
            train!(report -> false, trainer)
        catch problem
            before = trainer.epochs
            train!(trainer, 1)
            println(problem isa InterruptException, " ", trainer.epochs == before + 1)
        end
        """
    process = open(`$(Base.julia_cmd()) --startup-file=no -e $code`, "r+")
    lines = String[]
    @test begin
        for _ in 1:2
            push!(lines, readline(process))
            sleep(0.7)
            kill(process, Base.SIGINT)
            push!(lines, readline(process))
        end
        lines == ["ready", "true true converged", "ready", "true true"]
    end
    lines == ["ready", "true true converged", "ready", "true true"] || println(lines)
    wait(process)
    @test process.exitcode == 0
end

@testset "the library is found at load time" begin
    code = "using AttoPotts; print(library_path())"
    run_with(environment...) = begin
        output = IOBuffer()
        command = `$(Base.julia_cmd()) --startup-file=no -e $code`
        done = run(pipeline(ignorestatus(addenv_of(command, environment...)), stdout = output, stderr = output))
        return success(done), String(take!(output))
    end
    addenv_of(command, environment...) =
        setenv(command, merge(Dict{String,String}(ENV), Dict{String,String}(environment...)))
    mktempdir() do folder
        # Another place than the one that the package was precompiled with.
        copied = joinpath(folder, "another-name.so")
        cp(library_path(), copied; follow_symlinks = true)
        @test run_with("ATTOPOTTS_LIBRARY" => copied) == (true, copied)
        good, text = run_with("ATTOPOTTS_LIBRARY" => joinpath(folder, "none.so"))
        @test !good && occursin("the attopotts library was not found", text) && occursin("none.so", text)
        good, text = run_with("ATTOPOTTS_LIBRARY" => "", "PKG_CONFIG_PATH" => folder, "PKG_CONFIG_LIBDIR" => folder,
                              "LD_LIBRARY_PATH" => folder)
        @test good == occursin("libattopotts", text) || (!good && occursin("pkg-config knows no attopotts", text))
        # A library that is not ours.
        good, text = run_with("ATTOPOTTS_LIBRARY" => "libm.so.6")
        @test !good && occursin("does not have every function", text)
    end
end

@testset "docstrings, words and options" begin
    for name in (:DotAttention, :curve, :transition, :linear, :tokens, :simulate, :curve_bytes, :tokens_bytes,
                 :simulate_bytes, :column_names, :column_number)
        @test haskey(Docs.meta(D), Docs.Binding(name === :DotAttention ? AttoPotts : D, name)) || name === :DotAttention
    end
    for m in (AttoPotts, Replica), name in names(m)
        @test haskey(Docs.meta(m), Docs.Binding(m, name)) || name in (:AttoPotts, :DotAttention, :Replica)
    end
    @test length(option_list()) == length(AttoPotts.WORDS[:option])
    @test all(option.name in first.(AttoPotts.WORDS[:option]) for option in option_list())
    map_option = first(filter(option -> option.name === :map, option_list()))
    @test map_option.words == [:free, :softmax, :lowrank] && map_option.integer && map_option.default == 1
    @test all(AttoPotts.status_word(value) === word for (word, value) in AttoPotts.WORDS[:status])
    @test library_version() >= v"0.1" && isfile(library_path())
    @test !isempty(simd_targets()) && !isempty(blas_description())
    @test Context(; simd = :scalar, threads = 1).simd === :scalar
    truth = truth_model()
    data = some_data(truth)
    shown = (truth => "Model of 6 sites, 4 colours, 1 head, beta = 1.0", data => "500 sequences, 6 sites",
        Sampler(truth; temperatures = 2) => "16 chains at 2 temperatures", Trainer(data) => "parameters, after 0",
        default_context() => "Context(threads = ", sample!(Sampler(truth), 2) => "2 sequences of 6 sites",
        limit(2.5, [2.0], 0.1) => "Curve of 1 rows", gradient(Trainer(data)) => "Gradient of",
        spectrum(mask_precision(goe_precision(5, 4.0))) => "Spectrum of 4", Context() => "simd = :")
    for (object, text) in shown
        @test occursin(text, sprint(show, object))
    end
end

end
