// SPDX-License-Identifier: MIT
// Limited-memory BFGS and its line search. Source: J. Nocedal, S. Wright, Numerical Optimization (2006), algorithm 7.5.
#pragma once

#include "math/optim/vector.hpp"
#include "math/optim/lbfgs_history.hpp"

namespace atp {

// phi(step) = f(x + step d) and its derivative.
struct SearchPoint {
  double step = 0, value = 0, slope = 0;
};

struct SearchResult {
  bool accepted = false;  // a point with sufficient decrease was found and was the last one evaluated
  bool wolfe = false;     // it meets the curvature condition, too
  SearchPoint point;
};

// A step length along a direction of descent that meets the strong Wolfe conditions. Source: the same, algorithms 3.5 and 3.6, eq. 3.59;
// the relaxed test of decrease where the values are noise: W. Hager, H. Zhang, SIAM J. Optim. 16, 170 (2005), eq. 4.1. start is phi at step
// 0 with a negative slope; values that differ by less than noise count as equal.
SearchResult search_line(const SearchPoint &start, double noise, double first_step, FunctionRef<SearchPoint(double)> phi);

enum class Descent : int32_t { going = 0, converged = 1, stalled = 2, diverged = 3 };

// L-BFGS lives in its owner's arena and keeps f, gradient and history between iterations; the point x belongs to the owner. The history
// holds the vectors and makes the directions:
//   TwoLoops             the two-loop recursion in float64, on the calling thread
//   InnerProducts<Real>  few passes over memory, a team of threads, a diagonal metric: for millions of unknowns
// In exact arithmetic (and with metric 1) they give the same directions; their rounding differs.
template <class History>
class BasicLbfgs {
 public:
  using Real = typename History::Real;
  using Function = FunctionRef<double(Span<const Real> x, Span<Real> g)>;

  // converged: |g| <= tolerance * max(1, |x|). Values of f are taken to be exact to `resolution` times their size. history >= 1; `more`
  // goes to the history.
  template <class... More>
  BasicLbfgs(int64_t unknowns, int64_t history, double tolerance, double resolution, More... more)
      : history_(unknowns, history, more...), tolerance_(tolerance), resolution_(resolution) {}
  void lay_out(Arena &arena) { history_.lay_out(arena); }

  void set_tolerance(double tolerance) { tolerance_ = tolerance; }
  // Norms that f sets at each point with a gradient, in other units than its unknowns: they decide about convergence, and are reported.
  // NULL: those of the unknowns.
  void set_norms(const Norms *norms) { own_norms_ = norms; }

  // The same memory for a problem of fewer unknowns, without ranks; reset() it before use.
  BasicLbfgs narrowed(int64_t unknowns) const {
    BasicLbfgs copy = *this;
    copy.history_.narrow(unknowns);
    return copy;
  }
  // Forgets everything; the next iteration evaluates f first.
  void reset();
  // Makes one step: x, value() and gradient() move on together. Where none was made (converged before the first one, stalled, diverged)
  // they stay as they were. The last point at which f was evaluated is x whenever a step was made. f is called by the calling thread. It
  // may throw: x is as before then, and the next call makes the same step, also after save() and load().
  Descent iterate(Threads threads, Span<Real> x, Function f, bool *moved);
  Descent iterate(Span<Real> x, Function f, bool *moved) { return iterate(Team(1), x, f, moved); }

  double value() const { return now_.value; }
  double step() const { return now_.step; }  // step length of the last line search
  double gradient_norm() const { return now_.norms.gradient; }
  Span<const Real> gradient() const { return history_.gradient; }  // InnerProducts: the range of this rank
  // Returns a whole vector that is free between iterations.
  Span<Real> spare() const { return history_.trial; }
  const History &history() const { return history_; }

  int64_t payload() const { return DescentNumbers::payload(History::kSavesNorms) + history_.payload(); }  // bytes of save()
  void save(StateWriter &writer) const;
  void check(StateReader &reader) const;  // throws ATP_E_FORMAT where the history is impossible or a number in use is not finite
  void load(StateReader &reader);         // after check()

 private:
  bool start(Threads threads, Span<const Real> x, Function f);
  bool gradient_is_small() const { return now_.norms.gradient <= tolerance_ * (now_.norms.x > 1 ? now_.norms.x : 1); }
  bool follow(Threads threads, Span<const Real> x, Function f);
  bool descend(Threads threads, Span<const Real> x, Function f);
  bool search(Threads threads, Span<const Real> x, Function f, double slope, double first_step);
  bool stuck();
  void measure(Threads threads, Span<const Real> x, Function f);

  History history_;
  double tolerance_, resolution_;
  const Norms *own_norms_ = nullptr;
  DescentNumbers now_;
  double trial_value_ = 0;  // f at the last point of the line search
};

extern template class BasicLbfgs<TwoLoops>;
extern template class BasicLbfgs<InnerProducts<float>>;
extern template class BasicLbfgs<InnerProducts<double>>;

using Lbfgs = BasicLbfgs<TwoLoops>;
template <class Real>
using LeanLbfgs = BasicLbfgs<InnerProducts<Real>>;

}  // namespace atp
