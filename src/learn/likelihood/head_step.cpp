// SPDX-License-Identifier: MIT
#include "learn/likelihood/head_step.hpp"

#include "learn/likelihood/centered.hpp"
#include "learn/likelihood/scaled_step.hpp"
#include "math/optim/vector.hpp"
#include "math/small_linear.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

constexpr double kDamping = 0.01;  // of the mean of the diagonal of a matrix

}  // namespace

void HeadStep::lay_out(Arena &arena) {
  const int64_t H = shape_.heads, block = shape_.colors * shape_.colors;
  for (Kind &kind : kinds_) {
    for (Span<double> *of_values : {&kind.values, &kind.steps}) *of_values = arena.take<double>(H, block);
    for (Span<double> *of_heads : {&kind.matrix, &kind.cross}) *of_heads = arena.take<double>(H, H);
  }
  fields_ = arena.take<double>(shape_.sites, shape_.colors);
}

// Maps, above the diagonal x_ij + x_ji and below it x_ij - x_ji, times a factor. Twice with the factors 1 and 1/2 changes nothing.
void HeadStep::split(double factor, double *maps, Threads threads) const {
  const int64_t L = shape_.sites;
  parallel_for(threads, shape_.heads, [&](int64_t h, int) {
    double *a = maps + h * L * L;
    for (int64_t i = 0; i < L; ++i)
      for (int64_t j = i + 1; j < L; ++j) {
        const double up = a[i * L + j], low = a[j * L + i];
        a[i * L + j] = factor * (up + low);
        a[j * L + i] = factor * (up - low);
      }
  });
}

void HeadStep::split_values(const double *values) {
  const int64_t q = shape_.colors;
  for (int64_t h = 0; h < shape_.heads; ++h)
    for (int64_t a = 0; a < q; ++a)
      for (int64_t b = 0; b < q; ++b) {
        const int64_t at = (h * q + a) * q + b;
        const double v = values[at], w = values[(h * q + b) * q + a];
        kinds_[0].values[at] = 0.5 * (v + w);
        kinds_[1].values[at] = 0.5 * (v - w);
      }
}

// The Cholesky factor of a matrix with damping, in its place. Returns false where the matrix is 0.
bool HeadStep::factor(Span<double> matrix) const {
  const int64_t H = shape_.heads;
  double trace = 0;
  for (int64_t h = 0; h < H; ++h) trace += matrix[h * H + h];
  return trace > 0 && factor_small(H, matrix.data(), kDamping * trace / static_cast<double>(H), matrix.data());
}

// From the gradient of maps to their steps. A row has S of later sites and T of earlier ones.
void HeadStep::solve_maps(double size, double *gradient, Threads threads) {
  const int64_t H = shape_.heads, L = shape_.sites, block = shape_.colors * shape_.colors;
  bool moves[2];
  for (int k = 0; k < 2; ++k) {
    const Kind &kind = kinds_[k];
    for (int64_t h = 0; h < H; ++h)
      for (int64_t g = 0; g <= h; ++g) kind.matrix[h * H + g] = dot(kind.values.sub(h * block, block), kind.values.sub(g * block, block));
    moves[k] = factor(kind.matrix);
  }
  parallel_for(threads, L, [&](int64_t i, int) {
    for (int k = 0; k < 2; ++k) {
      const int64_t first = k == 0 ? i + 1 : 0, n = k == 0 ? L - first : i;
      double *rows = gradient + i * L + first;
      if (moves[k]) solve_factor(H, kinds_[k].matrix.data(), n, L * L, rows);
      for (int64_t h = 0; h < H; ++h)
        for (int64_t j = 0; j < n; ++j) rows[h * L * L + j] = moves[k] ? -4 * size * rows[h * L * L + j] : 0;
    }
    for (int64_t h = 0; h < H; ++h) gradient[(h * L + i) * L + i] = 0;
  });
}

