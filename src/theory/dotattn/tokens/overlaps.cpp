// SPDX-License-Identifier: MIT
#include "theory/dotattn/tokens/overlaps.hpp"

#include <cmath>

namespace atp::dotattn {

namespace {
constexpr double kLeastScale = 0.1;  // of theta and m, of the largest that q allows
}

void OverlapVector::to(const Overlaps &overlaps, double *x) const {
  for (int64_t a = 0; a < rank; ++a) x[a] = overlaps.q[a];
  for (int64_t a = 0; a < rank; ++a) x[rank + a] = overlaps.v[a];
  x[2 * rank] = overlaps.theta;
  for (int64_t k = 0; k < columns; ++k) x[2 * rank + 1 + k] = overlaps.m[k];
}

Overlaps OverlapVector::from(const double *x) const {
  Overlaps overlaps{};
  for (int64_t a = 0; a < rank; ++a) overlaps.q[a] = x[a];
  for (int64_t a = 0; a < rank; ++a) overlaps.v[a] = x[rank + a];
  overlaps.theta = x[2 * rank];
  for (int64_t k = 0; k < columns; ++k) overlaps.m[k] = x[2 * rank + 1 + k];
  return overlaps;
}

void OverlapVector::scales(const Overlaps &overlaps, double sigma, double *scale) const {
  const double rho = sigma * sigma;
  double q = 0, v = 0, m = 0;
  for (int64_t a = 0; a < rank; ++a) {
    q = std::fmax(q, overlaps.q[a]);
    v = std::fmax(v, overlaps.v[a]);
  }
  for (int64_t k = 0; k < columns; ++k) m = std::fmax(m, std::fabs(overlaps.m[k]));
  for (int64_t a = 0; a < rank; ++a) {
    scale[a] = q;
    scale[rank + a] = v;
  }
  scale[2 * rank] = std::fmax(std::fabs(overlaps.theta), kLeastScale * std::sqrt(rho * q));
  for (int64_t k = 0; k < columns; ++k) scale[2 * rank + 1 + k] = std::fmax(m, kLeastScale * std::sqrt(q) / sigma);
}

bool possible(const Task &task, const Overlaps &overlaps) {
  for (int64_t a = 0; a < task.rank; ++a)
    if (!(overlaps.q[a] > 0 && overlaps.v[a] > 0 && std::isfinite(overlaps.q[a]) && std::isfinite(overlaps.v[a]))) return false;
  for (int64_t k = 0; k < task.code_columns; ++k)
    if (!std::isfinite(overlaps.m[k])) return false;
  return overlaps.theta * overlaps.theta < task.sigma * task.sigma * overlaps.q[0];
}

}  // namespace atp::dotattn
