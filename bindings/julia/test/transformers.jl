# SPDX-License-Identifier: MIT
# Transformers.

@tests "transformers" begin
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
