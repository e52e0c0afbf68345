// SPDX-License-Identifier: MIT
#include "learn/meanfield/mean_field.hpp"

#include "alignment/frequencies.hpp"
#include "base/error.hpp"
#include "math/small_linear.hpp"
#include "potts/scores.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

namespace atp {

namespace {

// Sites whose couplings are written together.
int64_t band_of(int64_t sites) { return std::clamp<int64_t>(sites / 64, 1, 8); }

std::size_t rows_bytes(const InverseShape &shape) {
  return Scratch::piece<double>(product_of(band_of(shape.sites), shape.colors - 1, shape.order()));
}

// Couplings of all pairs over the inverse, which is at the end of them: by bands of sites, of which the rows are copied before. A row of
// couplings has more numbers than one of the inverse, so that those of a band end before the next rows of the inverse that are needed
// begin; the last of these are those of site L - 2. The couplings with sites before the band have been written.
void write_couplings_of(const Inverse &inverse, const InverseShape &shape, Context &context, Model &model) {
  const int64_t L = model.sites(), q = model.colors(), band = band_of(L), size = (q - 1) * shape.order();
  const Scratch scratch(context.allocator, rows_bytes(shape));
  const Span<double> rows = scratch.arena().take<double>(band, size);
  const auto at = [&](int64_t i, int64_t j) { return model.couplings.data() + (i * L + j) * q * q; };
  const auto transpose = [&](const double *from, double *to) {
    for (int64_t a = 0; a < q; ++a)
      for (int64_t b = 0; b < q; ++b) to[b * q + a] = from[a * q + b];
  };
  for (int64_t first = 0; first < L; first += band) {
    const int64_t end = std::min(L, first + band);
    parallel_for(context.threads, end - first, [&](int64_t k, int) { inverse.copy_rows(first + k, rows.data() + k * size); });
    // A task has the blocks of a site j with all sites of the band before it.
    parallel_for(context.threads, L, [&](int64_t j, int thread) {
      for (int64_t i = first; i < end; ++i) {
        if (j == i) std::fill_n(at(i, i), q * q, 0.0);
        if (j < first) transpose(at(j, i), at(i, j));
        if (j <= i) continue;
        inverse.coupling_of(rows.data() + (i - first) * size, i, j, thread, at(i, j));
        if (j < end) transpose(at(i, j), at(j, i));
      }
    });
  }
}

// b_i(a) = log f_i(a) - sum_j sum_b C_ij(a, b) f_j(b), minus its mean over a.
void write_fields(const double *f, const Threads &threads, Model &model) {
  const int64_t L = model.sites(), q = model.colors();
  parallel_for(threads, L, [&](int64_t i, int) {
    double *field = model.fields.data() + i * q, mean = 0;
    for (int64_t a = 0; a < q; ++a) field[a] = std::log(f[i * q + a]);
    for (int64_t j = 0; j < L; ++j) {
      if (j == i) continue;
      const double *block = model.block(i, j);
      for (int64_t a = 0; a < q; ++a)
        for (int64_t b = 0; b < q; ++b) field[a] = std::fma(-block[a * q + b], f[j * q + b], field[a]);
    }
    for (int64_t a = 0; a < q; ++a) mean += field[a] / static_cast<double>(q);
    for (int64_t a = 0; a < q; ++a) field[a] -= mean;
  });
}

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

// Numbers of work space of a thread that scores pairs.
int64_t score_scratch(int64_t colors) { return 3 * colors * colors + 4 * colors; }

}  // namespace

std::size_t gaussian_bytes(const InverseShape &shape, int64_t precision, int threads) {
  const int64_t q = shape.colors;
  const std::size_t scores =
      Scratch::piece<double>(threads * score_scratch(q)) + Scratch::piece<double>(product_of(shape.sites, q - 1, q - 1));
  return ColorBases::bytes(shape.sites, q) + Inverse::own_bytes(shape, precision, threads, false) +
         std::max(Inverse::work_bytes(shape, precision, threads), scores);
}

std::size_t mean_field_bytes(const InverseShape &shape, int64_t precision, int threads) {
  const std::size_t model = bytes_of<Model>(nullptr, ModelShape{shape.sites, shape.colors, 0, true});
  const std::size_t made = model + ColorBases::bytes(shape.sites, shape.colors) + Inverse::own_bytes(shape, precision, threads, true) +
                           std::max(Inverse::work_bytes(shape, precision, threads), rows_bytes(shape));
  return std::max(made, gaussian_bytes(shape, precision, threads));  // for callers that ask once for both
}

Model *mean_field_model(Context &context, const Alignment &alignment, const MeanFieldSettings &settings) {
  const ColorBases bases(context, alignment);
  const auto destroy = [&](Model *model) { destroy_block(context.allocator, model); };
  std::unique_ptr<Model, decltype(destroy)> model(make_model(context, {alignment.sites(), alignment.colors(), 0, true}), destroy);
  const Inverse inverse(context, alignment, settings, bases, model->couplings);
  write_couplings_of(inverse, bases.shape(), context, *model);
  write_fields(inverse.frequencies(), context.threads, *model);
  std::memcpy(model->alphabet, alignment.alphabet, sizeof model->alphabet);
  model->labels.copy(alignment.labels);
  format_text(model->origin, sizeof model->origin, "mean-field couplings of %lld sequences, pseudocount %g",
              static_cast<long long>(alignment.count()), settings.pseudocount);
  return model.release();
}

void gaussian_scores(Context &context, const Alignment &alignment, const MeanFieldSettings &settings, atp_pair_score score, int64_t gap,
                     double *out) {
  const int64_t L = alignment.sites(), q = alignment.colors(), d = q - 1;
  const ColorBases bases(context, alignment);
  const Inverse inverse(context, alignment, settings, bases);
  const int threads = context.threads;
  const int64_t most = score_scratch(q), factors_size = score == ATP_PAIR_SCORE_DI ? L * d * d : 0;
  const Scratch scratch(context.allocator, Scratch::piece<double>(threads * most) + Scratch::piece<double>(factors_size));
  Arena arena = scratch.arena();
  const Span<double> work = arena.take<double>(threads, most), factors = arena.take<double>(factors_size);
  for (int64_t i = 0; i < L && !factors.empty(); ++i)
    site_factor(bases.at(i), q, inverse.frequencies() + i * q, work.data(), factors.data() + i * d * d);
  parallel_for(context.threads, L, [&](int64_t i, int thread) {
    double *block = work.data() + thread * most, *more = block + q * q;
    out[i * L + i] = 0;
    for (int64_t j = i + 1; j < L; ++j) {
      double value = 0;
      if (score == ATP_PAIR_SCORE_FN) {
        inverse.coupling(i, j, thread, block);
        value = norm_without(block, q, gap);
      } else {
        inverse.block(i, j, block);
        value = gaussian_information(bases.at(i).dimension(), bases.at(j).dimension(), factors.data() + i * d * d,
                                     factors.data() + j * d * d, block, more);
      }
      out[i * L + j] = out[j * L + i] = value;
    }
  });
}

}  // namespace atp
