// SPDX-License-Identifier: MIT
// Symmetric pseudo-likelihood: one problem. The unknowns are the fields [L][q], then J_ij(a, b) for i < j, [q][q] each, pairs in the order
// (0, 1), (0, 2), ..., those of the list alone where there is one. The derivative of J_ij has two terms, from the prediction of i and of j.
//
// With several ranks the items are sites. A rank makes its sides of the derivatives of all pairs of its sites; exchange() adds the sides
// that different ranks have made. A sum of two has the same bits in any order. Sharing sequences instead would need a sum over fixed blocks
// of them, with a gradient for each block. Bytes that all ranks together give in an evaluation: 16 L, and with a gradient
// sizeof(Real) (L q + (far pairs + pairs) q^2), at most twice the gradient. Far pairs are those of two ranks.
//
// In an autoregressive model a pair has one side, that of the site which comes later in the order. Far pairs are then those of two ranks
// whose later site is the one that does not own the pair.
//
// A batch of SGD and Adam is training data of its own: its codes and lists are made for every step. With W the weight of all predicted
// sites and w that of those in the batch,
//     f = (sum over the batch of -log p) / w + penalties / W
// has the mean of the whole objective divided by W. The optimiser's numbers are float64, the gradient has the precision of the trainer.
#include "base/running.hpp"
#include "learn/dense/centred_slopes.hpp"
#include "learn/dense/couplings.hpp"
#include "learn/likelihood/couplings.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

DenseShape batch_shape(DenseShape shape, const TrainingSettings &settings) {
  shape.count = settings.batch;
  return shape;
}

template <class Pass>
class JointCouplings final : public DenseCouplings<Pass>, public CouplingParameters {
 public:
  using Real = typename Pass::Real;

  JointCouplings(const ObjectiveRow &own_row, const ObjectiveInput &input)
      : Base(own_row, input), batch_(batch_shape(this->shape_, settings)), ranks_(this->context->ranks), ranks_then_(ranks_.size()) {}
  void lay_out(Arena &arena) override;

  int64_t parameter_count() const override { return shape_.sites * shape_.colors + shape_.pairs() * shape_.block(); }
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
  void read(Reals x, double *out) const override;
  void write(Span<const double> values, Reals x) const override;
  void read_gradient(Reals gradient, double *out) const override;
  void start(Reals x) override;
  void metric(Reals to) const override;
  Evaluation evaluate(Reals x, const MaskedData &part, Reals gradient) override;
  void set_reduction(atp_reduce_fn reduce, void *user) override;
  void release() noexcept override;
  void start_model(const Model &model, Reals x) const override;

  // The likelihood has the same parameters.
  CouplingParameters *couplings() override { return this; }
  DenseShape pairs() const override { return shape_; }
  bool plain() const override { return true; }
  void expand(Span<const double>, Span<double>) override {}
  void pull_back(Span<const double> x, Span<const double> slope, Span<double> gradient) override;
  double field_penalty() const override { return penalties_.fields; }
  double coupling_penalty() const override { return penalties_.couplings; }

 private:
  using Base = DenseCouplings<Pass>;
  using Base::data_;
  using Base::losses_;
  using Base::passes_;
  using Base::penalties_;
  using Base::settings;
  using Base::shape_;
  enum : uint8_t { kNothing = 0, kWriting = 1, kOneSide = 2 };  // of a pair, during an evaluation
  struct Sum {
    double loss = 0, penalty = 0;
  };

