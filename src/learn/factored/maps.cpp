// SPDX-License-Identifier: MIT
#include "learn/factored/maps.hpp"

#include "base/team.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

constexpr int64_t kRows = 16;  // rows of a map per task

// x -> softmax over j != i, or over all j; x_ii -> 0. Gives what the softmax had at i.
double softmax_row(double *x, int64_t sites, int64_t i, bool with_diagonal) {
  double top = -HUGE_VAL, total = 0;
  for (int64_t j = 0; j < sites; ++j)
    if (j != i || with_diagonal) top = std::max(top, x[j]);
  for (int64_t j = 0; j < sites; ++j) {
    x[j] = j == i && !with_diagonal ? 0 : std::exp(x[j] - top);
    total += x[j];
  }
  for (int64_t j = 0; j < sites; ++j) x[j] /= total;
  const double own = x[i];
  x[i] = 0;
  return own;
}

// Run function(row) for all rows of all heads.
template <class Function>
void for_rows(Threads threads, int64_t rows, Function &&function) {
  parallel_for(threads, (rows + kRows - 1) / kRows, [&](int64_t task, int) {
    for (int64_t row = task * kRows; row < std::min(rows, (task + 1) * kRows); ++row) function(row);
  });
}

}  // namespace

void AttentionMaps::lay_out(Arena &arena) {
  diagonal_ = arena.take<double>(shape_.diagonal_in_softmax() ? product_of(shape_.heads, shape_.sites) : 0);
  transposed_ = arena.take<double>(shape_.map == ATP_MAP_LOWRANK ? product_of(shape_.sites, shape_.rank) : 0);
}

double AttentionMaps::score_scale() const { return shape_.scores_scaled ? 1 / std::sqrt(static_cast<double>(shape_.rank)) : 1; }

void AttentionMaps::make(Threads threads, const double *parameters, double *maps) {
  const int64_t sites = shape_.sites, rank = shape_.rank;
  const bool with_diagonal = shape_.diagonal_in_softmax();
  const auto softmax = [&](int64_t row) {
    const double own = softmax_row(maps + row * sites, sites, row % sites, with_diagonal);
    if (with_diagonal) diagonal_[row] = own;
  };
  if (shape_.map != ATP_MAP_LOWRANK) {
    for_rows(threads, shape_.heads * sites, [&](int64_t row) {
      double *a = maps + row * sites;
      std::copy_n(parameters + row * sites, sites, a);
      if (shape_.map == ATP_MAP_SOFTMAX)
        softmax(row);
      else
        a[row % sites] = 0;
    });
    return;
  }
  // Scores with j innermost: plain loops give the same bits on every machine, and no library allocates behind us.
  const double scale = score_scale();
  for (int64_t h = 0; h < shape_.heads; ++h) {
    const double *q = parameters + h * sites * rank, *k = parameters + (shape_.heads + h) * sites * rank;
    for (int64_t j = 0; j < sites; ++j)
      for (int64_t r = 0; r < rank; ++r) transposed_[r * sites + j] = k[j * rank + r];
    for_rows(threads, sites, [&](int64_t i) {
      double *a = maps + (h * sites + i) * sites;
      std::fill_n(a, sites, 0.0);
      for (int64_t r = 0; r < rank; ++r) {
        const double x = q[i * rank + r] * scale, *column = transposed_.data() + r * sites;
        for (int64_t j = 0; j < sites; ++j) a[j] += x * column[j];
      }
      softmax(h * sites + i);
    });
  }
}

void AttentionMaps::pull_back(Threads threads, const double *parameters, const double *maps, double *sums, double *gradient) const {
  const int64_t sites = shape_.sites, rank = shape_.rank, size = shape_.heads * sites * sites;
  if (shape_.map == ATP_MAP_FREE) {
    std::copy_n(sums, size, gradient);
    return;
  }
  for_rows(threads, shape_.heads * sites, [&](int64_t row) {
    const double *a = maps + row * sites;
    double *x = sums + row * sites, mean = 0;
    for (int64_t j = 0; j < sites; ++j) mean += a[j] * x[j];
    for (int64_t j = 0; j < sites; ++j) x[j] = a[j] * (x[j] - mean);  // A_ii = 0
    // Nothing depends on A_ii, but the score of the diagonal is in the denominator of the others.
    if (shape_.diagonal_in_softmax()) x[row % sites] = -diagonal_[row] * mean;
  });
  if (shape_.map == ATP_MAP_SOFTMAX) {
    std::copy_n(sums, size, gradient);
    return;
  }
  const double scale = score_scale();
  for_rows(threads, shape_.heads * sites, [&](int64_t row) {
    const int64_t h = row / sites, place = row % sites;
    const double *q = parameters + h * sites * rank, *k = parameters + (shape_.heads + h) * sites * rank;
    const double *x = sums + h * sites * sites;
    double *dq = gradient + row * rank, *dk = gradient + (shape_.heads * sites + row) * rank;
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

}  // namespace atp
