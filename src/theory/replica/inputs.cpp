// SPDX-License-Identifier: MIT
#include "theory/replica/inputs.hpp"

#include "base/error.hpp"
#include "base/philox.hpp"
#include "math/linalg/lapack.hpp"
#include "math/search.hpp"

#include <algorithm>
#include <cmath>

namespace atp::replica {

// --- a given matrix ---

namespace {

// Splits a matrix [n][n]: `rest` is the matrix without row and column `site`, `column` is that column without
// its diagonal element.
void split(const double *matrix, int64_t n, int64_t site, double *rest, double *column) {
  const auto kept = [site](int64_t k) { return k < site ? k : k + 1; };
  for (int64_t i = 0; i + 1 < n; ++i) {
    const double *row = matrix + kept(i) * n;
    for (int64_t j = 0; j + 1 < n; ++j) rest[i * (n - 1) + j] = row[kept(j)];
    column[i] = row[site];
  }
}

void factorise(int64_t p, double *a, const char *name) {
  const int64_t minor = cholesky(p, a);
  if (minor != 0)
    fail(ATP_E_VALUE, "%s is not positive definite: its leading minor of order %lld (without the masked site) is not positive", name,
         static_cast<long long>(minor));
}

bool is_diagonal(const double *matrix, int64_t p) {
  for (int64_t j = 0; j < p; ++j)
    for (int64_t k = 0; k < p; ++k)
      if (j != k && matrix[j * p + k] != 0) return false;
  return true;
}

// The eigenvectors of a diagonal matrix are the axes: writes them to the first row of `work`, which is the matrix, in the order of their
// eigenvalues.
void sort_axes(int64_t p, double *work, double *values) {
  for (int64_t k = 0; k < p; ++k) values[k] = work[k * (p + 1)];
  for (int64_t k = 0; k < p; ++k) work[k] = static_cast<double>(k);
  const auto before = [values](double a, double b) {
    const double at_a = values[static_cast<int64_t>(a)], at_b = values[static_cast<int64_t>(b)];
    return at_a != at_b ? at_a < at_b : a < b;
  };
  std::sort(work, work + p, before);
  std::sort(values, values + p);
}

double positive(double x, const char *name, int64_t site) {
  if (!(x > 0))
    fail(ATP_E_VALUE, "%s is not positive definite: element %lld of its diagonal is %g, must be > 0", name, static_cast<long long>(site),
         x);
  return x;
}

}  // namespace

void fill_goe(int64_t sites, double shift, uint64_t seed, double *precision) {
  const RandomView random(seed, Stream::replica, 0, 0);
  const double scale = 1 / std::sqrt(static_cast<double>(sites));
  for (int64_t i = 0; i < sites; ++i) {
    precision[i * sites + i] = shift;
    for (int64_t j = i + 1; j < sites; ++j)
      precision[i * sites + j] = precision[j * sites + i] = -scale * random.normal(static_cast<uint64_t>(i * sites + j));
  }
}

int64_t mask_workspace(int64_t sites) { return (sites - 1) * sites; }

double mask_precision(const double *precision, int64_t sites, int64_t site, double *covariance, double *teacher, double *work) {
  const int64_t p = sites - 1;
  const double own = positive(precision[site * sites + site], "precision", site);
  double *rest = work, *column = work + p * p;
  split(precision, sites, site, rest, column);
  for (int64_t i = 0; i < p; ++i)
    for (int64_t j = 0; j < p; ++j) rest[i * p + j] -= column[i] * column[j] / own;
  factorise(p, rest, "precision");
  cholesky_inverse(p, rest);
  std::copy(rest, rest + p * p, covariance);
  for (int64_t i = 0; i < p; ++i) teacher[i] = -column[i] / own;
  return 1 / own;
}

double mask_covariance(const double *full, int64_t sites, int64_t site, double *covariance, double *teacher, double *work) {
  const int64_t p = sites - 1;
  const double own = positive(full[site * sites + site], "full", site);
  double *factor = work, *column = work + p * p;
  split(full, sites, site, factor, column);
  factorise(p, factor, "full");
  // S = F F^T: noise = C_ii - |F^-1 column|^2, w* = F^-T F^-1 column.
  solve_lower(false, p, factor, column);
  double explained = 0;
  for (int64_t i = 0; i < p; ++i) explained += column[i] * column[i];
  const double noise = own - explained;
  if (!(noise > 0))
    fail(ATP_E_VALUE, "full is not positive definite: the variance of site " ATP_INDEX " given the others is %g",
         static_cast<long long>(site), noise);
  solve_lower(true, p, factor, column);
  std::copy(column, column + p, teacher);
  split(full, sites, site, covariance, column);
  return noise;
}

int64_t spectrum_workspace(int64_t p) { return p * p + p + symmetric_eigen_workspace(p); }

void spectrum(const double *covariance, const double *teacher, int64_t p, double *eigenvalues, double *projections, double *work) {
  double *vectors = work;
  std::copy(covariance, covariance + p * p, vectors);
  double *values = work + p * p;
  const bool diagonal = is_diagonal(covariance, p);
  if (diagonal)
    sort_axes(p, vectors, values);
  else if (!symmetric_eigen(p, vectors, values, values + p))
    fail(ATP_E_INTERNAL, "LAPACK's dsyevd did not converge on covariance");
  const double smallest = static_cast<double>(p) * 2.2e-16 * values[p - 1];
  if (!(values[0] > smallest))
    fail(ATP_E_VALUE, "covariance is not positive definite: its smallest eigenvalue is %g, its largest %g", values[0], values[p - 1]);
  std::copy(values, values + p, eigenvalues);
  for (int64_t k = 0; k < p; ++k) {
    double overlap = 0;
    if (diagonal)
      overlap = teacher[static_cast<int64_t>(vectors[k])];
    else
      for (int64_t j = 0; j < p; ++j) overlap += vectors[k * p + j] * teacher[j];
    projections[k] = overlap * overlap;
  }
}

// --- a spin glass ---

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kSameColors = 1e-9;       // of k
constexpr double kLeastEigenvalue = 1e-9;  // of S, where sequences do not vary

// x = 2 sin(u) of the semicircle on [-2, 2] has the density 2 cos(u)^2 / pi in u, and the distribution function
// 1/2 + (u + sin(2 u) / 2) / pi. u of a probability.
double semicircle_quantile(double probability) {
  const auto below = [probability](double u) { return 0.5 + (u + std::sin(2 * u) / 2) / kPi < probability; };
  const Bracket<double> u = bisect_times(60, {-kPi / 2, kPi / 2}, below);
  return middle_of(u.low, u.high);
}

// The mean of 1 / (1 + b^2 - b x) between two quantiles, by Simpson's rule.
double mean_between(double from, double to, double b) {
  constexpr int kParts = 64;
  double sum = 0, weight = 0;
  for (int k = 0; k <= kParts; ++k) {
    const double u = from + (to - from) * k / kParts, cosine = std::cos(u);
    const double w = (k == 0 || k == kParts ? 1 : 2 + 2 * (k % 2)) * cosine * cosine;
    weight += w;
    sum += w / (1 + b * b - 2 * b * std::sin(u));
  }
  return sum / weight;
}

// k of a covariance of colours that is k on vectors of sum 0.
double common_eigenvalue(const double *colors, int64_t q) {
  const double count = static_cast<double>(q);
  const auto row_mean = [&](int64_t a) {
    double mean = 0;
    for (int64_t b = 0; b < q; ++b) mean += colors[a * q + b] / count;
    return mean;
  };
  double all = 0, trace = 0;
  for (int64_t a = 0; a < q; ++a) {
    all += row_mean(a) / count;
    trace += colors[a * (q + 1)];
  }
  const double k = (trace - count * all) / (count - 1);
  for (int64_t a = 0; a < q; ++a) {
    const double own = row_mean(a);
    for (int64_t b = 0; b < q; ++b) {
      const double centred = colors[a * q + b] - own - row_mean(b) + all, expected = k * ((a == b ? 1 : 0) - 1 / count);
      if (!(std::fabs(centred - expected) <= kSameColors * k))
        fail(ATP_E_VALUE, "color_covariance (%lld, %lld) is %g, must be one of colours that do not differ, with one eigenvalue for all",
             static_cast<long long>(a), static_cast<long long>(b), colors[a * q + b]);
    }
  }
  return k;
}

}  // namespace

