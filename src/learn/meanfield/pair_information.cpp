// SPDX-License-Identifier: MIT
// The mutual information of two sites: direct, of a model of these sites alone, and that of their columns.
#include "learn/meanfield/mean_field.hpp"

#include "alignment/frequencies.hpp"
#include "potts/scores.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

// Direct information. P(a, b) = x_a exp(C(a, b)) y_b with given margins: x and y follow in turn from each other, which converges for every
// positive matrix. R. Sinkhorn, Ann. Math. Stat. 35, 876 (1964).

constexpr int kSteps = 100000;        // ten to thirty are usual
constexpr double kTolerance = 1e-11;  // of the margins
constexpr double kLargest = 600;      // exp() of it is finite, and of minus it normal

// out[b] = sum_a x[a] matrix[a][b].
void product(int64_t q, const double *x, const double *matrix, double *out) {
  std::fill_n(out, q, 0.0);
  for (int64_t a = 0; a < q; ++a)
    for (int64_t b = 0; b < q; ++b) out[b] += x[a] * matrix[a * q + b];
}

struct TwoSites {
  int64_t q;
  double *couplings, *weights, *transposed;  // [q][q]
  double *x, *y, *sums;                      // [q]
};

// exp(beta C) and its transpose; false where it does not fit into float64.
bool weigh(const TwoSites &s, double beta) {
  for (int64_t a = 0; a < s.q; ++a)
    for (int64_t b = 0; b < s.q; ++b) {
      double &c = s.couplings[a * s.q + b];
      c *= beta;
      if (!(std::fabs(c) <= kLargest)) return false;
      s.weights[a * s.q + b] = s.transposed[b * s.q + a] = std::exp(c);
    }
  return true;
}

// Whether the margins are f and g. The sums over b are f by construction; those over a approach g.
bool find_fields(const TwoSites &s, const double *f, const double *g) {
  std::fill_n(s.y, s.q, 1.0);
  for (int step = 0; step < kSteps; ++step) {
    product(s.q, s.y, s.transposed, s.sums);
    for (int64_t a = 0; a < s.q; ++a) s.x[a] = f[a] > 0 ? f[a] / s.sums[a] : 0;
    product(s.q, s.x, s.weights, s.sums);
    double error = 0;
    for (int64_t b = 0; b < s.q; ++b) error = std::fmax(error, std::fabs(s.y[b] * s.sums[b] - g[b]));
    if (error <= kTolerance && step > 0) return true;
    for (int64_t b = 0; b < s.q; ++b) s.y[b] = g[b] > 0 ? g[b] / s.sums[b] : 0;
  }
  return false;
}

// sum P log(P / (f g)), where log P = C + log x + log y.
double information(const TwoSites &s, const double *f, const double *g) {
  double sum = 0;
  for (int64_t a = 0; a < s.q; ++a) {
    if (!(f[a] > 0)) continue;
    for (int64_t b = 0; b < s.q; ++b) sum += s.x[a] * s.weights[a * s.q + b] * s.y[b] * s.couplings[a * s.q + b];
    sum += f[a] * std::log(s.x[a] / f[a]);
  }
  for (int64_t b = 0; b < s.q; ++b)
    if (g[b] > 0) sum += g[b] * std::log(s.y[b] / g[b]);
  return std::fmax(sum, 0);
}

double entropy_term(double f) { return f > 0 ? -f * std::log(f) : 0; }

}  // namespace

void direct_information(const Model &model, const double *frequencies, const Threads &threads, Span<double> scratch, double *out) {
  const int64_t L = model.sites(), q = model.colors(), size = direct_information_scratch(q, 1);
  parallel_for(threads, L, [&](int64_t i, int thread) {
    double *next = scratch.sub(thread * size, size).data();
    const auto take = [&next](int64_t n) { return (next += n) - n; };
    TwoSites s{};
    s.q = q;
    for (double **array : {&s.couplings, &s.weights, &s.transposed}) *array = take(q * q);
    for (double **array : {&s.x, &s.y, &s.sums}) *array = take(q);
    const double *f = frequencies + i * q;
    out[i * L + i] = 0;
    for (int64_t j = i + 1; j < L; ++j) {
      const double *g = frequencies + j * q;
      symmetric_block(model, i, j, s.couplings);
      to_zero_sum(s.couplings, q, s.x);
      if (!weigh(s, model.beta) || !find_fields(s, f, g))
        fail(ATP_E_VALUE, "the couplings of the pair " ATP_AT2 " are so large that its fields are not found", static_cast<long long>(i),
             static_cast<long long>(j));
      out[i * L + j] = out[j * L + i] = information(s, f, g);
    }
  });
}

// I = H_i + H_j - H_ij: the frequencies of a pair sum to those of its sites, with a pseudocount, too.
void mutual_information(Context &context, const Alignment &alignment, double pseudocount, double *out) {
  const int64_t L = alignment.sites(), q = alignment.colors();
  const Threads threads = context.threads;
  const AlignmentShape shape{alignment.count(), L, q};
  const Scratch scratch(context.allocator, RowCounts::bytes(shape, threads) + Scratch::piece<double>(L * q) + Scratch::piece<double>(L));
  Arena arena = scratch.arena();
  const RowCounts rows(shape, threads, arena);
  const Span<double> single = arena.take<double>(L, q), entropies = arena.take<double>(L);
  frequencies(alignment, pseudocount, single.data());
  for (int64_t k = 0; k < L * q; ++k) entropies[k / q] += entropy_term(single[k]);
  const double scale = (1 - pseudocount) / alignment.effective_count(), shift = pseudocount / static_cast<double>(q * q);
  parallel_for(threads, L, [&](int64_t i, int thread) {
    const double *counts = rows.count(alignment, i, thread);
    out[i * L + i] = 0;
    for (int64_t j = i + 1; j < L; ++j) {
      double joint = 0;
      for (int64_t k = 0; k < q * q; ++k) joint += entropy_term(std::fma(counts[j * q * q + k], scale, shift));
      out[i * L + j] = out[j * L + i] = std::fmax(entropies[i] + entropies[j] - joint, 0);
    }
  });
}

}  // namespace atp
