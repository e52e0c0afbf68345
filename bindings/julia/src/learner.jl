# SPDX-License-Identifier: MIT
# What trainers and transformers share: test data and truth, parameters, runs, states.

# Places in Owned.needs: set_test! and set_truth! change them.
const NEEDS_DATA, NEEDS_TEST, NEEDS_TRUTH = 1, 2, 3

Trainer(alignment::Alignment; context::Context = default_context(), options...) =
    c_learner_create(Trainer, context, alignment, options)
Transformer(alignment::Alignment; context::Context = default_context(), options...) =
    c_learner_create(Transformer, context, alignment, options)

# What set(x, other) makes the library read lives as long as x, or until the next one.
function set_need!(set, x::Learner, place, other)
    borrow(x, other) do _, _
        set(x, other)
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

Report the loss of a trainer or transformer on these sequences, too; `nothing` to stop.
"""
set_test!(x::Learner, alignment::Union{Nothing,Alignment}) = set_need!(c_learner_set_test, x, NEEDS_TEST, alignment)

"""
    set_truth!(trainer, model)

Report the coupling error of a trainer, or of a transformer with its dial at 0, against this model, and the model's
loss on the test sequences; `nothing` to stop.
"""
set_truth!(x::Learner, model::Union{Nothing,Model}) = set_need!(c_learner_set_truth, x, NEEDS_TRUTH, model)

"""
    Gradient

What `gradient` gives: `loss` (nats per site), `objective` (with penalties; of a transformer, which has none, the loss),
`gradient` (of the objective).
"""
struct Gradient
    loss::Float64
    objective::Float64
    gradient::Vector{Float64}
end

Base.show(io::IO, x::Gradient) =
    print(io, "Gradient of ", length(x.gradient), " parameters: loss ", x.loss, ", objective ", x.objective)

# A transformer, which has no penalties, has no objective of its own.
Gradient(loss, gradient) = Gradient(loss, loss, gradient)

"""
    gradient(trainer)
    gradient(trainer, masked_sites)

Loss, objective and gradient of a trainer or transformer at the present parameters, over all sites of all sequences, or
over one masked site per sequence, each 1..L. To compare it with finite differences make the trainer with
`precision = 64`: losses in single precision are too coarse for them.
"""
gradient(x::Learner) = Gradient(c_learner_gradient(x)...)
gradient(x::Learner, masked_sites) = Gradient(c_learner_masked_gradient(x, masked_sites)...)

loss(x::Learner, alignment::Alignment) = c_learner_loss(x, alignment)

"""
    train!([report,] trainer, [epochs])

Train a trainer or transformer for at most so many epochs more, by default to the end of the schedule; gives
`:converged`, `:max_iter`, `:cancelled`, `:diverged` or `:stalled`. The option `epochs` limits the total of all calls: a
call that asks for more than it leaves is warned.

`report` is called after every epoch with a `Dict` of numbers, `:step`, `:train_loss`, `:gradient_norm`, ..., and
`:test_loss`, `:optimal_loss`, `:coupling_error` where `set_test!` and `set_truth!` asked for them; where its answer is
`true` training stops. What it throws comes out of `train!`. Ctrl-C ends it with an `InterruptException` after the
present step. In all these cases the state is kept: `train!` goes on from there with the same numbers.

    train!(trainer) do report
        report[:train_loss] < 1.2
    end
"""
train!(x::Learner, epochs::Integer = typemax(Int64)) = train!(nothing, x, epochs)
train!(report, x::Learner, epochs::Integer = typemax(Int64)) = c_learner_run(x, epochs, report)

Model(x::Learner) = c_learner_model(x)
request_stop!(x::Trainer) = atp_trainer_request_stop(open_owned(x).address)
request_stop!(x::Transformer) = atp_transformer_request_stop(open_owned(x).address)
save_state(x::Trainer) = c_learner_save_state(x, state_of(atp_trainer_state_bytes, x))
save_state(x::Transformer) = c_learner_save_state(x, state_of(atp_transformer_state_bytes, x))
load_state!(x::Learner, state::Vector{UInt8}) = (c_learner_load_state(x, state); x)

function Base.show(io::IO, x::Learner)
    isopen(x) || return print(io, kind(x), ", closed")
    print(io, kind(x), " of ", x.parameter_count, " parameters, after ", x.epochs, " epochs")
end
