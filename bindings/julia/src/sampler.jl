# SPDX-License-Identifier: MIT

const SAMPLERS = (1,)

"""
    Sampler(model; context, options...)

Cyclic Gibbs sweeps of many chains, or replica exchange. Options: `seed`, `chains`, `beta`, `temperatures`, `beta_hot`,
`swap_interval`. The same seed gives the same numbers for any number of threads.

Long calls take a function that is called about every 0.1 s with a `Dict` of numbers (`:step`, `:total`,
`:site_updates`, ...), as the first argument or by `do`; where its answer is `true` the call stops. What it throws comes
out of the call. Ctrl-C ends a call with an `InterruptException`. In all these cases the state is kept, and the next
call goes on from there.

Properties: `chains`, `sites`, `temperatures`, `sweeps`, `betas` (of the ladder, the target last; can be set),
`swap_rates`.
"""
Sampler

function Sampler(model::Model; context::Context = default_context(), options...)
    return with_options(context, SAMPLERS, options) do bag
        create(atp_sampler_create, Sampler, atp_sampler_destroy, context, model, bag)
    end
end

"""
    sampler_bytes(model; context, options...)

The memory that `Sampler` will ask for.
"""
function sampler_bytes(model::Model; context::Context = default_context(), options...)
    return with_options(context, SAMPLERS, options) do bag
        integer_of(atp_sampler_bytes, context, model, bag)
    end
end

function integer_of(f, handles...)
    return borrow(handles...) do addresses...
        place = Ref(Int64(0))
        check(f(addresses..., place))
        return Int(place[])
    end
end

"""
    start!(sampler)
    start!(sampler, sequences)

Start again, from random colours or from sequences `L x n`, and count sweeps from 0.
"""
start!(x::Sampler) = (borrow(a -> check(atp_sampler_start_random(a)), x); x)

function start!(x::Sampler, sequences)
    data = colors_array(sequences)
    borrow(a -> check(atp_sampler_start_from(a, data, size(data, 2), size(data, 1))), x)
    return x
end

"""
    sweep!([report,] sampler, count)

Make sweeps of all chains; gives `:converged`, all of them, or `:cancelled`.
"""
sweep!(x::Sampler, count::Integer) = sweep!(nothing, x, count)

function sweep!(report, x::Sampler, count::Integer)
    outcome = Ref(Cint(0))
    borrow(a -> run_call((f, user) -> atp_sampler_sweep(a, count, f, user, outcome), report), x)
    return outcome_word(outcome[])
end

"""
    Samples

What `sample!` gives: `sequences` (`L x n`), `energies` (n numbers, or `nothing`), `outcome` (`:converged`, or
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
    outcome = Ref(Cint(0))
    drawn = borrow(x) do address
        run_call((f, user) -> atp_sampler_sample(address, thin, out, length(out), f, user, outcome), report)
        Int(atp_sampler_drawn(address))
    end
    drawn == size(out, 2) || (out = out[:, 1:drawn])
    of_sequences(a, array, n) = n == 0 ? ATP_OK : atp_sampler_sequence_energies(a, out, n, array, n)
    return Samples(out, energies ? filled(of_sequences, x, drawn) : nothing, outcome_word(outcome[]))
end

function rung_of(x::Sampler, rung)
    rung === nothing && return x.temperatures - 1
    rung isa Integer || throw(ArgumentError("rung is of type $(typeof(rung)), expected an integer"))
    return rung - 1
end

"""
    states(sampler; rung)

The present states, `L x chains`, at a rung of the ladder: 1 is the hottest; the default is the last, the target.
"""
function states(x::Sampler; rung = nothing)
    k = rung_of(x, rung)
    return filled((a, array, size) -> atp_sampler_states(a, k, array, size), x, x.sites, x.chains; T = UInt8)
end

function energies(x::Sampler; rung = nothing)
    k = rung_of(x, rung)
    return filled((a, array, size) -> atp_sampler_energies(a, k, array, size), x, x.chains)
end

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
    with_options(context, SAMPLERS, options) do bag
        with_table(context, ATP_TABLE_TUNING, 1) do table
            borrow(context, model, bag, table) do c, m, b, t
                run_call((f, user) -> atp_tune_beta(c, m, b, target, t, f, user), report)
            end
            return Tuned(map(first, table_of(table))...)
        end
    end
end

"""
    request_stop!(sampler or trainer)

End a running call of another thread after its present step. May be called from any thread.
"""
request_stop!(x::Sampler) = atp_sampler_request_stop(open_owned(x).address)

"""
    save_state(sampler, trainer or transformer)
    save_state(path, sampler, trainer or transformer; context)

The state as bytes, or written to a file by way of a temporary one. One of the same data and options that loads it goes
on with the same numbers.
"""
save_state(x::Handle) = save_state_of(x)
save_state(path::AbstractString, x::Handle; context::Context = default_context()) =
    write_file(path, save_state_of(x); context = context)

save_state_of(x::Sampler) = state_bytes(atp_sampler_state_bytes, atp_sampler_save_state, x)

function state_bytes(size, save, x)
    return borrow(x) do address
        buffer = Vector{UInt8}(undef, size(address))
        check(save(address, buffer, length(buffer)))
        return buffer
    end
end

"""
    load_state!(sampler or trainer, state)

Load a state from bytes or from the file of that name.
"""
load_state!(x::Handle, path::AbstractString; context::Context = default_context()) =
    load_state!(x, read_file(path; context = context))
load_state!(x::Sampler, state::Vector{UInt8}) =
    (borrow(a -> check(atp_sampler_load_state(a, state, length(state))), x); x)

# --- are the chains good? ---------------------------------------------------------------------------------------------

function series_matrix(series)
    array = reals(series, "series")
    1 <= ndims(array) <= 2 || throw(DimensionMismatch("series has $(ndims(array)) dimensions, expected (n, chains)"))
    return array
end

"""
    autocorrelation_time(series)

`(tau, error)` of a series of n numbers, or `n x chains`, in units of its spacing.
"""
function autocorrelation_time(series)
    array = series_matrix(series)
    tau, error = Ref(0.0), Ref(0.0)
    check(atp_autocorrelation_time(array, size(array, 2), size(array, 1), tau, error))
    return (tau = tau[], error = error[])
end

"""
    split_rhat(series)

Split R-hat of a series of n numbers, or `n x chains`: 1 for mixed chains; above 1.05 they disagree.
"""
function split_rhat(series)
    array = series_matrix(series)
    value = Ref(0.0)
    check(atp_split_rhat(array, size(array, 2), size(array, 1), value))
    return value[]
end

"""
    hamming_histogram(sequences)

`(counts, mean)` of sequences `L x n`: `counts[d + 1]` pairs are at distance d; the mean distance is a fraction of the
sites.
"""
function hamming_histogram(sequences)
    data = colors_array(sequences)
    counts = Vector{Int64}(undef, size(data, 1) + 1)
    mean = Ref(0.0)
    check(atp_hamming_histogram(data, size(data, 2), size(data, 1), counts, length(counts), mean))
    return (counts = counts, mean = mean[])
end

function Base.show(io::IO, x::Sampler)
    isopen(x) || return print(io, "Sampler, closed")
    k = x.temperatures
    print(io, "Sampler of ", x.chains, " chains", k > 1 ? " at $k temperatures" : "", ", ", x.sites, " sites, after ",
        x.sweeps, " sweeps")
end
