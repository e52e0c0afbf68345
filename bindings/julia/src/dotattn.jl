# SPDX-License-Identifier: MIT

"""
    AttoPotts.DotAttention

Dot-product attention with a positional and a semantic solution. In theory: `curve` and `transition` for two tokens by
quadrature, `linear` for what positions alone can do, `tokens` for any number of them and students of rank two by
randomised lattices. `simulate` draws data and descends instead. The formulas are in attopotts/dotattn.h and
dotattn_tokens.h.

Arrays are those of C with the indices reversed: the code of positions is `columns x L`, or a vector of L; `teacher` is
`L x L`, and `teacher[k, l]` is what token l takes from token k. What is not given is that of H. Cui et al. (2024): two
tokens of code (1, -1), teacher `[0.6 0.4; 0.4 0.6]`, `omega = 0.3`, `sigma = 0.5`, `penalty = 0.01` (lambda), students
of rank one.
"""
module DotAttention

using ..AttoPotts
using ..AttoPotts: Context, borrow, check, default_context, integer_of, reals, run_call, text_of, word,
    ATP_DOTATTN_COLUMNS, ATP_DOTATTN_SIM_COLUMNS, ATP_DOTATTN_TOKENS_COLUMNS, ATP_DOTATTN_TRANSITION_COLUMNS,
    atp_dotattn_bytes, atp_dotattn_column_find, atp_dotattn_column_name, atp_dotattn_curve, atp_dotattn_linear,
    atp_dotattn_sim_column_find, atp_dotattn_sim_column_name, atp_dotattn_simulate, atp_dotattn_simulate_bytes,
    atp_dotattn_tokens, atp_dotattn_tokens_bytes, atp_dotattn_tokens_column_find, atp_dotattn_tokens_column_name,
    atp_dotattn_transition, atp_dotattn_transition_column_name
using ..Replica: Curve, alphas_of, curve_of

const CODE = [1.0, -1.0]
const TEACHER = [0.6 0.4; 0.4 0.6]

# Columns of tables: their number and the C functions of their names.
const TABLES = (curve = (ATP_DOTATTN_COLUMNS, atp_dotattn_column_name),
    transition = (ATP_DOTATTN_TRANSITION_COLUMNS, atp_dotattn_transition_column_name),
    tokens = (ATP_DOTATTN_TOKENS_COLUMNS, atp_dotattn_tokens_column_name),
    simulate = (ATP_DOTATTN_SIM_COLUMNS, atp_dotattn_sim_column_name))

"""
    DotAttention.column_names(table)

The names of the columns of what `:curve`, `:transition`, `:tokens` or `:simulate` gives, in the library's words.
"""
function column_names(table::Symbol)
    haskey(TABLES, table) || throw(ArgumentError("table is :$table, expected one of :$(join(keys(TABLES), ", :"))"))
    count, name = TABLES[table]
    return [Symbol(text_of(name(k))) for k in 0:(count - 1)]
end

"""
    DotAttention.column_number(table, name)

The place of a column of `:curve`, `:transition`, `:tokens` or `:simulate`; `nothing` for another name.
"""
function column_number(table::Symbol, name)
    table === :transition && return findfirst(isequal(Symbol(name)), column_names(table))
    find = get((curve = atp_dotattn_column_find, tokens = atp_dotattn_tokens_column_find,
                simulate = atp_dotattn_sim_column_find), table, nothing)
    find === nothing && throw(ArgumentError("table is :$table, expected one of :$(join(keys(TABLES), ", :"))"))
    k = find(string(name))
    return k < 0 ? nothing : Int(k) + 1
end

function task_of(code, teacher)
    c = reals(code, "code")
    ndims(c) <= 2 || throw(DimensionMismatch("code has size $(size(c)), expected (columns, L)"))
    columns = ndims(c) == 2 ? size(c, 1) : 1
    sites = size(c, ndims(c))
    return c, columns, sites, reals(teacher, "teacher", (sites, sites))
