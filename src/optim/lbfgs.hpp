// SPDX-License-Identifier: MIT
// Limited-memory BFGS. Source: J. Nocedal, S. Wright, Numerical Optimization (2006), algorithms 7.4 and 7.5.
//
// It lives in its owner's arena and keeps f, gradient and history between iterations; the point x belongs to the owner.
#pragma once

#include "base/arena.hpp"
#include "base/state.hpp"
#include "optim/function.hpp"

namespace atp {

enum class Descent : int32_t { going = 0, converged = 1, stalled = 2, diverged = 3 };

class Lbfgs {
 public:
  // converged: |g| <= tolerance * max(1, |x|). Values of f are taken to be exact to `resolution` times their size.
  Lbfgs(int64_t unknowns, int64_t history, double tolerance, double resolution)
      : n_(unknowns), history_(history), tolerance_(tolerance), resolution_(resolution) {}
  void lay_out(Arena &arena);

  // Forget everything; the next iteration evaluates f first.
  void reset();
  // One step: x, value() and gradient() move on together. Where none was made (converged before the first one, stalled, diverged) they stay
  // as they were. The last point at which f was evaluated is x whenever a step was made.
  Descent iterate(Span<double> x, Evaluate f, bool *moved);

  double value() const { return value_; }
  double step() const { return step_; }  // step length of the last line search
  Span<const double> gradient() const { return gradient_; }

  int64_t payload() const;  // bytes of save()
  void save(StateWriter &writer) const;
  void check(StateReader &reader) const;  // throws ATP_E_FORMAT where the history is impossible or a number in use is not finite
  void load(StateReader &reader);         // after check()

 private:
  Span<double> pair_s(int64_t k) const { return s_.sub(k * n_, n_); }
  Span<double> pair_y(int64_t k) const { return y_.sub(k * n_, n_); }
  bool gradient_is_small(Span<const double> x) const;
  void find_direction();
  bool search(Span<double> x, Evaluate f, double first_step);
  void remember(Span<const double> x);
  bool stuck();

  int64_t n_, history_;
  double tolerance_, resolution_;

  int64_t pairs_ = 0, newest_ = -1;  // pairs of the ring in use, place of the newest
  int64_t idle_ = 0;                 // iterations since f or |g| was last seen to fall
  double value_ = 0, step_ = 0, length_ = 0;
  double lowest_value_ = 0, lowest_norm_ = 0;
  bool started_ = false;
  Span<double> gradient_, direction_, trial_, trial_gradient_, s_, y_, inverse_sy_, alpha_;
  double trial_value_ = 0;
};

}  // namespace atp
