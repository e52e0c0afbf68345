# SPDX-License-Identifier: MIT
# The library inside Julia: threads, memory, interruptions, words.

@tests "ranks" begin
    context = Context(; threads = 1)
    # Without MPI: the library of ranks is not there, or finds that MPI does not run.
    refusal = try
        set_ranks!(context, 0)
    catch problem
        sprint(showerror, problem)
    end
    @test occursin("libattopotts_mpi", refusal)
    @test set_ranks!(context, nothing) === context
    @test (context.rank, context.rank_count) == (0, 1)
    @test context.traffic === (calls = 0.0, sent = 0.0, received = 0.0, seconds = 0.0)
    @test any_rank(context, true) && !any_rank(context, false)
    @test broadcast_from!([1.5, 2], context) == [1.5, 2]
    @fails :e_value broadcast_from!([1.5, 2], context; root = 1)
    @test error_of(() -> broadcast_from!(["a"], context))[1] === :ArgumentError
    @test fail_ranks(context, "nobody hears this") === nothing
end

@tests "two threads give the numbers of one" begin
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
    @test fetch(worker) === :done
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

@tests "a context stops what runs in it" begin
    context = Context(; threads = 1)
    sampler = Sampler(random_model(20, 4; context = context); context = context)
    @test sweep!(report -> (request_stop!(context); false), sampler, 10^9) === :cancelled
    @test context.stop_requested && sweep!(sampler, 5) === :cancelled
    clear_stop!(context)
    @test !context.stop_requested && sweep!(sampler, 5) === :done
end

@tests "two threads of the library within Julia" begin
    truth = truth_model()
    numbers = map((1, 2)) do threads
        context = Context(; threads = threads)
        has_feature("threads") && @test context.threads == threads
        sampler = Sampler(truth; chains = 64, context = context)
        data = Alignment(sample!(sampler, 640; thin = 3).sequences; colors = 4, context = context)
        trainer = Trainer(data; context = context)
        train!(trainer)
        return loss(Model(trainer), data; context = context)
    end
    @test numbers[1] == numbers[2]
end

@tests "a memory limit" begin
    context = Context(; threads = 1)
    @test context.memory_limit == 0 && context.memory_available > 0
    context.memory_limit = 10_000
    @test context.memory_limit == 10_000 && context.memory_available == 10_000
    @test_throws AttoPottsError random_model(100, 4; context = context)
    context.memory_limit = 0
    @test random_model(100, 4; context = context) isa Model
end

@tests "memory is given back" begin
    context = Context(; threads = 1)
    before = bytes_in_use(context)
    make_and_forget(context)
    @test context.memory.bytes > before
    @test bytes_in_use(context) == before
    # By close, at once and in any order.
    model, sampler, data, trainer = handles_in(context; epochs = 5)
    close(data)
    @test train!(trainer) isa Symbol # it keeps its data
    foreach(close, (model, sampler, trainer))
    @test context.memory.bytes == before
    model = random_model(5, 3; context = context)
    close(context)
    @test energies(model, zeros(UInt8, 5)) isa Vector{Float64}
end

@tests "interruption keeps the state" begin
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
    for answer in ("true true done", "true true")
        @test readline(process) == "ready"
        sleep(0.7)
        kill(process, Base.SIGINT)
        @test readline(process) == answer
    end
    wait(process)
    @test process.exitcode == 0
end

