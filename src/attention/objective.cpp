// SPDX-License-Identifier: MIT
#include "attention/objective.hpp"

#include "base/team.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

constexpr int64_t kRows = 16;  // rows of a map per task

// x -> softmax over j != i; x_ii -> 0.
void softmax_row(double *x, int64_t sites, int64_t i) {
  double top = -HUGE_VAL, total = 0;
  for (int64_t j = 0; j < sites; ++j)
    if (j != i) top = std::max(top, x[j]);
  for (int64_t j = 0; j < sites; ++j) {
    x[j] = j == i ? 0 : std::exp(x[j] - top);
    total += x[j];
  }
  for (int64_t j = 0; j < sites; ++j) x[j] /= total;
}

// Run function(i) for all rows of all heads; rows are independent.
template <class Function>
void for_rows(int threads, int64_t rows, Function &&function) {
  parallel_for(threads, (rows + kRows - 1) / kRows, [&](int64_t task, int) {
    for (int64_t row = task * kRows; row < std::min(rows, (task + 1) * kRows); ++row) function(row);
  });
}

}  // namespace

void Objective::lay_out(Arena &arena) {
  const int64_t map_size = shape.heads * shape.sites * shape.sites, value_size = shape.heads * shape.colors * shape.colors;
  fixed_values = arena.take<double>(shape.colors_fixed ? value_size : 0);
  maps_ = arena.take<double>(map_size);
  map_sums_ = arena.take<double>(map_size);
  transposed_ = arena.take<double>(shape.map == ATP_MAP_LOWRANK ? shape.sites * shape.rank : 0);
  if (precision == 64)
    pass64_.lay_out(arena, shape.sites, shape.colors, shape.heads);
  else
    pass32_.lay_out(arena, shape.sites, shape.colors, shape.heads);
}

void Objective::set_fixed_values(Span<const double> v) {
  assert(shape.colors_fixed && v.size() == fixed_values.size());
  std::copy(v.begin(), v.end(), fixed_values.begin());
}

template <class T>
Objective::Parts<T> Objective::split(Span<T> parameters) const {
  T *values = parameters.data() + shape.map_parameters(), *fields = values + shape.value_parameters();
  return {parameters.data(), shape.colors_fixed ? nullptr : values, shape.fields ? fields : nullptr};
}

void Objective::make_maps(const double *parameters, double *maps) {
  const int64_t sites = shape.sites, rank = shape.rank;
  if (shape.map != ATP_MAP_LOWRANK) {
    for_rows(context->threads, shape.heads * sites, [&](int64_t row) {
      double *a = maps + row * sites;
      std::copy_n(parameters + row * sites, sites, a);
      if (shape.map == ATP_MAP_SOFTMAX)
        softmax_row(a, sites, row % sites);
      else
        a[row % sites] = 0;
    });
    return;
  }
  // Scores Q_i . K_j / sqrt(d), with j innermost: plain loops give the same bits on every machine, and no library allocates behind us.
  const double scale = 1 / std::sqrt(static_cast<double>(rank));
  for (int64_t h = 0; h < shape.heads; ++h) {
    const double *q = parameters + h * sites * rank, *k = parameters + (shape.heads + h) * sites * rank;
    for (int64_t j = 0; j < sites; ++j)
      for (int64_t r = 0; r < rank; ++r) transposed_[r * sites + j] = k[j * rank + r];
    for_rows(context->threads, sites, [&](int64_t i) {
      double *a = maps + (h * sites + i) * sites;
      std::fill_n(a, sites, 0.0);
      for (int64_t r = 0; r < rank; ++r) {
        const double x = q[i * rank + r] * scale, *column = transposed_.data() + r * sites;
        for (int64_t j = 0; j < sites; ++j) a[j] += x * column[j];
      }
      softmax_row(a, sites, i);
    });
  }
}

