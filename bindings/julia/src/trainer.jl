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
mutable struct Trainer <: Learner
    owned::Union{Nothing,Owned}
    Trainer(owned::Owned) = finalizer(close, new(owned))
end

calls(::Trainer) = (set_test = atp_trainer_set_test, set_truth = atp_trainer_set_truth,
    parameter_count = atp_trainer_parameter_count, parameters = atp_trainer_parameters,
    set_parameters = atp_trainer_set_parameters, loss = atp_trainer_loss, run = atp_trainer_run,
    epochs = atp_trainer_epochs, request_stop = atp_trainer_request_stop, model = atp_trainer_model,
    state_bytes = atp_trainer_state_bytes, save_state = atp_trainer_save_state,
    load_state = atp_trainer_load_state)

function Trainer(alignment::Alignment; context::Context = default_context(), options...)
    return with_options(context, LEARNING, options) do bag
        create(atp_trainer_create, Trainer, atp_trainer_destroy, context, alignment, bag;
               needs = [open_owned(alignment), nothing, nothing])
    end
end

"""
    trainer_bytes(count, sites, colors; context, options...)

The memory that `Trainer` will ask for, for data of this shape.
"""
function trainer_bytes(count::Integer, sites::Integer, colors::Integer; context::Context = default_context(),
                       options...)
    return with_options(context, LEARNING, options) do bag
        integer_of((c, b, place) -> atp_trainer_bytes(c, count, sites, colors, b, place), context, bag)
    end
end

"""
    set_values!(trainer, values)

Set V, `q x q x H`, learned or fixed; needed before a run with `colors_fixed = true`.
"""
function set_values!(x::Trainer, values)
    v = reals(values, "values")
    borrow(a -> check(atp_trainer_set_values(a, v, length(v))), x)
    return x
end

function gradient(x::Trainer)
    return gradient_of(x) do a, loss, objective, array, size
        atp_trainer_gradient(a, loss, objective, array, size)
    end
end

function gradient(x::Trainer, masked_sites)
    sites = masked(masked_sites)
    return gradient_of(x) do a, loss, objective, array, size
        atp_trainer_masked_gradient(a, sites, length(sites), loss, objective, array, size)
    end
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

function Base.show(io::IO, x::Trainer)
    isopen(x) ? print(io, "Trainer of ", x.parameter_count, " parameters, after ", x.epochs, " epochs") : print(io,
        "Trainer, closed")
end
