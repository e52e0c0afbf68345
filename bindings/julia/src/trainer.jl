# SPDX-License-Identifier: MIT

@api begin
    """Learns a model from an alignment: factored attention, or dense couplings with `family = :dense`. What has words takes
    Symbols (`option_list()` has them). Options with their defaults:

    $(OPTION_TEXTS[:trainer]).

    A penalty, tolerance, rate or history of 0 or -1 may mean "automatic": see attopotts/options.h.

    Properties: `parameters` (a copy; can be set, which starts training afresh; the order is in attopotts/trainer.h),
    `parameter_count`, `epochs` (done so far)."""
    Trainer(alignment; context, options...) = atp_trainer_create

    "The memory that `Trainer` will ask for, for data of this shape, n sequences."
    trainer_bytes(n, sites, colors; context, options...) = atp_trainer_bytes

    "Set V, `q x q x H`, learned or fixed; needed before a run with `colors_fixed = true`."
    set_values!(trainer, values) = atp_trainer_set_values

    "Set the parameters to good initial ones by way of more heads; gives the outcome."
    start_wide!(report, trainer, heads; iterations = 100) = atp_trainer_start_wide

    """Set the parameters to the closest couplings to those of `wide`, a trainer with more heads: the second half of
    [`start_wide!`](@ref) for starts that are saved and resumed. Gives the trainer."""
    start_from!(trainer, wide) = atp_trainer_start_from
end
