// SPDX-License-Identifier: MIT
// Rules for averages over a standard normal variable: E f(z) ~ sum_k weight_k f(node_k).
//
// Gauss-Hermite is exact for polynomials of degree 2 n - 1 and converges like exp(-2 d sqrt(n)) where f is analytic within |Im z| < d.
// Where d is small, or f has kinks, panels of Gauss-Legendre nodes are graded towards the places where f changes quickly.
#pragma once

#include "base/span.hpp"

namespace atp {

// Gauss-Hermite of order nodes.size() for the standard normal density. Nodes increase. Weights below 1e-308 become 0.
void gauss_hermite(Span<double> nodes, Span<double> weights);

// Gauss-Legendre of order nodes.size() on [-1, 1]. The weights sum to 2.
void gauss_legendre(Span<double> nodes, Span<double> weights);

// A place where f is not smooth: its nearest singularity in the complex plane is at center + i width. Width 0 is a kink or a jump of f.
struct Feature {
  double center, width;
};

inline constexpr double kPanelRange = 9;  // beyond, the normal density is below 1e-17 of its peak
inline constexpr int64_t kMaxFeatures = 4, kPanelDoublings = 24;
inline constexpr int64_t kMaxPanels = 2 * static_cast<int64_t>(kPanelRange) + kMaxFeatures * (2 * kPanelDoublings + 1);
inline constexpr int64_t kMaxPanelOrder = 24;

// Gauss-Legendre nodes of this order on panels cut at integers and at center, center +- width 2^k. The weights
// include the normal density. Writes at most kMaxPanels * order nodes and weights, and returns their number.
int64_t panel_rule(const Feature *features, int64_t n_features, int64_t order, Span<double> nodes, Span<double> weights);

}  // namespace atp
