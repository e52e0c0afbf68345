# SPDX-License-Identifier: MIT
# Trainers of factored attention, callbacks and errors.

@tests "gradients by differences" begin
    _, data = truth_and_data(100)
    trainer = Trainer(data; precision = 64, fields = true, map = :softmax, l2_couplings = 0.01)
    x = randn(MersenneTwister(3), trainer.parameter_count)
    trainer.parameters = x
    g = gradient(trainer)
    @test g isa Gradient && g.objective > g.loss ≈ loss(trainer, data)
    masked = rand(MersenneTwister(4), 1:6, length(data))
    m = gradient(trainer, masked)
    for k in 1:11:length(x)
        @test difference(() -> gradient(trainer).objective, trainer, x, k) ≈ g.gradient[k] atol = 1e-8
        @test difference(() -> gradient(trainer, masked).objective, trainer, x, k) ≈ m.gradient[k] atol = 1e-8
    end
    # Sites count from 1.
    @fails :e_value gradient(trainer, zeros(Int, length(data)))
    @test gradient(trainer, fill(6, length(data))).loss > 0
end

@tests "training reports and stops" begin
    truth, data = truth_and_data()
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
    @fails :e_stage train!(fixed)
    set_values!(fixed, truth.values)
    @test train!(fixed) === :converged && Model(fixed).values == truth.values
    @test coupling_error(Model(fixed), truth) < 0.1
    ordered, backward = Trainer(data; objective = :autoregressive, family = :dense), reverse(1:data.sites)
    natural = loss(ordered, data)
    train!(ordered)
    @test set_order!(ordered, backward) === ordered && ordered.epochs == 0 && loss(ordered, data) ≈ natural
    @fails :e_value set_order!(ordered, fill(1, data.sites))
    @fails :e_unsupported set_order!(fixed, backward)
    wide = Trainer(data; heads = 1, seed = 7)
    @test start_wide!(wide, 4; iterations = 20) isa Symbol && wide.epochs == 0
    more = Trainer(data; heads = 4, seed = 7, epochs = 20)
    train!(more)
    @test start_from!(Trainer(data; heads = 1, seed = 7), more).parameters == wide.parameters
    chained() = Trainer(data; family = :dense, objective = :likelihood, chains = 32, random_chains = 0, target = 1)
    first_chains = chained()
    train!(first_chains, 3)
    @test chains(start_chains!(chained(), chains(first_chains))).sequences == chains(first_chains).sequences
    @fails :e_unsupported chains(wide)
    @test trainer_bytes(500, 6, 4; heads = 4) > trainer_bytes(500, 6, 4) > 0
    d = Trainer(data; family = :dense)
    @test train!(d) in (:converged, :stalled)
    @test Model(d).heads == 0 && Model(d).has_fields && isempty(d.pairs)
    few = Trainer(data, [5 2 3; 1 3 4]; family = :dense)
    @test few.pairs == [1 2 3; 5 3 4] && few.parameter_count == 6 * 4 + 3 * 16
    @test trainer_bytes(data, few.pairs; family = :dense) > 0
    train!(few)
    listed = Model(few)
    @test listed.pairs == few.pairs && keep_pairs(listed, reshape([3, 2], 2, 1)).pairs == reshape([2, 3], 2, 1)
    @test all(couplings(listed)[:, :, 1, 2] .== 0) && any(couplings(listed)[:, :, 1, 5] .!= 0)
    again = pair_model(6, listed.pairs, listed.pair_couplings; fields = listed.fields)
    @test couplings(again) == couplings(listed)
    potts = pair_model(5, [4 1; 2 2], [2, -1]; color_matrix = [1 0 0; 0 1 0; 0 0 1])
    @test potts.pairs == [1 2; 2 4] && potts.pair_couplings[:, :, 2] == [2 0 0; 0 2 0; 0 0 2]
    ring = lattice_model(; size_x = 4, size_y = 1, color_matrix = :ising, bonds = :antiferromagnet)
    @test ring.pairs == [1 1 2 3; 2 4 3 4] && ring.pair_couplings[:, :, 3] == [-1 1; 1 -1]
    @fails :e_value Trainer(data, reshape([1, 7], 2, 1); family = :dense)
end

@tests "callbacks that throw" begin
    truth, data = truth_and_data()
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

