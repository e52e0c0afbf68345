// SPDX-License-Identifier: MIT
#include "learn/dense/dense_trainer.hpp"

#include "base/callback.hpp"
#include "base/team.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

template <class Pass>
DenseTrainer<Pass>::DenseTrainer(Context *owner, const DenseSettings &values)
    : Base(owner, values),
      objective_(owner->ranks, values.shape, {}),
      lbfgs_(symmetric_unknowns(values.shape), values.history, values.tolerance, values.resolution(), owner->target, &owner->ranks) {}

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
  loss_weight_ = this->predicted_weight_;
  lbfgs_.set_tolerance(this->tolerance(L));
  std::fill(x_.begin(), x_.end(), Real{0});
  for (int64_t k = 0; k < L * q; ++k) x_[k] = static_cast<Real>(this->start_[k]);
  symmetric_metric(this->threads(), settings.shape, this->penalties_, this->effective_count_, this->frequencies_.data(), lbfgs_.spare());
  const Span<const Real> metric = lbfgs_.history().own(lbfgs_.spare());
  std::copy(metric.begin(), metric.end(), lbfgs_.history().metric.begin());
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
void DenseTrainer<Pass>::add_present(int64_t i, int64_t k, double factor, double *block) const {
  const int64_t L = settings.shape.sites, q = settings.shape.colors, j = settings.shape.neighbor(i, k);
  const Real *from = x_.data() + L * q + settings.shape.pair(i, k) * q * q;
  for (int64_t a = 0; a < q; ++a)
    for (int64_t b = 0; b < q; ++b) block[a * q + b] += factor * static_cast<double>(i < j ? from[a * q + b] : from[b * q + a]);
}

template <class Pass>
void DenseTrainer<Pass>::write_present(double *fields) const {
  std::copy_n(x_.data(), settings.shape.sites * settings.shape.colors, fields);
}

template <class Pass>
void DenseTrainer<Pass>::reduce(atp_reduce_fn sum, void *user, Span<double> values) {
  const int returned = call_host("reduction", [&] { return sum(values.data(), values.size(), user); });
  if (returned != 0) fail(ATP_E_CALLBACK, "the reduction callback returned %d", returned);
}

// Sums what the start of training and the penalties depend on, and starts. Where that fails, all stays as it was.
template <class Pass>
void DenseTrainer<Pass>::set_reduction(atp_reduce_fn sum, void *user) {
  Allocator &allocator = this->context->allocator;
  Span<double> &values = this->to_sum_;
  if (sum != nullptr && this->context->ranks.several())
    fail(ATP_E_CONFLICT, "the context has %lld ranks: they share the work, a reduction is for processes without ranks",
         static_cast<long long>(this->context->ranks.size()));
  if (sum == nullptr) {
    if (!values.empty()) allocator.release(values.data(), static_cast<std::size_t>(values.size()) * sizeof(double));
    values = {};
    this->take_own_data();
  } else {
    const int64_t n = sum_of(x_.size(), 2);
    if (values.empty()) values = {static_cast<double *>(allocator.allocate(memory_size(n, sizeof(double)))), n};
    const int64_t colors = this->frequencies_.size();
    const Span<double> totals = values.sub(0, colors + 2), counts = values.sub(2, colors);
    std::fill(totals.begin(), totals.end(), 0.0);
    totals[0] = this->train_->effective_count();
    totals[1] = data_.predicted_weight;
    count_colors(settings.shape, this->train_->sequences.data(), this->train_->weights.data(), counts.data());
    reduce(sum, user, totals);
    for (double x : totals)
      if (!(x >= 0 && std::isfinite(x)))
        fail(ATP_E_NOT_FINITE, "the reduction callback made %g of weights, must be finite, not below 0", x);
    this->effective_count_ = totals[0];
    this->predicted_weight_ = totals[1];
    this->penalties_ = settings.penalties(totals[0]);
    for (int64_t k = 0; k < colors; ++k) this->frequencies_[k] = 1 / static_cast<double>(settings.shape.colors) + counts[k];
    initial_fields(settings.shape, this->frequencies_.data(), this->start_.data());
  }
  reduce_ = sum;
  reduce_user_ = user;
  start();
}

// Loss and gradient are summed over the processes; then each adds the penalties.
template <class Pass>
double DenseTrainer<Pass>::summed_value(Span<const Real> x, Span<Real> gradient, double *penalty) {
  const Span<double> values = this->to_sum_.sub(0, gradient.size() + 2);
  objective_.penalties = {};
  values[0] = objective_.evaluate(this->threads(), kernels_, passes_, data_, x, gradient, nullptr);
  objective_.penalties = this->penalties_;
  values[1] = data_.predicted_weight;
  std::copy(gradient.begin(), gradient.end(), values.begin() + 2);
  reduce(reduce_, reduce_user_, values);
  for (int64_t k = 0; k < gradient.size(); ++k) gradient[k] = static_cast<Real>(values[k + 2]);
  loss_weight_ = values[1];
  *penalty = objective_.add_penalties(this->threads(), x, gradient);
  return values[0];
}

template <class Pass>
double DenseTrainer<Pass>::value(Span<const Real> x, Span<Real> gradient, double *penalty) {
  if (!gradient.empty()) ++this->evaluations_;
  if (reduce_ != nullptr) return summed_value(x, gradient, penalty);
  return objective_.evaluate(this->threads(), kernels_, passes_, data_, x, gradient, penalty);
}

template <class Pass>
void DenseTrainer<Pass>::evaluate(double *loss, double *objective, Span<double> gradient) {
  const Span<Real> g = gradient.empty() ? Span<Real>() : lbfgs_.spare();
  double penalty = 0;
  const double sum = value(x_, g, &penalty);
  if (loss != nullptr) *loss = loss_weight_ > 0 ? sum / loss_weight_ : 0;
  if (objective != nullptr) *objective = sum + penalty;
  std::copy(g.begin(), g.end(), gradient.begin());
}

template <class Pass>
atp_outcome DenseTrainer<Pass>::run(int64_t epochs, Reporter &reporter) {
  const int64_t last = epoch_ + std::min(epochs, std::max<int64_t>(settings.epochs - epoch_, 0));
  double loss = 0;
  const auto f = [&](Span<const Real> x, Span<Real> gradient) {
    double penalty = 0;
    loss = value(x, gradient, &penalty);
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
      this->loss_ = loss_weight_ > 0 ? loss / loss_weight_ : 0;
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
