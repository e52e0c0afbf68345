// SPDX-License-Identifier: MIT
// The state of a descent by L-BFGS: its numbers, and the two histories that make its directions.
#pragma once

#include "base/arena.hpp"
#include "base/ranks.hpp"
#include "base/state.hpp"
#include "base/team.hpp"
#include "simd/vectors.hpp"

namespace atp {

// Iterations without a visible fall of f, nor of |g| by a tenth, after which a descent counts as stalled.
inline constexpr int64_t kIdleLimit = 20;

// Places of the pairs (s, y) of a history: a ring.
struct PairRing {
  int64_t size = 0, pairs = 0, newest = -1;

  int64_t place(int64_t age) const { return (newest - age + size) % size; }
  int64_t next() const { return (newest + 1) % size; }
  int64_t age(int64_t k) const { return (newest - k + size) % size; }
  // Whether place k holds one of the pairs in use; the others may hold anything.
  bool uses(int64_t k) const { return pairs > 0 && age(k) < pairs; }
  void forget() {
    pairs = 0;
    newest = -1;
  }
};

struct Norms {
  double gradient = 0, x = 0;
};

struct DescentDirection {
  double slope = 0, norm = 0;  // direction . gradient, |direction|
};

struct AcceptedStep {
  Norms norms;
  double length = 0;  // |s|
};

// The numbers of a descent beside its vectors, and their place in a saved state: reals | pairs in use, place of the newest, idle
// iterations, started.
struct DescentNumbers {
  double value = 0, step = 0, length = 0;  // f; step length and |s| of the last line search
  Norms norms;
  double lowest_value = 0, lowest_norm = 0;
  int64_t idle = 0;  // iterations since f or |g| was last seen to fall
  bool started = false;
  bool found = false;     // the history holds the direction of the next step: the search along it was interrupted
  bool measured = false;  // the norms are those of the present point; not so after reading a state without them

  // Whether a state has the norms depends on its history.
  static int64_t payload(bool with_norms) {
    return static_cast<int64_t>(sizeof(double)) * (with_norms ? 7 : 5) + static_cast<int64_t>(sizeof(int64_t)) * 4;
  }
  void save(StateWriter &writer, const PairRing &ring, bool with_norms) const;
  // Throws ATP_E_FORMAT where a ring of this size cannot be in such a state. Reals of a run that has not started mean nothing.
  void read(StateReader &reader, PairRing &ring, bool with_norms);
};

template <class Real>
void check_gradient(StateReader &reader, int64_t n, bool started) {
  if (started)
    reader.reals<Real>(n, "gradient");
  else
    reader.pass_over<Real>(n);
}

// n numbers at each place of a ring: finite where the place is in use.
template <class Real>
void check_pairs(StateReader &reader, const PairRing &ring, int64_t n, const char *name) {
  for (int64_t k = 0; k < ring.size; ++k) {
    if (ring.uses(k))
      reader.reals<Real>(n, name);
    else
      reader.pass_over<Real>(n);
  }
}

// A history of L-BFGS that makes directions by the two-loop recursion over whole vectors, in float64 and on the calling thread: for up to
// some ten thousand unknowns. Source: J. Nocedal, S. Wright, Numerical Optimization (2006), algorithm 7.4.
class TwoLoops {
 public:
  using Real = double;
  static constexpr bool kSavesNorms = false, kHasMetric = false, kKeepsDirection = false;

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
  void check(StateReader &reader, const PairRing &saved, const DescentNumbers &numbers) const;
  void load(StateReader &reader);

  PairRing ring;
  Span<double> gradient, trial;

 private:
  Span<double> pair_s(int64_t k) const { return s_.sub(k * n_, n_); }
  Span<double> pair_y(int64_t k) const { return y_.sub(k * n_, n_); }

  int64_t n_;
  Span<double> direction_, trial_gradient_, s_, y_, inverse_sy_, alpha_;
};

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
template <class Number>
class InnerProducts {
 public:
  using Real = Number;
  static constexpr bool kSavesNorms = true, kHasMetric = true;
  static constexpr bool kKeepsDirection = true;  // where an interrupted search along it goes on: it has taken the place of the oldest pair

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
  // The same numbers of the direction that find_direction() has made.
  DescentDirection found_direction(Threads threads);
  // trial = x + step direction
  void try_step(Threads threads, Span<const Real> x, double step);
  Span<Real> trial_gradient() const { return ranks_ == nullptr ? pair_y(ring.next()) : whole_; }
  double trial_slope(Threads threads);
  // x = trial, gradient = trial_gradient(); their pair joins the history unless its curvature is lost in rounding.
  AcceptedStep accept(Threads threads, Span<Real> x, double step);

  int64_t payload() const;
  void save(StateWriter &writer) const;                                                         // of all ranks, by all of them
  void check(StateReader &reader, const PairRing &saved, const DescentNumbers &numbers) const;  // throws ATP_E_FORMAT
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
