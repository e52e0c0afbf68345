# SPDX-License-Identifier: MIT

"""
    Sampler(model; context, options...)

Cyclic Gibbs sweeps of many chains, or replica exchange. Options with their defaults:

$(OPTION_TEXTS[:sampler]).

A `beta` of 0 is the model's own, a `beta_hot` of 0 a tenth of it. The same seed gives the same numbers for any number of threads.

Long calls take a function that is called about every 0.1 s with a `Dict` of numbers (`:step`, `:total`,
`:site_updates`, ...), as the first argument or by `do`; where its answer is `true` the call stops. What it throws comes
out of the call. Ctrl-C ends a call with an `InterruptException`. In all these cases the state is kept, and the next
call goes on from there.

Properties: `chains`, `sites`, `temperatures`, `sweeps`, `betas` (of the ladder, the target last; can be set),
`swap_rates`.
"""
Sampler

Sampler(model::Model; context::Context = default_context(), options...) = c_sampler_create(context, model, options)

"""
    sampler_bytes(model; context, options...)

The memory that `Sampler` will ask for.
"""
sampler_bytes(model::Model; context::Context = default_context(), options...) =
    c_sampler_bytes(context, model, options)

"""
    start!(sampler)
    start!(sampler, sequences)

Start again, from random colours or from sequences `L x n`, and count sweeps from 0.
"""
start!(x::Sampler) = (c_sampler_start_random(x); x)
start!(x::Sampler, sequences) = (c_sampler_start_from(x, sequences); x)

"""
    sweep!([report,] sampler, count)

Make sweeps of all chains; gives `:done`, all of them, which says nothing about equilibrium, or `:cancelled`.
"""
sweep!(x::Sampler, count::Integer) = sweep!(nothing, x, count)
sweep!(report, x::Sampler, count::Integer) = c_sampler_sweep(x, count, report)

"""
    Samples

What `sample!` gives: `sequences` (`L x n`), `energies` (n numbers, or `nothing`), `outcome` (`:done`, or
`:cancelled` with fewer of them).
"""
struct Samples
    sequences::Matrix{UInt8}
    energies::Union{Nothing,Vector{Float64}}
    outcome::Symbol
end

function Base.show(io::IO, x::Samples)
    print(io, "Samples: ", size(x.sequences, 2), " sequences of ", size(x.sequences, 1), " sites",
        x.energies === nothing ? "" : ", energies", ", ", x.outcome)
end

"""
    sample!([report,] sampler, count; thin = 1, energies = false)
    sample!([report,] out, sampler; thin = 1, energies = false)

Draw sequences, `thin` sweeps before each from every chain; gives `Samples`. `out`: a `Matrix{UInt8}` of `L x count`
that is filled in place.
"""
sample!(x::Sampler, count::Integer; options...) = sample!(nothing, x, count; options...)
sample!(out::Matrix{UInt8}, x::Sampler; options...) = sample!(nothing, out, x; options...)

function sample!(report, x::Sampler, count::Integer; options...)
    count >= 0 || throw(ArgumentError("count is $count, expected at least 0"))
    return sample!(report, Matrix{UInt8}(undef, x.sites, count), x; options...)
end

function sample!(report, out::Matrix{UInt8}, x::Sampler; thin::Integer = 1, energies::Bool = false)
    size(out, 1) == x.sites || throw(DimensionMismatch("out has $(size(out, 1)) rows, expected $(x.sites)"))
    _, outcome = c_sampler_sample(x, thin, out, report)
    drawn = x.drawn == size(out, 2) ? out : out[:, 1:x.drawn]
    found = !energies ? nothing : isempty(drawn) ? Float64[] : c_sampler_sequence_energies(x, drawn)
    return Samples(drawn, found, outcome)
end

