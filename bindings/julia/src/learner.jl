# SPDX-License-Identifier: MIT
# What trainers and transformers share: test data and truth, gradients, runs.

# Places in Owned.needs: set_test! and set_truth! change them.
const NEEDS_DATA, NEEDS_TEST, NEEDS_TRUTH = 1, 2, 3

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

@api begin
    "Report the loss of a trainer or transformer on these sequences, too; `nothing` to stop."
    set_test!(trainer::Learner, alignment::Union{Nothing,Alignment}) = set_need!(c_learner_set_test, trainer, NEEDS_TEST, alignment)

    """Report the coupling error of a trainer, or of a transformer with its dial at 0, against this model, and the model's
    loss on the test sequences; `nothing` to stop."""
    set_truth!(trainer::Learner, model::Union{Nothing,Model}) = set_need!(c_learner_set_truth, trainer, NEEDS_TRUTH, model)

    """Loss, objective and gradient of a trainer or transformer at the present parameters, over all sites of all sequences,
    or over one masked site per sequence, each 1..L. To compare it with finite differences make the trainer with
    `precision = 64`: losses in single precision are too coarse for them."""
    gradient(trainer::Learner) = Gradient(c_learner_gradient(trainer)...)
    gradient(trainer::Learner, masked_sites) = Gradient(c_learner_masked_gradient(trainer, masked_sites)...)

    """Train a trainer or transformer for at most so many epochs more, by default to the end of the schedule; gives
    `:converged`, `:max_iter`, `:cancelled`, `:diverged` or `:stalled`. The option `epochs` limits the total of all calls: a
    call that asks for more than it leaves is warned.

    `report` is called after every epoch with a `Dict` of numbers, `:step`, `:train_loss`, `:gradient_norm`, ..., and
    `:test_loss`, `:optimal_loss`, `:coupling_error` where `set_test!` and `set_truth!` asked for them; where its answer is
    `true` training stops. What it throws comes out of `train!`. Ctrl-C ends it with an `InterruptException` after the
    present step. In all these cases the state is kept: `train!` goes on from there with the same numbers.

        train!(trainer) do report
            report[:train_loss] < 1.2
        end"""
    train!(report, trainer::Learner, epochs::Integer = typemax(Int64)) = c_learner_run(trainer, epochs, report)
end

show_told(io, x::Learner) = print(io, " of ", x.parameter_count, " parameters, after ", x.epochs, " epochs")
