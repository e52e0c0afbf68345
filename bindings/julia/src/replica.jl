# SPDX-License-Identifier: MIT

"""
    AttoPotts.Replica

Learning curves of masked Gaussian modelling, in theory and simulated: `goe_precision`, `mask_precision` and
`mask_covariance`, `spectrum`, then `square`, `square_saddle`, `convex`; `limit` for infinitely many sites; `simulate`
draws and learns instead. The formulas are in attopotts/replica.h. `penalty` is lambda.
"""
module Replica

using ..AttoPotts
using ..AttoPotts: Context, WORDS, borrow, check, default_context, integer_of, outcome_word, reals, run_call,
    square_matrix, word, ATP_REPLICA_COLUMNS, ATP_REPLICA_SIM_COLUMNS, atp_replica_column_find,
    atp_replica_column_name, atp_replica_convex, atp_replica_convex_workspace, atp_replica_goe, atp_replica_limit,
    atp_replica_mask_covariance, atp_replica_mask_precision, atp_replica_mask_workspace, atp_replica_simulate,
    atp_replica_simulate_bytes, atp_replica_spectrum, atp_replica_spectrum_workspace, atp_replica_square,
    atp_replica_square_saddle, text_of

export Curve, Masked, Spectrum, column_names, column_number, convex, goe_precision, limit, mask_covariance,
    mask_precision, simulate, simulate_bytes, spectrum, square, square_saddle

"""
    Masked

The problem of predicting one site of a Gaussian from the others: `covariance` (`p x p`, of the others), `teacher` (p),
`noise`.
"""
struct Masked
    covariance::Matrix{Float64}
    teacher::Vector{Float64}
    noise::Float64
end

Base.show(io::IO, x::Masked) = print(io, "Masked: a site given ", length(x.teacher), " others, noise ", x.noise)

"""
    Spectrum

`eigenvalues` of a covariance and `projections`: the squares of a teacher's components along its eigenvectors.
"""
struct Spectrum
    eigenvalues::Vector{Float64}
    projections::Vector{Float64}
end

Base.show(io::IO, x::Spectrum) = print(io, "Spectrum of ", length(x.eigenvalues), " eigenvalues")

"""
    Curve

A learning curve. `columns` is a NamedTuple of vectors (a table), `outcome` is `:converged` or that of the first row
that is not; the columns are properties, too: `curve.alpha`, `curve.eg`, `curve.et`, ...
"""
struct Curve
    columns::NamedTuple
    outcome::Symbol
end

Base.propertynames(x::Curve, private::Bool = false) = (:columns, :outcome, keys(getfield(x, :columns))...)
Base.getproperty(x::Curve, name::Symbol) =
    name === :columns || name === :outcome ? getfield(x, name) : getproperty(getfield(x, :columns), name)
Base.show(io::IO, x::Curve) =
    print(io, "Curve of ", length(first(x.columns)), " rows, ", x.outcome, ": ", join(keys(x.columns), ", "))

function curve_of(rows, enum, outcome)
    words = WORDS[enum]
    return Curve(NamedTuple{Tuple(first.(words))}(Tuple(rows[number + 1, :] for (_, number) in words)),
        outcome_word(outcome[]))
end

"""
    column_names()

The names of the columns of a theoretical curve, in the library's words.
"""
column_names() = [Symbol(text_of(atp_replica_column_name(k))) for k in 0:(ATP_REPLICA_COLUMNS - 1)]

"""
    column_number(name)

The place of a column, 1..18; `nothing` for another name.
"""
function column_number(name)
    k = atp_replica_column_find(string(name))
    return k < 0 ? nothing : Int(k) + 1
end

function workspace(f, arguments...)
    size = Ref(Int64(0))
    check(f(arguments..., size))
    return Vector{Float64}(undef, size[])
end

"""
    goe_precision(sites, shift; seed = 1)

P = z I - J, `L x L`, with a Gaussian orthogonal J and z = shift > 2.
"""
function goe_precision(sites::Integer, shift::Real; seed::Integer = 1)
    out = Matrix{Float64}(undef, max(sites, 0), max(sites, 0))
    check(atp_replica_goe(sites, shift, seed, out, length(out)))
    return out
end

function mask(f, matrix, site, name)
    given = square_matrix(matrix, name)
    sites = size(given, 1)
    work = workspace(atp_replica_mask_workspace, sites)
    covariance, teacher, noise =
        Matrix{Float64}(undef, sites - 1, sites - 1), Vector{Float64}(undef, sites - 1), Ref(0.0)
    check(f(given, sites, site - 1, covariance, length(covariance), teacher, length(teacher), noise, work,
        length(work)))
    return Masked(covariance, teacher, noise[])
end

"""
    mask_precision(precision, site = 1)

The problem of predicting a site, 1..L, of x ~ N(0, P^-1) from the others; gives `Masked`.
"""
mask_precision(precision, site::Integer = 1) = mask(atp_replica_mask_precision, precision, site, "precision")

