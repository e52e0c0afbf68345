// SPDX-License-Identifier: MIT
#include "learn/likelihood/statistics.hpp"

#include "alignment/frequencies.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

double CovarianceMoments::pearson(double noise) const {
  const double a = n * xx - x * x, b = n * (yy - noise) - y * y;
  return a > 0 && b > 0 ? (n * xy - x * y) / std::sqrt(a * b) : 0;
}

void Statistics::lay_out(Arena &arena) {
  const int64_t L = pairs_.sites, q = pairs_.colors;
  f_ = arena.take<double>(L, q);
  f_pairs_ = arena.take<float>(pairs_.pairs(), q, q);
  sums_ = arena.take<double>(threads_, q, q);
  held_f_ = arena.take<double>(L, q);
  rows_ = arena.take<Row>(L);
}

void Statistics::init(const Alignment &family, double pseudocount, Threads threads) {
  const int64_t L = pairs_.sites, q = pairs_.colors, N = family.count();
  const double total = family.effective_count(), c = pseudocount < 0 ? std::min(0.5, 1 / total) : pseudocount;
  pseudocount_ = c;
  frequencies(family, c, f_.data());
  for (int64_t i = 0; i < L; ++i)
    for (int64_t a = 0; a < q; ++a)
      if (!(f_[i * q + a] > 0))
        fail(ATP_E_VALUE,
             "pseudocount is %g, and colour %lld never occurs at site " ATP_INDEX
             " (number %lld) of the training sequences: its field would be minus infinity; a pseudocount above 0 is needed",
             c, static_cast<long long>(a), static_cast<long long>(i), static_cast<long long>(family.labels.numbers()[i]));
  parallel_for(threads, L, [&](int64_t i, int thread) {
    double *sums = sums_.data() + thread * q * q;
    for (int64_t k = pairs_.below(i); k < pairs_.degree(i); ++k) {
      const int64_t j = pairs_.neighbor(i, k);
      std::fill_n(sums, q * q, 0.0);
      for (int64_t n = 0; n < N; ++n) sums[family.sequence(n)[i] * q + family.sequence(n)[j]] += family.weights[n];
      float *to = f_pairs_.data() + pairs_.pair(i, k) * q * q;
      for (int64_t b = 0; b < q * q; ++b) to[b] = static_cast<float>((1 - c) * sums[b] / total + c / static_cast<double>(q * q));
    }
  });
  measure_signal();
}

void Statistics::hold_out(const Alignment *sequences) {
  held_out_ = sequences;
  if (sequences != nullptr) frequencies(*sequences, 0, held_f_.data());
}

void Statistics::measure_signal() {
  const int64_t L = pairs_.sites, q = pairs_.colors;
  signal_ = spread_ = 0;
  for (int64_t i = 0; i < L; ++i)
    for (int64_t k = pairs_.below(i); k < pairs_.degree(i); ++k) {
      const double *f = family(i), *g = family(pairs_.neighbor(i, k));
      const float *both = f_pairs_.data() + pairs_.pair(i, k) * q * q;
      for (int64_t a = 0; a < q; ++a)
        for (int64_t b = 0; b < q; ++b) {
          const double x = static_cast<double>(both[a * q + b]) - f[a] * g[b];
          signal_ += x * x;
          spread_ += f[a] * (1 - f[a]) * g[b] * (1 - g[b]);
        }
    }
  const double n = static_cast<double>(pairs_.pairs() * q * q);
  signal_ /= n;
  spread_ /= n;
}

