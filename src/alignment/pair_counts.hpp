// SPDX-License-Identifier: MIT
// Weighted counts of pairs of colours, one row of blocks (i, j >= i) at a time: q^2 L numbers, for any number of
// sequences.
#pragma once

#include "alignment/alignment.hpp"

namespace atp {

// The sequences in the order of their colours at site i; those of one colour remain in order.
void order_by_color(const Alignment &alignment, int64_t i, int64_t *order);

// out[j][a][b], j >= i, [L][q][q]: summed weights of the sequences with colour a at site i and b at site j,
// without the first `missing` colours. An order (NULL: that of the alignment) by the colours at site i leaves the
// sums as they are, but keeps the part of `out` in use small.
void count_pairs(const Alignment &alignment, int64_t i, int64_t missing, int64_t q, const int64_t *order, double *out);

}  // namespace atp
