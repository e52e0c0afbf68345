// SPDX-License-Identifier: MIT
#include "attention/dense_trainer.hpp"

#include "base/team.hpp"

#include <algorithm>

namespace atp {

template <class Pass>
DenseTrainer<Pass>::DenseTrainer(Context *owner, const DenseSettings &values)
    : Base(owner, values),
      objective_(owner->ranks, values.shape, {}),
      lbfgs_(symmetric_unknowns(values.shape), values.history, values.tolerance, values.resolution(), owner->target) {}

template <class Pass>
void DenseTrainer<Pass>::lay_out(Arena &arena) {
  this->lay_out_shared(arena);
  objective_.lay_out(arena);
  lbfgs_.lay_out(arena);
  x_ = arena.take<Real>(symmetric_unknowns(settings.shape));
}

template <class Pass>
void DenseTrainer<Pass>::start() {
  const int64_t L = settings.shape.sites, q = settings.shape.colors;
  objective_.penalties = this->penalties_;
  lbfgs_.set_tolerance(this->tolerance(L));
  std::fill(x_.begin(), x_.end(), Real{0});
  for (int64_t k = 0; k < L * q; ++k) x_[k] = static_cast<Real>(this->start_[k]);
  symmetric_metric(this->threads(), settings.shape, this->penalties_, this->train_->effective_count(), this->frequencies_.data(),
                   lbfgs_.history().metric);
  restart();
}

template <class Pass>
void DenseTrainer<Pass>::restart() {
  epoch_ = 0;
  end_ = ATP_OUTCOME_NONE;
  lbfgs_.reset();
}

template <class Pass>
void DenseTrainer<Pass>::copy_parameters(double *out) const {
  std::copy(x_.begin(), x_.end(), out);
}

template <class Pass>
void DenseTrainer<Pass>::set_parameters(Span<const double> values) {
  Base::check_parameters(values);
  for (int64_t k = 0; k < x_.size(); ++k) x_[k] = static_cast<Real>(values[k]);
  restart();
}

template <class Pass>
void DenseTrainer<Pass>::add_present(int64_t i, int64_t j, double factor, double *block) const {
  const int64_t L = settings.shape.sites, q = settings.shape.colors;
  const Real *from = x_.data() + L * q + (i < j ? dense_pair(L, i, j) : dense_pair(L, j, i)) * q * q;
  for (int64_t a = 0; a < q; ++a)
    for (int64_t b = 0; b < q; ++b) block[a * q + b] += factor * static_cast<double>(i < j ? from[a * q + b] : from[b * q + a]);
}

template <class Pass>
void DenseTrainer<Pass>::write_present(double *fields) const {
  std::copy_n(x_.data(), settings.shape.sites * settings.shape.colors, fields);
}

template <class Pass>
void DenseTrainer<Pass>::evaluate(double *loss, double *objective, Span<double> gradient) {
  const Span<Real> g = gradient.empty() ? Span<Real>() : lbfgs_.spare();
  double penalty = 0;
  const double sum = objective_.evaluate(this->threads(), kernels_, passes_, data_, x_, g, &penalty);
  if (loss != nullptr) *loss = data_.predicted_weight > 0 ? sum / data_.predicted_weight : 0;
  if (objective != nullptr) *objective = sum + penalty;
  std::copy(g.begin(), g.end(), gradient.begin());
}

template <class Pass>
atp_outcome DenseTrainer<Pass>::run(int64_t epochs, Reporter &reporter) {
  const int64_t last = epoch_ + std::min(epochs, std::max<int64_t>(settings.epochs - epoch_, 0));
  double loss = 0;
  const auto f = [&](Span<const Real> x, Span<Real> gradient) {
    double penalty = 0;
    loss = objective_.evaluate(this->threads(), kernels_, passes_, data_, x, gradient, &penalty);
    return loss + penalty;
  };
  atp_outcome outcome = end_ != ATP_OUTCOME_NONE ? end_ : epochs > 0 ? ATP_OUTCOME_MAX_ITER : ATP_OUTCOME_NONE;
  while (end_ == ATP_OUTCOME_NONE && epoch_ < last) {
    if (reporter.stopped()) {
      outcome = ATP_OUTCOME_CANCELLED;
      break;
    }
    bool moved = false;
    const Descent descent = lbfgs_.iterate(this->threads(), x_, f, &moved);
    if (descent == Descent::converged) end_ = ATP_OUTCOME_CONVERGED;
    if (descent == Descent::stalled) end_ = ATP_OUTCOME_STALLED;
    if (descent == Descent::diverged) end_ = ATP_OUTCOME_DIVERGED;
    if (moved) {
      ++epoch_;
      this->loss_ = data_.predicted_weight > 0 ? loss / data_.predicted_weight : 0;
      this->objective_value_ = lbfgs_.value();
      this->gradient_norm_ = lbfgs_.gradient_norm();
      this->rate_ = lbfgs_.step();
      if (this->report(reporter, settings.epochs, true)) {
        outcome = ATP_OUTCOME_CANCELLED;
        break;
      }
    }
    if (end_ != ATP_OUTCOME_NONE) outcome = end_;
  }
  this->stop_.clear();
  return outcome;
}

template <class Pass>
void DenseTrainer<Pass>::save_run(StateWriter &writer) const {
  lbfgs_.save(writer);
  writer.array(Span<const Real>(x_));
}

template <class Pass>
bool DenseTrainer<Pass>::possible(int64_t epoch, int64_t end) const {
  return epoch >= 0 && epoch <= kMaxEpochs &&
         (end == ATP_OUTCOME_NONE || end == ATP_OUTCOME_CONVERGED || end == ATP_OUTCOME_DIVERGED || end == ATP_OUTCOME_STALLED);
}

template <class Pass>
void DenseTrainer<Pass>::check_run(StateReader reader, int64_t, int64_t) const {
  lbfgs_.check(reader);
  reader.reals<Real>(x_.size(), "parameters");
}

template <class Pass>
void DenseTrainer<Pass>::load_run(StateReader &reader) {
  lbfgs_.load(reader);
  reader.array(x_);
}

template class DenseTrainer<DensePassF32>;
template class DenseTrainer<DensePassF64>;

}  // namespace atp