@tests "the library is found at load time" begin
    code = "using AttoPotts; print(library_path())"
    run_with(environment...) = withenv(environment...) do
        output = IOBuffer()
        command = ignorestatus(`$(Base.julia_cmd()) --startup-file=no -e $code`)
        done = run(pipeline(command, stdout = output, stderr = output))
        return success(done), String(take!(output))
    end
    mktempdir() do folder
        # Another place than the one that the package was precompiled with.
        copied = joinpath(folder, "another-name.so")
        cp(library_path(), copied; follow_symlinks = true)
        @test run_with("ATTOPOTTS_LIBRARY" => copied) == (true, copied)
        good, text = run_with("ATTOPOTTS_LIBRARY" => joinpath(folder, "none.so"))
        @test !good && occursin("the attopotts library was not found", text) && occursin("none.so", text)
        # Julia itself may need folders of LD_LIBRARY_PATH.
        others = filter(split(get(ENV, "LD_LIBRARY_PATH", ""), ':'; keepempty = false)) do place
            !isfile(joinpath(place, "libattopotts.so.$(AttoPotts.ABI_VERSION)"))
        end
        nowhere = ("ATTOPOTTS_LIBRARY" => "", "PKG_CONFIG_PATH" => folder, "PKG_CONFIG_LIBDIR" => folder, "LD_LIBRARY_PATH" => join(others, ':'))
        installed, text = run_with(nowhere...)
        @test occursin(installed ? "libattopotts" : "pkg-config knows no attopotts", text)
        # What a wheel of Python brings comes last.
        wheel = mkpath(joinpath(folder, "attopotts", "lib"))
        touch(joinpath(folder, "attopotts", "__init__.py"))
        for name in ("attopotts", "attopotts_io")
            beside = joinpath(dirname(library_path()), "lib$name.so.$(AttoPotts.ABI_VERSION)")
            cp(beside, joinpath(wheel, basename(beside)); follow_symlinks = true)
        end
        good, text = run_with(nowhere..., "PYTHONPATH" => folder)
        @test good
        @test installed || text == joinpath(wheel, "libattopotts.so.$(AttoPotts.ABI_VERSION)")
        # A library that is not ours.
        good, text = run_with("ATTOPOTTS_LIBRARY" => "libm.so.6")
        @test !good && occursin("does not have every function", text)
    end
end

@tests "docstrings, words and options" begin
    for (m, listed) in (AttoPotts => names(AttoPotts), Replica => names(Replica), D => [:curve, :transition, :linear, :tokens, :simulate, :dynamics, :trajectories])
        for name in setdiff(listed, (:AttoPotts, :DotAttention, :Replica))
            @test haskey(Docs.meta(m), Docs.Binding(m, name))
        end
    end
    @test Set(option.name for option in option_list()) == Set(first.(AttoPotts.WORDS[:option]))
    found(owner, name) = only(filter(option -> option.owner == owner && option.name === name, option_list()))
    map_option = found("a trainer", :map)
    @test found("the task DOTATTN_CURVE", :branch).words[1] === :semantic
    @test map_option.words == [:free, :softmax, :lowrank] && map_option.integer && map_option.default == 0
    @test found("the task DOTATTN_DYNAMICS", :points).default == 1024 && !isempty(map_option.text)
    # What docstrings say of defaults.
    for (what, owner) in (:sampler => "a sampler", :trainer => "a trainer", :alignment => "a reader of alignments"),
        shown in eachmatch(r"`(\w+) = (:?)([^`]+)`", AttoPotts.OPTION_TEXTS[what])

        option = found(owner, Symbol(shown[1]))
        if shown[3] == "nothing" # the object chooses
            @test option.default == 0 && !isempty(option.words)
        else
            is_word = !isempty(shown[2])
            @test option.default == (is_word ? AttoPotts.word(AttoPotts.OPTION_ENUMS[option.name], shown[3]) : parse(Float64, shown[3]))
        end
    end
    @test occursin("`heads = 1`", string(@doc Trainer)) && occursin("`max_iter = 500`", string(@doc D.tokens))
    @test all(AttoPotts.word_of(:status, value) === word for (word, value) in AttoPotts.WORDS[:status])
    @test library_version() >= v"0.1" && isfile(library_path())
    @test !isempty(simd_targets()) && !isempty(blas_description())
    @test Context(; simd = :scalar, threads = 1).simd === :scalar
    truth, data = truth_and_data()
    shown = (truth => "Model of 6 sites, 4 colours, 1 head, beta = 1.0", data => "500 sequences, 6 sites",
        Sampler(truth; temperatures = 2) => "16 chains at 2 temperatures", Trainer(data) => "parameters, after 0",
        default_context() => "Context(threads = ", sample!(Sampler(truth), 2) => "2 sequences of 6 sites",
        limit(2.5, [2.0], 0.1) => "Curve of 1 rows", gradient(Trainer(data)) => "Gradient of",
        spectrum(mask_precision(goe_precision(5, 4.0))) => "Spectrum of 4", Context() => "simd = :")
    for (object, text) in shown
        @test occursin(text, sprint(show, object))
    end
end
