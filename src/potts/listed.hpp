// SPDX-License-Identifier: MIT
// Potts models from a list of pairs and their couplings.
#pragma once

#include "potts/model.hpp"

namespace atp {

// pairs [P][2] as sort_pairs() takes them, with symmetric couplings [P][q][q], the first index at the first site of a pair as it is given,
// or [P] times color_matrix [q][q]. Fields are 0. Throws ATP_E_VALUE where a number is above kLargestModelNumber in magnitude.
struct PairCouplings {
  const int64_t *pairs;
  const double *couplings;
  const double *color_matrix;  // NULL: blocks
};
Model *make_listed(Context &context, int64_t sites, int64_t colors, bool fields, const PairCouplings &list, int64_t count);

}  // namespace atp
