// SPDX-License-Identifier: MIT
// Reads distances between sites from a text or an array in memory.
#pragma once

#include "alignment/text.hpp"

namespace atp {

struct DistanceCount {
  int64_t pairs = 0;  // lines with two distinct numbers
  int64_t used = 0;   // those of them in which both numbers are sites
};

// Reads lines `i j d` or `i j x d`, all of one kind: two site numbers (11 or 1.1e+01), an ignored column x, a
// distance >= 0.
// Blanks, tabs or commas separate columns; '#' starts a comment. out is [sites][sites], symmetric, with 0 on
// the diagonal and NaN for unknown distances. Of several distances of a pair the smallest counts. Lines with i
// = j are skipped. numbers [sites] are the sites' own, or NULL for 1..sites. Throws ATP_E_FORMAT with label and
// line.
ATP_FOR_IO DistanceCount parse_distances(const Text &text, const int64_t *numbers, int64_t sites, double *out);

// The same lines as numbers, [count][columns] with 3 or 4 columns.
struct DistanceRows {
  const double *numbers = nullptr;
  int64_t count = 0, columns = 3;
  const char *label = "";
};
ATP_FOR_IO DistanceCount distances_of_rows(const DistanceRows &rows, const int64_t *numbers, int64_t sites, double *out);
// The same from a matrix [sites][sites], NaN where a distance is not known. The diagonal is not read; of d_ij and
// d_ji the smaller counts.
ATP_FOR_IO DistanceCount distances_of_matrix(const double *matrix, const char *label, int64_t sites, double *out);

}  // namespace atp
