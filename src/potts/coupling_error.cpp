// SPDX-License-Identifier: MIT
#include "potts/coupling_error.hpp"

#include "potts/gauge.hpp"
#include "potts/summation.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

double inner(const double *x, const double *y, int64_t n) {
  double sum = 0;
  for (int64_t k = 0; k < n; ++k) sum += x[k] * y[k];
  return sum;
}

// block += factor * beta * C_ij.
void add_block(const CouplingView &c, int64_t i, int64_t j, double factor, double *block) {
  const int64_t size = c.colors * c.colors;
  const auto add = [&](double scale, const double *x) {
    for (int64_t k = 0; k < size; ++k) block[k] += scale * x[k];
  };
  if (c.heads == 0 && c.couplings == nullptr) c.add(c.source, i, j, factor * c.beta, block);
  if (c.heads == 0 && c.couplings != nullptr) add(factor * c.beta, c.couplings + (i * c.sites + j) * size);
  for (int64_t h = 0; h < c.heads; ++h) add(factor * c.beta * c.maps[(h * c.sites + i) * c.sites + j], c.values + h * size);
}

// sum_{i != j} (x J_ij - y A_ij)^2 / L^2.
double map_distance(const double *truth, double x, const double *learned, double y, int64_t sites) {
  CompensatedSum sum;
  for (int64_t i = 0; i < sites; ++i)
    for (int64_t j = 0; j < sites; ++j) {
      if (j == i) continue;
      const double d = x * truth[i * sites + j] - y * learned[i * sites + j];
      sum.add(d * d);
    }
  return sum.value() / static_cast<double>(sites * sites);
}

// Both sides have one head; U is centred in `u` and not 0.
double one_head(const CouplingView &model, const CouplingView &truth, const double *u, double *v) {
  const int64_t size = model.colors * model.colors;
  std::copy_n(model.values, size, v);
  center_columns(v, model.colors);
  const double sign = inner(u, v, size) < 0 ? -1 : 1;
  return map_distance(truth.maps, truth.beta, model.maps, sign * model.beta * std::sqrt(inner(v, v, size) / inner(u, u, size)),
                      model.sites);
}

// The general case: one block of differences at a time, brought to zero sum as a whole.
double dense_distance(const CouplingView &model, const CouplingView &truth, double u2, double *block) {
  const int64_t L = model.sites, q = model.colors;
  CompensatedSum sum;
  for (int64_t i = 0; i < L; ++i)
    for (int64_t j = 0; j < L; ++j) {
      if (j == i) continue;
      std::fill_n(block, q * q, 0.0);
      add_block(model, i, j, 1, block);
      add_block(truth, i, j, -1, block);
      center_columns(block, q);
      center_rows(block, q, nullptr);
      sum.add(inner(block, block, q * q));
    }
  return sum.value() / (static_cast<double>(L * L) * u2);
}

}  // namespace

CouplingView couplings_of(const Model &model) {
  CouplingView view;
  view.sites = model.sites();
  view.colors = model.colors();
  view.heads = model.shape.heads;
  view.beta = model.beta;
  view.maps = model.maps.data();
  view.values = model.values.data();
  view.couplings = model.couplings.data();
  return view;
}

double coupling_error(const CouplingView &model, const CouplingView &truth, Span<double> scratch) {
  constexpr double rounding2 = 1e-28;  // rounding of a U that should be 0, relative to U, squared
  const int64_t q = model.colors, size = q * q;
  double u2 = static_cast<double>(q);
  double *block = scratch.sub(0, size).data(), *u = scratch.sub(size, size).data();
  if (truth.heads == 1) {
    std::copy_n(truth.values, size, u);
    const double nothing = rounding2 * inner(u, u, size);
    center_columns(u, q);
    if (model.heads == 1 && inner(u, u, size) > nothing) return one_head(model, truth, u, block);
    center_rows(u, q, nullptr);
    if (const double norm2 = inner(u, u, size); norm2 > nothing) u2 = norm2;
  }
  return dense_distance(model, truth, u2, block);
}

}  // namespace atp
