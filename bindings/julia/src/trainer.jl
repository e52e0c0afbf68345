# SPDX-License-Identifier: MIT

const TRAINERS = (2,)
# Places in Owned.needs: set_test! and set_truth! change them.
const NEEDS_DATA, NEEDS_TEST, NEEDS_TRUTH = 1, 2, 3

"""
    Trainer(alignment; context, options...)

Learns a model from an alignment: factored attention, or dense couplings with `family = :dense`. Options are those of
the C API with `_` for `-` (`option_list()` has them all): `heads`, `map = :free`, `:softmax` or `:lowrank`, `rank`,
`fields`, `objective`, `optimizer`, `epochs`, `tolerance`, `l2_couplings`, ..., and `seed`. What has words takes
Symbols.

Properties: `parameters` (a copy; can be set, which starts training afresh; the order is in attopotts/trainer.h),
`parameter_count`, `epochs` (done so far).
"""
mutable struct Trainer <: Handle
    owned::Union{Nothing,Owned}
    Trainer(owned::Owned) = finalizer(close, new(owned))
end

function Trainer(alignment::Alignment; context::Context = default_context(), options...)
    return with_options(context, TRAINERS, options) do bag
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
    return with_options(context, TRAINERS, options) do bag
        integer_of((c, b, place) -> atp_trainer_bytes(c, count, sites, colors, b, place), context, bag)
    end
end

names_of(::Type{Trainer}) = (:parameters, :parameter_count, :epochs)
property(x::Trainer, ::Val{:parameter_count}) = Int(number(atp_trainer_parameter_count, x))
property(x::Trainer, ::Val{:epochs}) = Int(number(atp_trainer_epochs, x))
property(x::Trainer, ::Val{:parameters}) = filled(atp_trainer_parameters, x, x.parameter_count)

function set_property!(x::Trainer, ::Val{:parameters}, value)
    parameters = reals(value, "parameters")
    borrow(a -> check(atp_trainer_set_parameters(a, parameters, length(parameters))), x)
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

function set_need!(set, x::Trainer, place, other)
    borrow(x, other) do address, needed
        check(set(address, needed))
        owned = open_owned(x)
        before, after = owned.needs[place], open_owned(other)
        retain(after)
        owned.needs[place] = after
        release(before)
    end
    return x
end

"""
    set_test!(trainer, alignment)

Report the loss on these sequences, too; `nothing` to stop.
"""
set_test!(x::Trainer, alignment::Union{Nothing,Alignment}) = set_need!(atp_trainer_set_test, x, NEEDS_TEST, alignment)

"""
    set_truth!(trainer, model)

Report the coupling error against this model, and its loss on the test sequences; `nothing` to stop.
"""
set_truth!(x::Trainer, model::Union{Nothing,Model}) = set_need!(atp_trainer_set_truth, x, NEEDS_TRUTH, model)

"""
    Gradient

What `gradient` gives: `loss` (nats per site), `objective` (with penalties), `gradient` (of the objective).
"""
struct Gradient
    loss::Float64
    objective::Float64
    gradient::Vector{Float64}
end

Base.show(io::IO, x::Gradient) =
    print(io, "Gradient of ", length(x.gradient), " parameters: loss ", x.loss, ", objective ", x.objective)

function gradient_by(f, x::Trainer)
    loss, objective = Ref(0.0), Ref(0.0)
    array = filled((a, array, size) -> f(a, loss, objective, array, size), x, x.parameter_count)
    return Gradient(loss[], objective[], array)
end

"""
    gradient(trainer)
    gradient(trainer, masked_sites)

Loss, objective and gradient at the present parameters, over all sites of all sequences, or over one masked site per
sequence, each 1..L.
"""
gradient(x::Trainer) = gradient_by(atp_trainer_gradient, x)

function gradient(x::Trainer, masked_sites)
    sites = dense(Int64, masked_sites, "masked_sites") .- 1
    return gradient_by((a, rest...) -> atp_trainer_masked_gradient(a, sites, length(sites), rest...), x)
end

loss(x::Trainer, alignment::Alignment) = real_of(atp_trainer_loss, x, alignment)

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
    train!([report,] trainer, [epochs])

Train for so many epochs more, by default to the end of the schedule; gives `:converged`, `:max_iter`, `:cancelled`,
`:diverged` or `:stalled`.

`report` is called after every epoch with a `Dict` of numbers, `:step`, `:train_loss`, `:gradient_norm`, ..., and
`:test_loss`, `:optimal_loss`, `:coupling_error` where `set_test!` and `set_truth!` asked for them; where its answer is
`true` training stops. What it throws comes out of `train!`. Ctrl-C ends it with an `InterruptException` after the
present step. In all these cases the state is kept: `train!` goes on from there with the same numbers.

    train!(trainer) do report
        report[:train_loss] < 1.2
    end
"""
train!(x::Trainer, epochs::Integer = typemax(Int64)) = train!(nothing, x, epochs)

function train!(report, x::Trainer, epochs::Integer = typemax(Int64))
    outcome = Ref(Cint(0))
    borrow(a -> run_call((f, user) -> atp_trainer_run(a, epochs, f, user, outcome), report), x)
    return outcome_word(outcome[])
end

Model(x::Trainer) = create(atp_trainer_model, Model, atp_model_destroy, x)
request_stop!(x::Trainer) = atp_trainer_request_stop(open_owned(x).address)
save_state_of(x::Trainer) = state_bytes(atp_trainer_state_bytes, atp_trainer_save_state, x)
load_state!(x::Trainer, state::Vector{UInt8}) =
    (borrow(a -> check(atp_trainer_load_state(a, state, length(state))), x); x)

function Base.show(io::IO, x::Trainer)
    isopen(x) ? print(io, "Trainer of ", x.parameter_count, " parameters, after ", x.epochs, " epochs") : print(io,
        "Trainer, closed")
end
