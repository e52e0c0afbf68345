// SPDX-License-Identifier: MIT
#include "theory/dotattn/tokens/token_equations.hpp"

#include "theory/dotattn/tokens/proximal.hpp"

#include <cmath>

namespace atp::dotattn {

TokenEquations::Mixture TokenEquations::mixture_of(const Overlaps &at) const {
  const double rho = task_.sigma * task_.sigma;
  Mixture mixture{};
  mixture.on_h = at.theta / std::sqrt(at.q[0]);
  mixture.rest = std::sqrt(rho - at.theta * at.theta / at.q[0]);
  for (int64_t a = 0; a < task_.rank; ++a) mixture.root[a] = std::sqrt(at.q[a]);
  for (int64_t l = 0; l < task_.tokens; ++l)
    for (int64_t k = 0; k < task_.code_columns; ++k) mixture.shift[l] += task_.code[l * task_.code_columns + k] * at.m[k];
  return mixture;
}

void TokenEquations::add(int64_t point, const Overlaps &at, const Mixture &mixture, bool all, Sums &sums) const {
  const int64_t L = task_.tokens, r = task_.rank, columns = task_.code_columns, n = L * r, last = r - 1;
  const double *z = points_.normals.data() + point * (n + L), *y = z + n;
  double *x = points_.x.data() + point * n;
  double w[kMostTokens * kMostRank], h[kMostTokens] = {}, t[kMostTokens * kMostTokens], s[kMostTokens * kMostTokens];
  for (int64_t l = 0; l < L; ++l) {
    for (int64_t a = 0; a < r; ++a) w[l * r + a] = mixture.root[a] * z[l * r + a] + (a == last ? mixture.shift[l] : 0);
    h[l] = mixture.on_h * z[l * r] + mixture.rest * y[l];
  }
  teacher_matrix(task_, h, t);
  const Proximal proximal{L, r, task_.sigma * task_.sigma, at.v, w, t};
  proximal.minimise(x, all);
  attention(L, r, w, s);
  for (int64_t e = 0; e < L * L; ++e) sums.test += (s[e] - t[e]) * (s[e] - t[e]);
  attention(L, r, x, s);
  for (int64_t e = 0; e < L * L; ++e) sums.train += (s[e] - t[e]) * (s[e] - t[e]);
  for (int64_t l = 0; l < L; ++l)
    for (int64_t a = 0; a < r; ++a) {
      const double residue = (x[l * r + a] - w[l * r + a]) / at.v[a];
      sums.square[a] += residue * residue;
      sums.along[a] += residue * z[l * r + a];
      if (a == 0) sums.field += residue * y[l];
      if (a == last)
        for (int64_t k = 0; k < columns; ++k) sums.code[k] += task_.code[l * columns + k] * residue;
    }
}

bool TokenEquations::apply(double alpha, const Overlaps &at, bool all, Applied &out) const {
  const int64_t r = task_.rank, columns = task_.code_columns, last = r - 1;
  const double rho = task_.sigma * task_.sigma, points = static_cast<double>(points_.count), share = alpha / points;
  const Mixture mixture = mixture_of(at);
  Sums sums;
  for (int64_t point = 0; point < points_.count; ++point) add(point, at, mixture, all, sums);

  const double theta_hat = solution_ == ATP_DOTATTN_START_POSITIONAL ? 0 : sums.field * share / mixture.rest;
  double m_hat[kMostCode], m_size = 0, penalty = 0;
  for (int64_t k = 0; k < columns; ++k) {
    m_hat[k] = solution_ == ATP_DOTATTN_START_SEMANTIC ? 0 : sums.code[k] * share;
    m_size += m_hat[k] * m_hat[k];
  }
  Overlaps &next = out.next = Overlaps{};
  for (int64_t a = 0; a < r; ++a) {
    const double v_hat = (a == 0 ? at.theta * theta_hat / at.q[0] : 0) - share * sums.along[a] / mixture.root[a];
    const double stiffness = task_.lambda + rho * v_hat;
    if (!(stiffness > 0) || !std::isfinite(stiffness)) return false;
    next.v[a] = rho / stiffness;
    if (a == 0) next.theta = rho * rho * theta_hat / stiffness;
    if (a == last)
      for (int64_t k = 0; k < columns; ++k) next.m[k] = m_hat[k] / stiffness;
    next.q[a] = rho * (rho * share * sums.square[a] + (a == last ? m_size : 0) + (a == 0 ? rho * rho * theta_hat * theta_hat : 0)) /
                (stiffness * stiffness);
    penalty += at.q[a];
  }
  out.eg = rho / 2 * sums.test / points;
  out.et = rho / 2 * share * sums.train + task_.lambda * penalty / (2 * rho);
  return true;
}

}  // namespace atp::dotattn