// sums_hk = sum_ij a_h,ij b_k,ij over the pairs above, or below, the diagonal.
void HeadStep::sum_products(int kind, const double *a, const double *b, Span<double> sums, Threads threads) const {
  const int64_t H = shape_.heads, L = shape_.sites;
  parallel_for(threads, H, [&](int64_t h, int) {
    double *to = sums.data() + h * H;
    std::fill_n(to, H, 0.0);
    for (int64_t i = 0; i < L; ++i) {
      const int64_t first = kind == 0 ? i + 1 : 0, n = kind == 0 ? L - first : i, at = i * L + first;
      for (int64_t k = 0; k < H; ++k) to[k] += dot(Span<const double>(a + h * L * L + at, n), Span<const double>(b + k * L * L + at, n));
    }
  });
}

void HeadStep::solve_values(double size, const double *maps, const double *moved, const double *gradient, Threads threads) {
  const int64_t H = shape_.heads, q = shape_.colors, block = q * q;
  for (int k = 0; k < 2; ++k) {
    const Kind &kind = kinds_[k];
    const double sign = k == 0 ? 1 : -1;
    sum_products(k, maps, maps, kind.matrix, threads);
    sum_products(k, maps, moved, kind.cross, threads);
    parallel_for(threads, H, [&](int64_t h, int) {
      const double *g = gradient + h * block;
      const Span<double> to = kind.steps.sub(h * block, block);
      for (int64_t a = 0; a < q; ++a)
        for (int64_t b = 0; b < q; ++b) to[a * q + b] = g[a * q + b] + sign * g[b * q + a];
      for (int64_t other = 0; other < H; ++other)
        add_scaled(0.5 / size * kind.cross[h * H + other], kind.values.sub(other * block, block), to);
    });
    if (factor(kind.matrix))
      solve_factor(H, kind.matrix.data(), block, block, kind.steps.data());
    else
      fill(kind.steps, 0);
  }
}

void HeadStep::move(double size, Span<double> x, Span<double> gradient, Threads threads) {
  const int64_t n = shape_.map_size();
  double *values = x.data() + n;
  split_values(shape_.learned ? values : couplings_.heads().values);
  split(1, x.data(), threads);
  split(0.5, gradient.data(), threads);
  solve_maps(size, gradient.data(), threads);
  if (shape_.learned) {
    solve_values(size, x.data(), gradient.data(), gradient.data() + n, threads);
    for (int64_t k = 0; k < shape_.value_size(); ++k) values[k] -= 2 * size * (kinds_[0].steps[k] + kinds_[1].steps[k]);
  }
  add_scaled(1, gradient.sub(0, n), x.sub(0, n));
  split(0.5, x.data(), threads);
}

void HeadStep::step(const Statistics &statistics, double rate, atp_fixed fixed, Span<double> x, const HeadSpace &space, Threads threads) {
  const DenseShape pairs = couplings_.pairs();
  const Span<double> fields = x.sub(shape_.first_field(), fields_.size());
  couplings_.add_field_penalty(x, space.slope);
  add_means(pairs, statistics, 1, space.point, threads);
  copy(space.point.sub(0, fields_.size()), fields_);
  for (int64_t k = 0; k < fields_.size(); ++k) {
    const double f = statistics.family(0)[k];
    fields_[k] -= 0.5 * rate * space.slope[k] / (f * (1 - f) + ScaledStep::kEpsilon);
  }
  if (fixed != ATP_FIXED_COUPLINGS) {
    center_slope(pairs, statistics, space.slope, threads);
    couplings_.pull_back(x, space.slope, space.gradient);
    move(rate / (ScaledStep::kEpsilon + statistics.spread()), x, space.gradient, threads);
    couplings_.expand(x, space.point);
  }
  copy(fields_, space.point.sub(0, fields_.size()));
  add_means(pairs, statistics, -1, space.point, threads);
  copy(space.point.sub(0, fields_.size()), fields);
}

void HeadStep::stretch(const Statistics &statistics, double factor, Span<double> x, Span<double> point, Threads threads) const {
  couplings_.expand(x, point);
  add_means(couplings_.pairs(), statistics, 1 - factor, point, threads);
  for (double &a : x.sub(0, shape_.map_size())) a *= factor;
  copy(point.sub(0, fields_.size()), x.sub(shape_.first_field(), fields_.size()));
}

}  // namespace atp
