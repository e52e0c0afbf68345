! SPDX-License-Identifier: MIT
!> Training: factored attention and dense couplings by pseudo-likelihood.
!@ module trainer uses context alignment model table
  public :: atp_trainer, trainer_bytes

  !> Learns a model from an alignment, which it keeps alive, as well as the test alignment and the true model.
  !@ type trainer
  end type

contains

  !@ life trainer
  !> Make a trainer with random parameters; options are those of trainers.
  !@ create(train, options?, context?)
  !> The bytes that create will ask for, for n sequences of so many sites and colours; 0 where it fails.
  !@ plain trainer_bytes(context, n, sites, colors, options?) -> bytes
  !> Report the loss on these sequences, too; without `test` no longer.
  !@ set_test(test?)
  !> Report the loss of this model on the test sequences, and the coupling error against it where there are couplings; without `truth` no
  !> longer.
  !@ set_truth(truth?)
  !> Append the numbers of every epoch to a table of the kind "training_log"; without `table` no longer.
  !@ set_log(table?)
  !> The options that it was made with, into a bag.
  !@ options(options)
  !@ parameter_count
  !> The parameters, in the order of trainer.h.
  !@ parameters(parameters)
  !> Set them; training starts afresh.
  !@ set_parameters(parameters)
  !> V, values(b + 1, a + 1, h), (q, q, H); needed before a run with colors-fixed.
  !@ set_values(values)
  !> Loss (nats per site), objective (with penalties) and its gradient, (parameter count), at the present parameters.
  !@ gradient(loss?, objective?, gradient?)
  !> The same for one masked site 1..L per sequence, (N).
  !@ masked_gradient(masked_sites, loss?, objective?, gradient?); n=size(masked_sites, kind=c_int64_t)
  !> Set the parameters to good initial ones by way of more heads.
  !@ start_wide(heads, iterations)
  !> Set the parameters to the closest couplings to those of a trainer with more heads.
  !@ start_from(wide)
  !> Of the present parameters on an alignment, nats per site; NaN where it fails.
  !@ loss(alignment) -> loss
  !> Train for so many epochs more; to the end where not given.
  !@ run(epochs?=huge(epochs_))
  !@ epochs
  !@ request_stop
  !> The present parameters as a model.
  !@ model(model@out)
  !@ state_bytes
  !@ save_state
  !@ load_state(state@buffer)
end module attopotts_trainer