  void put(Reals x, Pass &pass, int64_t i) const override {
    x.visit([&](auto from) {
      std::remove_const_t<std::remove_reference_t<decltype(from[0])>> fields[kMaxColors] = {};
      put_site(from.data(), pass, i, fields);
    });
  }
  void add(Reals x, int64_t i, int64_t k, double factor, double *block) const override;
  void write_fields(Reals x, double *fields) const override {
    x.visit([&](auto from) {
      for (int64_t i = 0; i < shape_.sites; ++i) fields_of(i, from.data(), fields + i * shape_.colors);
    });
  }
  // Couplings and fields of site i into a pass; writes the fields, too.
  template <class Number>
  void put_site(const Number *x, Pass &pass, int64_t i, Number *fields) const;
  typename Base::BlockPlace place(int64_t i, int64_t k) const {
    const int64_t q = shape_.colors;
    const bool first = i < shape_.neighbor(i, k);
    return {shape_.sites * q + shape_.pair(i, k) * q * q, first ? q : 1, first ? 1 : q};
  }
  // The fields of site i with these unknowns.
  template <class Number, class Field>
  void fields_of(int64_t i, const Number *x, Field *fields) const {
    for (int64_t a = 0; a < shape_.colors; ++a) fields[a] = static_cast<Field>(x[i * shape_.colors + a]);
    if (this->centred())
      this->shift_fields(
          i, -1, x, [&](int64_t k) { return place(i, k); }, fields);
  }
  // A gradient at fixed fields becomes that of the unknowns; it may be empty. Of directed pairs take() does that.
  void center_slopes(Span<const Real> x, Span<Real> gradient);
  // The sum of the losses, and the penalties. With a gradient: of both, overwritten; at fixed fields unless pairs are directed. passes
  // [team].
  Sum sum(Span<Pass> passes, const DenseData &sequences, const DensePenalties &penalties, Span<const Real> x, Span<Real> gradient);
  // Adds the penalties to a gradient without them, which may be empty; their sum.
  double add_penalties(const DensePenalties &penalties, Span<const Real> x, Span<Real> gradient);
  // Of the fields of site i, and of its pairs with j > i.
  struct Squares {
    double fields = 0, couplings = 0;
    double penalty(const DensePenalties &p) const { return p.fields * fields + p.couplings * couplings; }
  };
  Squares squares_of(int64_t i, const Real *x, const Real *fields) const;
  void take(const Pass &pass, int64_t i, int64_t k, double strength, const Real *x, Real *gradient);
  void set_order(Span<const int64_t> order) override {
    Base::set_order(order);
    count_far(far_begins_);
  }
  // With several ranks.
  int64_t first_site(int64_t rank) const { return ranks_.first(rank, shape_.sites); }
  int64_t far_of(int64_t j, int64_t first) const;
  int64_t count_far(Span<int64_t> begins) const;
  void exchange(double strength, const Real *x, Real *gradient);

  Evaluation whole(Span<const Real> x, Span<Real> gradient);
  Evaluation summed(Span<const Real> x, Span<Real> gradient);
  Evaluation batch(Span<const Real> x, const MaskedData &part, Span<Real> gradient);
  // With a reduction, processes make every evaluation together.
  bool interrupted() const { return this->stop != nullptr && reduce_ == nullptr && this->stop->requested(); }
  static void reduce(atp_reduce_fn callback, void *user, Span<double> values);

  DenseData batch_;           // the sequences of a batch; laid out for SGD and Adam, as all of the next five
  Span<Pass> batch_passes_;   // [team]
  Span<uint8_t> sequences_;   // [batch][L]
  Span<double> weights_;      // [batch]
  Span<Real> point_, slope_;  // parameters and gradient in the precision of the passes
  Ranks &ranks_;
  int64_t ranks_then_;        // when the memory was taken
  Span<int64_t> far_begins_;  // [L + 1]: with several ranks, far pairs of the sites before j, see exchange()
  Span<Real> far_;            // [far pairs][q][q]
  Span<uint8_t> states_;      // of the pairs, during an evaluation
  Span<double> penalty_sums_;
  Span<double> squares_;  // [L][2]: of a gradient and parameters; sum() writes those of parameters
  atp_reduce_fn reduce_ = nullptr;
  void *reduce_user_ = nullptr;
  Span<double> to_sum_;  // over processes; a block of its own
};

