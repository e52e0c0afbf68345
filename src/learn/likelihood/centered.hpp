// SPDX-License-Identifier: MIT
// Centred fields, h'_i(a) = h_i(a) + sum_j sum_b J_ij(a, b) f_j(b) with f the family's frequencies: what a site feels on average. Steps of
// couplings that keep them leave the frequencies of the sites nearly as they are.
#pragma once

#include "learn/likelihood/statistics.hpp"

namespace atp {

// Derivatives by couplings at fixed fields become those at fixed centred fields: G_ij(a, b) - g_i(a) f_j(b) - f_i(a) g_j(b).
void center_slope(const DenseShape &pairs, const Statistics &statistics, Span<double> slope, Threads threads);

// The fields of a point: h_i(a) += factor sum_j sum_b J_ij(a, b) f_j(b).
void add_means(const DenseShape &pairs, const Statistics &statistics, double factor, Span<double> point, Threads threads);

// The couplings times a factor, at the same centred fields.
void stretch(const DenseShape &pairs, const Statistics &statistics, double factor, Span<double> point, Threads threads);

}  // namespace atp
