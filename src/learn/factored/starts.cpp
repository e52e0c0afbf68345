// SPDX-License-Identifier: MIT
#include "learn/factored/starts.hpp"

#include "base/philox.hpp"
#include "potts/gauge.hpp"
#include "math/small_linear.hpp"
#include "math/optim/vector.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

constexpr double kCountScale = 0.01;  // of log N, the pseudocount of the fields

double xavier_range(int64_t columns, int64_t rows, int64_t heads) {
  return std::sqrt(6 / (static_cast<double>(columns) * static_cast<double>(rows + heads)));
}

void fields_of_counts(const AttentionShape &shape, const Alignment &train, Span<double> fields) {
  const int64_t states = shape.states(), gap = shape.colors - states;
  const double pseudocount = kCountScale * std::log(static_cast<double>(std::max<int64_t>(train.count(), 2)));
  fill(fields, pseudocount);
  for (int64_t n = 0; n < train.count(); ++n) {
    const uint8_t *s = train.sequence(n);
    for (int64_t i = 0; i < shape.sites; ++i)
      if (s[i] >= gap) fields[i * states + s[i] - gap] += train.weights[n];
  }
  for (int64_t i = 0; i < shape.sites; ++i) {
    const Span<double> b = fields.sub(i * states, states);
    double mean = 0;
    for (double &x : b) {
      x = std::log(x);
      mean += x / static_cast<double>(states);
    }
    for (double &x : b) x -= mean;
  }
}

// Maps (0 where they are idle) and V, from draw(random, k) of two streams; 0 for fields.
template <class MapDraw, class ValueDraw>
void draw_parameters(const AttentionShape &shape, uint64_t seed, Span<double> parameters, MapDraw &&map, ValueDraw &&value) {
  const int64_t maps = shape.map_parameters(), values = shape.value_parameters(), L = shape.sites;
  const RandomView map_random(seed, Stream::parameters, 0, 0), value_random(seed, Stream::parameters, 0, 1);
  for (int64_t k = 0; k < maps; ++k) {
    parameters[k] = shape.idle(k / L % L, k % L) ? 0 : map(map_random, static_cast<uint64_t>(k));
  }
  for (int64_t k = 0; k < values; ++k) parameters[maps + k] = value(value_random, static_cast<uint64_t>(k));
  fill(parameters.sub(maps + values, shape.field_parameters()), 0);
}

// g = X X^T for the rows x_h of X.
void gram(Span<const double> x, int64_t rows, double *g) {
  const int64_t n = x.size() / rows;
  for (int64_t h = 0; h < rows; ++h)
    for (int64_t k = 0; k < rows; ++k) g[h * rows + k] = dot(x.sub(h * n, n), x.sub(k * n, n));
}

// c = a b for a [rows][n] and b [n][columns]
void multiply(int64_t rows, int64_t n, int64_t columns, const double *a, const double *b, double *c) {
  for (int64_t i = 0; i < rows; ++i) {
    std::fill_n(c + i * columns, columns, 0.0);
    for (int64_t k = 0; k < n; ++k)
      for (int64_t j = 0; j < columns; ++j) c[i * columns + j] += a[i * n + k] * b[k * columns + j];
  }
}

// f [rank][n] = D^(1/2) P for the eigenvalues d and the eigenvectors, rows of P, of a Gram matrix: g = f^T f. What is smaller than the
// largest eigenvalue by the rounding of g counts as 0.
int64_t gram_root(int64_t n, const double *d, double *p) {
  constexpr double kRounding = 1e-13;
  int64_t rank = 0;
  while (rank < n && d[rank] > kRounding * d[0] && std::isfinite(1 / d[rank])) ++rank;
  for (int64_t k = 0; k < rank; ++k)
    for (int64_t h = 0; h < n; ++h) p[k * n + h] *= std::sqrt(d[k]);
  return rank;
}

}  // namespace

void random_parameters(const AttentionShape &shape, uint64_t seed, double scale, Span<double> parameters) {
  const auto normal = [=](const RandomView &random, uint64_t k) { return scale * random.normal(k); };
  draw_parameters(shape, seed, parameters, normal, normal);
}

void xavier_parameters(const AttentionShape &shape, uint64_t seed, const Alignment &train, Span<double> parameters) {
  const auto uniform = [&](int64_t columns, int64_t rows) {
    const double range = xavier_range(columns, rows, shape.heads);
    return [range](const RandomView &random, uint64_t k) { return range * (2 * random.uniform(k) - 1); };
  };
  draw_parameters(shape, seed, parameters, uniform(shape.map == ATP_MAP_LOWRANK ? shape.rank : shape.sites, shape.sites),
                  uniform(shape.states(), shape.states()));
  if (shape.fields)
    fields_of_counts(shape, train, parameters.sub(shape.map_parameters() + shape.value_parameters(), shape.field_parameters()));
}

