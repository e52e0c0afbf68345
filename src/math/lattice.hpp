// SPDX-License-Identifier: MIT
// Points for averages over many normal numbers: a rank-one lattice, moved by a random shift. The mean over a few shifts has no bias, and
// its error is that of the few numbers. Sources: N. Korobov, Dokl. Akad. Nauk SSSR 124, 1207 (1959); R. Cranley, T. Patterson, SIAM J.
// Numer. Anal. 13, 904 (1976).
#pragma once

#include "base/span.hpp"

#include <cstdint>

namespace atp {

// Throws ATP_E_VALUE unless a number of points is a power of two.
void require_power_of_two(int64_t points);

// Point i of n is the fractional part of (i z / n + shift), z = (1, g, g^2, ...) mod n. The multiplier g that has the smallest P_2 error,
// with weights 1/2, among some tens of candidates; n is a power of two, and work has n doubles.
int64_t korobov_multiplier(int64_t n, int64_t dimensions, Span<double> work);

// The mean square of integration errors, over shifts, of the unit ball of functions with weighted mixed first derivatives.
double lattice_error(int64_t n, int64_t dimensions, int64_t multiplier, Span<double> work);

// Standard normal numbers of all points, out [n][dimensions], for a shift that depends on seed and its number.
void normal_points(int64_t n, int64_t dimensions, int64_t multiplier, uint64_t seed, int64_t shift, Span<double> out);

}  // namespace atp
