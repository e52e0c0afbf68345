# SPDX-License-Identifier: MIT

"""
    AttoPotts.Replica

Learning curves of masked Gaussian modelling, in theory and simulated: `goe_precision`, `mask_precision` and
`mask_covariance`, `spectrum`, then `square`, `square_saddle`, `convex`, `potts`; `limit` for infinitely many sites; `simulate`
and `simulate_potts` draw and learn instead. The formulas are in attopotts/replica.h.

`targets = [1.05]` with alphas `nothing` gives the smallest alpha whose test loss is at most so many times the best possible one;
`best_lambda = true` with penalty `nothing` the penalty of smallest test loss for each alpha (`square`, `square_saddle`, `limit`).
`spin_glass` and `potts_inputs` make the problem of one site of spin models.

Curves take the library's options by name (`option_list()`), `context`, and `bytes = true`, which gives the memory that
a run will ask for and does not run.
"""
module Replica

using ..AttoPotts
using ..AttoPotts: @api, OPTION_TEXTS, number, run_task, with_handle, atp_masked_noise, c_masked_covariance, c_masked_create,
    c_masked_create_covariance, c_masked_create_potts, c_masked_create_precision, c_masked_create_spin_glass, c_masked_spectrum,
    c_masked_weights

@api begin
    """The problem of predicting one site of a Gaussian from the others: `covariance` (`p x p`, of the others), `teacher` (p),
    `noise`."""
    struct Masked
        covariance::Matrix{Float64}
        teacher::Vector{Float64}
        noise::Float64
    end

    "`eigenvalues` of a covariance and `projections`: the squares of a teacher's components along its eigenvectors."
    struct Spectrum
        eigenvalues::Vector{Float64}
        projections::Vector{Float64}
    end

    """A learning curve. `columns` is a NamedTuple of vectors (a table), `outcome` is `:converged` or that of the first row
    that is not; the columns are properties, too: `curve.alpha`, `curve.eg`, `curve.et`, ... `table_columns(curve.kind)` says
    what each is, `plotdata` how to draw them."""
    struct Curve
        columns::NamedTuple
        outcome::Symbol
        kind::Symbol
    end

    "P = z I - J, `L x L`, with a Gaussian orthogonal J and z = shift > 2."
    goe_precision(sites, shift; seed = 1) = atp_replica_goe

    "The problem of predicting a site, 1..L, of x ~ N(0, P^-1) from the others; gives `Masked`."
    mask_precision(precision, site::Integer = 1; context) =
        with_handle(of_handle, c_masked_create_precision(context, precision, site))

    "The same from a covariance."
    mask_covariance(covariance, site::Integer = 1; context) =
        with_handle(of_handle, c_masked_create_covariance(context, covariance, site))

    """The problem of one site of a spin glass above its transition, in the limit of many sites; gives `Masked`. `color_covariance` (`q x q`)
    is that of colours that do not differ. An Ising model has twice its inverse temperature here and [1/4 -1/4; -1/4 1/4]."""
    spin_glass(beta::Real, color_covariance; parameters = 1000, inputs = :cavity, context) =
        with_handle(of_handle, c_masked_create_spin_glass(context, beta, color_covariance, parameters, inputs))

    """`(masked, color_covariance)` of a Potts model of one head and its sequences: what `potts` takes, the site being a mean over all.
    `inputs` is `:normal`, or `:cavity` for covariances given the colour of the masked site."""
    function potts_inputs(model::Model, alignment::Alignment; inputs = :normal, context)
        colors, handle = c_masked_create_potts(context, model, alignment, inputs)
        return (masked = with_handle(of_handle, handle), color_covariance = colors)
    end

    "The covariance of the fields of uniform colours of V, `q x q`."
    color_covariance(values) = atp_replica_color_covariance

    "Eigenvalues and projections; gives `Spectrum`."
    spectrum(masked::Masked; context) = spectrum(masked.covariance, masked.teacher; context = context)
    spectrum(covariance, teacher; context) =
        with_handle(x -> Spectrum(c_masked_spectrum(x)...), c_masked_create(context, covariance, teacher, 0))

    "The learning curve of the square loss on a spectrum; gives a `Curve`. Options: $(OPTION_TEXTS[:replica_square])."
    square(spectrum::Spectrum, noise::Real, alphas, penalty::Union{Real,Nothing}; options...) =
        solve(nothing, :replica_square, options; arrays_of(spectrum)..., alphas = alphas, noise = noise, lambda = penalty)

    "The same from the saddle-point equations. Options: $(OPTION_TEXTS[:replica_saddle])."
    square_saddle(spectrum::Spectrum, noise::Real, alphas, penalty::Union{Real,Nothing}; options...) =
        solve(nothing, :replica_saddle, options; arrays_of(spectrum)..., alphas = alphas, noise = noise, lambda = penalty)

    "The curve in the limit of many sites, P = z I - J with z = shift. Options: $(OPTION_TEXTS[:replica_limit])."
    limit(shift::Real, alphas, penalty::Union{Real,Nothing}; options...) =
        solve(nothing, :replica_limit, options; alphas = alphas, diagonal_shift = shift, lambda = penalty)

    """`(curve, optimum)` of the loss `:square`, `:huber` or `:logistic`; `optimum` is the loss of the teacher. Options:
    $(OPTION_TEXTS[:replica_convex])."""
    function convex(spectrum::Spectrum, alphas, penalty::Union{Real,Nothing}; loss = :logistic, options...)
        run = run_task(nothing, :replica_convex, options; arrays_of(spectrum)..., alphas = alphas, loss = loss, lambda = penalty)
        return run isa Int ? run : (curve = curve_of(run), optimum = run.optimum)
    end

    """`(curve, optimum)` of q-colour pseudo-likelihood with known V; `color_covariance` (`q x q`) is that of the fields. Options:
    $(OPTION_TEXTS[:replica_potts])."""
    function potts(report, spectrum::Spectrum, color_covariance, alphas, penalty::Union{Real,Nothing}; options...)
        run = run_task(report, :replica_potts, options; arrays_of(spectrum)..., color_covariance = color_covariance, alphas = alphas,
            lambda = penalty)
        return run isa Int ? run : (curve = curve_of(run), optimum = run.optimum)
    end

    """The same drawn and learned: means over realisations and standard errors, by alpha; gives a `Curve`. Options:
    $(OPTION_TEXTS[:replica_potts_simulation])."""
    simulate_potts(report, masked::Masked, color_covariance, alphas, penalty::Real; options...) =
        solve(report, :replica_potts_simulation, options; covariance = masked.covariance, weights = masked.teacher,
            color_covariance = color_covariance, alphas = alphas, lambda = penalty)

    """Draw samples, learn, look: means over realisations and standard errors, by alpha; gives a `Curve`. Options:
    $(OPTION_TEXTS[:replica_simulation])."""
    simulate(report, masked::Masked, alphas, penalty::Real; options...) =
        solve(report, :replica_simulation, options; covariance = masked.covariance, weights = masked.teacher, alphas = alphas,
            noise = masked.noise, lambda = penalty)
end

of_handle(x) = Masked(c_masked_covariance(x), c_masked_weights(x), number(atp_masked_noise, x))
Base.show(io::IO, x::Masked) = print(io, "Masked: a site given ", length(x.teacher), " others, noise ", x.noise)

Base.show(io::IO, x::Spectrum) = print(io, "Spectrum of ", length(x.eigenvalues), " eigenvalues")

Base.propertynames(x::Curve, private::Bool = false) = (:columns, :outcome, :kind, keys(getfield(x, :columns))...)
Base.getproperty(x::Curve, name::Symbol) =
    name in fieldnames(Curve) ? getfield(x, name) : getproperty(getfield(x, :columns), name)
Base.show(io::IO, x::Curve) =
    print(io, "Curve of ", length(first(x.columns)), " rows, ", x.outcome, ": ", join(keys(x.columns), ", "))

curve_of(bytes::Int) = bytes
curve_of(run) = Curve(run.columns, run.outcome, run.kind)

# The curve of a task.
solve(report, kind, options; own...) = curve_of(run_task(report, kind, options; own...))
arrays_of(x::Spectrum) = (eigenvalues = x.eigenvalues, projections = x.projections)

end