"""
    mask_covariance(covariance, site = 1)

The same from a covariance.
"""
mask_covariance(covariance, site::Integer = 1) = mask(atp_replica_mask_covariance, covariance, site, "covariance")

"""
    spectrum(masked)
    spectrum(covariance, teacher)

Eigenvalues and projections; gives `Spectrum`.
"""
spectrum(masked::Masked) = spectrum(masked.covariance, masked.teacher)

function spectrum(covariance, teacher)
    s = square_matrix(covariance, "covariance")
    p = size(s, 1)
    w = reals(teacher, "teacher", (p,))
    work = workspace(atp_replica_spectrum_workspace, p)
    eigenvalues, projections = Vector{Float64}(undef, p), Vector{Float64}(undef, p)
    check(atp_replica_spectrum(s, length(s), w, p, eigenvalues, projections, p, work, length(work)))
    return Spectrum(eigenvalues, projections)
end

alphas_of(x::Real) = [Float64(x)]
alphas_of(x) = vec(reals(x, "alphas"))

function theory(f, alphas)
    a = alphas_of(alphas)
    rows, outcome = Matrix{Float64}(undef, ATP_REPLICA_COLUMNS, length(a)), Ref(Cint(0))
    check(f(a, rows, outcome))
    return curve_of(rows, :replica_column, outcome)
end

"""
    square(spectrum, noise, alphas, penalty; temperature = 0)

The learning curve of the square loss on a spectrum; gives a `Curve`.
"""
function square(x::Spectrum, noise::Real, alphas, penalty::Real; temperature::Real = 0)
    s, t = x.eigenvalues, x.projections
    return theory(alphas) do a, rows, outcome
        atp_replica_square(s, length(s), t, length(t), noise, a, length(a), penalty, temperature, rows, length(rows),
            outcome)
    end
end

"""
    square_saddle(spectrum, noise, alphas, penalty; temperature = 0, max_iter = 1000)

The same from the saddle-point equations.
"""
function square_saddle(x::Spectrum, noise::Real, alphas, penalty::Real; temperature::Real = 0, max_iter::Integer = 1000)
    s, t = x.eigenvalues, x.projections
    return theory(alphas) do a, rows, outcome
        atp_replica_square_saddle(s, length(s), t, length(t), noise, a, length(a), penalty, temperature, max_iter,
            rows, length(rows), outcome)
    end
end

"""
    limit(shift, alphas, penalty; temperature = 0)

The curve in the limit of many sites, P = z I - J with z = shift.
"""
function limit(shift::Real, alphas, penalty::Real; temperature::Real = 0)
    return theory(alphas) do a, rows, outcome
        atp_replica_limit(shift, a, length(a), penalty, temperature, rows, length(rows), outcome)
    end
end

"""
    convex(spectrum, alphas, penalty; loss = :logistic, noise = 0, delta = 1, max_iter = 1000)

`(curve, optimum)` of the loss `:square`, `:huber` or `:logistic`; `optimum` is the loss of the teacher.
"""
function convex(x::Spectrum, alphas, penalty::Real; loss = :logistic, noise::Real = 0, delta::Real = 1,
                max_iter::Integer = 1000)
    s, t = x.eigenvalues, x.projections
    number = word(:replica_loss, loss, :loss)
    work = workspace(atp_replica_convex_workspace)
    optimum = Ref(0.0)
    curve = theory(alphas) do a, rows, outcome
        atp_replica_convex(s, length(s), t, length(t), noise, number, delta, a, length(a), penalty, max_iter, work,
            length(work), rows, length(rows), optimum, outcome)
    end
    return (curve = curve, optimum = optimum[])
end

"""
    simulate([report,] masked, alphas, penalty; realisations = 30, seed = 1, context)

Draw samples, learn, look: means over realisations and standard errors, by alpha; gives a `Curve`.
"""
simulate(masked::Masked, alphas, penalty::Real; options...) = simulate(nothing, masked, alphas, penalty; options...)

function simulate(report, masked::Masked, alphas, penalty::Real; realisations::Integer = 30, seed::Integer = 1,
                  context::Context = default_context())
    a, s, w = alphas_of(alphas), masked.covariance, masked.teacher
    rows, outcome = Matrix{Float64}(undef, ATP_REPLICA_SIM_COLUMNS, length(a)), Ref(Cint(0))
    borrow(context) do c
        run_call(report) do f, user
            atp_replica_simulate(c, s, length(s), w, length(w), masked.noise, a, length(a), penalty, realisations,
                seed, f, user, rows, length(rows), outcome)
        end
    end
    return curve_of(rows, :replica_sim_column, outcome)
end

"""
    simulate_bytes(parameters, alphas, penalty; realisations = 30, context)

The memory that `simulate` will ask for.
"""
function simulate_bytes(parameters::Integer, alphas, penalty::Real; realisations::Integer = 30,
                        context::Context = default_context())
    a = alphas_of(alphas)
    return integer_of((c, place) -> atp_replica_simulate_bytes(c, parameters, a, length(a), penalty, realisations,
        place), context)
end

end
