// SPDX-License-Identifier: MIT
// Distances between sites in tables of text or .npy files.
#pragma once

#include "io/source.hpp"

namespace atp {

struct DistanceSites {
  int64_t count;
  const int64_t *numbers = nullptr;  // NULL: 1..count
  const int64_t *columns = nullptr;  // of a matrix [total][total] of all columns; NULL: it has the sites alone
  int64_t total = 0;
};

struct DistanceCount {
  int64_t pairs = 0;  // rows with two different numbers
  int64_t used = 0;   // those of them in which both numbers are sites
};

// The rules are with atp_distances_read(). out [count][count] is written only if everything was read. Throws ATP_E_FORMAT with label and
// line, ATP_E_SYMMETRY.
DistanceCount read_distances(const Source &source, const DistanceSites &sites, double *out);
// The same of a text.
DistanceCount parse_distances(Context &context, const Text &text, const DistanceSites &sites, double *out);

}  // namespace atp