template <class Pass>
void JointCouplings<Pass>::lay_out(Arena &arena) {
  this->lay_out_shared(arena);
  states_ = arena.take<uint8_t>(shape_.directed() ? 0 : shape_.pairs());
  penalty_sums_ = arena.take<double>(shape_.sites);
  squares_ = arena.take<double>(2 * shape_.sites);
  far_begins_ = arena.take<int64_t>(ranks_.several() ? shape_.sites + 1 : 0);
  far_ = arena.take<Real>(count_far(arena.measuring() ? Span<int64_t>() : far_begins_), shape_.block());
  if (!settings.stochastic() || this->row.objective == ATP_OBJECTIVE_LIKELIHOOD) return;
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

// Ranks share the sites. A pair i < j belongs to the rank of i. It is far if j is on another, higher rank. Returns how many pairs of j are
// far, where `first` is the first site of the rank of j: those are its first neighbours.
template <class Pass>
int64_t JointCouplings<Pass>::far_of(int64_t j, int64_t first) const {
  int64_t count = 0;
  while (count < shape_.below(j) && shape_.neighbor(j, count) < first) ++count;
  return count;
}

// Returns how many pairs are far, and writes where those of each site begin, begins [L + 1] or empty. Of directed lists no order has more
// than that of the sites' numbers, which they have at first.
template <class Pass>
int64_t JointCouplings<Pass>::count_far(Span<int64_t> begins) const {
  int64_t far = 0;
  for (int64_t r = 0; ranks_.several() && r < ranks_.size(); ++r)
    for (int64_t j = first_site(r); j < first_site(r + 1); ++j) {
      far += far_of(j, first_site(r));
      if (!begins.empty()) begins[j + 1] = far;
    }
  return far;
}

// The sides of far pairs go to all ranks, the owners add them and the penalty, and the gradient goes to all ranks. A sum of two is the same
// both ways round. Together each rank gets at most (far pairs + all pairs) q^2 + L q numbers of an evaluation.
template <class Pass>
void JointCouplings<Pass>::exchange(double strength, const Real *x, Real *gradient) {
  const int64_t L = shape_.sites, q = shape_.colors, block = q * q, size = sizeof(Real);
  int64_t *ends = ranks_.ends();
  for (int64_t r = 0; r < ranks_.size(); ++r) ends[r] = far_begins_[first_site(r + 1)] * block * size;
  ranks_.gather(far_.data(), ends);
  const int64_t own = first_site(ranks_.rank()), own_end = first_site(ranks_.rank() + 1);
  for (int64_t j = own_end; j < L; ++j)
    for (int64_t k = 0; k < far_begins_[j + 1] - far_begins_[j]; ++k) {
      const int64_t i = shape_.neighbor(j, k), at = L * q + shape_.pair(j, k) * block;
      if (i < own || i >= own_end) continue;
      const Real *side = far_.data() + (far_begins_[j] + k) * block;
      for (int64_t n = 0; n < block; ++n) gradient[at + n] = shape_.directed() ? side[n] : gradient[at + n] + side[n];
      add_penalty(strength, x + at, block, gradient + at);
    }
  ranks_.gather(gradient, L, q * size);
  for (int64_t r = 0; r < ranks_.size(); ++r) ends[r] = shape_.first_pair(first_site(r + 1)) * block * size;
  ranks_.gather(gradient + L * q, ends);
}

// Add this site's side of the pair with its neighbour k to the gradient. Which side comes first is left to chance: the first stores, the
// second waits until that is done and adds, and a sum of two is the same both ways round. The second then adds the penalty. A
// pair with one side is stored with its penalty.
template <class Pass>
void JointCouplings<Pass>::take(const Pass &pass, int64_t i, int64_t k, double strength, const Real *x, Real *gradient) {
  const int64_t L = shape_.sites, q = shape_.colors, j = shape_.neighbor(i, k), pair = shape_.pair(i, k), slot = shape_.slot(i, k);
  const int64_t at = L * q + pair * q * q, stride_a = i < j ? q : 1, stride_b = i < j ? 1 : q;
  const bool near = first_site(ranks_.rank()) <= j && j < first_site(ranks_.rank() + 1), far = !near && j < i;
  if (!near || shape_.directed()) {
    Real *to = far ? far_.data() + (far_begins_[i] + k) * q * q : gradient + at;
    pass.take_block(slot, false, to, stride_a, stride_b);
    if (this->centred() && shape_.directed()) this->shift_block(i, k, -1, gradient + i * q, {0, stride_a, stride_b}, to);
    if (shape_.directed() && !far) add_penalty(strength, x + at, q * q, gradient + at);
    return;
  }
  uint8_t *state = states_.data() + pair, nothing = kNothing;
  if (__atomic_compare_exchange_n(state, &nothing, uint8_t{kWriting}, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
    pass.take_block(slot, false, gradient + at, stride_a, stride_b);
    __atomic_store_n(state, uint8_t{kOneSide}, __ATOMIC_RELEASE);
    return;
  }
  while (__atomic_load_n(state, __ATOMIC_ACQUIRE) != kOneSide) {
  }
  pass.take_block(slot, true, gradient + at, stride_a, stride_b);
  add_penalty(strength, x + at, q * q, gradient + at);
}

template <class Pass>
typename JointCouplings<Pass>::Squares JointCouplings<Pass>::squares_of(int64_t i, const Real *x, const Real *fields) const {
  const int64_t L = shape_.sites, q = shape_.colors, begin = shape_.first_pair(i), end = shape_.first_pair(i + 1);
  return {sum_of_squares(fields, q), sum_of_squares(x + L * q + begin * q * q, (end - begin) * q * q)};
}

template <class Pass>
double JointCouplings<Pass>::add_penalties(const DensePenalties &penalties, Span<const Real> x, Span<Real> gradient) {
  const int64_t L = shape_.sites, q = shape_.colors;
  parallel_for(this->threads(), L, [&](int64_t i, int) {
    Real fields[kMaxColors] = {};
    fields_of(i, x.data(), fields);
    penalty_sums_[i] = squares_of(i, x.data(), fields).penalty(penalties);
    if (gradient.empty()) return;
    const int64_t first = L * q + shape_.first_pair(i) * q * q, pairs = shape_.first_pair(i + 1) - shape_.first_pair(i);
    add_penalty(penalties.fields, fields, q, gradient.data() + i * q);
    add_penalty(penalties.couplings, x.data() + first, pairs * q * q, gradient.data() + first);
  });
  double sum = 0;
  for (double penalty : penalty_sums_) sum += penalty;
  return sum;
}

template <class Pass>
void JointCouplings<Pass>::center_slopes(Span<const Real> x, Span<Real> gradient) {
  if (this->first_unknowns() || settings.stochastic() || gradient.empty()) return;
  const int64_t L = shape_.sites, q = shape_.colors;
  parallel_for(this->threads(), L, [&](int64_t i, int) {
    const int64_t first = L * q + shape_.first_pair(i) * q * q, size = (shape_.first_pair(i + 1) - shape_.first_pair(i)) * q * q;
    squares_[2 * i] = sum_of_squares(gradient.data() + i * q, q) + sum_of_squares(gradient.data() + first, size);
    if (!ranks_.several()) return;  // otherwise other ranks have the squares of their sites
    Real fields[kMaxColors] = {};
    fields_of(i, x.data(), fields);
    const Squares squares = squares_of(i, x.data(), fields);
    squares_[2 * i + 1] = squares.fields + squares.couplings;
  });
  double sums[2] = {};
  for (int64_t k = 0; k < 2 * L; ++k) sums[k % 2] += squares_[k];
  this->norms_[0] = {std::sqrt(sums[0]), std::sqrt(sums[1])};
  shift_slopes(shape_, this->means_.data(), this->shares_.data(), -1, gradient, this->threads());
}

template <class Pass>
void JointCouplings<Pass>::start_model(const Model &model, Reals x) const {
  const int64_t L = shape_.sites, q = shape_.colors;
  if (shape_.directed()) return Objective::start_model(model, x);
  const double most = this->largest();
  const auto value_at = [&](int64_t i, int64_t k, int64_t a, int64_t b) {
    const int64_t j = shape_.neighbor(i, k);
    return model.beta * 0.5 * (model.coupling(i, j, a, b) + model.coupling(j, i, b, a));
  };
  for (int64_t i = 0; i < L; ++i)
    for (int64_t k = shape_.below(i); k < shape_.degree(i); ++k)
      for (int64_t n = 0; n < q * q; ++n)
        if (const double value = value_at(i, k, n / q, n % q); !(std::fabs(value) <= most))
          fail(ATP_E_NOT_FINITE, "model has a coupling of %g, must be within %g, the range of the precision", value, most);
  const auto fields_at = [&](int64_t i, double *fields) {
    for (int64_t a = 0; a < q; ++a) fields[a] = model.fields.empty() ? 0 : model.beta * model.fields[i * q + a];
    for (int64_t k = 0; this->centred() && k < shape_.degree(i); ++k)
      for (int64_t n = 0; n < q * q; ++n)
        fields[n / q] += value_at(i, k, n / q, n % q) * this->shares_[i * q + n / q] * this->means_[shape_.neighbor(i, k) * q + n % q];
  };
  parallel_for(this->threads(), L, [&](int64_t i, int) {
    double fields[kMaxColors] = {};
    fields_at(i, fields);
    penalty_sums_[i] = 0;
    for (int64_t a = 0; a < q; ++a)
      if (!(std::fabs(fields[a]) <= most)) penalty_sums_[i] = fields[a];
  });
  for (double field : penalty_sums_)
    if (!(std::fabs(field) <= most))
      fail(ATP_E_NOT_FINITE, "model has a field of %g, must be within %g, the range of the precision", field, most);
  x.visit([&](auto to) {
    using Number = std::remove_reference_t<decltype(to[0])>;
    parallel_for(this->threads(), L, [&](int64_t i, int) {
      double own[kMaxColors] = {};
      fields_at(i, own);
      for (int64_t a = 0; a < q; ++a) to[i * q + a] = static_cast<Number>(own[a]);
      for (int64_t k = shape_.below(i); k < shape_.degree(i); ++k)
        for (int64_t n = 0; n < q * q; ++n) to[L * q + shape_.pair(i, k) * q * q + n] = static_cast<Number>(value_at(i, k, n / q, n % q));
    });
  });
}

template <class Pass>
void JointCouplings<Pass>::pull_back(Span<const double> x, Span<const double> slope, Span<double> gradient) {
  const int64_t fields = shape_.sites * shape_.colors;
  if (gradient.data() != slope.data()) std::copy(slope.begin(), slope.end(), gradient.begin());
  add_penalty(penalties_.fields, x.data(), fields, gradient.data());
  add_penalty(penalties_.couplings, x.data() + fields, x.size() - fields, gradient.data() + fields);
}

template <class Pass>
typename JointCouplings<Pass>::Sum JointCouplings<Pass>::sum(Span<Pass> passes, const DenseData &sequences, const DensePenalties &penalties,
                                                             Span<const Real> x, Span<Real> gradient) {
  const int64_t L = shape_.sites, q = shape_.colors;
  assert(x.size() == parameter_count() && (gradient.empty() || gradient.size() == x.size()));
  if (ranks_then_ != ranks_.size()) fail(ATP_E_STAGE, "the ranks of the context were set after the trainer was made");
  std::fill(states_.begin(), states_.end(), uint8_t{kNothing});
  shared_for(ranks_, this->threads(), L, [&](int64_t i, int thread) {
    if (interrupted()) return;
    Pass &pass = passes[thread];
    Real fields[kMaxColors] = {};
    put_site(x.data(), pass, i, fields);
    const Squares squares = squares_of(i, x.data(), fields);  // now, while the couplings are in the caches
    penalty_sums_[i] = squares.penalty(penalties);
    squares_[2 * i + 1] = squares.fields + squares.couplings;
    losses_[i] = pass.run(this->kernels_, sequences, i, !gradient.empty());
    if (gradient.empty()) return;
    pass.take_fields(gradient.data() + i * q);
    add_penalty(penalties.fields, fields, q, gradient.data() + i * q);
    // Starting with the neighbours after i, so that two sites at work seldom meet at their pair.
    for (int64_t k = 0, n = shape_.degree(i); k < n; ++k)
      take(pass, i, (shape_.below(i) + k) % n, penalties.couplings, x.data(), gradient.data());
  });
  if (interrupted()) throw Interrupted();
  ranks_.gather(losses_.data(), L, sizeof(double));
  ranks_.gather(penalty_sums_.data(), L, sizeof(double));
  if (ranks_.several() && !gradient.empty()) exchange(penalties.couplings, x.data(), gradient.data());
  Sum sum;
  for (int64_t i = 0; i < L; ++i) {
    sum.loss += losses_[i];
    sum.penalty += penalty_sums_[i];
  }
  return sum;
}

template <class Pass>
template <class Number>
void JointCouplings<Pass>::put_site(const Number *x, Pass &pass, int64_t i, Number *fields) const {
  const int64_t q = shape_.colors, below = shape_.below(i);
  const Number *pairs = x + shape_.sites * q;
  if (shape_.lists == nullptr) pass.clear_block(i);
  double sums[kMaxColors] = {};
  for (int64_t k = 0; k < shape_.degree(i); ++k) {
    const int64_t slot = shape_.slot(i, k);
    pass.put_block(slot, pairs + shape_.pair(i, k) * q * q, k < below ? 1 : q, k < below ? q : 1);
    if (this->centred()) pass.add_mean(slot, this->means_.data() + shape_.neighbor(i, k) * q, sums);
  }
  for (int64_t a = 0; a < q; ++a) fields[a] = x[i * q + a];
  if (this->centred()) this->shift_by(i, -1, sums, fields);
  pass.put_fields(fields);
}

// The inverse of the diagonal of the Hessian at independent sites of the frequencies f, in the order of the unknowns; see curvature(). In
// states of the first version J_ij(a, b) has N_eff [f_i(a) (1 - f_i(a)) f_j(b) + f_j(b) (1 - f_j(b)) f_i(a)] + 2 A_J, in autoregressive
// models N_eff f_i(a) (1 - f_i(a)) f_j(b) (1 - f_j(b)) + 2 A_J.
template <class Pass>
void JointCouplings<Pass>::metric(Reals to) const {
  const int64_t L = shape_.sites, q = shape_.colors;
  const double *frequencies = this->means_.data(), weight = this->effective_count_;
  Real *fields = to.of<Real>().data();
  parallel_for(this->threads(), L, [&](int64_t i, int) {
    const double *f = frequencies + i * q;
    for (int64_t a = 0; a < q; ++a) fields[i * q + a] = static_cast<Real>(1 / (weight * f[a] * (1 - f[a]) + 2 * penalties_.fields));
    for (int64_t k = shape_.directed() ? 0 : shape_.below(i); k < shape_.degree(i); ++k) {
      const int64_t j = shape_.neighbor(i, k), stride_a = i < j ? q : 1, stride_b = i < j ? 1 : q;
      const double *g = frequencies + j * q;
      Real *block = fields + L * q + shape_.pair(i, k) * q * q;
      for (int64_t a = 0; a < q; ++a)
        for (int64_t b = 0; b < q; ++b) {
          const double sides = shape_.directed() ? (1 - f[a]) * (1 - g[b]) : 2 - f[a] - g[b];
          const double curvature =
              this->first_unknowns() ? weight * f[a] * g[b] * sides : this->curvature(i, a, j, b) + this->curvature(j, b, i, a);
          block[a * stride_a + b * stride_b] = static_cast<Real>(1 / (curvature + 2 * penalties_.couplings));
        }
    }
  });
}

template <class Pass>
void JointCouplings<Pass>::read(Reals x, double *out) const {
  Base::read(x, out);
  write_fields(x, out);
}

template <class Pass>
void JointCouplings<Pass>::write(Span<const double> values, Reals x) const {
  const int64_t L = shape_.sites, q = shape_.colors;
  double fields[kMaxColors] = {};
  const auto center = [&](int64_t i) {
    this->center(
        i, values.data() + i * q, values.data(), [&](int64_t k) { return place(i, k); }, fields);
  };
  this->check_range(values);
  for (int64_t i = 0; this->centred() && i < L; ++i) center(i);  // throws before anything is written
  Base::write(values, x);
  for (int64_t i = 0; this->centred() && i < L; ++i) {
    center(i);
    for (int64_t a = 0; a < q; ++a) x.of<Real>()[i * q + a] = static_cast<Real>(fields[a]);
  }
}

template <class Pass>
void JointCouplings<Pass>::read_gradient(Reals gradient, double *out) const {
  Base::read(gradient, out);
  if (!this->centred()) return;
  if (!shape_.directed())
    shift_slopes(shape_, this->means_.data(), this->shares_.data(), 1, Span<double>(out, gradient.size()), this->threads());
  for (int64_t i = 0; shape_.directed() && i < shape_.sites; ++i)
    for (int64_t k = 0; k < shape_.degree(i); ++k) this->shift_block(i, k, 1, out + i * shape_.colors, place(i, k), out);
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
  const Sum all = sum(passes_, data_, penalties_, x, gradient);
  center_slopes(x, gradient);
  const double weight = data_.predicted_weight;
  return {weight > 0 ? all.loss / weight : 0, all.loss + all.penalty, weight};
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
  Evaluation now;
  now.loss = sum(batch_passes_, batch_, {}, x, gradient).loss;
  now.weight = batch_.predicted_weight;
  const double scale = now.weight > 0 ? 1 / now.weight : 0, all = batch_scale();
  now.loss *= scale;
  for (Real &g : gradient) g = static_cast<Real>(scale * static_cast<double>(g));
  now.objective = now.loss + add_penalties({penalties_.fields / all, penalties_.couplings / all}, x, gradient);
  return now;
}

template <class Pass>
void JointCouplings<Pass>::reduce(atp_reduce_fn callback, void *user, Span<double> values) {
  const int returned = call_host("reduction", [&] { return callback(values.data(), values.size(), user); });
  if (returned != 0) fail(ATP_E_CALLBACK, "the reduction callback returned %d", returned);
}

// Loss and gradient are summed over the processes; then each adds the penalties.
template <class Pass>
Evaluation JointCouplings<Pass>::summed(Span<const Real> x, Span<Real> gradient) {
  const Span<double> values = to_sum_.sub(0, gradient.size() + 2);
  values[0] = sum(passes_, data_, {}, x, gradient).loss;
  values[1] = data_.predicted_weight;
  std::copy(gradient.begin(), gradient.end(), values.begin() + 2);
  reduce(reduce_, reduce_user_, values);
  for (int64_t k = 0; k < gradient.size(); ++k) gradient[k] = static_cast<Real>(values[k + 2]);
  const double loss = values[0], weight = values[1], penalty = add_penalties(penalties_, x, gradient);
  center_slopes(x, gradient);
  return {weight > 0 ? loss / weight : 0, loss + penalty, weight};
}

// Sums what the start of training and the penalties depend on. Where that fails, all stays as it was.
template <class Pass>
void JointCouplings<Pass>::set_reduction(atp_reduce_fn callback, void *user) {
  if (settings.stochastic() && callback != nullptr)
    fail(ATP_E_UNSUPPORTED, "optimizer is %s: training data in several processes need lbfgs; for the others see ranks.h",
         settings.optimizer == ATP_OPTIMIZER_ADAM ? "adam" : "sgd");
  if (callback != nullptr && ranks_.several())
    fail(ATP_E_CONFLICT, "the context has %lld ranks: they share the work, a reduction is for processes without ranks",
         static_cast<long long>(ranks_.size()));
  if (callback == nullptr) {
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
    reduce(callback, user, totals);
    for (double x : totals)
      if (!(x >= 0 && std::isfinite(x)))
        fail(ATP_E_NOT_FINITE, "the reduction callback made %g of weights, must be finite, not below 0", x);
    this->effective_count_ = totals[0];
    this->predicted_weight_ = totals[1];
    penalties_ = this->penalties_for(totals[0]);
    for (int64_t k = 0; k < colors; ++k) this->frequencies_[k] = 1 / static_cast<double>(shape_.colors) + counts[k];
    initial_fields(shape_, this->frequencies_.data(), this->totals_.data(), this->start_.data());
    this->set_means();
  }
  reduce_ = callback;
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