end

# f(context, function, user, rows, size, outcome) gives a status; gives the curve of n rows.
function solved(f, report, context, enum, columns, n)
    rows, outcome = Matrix{Float64}(undef, columns, n), Ref(Cint(0))
    borrow(c -> run_call((g, user) -> f(c, g, user, rows, length(rows), outcome), report), context)
    return curve_of(rows, enum, outcome)
end

"""
    DotAttention.curve([report,] alphas; branch = :semantic, omega, sigma, penalty, teacher, accuracy = 1e-3,
                       max_iter = 10000, context)

A branch of the state evolution, `:semantic`, `:positional` or `:uninformed`, of two tokens; gives a `Replica.Curve`.
"""
curve(alphas; options...) = curve(nothing, alphas; options...)

function curve(report, alphas; branch = :semantic, omega::Real = 0.3, sigma::Real = 0.5, penalty::Real = 0.01,
               teacher = TEACHER, accuracy::Real = 1e-3, max_iter::Integer = 10_000,
               context::Context = default_context())
    a, number, t = alphas_of(alphas), word(:dotattn_branch, branch, :branch), reals(teacher, "teacher", (2, 2))
    return solved(report, context, :dotattn_column, ATP_DOTATTN_COLUMNS, length(a)) do c, g, user, out...
        atp_dotattn_curve(c, t, length(t), omega, sigma, penalty, number, a, length(a), accuracy, max_iter, g, user,
            out...)
    end
end

"""
    DotAttention.transition([report,] omegas; sigma, penalty, teacher, accuracy = 1e-3, max_iter = 100000, context)

Where the semantic branch gets the smaller training loss (`alpha_c`), where the branch that has it beats the linear map
(`alpha_linear`), and where the branches begin and end, by omega; gives a `Replica.Curve`.
"""
transition(omegas; options...) = transition(nothing, omegas; options...)

function transition(report, omegas; sigma::Real = 0.5, penalty::Real = 0.01, teacher = TEACHER, accuracy::Real = 1e-3,
                    max_iter::Integer = 100_000, context::Context = default_context())
    w, t = omegas isa Real ? [Float64(omegas)] : vec(reals(omegas, "omegas")), reals(teacher, "teacher", (2, 2))
    table, columns = :dotattn_transition_column, ATP_DOTATTN_TRANSITION_COLUMNS
    return solved(report, context, table, columns, length(w)) do c, g, user, out...
        atp_dotattn_transition(c, t, length(t), sigma, penalty, w, length(w), accuracy, max_iter, g, user, out...)
    end
end

"""
    DotAttention.linear(; omega, sigma, teacher)

`(map, loss)`: the best linear map of positions, `2 x 2` as `teacher` is, and its generalisation loss.
"""
function linear(; omega::Real = 0.3, sigma::Real = 0.5, teacher = TEACHER)
    t, map, loss = reals(teacher, "teacher", (2, 2)), Matrix{Float64}(undef, 2, 2), Ref(0.0)
    check(atp_dotattn_linear(t, length(t), omega, sigma, map, length(map), loss))
    return (map = map, loss = loss[])
end

"""
    DotAttention.tokens([report,] alphas; code, teacher, omega, sigma, penalty, rank = 1, solution = :semantic,
                        points = 4096, shifts = 8, seed = 1, tolerance = 1e-8, max_iter = 500, context)

Theory for any number of tokens, with standard errors of randomised lattices; gives a `Replica.Curve`. `solution`:
`:semantic` (m = 0), `:positional` (theta = 0) or `:mixed`. `points` is a power of two.
"""
tokens(alphas; options...) = tokens(nothing, alphas; options...)

