# SPDX-License-Identifier: MIT

"""
    AttoPotts.DotAttention

Dot-product attention with a positional and a semantic solution. In theory: `curve` and `transition` for two tokens by
quadrature, `linear` for what positions alone can do, `tokens` for any number of them and students of rank two by
randomised lattices. `simulate` draws data and descends instead; `dynamics` and
`trajectories` have overlaps against time. The formulas are in attopotts/dotattn.h and
dotattn_tokens.h.

Arrays are those of C with the indices reversed: the code of positions is `columns x L`, or a vector of L; `teacher` is
`L x L`, and `teacher[k, l]` is what token l takes from token k. What is not given is that of H. Cui et al. (2024): two
tokens of code (1, -1), teacher `[0.6 0.4; 0.4 0.6]`, `omega = 0.3`, `sigma = 0.5`, `lambda = 0.01`, students of rank
one. These and the options below are the library's, by name (`option_list()`); `context` and `bytes` as in `Replica`.
"""
module DotAttention

using ..AttoPotts: @api, OPTION_TEXTS
using ..Replica: solve

@api qualified begin
    """A branch of the state evolution, `:semantic`, `:positional` or `:uninformed`, of two tokens; gives a `Replica.Curve`.
    Options: $(OPTION_TEXTS[:dotattn_curve])."""
    curve(report, alphas; teacher, options...) = solve(report, :dotattn_curve, options; alphas = alphas, teacher = teacher)

    """Where the semantic branch gets the smaller training loss (`alpha_c`), where the branch that has it beats the linear
    map (`alpha_linear`), and where the branches begin and end, by omega; gives a `Replica.Curve`. Options:
    $(OPTION_TEXTS[:dotattn_transition])."""
    transition(report, omegas; teacher, options...) =
        solve(report, :dotattn_transition, options; omegas = omegas, teacher = teacher)

    "`(map, loss)`: the best linear map of positions, `2 x 2` as `teacher` is, and its generalisation loss."
    linear(; omega = 0.3, sigma = 0.5, teacher = [0.6 0.4; 0.4 0.6]) = atp_dotattn_linear

    """Theory for any number of tokens, with standard errors of randomised lattices; gives a `Replica.Curve`. Options:
    $(OPTION_TEXTS[:dotattn_tokens]).

    `start` is `:semantic` (m = 0), `:positional` (theta = 0) or `:mixed`; `points` a power of two."""
    tokens(report, alphas; code, teacher, options...) =
        solve(report, :dotattn_tokens, options; alphas = alphas, code = code, teacher = teacher)

    """Draw data, descend, look: means over runs and standard errors, by alpha; gives a `Replica.Curve`. Options:
    $(OPTION_TEXTS[:dotattn_simulation]).

    `optimizer` is `:sgd` (gradient descent), `:lbfgs` or `:adam`."""
    simulate(report, alphas; code, teacher, options...) =
        solve(report, :dotattn_simulation, options; alphas = alphas, code = code, teacher = teacher)

    """Overlaps of online descent in the limit of many dimensions, by time (samples per dimension); gives a
    `Replica.Curve`. Options: $(OPTION_TEXTS[:dotattn_dynamics])."""
    dynamics(report, times; code, teacher, options...) =
        solve(report, :dotattn_dynamics, options; times = times, code = code, teacher = teacher)

    """Draw data and descend: overlaps by run and time, with a fresh sample in each step (`alpha = 0`) or with all in
    each; gives a `Replica.Curve`. Options: $(OPTION_TEXTS[:dotattn_trajectory])."""
    trajectories(report, times; code, teacher, options...) =
        solve(report, :dotattn_trajectory, options; times = times, code = code, teacher = teacher)
end

end
