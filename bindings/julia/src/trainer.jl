# SPDX-License-Identifier: MIT
# Trainers: test data and truth, gradients, runs.

# Places in Owned.needs: set_test! and set_truth! change them.
const NEEDS_DATA, NEEDS_TEST, NEEDS_TRUTH = 1, 2, 3

# What set(x, other) makes the library read lives as long as x, or until the next one.
function set_need!(set, x::Trainer, place, other)
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

@api begin
    """What `gradient` gives: `loss` (nats per site), `objective` (with penalties; of a network, which has none, the loss),
    `gradient` (of the objective)."""
    struct Gradient
        loss::Float64
        objective::Float64
        gradient::Vector{Float64}
    end

    """Learns from an alignment: factored attention, dense couplings with `family = :dense`, or a network that they are
    compared with: a transformer encoder with `family = :encoder`, or with `family = :dial` a single layer between factored
    attention (`dial = 0`) and plain attention (`dial = 1`), whose map is `:lowrank` where none is given. What has words takes
    Symbols (`option_list()` has them). Options with their defaults:

    $(OPTION_TEXTS[:trainer]).

    A penalty, tolerance, rate or history of 0 or -1 may mean "automatic": see attopotts/options.h.

    `objective = :likelihood` is Boltzmann learning, of dense couplings and factored attention: its models are to sample from.
    Reports then have `:pearson`, `:slope` and `:field_error` of C_ij and f_i of the chains against the family, and of fresh
    chains where they were verified (`:pearson_random`, `:pearson_natural`, ...), instead of a training loss.
    `objective = :autoregressive` learns log P itself, from a product over sites.

    Properties: `parameters` (a copy; can be set, which starts training afresh; the order is in attopotts/trainer.h),
    `parameter_count`, `parts` (their names and places: `trainer.parameters[trainer.parts["maps"]]`), `epochs` (done so far),
    `map_count`.

    `conditionals(trainer, sequences)` and `attention_maps(trainer, alignment)` look into a network; `Model(trainer)` is what
    has been learned, but for encoders and dials above 0.

    With `pairs` of `2 x n`, sites from 1, and `family = :dense` it learns the couplings of these pairs of sites only; the property
    `pairs` is the list, sorted."""
    Trainer(alignment::Alignment; context, options...) =
        recipe!(c_trainer_create(context, alignment, options), alignment, (), options)
    Trainer(alignment::Alignment, pairs; context, options...) =
        recipe!(c_trainer_create_pairs(context, alignment, pairs, options), alignment, (pairs,), options)

    "The memory that `Trainer` will ask for, for data of this shape, n sequences, or for an alignment and a list of pairs."
    trainer_bytes(n, sites, colors; context, options...) = atp_trainer_bytes
    trainer_bytes(alignment, pairs; context, options...) = atp_trainer_pairs_bytes

    "Set V, `q x q x H`, learned or fixed; needed before a run with `colors_fixed = true`."
    set_values!(trainer::Trainer, values) = (c_trainer_set_values(trainer, values); changed!(trainer, :set_values!, values))

    "Set the parameters to good initial ones by way of more heads; gives the outcome."
    start_wide!(report, trainer, heads; iterations = 100) = atp_trainer_start_wide

    """Set the parameters to the closest couplings to those of `wide`, a trainer with more heads: the second half of
    [`start_wide!`](@ref) for starts that are saved and resumed. Gives the trainer."""
    start_from!(trainer, wide) = atp_trainer_start_from

    "Set the parameters of dense couplings to fields and couplings of a Potts model. Gives the trainer."
    start_model!(trainer, model) = atp_trainer_start_model

    """Start the chains of the likelihood at the sequences of an alignment, those of another run or program; the last call
    before `train!`. Gives the trainer."""
    start_chains!(trainer, chains) = atp_trainer_start_chains

    "The chains of the likelihood as an alignment."
    chains(trainer) = atp_trainer_chains

    """Add tested sequences to the family of the likelihood, with a vector of adjustments of either sign; `strength` 0 is
    1 / max |adjustment|. Training starts afresh. Gives the trainer."""
    reintegrate!(trainer::Trainer, tested::Alignment, adjustments, strength) =
        (c_trainer_reintegrate(trainer, tested, adjustments, strength); changed!(trainer, :reintegrate!, tested, adjustments, strength))

    """Penalties or heads chosen by cross-validation: `(path, outcome)`, the path a NamedTuple of columns with a row for each
    strength, `chosen` 1 in one of them. `select = :heads` chooses the number of heads, `criterion = :substitutions` chooses
    for effects of mutations. `pairs`, `2 x n`, sites from 1: dense couplings of these pairs alone; the outcome then is `:cancelled`
    without rows, else `:converged`. Options are those of `Trainer`."""
    function select_penalty(report, alignment::Alignment; pairs = nothing, context, options...)
        with_handle(c_table_create(context, :selection, 100)) do table
            if pairs !== nothing
                c_select_penalty_pairs(alignment, pairs, table, report, Base.pairs((; family = :dense, options...)))
                path = table_of(table)
                return (path = path, outcome = isempty(path.chosen) ? :cancelled : :converged)
            end
            outcome = c_select_penalty(context, alignment, table, report, options)
            return (path = table_of(table), outcome = outcome)
        end
    end

    "Folds of whole clusters of similar sequences: `(folds, clusters)` of each sequence, numbers from 0."
    function select_folds(alignment::Alignment; context, options...)
        return c_select_folds(context, alignment, alignment.count, options)
    end

    """Attention maps, `L x L x blocks`, means over an alignment: `maps[j, k, b]` is what site k, while it is masked, takes
    from site j in block b."""
    attention_maps(trainer, alignment) = atp_trainer_maps

    "Report the loss of a trainer on these sequences, too; `nothing` to stop."
    set_test!(trainer::Trainer, alignment::Union{Nothing,Alignment}) = set_need!(c_trainer_set_test, trainer, NEEDS_TEST, alignment)

    """Report the coupling error of a trainer (of a network: with its dial at 0) against this model, and the model's
    loss on the test sequences; `nothing` to stop."""
    set_truth!(trainer::Trainer, model::Union{Nothing,Model}) = set_need!(c_trainer_set_truth, trainer, NEEDS_TRUTH, model)

    """Loss, objective and gradient of a trainer at the present parameters, over all sites of all sequences,
    or over one masked site per sequence, each 1..L. To compare it with finite differences make the trainer with
    `precision = 64`: losses in single precision are too coarse for them."""
    gradient(trainer::Trainer) = Gradient(c_trainer_gradient(trainer)...)
    gradient(trainer::Trainer, masked_sites) = Gradient(c_trainer_masked_gradient(trainer, masked_sites)...)

    """Train for at most so many epochs more, by default to the end of the schedule; gives
    `:converged`, `:max_iter`, `:cancelled`, `:diverged` or `:stalled`. The option `epochs` limits the total of all calls: a
    call that asks for more than it leaves is warned.

    `report` is called after every epoch with a `Dict` of numbers, `:step`, `:train_loss`, `:gradient_norm`, ..., and
    `:test_loss`, `:optimal_loss`, `:coupling_error` where `set_test!` and `set_truth!` asked for them; where its answer is
    `true` training stops. What it throws comes out of `train!`. Ctrl-C ends it with an `InterruptException` after the
    present step. In all these cases the state is kept: `train!` goes on from there with the same numbers.

        train!(trainer) do report
            report[:train_loss] < 1.2
        end"""
    train!(report, trainer::Trainer, epochs::Integer = typemax(Int64)) = c_trainer_run(trainer, epochs, report)
end

property(x::Trainer, ::Val{:parts}) = Dict(map(1:x.part_count) do k
    part = c_trainer_part(x, k)
    part.name => (part.offset + 1):(part.offset + part.size)
end)

# Each site masked in turn. L and q are those of the training data, which a trainer keeps.
function conditionals(x::Trainer, sequences)
    sites, colors = borrow(x) do _
        data = open_owned(x).needs[NEEDS_DATA].address
        return Int(atp_alignment_sites(data)), Int(atp_alignment_colors(data))
    end
    data = colors_array(sequences, "sequences", (sites, :n))
    return c_trainer_conditionals(x, data, Array{Float64}(undef, colors, sites, size(data, 2)))
end

show_told(io, x::Trainer) = print(io, " of ", x.parameter_count, " parameters, after ", x.epochs, " epochs")

Base.show(io::IO, x::Gradient) =
    print(io, "Gradient of ", length(x.gradient), " parameters: loss ", x.loss, ", objective ", x.objective)

property(x::Trainer, ::Val{:pairs}) = c_trainer_pairs(x)
