// SPDX-License-Identifier: MIT
#include "learn/dense/dense_objective.hpp"

#include "base/team.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

template <class Real>
double sum_of_squares(const Real *x, int64_t n) {
  double sums[4] = {};
  for (int64_t k = 0; k < n; ++k) sums[k % 4] += static_cast<double>(x[k]) * static_cast<double>(x[k]);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

template <class Real>
void add_penalty(double strength, const Real *x, int64_t n, Real *gradient) {
  const Real factor = static_cast<Real>(2 * strength);
  for (int64_t k = 0; k < n; ++k) gradient[k] += factor * x[k];
}

}  // namespace

// Ranks share the sites. A pair i < j belongs to the rank of i. It is far if j is on another, higher rank. Returns how many pairs of j are
// far, where `first` is the first site of the rank of j: those are its first neighbours.
template <class Pass>
int64_t SymmetricObjective<Pass>::far_of(int64_t j, int64_t first) const {
  int64_t count = 0;
  while (count < shape.below(j) && shape.neighbor(j, count) < first) ++count;
  return count;
}

template <class Pass>
void SymmetricObjective<Pass>::lay_out(Arena &arena) {
  states_ = arena.take<uint8_t>(shape.pairs());
  losses_ = arena.take<double>(shape.sites);
  penalty_sums_ = arena.take<double>(shape.sites);
  far_begins_ = arena.take<int64_t>(ranks_.several() ? shape.sites + 1 : 0);
  int64_t far = 0;
  for (int64_t r = 0; ranks_.several() && r < ranks_.size(); ++r)
    for (int64_t j = first_site(r); j < first_site(r + 1); ++j) {
      far += far_of(j, first_site(r));
      if (!arena.measuring()) far_begins_[j + 1] = far;
    }
  far_ = arena.take<Real>(far, shape.colors * shape.colors);
}

// The sides of far pairs go to all ranks, the owners add them and the penalty, and the gradient goes to all ranks. A sum of two is the same
// both ways round. Together each rank gets at most (far pairs + all pairs) q^2 + L q numbers of an evaluation.
template <class Pass>
void SymmetricObjective<Pass>::exchange(const Real *x, Real *gradient) {
  const int64_t L = shape.sites, q = shape.colors, block = q * q, size = sizeof(Real);
  int64_t *ends = ranks_.ends();
  for (int64_t r = 0; r < ranks_.size(); ++r) ends[r] = far_begins_[first_site(r + 1)] * block * size;
  ranks_.gather(far_.data(), ends);
  const int64_t own = first_site(ranks_.rank()), own_end = first_site(ranks_.rank() + 1);
  for (int64_t j = own_end; j < L; ++j)
    for (int64_t k = 0; k < far_begins_[j + 1] - far_begins_[j]; ++k) {
      const int64_t i = shape.neighbor(j, k), at = L * q + shape.pair(j, k) * block;
      if (i < own || i >= own_end) continue;
      const Real *side = far_.data() + (far_begins_[j] + k) * block;
      for (int64_t n = 0; n < block; ++n) gradient[at + n] += side[n];
      add_penalty(penalties.couplings, x + at, block, gradient + at);
    }
  ranks_.gather(gradient, L, q * size);
  for (int64_t r = 0; r < ranks_.size(); ++r) ends[r] = shape.first_pair(first_site(r + 1)) * block * size;
  ranks_.gather(gradient + L * q, ends);
}

