// SPDX-License-Identifier: MIT
// Symmetric pseudo-likelihood: one problem with fields and J_ij, i < j, as unknowns (dense_objective.hpp).
//
// A batch of SGD and Adam is training data of its own: its codes and lists are made for every step. With W the weight of all predicted
// sites and w that of those in the batch,
//     f = (sum over the batch of -log p) / w + penalties / W
// has the mean of the whole objective divided by W. The optimiser's numbers are float64, the gradient has the precision of the trainer.
#include "base/callback.hpp"
#include "base/team.hpp"
#include "learn/dense/couplings.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

DenseShape batch_shape(DenseShape shape, const TrainingSettings &settings) {
  shape.count = settings.batch;
  return shape;
}

template <class Pass>
class JointCouplings final : public DenseCouplings<Pass> {
 public:
  using Real = typename Pass::Real;

  JointCouplings(const ObjectiveRow &own_row, const ObjectiveInput &input)
      : Base(own_row, input), sum_(this->context->ranks, this->shape_, {}), batch_(batch_shape(this->shape_, settings)) {}
  void lay_out(Arena &arena) override;

  int64_t parameter_count() const override { return symmetric_unknowns(shape_); }
  int64_t part_count() const override { return 2; }
  Part part(int64_t index) const override {
    const int64_t fields = shape_.sites * shape_.colors;
    return index == 0 ? Part{"fields", 0, fields} : Part{"couplings", fields, parameter_count() - fields};
  }
  bool large() const override { return true; }
  double tolerance() const override { return this->tolerance_of(shape_.sites); }
  double batch_scale() const override { return this->predicted_weight_ > 0 ? this->predicted_weight_ : 1; }
  double operations(int64_t sequences) const override {
    return 4 * static_cast<double>(sequences) * static_cast<double>(shape_.pairs() * shape_.colors);
  }
  void start(Reals x) override;
  void metric(Reals to) const override {
    symmetric_metric(this->threads(), shape_, this->penalties_, this->effective_count_, this->frequencies_.data(), to.of<Real>());
  }
  Evaluation evaluate(Reals x, const MaskedData &part, Reals gradient) override;
  void set_reduction(atp_reduce_fn reduce, void *user) override;
  void release() noexcept override;

 private:
  using Base = DenseCouplings<Pass>;
  using Base::data_;
  using Base::kernels_;
  using Base::passes_;
  using Base::settings;
  using Base::shape_;

  void put(Reals x, Pass &pass, int64_t i) const override {
    x.visit([&](auto from) { put_symmetric(pass, shape_, from.data(), i); });
  }
  void add(Reals x, int64_t i, int64_t k, double factor, double *block) const override;
  void write_fields(Reals x, double *fields) const override {
    x.visit([&](auto from) { std::copy_n(from.data(), shape_.sites * shape_.colors, fields); });
  }
  Evaluation whole(Span<const Real> x, Span<Real> gradient);
  Evaluation summed(Span<const Real> x, Span<Real> gradient);
  Evaluation batch(Span<const Real> x, const MaskedData &part, Span<Real> gradient);
  static void reduce(atp_reduce_fn sum, void *user, Span<double> values);

  SymmetricObjective<Pass> sum_;
  DenseData batch_;           // the sequences of a batch; laid out for SGD and Adam, as all of the next five
  Span<Pass> batch_passes_;   // [team]
  Span<uint8_t> sequences_;   // [batch][L]
  Span<double> weights_;      // [batch]
  Span<Real> point_, slope_;  // parameters and gradient in the precision of the passes
  atp_reduce_fn reduce_ = nullptr;
  void *reduce_user_ = nullptr;
  Span<double> to_sum_;  // over processes; a block of its own
};

