# SPDX-License-Identifier: MIT
# Networks: encoders and dials.

const ENCODER = (blocks = 2, width = 6, batch = 50, epochs = 12, precision = 64, seed = 7)
small_encoder(data; options...) = Trainer(data; family = :encoder, ENCODER..., options...)

@tests "networks" begin
    truth, data = truth_and_data()
    N = length(data)
    # The numbers of the C functions, called by hand.
    t = small_encoder(data)
    @test train!(t) === :max_iter && t.epochs == 12
    by_hand = AttoPotts.borrow(default_context(), data) do c, d
        bag, handle = Ref{Ptr{Cvoid}}(C_NULL), Ref{Ptr{Cvoid}}(C_NULL)
        @test AttoPotts.atp_options_create(c, AttoPotts.ATP_OWNER_TRAINER, bag) == 0
        for (name, value) in pairs(ENCODER)
            key = getproperty(AttoPotts, Symbol("ATP_OPT_", uppercase(string(name))))
            @test AttoPotts.atp_options_set_i64(bag[], key, value) == 0
        end
        @test AttoPotts.atp_options_set_i64(bag[], AttoPotts.ATP_OPT_FAMILY, AttoPotts.ATP_FAMILY_ENCODER) == 0
        @test AttoPotts.atp_trainer_create(c, d, bag[], handle) == 0
        @test AttoPotts.atp_trainer_run(handle[], 12, C_NULL, C_NULL, C_NULL) == 0
        place, p, maps = Ref(0.0), zeros(4 * 6 * 3), zeros(6 * 6 * 2)
        @test AttoPotts.atp_trainer_loss(handle[], d, place) == 0
        @test AttoPotts.atp_trainer_conditionals(handle[], data.sequences[:, 1:3], 3, 6, p, length(p)) == 0
        @test AttoPotts.atp_trainer_maps(handle[], d, maps, length(maps)) == 0
        AttoPotts.atp_trainer_destroy(handle[])
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
        @test abs(difference(() -> loss(t, data), t, x, k) - whole.gradient[k]) < 1e-7
    end
    @test t.epochs == 0
    parts = t.parts
    @test parts["tokens"] == 1:30 && parts["block1.qkv"] == 31:138 && haskey(parts, "block2.qkv")
    @test sort!(vcat(collect.(values(parts))...)) == 1:t.parameter_count
    @test trainer_bytes(N, 6, 4; family = :encoder, width = 8) > trainer_bytes(N, 6, 4; family = :encoder, width = 6) > 0

    # A dial at 0 is a model.
    t = Trainer(data; family = :dial, dial = 0, precision = 64, epochs = 20)
    set_test!(t, data)
    set_truth!(t, truth)
    seen = []
    train!(r -> (push!(seen, r); false), t, 5)
    @test length(seen) == 5 && seen[end][:optimal_loss] ≈ loss(truth, data)
    @test issubset((:train_loss, :test_loss, :optimal_loss, :coupling_error, :gradient_norm, :rate), keys(seen[1]))
    model = Model(t)
    @test model.heads == 1 && conditionals(model, s) ≈ conditionals(t, s)
    @test seen[end][:coupling_error] ≈ coupling_error(model, truth)
    @fails :e_unsupported Model(Trainer(data; family = :dial, dial = 0.5))
    @fails :e_unsupported Model(small_encoder(data))

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
    @fails :e_conflict small_encoder(data; heads = 2)
    @fails :e_option_range small_encoder(data; width = 5000)
    @test_throws ArgumentError small_encoder(data; family = :decoder)
    @test_throws ArgumentError small_encoder(data; depth = 2)
    @test_throws DimensionMismatch conditionals(t, zeros(UInt8, 5, 2))
    @fails :e_alphabet conditionals(t, fill(UInt8(4), 6, 2))
    @fails :e_shape t.parameters = zeros(3)
    @fails :e_value gradient(t, fill(7, N))
    @fails :e_shape gradient(t, [1, 2])
    other = Alignment(zeros(UInt8, 5, 4); colors = 4)
    for use in (loss, attention_maps, set_test!)
        @fails :e_shape use(t, other)
    end
    @fails :e_mismatch load_state!(small_encoder(data; width = 8), save_state(t))
    @fails :e_value train!(t, -1)
    close(t)
    for use in (train!, gradient, save_state, x -> x.parts, x -> conditionals(x, s), x -> loss(x, data))
        @test_throws ArgumentError use(t)
    end

    # What it needs lives on, and all is given back.
    context = Context(; threads = 1)
    before = bytes_in_use(context)
    data = Alignment(copy(s); colors = 4, context = context)
    with_data = context.memory.bytes
    t = Trainer(data; family = :encoder, context = context, width = 8, epochs = 3)
    @test context.memory.bytes - with_data == trainer_bytes(N, 6, 4; family = :encoder, width = 8, epochs = 3)
    set_test!(t, Alignment(s[:, 1:50]; colors = 4, context = context))
    close(data)
    GC.gc()
    seen = []
    train!(r -> (push!(seen, r[:test_loss]); false), t)
    @test length(seen) == 3 && occursin("parameters, after 3 epochs", sprint(show, t))
    close(t)
    @test bytes_in_use(context) == before && sprint(show, t) == "Trainer, closed"
end
