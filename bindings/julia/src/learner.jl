# SPDX-License-Identifier: MIT
# What trainers and transformers share: test data and truth, parameters, runs, states.

const LEARNING = (2,)
# Places in Owned.needs: set_test! and set_truth! change them.
const NEEDS_DATA, NEEDS_TEST, NEEDS_TRUTH = 1, 2, 3

calls(x::Learner) = calls(typeof(x))

for T in (:Trainer, :Transformer)
    @eval function $T(alignment::Alignment; context::Context = default_context(), options...)
        return with_options(context, LEARNING, options) do bag
            create(calls($T).create, $T, calls($T).destroy, context, alignment, bag;
                   needs = [open_owned(alignment), nothing, nothing])
        end
    end
end

bytes_of(T, count, sites, colors, context, options) = with_options(context, LEARNING, options) do bag
    integer_of((c, b, place) -> calls(T).bytes(c, count, sites, colors, b, place), context, bag)
end

function set_need!(set, x::Learner, place, other)
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

Report the loss of a trainer or transformer on these sequences, too; `nothing` to stop.
"""
set_test!(x::Learner, alignment::Union{Nothing,Alignment}) = set_need!(calls(x).set_test, x, NEEDS_TEST, alignment)

"""
    set_truth!(trainer, model)

Report the coupling error of a trainer, or of a transformer with its dial at 0, against this model, and the model's
loss on the test sequences; `nothing` to stop.
"""
set_truth!(x::Learner, model::Union{Nothing,Model}) = set_need!(calls(x).set_truth, x, NEEDS_TRUTH, model)

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

masked(sites) = dense(Int64, sites, "masked_sites") .- 1

# Where losses go: a trainer's with its objective, a transformer's, which has no penalties, alone.
places_of(::Trainer) = (Ref(0.0), Ref(0.0))
places_of(::Transformer) = (Ref(0.0),)

"""
    gradient(trainer)
    gradient(trainer, masked_sites)

Loss, objective and gradient of a trainer or transformer at the present parameters, over all sites of all sequences, or
over one masked site per sequence, each 1..L.
"""
function gradient(x::Learner)
    places = places_of(x)
    array = filled((a, array, size) -> calls(x).gradient(a, places..., array, size), x, x.parameter_count)
    return Gradient(first(places)[], last(places)[], array)
end

function gradient(x::Learner, masked_sites)
    sites, places = masked(masked_sites), places_of(x)
    array = filled(x, x.parameter_count) do a, array, size
        calls(x).masked_gradient(a, sites, length(sites), places..., array, size)
    end
    return Gradient(first(places)[], last(places)[], array)
end

loss(x::Learner, alignment::Alignment) = real_of(calls(x).loss, x, alignment)

"""
    train!([report,] trainer, [epochs])

Train a trainer or transformer for so many epochs more, by default to the end of the schedule; gives `:converged`,
`:max_iter`, `:cancelled`, `:diverged` or `:stalled`.

`report` is called after every epoch with a `Dict` of numbers, `:step`, `:train_loss`, `:gradient_norm`, ..., and
`:test_loss`, `:optimal_loss`, `:coupling_error` where `set_test!` and `set_truth!` asked for them; where its answer is
`true` training stops. What it throws comes out of `train!`. Ctrl-C ends it with an `InterruptException` after the
present step. In all these cases the state is kept: `train!` goes on from there with the same numbers.

    train!(trainer) do report
        report[:train_loss] < 1.2
    end
"""
train!(x::Learner, epochs::Integer = typemax(Int64)) = train!(nothing, x, epochs)

function train!(report, x::Learner, epochs::Integer = typemax(Int64))
    outcome = Ref(Cint(0))
    borrow(a -> run_call((f, user) -> calls(x).run(a, epochs, f, user, outcome), report), x)
    return outcome_word(outcome[])
end

Model(x::Learner) = create(calls(x).model, Model, atp_model_destroy, x)
request_stop!(x::Learner) = calls(x).request_stop(open_owned(x).address)
save_state_of(x::Learner) = state_bytes(calls(x).state_bytes, calls(x).save_state, x)
load_state!(x::Learner, state::Vector{UInt8}) =
    (borrow(a -> check(calls(x).load_state(a, state, length(state))), x); x)

function Base.show(io::IO, x::Learner)
    isopen(x) || return print(io, kind(x), ", closed")
    print(io, kind(x), " of ", x.parameter_count, " parameters, after ", x.epochs, " epochs")
end
