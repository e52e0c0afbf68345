// SPDX-License-Identifier: MIT
#include "potts/coupling_error.hpp"

#include "base/error.hpp"
#include "potts/gauge.hpp"
#include "potts/summation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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

constexpr double kRounding2 = 1e-28;  // rounding of a U that should be 0, relative to U, squared

// What a map is multiplied by in the gauge of a truth with the same colours, both of one head; U is centred in `u` and not 0.
double map_factor(const CouplingView &model, const double *u, double *v) {
  const int64_t size = model.colors * model.colors;
  std::copy_n(model.values, size, v);
  center_columns(v, model.colors);
  const double sign = inner(u, v, size) < 0 ? -1 : 1;
  return sign * model.beta * std::sqrt(inner(v, v, size) / inner(u, u, size));
}

// Centres U of one head in `u`; whether more than rounding is left.
bool centred_colors(const CouplingView &truth, double *u) {
  const int64_t size = truth.colors * truth.colors;
  std::copy_n(truth.values, size, u);
  const double nothing = kRounding2 * inner(u, u, size);
  center_columns(u, truth.colors);
  return inner(u, u, size) > nothing;
}

// Calls use(j) for all sites j, ascending, that have couplings to i in one of both.
template <class Use>
void for_coupled(const CouplingView &model, const CouplingView &truth, int64_t i, Use &&use) {
  if (model.near == nullptr || truth.near == nullptr) {
    for (int64_t j = 0; j < model.sites; ++j)
      if (j != i) use(j);
    return;
  }
  const Span<const int32_t> one = model.near(model.source, i), other = truth.near(truth.source, i);
  for (int64_t m = 0, n = 0; m < one.size() || n < other.size();) {
    const int32_t j = n == other.size() || (m < one.size() && one[m] < other[n]) ? one[m] : other[n];
    m += m < one.size() && one[m] == j ? 1 : 0;
    n += n < other.size() && other[n] == j ? 1 : 0;
    use(int64_t{j});
  }
}

// The general case: one block of differences at a time, brought to zero sum as a whole.
double dense_distance(const CouplingView &model, const CouplingView &truth, double u2, double *block) {
  const int64_t L = model.sites, q = model.colors;
  CompensatedSum sum;
  for (int64_t i = 0; i < L; ++i)
    for_coupled(model, truth, i, [&](int64_t j) {
      std::fill_n(block, q * q, 0.0);
      add_block(model, i, j, 1, block);
      add_block(truth, i, j, -1, block);
      center_columns(block, q);
      center_rows(block, q, nullptr);
      sum.add(inner(block, block, q * q));
    });
  return sum.value() / (static_cast<double>(L * L) * u2);
}

bool comparable(const CouplingView &model, const CouplingView &truth) {
  return model.order.size() == truth.order.size() && std::equal(model.order.begin(), model.order.end(), truth.order.begin());
}

const char *kind_of(const CouplingView &view) { return view.order.empty() ? "a Potts model" : "autoregressive"; }

}  // namespace

CouplingView couplings_of(const Model &model) {
  CouplingView view;
  view.sites = model.sites();
  view.colors = model.colors();
  view.heads = model.shape.heads;
  view.beta = model.beta;
  view.maps = model.maps.data();
  view.values = model.values.data();
  view.order = model.order;
  if (model.shape.pairs == 0) {
    view.couplings = model.couplings.data();
    return view;
  }
  view.source = &model;
  view.near = [](const void *of, int64_t i) { return static_cast<const Model *>(of)->neighbors(i); };
  view.add = [](const void *of, int64_t i, int64_t j, double factor, double *block) {
    const Model &listed = *static_cast<const Model *>(of);
    const double *from = listed.block(i, j);
    for (int64_t k = 0; k < listed.colors() * listed.colors(); ++k) block[k] += factor * from[k];
  };
  return view;
}

void require_comparable(const CouplingView &model, const CouplingView &truth) {
  if (!comparable(model, truth))
    fail(ATP_E_CONFLICT,
         "model is %s and truth %s: the couplings of Potts models and of autoregressive ones in other orders mean other things",
         kind_of(model), kind_of(truth));
}

double coupling_unit(const CouplingView &truth, Span<double> scratch, bool *by_map) {
  const int64_t q = truth.colors, size = q * q;
  double *u = scratch.sub(size, size).data();
  *by_map = truth.heads == 1 && centred_colors(truth, u);
  if (truth.heads != 1) return static_cast<double>(q);
  std::copy_n(u, size, scratch.data());
  center_rows(scratch.data(), q, nullptr);
  const double norm2 = inner(scratch.data(), scratch.data(), size);
  return norm2 > kRounding2 * inner(truth.values, truth.values, size) ? norm2 : static_cast<double>(q);
}

double coupling_error(const CouplingView &model, const CouplingView &truth, Span<double> scratch) {
  if (!comparable(model, truth)) return std::nan("");
  const int64_t size = model.colors * model.colors;
  bool by_map = false;
  const double u2 = coupling_unit(truth, scratch, &by_map);
  double *block = scratch.sub(0, size).data(), *u = scratch.sub(size, size).data();  // U less its means over a
  if (by_map && model.heads == 1) return map_distance(truth.maps, truth.beta, model.maps, map_factor(model, u, block), model.sites);
  return dense_distance(model, truth, u2, block);
}

void map_like(const CouplingView &model, const CouplingView &truth, Span<double> scratch, double *map) {
  const int64_t size = model.colors * model.colors;
  double *u = scratch.sub(size, size).data();
  for (const auto &[view, name] : {std::pair(&model, "model"), std::pair(&truth, "truth")})
    if (view->heads != 1) fail(ATP_E_CONFLICT, "%s has %lld heads, must have 1", name, static_cast<long long>(view->heads));
  if (!centred_colors(truth, u)) fail(ATP_E_CONFLICT, "the matrix of colours of truth is 0 less its means, must differ from it");
  const double factor = map_factor(model, u, scratch.data());
  for (int64_t k = 0; k < model.sites * model.sites; ++k) map[k] = factor * model.maps[k];
}

}  // namespace atp
