// SPDX-License-Identifier: MIT
// Direct information: the mutual information of two sites alone. M. Weigt et al., PNAS 106, 67 (2009).
#pragma once

#include "potts/model.hpp"

namespace atp {

// Elements of work space for direct_information().
constexpr int64_t direct_information_scratch(int64_t colors, int threads) { return threads * 3 * colors * (colors + 1); }

// Scores [L][L] of a model for frequencies [L][q]. Throws ATP_E_VALUE where the fields of a pair are not found.
void direct_information(const Model &model, const double *frequencies, const Threads &threads, Span<double> scratch, double *out);

}  // namespace atp