function tokens(report, alphas; code = CODE, teacher = TEACHER, omega::Real = 0.3, sigma::Real = 0.5,
                penalty::Real = 0.01, rank::Integer = 1, solution = :semantic, points::Integer = 4096,
                shifts::Integer = 8, seed::Integer = 1, tolerance::Real = 1e-8, max_iter::Integer = 500,
                context::Context = default_context())
    a, (u, columns, sites, t) = alphas_of(alphas), task_of(code, teacher)
    number = word(:dotattn_start, solution, :solution)
    table = :dotattn_tokens_column
    return solved(report, context, table, ATP_DOTATTN_TOKENS_COLUMNS, length(a)) do c, g, user, out...
        atp_dotattn_tokens(c, sites, u, columns, length(u), rank, t, length(t), omega, sigma, penalty, a, length(a),
            number, points, shifts, seed, tolerance, max_iter, g, user, out...)
    end
end

"""
    DotAttention.simulate([report,] alphas; dimension = 1000, code, teacher, omega, sigma, penalty, rank = 1,
                          start = :semantic, optimizer = :lbfgs, steps = 5000, rate = 0, tolerance = 1e-5,
                          fresh = 1000, runs = 10, seed = 1, context)

Draw data, descend, look: means over runs and standard errors, by alpha; gives a `Replica.Curve`. `start`: `:semantic`,
`:positional`, `:random` or `:mixed`; `optimizer`: `:lbfgs`, `:sgd` (gradient descent) or `:adam`; `rate` 0 is that of
the optimiser.
"""
simulate(alphas; options...) = simulate(nothing, alphas; options...)

function simulate(report, alphas; dimension::Integer = 1000, code = CODE, teacher = TEACHER, omega::Real = 0.3,
                  sigma::Real = 0.5, penalty::Real = 0.01, rank::Integer = 1, start = :semantic, optimizer = :lbfgs,
                  steps::Integer = 5000, rate::Real = 0, tolerance::Real = 1e-5, fresh::Integer = 1000,
                  runs::Integer = 10, seed::Integer = 1, context::Context = default_context())
    a, (u, columns, sites, t) = alphas_of(alphas), task_of(code, teacher)
    from, by = word(:dotattn_start, start, :start), word(:optimizer, optimizer)
    return solved(report, context, :dotattn_sim_column, ATP_DOTATTN_SIM_COLUMNS, length(a)) do c, g, user, out...
        atp_dotattn_simulate(c, dimension, sites, u, columns, length(u), rank, t, length(t), omega, sigma, penalty, a,
            length(a), from, by, steps, rate, tolerance, fresh, runs, seed, g, user, out...)
    end
end

"""
    DotAttention.curve_bytes(count; context)

The memory that `curve` will ask for, for so many alphas; that of `transition` is `curve_bytes(0)`.
"""
curve_bytes(count::Integer; context::Context = default_context()) =
    integer_of((c, place) -> atp_dotattn_bytes(c, count, place), context)

"""
    DotAttention.tokens_bytes(count; tokens = 2, rank = 1, points = 4096, shifts = 8, context)

The memory that `tokens` will ask for, for so many alphas.
"""
function tokens_bytes(count::Integer; tokens::Integer = 2, rank::Integer = 1, points::Integer = 4096,
                      shifts::Integer = 8, context::Context = default_context())
    return integer_of((c, place) -> atp_dotattn_tokens_bytes(c, tokens, rank, count, points, shifts, place), context)
end

"""
    DotAttention.simulate_bytes(alphas; dimension = 1000, tokens = 2, code_columns = 1, rank = 1, optimizer = :lbfgs,
                                runs = 10, context)

The memory that `simulate` will ask for.
"""
function simulate_bytes(alphas; dimension::Integer = 1000, tokens::Integer = 2, code_columns::Integer = 1,
                        rank::Integer = 1, optimizer = :lbfgs, runs::Integer = 10,
                        context::Context = default_context())
    a, by = alphas_of(alphas), word(:optimizer, optimizer)
    return integer_of(context) do c, place
        atp_dotattn_simulate_bytes(c, dimension, tokens, code_columns, rank, a, length(a), by, runs, place)
    end
end

end
