// SPDX-License-Identifier: MIT
// Gauge transformations: they leave every conditional unchanged. See atp_gauge.
#pragma once

#include "potts/model.hpp"

namespace atp {

// Subtracts from a matrix [n][n] its mean over the first index a, for each b.
void center_columns(double *matrix, int64_t n);
// Subtracts its mean over b, for each a. Adds the subtracted numbers to means[a], unless NULL.
void center_rows(double *matrix, int64_t n, double *means);

// Heads with sum_a V_h(a, b) = 0, |V_h| = sqrt(q), and a positive A_h,ij of largest magnitude (the first of
// them).
Model *color_gauge(Context &context, const Model &source);
// Dense couplings that sum to zero over either colour, and fields that sum to zero.
Model *zero_sum_gauge(Context &context, const Model &source);
// In the same gauge, fields times the weights [L] of their sites and couplings times the mean weight of both sites.
Model *weigh_sites(Context &context, const Model &source, Span<const double> weights);

}  // namespace atp
