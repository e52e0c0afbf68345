// SPDX-License-Identifier: MIT
#include "alignment/frequencies.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace atp {

void count_colors(const Alignment &alignment, int64_t i, int64_t missing, int64_t q, double *out) {
  std::fill_n(out, q, 0.0);
  for (int64_t n = 0; n < alignment.count(); ++n)
    if (const int64_t a = alignment.sequence(n)[i] - missing; a >= 0) out[a] += alignment.weights[n];
}

void order_by_color(const Alignment &alignment, int64_t i, int64_t *order) {
  int64_t starts[257] = {};
  for (int64_t n = 0; n < alignment.count(); ++n) ++starts[alignment.sequence(n)[i] + 1];
  for (int64_t a = 1; a < 257; ++a) starts[a] += starts[a - 1];
  for (int64_t n = 0; n < alignment.count(); ++n) order[starts[alignment.sequence(n)[i]]++] = n;
}

void count_pairs(const Alignment &alignment, int64_t i, int64_t missing, int64_t q, const int64_t *order, double *out) {
  const int64_t L = alignment.sites();
  std::fill_n(out + i * q * q, (L - i) * q * q, 0.0);
  for (int64_t k = 0; k < alignment.count(); ++k) {
    const int64_t n = order == nullptr ? k : order[k];
    const uint8_t *s = alignment.sequence(n);
    const double w = alignment.weights[n];
    if (s[i] < missing) continue;
    double *start = out + (s[i] - missing) * q;
    if (missing == 0)
      for (int64_t j = i; j < L; ++j) start[j * q * q + s[j]] += w;
    else
      for (int64_t j = i; j < L; ++j)
        if (s[j] >= missing) start[j * q * q + s[j] - missing] += w;
  }
}

void frequencies(const Alignment &alignment, double pseudocount, double *out) {
  const int64_t sites = alignment.sites(), q = alignment.colors();
  std::fill_n(out, sites * q, 0.0);
  for (int64_t n = 0; n < alignment.count(); ++n) {
    const uint8_t *s = alignment.sequence(n);
    const double w = alignment.weights[n];
    for (int64_t i = 0; i < sites; ++i) out[i * q + s[i]] += w;
  }
  const double scale = (1 - pseudocount) / alignment.effective_count(), shift = pseudocount / static_cast<double>(q);
  for (int64_t k = 0; k < sites * q; ++k) out[k] = std::fma(out[k], scale, shift);
}

void residue_frequencies(const Alignment &alignment, double *out) {
  const int64_t q = alignment.colors() - 1;
  const double scale = 1 / alignment.effective_count();
  for (int64_t i = 0; i < alignment.sites(); ++i, out += q) {
    double sum = 0;
    count_colors(alignment, i, 1, q, out);
    for (int64_t a = 0; a < q; ++a) sum += out[a] *= scale;
    for (int64_t a = 0; a < q; ++a) out[a] = sum > 0 ? out[a] / sum : std::numeric_limits<double>::quiet_NaN();
  }
}

void log_frequencies(const Alignment &alignment, bool gaps_ignored, double pseudocount, double *out) {
  const int64_t sites = alignment.sites(), skipped = gaps_ignored ? 1 : 0, q = alignment.colors() - skipped;
  std::fill_n(out, sites * q, 0.0);
  for (int64_t n = 0; n < alignment.count(); ++n) {
    const uint8_t *s = alignment.sequence(n);
    for (int64_t i = 0; i < sites; ++i)
      if (s[i] >= skipped) out[i * q + s[i] - skipped] += alignment.weights[n];
  }
  for (int64_t i = 0; i < sites; ++i) {
    double *row = out + i * q, total = 0;
    for (int64_t a = 0; a < q; ++a) total += row[a];
    if (pseudocount < 0) {
      for (int64_t a = 0; a < q; ++a) row[a] = std::log((row[a] + 1) / (total + static_cast<double>(q)));
      continue;
    }
    for (int64_t a = 0; a < q; ++a) {
      const double uniform = 1 / static_cast<double>(q);
      const double frequency = total > 0 ? std::fma(pseudocount, uniform, (1 - pseudocount) * (row[a] / total)) : uniform;
      if (!(frequency > 0))
        fail(ATP_E_VALUE,
             "pseudocount is %g and colour " ATP_INDEX " of " ATP_INDEX ".." ATP_INDEX " has the frequency 0 at site " ATP_INDEX
             " (number %lld), must be above 0",
             pseudocount, llong{a}, 0LL, llong{q - 1}, llong{i}, llong{alignment.labels.numbers()[i]});
      row[a] = std::log(frequency);
    }
  }
}

