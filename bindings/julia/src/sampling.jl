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

"""
    Sampling(model, count; context, options...)

The run behind `sample_equilibrium`. `sample!([report,] sampling)` goes on to its end and gives `Sampled`. Options with
their defaults, `nothing` for those that the run chooses:

$(OPTION_TEXTS[:sampling]).

Properties: `count`, `sites`, `stage` (`:ladder`, `:burn_in`, `:sample`, `:done`), `difference`.
"""
Sampling(model::Model, count::Integer; context::Context = default_context(), options...) =
    c_sampling_create(context, model, count, options)

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

"""
    sample_equilibrium([report,] model, count; context, options...)

Draw sequences by replica exchange that finds its ladder, burn-in and thinning and tests whether two runs from opposite
starts agree; a warning tells if they do not. Gives `Sampled`. Options as of `Sampling`: `chains` is 64 ladders unless
given; `protocol = :chain` makes chains at one temperature, 1 unless given, without tests.
"""
sample_equilibrium(model::Model, count::Integer; options...) = sample_equilibrium(nothing, model, count; options...)
sample_equilibrium(report, model::Model, count::Integer; options...) =
    sample!(report, Sampling(model, count; options...))

request_stop!(x::Sampling) = atp_sampling_request_stop(open_owned(x).address)
save_state(x::Sampling) = c_sampling_save_state(x, state_of(atp_sampling_state_bytes, x))
load_state!(x::Sampling, state::Vector{UInt8}) = (c_sampling_load_state(x, state); x)
Base.show(io::IO, x::Sampling) =
    print(io, "Sampling, ", isopen(x) ? "$(x.count) sequences, stage $(x.stage)" : "closed")