template <class Pass>
void JointCouplings<Pass>::lay_out(Arena &arena) {
  this->lay_out_shared(arena);
  sum_.lay_out(arena);
  if (!settings.stochastic()) return;
  batch_.lay_out(arena);
  batch_passes_ = arena.take<Pass>(this->team_);
  for (int t = 0; t < this->team_; ++t) {
    Pass pass;
    pass.lay_out(arena, batch_.shape);
    if (!arena.measuring()) batch_passes_[t] = pass;
  }
  sequences_ = arena.take<uint8_t>(settings.batch, shape_.sites);
  weights_ = arena.take<double>(settings.batch);
  for (Span<Real> *v : {&point_, &slope_}) *v = arena.take<Real>(sizeof(Real) == sizeof(double) ? 0 : parameter_count());
}

template <class Pass>
void JointCouplings<Pass>::start(Reals x) {
  x.visit([&](auto to) {
    using Number = std::remove_reference_t<decltype(to[0])>;
    std::fill(to.begin(), to.end(), Number{0});
    for (int64_t k = 0; k < this->start_.size(); ++k) to[k] = static_cast<Number>(this->start_[k]);
  });
}

template <class Pass>
void JointCouplings<Pass>::add(Reals x, int64_t i, int64_t k, double factor, double *block) const {
  const int64_t L = shape_.sites, q = shape_.colors, j = shape_.neighbor(i, k);
  x.visit([&](auto parameters) {
    const auto *from = parameters.data() + L * q + shape_.pair(i, k) * q * q;
    for (int64_t a = 0; a < q; ++a)
      for (int64_t b = 0; b < q; ++b) block[a * q + b] += factor * static_cast<double>(i < j ? from[a * q + b] : from[b * q + a]);
  });
}

template <class Pass>
Evaluation JointCouplings<Pass>::evaluate(Reals x, const MaskedData &part, Reals gradient) {
  const bool other = x.bits() != static_cast<int>(8 * sizeof(Real));  // numbers of SGD and Adam
  if (other)
    for (int64_t k = 0; k < x.size(); ++k) point_[k] = static_cast<Real>(x.of<double>()[k]);
  const Span<const Real> at = other ? point_ : x.of<Real>();
  const Span<Real> slope = gradient.empty() ? Span<Real>() : other ? slope_ : gradient.of<Real>();
  const Evaluation now = part.rows != nullptr ? batch(at, part, slope) : reduce_ != nullptr ? summed(at, slope) : whole(at, slope);
  if (!gradient.empty() && other) std::copy(slope_.begin(), slope_.end(), gradient.of<double>().begin());
  return now;
}

template <class Pass>
Evaluation JointCouplings<Pass>::whole(Span<const Real> x, Span<Real> gradient) {
  double penalty = 0;
  sum_.penalties = this->penalties_;
  const double loss = sum_.evaluate(this->threads(), kernels_, passes_, data_, x, gradient, &penalty);
  const double weight = data_.predicted_weight;
  return {weight > 0 ? loss / weight : 0, loss + penalty, weight};
}

// The last batch of an epoch may be smaller: it ends with sequences of weight 0.
template <class Pass>
Evaluation JointCouplings<Pass>::batch(Span<const Real> x, const MaskedData &part, Span<Real> gradient) {
  const int64_t L = shape_.sites;
  std::fill(weights_.begin(), weights_.end(), 0.0);
  for (int64_t n = 0; n < part.count; ++n) {
    std::copy_n(part.sequence(n), L, sequences_.data() + n * L);
    weights_[n] = part.weight(n);
  }
  batch_.init(sequences_.data(), weights_.data());
  sum_.penalties = {};
  Evaluation now;
  now.loss = sum_.evaluate(this->threads(), kernels_, batch_passes_, batch_, x, gradient, nullptr);
  now.weight = batch_.predicted_weight;
  const double scale = now.weight > 0 ? 1 / now.weight : 0, all = batch_scale();
  now.loss *= scale;
  for (Real &g : gradient) g = static_cast<Real>(scale * static_cast<double>(g));
  sum_.penalties = {this->penalties_.fields / all, this->penalties_.couplings / all};
  now.objective = now.loss + sum_.add_penalties(this->threads(), x, gradient);
  return now;
}

