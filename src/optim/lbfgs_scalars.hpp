// SPDX-License-Identifier: MIT
// The scalars of a saved L-BFGS, of one shape for both kinds: reals | pairs in use, place of the newest, idle iterations, started.
#pragma once

#include "base/state.hpp"

#include <initializer_list>

namespace atp {

inline void save_scalars(StateWriter &writer, std::initializer_list<double> reals, std::initializer_list<int64_t> integers) {
  for (double v : reals) writer.value(v);
  for (int64_t v : integers) writer.value(v);
}

// Throws ATP_E_FORMAT and changes nothing where a ring of this history cannot be in such a state.
inline void load_scalars(StateReader &reader, int64_t history, std::initializer_list<double *> reals, int64_t &pairs, int64_t &newest,
                         int64_t &idle, bool &started) {
  double read[8];
  int64_t integers[4];
  assert(reals.size() <= sizeof read / sizeof *read);
  for (std::size_t k = 0; k < reals.size(); ++k) reader.value(read[k]);
  for (int64_t &v : integers) reader.value(v);
  if (integers[0] < 0 || integers[0] > history || integers[1] < -1 || integers[1] >= history || (integers[0] > 0 && integers[1] < 0) ||
      integers[2] < 0)
    fail(ATP_E_FORMAT, "the state's history (%lld pairs, the newest at %lld) does not exist", static_cast<long long>(integers[0]),
         static_cast<long long>(integers[1]));
  const double *next = read;
  for (double *v : reals) *v = *next++;
  pairs = integers[0];
  newest = integers[1];
  idle = integers[2];
  started = integers[3] != 0;
}

}  // namespace atp