void conservation(const Alignment &alignment, bool gaps_ignored, double *out) {
  const int64_t sites = alignment.sites(), skipped = gaps_ignored ? 1 : 0, q = alignment.colors() - skipped;
  for (int64_t i = 0; i < sites; ++i) {
    double sums[kMaxSymbols], total = 0, entropy = 0;
    count_colors(alignment, i, skipped, q, sums);
    for (int64_t a = 0; a < q; ++a) total += sums[a];
    for (int64_t a = 0; a < q; ++a)
      if (sums[a] > 0) entropy -= sums[a] / total * std::log(sums[a] / total);
    out[i] = total > 0 ? 1 - entropy / std::log(static_cast<double>(q)) : std::numeric_limits<double>::quiet_NaN();
  }
}

// One row of blocks (i, j >= i) at a time. Blocks below the diagonal are transposes.
void pair_frequencies(const Alignment &alignment, double pseudocount, double *out) {
  const int64_t sites = alignment.sites(), q = alignment.colors(), q2 = q * q;
  const double total = alignment.effective_count();
  const double scale = (1 - pseudocount) / total, pair_shift = pseudocount / static_cast<double>(q2),
               site_shift = pseudocount / static_cast<double>(q);
  for (int64_t i = 0; i < sites; ++i) {
    double *row = out + i * sites * q2;
    count_pairs(alignment, i, 0, q, nullptr, row);
    for (int64_t a = 0; a < q; ++a) {
      double &diagonal = row[i * q2 + a * q + a];
      diagonal = std::fma(diagonal, scale, site_shift);
    }
    for (int64_t k = (i + 1) * q2; k < sites * q2; ++k) row[k] = std::fma(row[k], scale, pair_shift);
    for (int64_t j = i + 1; j < sites; ++j)
      for (int64_t a = 0; a < q; ++a)
        for (int64_t b = 0; b < q; ++b) out[(j * sites + i) * q2 + b * q + a] = row[j * q2 + a * q + b];
  }
}

// The diagonal blocks store f_i until all others are done.
void covariances(const Alignment &alignment, double pseudocount, double *out) {
  pair_frequencies(alignment, pseudocount, out);
  const int64_t sites = alignment.sites(), q = alignment.colors(), q2 = q * q;
  const auto single = [&](int64_t i, int64_t a) { return out[(i * sites + i) * q2 + a * q + a]; };
  for (int64_t i = 0; i < sites; ++i)
    for (int64_t j = 0; j < sites; ++j) {
      if (i == j) continue;
      double *block = out + (i * sites + j) * q2;
      for (int64_t a = 0; a < q; ++a)
        for (int64_t b = 0; b < q; ++b) block[a * q + b] = std::fma(-single(i, a), single(j, b), block[a * q + b]);
    }
  for (int64_t i = 0; i < sites; ++i) {
    double f[256];
    for (int64_t a = 0; a < q; ++a) f[a] = single(i, a);
    double *block = out + (i * sites + i) * q2;
    for (int64_t a = 0; a < q; ++a)
      for (int64_t b = 0; b < q; ++b) block[a * q + b] = std::fma(-f[a], f[b], block[a * q + b]);
  }
}

double independent_loss(const Alignment &alignment, const double *frequencies) {
  const int64_t sites = alignment.sites(), q = alignment.colors();
  double sum = 0;
  for (int64_t i = 0; i < sites; ++i) {
    double counts[kMaxSymbols];
    count_colors(alignment, i, 0, q, counts);
    for (int64_t a = 0; a < q; ++a) {
      if (counts[a] == 0) continue;
      const double f = frequencies[i * q + a];
      if (!(f > 0)) fail(ATP_E_VALUE, "frequencies" ATP_AT2 " is %g, must be > 0: the colour occurs there", llong{i}, llong{a}, f);
      sum -= counts[a] * std::log(f);
    }
  }
  return sum / (static_cast<double>(sites) * alignment.effective_count());
}

}  // namespace atp
