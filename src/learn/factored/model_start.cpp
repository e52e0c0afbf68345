// SPDX-License-Identifier: MIT
// The closest factored attention to a Potts model: the truncated singular value decomposition of its couplings, as a matrix M between
// ordered pairs of sites and pairs of colours. M is never stored: an iteration makes V -> M^T M V from one block of couplings after the
// other and orthonormalises the result. [G. H. Golub, C. F. Van Loan, Matrix Computations (2013), section 8.2.4]
#include "learn/factored/starts.hpp"

#include "base/philox.hpp"
#include "math/optim/vector.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

constexpr int kMostIterations = 100;
constexpr double kSettled = 1e-7;   // of the squared length of the projection
constexpr double kIdleScale = 0.1;  // of V of a head for which the model has no couplings

struct Blocks {
  const Model &model;
  bool centred;  // less what fields can say

  // Couplings of i and j, beta C_ij(a, b), symmetrised, [q][q]; what fields of i have of them is added to `fields`, [q].
  void read(int64_t i, int64_t j, double *block, double *fields) const {
    const int64_t q = model.colors();
    for (int64_t a = 0; a < q; ++a)
      for (int64_t b = 0; b < q; ++b) block[a * q + b] = model.beta * 0.5 * (model.coupling(i, j, a, b) + model.coupling(j, i, b, a));
    if (!centred) return;
    double rows[kMaxColors], columns[kMaxColors] = {}, all = 0;
    const double one = 1 / static_cast<double>(q);
    for (int64_t a = 0; a < q; ++a) {
      rows[a] = 0;
      for (int64_t b = 0; b < q; ++b) rows[a] += one * block[a * q + b], columns[b] += one * block[a * q + b];
      all += one * rows[a];
    }
    for (int64_t a = 0; a < q; ++a) {
      if (fields != nullptr) fields[a] += rows[a] - all;
      for (int64_t b = 0; b < q; ++b) block[a * q + b] -= rows[a] + columns[b] - all;
    }
  }
};

// A = M V and W = M^T A of the heads.
void apply(const Blocks &blocks, int64_t heads, Span<const double> values, Span<double> maps, Span<double> images, double *block) {
  const int64_t L = blocks.model.sites(), q = blocks.model.colors(), size = q * q;
  fill(images, 0);
  fill(maps, 0);
  for (int64_t i = 0; i < L; ++i)
    for (int64_t j = 0; j < L; ++j) {
      if (i == j) continue;
      blocks.read(i, j, block, nullptr);
      for (int64_t h = 0; h < heads; ++h) {
        const double *v = values.data() + h * size;
        double *w = images.data() + h * size, sum = 0;
        for (int64_t k = 0; k < size; ++k) sum += block[k] * v[k];
        for (int64_t k = 0; k < size; ++k) w[k] += sum * block[k];
        maps[(h * L + i) * L + j] = sum;
      }
    }
}

// By Gram and Schmidt, twice; a vector that depends on those before it is a random one.
void orthonormalize(int64_t count, Span<double> vectors) {
  const int64_t n = vectors.size() / count;
  const RandomView random(1, Stream::parameters, 0, 2);
  for (int64_t h = 0; h < count; ++h) {
    const Span<double> v = vectors.sub(h * n, n);
    const double before = norm(v);
    const auto clear = [&] {
      for (int pass = 0; pass < 2; ++pass)
        for (int64_t k = 0; k < h; ++k) {
          const Span<const double> other = vectors.sub(k * n, n);
          const double part = dot(v, other);
          for (int64_t m = 0; m < n; ++m) v[m] -= part * other[m];
        }
    };
    clear();
    if (!(norm(v) > 1e-12 * before)) {
      for (int64_t m = 0; m < n; ++m) v[m] = random.normal(static_cast<uint64_t>(h * n + m));
      clear();
    }
    const double length = norm(v);
    for (double &x : v) x /= length;
  }
}

// Gives A and V of a head the same length. Heads for which nothing is left keep a V, so that they can learn.
void balance(int64_t heads, Span<double> maps, Span<double> values) {
  const int64_t map_size = maps.size() / heads, value_size = values.size() / heads;
  const double rounding = 1e-10 * norm(maps);
  for (int64_t h = 0; h < heads; ++h) {
    const Span<double> map = maps.sub(h * map_size, map_size);
    const double sigma = norm(map), root = std::sqrt(sigma);
    for (double &x : map) x = sigma > rounding ? x / root : 0;
    for (double &x : values.sub(h * value_size, value_size)) x *= sigma > rounding ? root : kIdleScale;
  }
}

}  // namespace

void project_model(Context &context, const Model &model, const AttentionShape &shape, Span<double> out) {
  const int64_t L = shape.sites, q = shape.colors, H = shape.heads, size = q * q;
  const Span<double> maps = out.sub(0, shape.map_parameters()), values = out.sub(maps.size(), shape.value_parameters()),
                     fields = out.sub(maps.size() + values.size(), shape.field_parameters());
  const Scratch memory(context.allocator, Scratch::piece<double>(H * size) + Scratch::piece<double>(size));
  Arena arena = memory.arena();
  const Span<double> images = arena.take<double>(H, size), block = arena.take<double>(size);
  const Blocks blocks{model, shape.fields};
  const RandomView random(1, Stream::parameters, 0, 1);
  for (int64_t k = 0; k < values.size(); ++k) values[k] = random.normal(static_cast<uint64_t>(k));
  orthonormalize(H, values);
  double last = 0;
  for (int n = 0; n < kMostIterations; ++n) {
    apply(blocks, H, values, maps, images, block.data());
    const double length = dot(maps, maps);
    if (std::fabs(length - last) <= kSettled * length) break;
    last = length;
    copy(images, values);
    orthonormalize(H, values);
  }
  if (shape.fields)
    for (int64_t i = 0; i < L; ++i)
      for (int64_t a = 0; a < q; ++a) fields[i * q + a] = model.fields.empty() ? 0 : model.beta * model.fields[i * q + a];
  for (int64_t i = 0; shape.fields && i < L; ++i)
    for (int64_t j = 0; j < L; ++j)
      if (j != i) blocks.read(i, j, block.data(), fields.data() + i * q);
  balance(H, maps, values);
}

}  // namespace atp
