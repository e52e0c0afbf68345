// SPDX-License-Identifier: MIT
// The covariance of estimates, H^+ J H^+, with the pseudo-inverse of the curvature on its range: directions that no loss sees stay where
// they are. Sources: V. P. Godambe, Ann. Math. Statist. 31, 1208 (1960); P. J. Huber, Proc. Fifth Berkeley Symp. 1, 221 (1967).
#pragma once

#include "base/arena.hpp"
#include "base/team.hpp"

namespace atp {

class Sandwich {
 public:
  explicit Sandwich(int64_t count) : p_(count) {}
  void lay_out(Arena &arena);
  // Replaces J by K^+ J K^+ with K = H + diag(penalties), all [p][p]; eigenvalues of K up to 1e-11 times the largest count as 0. Throws
  // ATP_E_VALUE if LAPACK does not converge.
  void run(Threads threads, Span<const double> h, Span<const double> penalties, Span<double> j);
  int64_t rank() const { return rank_; }
  // g . K^+ g of the last run.
  double solved(Span<const double> g) const;

 private:
  int64_t p_, rank_ = 0;
  Span<double> vectors_;  // [rank][p], rows are eigenvectors
  Span<double> values_, work_, product_;
};

// sum_kl a_kl b_kl, the trace of a product of symmetric matrices.
double trace_of_product(Span<const double> a, Span<const double> b);

}  // namespace atp
