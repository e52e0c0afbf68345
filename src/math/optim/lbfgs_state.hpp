// SPDX-License-Identifier: MIT
// The numbers of a descent by L-BFGS beside its vectors, and their place in a saved state: reals | pairs in use, place of the newest, idle
// iterations, started.
#pragma once

#include "base/state.hpp"

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

struct DescentNumbers {
  double value = 0, step = 0, length = 0;  // f; step length and |s| of the last line search
  Norms norms;
  double lowest_value = 0, lowest_norm = 0;
  int64_t idle = 0;  // iterations since f or |g| was last seen to fall
  bool started = false;
  bool measured = false;  // the norms are those of the present point; not so after reading a state without them

  // A state has the norms or not, as its history says.
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

}  // namespace atp
