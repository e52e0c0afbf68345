# SPDX-License-Identifier: MIT
# Samplers, sampling in equilibrium, states, diagnostics of chains.

@api begin
    """What `sample!` gives: `sequences` (`L x n`), `energies` (n numbers, or `nothing`), `outcome` (`:done`, or
    `:cancelled` with fewer of them)."""
    struct Samples
        sequences::Matrix{UInt8}
        energies::Union{Nothing,Vector{Float64}}
        outcome::Symbol
    end

    "What `tune_beta` gives: `beta`, `beta_error`, `hamming`, `hamming_error`, `outcome`."
    struct Tuned
        beta::Float64
        beta_error::Float64
        hamming::Float64
        hamming_error::Float64
        outcome::Symbol
    end

    """What `estimate_log_z` gives: `method` (`:exact`, `:annealing`, `:ladder`), `beta`, `log_z`, `energy` (the mean, without
    `beta`) and `entropy`, each with its `..._error`; `effective` (what chains are worth by their weights), `rhat`,
    `distributions`, `profile`, `outcome` (`:max_iter`: do not rely on the errors)."""
    struct Partition
        method::Symbol
        beta::Float64
        log_z::Float64
        log_z_error::Float64
        energy::Float64
        energy_error::Float64
        entropy::Float64
        entropy_error::Float64
        effective::Float64
        rhat::Float64
        distributions::Int64
        profile::Bool
        outcome::Symbol
    end

    """What `sample_equilibrium` gives: `alignment` (`nothing` of a cancelled run), `numbers` (a NamedTuple: `rhat`, `burn_in`,
    `thin`, ..., see `table_columns(:sampling)`), `difference` (between the two runs, "" if they agree), `outcome`:
    `:converged`, `:max_iter` (they do not agree), `:done` (of the protocol `:chain`) or `:cancelled`."""
    struct Sampled
        alignment::Union{Nothing,Alignment}
        numbers::NamedTuple
        difference::String
        outcome::Symbol
    end

    """Cyclic Gibbs sweeps of many chains, or replica exchange. Options with their defaults:

    $(OPTION_TEXTS[:sampler]).

    A `beta` of 0 is the model's own, a `beta_hot` of 0 a tenth of it. The same seed gives the same numbers for any number of
    threads.

    Long calls take a function that is called about every 0.1 s with a `Dict` of numbers (`:step`, `:total`,
    `:site_updates`, ...), as the first argument or by `do`; where its answer is `true` the call stops. What it throws comes
    out of the call. Ctrl-C ends a call with an `InterruptException`. In all these cases the state is kept, and the next
    call goes on from there.

    Properties: `chains`, `sites`, `temperatures`, `sweeps`, `betas` (of the ladder, the target last; can be set),
    `swap_rates`."""
    Sampler(model::Model; context, options...) = recipe!(c_sampler_create(context, model, options), model, (), options)

    "The memory that `Sampler` will ask for."
    sampler_bytes(model; context, options...) = atp_sampler_bytes

    "Restrict sites to some colours, `q x L` of 1 or 0. A sampler starts again from random ones; a run has not begun."
    restrict!(sampler::Sampler, allowed) = (c_sampler_restrict(sampler, allowed); changed!(sampler, :restrict!, allowed))
    restrict!(sampling::Sampling, allowed) = (c_sampling_restrict(sampling, allowed); changed!(sampling, :restrict!, allowed))

    """Start again, from random colours or from sequences `L x n`, and count sweeps from 0. A `Sampling` takes its starts before
    it runs. `max_mutations` and `kept_color` (from 0) count from the start."""
    start!(sampler) = atp_sampler_start_random
    start!(sampler, sequences) = atp_sampler_start_from
    start!(sampling::Sampling, sequences) = (c_sampling_start_from(sampling, sequences); changed!(sampling, :start!, sequences))

    "Make sweeps of all chains; gives `:done`, all of them, which says nothing about equilibrium, or `:cancelled`."
    sweep!(report, sampler, sweeps) = atp_sampler_sweep

    """Draw sequences, `thin` sweeps before each from every chain; gives `Samples`. `out`: a `Matrix{UInt8}` of `L x count`
    that is filled in place. A `Sampling` goes on to its end and gives `Sampled`."""
    function sample!(report, sampler::Sampler, count::Integer; thin::Integer = 1, energies::Bool = false)
        count >= 0 || throw(ArgumentError("count is $count, expected at least 0"))
        return sample!(report, Matrix{UInt8}(undef, sampler.sites, count), sampler; thin = thin, energies = energies)
    end
    function sample!(report, out::Matrix{UInt8}, sampler::Sampler; thin::Integer = 1, energies::Bool = false)
        size(out, 1) == sampler.sites || throw(DimensionMismatch("out has $(size(out, 1)) rows, expected $(sampler.sites)"))
        outcome = c_sampler_sample(sampler, thin, out, report).outcome
        drawn = sampler.drawn == size(out, 2) ? out : out[:, 1:sampler.drawn]
        found = !energies ? nothing : isempty(drawn) ? Float64[] : c_sampler_sequence_energies(sampler, drawn)
        return Samples(drawn, found, outcome)
    end
    function sample!(report, sampling::Sampling)
        outcome = c_sampling_run(sampling, report)
        outcome === :cancelled && return Sampled(nothing, NamedTuple(), "", outcome)
        with_handle(c_table_create(default_context(), :sampling, 1)) do table
            c_sampling_report(sampling, table)
            numbers = Base.structdiff(map(first, table_of(table)), NamedTuple{(:outcome,)})
            return Sampled(c_sampling_alignment(sampling), numbers, sampling.difference, outcome)
        end
    end

    """The run behind `sample_equilibrium`, of n sequences: `sample!([report,] sampling)` goes on to its end and gives
    `Sampled`. Options with their defaults, `nothing` for those that the run chooses:

    $(OPTION_TEXTS[:sampling]).

    Properties: `count`, `sites`, `stage` (`:ladder`, `:burn_in`, `:sample`, `:done`), `difference`."""
    Sampling(model::Model, n::Integer; context, options...) =
        recipe!(c_sampling_create(context, model, n, options), model, (n,), options)

    "The walks of the chains of a finished run, a row for each sequence."
    function trajectory(sampling::Sampling)
        with_handle(c_table_create(default_context(), :trajectory, sampling.count)) do table
            c_sampling_trajectory(sampling, table)
            return table_of(table)
        end
    end

    """Overlaps with the starts of a finished run from sweep to sweep, and the time after which they are forgotten, against
    independent sequences `L x n`, as of `sample_equilibrium`."""
    function forgetting(sampling::Sampling, independent)
        with_handle(c_table_create(default_context(), :forgetting, sampling.count)) do table
            c_sampling_forgetting(sampling, independent, table)
            return table_of(table)
        end
    end

    """Draw sequences by replica exchange that finds its ladder, burn-in and thinning and tests whether two runs from
    opposite starts agree; a warning tells if they do not. Gives `Sampled`. Options as of `Sampling`: `chains` is 64 ladders
    unless given; `protocol = :chain` makes chains at one temperature, 1 unless given, without tests."""
    sample_equilibrium(report, model::Model, count::Integer; context, options...) =
        sample!(report, Sampling(model, count; context = context, options...))

    "The present states, `L x chains`, at a rung of the ladder: 1 is the hottest; the default is the last, the target."
    states(sampler; rung = sampler.temperatures) = atp_sampler_states

    """The beta at which two independent equilibrium samples differ on average at a fraction `target` of the sites; gives
    `Tuned`. Options: `seed`, `chains`, `temperatures`."""
    function tune_beta(report, model::Model, target::Real; context, options...)
        with_handle(c_table_create(context, :tuning, 1)) do table
            c_tune_beta(context, model, target, table, report, options)
            return Tuned(map(first, table_of(table))...)
        end
    end

    """log Z, mean energy and entropy of a model; gives `Partition`. log P(s) is then `-beta H(s) - log_z`. Options with their defaults, 0 for those that the run chooses:

    $(OPTION_TEXTS[:partition])."""
    function estimate_log_z(report, model::Model; context, options...)
        with_handle(c_table_create(context, :partition, 1)) do table
            c_estimate_log_z(context, model, table, report, options)
            return Partition(map(first, table_of(table))...)
        end
    end

    """End a running call of another thread after its present step. May be called from any thread. Of a context: all runs in
    it, and later ones at once, until `clear_stop!`."""
    request_stop!(sampler)
    request_stop!(sampling)
    request_stop!(trainer)
    request_stop!(context::Context) = atp_context_request_stop(open_owned(context).address)

    "Take back `request_stop!` of a context, while nothing runs in it."
    clear_stop!(context::Context) = atp_context_clear_stop(open_owned(context).address)

    """Make a context one of several processes that work together. `comm`: their communicator of MPI.jl as a number,
    `MPI.API.MPI_Comm_c2f(comm)`; `nothing`: one process again. All processes of the communicator make this call, before they
    make other handles with the context. Then they make the same calls in the same order, which divide the work."""
    function set_ranks!(context::Context, comm::Union{Nothing,Integer})
        set = comm === nothing ? C_NULL : Libdl.dlsym(load_mpi(), :atp_context_set_mpi_f)
        borrow(context) do address
            check(set == C_NULL ? atp_context_set_ranks(address, C_NULL) : ccall(set, Cint, (Ptr{Cvoid}, Cint), address, whole(comm, "comm", Cint)))
        end
        return context
    end

    """Give every rank the elements of rank `root`, which counts from 0: `array`, of the same size on all ranks, is filled in
    place. All ranks make this call."""
    function broadcast_from!(array::Array, context::Context; root::Integer = 0)
        isbitstype(eltype(array)) || throw(ArgumentError("array has elements of type $(eltype(array)), expected numbers"))
        GC.@preserve array borrow(a -> check(atp_context_broadcast(a, pointer(array), sizeof(array), whole(root, "root"))), context)
        return array
    end

    "Whether a flag is set on any rank. All ranks make this call."
    function any_rank(context::Context, flag::Bool)
        found = Ref(Cint(flag))
        borrow(a -> check(atp_context_any(a, found)), context)
        return found[] != 0
    end

    "End the collective call in which the other ranks are, or their next one, with an error of this text (status `:e_rank`)."
    fail_ranks(context::Context, text::AbstractString) = borrow(a -> check(atp_context_fail(a, text)), context)

    """The state as bytes, or written to a file by way of a temporary one. One of the same data and options that loads it
    goes on with the same numbers."""
    save_state(sampler) = atp_sampler_save_state
    save_state(sampling) = atp_sampling_save_state
    save_state(trainer) = atp_trainer_save_state
    save_state(path::AbstractString, handle::Handle; context) = write_file(path, save_state(handle); context = context)

    "Load a state from bytes or from the file of that name."
    load_state!(sampler, buffer) = atp_sampler_load_state
    load_state!(sampling, buffer) = atp_sampling_load_state
    load_state!(trainer, buffer) = atp_trainer_load_state
    load_state!(handle::Handle, path::AbstractString; context) = load_state!(handle, read_file(path; context = context))

    # Are the chains good?

    "`(tau, error)` of a series of n numbers, or `n x chains`, in units of its spacing."
    autocorrelation_time(series) = NamedTuple{(:tau, :error)}(Tuple(c_autocorrelation_time(series)))

    """`(rhat, rhat_limit, bulk_ess, tail_ess, outcome)` of a series `n x chains`: R-hat, rank-normalised, split and folded, and the largest one
    of chains that agree; how many independent samples they are worth; `:converged` where both are at least 400 and chains agree."""
    function chain_mixing(series; context)
        found = c_chain_mixing(context, series)
        return (; zip((:rhat, :rhat_limit, :bulk_ess, :tail_ess), found)..., outcome = outcome_word(Int(found[5])))
    end

    """Thermodynamics at all rungs of a sampler from `reads` read-outs, `thin` sweeps before each; `sweep!` makes the burn-in before. Gives
    `(rungs, overlaps)`: a row for each beta with errors, and the distribution of overlaps of two chains."""
    function measure!(report, sampler::Sampler, reads::Integer; thin::Integer = 1, reference = nothing)
        c_sampler_set_reference(sampler, reference)
        k, sites = sampler.temperatures, sampler.sites
        width = 1 + sites ÷ 128
        with_handle(c_table_create(default_context(), :rungs, k)) do rungs
            with_handle(c_table_create(default_context(), :overlaps, k * ((sites + width) ÷ width))) do overlaps
                c_sampler_measure(sampler, reads, thin, rungs, overlaps, report)
                return (rungs = table_of(rungs), overlaps = table_of(overlaps))
            end
        end
    end

    "The exact thermodynamics of a small model at several betas, with the columns of `measure!`."
    function enumerate_rungs(model::Model, betas; reference = nothing, context)
        with_handle(c_table_create(context, :rungs, length(betas))) do table
            c_model_enumerate_rungs(context, model, betas, reference, table)
            return table_of(table)
        end
    end

    "Split R-hat of a series of n numbers, or `n x chains`: 1 for mixed chains; `chain_mixing` has its limit."
    split_rhat(series) = atp_split_rhat

    """R-hat of overlaps of sequences `L x n`, sequence m of chain `mod1(m, chains)`: 1 for chains that visit the same states in the same
    proportions. The energy's R-hat does not see chains that stay in basins of equal energy."""
    overlap_rhat(sequences, chains; context) = atp_overlap_rhat

    """`(counts, mean)` of sequences `L x n`: `counts[d + 1]` pairs are at distance d; the mean distance is a fraction of the
    sites."""
    hamming_histogram(sequences) = atp_hamming_histogram
end

function show_told(io, x::Sampler)
    k = x.temperatures
    print(io, " of ", x.chains, " chains", k > 1 ? " at $k temperatures" : "", ", ", x.sites, " sites, after ", x.sweeps, " sweeps")
end

show_told(io, x::Sampling) = print(io, ", ", x.count, " sequences, stage ", x.stage)

function Base.show(io::IO, x::Samples)
    print(io, "Samples: ", size(x.sequences, 2), " sequences of ", size(x.sequences, 1), " sites",
        x.energies === nothing ? "" : ", energies", ", ", x.outcome)
end

Base.show(io::IO, x::Tuned) =
    print(io, "Tuned: beta = ", x.beta, " +- ", x.beta_error, ", Hamming distance ", x.hamming, ", ", x.outcome)