// The pairs of site i with later ones.
Statistics::Row Statistics::compare_row(int64_t i, const Sample &sample, const uint32_t *counts, Span<double> slope) const {
  const int64_t L = pairs_.sites, q = pairs_.colors;
  const double *f = family(i), *p = sample.frequencies(i), one = 1 / static_cast<double>(sample.count());
  const double uniform = 1 / static_cast<double>(q * q);  // the mean of both f_ij
  Row row{};
  for (int64_t k = pairs_.below(i); k < pairs_.degree(i); ++k) {
    const int64_t j = pairs_.neighbor(i, k), at = pairs_.pair(i, k) * q * q;
    const double *g = family(j), *r = sample.frequencies(j);
    const uint32_t *own = counts + sample.place(i, k) * q * q;
    const float *both = f_pairs_.data() + at;
    double *to = slope.empty() ? nullptr : slope.data() + L * q + at;
    double mine = 0, other = 0;
    for (int64_t a = 0; a < q; ++a) {
      mine += p[a] * (1 - p[a]);
      other += r[a] * (1 - r[a]);
      for (int64_t b = 0; b < q; ++b) {
        const double x = static_cast<double>(both[a * q + b]), y = own[a * q + b] * one;
        row.moments.add(x - f[a] * g[b], y - p[a] * r[b]);
        row.pairs.add(x - uniform, y - uniform);
        if (to != nullptr) to[a * q + b] = y - x;
      }
    }
    row.noise += mine * other * one;
    row.moments.n += static_cast<double>(q * q);
    row.pairs.n += static_cast<double>(q * q);
  }
  return row;
}

// f_ij(a, b) and C_ij(a, b) of the pairs of site i with later ones.
void Statistics::compare_held_out(int64_t i, const Sample &sample, const uint32_t *counts, double *sums, Row &row) const {
  const int64_t q = pairs_.colors, N = held_out_->count();
  const double *f = held_f_.data() + i * q, *p = sample.frequencies(i);
  const double one = 1 / static_cast<double>(sample.count()), total = held_out_->effective_count();
  const double uniform = 1 / static_cast<double>(q * q);  // the mean of both f_ij
  for (int64_t k = pairs_.below(i); k < pairs_.degree(i); ++k) {
    const int64_t j = pairs_.neighbor(i, k);
    const double *g = held_f_.data() + j * q, *r = sample.frequencies(j);
    const uint32_t *own = counts + sample.place(i, k) * q * q;
    std::fill_n(sums, q * q, 0.0);
    for (int64_t n = 0; n < N; ++n) sums[held_out_->sequence(n)[i] * q + held_out_->sequence(n)[j]] += held_out_->weights[n];
    for (int64_t a = 0; a < q; ++a)
      for (int64_t b = 0; b < q; ++b) {
        const double x = sums[a * q + b] / total, y = own[a * q + b] * one;
        row.held_out.add(x - f[a] * g[b], y - p[a] * r[b]);
        row.held_out_pairs.add(x - uniform, y - uniform);
      }
    row.held_out.n += static_cast<double>(q * q);
    row.held_out_pairs.n += static_cast<double>(q * q);
  }
}

Line Statistics::compare_held_out_sites(const Sample &sample) const {
  const int64_t L = pairs_.sites, q = pairs_.colors;
  const double uniform = 1 / static_cast<double>(q);
  CovarianceMoments moments;
  moments.n = static_cast<double>(L * q);
  for (int64_t i = 0; i < L; ++i)
    for (int64_t a = 0; a < q; ++a) moments.add(held_f_[i * q + a] - uniform, sample.frequencies(i)[a] - uniform);
  return {moments.pearson(), moments.slope()};
}

Agreement Statistics::sum_rows() const {
  CovarianceMoments all, pairs, held_out, held_out_pairs;
  double noise = 0;
  for (const Row &row : rows_) {
    all.add(row.moments);
    pairs.add(row.pairs);
    held_out.add(row.held_out);
    held_out_pairs.add(row.held_out_pairs);
    noise += row.noise;
  }
  Agreement found;
  found.pearson = all.pearson();
  found.noiseless = all.pearson(noise);
  found.slope = all.slope();
  if (pairs.n > 0) found.pairs = {pairs.pearson(), pairs.slope()};
  if (held_out.n > 0) {
    found.held_out = {held_out.pearson(), held_out.slope()};
    found.held_out_pairs = {held_out_pairs.pearson(), held_out_pairs.slope()};
  }
  return found;
}

