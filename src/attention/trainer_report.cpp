// SPDX-License-Identifier: MIT
// What a trainer tells about an epoch: losses on test sequences and the distance from a true model.
#include "attention/trainer.hpp"

#include "model/coupling_error.hpp"
#include "model/evaluate.hpp"

namespace atp {

void Trainer::set_test(const Alignment *test) {
  test_ = test;
  optimal_known_ = false;
}

void Trainer::set_truth(const Model *truth) {
  truth_ = truth;
  optimal_known_ = false;
}

double Trainer::coupling_error() {
  CouplingView learned;
  learned.sites = settings.shape.sites;
  learned.colors = settings.shape.states();
  learned.heads = settings.shape.coupling_heads();
  objective_.expand(parameters_, maps_, values_, {});
  learned.maps = maps_.empty() ? parameters_.data() : maps_.data();
  learned.values = settings.shape.colors_fixed ? objective_.fixed_values.data() : parameters_.data() + settings.shape.map_parameters();
  if (!values_.empty()) learned.values = values_.data();
  return atp::coupling_error(learned, couplings_of(*truth_), scratch_);
}

// True when the run must end.
bool Trainer::report(Reporter &reporter, double gradient_norm) {
  atp_progress progress;
  if (!reporter.wanted()) return reporter.stopped();
  progress.set(ATP_PROGRESS_STEP, static_cast<double>(epoch_));
  progress.set(ATP_PROGRESS_TOTAL, static_cast<double>(settings.epochs));
  progress.set(ATP_PROGRESS_TRAIN_LOSS, loss_);
  progress.set(ATP_PROGRESS_OBJECTIVE, train_objective_);
  progress.set(ATP_PROGRESS_GRADIENT_NORM, gradient_norm);
  progress.set(ATP_PROGRESS_RATE, rate_);
  if (test_ != nullptr) progress.set(ATP_PROGRESS_TEST_LOSS, loss(*test_));
  if (test_ != nullptr && truth_ != nullptr) {
    if (!optimal_known_)
      optimal_loss_ = mean_loss(*truth_, test_->sequences.data(), test_->weights.data(), test_->count(), context->threads);
    optimal_known_ = true;
    progress.set(ATP_PROGRESS_OPTIMAL_LOSS, optimal_loss_);
  }
  if (truth_ != nullptr) progress.set(ATP_PROGRESS_COUPLING_ERROR, coupling_error());
  return reporter.report(progress);
}

}  // namespace atp
