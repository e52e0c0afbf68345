// SPDX-License-Identifier: MIT
// The pseudo-likelihood objective of dense couplings as a function of a vector, over the training data:
//     sum_n w_n sum_i -log p(s_ni | rest) + A_h sum_i |h_i|^2 + A_J sum_{i<j} |J_ij|^2.
//
// Symmetric: the unknowns are the fields [L][q], then J_ij(a, b) for i < j, [q][q] each, pairs in the order (0, 1), (0, 2), ... The
// derivative of J_ij has two terms, from the prediction of i and of j.
//
// With several ranks the items are sites. A rank makes its sides of the derivatives of all pairs of its sites; exchange() adds the sides
// that different ranks have made. A sum of two has the same bits in any order. Sharing sequences instead would need a sum over fixed blocks
// of them, with a gradient for each block. Bytes that all ranks together give in an evaluation: 16 L, and with a gradient
// sizeof(Real) (L q + (far pairs + L (L - 1) / 2) q^2), at most twice the gradient. Far pairs are those of two ranks.
//
// Asymmetric: one problem for each site i. The unknowns are h_i [q], then for each j != i in ascending order the block J_ij as [b][a] (b at
// site j). The penalty is half of A_J, so that both copies of a pair together have the penalty of the symmetric couplings.
#pragma once

#include "attention/dense_pass.hpp"
#include "base/context.hpp"
#include "base/ranks.hpp"
#include "base/team.hpp"

namespace atp {

struct DensePenalties {
  double fields = 0, couplings = 0;
};

constexpr int64_t dense_pairs(int64_t sites) { return sites * (sites - 1) / 2; }
// The place of the pair i < j.
constexpr int64_t dense_pair(int64_t sites, int64_t i, int64_t j) { return i * (2 * sites - i - 1) / 2 + j - i - 1; }

constexpr int64_t symmetric_unknowns(const DenseShape &s) { return s.sites * s.colors + dense_pairs(s.sites) * s.colors * s.colors; }
constexpr int64_t site_unknowns(const DenseShape &s) { return s.colors + (s.sites - 1) * s.colors * s.colors; }

// Fields and couplings of site i into a pass.
template <class Pass, class Real>
void put_symmetric(Pass &pass, const DenseShape &shape, const Real *x, int64_t i) {
  const int64_t L = shape.sites, q = shape.colors;
  const Real *pairs = x + L * q;
  pass.put_fields(x + i * q);
  for (int64_t j = 0; j < i; ++j) pass.put_block(j, pairs + dense_pair(L, j, i) * q * q, 1, q);
  pass.clear_block(i);
  for (int64_t j = i + 1; j < L; ++j) pass.put_block(j, pairs + dense_pair(L, i, j) * q * q, q, 1);
}

template <class Pass, class Real>
void put_site(Pass &pass, const DenseShape &shape, const Real *x, int64_t i) {
  const int64_t q = shape.colors;
  pass.put_fields(x);
  pass.clear_block(i);
  for (int64_t j = 0; j < shape.sites; ++j)
    if (j != i) pass.put_block(j, x + q + (j - (j > i ? 1 : 0)) * q * q, 1, q);
}

template <class Pass>
class SymmetricObjective {
 public:
  using Real = typename Pass::Real;
  SymmetricObjective(Ranks &ranks, const DenseShape &data_shape, const DensePenalties &strengths)
      : shape(data_shape), penalties(strengths), ranks_(ranks) {}
  void lay_out(Arena &arena);

  // The sum of the losses, without penalties; *penalty may be NULL. With a gradient: of loss + penalties, overwritten. passes[threads].
  double evaluate(Threads threads, const DenseKernels &kernels, Span<Pass> passes, const DenseData &data, Span<const Real> x,
                  Span<Real> gradient, double *penalty);
  // Adds the penalties to a gradient without them, which may be empty; their sum.
  double add_penalties(Threads threads, Span<const Real> x, Span<Real> gradient);

  DenseShape shape;
  DensePenalties penalties;

 private:
  enum : uint8_t { kNothing = 0, kWriting = 1, kOneSide = 2 };
  double site_penalty(int64_t i, const Real *x) const;
  void take(const Pass &pass, int64_t i, int64_t j, const Real *x, Real *gradient);
  // With several ranks.
  int64_t first_site(int64_t rank) const { return ranks_.first(rank, shape.sites); }
  int64_t far_pairs(int64_t rank) const;
  Real *far_side(int64_t i, int64_t j);
  void exchange(const Real *x, Real *gradient);

  Ranks &ranks_;
  int64_t far_begin_ = 0;  // far_pairs(rank)
  Span<Real> far_;         // [far_pairs(size)][q][q], see exchange()
  Span<uint8_t> states_;   // of the pairs, during an evaluation
  Span<double> losses_, penalty_sums_;
};

// The objective of one site.
template <class Pass>
double site_objective(const DenseKernels &kernels, Pass &pass, const DenseData &data, const DensePenalties &penalties, int64_t i,
                      Span<const typename Pass::Real> x, Span<typename Pass::Real> gradient, double *penalty);

// The inverse of the diagonal of the Hessian at independent sites of these frequencies [L][q], in the order of the unknowns: J_ij(a, b) has
// the second derivative N_eff [f_i(a) (1 - f_i(a)) f_j(b) + f_j(b) (1 - f_j(b)) f_i(a)] + 2 A_J, of a site alone the first term and half of
// A_J.
template <class Real>
void symmetric_metric(Threads threads, const DenseShape &shape, const DensePenalties &penalties, double effective_count,
                      const double *frequencies, Span<Real> metric);
template <class Real>
void site_metric(const DenseShape &shape, const DensePenalties &penalties, double effective_count, const double *frequencies, int64_t i,
                 Span<Real> metric);

// counts[L][q] += the weights of the sequences with each colour.
void count_colors(const DenseShape &shape, const uint8_t *sequences, const double *weights, double *counts);
// Starts: makes counts frequencies, and fields from them, log f_i(a) minus its mean over a. [L][q]. The counts have a pseudocount of one
// sequence, 1 / q per colour.
void initial_fields(const DenseShape &shape, double *counts, double *fields);

}  // namespace atp