"""
    states(sampler; rung)

The present states, `L x chains`, at a rung of the ladder: 1 is the hottest; the default is the last, the target.
"""
states(x::Sampler; rung::Integer = x.temperatures) = c_sampler_states(x, rung)
energies(x::Sampler; rung::Integer = x.temperatures) = c_sampler_energies(x, rung)

"""
    Tuned

What `tune_beta` gives: `beta`, `beta_error`, `hamming`, `hamming_error`, `outcome`.
"""
struct Tuned
    beta::Float64
    beta_error::Float64
    hamming::Float64
    hamming_error::Float64
    outcome::Symbol
end

Base.show(io::IO, x::Tuned) =
    print(io, "Tuned: beta = ", x.beta, " +- ", x.beta_error, ", Hamming distance ", x.hamming, ", ", x.outcome)

"""
    tune_beta([report,] model, target; context, options...)

The beta at which two independent equilibrium samples differ on average at a fraction `target` of the sites; gives
`Tuned`. Options: `seed`, `chains`, `temperatures`.
"""
tune_beta(model::Model, target::Real; options...) = tune_beta(nothing, model, target; options...)

function tune_beta(report, model::Model, target::Real; context::Context = default_context(), options...)
    with_handle(c_table_create(context, :tuning, 1)) do table
        c_tune_beta(context, model, target, table, report, options)
        return Tuned(map(first, table_of(table))...)
    end
end

"""
    request_stop!(sampler or trainer)
    request_stop!(context)

End a running call of another thread after its present step. May be called from any thread. Of a context: all runs in
it, and later ones at once, until `clear_stop!`.
"""
request_stop!(x::Sampler) = atp_sampler_request_stop(open_owned(x).address)
request_stop!(x::Context) = atp_context_request_stop(open_owned(x).address)

"""
    clear_stop!(context)

Take back `request_stop!` of a context, while nothing runs in it.
"""
clear_stop!(x::Context) = atp_context_clear_stop(open_owned(x).address)

"""
    save_state(sampler, trainer or transformer)
    save_state(path, sampler, trainer or transformer; context)

The state as bytes, or written to a file by way of a temporary one. One of the same data and options that loads it goes
on with the same numbers.
"""
save_state(x::Sampler) = c_sampler_save_state(x, state_of(atp_sampler_state_bytes, x))
save_state(path::AbstractString, x::Handle; context::Context = default_context()) =
    write_file(path, save_state(x); context = context)

state_of(size, x) = Vector{UInt8}(undef, number(size, x))

"""
    load_state!(sampler or trainer, state)

Load a state from bytes or from the file of that name.
"""
load_state!(x::Handle, path::AbstractString; context::Context = default_context()) =
    load_state!(x, read_file(path; context = context))
load_state!(x::Sampler, state::Vector{UInt8}) = (c_sampler_load_state(x, state); x)

# --- are the chains good? ---------------------------------------------------------------------------------------------

"""
    autocorrelation_time(series)

`(tau, error)` of a series of n numbers, or `n x chains`, in units of its spacing.
"""
autocorrelation_time(series) = NamedTuple{(:tau, :error)}(c_autocorrelation_time(columns(series)))

"""
    split_rhat(series)

Split R-hat of a series of n numbers, or `n x chains`: 1 for mixed chains; above 1.05 they disagree.
"""
split_rhat(series) = c_split_rhat(columns(series))

"""
    hamming_histogram(sequences)

`(counts, mean)` of sequences `L x n`: `counts[d + 1]` pairs are at distance d; the mean distance is a fraction of the
sites.
"""
hamming_histogram(sequences) = NamedTuple{(:counts, :mean)}(c_hamming_histogram(sequences))

function Base.show(io::IO, x::Sampler)
    isopen(x) || return print(io, "Sampler, closed")
    k = x.temperatures
    print(io, "Sampler of ", x.chains, " chains", k > 1 ? " at $k temperatures" : "", ", ", x.sites, " sites, after ",
        x.sweeps, " sweeps")
end