void color_covariance(const double *values, int64_t colors, double *covariance) {
  const double q = static_cast<double>(colors);
  const auto row_mean = [&](int64_t a) {
    double mean = 0;
    for (int64_t b = 0; b < colors; ++b) mean += values[a * colors + b] / q;
    return mean;
  };
  for (int64_t a = 0; a < colors; ++a) {
    const double mean_a = row_mean(a);
    for (int64_t b = 0; b < colors; ++b) {
      const double mean_b = row_mean(b);
      double sum = 0;
      for (int64_t c = 0; c < colors; ++c) sum += (values[a * colors + c] - mean_a) * (values[b * colors + c] - mean_b) / q;
      covariance[a * colors + b] = sum;
    }
  }
}

double SpinGlass::reduced_beta() const { return teacher * std::sqrt(response); }

SpinGlass spin_glass_of(double beta, const double *colors, int64_t q) {
  const SpinGlass glass{beta, common_eigenvalue(colors, q) / static_cast<double>(q)};
  if (!(glass.reduced_beta() < 1))
    fail(ATP_E_VALUE, "beta is %g, must be < %g, where the transition is", beta, 1 / std::sqrt(glass.response));
  return glass;
}

void fill_spin_glass(const SpinGlass &glass, int64_t p, bool given_label, double *covariance, double *weights) {
  const double b = glass.reduced_beta(), size = static_cast<double>(p);
  std::fill(covariance, covariance + p * p, 0.0);
  std::fill(weights, weights + p, glass.teacher / std::sqrt(size));
  double from = -kPi / 2;
  for (int64_t k = 0; k < p; ++k) {
    const double to = k + 1 < p ? semicircle_quantile(static_cast<double>(k + 1) / size) : kPi / 2;
    covariance[k * (p + 1)] = mean_between(from, to, b);
    from = to;
  }
  if (given_label) return;
  const auto own = [&](int64_t k) { return covariance[k * (p + 1)]; };
  // The diagonal last: the other entries are made from it.
  for (int64_t j = 0; j < p; ++j)
    for (int64_t k = 0; k < p; ++k)
      if (j != k) covariance[j * p + k] = glass.response * own(j) * weights[j] * weights[k] * own(k);
  for (int64_t j = 0; j < p; ++j) covariance[j * (p + 1)] += glass.response * own(j) * weights[j] * weights[j] * own(j);
}

