# SPDX-License-Identifier: MIT

"""
    Trainer(alignment; context, options...)

Learns a model from an alignment: factored attention, or dense couplings with `family = :dense`. What has words takes
Symbols (`option_list()` has them). Options with their defaults:

$(OPTION_TEXTS[:trainer]).

A penalty, tolerance, rate or history of 0 or -1 may mean "automatic": see attopotts/options.h.

Properties: `parameters` (a copy; can be set, which starts training afresh; the order is in attopotts/trainer.h),
`parameter_count`, `epochs` (done so far).
"""
Trainer

"""
    trainer_bytes(count, sites, colors; context, options...)

The memory that `Trainer` will ask for, for data of this shape.
"""
trainer_bytes(count::Integer, sites::Integer, colors::Integer; context::Context = default_context(), options...) =
    c_learner_bytes(Trainer, context, count, sites, colors, options)

"""
    set_values!(trainer, values)

Set V, `q x q x H`, learned or fixed; needed before a run with `colors_fixed = true`.
"""
set_values!(x::Trainer, values) = (c_learner_set_values(x, several(values)); x)

"""
    start_wide!([report,] trainer, heads; iterations = 100)

Set the parameters to good initial ones by way of more heads; gives the outcome.
"""
start_wide!(x::Trainer, heads::Integer; iterations::Integer = 100) =
    start_wide!(nothing, x, heads; iterations = iterations)
start_wide!(report, x::Trainer, heads::Integer; iterations::Integer = 100) =
    c_learner_start_wide(x, heads, iterations, report)

"""
    start_from!(trainer, wide)

Set the parameters to the closest couplings to those of `wide`, a trainer with more heads: the second half of
[`start_wide!`](@ref) for starts that are saved and resumed. Gives the trainer.
"""
start_from!(x::Trainer, wide::Trainer) = (c_learner_start_from(x, wide); x)
