# SPDX-License-Identifier: MIT
# Learning curves: the replica method and dot-product attention.

@tests "replica" begin
    # lambda = 0, alpha > 1: exactly alpha / (z (alpha - 1))
    curve = limit(2.5, [2.0, 4.0], 0)
    @test curve.eg ≈ [2, 4] ./ (2.5 .* [1, 3]) rtol = 1e-12
    @test curve.outcome === :converged && curve.alpha == [2, 4] && :kappa in propertynames(curve)
    known = table_columns(:replica_curve)
    @test collect(keys(curve.columns)) == [column.name for column in known]
    @test known[7].description == "w . S w*, the overlap with the teacher"
    @test known[17].unit == "atp_outcome" && curve.columns.outcome == [:converged, :converged]
    @test_throws ArgumentError table_columns(:none)
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
    @test simulate(masked, [2.0], 0.1; bytes = true) > 0
    huber = convex(x, 2.0, 0.1; loss = :huber, noise = masked.noise, delta = 1e6)
    @test huber.curve.eg[1] ≈ one.eg[1] rtol = 1e-8
    @test huber.optimum <= huber.curve.eg[1]
    # Two colours of fields +-u/2 are the logistic loss.
    pair, logistic = [0.25 -0.25; -0.25 0.25], convex(x, 2.0, 0.1)
    potts = AttoPotts.Replica.potts(x, pair, 2.0, 0.1; points = 2^14, shifts = 2)
    @test potts.curve.eg[1] ≈ logistic.curve.eg[1] rtol = 1e-8
    @test potts.optimum ≈ logistic.optimum rtol = 1e-8
    drawn = AttoPotts.Replica.simulate_potts(masked, pair, 2.0, 0.1; realisations = 50)
    @test abs(drawn.et[1] - potts.curve.et[1]) < 4 * drawn.et_sem[1] + 0.02 * potts.curve.et[1]
    # alpha / (alpha - 1) = R at alpha = R / (R - 1); inputs of one variance: noise / |w*|^2 for every alpha.
    @test limit(2.5, nothing, 0; targets = [1.05, 1.2]).alpha ≈ [21, 6] rtol = 1e-8
    equal = Spectrum(ones(4), fill(0.5, 4))
    @test square(equal, 0.3, [0.5, 3.0], nothing; best_lambda = true).lambda ≈ [0.15, 0.15] rtol = 1e-5
    @test AttoPotts.Replica.color_covariance([0.5 -0.5; -0.5 0.5]) == pair
    glass = AttoPotts.Replica.spin_glass(1.2, pair; parameters = 100)
    @test sum(glass.teacher .^ 2) ≈ 1.44
    @test sum(spectrum(glass).eigenvalues) / 100 ≈ 1 rtol = 1e-6
    @test_throws DimensionMismatch mask_precision(zeros(2, 3))
    @fails :e_value mask_precision(goe_precision(5, 2.5), 6)
end