// --- measured sequences ---

namespace {

// Work space. L sites, q colours.
struct SampleWork {
  SampleWork(Arena &arena, int64_t sites, int64_t q)
      : products(arena.take<double>(q, q)),
        frequencies(arena.take<double>(sites, q)),
        projected(arena.take<double>(sites, q)),
        counts(arena.take<double>(sites, q, q)),
        whole(arena.take<double>(sites, sites)),
        given(arena.take<double>(sites, sites)),
        inputs(arena.take<double>(sites - 1, sites - 1)),
        colors(arena.take<double>(q, q)),
        mean(arena.take<double>(sites - 1)),
        own(arena.take<double>(sites - 1)),
        projections(arena.take<double>(sites - 1)),
        eigen(arena.take<double>(symmetric_eigen_workspace(sites - 1))) {}
  Span<double> products;     // G_cd = sum_a V~_ac V~_ad, V~ being V without the means of its columns, [q][q]
  Span<double> frequencies;  // [L][q]
  Span<double> projected;    // G times frequencies of one colour of the masked site, [L][q]
  Span<double> counts;       // of the masked site's colour and that of site j, [q][L][q]
  Span<double> whole, given, inputs, colors, mean, own, projections, eigen;
};

void fill_products(const MeasuredSequences &sample, Span<double> products) {
  const int64_t q = sample.colors;
  const auto column_mean = [&](int64_t c) {
    double mean = 0;
    for (int64_t a = 0; a < q; ++a) mean += sample.values[a * q + c] / static_cast<double>(q);
    return mean;
  };
  for (int64_t c = 0; c < q; ++c) {
    const double mean_c = column_mean(c);
    for (int64_t d = 0; d < q; ++d) {
      const double mean_d = column_mean(d);
      double sum = 0;
      for (int64_t a = 0; a < q; ++a) sum += (sample.values[a * q + c] - mean_c) * (sample.values[a * q + d] - mean_d);
      products[c * q + d] = sum;
    }
  }
}

// K: the covariance of V(a, s_j), a mean over sites.
void fill_colors(const MeasuredSequences &sample, Span<const double> frequencies, double *colors) {
  const int64_t q = sample.colors;
  std::fill(colors, colors + q * q, 0.0);
  for (int64_t j = 0; j < sample.sites; ++j) {
    const double *f = frequencies.data() + j * q;
    const auto mean = [&](int64_t a) {
      double sum = 0;
      for (int64_t c = 0; c < q; ++c) sum += f[c] * sample.values[a * q + c];
      return sum;
    };
    for (int64_t a = 0; a < q; ++a) {
      const double mean_a = mean(a);
      for (int64_t b = 0; b <= a; ++b) {
        const double mean_b = mean(b);
        double sum = 0;
        for (int64_t c = 0; c < q; ++c) sum += f[c] * (sample.values[a * q + c] - mean_a) * (sample.values[b * q + c] - mean_b);
        colors[a * q + b] += sum / static_cast<double>(sample.sites);
      }
    }
  }
  for (int64_t a = 0; a < q; ++a)
    for (int64_t b = 0; b < a; ++b) colors[b * q + a] = colors[a * q + b];
}

// Takes weight * sum_cd f_jc G_cd f_kd from a matrix [L][L].
void take_product_of_means(const double *f, double weight, const MeasuredSequences &sample, const SampleWork &work, double *matrix) {
  const int64_t L = sample.sites, q = sample.colors;
  for (int64_t k = 0; k < L; ++k)
    for (int64_t c = 0; c < q; ++c) {
      double sum = 0;
      for (int64_t d = 0; d < q; ++d) sum += work.products[c * q + d] * f[k * q + d];
      work.projected[k * q + c] = sum;
    }
  for (int64_t j = 0; j < L; ++j)
    for (int64_t k = 0; k < L; ++k) {
      double sum = 0;
      for (int64_t c = 0; c < q; ++c) sum += f[j * q + c] * work.projected[k * q + c];
      matrix[j * L + k] -= weight * sum;
    }
}

// The mean of sum_a V~(a, s_j) V~(a, s_k) over sequences, [L][L].
void fill_second_moments(const MeasuredSequences &sample, const SampleWork &work) {
  const int64_t L = sample.sites, q = sample.colors;
  std::fill(work.whole.begin(), work.whole.end(), 0.0);
  for (int64_t n = 0; n < sample.n; ++n) {
    const uint8_t *s = sample.sequences + n * L;
    for (int64_t j = 0; j < L; ++j)
      for (int64_t k = 0; k <= j; ++k) work.whole[j * L + k] += work.products[s[j] * q + s[k]];
  }
  for (int64_t j = 0; j < L; ++j)
    for (int64_t k = 0; k <= j; ++k) work.whole[k * L + j] = work.whole[j * L + k] /= static_cast<double>(sample.n);
}

// The same less the products of means given the colour of a site; returns the number of its colours.
int64_t fill_given(const MeasuredSequences &sample, int64_t site, const SampleWork &work) {
  const int64_t L = sample.sites, q = sample.colors;
  std::copy(work.whole.begin(), work.whole.end(), work.given.begin());
  std::fill(work.counts.begin(), work.counts.end(), 0.0);
  for (int64_t n = 0; n < sample.n; ++n) {
    const uint8_t *s = sample.sequences + n * L;
    for (int64_t j = 0; j < L; ++j) work.counts[(s[site] * L + j) * q + s[j]] += 1;
  }
  int64_t seen = 0;
  for (int64_t y = 0; y < q; ++y) {
    double *counts = work.counts.data() + y * L * q;
    const double all = counts[site * q + y];
    if (all == 0) continue;
    ++seen;
    for (int64_t k = 0; k < L * q; ++k) counts[k] /= all;
    take_product_of_means(counts, all / static_cast<double>(sample.n), sample, work, work.given.data());
  }
  return seen;
}

// Adds the sorted eigenvalues of S without a site, and the squared projections of its couplings.
void add_spectrum(const MeasuredSequences &sample, int64_t site, const double *covariance, double scale, const SampleWork &work) {
  const int64_t L = sample.sites, p = L - 1;
  const auto other = [site](int64_t j) { return j < site ? j : j + 1; };
  for (int64_t j = 0; j < p; ++j)
    for (int64_t k = 0; k < p; ++k) work.inputs[j * p + k] = covariance[other(j) * L + other(k)] / scale;
  if (!symmetric_eigen(p, work.inputs.data(), work.own.data(), work.eigen.data()))
    fail(ATP_E_INTERNAL, "LAPACK's dsyevd did not converge on the covariance of sites");
  for (int64_t k = 0; k < p; ++k) {
    double overlap = 0;
    for (int64_t j = 0; j < p; ++j) overlap += work.inputs[k * p + j] * (sample.beta * sample.maps[site * L + other(j)]);
    work.mean[k] += work.own[k] / static_cast<double>(L);
    work.projections[k] += overlap * overlap / static_cast<double>(L);
  }
}

}  // namespace

