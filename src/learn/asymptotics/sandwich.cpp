// SPDX-License-Identifier: MIT
#include "learn/asymptotics/sandwich.hpp"

#include "math/linalg/blas.hpp"
#include "math/linalg/lapack.hpp"

#include <algorithm>

namespace atp {

namespace {

constexpr double kZero = 1e-11;
constexpr int64_t kRows = 128;

struct Factor {
  bool transposed;
  const double *values;
  int64_t lead;
};

// C [m][n] = op(A) op(B) over k, rows of C shared out in blocks.
void multiply(Threads threads, int64_t m, int64_t n, int64_t k, const Factor &a, const Factor &b, double *c) {
  const BlasRoom room(threads);
  parallel_for(threads, (m + kRows - 1) / kRows, [&](int64_t block, int) {
    const int64_t first = block * kRows, rows = std::min(kRows, m - first);
    gemm(a.transposed, b.transposed, rows, n, k, 1, a.values + first * (a.transposed ? 1 : a.lead), a.lead, b.values, b.lead, 0,
         c + first * n, n);
  });
}

}  // namespace

void Sandwich::lay_out(Arena &arena) {
  vectors_ = arena.take<double>(p_, p_);
  product_ = arena.take<double>(p_, p_);
  values_ = arena.take<double>(p_);
  work_ = arena.take<double>(symmetric_eigen_workspace(p_));
}

void Sandwich::run(Threads threads, Span<const double> h, Span<const double> penalties, Span<double> j) {
  std::copy(h.begin(), h.end(), vectors_.begin());
  for (int64_t k = 0; k < p_; ++k) vectors_[k * p_ + k] += penalties[k];
  if (!symmetric_eigen(p_, vectors_.data(), values_.data(), work_.data()))
    fail(ATP_E_VALUE, "the eigenvalues of the curvature of %lld unknowns were not found", llong{p_});
  int64_t zeros = 0;
  while (zeros < p_ && !(values_[zeros] > kZero * values_[p_ - 1])) ++zeros;
  rank_ = p_ - zeros;
  const double *q = vectors_.data() + zeros * p_;
  // S = Q J Q^T / (k_r k_s), then Q^T S Q.
  multiply(threads, rank_, p_, p_, {false, q, p_}, {false, j.data(), p_}, product_.data());
  multiply(threads, rank_, rank_, p_, {false, product_.data(), p_}, {true, q, p_}, j.data());
  for (int64_t r = 0; r < rank_; ++r)
    for (int64_t s = 0; s < rank_; ++s) j[r * rank_ + s] /= values_[zeros + r] * values_[zeros + s];
  multiply(threads, rank_, p_, rank_, {false, j.data(), rank_}, {false, q, p_}, product_.data());
  multiply(threads, p_, p_, rank_, {true, q, p_}, {false, product_.data(), p_}, j.data());
}

double Sandwich::solved(Span<const double> g) const {
  double sum = 0;
  for (int64_t r = p_ - rank_; r < p_; ++r) {
    double along = 0;
    for (int64_t k = 0; k < p_; ++k) along += vectors_[r * p_ + k] * g[k];
    sum += along * along / values_[r];
  }
  return sum;
}

double trace_of_product(Span<const double> a, Span<const double> b) {
  double sum = 0;
  for (int64_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

}  // namespace atp
