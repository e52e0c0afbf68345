# SPDX-License-Identifier: MIT
# Copies, Serialization and other processes: what comes back is the same and goes on with the same numbers. Alignments as collections.

function again(x)
    io = IOBuffer()
    Serialization.serialize(io, x)
    return Serialization.deserialize(seekstart(io))
end

const WAYS = (again, copy, deepcopy)

function family(n = 60)
    rng = MersenneTwister(1)
    data = Alignment([join(rand(rng, "-ABC", 6)) for _ in 1:n]; alphabet = "-ABC", names = ["s$k" for k in 1:n])
    data.weights = (1:n) ./ 10
    set_sites!(data; numbers = 3 .* (1:6), residues = "ABCABC")
    data.origin = "of a test"
    return data
end

function models()
    heads = random_model(6, 4; seed = 2)
    heads.alphabet, heads.beta, heads.origin = "-ABC", 0.7, "of a test"
    dense = Model(couplings(heads); fields = reshape((1:24) ./ 10, 4, 6))
    return heads, dense, keep_pairs(dense, [1 2; 2 6])
end

@tests "models and alignments are copied whole" begin
    sequences = UInt8.(rand(MersenneTwister(3), 0:3, 6, 20))
    for model in models(), way in WAYS
        found = way(model)
        @test found == model && isequal(found, model) && hash(found) == hash(model) && found !== model
        @test energies(found, sequences) == energies(model, sequences) && found.origin == model.origin
        found.beta = 3
        @test model.beta != 3 && found != model
    end
    data = family()
    for way in WAYS
        found = way(data)
        @test found == data && found.names == data.names && found.weights == data.weights && found.origin == "of a test"
        @test found.site_numbers == data.site_numbers && found.site_residues == "ABCABC" && found.alphabet == "-ABC"
        found.weights = ones(60)
        @test data.weights != found.weights && found != data
    end
    @test data != data[1:59] && data != models()[1]
    # One object twice is one object twice, wherever it is.
    for way in (again, deepcopy)
        one, two = way(Dict(1 => [(data, data)]))[1][1]
        @test one === two && one == data && one !== data
    end
    close(data)
    for way in WAYS
        @test error_of(() -> way(data))[1] === :ArgumentError
    end
end

function trainers()
    data = family()
    tested = Trainer(data; family = :dense, epochs = 20)
    set_test!(tested, data[1:20])
    set_truth!(tested, models()[1])
    fixed = Trainer(data; colors_fixed = true, epochs = 20)
    set_values!(fixed, reshape(sin.(1:16), 4, 4))
    ordered = Trainer(data; family = :dense, objective = :autoregressive, epochs = 20)
    set_order!(ordered, [6, 4, 2, 1, 3, 5])
    likely = Trainer(data; family = :dense, objective = :likelihood, chains = 16, epochs = 20)
    reintegrate!(likely, data[1:3], [1, -1, 2], 0.1)
    return Trainer(data; optimizer = :adam, batch = 16, epochs = 20), tested, fixed, ordered, likely,
           Trainer(data, [1 2; 4 3]; family = :dense, epochs = 20), Trainer(data; family = :encoder, width = 4, epochs = 20)
end

@tests "trainers and samplers go on" begin
    CoreLogging.with_logger(CoreLogging.NullLogger()) do
        for trainer in trainers()
            train!(trainer, 3)
            found = map(way -> way(trainer), WAYS)
            @test all(x -> x isa Trainer && x.parameters == trainer.parameters && x.epochs == 3, found)
            before = trainer.parameters
            train!(trainer, 3)
            @test trainer.parameters != before && all(x -> (train!(x, 3); x.parameters == trainer.parameters), found)
        end
    end
    model, allowed = models()[1], ones(UInt8, 4, 6)
    allowed[3:4, 2] .= 0
    for way in WAYS
        sampler = Sampler(model; chains = 8, temperatures = 3, seed = 5)
        restrict!(sampler, allowed)
        sampler.betas = [0.1, 0.4, 0.9]
        sweep!(sampler, 4)
        found = way(sampler)
        @test found.betas == sampler.betas && found.sweeps == 4
        drawn = sample!(found, 40).sequences
        @test drawn == sample!(sampler, 40).sequences && all(<=(1), drawn[2, :])
        run = Sampling(model, 10; protocol = :chain, beta = 0.5)
        start!(run, zeros(UInt8, 6, 1))
        @test sample!(way(run)).alignment == sample!(run).alignment
    end
end

"Copies of all kinds, and nothing that refers to them."
function copy_and_forget(context)
    for x in handles_in(context; epochs = 2), copying in (copy, deepcopy)
        copying(x)
    end
    return
end

@tests "copies are freed, in the context of the original" begin
    context = Context(; threads = 1)
    before = bytes_in_use(context)
    model = random_model(8, 4; context = context)
    alone = context.memory.bytes
    found = copy(model)
    @test context.memory.bytes > alone > before
    foreach(close, (model, found))
    copy_and_forget(context)
    @test bytes_in_use(context) == before
end

@tests "another process" begin
    data, model = family(), models()[1]
    trainer = Trainer(data; epochs = 8)
    train!(trainer, 2)
    in_folder() do
        open(io -> Serialization.serialize(io, (model, data, trainer)), "handles", "w")
        code = raw"""
            using AttoPotts, Serialization
            model, data, trainer = open(deserialize, "handles")
            train!(trainer)
            open(io -> serialize(io, (sum(energies(model, data)), trainer.parameters, data[[3, 1]])), "back", "w")
            """
        @test success(run(`$(Base.julia_cmd()) --startup-file=no -e $code`))
        total, parameters, rows = open(Serialization.deserialize, "back")
        train!(trainer)
        @test total == sum(energies(model, data)) && parameters == trainer.parameters && rows == data[[3, 1]]
    end
end

@tests "an alignment is a collection of sequences" begin
    data = family()
    @test size(data) == (6, 60) && size(data, 2) == length(data) == 60 && size(data, 3) == 1
    @test data[7] == data.sequences[:, 7] && data[end] == data.sequences[:, 60] && first(data) == data[1]
    @test reduce(hcat, data) == data.sequences && [s[2] for s in data] == data.sequences[2, :] && eachindex(data) == 1:60
    for rows in (5:5, 60:-7:1, [5, 2, 2, 60], 1:2:59, (1:60) .% 9 .== 1, :)
        found, numbers = data[rows], (1:60)[rows]
        @test found.sequences == data.sequences[:, numbers] && found.weights == data.weights[numbers] && found.names == data.names[numbers]
        @test found.site_numbers == data.site_numbers && found.alphabet == "-ABC" && found.origin == "of a test"
    end
    for wrong in (0, 61, [1, 61], trues(3), 0:3)
        @test error_of(() -> data[wrong])[1] === :BoundsError
    end
    @fails :e_value data[Int[]]
    few, more = sample_rows(data, 10; seed = 4), sample_rows(data, 30; seed = 4)
    @test issubset(few.names, more.names) && allunique(more.names) && few.weights == indexin(few.names, data.names) ./ 10
    bootstrap = sample_rows(data, 60; replace = true, seed = 7)
    @test [count(==(name), bootstrap.names) for name in data.names] .* data.weights ≈ resample(data, 7, 0)
    @fails :e_value sample_rows(data, 61)
    model = models()[1]
    @test energies(model, data) == energies(model, data.sequences) && conditionals(model, data) == conditionals(model, data.sequences)
    @test error_of(() -> energies(model, model))[1] === :ArgumentError
    @test Alignment(["ACD-"]; alphabet = :protein) == Alignment(["ACD-"]; alphabet = "protein")
end