std::size_t measured_bytes(const MeasuredSequences &sample) {
  return bytes_taken([&](Arena &arena) { SampleWork(arena, sample.sites, sample.colors); });
}

void measure_sequences(const MeasuredSequences &sample, double *colors, double *covariance, double *weights, Arena arena) {
  const int64_t L = sample.sites, q = sample.colors;
  const SampleWork work(arena, L, q);
  const double n = static_cast<double>(sample.n);
  std::fill(work.frequencies.begin(), work.frequencies.end(), 0.0);
  for (int64_t k = 0; k < sample.n; ++k)
    for (int64_t j = 0; j < L; ++j) work.frequencies[j * q + sample.sequences[k * L + j]] += 1 / n;
  fill_colors(sample, work.frequencies, work.colors.data());
  fill_products(sample, work.products);
  fill_second_moments(sample, work);
  std::copy(work.whole.begin(), work.whole.end(), work.given.begin());
  take_product_of_means(work.frequencies.data(), 1, sample, work, work.given.data());
  double scale = 0;
  for (int64_t j = 0; j < L; ++j) scale += work.given[j * (L + 1)] / static_cast<double>(L);
  if (!(scale > 0)) fail(ATP_E_VALUE, "the sequences do not vary, must differ at some site");
  std::fill(work.mean.begin(), work.mean.end(), 0.0);
  std::fill(work.projections.begin(), work.projections.end(), 0.0);
  for (int64_t i = 0; i < L; ++i) {
    // Each colour of the site takes one degree of freedom.
    const double kept = sample.given_label ? 1 - static_cast<double>(fill_given(sample, i, work)) / n : 1;
    if (!(kept > 0)) fail(ATP_E_VALUE, "there are %lld sequences, must be more than colours", static_cast<long long>(sample.n));
    add_spectrum(sample, i, work.given.data(), scale * kept, work);
  }
  std::copy(work.colors.begin(), work.colors.end(), colors);
  std::fill(covariance, covariance + (L - 1) * (L - 1), 0.0);
  for (int64_t k = 0; k < L - 1; ++k) {
    covariance[k * L] = std::max(work.mean[k], kLeastEigenvalue);
    weights[k] = std::sqrt(work.projections[k]);
  }
}

}  // namespace atp::replica
