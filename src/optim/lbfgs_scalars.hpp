// SPDX-License-Identifier: MIT
// The scalars of a saved L-BFGS, of one shape for both kinds: reals | pairs in use, place of the newest, idle iterations, started.
#pragma once

#include "base/state.hpp"

#include <cassert>
#include <cmath>
#include <initializer_list>

namespace atp {

inline void save_scalars(StateWriter &writer, std::initializer_list<double> reals, std::initializer_list<int64_t> integers) {
  for (double v : reals) writer.value(v);
  for (int64_t v : integers) writer.value(v);
}

// The ring of a saved history.
struct SavedRing {
  int64_t pairs, newest;
  bool started;
  int64_t age(int64_t place, int64_t history) const { return (newest - place + history) % history; }
  // Whether a place holds one of the pairs in use; the others may hold anything.
  bool uses(int64_t place, int64_t history) const { return pairs > 0 && age(place, history) < pairs; }
};

// Reads past the scalars; throws ATP_E_FORMAT where a ring of this history cannot be in such a state. The first of `count` reals is f,
// `lowest` is the place of the lowest f; these may be negative. Reals of a run that has not started mean nothing.
inline SavedRing check_scalars(StateReader &reader, int64_t history, int64_t idle_limit, int count, int lowest) {
  double reals[8];
  assert(count <= static_cast<int>(sizeof reals / sizeof *reals));
  for (int k = 0; k < count; ++k) reader.value(reals[k]);
  SavedRing ring;
  ring.pairs = reader.integer("number of pairs", 0, history);
  ring.newest = reader.integer("place of the newest pair", ring.pairs > 0 ? 0 : -1, history - 1);
  reader.integer("number of idle iterations", 0, idle_limit + 1);
  ring.started = reader.integer("mark of a run that has started", 0, 1) != 0;
  for (int k = 0; k < count; ++k) {
    const bool value = k == 0 || k == lowest;
    if (ring.started && (!std::isfinite(reals[k]) || (!value && reals[k] < 0)))
      fail(ATP_E_FORMAT, "the state's descent has %g where it must have a finite number%s", reals[k], value ? "" : ", not below 0");
  }
  if (!ring.started && ring.pairs > 0) fail(ATP_E_FORMAT, "the state has pairs of a run that has not started");
  return ring;
}

// After check_scalars().
inline void load_scalars(StateReader &reader, std::initializer_list<double *> reals, int64_t &pairs, int64_t &newest, int64_t &idle,
                         bool &started) {
  int64_t flag;
  for (double *v : reals) reader.value(*v);
  for (int64_t *v : {&pairs, &newest, &idle, &flag}) reader.value(*v);
  started = flag != 0;
  if (!started)
    for (double *v : reals) *v = 0;
}

}  // namespace atp
