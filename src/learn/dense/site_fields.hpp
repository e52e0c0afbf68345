// SPDX-License-Identifier: MIT
// The site-independent model with a penalty on its fields.
#pragma once

#include <cstdint>

namespace atp {

// The fields h [q] that minimise sum_a n_a -log p(a) + penalty |h|^2, p(a) = exp(h_a) / sum_b exp(h_b), for one site; counts[q] >= 0, and
// penalty > 0. Newton's method; the objective is strictly convex. Writes log p(a), [q].
void fit_site(const double *counts, int64_t colors, double penalty, double *log_probabilities);

}  // namespace atp
