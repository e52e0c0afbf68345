# SPDX-License-Identifier: MIT

"""
    Trainer(alignment; context, options...)

Learns a model from an alignment: factored attention, or dense couplings with `family = :dense`. Options are those of
the C API with `_` for `-` (`option_list()` has them all): `heads`, `map = :free`, `:softmax` or `:lowrank`, `rank`,
`fields`, `objective`, `optimizer`, `epochs`, `tolerance`, `l2_couplings`, ..., and `seed`. What has words takes
Symbols.

Properties: `parameters` (a copy; can be set, which starts training afresh; the order is in attopotts/trainer.h),
`parameter_count`, `epochs` (done so far).
"""
Trainer

"""
    trainer_bytes(count, sites, colors; context, options...)

The memory that `Trainer` will ask for, for data of this shape.
"""
trainer_bytes(count::Integer, sites::Integer, colors::Integer; context::Context = default_context(), options...) =
    bytes_of(Trainer, count, sites, colors, context, options)

"""
    set_values!(trainer, values)

Set V, `q x q x H`, learned or fixed; needed before a run with `colors_fixed = true`.
"""
function set_values!(x::Trainer, values)
    v = reals(values, "values")
    borrow(a -> check(atp_trainer_set_values(a, v, length(v))), x)
    return x
end

"""
    start_wide!([report,] trainer, heads; iterations = 100)

Set the parameters to good initial ones by way of more heads; gives the outcome.
"""
start_wide!(x::Trainer, heads::Integer; iterations::Integer = 100) =
    start_wide!(nothing, x, heads; iterations = iterations)

function start_wide!(report, x::Trainer, heads::Integer; iterations::Integer = 100)
    outcome = Ref(Cint(0))
    borrow(a -> run_call((f, user) -> atp_trainer_start_wide(a, heads, iterations, f, user, outcome), report), x)
    return outcome_word(outcome[])
end

"""
    start_from!(trainer, wide)

Set the parameters to the closest couplings to those of `wide`, a trainer with more heads: the second half of
[`start_wide!`](@ref) for starts that are saved and resumed. Gives the trainer.
"""
function start_from!(x::Trainer, wide::Trainer)
    borrow((a, b) -> check(atp_trainer_start_from(a, b)), x, wide)
    return x
end