Agreement Statistics::compare(const Sample &sample, Span<double> slope, bool with_held_out, Target target, Threads threads) {
  const int64_t L = pairs_.sites, q = pairs_.colors;
  rows_[L - 1] = {};
  parallel_for(threads, L - 1, [&](int64_t i, int thread) {
    const uint32_t *counts = sample.pairs_of(target, i, thread);
    rows_[i] = compare_row(i, sample, counts, slope);
    if (with_held_out && held_out_ != nullptr) compare_held_out(i, sample, counts, sums_.data() + thread * q * q, rows_[i]);
  });
  Agreement found = sum_rows();
  compare_sites(sample, slope, found);
  if (with_held_out && held_out_ != nullptr) found.held_out_sites = compare_held_out_sites(sample);
  return found;
}

void Statistics::compare_sites(const Sample &sample, Span<double> slope, Agreement &found) const {
  const int64_t L = pairs_.sites, q = pairs_.colors;
  const double uniform = 1 / static_cast<double>(q);  // the mean of both f_i
  CovarianceMoments sites;
  sites.n = static_cast<double>(L * q);
  for (int64_t i = 0; i < L; ++i)
    for (int64_t a = 0; a < q; ++a) {
      const double p = sample.frequencies(i)[a], difference = p - family(i)[a];
      if (!slope.empty()) slope[i * q + a] = difference;
      found.field_error += std::fabs(difference) / static_cast<double>(L * q);
      found.site_entropy -= p > 0 ? p * std::log(p) : 0;
      sites.add(family(i)[a] - uniform, p - uniform);
    }
  found.sites = {sites.pearson(), sites.slope()};
}

// noise: what sum y^2 of the mean has more than the sum of the products.
Statistics::Row Statistics::compare_row_of_halves(int64_t i, const Sample *const (&halves)[2], const uint32_t *const (&counts)[2],
                                                  const double *couplings) const {
  const int64_t q = pairs_.colors;
  const double *f = family(i);
  Row row{};
  for (int64_t k = pairs_.below(i); k < pairs_.degree(i); ++k) {
    const int64_t j = pairs_.neighbor(i, k);
    const float *both = f_pairs_.data() + pairs_.pair(i, k) * q * q;
    const double *J = couplings + pairs_.pair(i, k) * q * q;
    for (int64_t a = 0; a < q; ++a)
      for (int64_t b = 0; b < q; ++b) {
        double y[2];
        for (int h = 0; h < 2; ++h) {
          const double p = counts[h][(halves[h]->place(i, k) * q + a) * q + b] / static_cast<double>(halves[h]->count());
          y[h] = p - halves[h]->frequencies(i)[a] * halves[h]->frequencies(j)[b];
          row.scores[h] += J[a * q + b] * p;
        }
        const double mean = 0.5 * (y[0] + y[1]);
        row.moments.add(static_cast<double>(both[a * q + b]) - f[a] * family(j)[b], mean);
        row.noise += mean * mean - y[0] * y[1];
      }
    row.moments.n += static_cast<double>(q * q);
  }
  return row;
}

Agreement Statistics::compare_halves(const Sample &a, const Sample &b, Span<const double> point, Target target, Threads threads) {
  const int64_t L = pairs_.sites, q = pairs_.colors;
  const Sample *const halves[] = {&a, &b};
  rows_[L - 1] = {};
  parallel_for(threads, L - 1, [&](int64_t i, int thread) {
    const uint32_t *const counts[] = {a.pairs_of(target, i, thread), b.pairs_of(target, i, thread)};
    rows_[i] = compare_row_of_halves(i, halves, counts, point.data() + L * q);
  });
  Agreement found = sum_rows();
  for (int h = 0; h < 2; ++h) {
    for (const Row &row : rows_) found.scores[h] += row.scores[h];
    for (int64_t i = 0; i < L; ++i)
      for (int64_t c = 0; c < q; ++c) found.scores[h] += point[i * q + c] * halves[h]->frequencies(i)[c];
  }
  for (int64_t i = 0; i < L; ++i)
    for (int64_t c = 0; c < q; ++c)
      found.field_error += std::fabs(0.5 * (a.frequencies(i)[c] + b.frequencies(i)[c]) - family(i)[c]) / static_cast<double>(L * q);
  return found;
}

}  // namespace atp
