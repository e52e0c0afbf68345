// SPDX-License-Identifier: MIT
// The one rule for matrices [n][n] that claim to be symmetric.
#pragma once

#include "base/error.hpp"

#include <cmath>
#include <cstdint>

namespace atp {

// The rules of atp_symmetric in scores.h, and scores that some pairs do not have: NaN in both places.
enum class Symmetric { covariance = 1, scores, distances, known_scores };

// Throws ATP_E_NOT_FINITE or ATP_E_SYMMETRY; the text begins with the name and an element, and tells if only one triangle is filled.
// kOfFile stands between the name of a file and an element of its matrix.
ATP_FOR_IO void require_symmetric(const double *matrix, int64_t n, const char *name, Symmetric kind, const char *between = "");
inline constexpr char kOfFile[] = ": element ";

// Element i, j, or the transposed one where that is NaN.
inline double known_of_pair(const double *matrix, int64_t n, int64_t i, int64_t j) {
  const double x = matrix[i * n + j];
  return std::isnan(x) ? matrix[j * n + i] : x;
}

}  // namespace atp
