// SPDX-License-Identifier: MIT
#include "math/optim/lbfgs_state.hpp"

#include <cmath>
#include <initializer_list>

namespace atp {

void DescentNumbers::save(StateWriter &writer, const PairRing &ring, bool with_norms) const {
  for (double v : {value, step, length}) writer.value(v);
  if (with_norms)
    for (double v : {norms.gradient, norms.x}) writer.value(v);
  for (double v : {lowest_value, lowest_norm}) writer.value(v);
  for (int64_t v : {ring.pairs, ring.newest, idle, int64_t{started}}) writer.value(v);
}

void DescentNumbers::read(StateReader &reader, PairRing &ring, bool with_norms) {
  for (double *v : {&value, &step, &length}) reader.value(*v);
  norms = {};
  measured = with_norms;
  if (with_norms)
    for (double *v : {&norms.gradient, &norms.x}) reader.value(*v);
  for (double *v : {&lowest_value, &lowest_norm}) reader.value(*v);
  ring.pairs = reader.integer("number of pairs", 0, ring.size);
  ring.newest = reader.integer("place of the newest pair", ring.pairs > 0 ? 0 : -1, ring.size - 1);
  idle = reader.integer("number of idle iterations", 0, kIdleLimit + 1);
  started = reader.integer("mark of a run that has started", 0, 1) != 0;
  if (!started) {
    if (ring.pairs > 0) fail(ATP_E_FORMAT, "the state has pairs of a run that has not started");
    value = step = length = lowest_value = lowest_norm = 0;
    norms = {};
    return;
  }
  const auto check = [](double v, bool negative_allowed) {
    if (!std::isfinite(v) || (!negative_allowed && v < 0))
      fail(ATP_E_FORMAT, "the state's descent has %g where it must have a finite number%s", v, negative_allowed ? "" : ", not below 0");
  };
  check(value, true);
  check(lowest_value, true);
  for (double v : {step, length, norms.gradient, norms.x, lowest_norm}) check(v, false);
}

}  // namespace atp
