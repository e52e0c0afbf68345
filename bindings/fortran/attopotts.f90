! SPDX-License-Identifier: MIT
!> Potts models and factored attention: sample, learn, compare. `use attopotts` is all that a program needs; README.md says
!> how arrays, errors and handles are treated.
module attopotts
  use, intrinsic :: iso_c_binding, only: c_int, c_int8_t, c_int64_t, c_float, c_double
  use attopotts_constants
  use attopotts_base, only: progress_handler, progress_report, log_handler, rank_handler, status_name, status_text, outcome_name, &
    level_name, last_error, color_byte, color_number
  use attopotts_context
  use attopotts_alignment
  use attopotts_model, only: atp_model, assignment(=), append_handle
  use attopotts_sampler
  use attopotts_sampling
  use attopotts_trainer
  use attopotts_scores
  use attopotts_table
  use attopotts_theory
  use attopotts_input
  use attopotts_io
  implicit none
  public
end module attopotts
