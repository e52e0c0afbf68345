// SPDX-License-Identifier: MIT
// What a trainer tells about an epoch: losses on test sequences and the distance from a true model.
#include "learn/factored/trainer.hpp"

#include "potts/coupling_error.hpp"
#include "potts/evaluate.hpp"

namespace atp {

void Trainer::set_test(const Alignment *test) {
  keep_test(test);
  optimal_known_ = false;
}

void Trainer::set_truth(const Model *truth) {
  truth_ = truth;
  optimal_known_ = false;
}

// The loss of the true model on the test sequences.
double Trainer::optimal_loss() {
  if (states_.empty()) return mean_loss(*truth_, test_->sequences.data(), test_->weights.data(), test_->count(), context->threads);
  const int64_t sites = settings.shape.sites;
  double sum = 0, total = 0;
  for (int64_t n = 0; n < test_->count(); ++n) {
    int64_t predicted = 0;
    for (int64_t i = 0; i < sites; ++i) {
      const uint8_t color = test_->sequences[n * sites + i];
      predicted += color > 0 ? 1 : 0;
      states_[i] = color > 0 ? static_cast<uint8_t>(color - 1) : kMissing;
    }
    double log_probability = 0;
    log_pseudolikelihoods(*truth_, states_.data(), 1, &log_probability);
    sum -= test_->weights[n] * log_probability;
    total += test_->weights[n] * static_cast<double>(predicted);
  }
  return total > 0 ? sum / total : 0;
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
  if (!reporter.wanted()) return reporter.meet();
  progress.set(ATP_PROGRESS_STEP, static_cast<double>(at_.epoch));
  progress.set(ATP_PROGRESS_TOTAL, static_cast<double>(settings.epochs));
  progress.set(ATP_PROGRESS_TRAIN_LOSS, at_.loss);
  progress.set(ATP_PROGRESS_OBJECTIVE, at_.objective);
  progress.set(ATP_PROGRESS_GRADIENT_NORM, gradient_norm);
  progress.set(ATP_PROGRESS_RATE, at_.rate);
  if (test_ != nullptr) progress.set(ATP_PROGRESS_TEST_LOSS, loss(*test_));
  if (test_ != nullptr && truth_ != nullptr) {
    if (!optimal_known_) optimal_loss_ = optimal_loss();
    optimal_known_ = true;
    progress.set(ATP_PROGRESS_OPTIMAL_LOSS, optimal_loss_);
  }
  if (truth_ != nullptr) progress.set(ATP_PROGRESS_COUPLING_ERROR, coupling_error());
  return reporter.report(progress);
}

}  // namespace atp