// Add this site's side of the pair with its neighbour k to the gradient. Which side comes first is left to chance: the first stores, the
// second waits until that is done and adds, and a sum of two is the same both ways round. The second then adds the penalty.
template <class Pass>
void SymmetricObjective<Pass>::take(const Pass &pass, int64_t i, int64_t k, const Real *x, Real *gradient) {
  const int64_t L = shape.sites, q = shape.colors, j = shape.neighbor(i, k), pair = shape.pair(i, k), slot = shape.slot(i, k);
  const int64_t at = L * q + pair * q * q, stride_a = i < j ? q : 1, stride_b = i < j ? 1 : q;
  uint8_t *state = states_.data() + pair, nothing = kNothing;
  const int64_t own = first_site(ranks_.rank()), own_end = first_site(ranks_.rank() + 1);
  if (j < own || j >= own_end) {
    Real *far = j < i ? far_.data() + (far_begins_[i] + k) * q * q : gradient + at;
    pass.take_block(slot, false, far, stride_a, stride_b);
    return;
  }
  if (__atomic_compare_exchange_n(state, &nothing, uint8_t{kWriting}, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
    pass.take_block(slot, false, gradient + at, stride_a, stride_b);
    __atomic_store_n(state, uint8_t{kOneSide}, __ATOMIC_RELEASE);
    return;
  }
  while (__atomic_load_n(state, __ATOMIC_ACQUIRE) != kOneSide) {
  }
  pass.take_block(slot, true, gradient + at, stride_a, stride_b);
  add_penalty(penalties.couplings, x + at, q * q, gradient + at);
}

// Of the fields of site i, and of its pairs with j > i.
template <class Pass>
double SymmetricObjective<Pass>::site_penalty(int64_t i, const Real *x) const {
  const int64_t L = shape.sites, q = shape.colors, begin = shape.first_pair(i), end = shape.first_pair(i + 1);
  return penalties.fields * sum_of_squares(x + i * q, q) +
         penalties.couplings * sum_of_squares(x + L * q + begin * q * q, (end - begin) * q * q);
}

template <class Pass>
double SymmetricObjective<Pass>::add_penalties(Threads threads, Span<const Real> x, Span<Real> gradient) {
  const int64_t L = shape.sites, q = shape.colors;
  parallel_for(threads, L, [&](int64_t i, int) {
    penalty_sums_[i] = site_penalty(i, x.data());
    if (gradient.empty()) return;
    const int64_t first = L * q + shape.first_pair(i) * q * q, pairs = shape.first_pair(i + 1) - shape.first_pair(i);
    add_penalty(penalties.fields, x.data() + i * q, q, gradient.data() + i * q);
    add_penalty(penalties.couplings, x.data() + first, pairs * q * q, gradient.data() + first);
  });
  double sum = 0;
  for (double penalty : penalty_sums_) sum += penalty;
  return sum;
}

template <class Pass>
double SymmetricObjective<Pass>::evaluate(Threads threads, const DenseKernels &kernels, Span<Pass> passes, const DenseData &data,
                                          Span<const Real> x, Span<Real> gradient, double *penalty) {
  const int64_t L = shape.sites, q = shape.colors;
  assert(x.size() == symmetric_unknowns(shape) && (gradient.empty() || gradient.size() == x.size()));
  if (ranks_then_ != ranks_.size()) fail(ATP_E_STAGE, "the ranks of the context were set after the trainer was made");
  std::fill(states_.begin(), states_.end(), uint8_t{kNothing});
  shared_for(ranks_, threads.at_most(passes.size()), L, [&](int64_t i, int thread) {
    Pass &pass = passes[thread];
    put_symmetric(pass, shape, x.data(), i);
    losses_[i] = pass.run(kernels, data, i, !gradient.empty());
    penalty_sums_[i] = site_penalty(i, x.data());
    if (gradient.empty()) return;
    pass.take_fields(gradient.data() + i * q);
    add_penalty(penalties.fields, x.data() + i * q, q, gradient.data() + i * q);
    // Starting with the neighbours after i, so that two sites at work seldom meet at their pair.
    for (int64_t k = 0, n = shape.degree(i); k < n; ++k) take(pass, i, (shape.below(i) + k) % n, x.data(), gradient.data());
  });
  ranks_.gather(losses_.data(), L, sizeof(double));
  ranks_.gather(penalty_sums_.data(), L, sizeof(double));
  if (ranks_.several() && !gradient.empty()) exchange(x.data(), gradient.data());
  double loss = 0, extra = 0;
  for (int64_t i = 0; i < L; ++i) {
    loss += losses_[i];
    extra += penalty_sums_[i];
  }
  if (penalty != nullptr) *penalty = extra;
  return loss;
}

template <class Pass>
double site_objective(const DenseKernels &kernels, Pass &pass, const DenseData &data, const DensePenalties &penalties, int64_t i,
                      Span<const typename Pass::Real> x, Span<typename Pass::Real> gradient, double *penalty) {
  const int64_t q = data.shape.colors, couplings = x.size() - q;
  assert(x.size() == site_unknowns(data.shape, i) && (gradient.empty() || gradient.size() == x.size()));
  put_site(pass, data.shape, x.data(), i);
  const double loss = pass.run(kernels, data, i, !gradient.empty());
  if (penalty != nullptr)
    *penalty = penalties.fields * sum_of_squares(x.data(), q) + 0.5 * penalties.couplings * sum_of_squares(x.data() + q, couplings);
  if (gradient.empty()) return loss;
  pass.take_fields(gradient.data());
  for (int64_t k = 0; k < data.shape.degree(i); ++k) pass.take_block(data.shape.slot(i, k), false, gradient.data() + q + k * q * q, 1, q);
  add_penalty(penalties.fields, x.data(), q, gradient.data());
  add_penalty(0.5 * penalties.couplings, x.data() + q, couplings, gradient.data() + q);
  return loss;
}

template <class Real>
void symmetric_metric(Threads threads, const DenseShape &shape, const DensePenalties &penalties, double effective_count,
                      const double *frequencies, Span<Real> metric) {
  const int64_t L = shape.sites, q = shape.colors;
  parallel_for(threads, L, [&](int64_t i, int) {
    const double *f = frequencies + i * q;
    for (int64_t a = 0; a < q; ++a) metric[i * q + a] = static_cast<Real>(1 / (effective_count * f[a] * (1 - f[a]) + 2 * penalties.fields));
    for (int64_t k = shape.below(i); k < shape.degree(i); ++k) {
      const double *g = frequencies + shape.neighbor(i, k) * q;
      Real *to = metric.data() + L * q + shape.pair(i, k) * q * q;
      for (int64_t a = 0; a < q; ++a)
        for (int64_t b = 0; b < q; ++b)
          to[a * q + b] = static_cast<Real>(1 / (effective_count * f[a] * g[b] * (2 - f[a] - g[b]) + 2 * penalties.couplings));
    }
  });
}

template <class Real>
void site_metric(const DenseShape &shape, const DensePenalties &penalties, double effective_count, const double *frequencies, int64_t i,
                 Span<Real> metric) {
  const int64_t q = shape.colors;
  const double *f = frequencies + i * q;
  for (int64_t a = 0; a < q; ++a) metric[a] = static_cast<Real>(1 / (effective_count * f[a] * (1 - f[a]) + 2 * penalties.fields));
  for (int64_t k = 0; k < shape.degree(i); ++k) {
    const double *g = frequencies + shape.neighbor(i, k) * q;
    Real *to = metric.data() + q + k * q * q;
    for (int64_t b = 0; b < q; ++b)
      for (int64_t a = 0; a < q; ++a)
        to[b * q + a] = static_cast<Real>(1 / (effective_count * g[b] * f[a] * (1 - f[a]) + penalties.couplings));
  }
}

void count_colors(const DenseShape &shape, const uint8_t *sequences, const double *weights, double *counts) {
  const int64_t L = shape.sites, q = shape.colors, first_color = shape.gaps_ignored ? 1 : 0;
  for (int64_t n = 0; n < shape.count; ++n)
    for (int64_t i = 0; i < L; ++i)
      if (const int64_t c = sequences[n * L + i] - first_color; c >= 0) counts[i * q + c] += weights[n];
}

void initial_fields(const DenseShape &shape, double *counts, double *fields) {
  const int64_t L = shape.sites, q = shape.colors;
  for (int64_t i = 0; i < L; ++i) {
    double *f = counts + i * q, total = 0, mean = 0;
    for (int64_t a = 0; a < q; ++a) total += f[a];
    for (int64_t a = 0; a < q; ++a) mean += std::log(f[a] /= total) / static_cast<double>(q);
    for (int64_t a = 0; a < q; ++a) fields[i * q + a] = std::log(f[a]) - mean;
  }
}

template void symmetric_metric(Threads, const DenseShape &, const DensePenalties &, double, const double *, Span<float>);
template void symmetric_metric(Threads, const DenseShape &, const DensePenalties &, double, const double *, Span<double>);
template void site_metric(const DenseShape &, const DensePenalties &, double, const double *, int64_t, Span<float>);
template void site_metric(const DenseShape &, const DensePenalties &, double, const double *, int64_t, Span<double>);
template class SymmetricObjective<DensePassF32>;
template class SymmetricObjective<DensePassF64>;
template double site_objective(const DenseKernels &, DensePassF32 &, const DenseData &, const DensePenalties &, int64_t, Span<const float>,
                               Span<float>, double *);
template double site_objective(const DenseKernels &, DensePassF64 &, const DenseData &, const DensePenalties &, int64_t, Span<const double>,
                               Span<double>, double *);

}  // namespace atp