// map_sums_ holds dA; the gradient of the map parameters goes to `gradient`.
void Objective::pull_back(const double *parameters, double *gradient) {
  const int64_t sites = shape.sites, rank = shape.rank;
  if (shape.map == ATP_MAP_FREE) {
    std::copy(map_sums_.begin(), map_sums_.end(), gradient);
    return;
  }
  for_rows(context->threads, shape.heads * sites, [&](int64_t row) {
    const double *a = maps_.data() + row * sites;
    double *x = map_sums_.data() + row * sites, mean = 0;
    for (int64_t j = 0; j < sites; ++j) mean += a[j] * x[j];
    for (int64_t j = 0; j < sites; ++j) x[j] = a[j] * (x[j] - mean);  // A_ii = 0
  });
  if (shape.map == ATP_MAP_SOFTMAX) {
    std::copy(map_sums_.begin(), map_sums_.end(), gradient);
    return;
  }
  const double scale = 1 / std::sqrt(static_cast<double>(rank));
  for_rows(context->threads, shape.heads * sites, [&](int64_t row) {
    const int64_t h = row / sites, place = row % sites;
    const double *q = parameters + h * sites * rank, *k = parameters + (shape.heads + h) * sites * rank;
    const double *x = map_sums_.data() + h * sites * sites;
    double *dq = gradient + row * rank, *dk = gradient + (shape.heads * sites + row) * rank;
    std::fill_n(dq, rank, 0.0);
    std::fill_n(dk, rank, 0.0);
    for (int64_t other = 0; other < sites; ++other) {
      const double as_query = scale * x[place * sites + other], as_key = scale * x[other * sites + place];
      for (int64_t r = 0; r < rank; ++r) {
        dq[r] += as_query * k[other * rank + r];
        dk[r] += as_key * q[other * rank + r];
      }
    }
  });
}

double Objective::add_penalties(Span<const double> parameters, Span<double> gradient) const {
  double penalty = 0;
  const auto add = [&](double strength, int64_t begin, int64_t end, bool maps_with_diagonal) {
    if (strength == 0) return;
    double sum = 0;
    for (int64_t k = begin; k < end; ++k) {
      if (maps_with_diagonal && k / shape.sites % shape.sites == k % shape.sites) continue;
      sum += parameters[k] * parameters[k];
      if (!gradient.empty()) gradient[k] += 2 * strength * parameters[k];
    }
    penalty += strength * sum;
  };
  const int64_t values = shape.map_parameters(), fields = values + shape.value_parameters();
  add(penalties.couplings, 0, values, shape.map != ATP_MAP_LOWRANK);
  add(penalties.colors, values, fields, false);
  add(penalties.fields, fields, shape.parameters(), false);
  return penalty;
}

double Objective::evaluate(Span<const double> parameters, const MaskedData &data, Span<double> gradient, double *penalty) {
  assert(parameters.size() == shape.parameters());
  assert(gradient.empty() || gradient.size() == shape.parameters());
  const Parts<const double> from = split(parameters);
  make_maps(from.maps, maps_.data());

  AttentionInput input;
  input.sites = shape.sites;
  input.colors = shape.colors;
  input.heads = shape.heads;
  input.maps = maps_.data();
  input.values = shape.colors_fixed ? fixed_values.data() : from.values;
  input.fields = from.fields;
  AttentionSums sums;
  if (!gradient.empty()) {
    const Parts<double> to = split(gradient);
    sums.maps = map_sums_.data();
    sums.values = to.values;
    sums.fields = to.fields;
  }
  // A batch whose weights are all zero predicts nothing: its loss is 0 and only the penalties pull.
  const double total = data.total_weight();
  double loss = 0;
  if (!(total > 0))
    std::fill(gradient.begin(), gradient.end(), 0.0);
  else if (precision == 64)
    loss = pass64_.run(context->threads, input, data, total, sums);
  else
    loss = pass32_.run(context->threads, attention_kernels(target_), input, data, total, sums);
  if (!gradient.empty() && total > 0) pull_back(from.maps, gradient.data());
  const double extra = add_penalties(parameters, gradient);
  if (penalty != nullptr) *penalty = extra;
  return loss;
}

void Objective::expand(Span<const double> parameters, Span<double> maps, Span<double> values, Span<double> fields) {
  assert(parameters.size() == shape.parameters());
  const Parts<const double> from = split(parameters);
  if (!maps.empty()) make_maps(from.maps, maps.data());
  if (!values.empty()) std::copy_n(shape.colors_fixed ? fixed_values.data() : from.values, values.size(), values.data());
  if (!fields.empty() && from.fields != nullptr) std::copy_n(from.fields, fields.size(), fields.data());
}

}  // namespace atp
