// SPDX-License-Identifier: MIT
// A history of L-BFGS that makes directions by the two-loop recursion over whole vectors, in float64 and on the calling thread: for up to
// some ten thousand unknowns. Source: J. Nocedal, S. Wright, Numerical Optimization (2006), algorithm 7.4.
#pragma once

#include "base/arena.hpp"
#include "base/team.hpp"
#include "math/optim/lbfgs_state.hpp"

namespace atp {

class TwoLoops {
 public:
  using Real = double;
  static constexpr bool kSavesNorms = false, kHasMetric = false;

  TwoLoops(int64_t unknowns, int64_t history) : n_(unknowns) { ring.size = history; }
  void lay_out(Arena &arena);
  void narrow(int64_t unknowns);  // makes do with the first elements of its vectors
  void reset();

  Span<double> start_gradient() const { return gradient; }
  void take_start() {}
  Norms measure(Threads threads, Span<const double> x) const;
  DescentDirection find_direction(Threads threads);
  void try_step(Threads threads, Span<const double> x, double step);
  Span<double> trial_gradient() const { return trial_gradient_; }
  double trial_slope(Threads threads);
  AcceptedStep accept(Threads threads, Span<double> x, double step);

  int64_t payload() const { return static_cast<int64_t>(sizeof(double)) * ((2 * ring.size + 1) * n_ + ring.size); }
  void save(StateWriter &writer) const;
  void check(StateReader &reader, const PairRing &saved, bool started) const;
  void load(StateReader &reader);

  PairRing ring;
  Span<double> gradient, trial;

 private:
  Span<double> pair_s(int64_t k) const { return s_.sub(k * n_, n_); }
  Span<double> pair_y(int64_t k) const { return y_.sub(k * n_, n_); }

  int64_t n_;
  Span<double> direction_, trial_gradient_, s_, y_, inverse_sy_, alpha_;
};

}  // namespace atp
