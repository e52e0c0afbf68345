// SPDX-License-Identifier: MIT
// L-BFGS for millions of unknowns: as optim/lbfgs.hpp, with vectors of a chosen precision, few passes over memory and a team of threads.
//
// The two-loop recursion needs only inner products of s, y and the gradient g, which are kept as small tables in float64. A step then
// takes two passes over the history: one makes the direction as a sum of all vectors at once, one makes the new pair and its inner
// products with the others. Source: W. Chen, Z. Wang, J. Zhou, Large-scale L-BFGS using MapReduce, NIPS 2014. Sums are over fixed pieces of
// the vectors, added in their order: the same bits for any number of threads. The direction takes the place of the oldest pair, the
// gradients of a line search that of its y; beside the history there are three vectors, and one more for a diagonal metric D: H_0 is a
// multiple of D instead of 1.
#pragma once

#include "base/arena.hpp"
#include "base/state.hpp"
#include "base/team.hpp"
#include "optim/function.hpp"
#include "optim/lbfgs.hpp"
#include "simd/vectors.hpp"

namespace atp {

template <class Real>
class LeanLbfgs {
 public:
  using Function = FunctionRef<double(Span<const Real> x, Span<Real> g)>;

  // As Lbfgs(). history >= 1.
  LeanLbfgs(Target target, int64_t unknowns, int64_t history, double tolerance, double resolution)
      : kernels_(&vector_kernels(target)), n_(unknowns), history_(history), tolerance_(tolerance), resolution_(resolution) {}
  void lay_out(Arena &arena);

  void set_tolerance(double tolerance) { tolerance_ = tolerance; }

  // Forget everything; the next iteration evaluates f first.
  void reset();
  // The diagonal of the metric, positive; the owner fills it before the first iteration, and again after a change of the problem.
  Span<Real> metric() const { return metric_; }
  // As Lbfgs::iterate(). f is called by the calling thread.
  Descent iterate(Threads threads, Span<Real> x, Function f, bool *moved);

  double value() const { return value_; }
  double step() const { return step_; }
  double gradient_norm() const { return gradient_norm_; }
  Span<const Real> gradient() const { return gradient_; }
  // A vector that is free between iterations.
  Span<Real> spare() const { return trial_; }

  int64_t payload() const;
  void save(StateWriter &writer) const;
  void check(StateReader &reader) const;  // throws ATP_E_FORMAT where the history is impossible or a number in use is not finite
  void load(StateReader &reader);         // after check()

 private:
  static constexpr int64_t kTask = 32768;  // elements of a piece of a sum
  static constexpr int64_t kBlock = 2048;  // elements that stay in the first-level cache

  int64_t tasks() const { return (n_ + kTask - 1) / kTask; }
  int64_t slots() const { return 2 * history_ + 7; }
  Span<Real> pair_s(int64_t k) const { return s_.sub(k * n_, n_); }
  Span<Real> pair_y(int64_t k) const { return y_.sub(k * n_, n_); }
  int64_t place(int64_t age) const { return (newest_ - age + history_) % history_; }
  double &sy(int64_t i, int64_t k) const { return sy_[i * history_ + k]; }  // s_i . y_k
  double &yy(int64_t i, int64_t k) const { return yy_[i * history_ + k]; }  // y_i . D y_k

  template <class Body>
  void sum(Threads threads, int64_t count, Body &&body);
  void measure(Threads threads, Span<const Real> x);
  bool gradient_is_small() const { return gradient_norm_ <= tolerance_ * (x_norm_ > 1 ? x_norm_ : 1); }
  void find_direction(Threads threads);
  bool search(Threads threads, Span<const Real> x, Function f, double first_step);
  void accept(Threads threads, Span<Real> x);
  bool stuck();

  const VectorKernels *kernels_;
  int64_t n_, history_;
  double tolerance_, resolution_;

  int64_t pairs_ = 0, newest_ = -1, idle_ = 0;
  double value_ = 0, step_ = 0, length_ = 0, gradient_norm_ = 0, x_norm_ = 0;
  double lowest_value_ = 0, lowest_norm_ = 0;
  bool started_ = false;
  Span<Real> gradient_, trial_, metric_, s_, y_;
  Span<double> sy_, yy_, sg_, yg_;      // sg: s_i . g, yg: y_i . D g
  Span<double> s_factors_, y_factors_;  // of the direction
  Span<double> partial_, sums_;         // [tasks][slots], [slots]
  // Of the present direction and the last point of its line search.
  double slope_ = 0, direction_norm_ = 0, trial_value_ = 0;
};

extern template class LeanLbfgs<float>;
extern template class LeanLbfgs<double>;

}  // namespace atp
