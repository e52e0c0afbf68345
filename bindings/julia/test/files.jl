# SPDX-License-Identifier: MIT
# Files and parts of alignments.

@tests "files" begin
    truth, data = truth_and_data()
    data.alphabet = "ACDE"
    in_folder() do
        path, h5, text = "a.fasta", "a.h5", "model.txt"
        write_alignment(path, data[1:10]; format = :fasta)
        again = read_alignment(path; alphabet = "ACDE")
        @test again.sequences == data.sequences[:, 1:10] && !isempty(again.names[1]) && file_kind(path) === :fasta
        parts = [read_alignment_part(path, k, 3; alphabet = "ACDE").sequences for k in 0:2]
        @test hcat(parts...) == data.sequences[:, 1:10]
        @fails :e_value read_alignment_part(path, 3, 3; alphabet = "ACDE")
        bytes = Matrix{UInt8}(data.sequences)
        borrowed = borrow_alignment(bytes, 4; weights = data.weights)
        @test pointer(borrowed.sequences) == pointer(bytes) && borrowed.weights == data.weights
        @test getfield(borrowed, :owned).keep === bytes
        @fails :e_alphabet borrow_alignment(bytes, 2)
        if has_feature("hdf5")
            data.origin = "a test"
            write_alignment(h5, data)
            @test read_alignment(h5).sequences == data.sequences && read_alignment(h5).origin == "a test"
            @test file_kind(h5) === :alignment
            write_model(h5, truth)
            @test couplings(read_model(h5)) == couplings(truth) && file_kind(h5) === :model
        end
        write(path, ">a\nACD\n>b\nAC\n")
        status, message = error_of(() -> read_alignment(path; alphabet = "ACDE"))
        @test status === :e_format && occursin("a.fasta", message)
        write(path, ">a\nACDX\n>b\nACDE\n")
        lines = []
        context = Context(; log = (level, text) -> push!(lines, (level, text)))
        @test length(read_alignment(path; alphabet = "-ACDE", unknown = :drop, context = context)) == 1
        @test !isempty(lines) && lines[1][1] in (:info, :warning) && occursin("X", join(last.(lines)))
        @fails :e_alphabet read_alignment(path; alphabet = "-ACDE", unknown = :error)
        # The default is Julia's logging; a log that throws does no harm.
        logger = Test.TestLogger()
        CoreLogging.with_logger(() -> read_alignment(path; alphabet = "-ACDE"), logger)
        @test !isempty(logger.logs)
        broken = Context(; log = (level, text) -> error("broken"))
        CoreLogging.with_logger(Test.TestLogger()) do
            @test length(read_alignment(path; alphabet = "-ACDE", context = broken)) == 2
        end
        # Files of other tools.
        model = gauge(truth, :zero_sum)
        model.alphabet = "ACDE"
        write_model(text, model; format = :adabm)
        @test file_kind(text) === :adabm && couplings(read_model(text; alphabet = "ACDE")) ≈ couplings(model)
        @fails :e_conflict read_model(text)
        write_model(text, model; format = :plmc, alignment = data)
        @test file_kind(text) === :plmc_model
        @test read_model(text; format = :plmc).fields ≈ model.fields atol = 1e-6
        @fails :e_conflict write_model(text, model; format = :ccmpred)
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

@tests "parts of alignments" begin
    _, data = truth_and_data()
    @test data[4:7:100].sequences == data.sequences[:, 4:7:100] && length(data[end:end]) == 1
    in_folder() do
        write("a.fasta", ">one\nACDEF-G\n>two/7-12\nAC-EFGG\n>three\nAC-EFGG\n>four\n------G\n")
        x = read_alignment("a.fasta"; alphabet = "protein")
        @test find_sequence(x, "two") == 2 && x.names[3] == "three"
        @fails :e_value find_sequence(x, "five")
        f = focus(x, "two")
        @test f.sites == 6 && f.site_numbers == 7:12 && f.site_residues == "ACEFGG" && length(f) == 4
        kept = filtered(x; max_gaps_sequence = 0.5, remove_duplicates = true)
        @test length(kept.alignment) == 2 && kept.removed == (sequences = 1, columns = 0, duplicates = 1)
        @test filter_identity(x, 0.8).names == ["one"] && length(filter_identity(x, 1.0)) == 4
        @test mutations_offset(independent_model(x), x.sequences[:, 1], ["A11C", "c12A", "D13-"]) ==
              (residues = 3, agreeing = 0, offset = -10, fitting = 3)
        @test weigh!(x; theta = 0.0) === :converged && x.weights ≈ [1, 0.5, 0.5, 1]
        @test weigh!(x; theta = 0.3, rule = :strict) === :converged && x.weights ≈ [1 / 3, 1 / 3, 1 / 3, 1]
        @test_throws ArgumentError weigh!(x; rule = :loose)
        @test 0 < auto_theta(x) <= 0.5
        @test scan_weights(x, [0.0, 1.0]).effective ≈ [3, 1]
        @test x[[1, 4]].sequences == x.sequences[:, [1, 4]] == x[[true, false, false, true]].sequences
        @test x[[4, 1, 4]].sequences == x.sequences[:, [4, 1, 4]]
        made = split_alignment(x; identity = 0.7, identity_test = 1)
        @test made.training.sequences == x.sequences[:, made.parts .== 1] && length(made.test) == count(==(2), made.parts) > 0
        @test all(n -> all(m -> count(x.sequences[:, n] .== x.sequences[:, m]) <= 0.7 * x.sites, findall(==(1), made.parts)),
                  findall(==(2), made.parts))
    end
end
