# SPDX-License-Identifier: MIT
# Arguments: options of others, numbers of all types, places in messages, sequences as strings.

"A test that a call throws, with this in its text."
macro says(text, call)
    return esc(Expr(:macrocall, Symbol("@test"), __source__, :(occursin($text, error_of(() -> $call)[2]))))
end

# An array whose indices begin at 0.
struct FromZero{T,N} <: AbstractArray{T,N}
    parent::Array{T,N}
end
Base.size(x::FromZero) = size(x.parent)
Base.axes(x::FromZero) = map(n -> Base.IdentityUnitRange(0:(n - 1)), size(x.parent))
Base.getindex(x::FromZero{T,N}, k::Vararg{Int,N}) where {T,N} = x.parent[(k .+ 1)...]

@tests "options that a function does not read" begin
    truth, data = truth_and_data()
    for call in (o -> Sampler(truth; o...),
                 o -> sample_equilibrium(truth, 10; o...), o -> tune_beta(truth, 0.3; o...), o -> mean_field(data; o...),
                 o -> gaussian_scores(data; o...), o -> filtered(data; o...), o -> D.curve([1.0]; o...), o -> limit(2.5, [1.0], 0.1; o...))
        status, text = error_of(() -> call((blocks = 3,)))
        @test status === :e_option && occursin("has no option blocks: a trainer has it", text)
    end
    @fails :e_option Trainer(data; beta = 3)
    @fails :e_option Trainer(data; folds = 5)
    @fails :e_option trainer_bytes(200, 6, 4; folds = 5)
    @fails :e_option select_folds(data; heads = 2)
    @says "option l2_couplings is given twice" Trainer(data; Dict(Symbol("l2-couplings") => 2, :l2_couplings => 3)...)
    @says "lambda is given twice" limit(2.5, [1.0], 0.1; lambda = 3)
    @says "noise is given twice" simulate(Replica.Masked(ones(1, 1), [1.0], 1.0), [1.0], 0.1; noise = 3)
    text = error_of(() -> Sampler(truth; chain = 2))[2]
    @test startswith(text, "ArgumentError: no option chain, expected one of ") && occursin("chains", text) && !occursin("heads", text)
    @test Trainer(data; heads = nothing, seed = 2) isa Trainer
end

