# SPDX-License-Identifier: MIT

"""
    Sampled

What `sample_equilibrium` gives: `alignment` (`nothing` of a cancelled run), `numbers` (a NamedTuple: `rhat`, `burn_in`,
`thin`, ..., see `table_columns(:sampling)`), `difference` (between the two runs, "" if they agree), `outcome`:
`:converged`, `:max_iter` (they do not agree), `:done` (of the protocol `:chain`) or `:cancelled`.
"""
struct Sampled
    alignment::Union{Nothing,Alignment}
    numbers::NamedTuple
    difference::String
    outcome::Symbol
end

@api begin
    """The run behind `sample_equilibrium`, of n sequences. `sample!([report,] sampling)` goes on to its end and gives
    `Sampled`. Options with their defaults, `nothing` for those that the run chooses:

    $(OPTION_TEXTS[:sampling]).

    Properties: `count`, `sites`, `stage` (`:ladder`, `:burn_in`, `:sample`, `:done`), `difference`."""
    Sampling(model, n; context, options...) = atp_sampling_create

    """Draw sequences by replica exchange that finds its ladder, burn-in and thinning and tests whether two runs from
    opposite starts agree; a warning tells if they do not. Gives `Sampled`. Options as of `Sampling`: `chains` is 64 ladders
    unless given; `protocol = :chain` makes chains at one temperature, 1 unless given, without tests."""
    sample_equilibrium(report, model::Model, count::Integer; context, options...) =
        sample!(report, Sampling(model, count; context = context, options...))
end

sample!(x::Sampling) = sample!(nothing, x)

function sample!(report, x::Sampling)
    outcome = c_sampling_run(x, report)
    outcome === :cancelled && return Sampled(nothing, NamedTuple(), "", outcome)
    with_handle(c_table_create(default_context(), :sampling, 1)) do table
        c_sampling_report(x, table)
        numbers = Base.structdiff(map(first, table_of(table)), NamedTuple{(:outcome,)})
        return Sampled(c_sampling_alignment(x), numbers, x.difference, outcome)
    end
end

show_told(io, x::Sampling) = print(io, ", ", x.count, " sequences, stage ", x.stage)
