// SPDX-License-Identifier: MIT
#include "attention/wide_start.hpp"

#include "base/philox.hpp"
#include "model/gauge.hpp"
#include "optim/vector.hpp"

#include <cmath>

namespace atp {

void random_parameters(const AttentionShape &shape, uint64_t seed, double scale, Span<double> parameters) {
  const int64_t maps = shape.map_parameters(), values = shape.value_parameters(), L = shape.sites;
  const RandomView map_random(seed, Stream::parameters, 0, 0), value_random(seed, Stream::parameters, 0, 1);
  for (int64_t k = 0; k < maps; ++k) {
    const bool diagonal = shape.diagonal_idle() && k / L % L == k % L;
    parameters[k] = diagonal ? 0 : scale * map_random.normal(static_cast<uint64_t>(k));
  }
  for (int64_t k = 0; k < values; ++k) parameters[maps + k] = scale * value_random.normal(static_cast<uint64_t>(k));
  fill(parameters.sub(maps + values, shape.field_parameters()), 0);
}

namespace {

// g = X X^T for the rows x_h of X.
void gram(Span<const double> x, int64_t rows, double *g) {
  const int64_t n = x.size() / rows;
  for (int64_t h = 0; h < rows; ++h)
    for (int64_t k = 0; k < rows; ++k) g[h * rows + k] = dot(x.sub(h * n, n), x.sub(k * n, n));
}

// y = G x
void multiply(const double *g, const double *x, int64_t n, double *y) {
  for (int64_t h = 0; h < n; ++h) y[h] = dot(Span<const double>(g + h * n, n), Span<const double>(x, n));
}

}  // namespace

// Left singular vectors are u = sum_h c_h A_h, and M M^T u = sum_h (G_V G_A c)_h A_h: power iteration on coefficients c, one singular value
// after the other, each orthogonal to those before it. Then sigma_k v_k = M^T u_k = sum_h (A_h . u_k) V_h.
void reduce_heads(int64_t wide, int64_t narrow, Span<const double> maps, Span<const double> values, Span<double> out_maps,
                  Span<double> out_values, Span<double> scratch) {
  constexpr int kIterations = 1000;
  constexpr double kRounding = 1e-13;
  const int64_t map_size = maps.size() / wide, value_size = values.size() / wide;
  double *map_gram = scratch.data(), *value_gram = map_gram + wide * wide,
         *found = value_gram + wide * wide;                  // found: the c of earlier terms
  double *next = found + wide * wide, *image = next + wide;  // image = G_A c
  gram(maps, wide, map_gram);
  gram(values, wide, value_gram);
  double trace = 0;
  for (int64_t h = 0; h < wide; ++h) trace += map_gram[h * wide + h];
  fill(out_maps, 0);
  fill(out_values, 0);
  for (int64_t term = 0; term < narrow && term < wide; ++term) {
    double *c = found + term * wide;
    for (int64_t h = 0; h < wide; ++h) c[h] = 1 + 0.1 * static_cast<double>((h + term) % wide);
    bool nothing = false;
    for (int iteration = 0; iteration <= kIterations && !nothing; ++iteration) {
      for (int64_t earlier = 0; earlier < term; ++earlier) {
        multiply(map_gram, c, wide, image);
        const double overlap = dot(Span<const double>(found + earlier * wide, wide), Span<const double>(image, wide));
        for (int64_t h = 0; h < wide; ++h) c[h] -= overlap * found[earlier * wide + h];
      }
      multiply(map_gram, c, wide, image);
      const double square = dot(Span<const double>(c, wide), Span<const double>(image, wide));
      // What is left of c after the earlier terms may be rounding: then the rank is used up.
      nothing = !(square > kRounding * trace * dot(Span<const double>(c, wide), Span<const double>(c, wide))) || !std::isfinite(1 / square);
      const double factor = nothing ? 0 : 1 / std::sqrt(square);
      for (int64_t h = 0; h < wide; ++h) {
        c[h] *= factor;
        image[h] *= factor;
      }
      if (iteration == kIterations || nothing) break;
      multiply(value_gram, image, wide, next);
      for (int64_t h = 0; h < wide; ++h) c[h] = next[h];
    }
    if (nothing) return;
    Span<double> u = out_maps.sub(term * map_size, map_size), v = out_values.sub(term * value_size, value_size);
    for (int64_t h = 0; h < wide; ++h) {
      add_scaled(c[h], maps.sub(h * map_size, map_size), u);
      add_scaled(image[h], values.sub(h * value_size, value_size), v);
    }
    // |u| = 1 and |v| = sigma: share it out.
    const double root = std::sqrt(norm(v));
    if (!(root > 0)) return;
    for (double &x : u) x *= root;
    for (double &x : v) x /= root;
  }
}

void reduce_parameters(Context &context, const AttentionShape &from, const AttentionShape &to, Span<const double> parameters,
                       Span<double> out) {
  const int64_t map_size = from.map_parameters(), value_size = from.value_parameters(), field_size = from.field_parameters();
  const int64_t scratch_size = reduce_scratch(from.heads);
  const Scratch memory(context.allocator,
                       Scratch::piece<double>(value_size) + Scratch::piece<double>(field_size) + Scratch::piece<double>(scratch_size));
  Arena arena = memory.arena();
  const Span<double> values = arena.take<double>(value_size), fields = arena.take<double>(field_size);
  const Span<const double> maps = parameters.sub(0, map_size);
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
