# SPDX-License-Identifier: MIT
# Handles: how long they live, copies of them, other processes.

@tests "a report may close all that its call uses" begin
    # In a process of its own, which a handle that is freed too early would end.
    code = raw"""
        using AttoPotts
        other = Context(; threads = 1)
        function made()
            context = Context(; threads = 1)
            model = random_model(6, 4; seed = 3, context = context)
            sampler = Sampler(model; chains = 16, context = context)
            data = Alignment(sample!(sampler, 200; thin = 2).sequences; colors = 4, context = context)
            trainer, network = Trainer(data; context = context), Trainer(data; family = :encoder, width = 6, epochs = 20, context = context)
            set_test!(trainer, data)
            set_truth!(trainer, model)
            set_test!(network, data)
            return (context = context, model = model, sampler = sampler, data = data, trainer = trainer, network = network)
        end
        runs = (train = (f, h) -> train!(f, h.trainer, 5), network = (f, h) -> train!(f, h.network, 5),
            sweep = (f, h) -> sweep!(f, h.sampler, 2_000_000), wide = (f, h) -> start_wide!(f, h.trainer, 4; iterations = 10),
            select = (f, h) -> select_penalty(f, h.data; folds = 3, context = h.context).outcome,
            tune = (f, h) -> tune_beta(f, h.model, 0.4; context = h.context).outcome,
            task = (f, h) -> DotAttention.simulate(f, [1.0]; dimension = 9, runs = 5, context = h.context).outcome)
        for (name, run) in pairs(runs)
            h, calls = made(), Ref(0)
            outcome = run(h) do report
                calls[] += 1
                foreach(close, h)
                GC.gc(false)
                random_model(6, 4; context = other)
                return calls[] > 5
            end
            println(name, " ", outcome, " ", calls[] > 0, " ", !any(isopen, h))
        end
        """
    output = IOBuffer()
    done = run(pipeline(ignorestatus(`$(Base.julia_cmd()) --startup-file=no -e $code`), stdout = output, stderr = output))
    text = String(take!(output))
    @test success(done)
    for name in ("train", "network", "sweep", "wide", "select", "tune", "task")
        @test occursin(Regex("^$name \\w+ true true\$", "m"), text)
    end
    success(done) || println(text)
end

@tests "a context has one owner" begin
    for copying in (deepcopy, copy, x -> deepcopy(Dict(1 => [(x,)])))
        problem, text = error_of(() -> copying(default_context()))
        @test problem === :ArgumentError && occursin("Context has one owner", text)
    end
    for x in (default_context(), [Dict(1 => default_context())])
        problem, text = error_of(() -> Serialization.serialize(IOBuffer(), x))
        @test problem === :ArgumentError && occursin("cannot be serialized", text) && occursin("make a new one", text)
    end
    # What an image of a package keeps has no address.
    lost = Model(AttoPotts.Owned(C_NULL, (address -> nothing), nothing))
    problem, text = error_of(() -> lost.sites)
    @test problem === :ArgumentError && occursin("another process", text)
end
