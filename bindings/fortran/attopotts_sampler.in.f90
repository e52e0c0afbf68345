! SPDX-License-Identifier: MIT
!> Gibbs sampling and replica exchange, tuning of beta, log Z, and whether the chains are good.
!@ module sampler uses context model table
  public :: atp_sampler, sampler_bytes, tune_beta, estimate_log_z, autocorrelation_time, split_rhat, &
    chain_mixing, enumerate_rungs, overlap_rhat, hamming_histogram

  !> Cyclic Gibbs sweeps of many chains. It copies what it needs of its model.
  !@ type sampler
    !> sweep(sweeps [, progress, outcome]): sweeps of all chains, an integer of either kind.
    generic :: sweep => sweep_integer, sweep_long
  end type

contains

  !@ life sampler
  !@ create(model, options?, context?)
  !@ plain sampler_bytes(model, options?, context?) -> bytes
  !@ chains sites temperatures sweeps
  !@ betas(betas)
  !@ set_betas(betas)
  !@ swap_rates(rates)
  !> Allowed colours of each site, (q, L), 1 or 0; starts again from random ones.
  !@ restrict(allowed)
  !@ start_random
  !> Start again from sequences (L, n) and sweep 0: chain c takes the sequence 1 + mod(c - 1, n).
  !@ start_from(sequences)
  !@ private sweep_integer(count@sweeps) = atp_sampler_sweep
  !@ private sweep_long(count@sweeps:long) = atp_sampler_sweep
  !> Draw as many sequences as the array (L, n) takes, `thin` sweeps before each from every chain.
  !@ sample(sequences, thin?=1)
  !@ drawn
  !@ sequence_energies(sequences, energies)
  !@ options(options)
  !> The present states, (L, C), at a rung 1..K; K, the target, where not given.
  !@ states(sequences, rung?=self%temperatures())
  !@ energies(energies, rung?=self%temperatures())
  !> Rows of a table of the kind "rungs", one for each beta, from n read-outs, `thin` sweeps before each: energy to log Z, with errors; and
  !> of "overlaps", their distribution.
  !> The sequence (L) of the columns `reference` of measure(); none where it is not given.
  !@ set_reference(reference?)
  !@ measure(n, thin, table, overlaps?)
  !@ request_stop state_bytes save_state
  !@ load_state(state@buffer)
  !> The beta at which independent equilibrium samples differ on average at a fraction `target` of the sites, and what belongs to it:
  !> a row of a table of the kind "tuning".
  !@ plain tune_beta(model, target, table, options?, context?)
  !> Log Z, mean energy and entropy of a model, with their errors: a row of a table of the kind "partition".
  !@ plain estimate_log_z(model, table, options?, context?)
  !> The exact thermodynamics of a small model at several betas: rows of a table of the kind "rungs".
  !@ plain enumerate_rungs(model, betas, table, reference?, context?) = atp_model_enumerate_rungs
  !@ plain autocorrelation_time(series, tau, tau_error?)
  !@ plain split_rhat(series) -> rhat
  !> R-hat, its limit, effective samples in bulk and tails, and an outcome, of a series (n, chains).
  !@ plain chain_mixing(context, series, numbers)
  !> R-hat of overlaps of sequences (L, n), sequence m of chain 1 + mod(m - 1, chains): 1 for chains that visit the same states.
  !@ plain overlap_rhat(context, sequences, chains) -> rhat
  !@ plain hamming_histogram(sequences, counts, mean?)
end module attopotts_sampler
