# SPDX-License-Identifier: MIT
# Learning curves: the replica method and dot-product attention.

@tests "replica" begin
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

@tests "dot-product attention" begin
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
    # A few iterations tell how the teacher's rows are handed over; to converge costs ten times as much where they differ.
    skew = [0.7 0.2; 0.3 0.8]
    rows = zeros(AttoPotts.ATP_DOTATTN_COLUMNS, 2)
    for (teacher, max_iter) in ((skew, 3), (D.TEACHER, 10_000))
        @test 0 == AttoPotts.borrow(default_context()) do c
            AttoPotts.atp_dotattn_curve(c, teacher, 4, 0.5, 0.4, 0.02, AttoPotts.ATP_DOTATTN_POSITIONAL, alphas, 2, 1e-2,
                max_iter, C_NULL, C_NULL, rows, length(rows), C_NULL)
        end
        found = D.curve(alphas; branch = :positional, omega = 0.5, sigma = 0.4, penalty = 0.02, teacher = teacher,
                        accuracy = 1e-2, max_iter = max_iter)
        @test isequal(table(found), rows) && found.omega == [0.5, 0.5]
    end
    @test all(found.m .> 0)
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
