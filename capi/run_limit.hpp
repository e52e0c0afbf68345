// SPDX-License-Identifier: MIT
// The two limits of a training run: the epochs that the call asks for, and the option epochs.
#pragma once

#include "learn/learner.hpp"

namespace atp {

// Runs, stores the outcome, and logs a warning where the option epochs ended the run before the epochs asked for were made. More than
// kMaxEpochs means to the end.
template <class Trainer>
void run_epochs(Trainer &trainer, int64_t epochs, Reporter &reporter, atp_outcome *outcome) {
  const int64_t before = trainer.epochs();
  const atp_outcome end = trainer.run(epochs, reporter);
  if (outcome != nullptr) *outcome = end;
  const int64_t made = trainer.epochs() - before;
  if (end != ATP_OUTCOME_MAX_ITER || epochs > kMaxEpochs || made >= epochs) return;
  trainer.context->message(ATP_LOG_WARNING,
                           "run: %lld of the %lld epochs asked for were made, because option epochs is %lld; to go on, make a trainer with "
                           "more epochs (L-BFGS resumes there from the saved state), or loosen the tolerance",
                           static_cast<long long>(made), static_cast<long long>(epochs),
                           static_cast<long long>(trainer.given.integer(ATP_OPT_EPOCHS)));
}

}  // namespace atp
