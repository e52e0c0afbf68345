// SPDX-License-Identifier: MIT
// A history of L-BFGS for millions of unknowns: vectors of a chosen precision, few passes over memory and a team of threads.
//
// The two-loop recursion needs only inner products of s, y and the gradient g, which are kept as small tables in float64. A step then
// takes two passes over the history: one makes the direction as a sum of all vectors at once, one makes the new pair and its inner
// products with the others. Source: W. Chen, Z. Wang, J. Zhou, Large-scale L-BFGS using MapReduce, NIPS 2014. Sums are over fixed pieces of
// the vectors, added in their order: the same bits for any number of threads. The direction is stored in the memory of the oldest s, the
// gradients of a line search in that of the oldest y. There are three more vectors: the gradient, the trial point, and a diagonal metric D
// (H_0 is a multiple of D instead of 1).
//
// With several ranks each has the range of the vectors that its share of the pieces makes. Whole on all ranks are the point x, the trial
// point, and the vector that takes each gradient. Received per trial point: n numbers, and few per piece. Memory per rank: 2 n numbers,
// x apart, and (2 history + 2) n / ranks.
#pragma once

#include "base/arena.hpp"
#include "base/ranks.hpp"
#include "base/team.hpp"
#include "math/optim/lbfgs_state.hpp"
#include "simd/vectors.hpp"

namespace atp {

template <class Number>
class InnerProducts {
 public:
  using Real = Number;
  static constexpr bool kSavesNorms = true, kHasMetric = true;

  // ranks: that share the vectors; NULL: this one has all.
  InnerProducts(int64_t unknowns, int64_t history, Target target, Ranks *ranks = nullptr);
  void lay_out(Arena &arena);
  // Makes do with the first elements of its vectors, without ranks.
  void narrow(int64_t unknowns);
  void reset();

  // Where the gradient of the first point is to be written, [n]; take_start() keeps it.
  Span<Real> start_gradient() const { return ranks_ == nullptr ? gradient : whole_; }
  void take_start();

  Norms measure(Threads threads, Span<const Real> x);
  DescentDirection find_direction(Threads threads);
  // trial = x + step direction
  void try_step(Threads threads, Span<const Real> x, double step);
  Span<Real> trial_gradient() const { return ranks_ == nullptr ? pair_y(ring.next()) : whole_; }
  double trial_slope(Threads threads);
  // x = trial, gradient = trial_gradient(); their pair joins the history unless its curvature is lost in rounding.
  AcceptedStep accept(Threads threads, Span<Real> x, double step);

  int64_t payload() const;
  void save(StateWriter &writer) const;                                        // of all ranks, by all of them
  void check(StateReader &reader, const PairRing &saved, bool started) const;  // throws ATP_E_FORMAT
  void load(StateReader &reader);

  // The range of a whole vector that this rank has.
  template <class T>
  Span<T> own(Span<T> whole) const {
    return whole.sub(from_, size_);
  }

  PairRing ring;
  Span<Real> gradient;  // own range
  Span<Real> trial;     // [n]
  Span<Real> metric;    // own range; positive; the owner fills it before the first iteration, and again after a change of the problem

 private:
  static constexpr int64_t kTask = 32768;  // elements of a piece of a sum
  static constexpr int64_t kBlock = 2048;  // elements that stay in the first-level cache

  int64_t tasks() const { return (n_ + kTask - 1) / kTask; }
  int64_t slots() const { return 2 * ring.size + 7; }
  Span<Real> pair_s(int64_t k) const { return s_.sub(k * size_, size_); }
  Span<Real> pair_y(int64_t k) const { return y_.sub(k * size_, size_); }
  double &sy(int64_t i, int64_t k) const { return sy_[i * ring.size + k]; }  // s_i . y_k
  double &yy(int64_t i, int64_t k) const { return yy_[i * ring.size + k]; }  // y_i . D y_k

  template <class Body>
  void sum(Threads threads, int64_t count, Body &&body);
  void gather(void *whole) const;

  const VectorKernels *kernels_;
  Ranks *ranks_;  // NULL: one
  int64_t n_;
  int64_t first_task_ = 0, end_task_ = 0;  // of this rank
  int64_t from_ = 0, size_ = 0;            // elements of this rank
  double direction_norm_ = 0;
  Span<Real> s_, y_;
  Span<double> sy_, yy_, sg_, yg_;      // sg: s_i . g, yg: y_i . D g
  Span<double> s_factors_, y_factors_;  // of the direction
  Span<double> partial_, sums_;         // [tasks][slots], [slots]
  Span<Real> whole_;                    // [n] with several ranks: the gradient at the last point
};

extern template class InnerProducts<float>;
extern template class InnerProducts<double>;

}  // namespace atp
