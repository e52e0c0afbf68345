// SPDX-License-Identifier: MIT
#include "learn/meanfield/gaussian.hpp"

#include "learn/meanfield/coupling_blocks.hpp"
#include "potts/scores.hpp"
#include "math/small_eigen.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

// The covariance of a site in its coordinates sqrt(q) B, as its lower triangular Cholesky factor [d][d]. Its eigenvalues are at least the
// pseudocount.
void site_factor(const ColorBasis &basis, int64_t q, const double *f, double *work, double *out) {
  const int64_t d = basis.dimension();
  double *block = work, *between = work + q * q;
  for (int64_t a = 0; a < q; ++a)
    for (int64_t b = 0; b < q; ++b) block[a * q + b] = static_cast<double>(q) * ((a == b ? f[a] : 0) - f[a] * f[b]);
  reduce_block(basis, basis, q, block, between, out);
  for (int64_t c = 0; c < d; ++c) {
    for (int64_t k = 0; k < c; ++k)
      for (int64_t r = c; r < d; ++r) out[r * d + c] -= out[r * d + k] * out[c * d + k];
    const double root = std::sqrt(out[c * d + c]);
    for (int64_t r = c; r < d; ++r) out[r * d + c] /= root;
    std::fill_n(out + c * d + c + 1, d - c - 1, 0.0);
  }
}

// 1/2 sum_k log((1 + sqrt(1 + 4 s_k^2)) / 2), s_k the singular values of V = X^T G Y [d][e], X [d][d], Y [e][e]. work: 2 m^2 + 4 m with the
// larger m of d and e.
double gaussian_information(int64_t d, int64_t e, const double *x, const double *y, const double *g, double *work) {
  const int64_t m = std::max(d, e);
  double *product = work, *between = work + m * m, *values = between + m * m;
  std::fill_n(between, d * e, 0.0);
  for (int64_t r = 0; r < d; ++r)
    for (int64_t k = 0; k < e; ++k)
      for (int64_t c = 0; c <= k; ++c) between[r * e + c] += g[r * e + k] * y[k * e + c];
  std::fill_n(product, d * e, 0.0);
  for (int64_t k = 0; k < d; ++k)
    for (int64_t r = 0; r <= k; ++r)
      for (int64_t c = 0; c < e; ++c) product[r * e + c] += x[k * d + r] * between[k * e + c];
  std::fill_n(between, e * e, 0.0);  // V^T V
  for (int64_t k = 0; k < d; ++k)
    for (int64_t r = 0; r < e; ++r)
      for (int64_t c = 0; c < e; ++c) between[r * e + c] += product[k * e + r] * product[k * e + c];
  symmetric_eigenvalues(e, between, values, values + e);
  double sum = 0;
  for (int64_t k = 0; k < e; ++k) sum += 0.5 * std::log1p((std::sqrt(1 + 4 * std::max(values[k], 0.0)) - 1) / 2);
  return sum;
}

}  // namespace

void gaussian_scores(Context &context, const Alignment &alignment, const MeanFieldSettings &settings, atp_pair_score score, int64_t gap,
                     double *out) {
  const int64_t L = alignment.sites(), q = alignment.colors(), d = q - 1;
  const FoundBases found(context, alignment);
  const InverseShape shape = shape_of(alignment, found.bases());
  check_order(shape);
  const int threads = context.threads;
  const int64_t most = 3 * q * q + 4 * q, factors_size = score == ATP_PAIR_SCORE_DI ? L * d * d : 0;
  Arena measure;
  CouplingBlocks measured(shape, settings.precision, threads, measure);
  const Scratch scratch(context.allocator, measure.bytes() + Scratch::piece<double>(threads * most) + Scratch::piece<double>(factors_size));
  Arena arena = scratch.arena();
  CouplingBlocks blocks(shape, settings.precision, threads, arena);
  const Span<double> work = arena.take<double>(threads, most), factors = arena.take<double>(factors_size);
  blocks.compute(context, alignment, settings.pseudocount, found.bases());
  for (int64_t i = 0; i < L && !factors.empty(); ++i)
    site_factor(found.bases().at(i), q, blocks.frequencies() + i * q, work.data(), factors.data() + i * d * d);
  parallel_for(context.threads, L, [&](int64_t i, int thread) {
    double *block = work.data() + thread * most, *more = block + q * q;
    out[i * L + i] = 0;
    for (int64_t j = i + 1; j < L; ++j) {
      double value = 0;
      if (score == ATP_PAIR_SCORE_FN) {
        blocks.coupling(i, j, thread, block);
        value = norm_without(block, q, gap);
      } else {
        blocks.inverse().block(i, j, block);
        value = gaussian_information(found.bases().at(i).dimension(), found.bases().at(j).dimension(), factors.data() + i * d * d,
                                     factors.data() + j * d * d, block, more);
      }
      out[i * L + j] = out[j * L + i] = value;
    }
  });
}

}  // namespace atp
