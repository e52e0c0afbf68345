// SPDX-License-Identifier: MIT
// The pseudo-likelihood objective of dense couplings as a function of a vector, over the training data:
//     sum_n w_n sum_i -log p(s_ni | rest) + A_h sum_i |h_i|^2 + A_J sum_{i<j} |J_ij|^2.
//
// Symmetric: the unknowns are the fields [L][q], then J_ij(a, b) for i < j, [q][q] each, pairs in the order (0, 1), (0, 2), ..., those of
// the list alone where there is one. The derivative of J_ij has two terms, from the prediction of i and of j.
//
// With several ranks the items are sites. A rank makes its sides of the derivatives of all pairs of its sites; exchange() adds the sides
// that different ranks have made. A sum of two has the same bits in any order. Sharing sequences instead would need a sum over fixed blocks
// of them, with a gradient for each block. Bytes that all ranks together give in an evaluation: 16 L, and with a gradient
// sizeof(Real) (L q + (far pairs + pairs) q^2), at most twice the gradient. Far pairs are those of two ranks.
//
// Asymmetric: one problem for each site i. The unknowns are h_i [q], then for each neighbour j in ascending order (with all pairs, each
// j != i) the block J_ij as [b][a] (b at site j). The penalty is half of A_J, so that both copies of a pair together have the
// penalty of the symmetric couplings.
#pragma once

#include "learn/dense/dense_pass.hpp"
#include "base/context.hpp"
#include "base/ranks.hpp"
#include "base/team.hpp"

namespace atp {

struct DensePenalties {
  double fields = 0, couplings = 0;
};

inline int64_t symmetric_unknowns(const DenseShape &s) { return s.sites * s.colors + s.pairs() * s.colors * s.colors; }
// Of the problem of a site, of all sites before i (which may be L), and the most of any site.
inline int64_t site_unknowns(const DenseShape &s, int64_t i) { return s.colors + s.degree(i) * s.colors * s.colors; }
inline int64_t unknowns_before(const DenseShape &s, int64_t i) { return i * s.colors + s.first_neighbor(i) * s.colors * s.colors; }
inline int64_t most_site_unknowns(const DenseShape &s) { return s.colors + s.most_neighbors() * s.colors * s.colors; }

// Fields and couplings of site i into a pass.
template <class Pass, class Real>
void put_symmetric(Pass &pass, const DenseShape &shape, const Real *x, int64_t i) {
  const int64_t q = shape.colors, below = shape.below(i);
  const Real *pairs = x + shape.sites * q;
  pass.put_fields(x + i * q);
  if (shape.lists == nullptr) pass.clear_block(i);
  for (int64_t k = 0; k < shape.degree(i); ++k)
    pass.put_block(shape.slot(i, k), pairs + shape.pair(i, k) * q * q, k < below ? 1 : q, k < below ? q : 1);
}

template <class Pass, class Real>
void put_site(Pass &pass, const DenseShape &shape, const Real *x, int64_t i) {
  const int64_t q = shape.colors;
  pass.put_fields(x);
  if (shape.lists == nullptr) pass.clear_block(i);
  for (int64_t k = 0; k < shape.degree(i); ++k) pass.put_block(shape.slot(i, k), x + q + k * q * q, 1, q);
}

template <class Pass>
class SymmetricObjective {
 public:
  using Real = typename Pass::Real;
  SymmetricObjective(Ranks &ranks, const DenseShape &data_shape, const DensePenalties &strengths)
      : shape(data_shape), penalties(strengths), ranks_(ranks), ranks_then_(ranks.size()) {}
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
  void take(const Pass &pass, int64_t i, int64_t k, const Real *x, Real *gradient);
  // With several ranks.
  int64_t first_site(int64_t rank) const { return ranks_.first(rank, shape.sites); }
  int64_t far_of(int64_t j, int64_t first) const;
  void exchange(const Real *x, Real *gradient);

  Ranks &ranks_;
  int64_t ranks_then_;        // when the memory was taken
  Span<int64_t> far_begins_;  // [L + 1]: with several ranks, far pairs of the sites before j, see exchange()
  Span<Real> far_;            // [far pairs][q][q]
  Span<uint8_t> states_;      // of the pairs, during an evaluation
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
