// SPDX-License-Identifier: MIT
#include "base/symmetric.hpp"

#include "base/error.hpp"

#include <initializer_list>

namespace atp {

namespace {

struct Matrix {
  const double *values;
  int64_t n;
  double operator()(int64_t i, int64_t j) const { return values[i * n + j]; }
};

// Calls use(i, j) for all pairs, i > j.
template <class Use>
void for_pairs(int64_t n, Use &&use) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < i; ++j) use(i, j);
}

template <class Refuse>
void require_numbers(const Matrix &x, Symmetric kind, Refuse &&refuse) {
  if (kind == Symmetric::covariance)
    for (int64_t i = 0; i < x.n; ++i)
      for (int64_t j = 0; j < x.n; ++j)
        if (!std::isfinite(x(i, j))) refuse(i, j);
  if (kind == Symmetric::scores || kind == Symmetric::known_scores)
    for_pairs(x.n, [&](int64_t i, int64_t j) {
      const double known = known_of_pair(x.values, x.n, j, i);
      if (std::isinf(known) || (std::isnan(known) && kind == Symmetric::scores)) refuse(j, i);
      if (std::isinf(x(i, j))) refuse(i, j);
    });
}

double mean_magnitude(const Matrix &x) {
  double sum = 0, count = 0;
  for_pairs(x.n, [&](int64_t i, int64_t j) {
    for (double value : {x(i, j), x(j, i)})
      if (std::isfinite(value)) {
        sum += std::fabs(value);
        ++count;
      }
  });
  return count > 0 ? sum / count : 0;
}

// Whether only one triangle has numbers other than 0.
bool is_triangle(const Matrix &x) {
  bool filled[2] = {};
  for_pairs(x.n, [&](int64_t i, int64_t j) {
    filled[0] = filled[0] || x(i, j) != 0;
    filled[1] = filled[1] || x(j, i) != 0;
  });
  return filled[0] != filled[1];
}

}  // namespace

void require_symmetric(const double *matrix, int64_t n, const char *name, Symmetric kind, const char *between) {
  const Matrix x{matrix, n};
  require_numbers(x, kind, [&](int64_t i, int64_t j) {
    fail(ATP_E_NOT_FINITE, "%s%s" ATP_AT2 " is %g, must be finite", name, between, llong{i}, llong{j}, x(i, j));
  });
  const bool covariance = kind == Symmetric::covariance;
  const double tolerance = covariance ? 1e-10 : 0.02, mean = covariance ? 0 : mean_magnitude(x);
  for_pairs(n, [&](int64_t i, int64_t j) {
    const double a = x(i, j), b = x(j, i), scale = covariance ? std::sqrt(std::fabs(x(i, i) * x(j, j))) : mean;
    if (a == b || std::isnan(a) || std::isnan(b)) return;
    if (std::fabs(a - b) <= tolerance * (std::fabs(a) + std::fabs(b) + scale) && std::isfinite(a) && std::isfinite(b)) return;
    fail(ATP_E_SYMMETRY, "%s%s" ATP_AT2 " is %.17g and " ATP_AT2 " %.17g, must be equal in a symmetric matrix%s", name, between, llong{i},
         llong{j}, a, llong{j}, llong{i}, b,
         is_triangle(x) ? ": only one triangle is filled, the other is 0; copy each element to its transposed place" : "");
  });
}

}  // namespace atp