@tests "dot-product attention" begin
    # Three tokens, a code of two columns, an A that is not symmetric: tokens that are exchanged change nothing.
    code, a, alphas = [1.0 0 -1; 0 1 -1], [0.6 0.2 0.3; 0.3 0.5 0.1; 0.1 0.3 0.6], [1.0, 3.0]
    turned = [2, 3, 1]
    draw(code, a) = D.tokens(2.0; code = code, teacher = a, start = :positional, points = 1024, shifts = 8)
    one, two, wrong = draw(code, a), draw(code[:, turned], a[turned, turned]), draw(code[:, turned], a)
    @test abs(one.m[1] - two.m[1]) < 6 * (one.m_sem[1] + two.m_sem[1]) && one.theta == [0] && one.points == [1024]
    @test abs(one.eg[1] - wrong.eg[1]) > 6 * (one.eg_sem[1] + wrong.eg_sem[1])
    seen = []
    found = D.simulate(alphas; dimension = 30, code = code, teacher = a, optimizer = :adam, steps = 40, tolerance = 0,
                       test_samples = 50, runs = 3, seed = 4) do report
        push!(seen, report)
        return false
    end
    @test found.outcome === :max_iter && found.alpha == alphas && found.samples == [30, 90] && found.runs == [3, 3]
    @test !isempty(seen) && seen[end][:step] == seen[end][:total]
    # Rows of this A sum to one, its columns do not.
    skew = [0.7 0.2; 0.3 0.8]
    @test_logs D.curve(1.0; branch = :positional, teacher = skew, max_iter = 3)
    @test_logs (:warn,) (:warn,) D.curve(1.0; branch = :positional, teacher = permutedims(skew), max_iter = 3)
    positional = D.curve(alphas; branch = :positional, accuracy = 1e-2)
    @test all(positional.m .> 0) && positional.branch == [:positional, :positional] && positional.omega == [0.3, 0.3]
    # A few iterations of many.
    found = D.transition(0.3; accuracy = 1e-2, max_iter = 10)
    @test isnan(found.alpha_c[1]) && :alpha_positional_end in propertynames(found)
    @test occursin("Curve of 1 rows, max_iter", sprint(show, found))

    # The linear map and its loss; quadrature, lattices and simulation.
    theory, lattice = D.curve(alphas; accuracy = 1e-2), D.tokens(alphas; points = 256, shifts = 4)
    flat = D.linear(omega = 1, teacher = skew)
    @test flat.map ≈ skew && abs(flat.loss) < 1e-12
    @test D.linear().loss ≈ theory.eg_linear[1] rtol = 1e-6
    @test found.eg_linear[1] ≈ theory.eg_linear[1] rtol = 1e-6
    simulated = D.simulate(alphas; dimension = 200, runs = 6, optimizer = :lbfgs)
    for (name, sem) in (:q => :q_sem, :theta => :theta_sem)
        x, y, z = getproperty.((theory, lattice, simulated), name)
        @test all(abs.(x - y) .< 6 * getproperty(lattice, sem) + 0.02 * x)
        # What 200 dimensions are short of infinitely many.
        @test all(abs.(x - z) .< 5 * getproperty(simulated, sem) + 0.05 * x)
    end

    # Against time: the limit, and runs after each other.
    path = D.dynamics([0.0, 2.0]; code = code, teacher = a, start_m = 0.5, points = 64, shifts = 2)
    @test path.outcome === :converged && path.time == [0, 2] && path.m[1] ≈ 0.5 && path.eg[2] < path.eg[1]
    # Tokens that are exchanged change the points of the lattice alone.
    same = D.dynamics([0.0, 2.0]; code = code[:, turned], teacher = a[turned, turned], start_m = 0.5, points = 1024, shifts = 4)
    @test abs(path.m[2] - same.m[2]) < 8 * (path.m_sem[2] + same.m_sem[2])
    drawn = D.trajectories([0.0, 2.0]; dimension = 30, start_m = 0.5, runs = 3, test_samples = 50)
    @test drawn.run == [0, 0, 1, 1, 2, 2] && drawn.steps == [0, 60, 0, 60, 0, 60] && all(isnan, drawn.et)
    @fails :e_conflict D.dynamics(1.0; start_m = 0.9, start_theta = 0.9)

    @test D.simulate(alphas; dimension = 60, bytes = true) > D.simulate(alphas; dimension = 30, bytes = true) > 0

    # Stopped, failing, wrong.
    @test D.simulate(r -> true, 1.0; dimension = 100, runs = 4).outcome === :cancelled
    @test D.curve(r -> true, alphas; accuracy = 1).outcome === :cancelled
    @test_throws Mine D.simulate(r -> throw(Mine()), 1.0; dimension = 100, runs = 2)
    @test_throws Mine D.transition(r -> throw(Mine()), 0.3; max_iter = 10)
    @fails :e_shape D.tokens(1.0; code = [1, 0, -1])
    @fails :e_shape D.curve(1.0; teacher = zeros(3, 3))
    @fails :e_option D.tokens(1.0; chains = 2)
    @test_throws DimensionMismatch D.simulate(1.0; code = zeros(1, 2, 2))
    @test_throws ArgumentError D.simulate(1.0; start = :cold)
    @test_throws ArgumentError D.curve(1.0; branch = :both)
    @fails :e_option_range D.simulate(1.0; omega = 2)
    @fails :e_value D.tokens(1.0; points = 100)
    @fails :e_value D.linear(sigma = 0)
    @fails :e_not_finite D.curve(NaN)
end