@tests "numbers of all types" begin
    truth, data = truth_and_data()
    huge = big(10)^30
    @says "sites is $huge, which is beyond 64 bits" random_model(huge, 5)
    @says "option heads is $huge, which is beyond 64 bits" Trainer(data; heads = huge)
    @says "threads is $huge, which is beyond 64 bits" Context(; threads = huge)
    @says "thin is 18446744073709551615, which is beyond 64 bits" sample!(Sampler(truth), 2; thin = typemax(UInt64))
    @says "rule is 4294967296, which is beyond 32 bits" weigh!(data; rule = 2^32)
    @says "expected a whole number of a type of integers" (default_context().threads = 2.0)
    @says "beta is 1 + 2im, expected a real number" (truth.beta = 1 + 2im)
    @says "beta is \"1\", expected a real number" (truth.beta = "1")
    @says "pairs is of type" keep_pairs(truth, [1.5 2; 3 4])
    @says "pairs is of type" keep_pairs(truth, [1 missing; 3 4])
    @says "a value of pairs is $huge" keep_pairs(truth, [1 huge; 3 4])
    @says "weights is of type" (data.weights = fill(1im, length(data)))
    @says "option heads is of type Complex" Trainer(data; heads = 1im)
    @says "capacity is -3, must be in 1.." rank_pairs([0 1.0; 1 0]; count = -3)
    @says "k is -3, must be in 1.." best_doubles(truth, zeros(UInt8, 6), -3)
    @says "rung is 0, must be in 1..1" states(Sampler(truth); rung = 0)
    @says "must be in 1..1" states(Sampler(truth); rung = typemin(Int))
    @says "embedded NUL" read_model("a\0b")
    @says "embedded NUL" (truth.alphabet = "AC\0E")
    @fails :e_option_range Trainer(data; heads = 1.5)
    @fails :e_not_finite Trainer(data; heads = NaN)
    # What is right in another type.
    @test random_model(big(6), Int8(4); seed = UInt64(3)).maps == truth.maps
    truth.beta = 1 // 2
    @test truth.beta == 0.5
    truth.beta = big"0.25"
    @test truth.beta == 0.25
    s = Int.(data.sequences)
    for same in (view(s, :, :), FromZero(s), BigInt.(s), permutedims(s)', reshape(s, 6, :))
        @test Alignment(same; colors = 4).sequences == data.sequences
    end
    pairs = [1 2; 3 4]
    for same in (view(pairs, :, :), FromZero(pairs), BigInt.(pairs), UInt8.(pairs))
        @test keep_pairs(truth, same).pairs == keep_pairs(truth, pairs).pairs
    end
    maps, values = truth.maps, truth.values
    @test couplings(Model(FromZero(maps), Rational.(values))) == couplings(Model(maps, values))
end

@tests "places in messages count from 1, in Julia's order" begin
    truth, data = truth_and_data()
    put(x, value, place...) = (y = copy(x); y[place...] = value; y)
    pairs = [1 3; 2 4]
    @says "pairs(1, 2) is 7, must be a site in 1..6" keep_pairs(truth, put(pairs, 7, 1, 2))
    @says "pairs(1, 2) is 7, must be a site in 1..6" Trainer(data, put(pairs, 7, 1, 2); family = :dense)
    @says "pairs(2) is the pair of site 4 with itself" keep_pairs(truth, put(pairs, 4, 1, 2))
    @says "the pair of sites 1 and 2 twice" keep_pairs(truth, [1 2; 2 1])
    @says "pairs(1, 2) is 7, must be in 1..6" double_mutants(truth, zeros(UInt8, 6), put(pairs, 7, 1, 2))
    @says "pairs(1, 2) is 7, must be in 1..6" precision_curve(put(pairs, 7, 1, 2), fill(5.0, 6, 6))
    @says "couplings(1, 2, 3, 1) is nan" Model(put(zeros(2, 2, 3, 3), NaN, 1, 2, 3, 1))
    @says "fields(2, 3) is inf" Model(zeros(2, 2, 3, 3); fields = put(zeros(2, 3), Inf, 2, 3))
    @says "values(2, 3, 1) is nan" set_values!(Trainer(data), put(ones(4, 4), NaN, 2, 3))
    @says "frequencies(2, 3) is nan" independent_loss(data, put(fill(0.25, 4, 6), NaN, 2, 3))
    @says "scores(2, 4) is nan" write_scores(tempname(), put(zeros(5, 5), NaN, 2, 4))
    @says "teacher(2, 1) is nan" D.curve([1.0]; teacher = put([1.0 0; 0 1], NaN, 2, 1))
    @says "times(2) is 0.5 after 1" D.dynamics([1, 0.5])
    @says "thetas(2) is 3" scan_weights(data, [0.1, 3])
    @says "betas(3) is 0.4, must be above betas(2), which is 0.5" (Sampler(truth; temperatures = 3).betas = [0.1, 0.5, 0.4])
    @says "masked_sites(1) is 9, must be in 1..6" gradient(Trainer(data), fill(9, length(data)))
end

@tests "a triangle is no matrix of scores" begin
    full = [0.0 1 2; 1 0 3; 2 3 0]
    @test rank_pairs(full) == [2 1 1; 3 3 2]
    for half in (triu(full), tril(full))
        @fails :e_symmetry apc(half)
        @fails :e_symmetry rank_pairs(half)
        @fails :e_symmetry precision_curve(reshape([1, 2], 2, 1), half)
        @fails :e_symmetry write_scores(tempname(), half)
    end
end

@tests "sequences as strings" begin
    text = ["-ACD", "EAC-"]
    strings = Alignment(text; alphabet = "-ACDE", names = ["one", "two/1-4"])
    @test strings.sequences == [0 4; 1 1; 2 2; 3 0] && strings.names == ["one", "two/1-4"]
    @test (strings.colors, strings.alphabet) == (5, "-ACDE")
    bare = Alignment(SubString.(text); alphabet = "-ACDE", weights = [2, 0.5])
    @test bare.sequences == strings.sequences && bare.weights == [2, 0.5]
    @test size(Alignment(["ACDEF", "acdef"]; alphabet = "protein").sequences) == (5, 2)
    @fails :e_conflict Alignment(text)
    @fails :e_alphabet Alignment(["ACD", "AXD"]; alphabet = "-ACDE", unknown = :error)
    @fails :e_format Alignment(["ACD", "AC"]; alphabet = "-ACDE")
    @says "colors is 7, the alphabet has 5 symbols" Alignment(text; alphabet = "-ACDE", colors = 7)
    @says "sequences[2] is \"A>C\"" Alignment(["ACD", "A>C"]; alphabet = "-ACDE")
    @says "sequences[1] is \"A\\nCD\"" Alignment(["A\nCD", "ACD"]; alphabet = "-ACDE")
    @says "sequences[1] is \"\"" Alignment(["", "ACD"]; alphabet = "-ACDE")
    @says "names[1] is \"a\\nb\", expected a string without blanks" Alignment(text; alphabet = "-ACDE", names = ["a\nb", "c"])
    @says "names[2] is \"a b\", expected a string without blanks" Alignment(text; alphabet = "-ACDE", names = ["c", "a b"])
    @says "names[2] is missing, expected a string without blanks" Alignment(text; alphabet = "-ACDE", names = ["c", missing])
    @says "names has length 1, expected 2" Alignment(text; alphabet = "-ACDE", names = ["a"])
    @says "for sequences that are strings" Alignment([0 1; 1 0]; unknown = :error)
end

@tests "decimal points where the C library has commas" begin
    german() = ccall(:setlocale, Cstring, (Cint, Cstring), 1, "de_DE.UTF-8") # LC_NUMERIC of glibc
    found = Sys.islinux() ? german() : C_NULL
    if found == C_NULL && Sys.which("localedef") !== nothing
        folder = mktempdir()
        run(pipeline(ignorestatus(`localedef -i de_DE -f UTF-8 $folder/de_DE.UTF-8`), stdout = devnull, stderr = devnull))
        found = withenv(german, "LOCPATH" => folder)
    end
    if found != C_NULL
        truth, data = truth_and_data()
        try
            @says "option heads is 1.5," Trainer(data; heads = 1.5)
            @says "weights(3) is -0.5" (data.weights = [1; 1; -0.5; ones(length(data) - 3)])
            @test occursin("beta = 1.0", sprint(show, truth))
        finally
            ccall(:setlocale, Cstring, (Cint, Cstring), 1, "C")
        end
    end
end