template <class Pass>
void JointCouplings<Pass>::reduce(atp_reduce_fn sum, void *user, Span<double> values) {
  const int returned = call_host("reduction", [&] { return sum(values.data(), values.size(), user); });
  if (returned != 0) fail(ATP_E_CALLBACK, "the reduction callback returned %d", returned);
}

// Loss and gradient are summed over the processes; then each adds the penalties.
template <class Pass>
Evaluation JointCouplings<Pass>::summed(Span<const Real> x, Span<Real> gradient) {
  const Span<double> values = to_sum_.sub(0, gradient.size() + 2);
  sum_.penalties = {};
  values[0] = sum_.evaluate(this->threads(), kernels_, passes_, data_, x, gradient, nullptr);
  sum_.penalties = this->penalties_;
  values[1] = data_.predicted_weight;
  std::copy(gradient.begin(), gradient.end(), values.begin() + 2);
  reduce(reduce_, reduce_user_, values);
  for (int64_t k = 0; k < gradient.size(); ++k) gradient[k] = static_cast<Real>(values[k + 2]);
  const double loss = values[0], weight = values[1], penalty = sum_.add_penalties(this->threads(), x, gradient);
  return {weight > 0 ? loss / weight : 0, loss + penalty, weight};
}

// Sums what the start of training and the penalties depend on. Where that fails, all stays as it was.
template <class Pass>
void JointCouplings<Pass>::set_reduction(atp_reduce_fn sum, void *user) {
  if (settings.stochastic() && sum != nullptr)
    fail(ATP_E_UNSUPPORTED, "optimizer is %s: training data in several processes need lbfgs; for the others see ranks.h",
         settings.optimizer == ATP_OPTIMIZER_ADAM ? "adam" : "sgd");
  if (sum != nullptr && this->context->ranks.several())
    fail(ATP_E_CONFLICT, "the context has %lld ranks: they share the work, a reduction is for processes without ranks",
         static_cast<long long>(this->context->ranks.size()));
  if (sum == nullptr) {
    release();
    this->take_own_data();
  } else {
    const int64_t n = sum_of(parameter_count(), 2), colors = this->frequencies_.size();
    if (to_sum_.empty()) to_sum_ = {static_cast<double *>(this->context->allocator.allocate(memory_size(n, sizeof(double)))), n};
    const Span<double> totals = to_sum_.sub(0, colors + 2), counts = to_sum_.sub(2, colors);
    std::fill(totals.begin(), totals.end(), 0.0);
    totals[0] = this->train_->effective_count();
    totals[1] = data_.predicted_weight;
    count_colors(shape_, this->train_->sequences.data(), this->train_->weights.data(), counts.data());
    reduce(sum, user, totals);
    for (double x : totals)
      if (!(x >= 0 && std::isfinite(x)))
        fail(ATP_E_NOT_FINITE, "the reduction callback made %g of weights, must be finite, not below 0", x);
    this->effective_count_ = totals[0];
    this->predicted_weight_ = totals[1];
    this->penalties_ = this->penalties_for(totals[0]);
    for (int64_t k = 0; k < colors; ++k) this->frequencies_[k] = 1 / static_cast<double>(shape_.colors) + counts[k];
    initial_fields(shape_, this->frequencies_.data(), this->start_.data());
  }
  reduce_ = sum;
  reduce_user_ = user;
}

template <class Pass>
void JointCouplings<Pass>::release() noexcept {
  if (!to_sum_.empty()) this->context->allocator.release(to_sum_.data(), static_cast<std::size_t>(to_sum_.size()) * sizeof(double));
  to_sum_ = {};
}

}  // namespace

Objective *make_dense(void *place, const ObjectiveRow &row, const ObjectiveInput &input) {
  if (input.options.integer(ATP_OPT_PRECISION) == 64) return put_objective<JointCouplings<DensePassF64>>(place, row, input);
  return put_objective<JointCouplings<DensePassF32>>(place, row, input);
}

}  // namespace atp
