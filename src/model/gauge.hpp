// SPDX-License-Identifier: MIT
// Gauges: rewritings that leave every conditional as it is. See atp_gauge.
#pragma once

#include "model/model.hpp"

namespace atp {

// Subtract from a matrix [n][n] its mean over the first index a, for each b.
void center_columns(double *matrix, int64_t n);
// Subtract its mean over b, for each a; means[a] += what was subtracted, unless NULL.
void center_rows(double *matrix, int64_t n, double *means);

// Heads with sum_a V_h(a, b) = 0, |V_h| = sqrt(q) and the A_h,ij of largest magnitude (the first of them) positive.
Model *color_gauge(Context &context, const Model &source);
// Dense, with couplings that sum to zero over either colour and fields that sum to zero.
Model *zero_sum_gauge(Context &context, const Model &source);

}  // namespace atp