// M = sum_h A_h V_h^T = A^T V. With G_A = F^T F and F F^T = D, the rows of D^-1 F A are orthonormal, and M = (D^-1 F A)^T (F V). So left
// singular vectors are u = sum_h c_h A_h with c = F^T D^-1 z for the eigenvectors z of (F V) (F V)^T = F G_V F^T, and
// sigma v = M^T u = sum_h (F^T z)_h V_h.
void reduce_heads(int64_t wide, int64_t narrow, Span<const double> maps, Span<const double> values, Span<double> out_maps,
                  Span<double> out_values, Span<double> scratch) {
  const int64_t map_size = maps.size() / wide, value_size = values.size() / wide, square = wide * wide;
  double *one = scratch.data(), *root = one + square, *two = root + square, *vectors = two + square;
  double *d = vectors + square, *squares = d + wide, *c = squares + wide, *image = c + wide;
  gram(maps, wide, one);
  jacobi_svd(wide, wide, one, d, root);
  const int64_t rank = gram_root(wide, d, root);
  gram(values, wide, one);
  multiply(rank, wide, wide, root, one, two);
  for (int64_t i = 0; i < rank; ++i)
    for (int64_t k = 0; k < rank; ++k) one[i * rank + k] = dot(Span<const double>(two + i * wide, wide), {root + k * wide, wide});
  jacobi_svd(rank, rank, one, squares, vectors);
  fill(out_maps, 0);
  fill(out_values, 0);
  for (int64_t term = 0; term < std::min(narrow, rank); ++term) {
    double *z = vectors + term * rank, sign = 0;
    multiply(1, rank, wide, z, root, image);
    for (int64_t k = 0; k < rank; ++k) z[k] /= d[k];
    multiply(1, rank, wide, z, root, c);
    // The common sign of u and v: sum_h w_h A_h . u is positive for these weights w.
    for (int64_t h = 0; h < wide; ++h) sign += image[h] * (1 + 0.1 * static_cast<double>((h + term) % wide));
    Span<double> u = out_maps.sub(term * map_size, map_size), v = out_values.sub(term * value_size, value_size);
    for (int64_t h = 0; h < wide; ++h) {
      add_scaled(sign < 0 ? -c[h] : c[h], maps.sub(h * map_size, map_size), u);
      add_scaled(sign < 0 ? -image[h] : image[h], values.sub(h * value_size, value_size), v);
    }
    // |u| = 1 and |v| = sigma: share it out.
    const double share = std::sqrt(norm(v));
    if (!(share > 0)) return;
    for (double &x : u) x *= share;
    for (double &x : v) x /= share;
  }
}

void reduce_parameters(Context &context, const AttentionShape &from, const AttentionShape &to, Span<const double> parameters,
                       Span<double> out) {
  const int64_t map_size = from.map_parameters(), value_size = from.value_parameters(), field_size = from.field_parameters();
  const int64_t scratch_size = reduce_scratch(from.heads);
  const Scratch memory(context.allocator, Scratch::piece<double>(value_size) + Scratch::piece<double>(field_size) +
                                              Scratch::piece<double>(map_size) + Scratch::piece<double>(scratch_size));
  Arena arena = memory.arena();
  const Span<double> values = arena.take<double>(value_size), fields = arena.take<double>(field_size), maps = arena.take<double>(map_size);
  for (int64_t k = 0; k < map_size; ++k) maps[k] = from.idle(k / from.sites % from.sites, k % from.sites) ? 0 : parameters[k];
  copy(parameters.sub(map_size, value_size), values);
  copy(parameters.sub(map_size + value_size, field_size), fields);
  const int64_t L = from.sites, q = from.states();
  for (int64_t h = 0; h < from.heads; ++h) {
    // What V adds to all logits of a site alike is no part of the couplings, and what does not depend on the colour that is seen is a
    // field.
    double *v = values.data() + h * q * q;
    center_columns(v, q);
    if (fields.empty()) continue;
    double means[kMaxColors] = {};
    center_rows(v, q, means);
    for (int64_t i = 0; i < L; ++i) {
      double sum = 0;
      for (int64_t j = 0; j < L; ++j)
        if (j != i) sum += maps[(h * L + i) * L + j];
      for (int64_t a = 0; a < q; ++a) fields[i * q + a] += sum * means[a];
    }
  }
  const int64_t narrow_maps = to.map_parameters(), narrow_values = to.value_parameters();
  reduce_heads(from.heads, to.heads, maps, values, out.sub(0, narrow_maps), out.sub(narrow_maps, narrow_values),
               arena.take<double>(scratch_size));
  copy(fields, out.sub(narrow_maps + narrow_values, to.field_parameters()));
}

}  // namespace atp
