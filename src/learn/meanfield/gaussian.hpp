// SPDX-License-Identifier: MIT
// Scores of the Gaussian model of one-hot sequences. C. Baldassi et al., PLoS ONE 9, e92721 (2014).
#pragma once

#include "learn/meanfield/mean_field.hpp"

#include <attopotts/baselines.h>

namespace atp {

// Scores [L][L]; `gap` is left out of the norm, -1: none.
void gaussian_scores(Context &context, const Alignment &alignment, const MeanFieldSettings &settings, atp_pair_score score, int64_t gap,
                     double *out);

}  // namespace atp