"Wrong calls. Nothing refers to their handles when it returns."
function wrong_calls(truth, data)
    status, text = error_of(() -> Alignment([0 1; 9 1]; colors = 4))
    @test status === :e_alphabet && occursin("ATP_E_ALPHABET", text) && occursin("9", text)
    @fails :e_not_finite Model(fill(NaN, 2, 2, 2, 2))
    @fails :e_symmetry Model(ones(2, 2), ones(2, 2))
    @fails :e_not_finite truth.beta = NaN
    @fails :e_not_finite data.weights = fill(NaN, length(data))
    @fails :e_shape data.weights = [1.0]
    @fails :e_open read_alignment("no-such-file.fasta"; alphabet = "protein")
    @fails :e_open read_model("no-such-file.h5")
    @fails :e_option_range Trainer(data; heads = 0)
    @fails :e_not_finite Trainer(data; rate = NaN)
    @fails :e_unsupported Context(; simd = :mmx)
    @fails :e_option_range limit(1.5, [1.0], 0.0)
    @fails :e_too_large enumerate_states(random_model(40, 10); probabilities = true)
    @fails :e_value random_model(1, 4)
    @fails :e_value sample!(Sampler(truth), 10; thin = 0)
    @fails :e_shape loss(truth, Alignment(zeros(UInt8, 5, 2); colors = 4))
    for wrong in ((head = 2,), (map = :round,), (heads = "two",), (heads = [1, 2],), (seed = big(2)^70,))
        @test_throws ArgumentError Trainer(data; wrong...)
    end
    for sequences in (zeros(3, 3), "ACD", [0 300])
        @test_throws ArgumentError Alignment(sequences)
    end
    @test_throws DimensionMismatch Alignment(UInt8[1, 2])
    @test_throws DimensionMismatch Alignment(zeros(UInt8, 2, 3); weights = [1, 2])
    @test_throws DimensionMismatch energies(truth, zeros(UInt8, 5, 2))
    @test_throws DimensionMismatch sample!(zeros(UInt8, 5, 2), Sampler(truth))
    @test_throws DimensionMismatch independent_loss(data, zeros(6, 4))
    @test_throws ArgumentError Model(fill("x", 2, 2, 2, 2))
    @test data[3:-1:1].sequences == data.sequences[:, 3:-1:1]
    @test_throws BoundsError data[400:501]
    @test_throws ArgumentError read_alignment("a\0b") # a string that C would cut
    text = error_of(() -> Trainer(data; head = 2))[2]
    @test occursin("no option head, expected one of", text) && occursin("heads", text) && !occursin("beta", text)
    # Freed handles.
    sampler, trainer, context = Sampler(truth), Trainer(data), Context(; threads = 1)
    foreach(close, (truth, sampler, trainer, context))
    for use in (() -> Sampler(truth), () -> sweep!(sampler, 1), () -> train!(trainer), () -> Model(trainer),
        () -> context.threads, () -> random_model(4, 3; context = context), () -> request_stop!(sampler),
        () -> save_state(trainer), () -> truth.beta = 1)
        @test_throws ArgumentError use()
    end
end

@tests "penalties are chosen by the data" begin
    truth, data = truth_and_data()
    folds, clusters = select_folds(data; folds = 3, fold_distance = 0)
    @test Set(folds) == Set(0:2) && length(Set(zip(folds, clusters))) == length(Set(clusters))
    path, outcome = select_penalty(data; family = :dense, folds = 3, strengths = 3, fold_distance = 0)
    @test sum(path.chosen) == 1 && all(diff(path.l2_couplings) .< 0) && outcome in (:converged, :max_iter)
    @test path.excess ≈ path.heldout_loss - path.independent_loss atol = 1e-9
    pairs = reduce(hcat, [[i, j] for j in 1:data.sites for i in 1:j-1])
    listed = select_penalty(data; pairs = pairs, folds = 3, strengths = 3, fold_distance = 0)
    @test listed.path.heldout_loss == path.heldout_loss && listed.outcome == :converged
end

@tests "sites count with weights" begin
    truth, data = truth_and_data()
    half, same = weigh_sites(truth, fill(0.5, truth.sites)), gauge(truth, :zero_sum)
    @test couplings(half) ≈ couplings(same) / 2 && half.fields ≈ same.fields / 2
end

@tests "errors are native and have the library's text" begin
    truth, data = truth_and_data()
    before = bytes_in_use()
    wrong_calls(truth, data)
    @test bytes_in_use() <= before
end
