// SPDX-License-Identifier: MIT
// D of a pair of sites i, j of an autoregressive model, i before j, with wild type s and beta = 1. Colour a at site i shifts the field of a
// later site k by x_a(c) = C_ki(c, a) - C_ki(c, s_i), colour b at site j by y_b(c).
//   site j:            log p_j(b | a) - log p_j(b) - log p_j(s_j | a) + log p_j(s_j)
//   each site k after: -log sum_c p_k(c) X_a(c) Y_b(c) + log sum_c p_k(c) X_a(c) + log sum_c p_k(c) Y_b(c),  X_a = exp(x_a), Y_b = exp(y_b)
// What is linear in the shifts, the field of s_k, cancels. Sites before j and sites that are missing do not count.
#include "potts/epistasis.hpp"

#include "potts/scores.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

// The symmetrised coupling, 0 where a site is missing.
double symmetrised(const Model &model, int64_t i, int64_t j, int64_t a, int64_t b) {
  return a == kMissing || b == kMissing ? 0.0 : 0.5 * (model.coupling(i, j, a, b) + model.coupling(j, i, b, a));
}

constexpr double kLeastSum = 1e-250;  // below it, and above its inverse, terms of a sum may have been lost

double log_sum_exp(const double *x, int64_t n) {
  const double top = *std::max_element(x, x + n);
  double sum = 0;
  for (int64_t c = 0; c < n; ++c) sum += std::exp(x[c] - top);
  return top + std::log(sum);
}

// beta times the shifts of the field of site k by the colours of site i, relative to the wild type, [q][q].
void relative_shifts(const Model &model, const uint8_t *s, int64_t k, int64_t i, double *x) {
  const int64_t q = model.colors();
  double own[kMaxColors] = {};
  field_shifts(model, k, i, x);
  if (s[i] != kMissing) std::copy_n(x + s[i] * q, q, own);
  for (int64_t a = 0; a < q; ++a)
    for (int64_t c = 0; c < q; ++c) x[a * q + c] = model.beta * (x[a * q + c] - own[c]);
}

// Rows log p(c) + x_a(c) become their softmax.
void tilt(const double *log_p, double *x, int64_t q) {
  for (int64_t a = 0; a < q; ++a) {
    double *row = x + a * q, top = -HUGE_VAL, sum = 0;
    for (int64_t c = 0; c < q; ++c) top = std::max(top, row[c] += log_p[c]);
    for (int64_t c = 0; c < q; ++c) sum += row[c] = std::exp(row[c] - top);
    for (int64_t c = 0; c < q; ++c) row[c] /= sum;
  }
}

// y[b][c] becomes Y_b(c) / sum_c' p(c') Y_b(c'), transposed: [c][b].
void normalise(const double *log_p, double *y, int64_t q, double *transposed) {
  for (int64_t b = 0; b < q; ++b) {
    double z[kMaxColors] = {};
    for (int64_t c = 0; c < q; ++c) z[c] = log_p[c] + y[b * q + c];
    const double norm = log_sum_exp(z, q);
    for (int64_t c = 0; c < q; ++c) transposed[c * q + b] = std::exp(y[b * q + c] - norm);
  }
}

// The same by logarithms, where the shifts of a and b leave a colour no weight that the other does.
double separate_term(const Model &model, const uint8_t *s, const double *log_p, int64_t k, const int64_t *sites, const int64_t *mutant) {
  const int64_t q = model.colors();
  double z[4][kMaxColors] = {};
  for (int64_t c = 0; c < q; ++c) {
    double shift[2];
    for (int side = 0; side < 2; ++side) {
      const uint8_t old = s[sites[side]];
      shift[side] =
          model.beta * (model.coupling(k, sites[side], c, mutant[side]) - (old == kMissing ? 0 : model.coupling(k, sites[side], c, old)));
    }
    for (int part = 0; part < 4; ++part) z[part][c] = log_p[c] + (part % 2 == 1 ? shift[0] : 0) + (part / 2 == 1 ? shift[1] : 0);
  }
  return log_sum_exp(z[3], q) - log_sum_exp(z[1], q) - log_sum_exp(z[2], q);
}

struct Work {
  double *x, *y;         // [q][q]
  double *sums, *spare;  // [q]
  Work(double *room, int64_t q) : x(room), y(room + q * q), sums(y + q * q), spare(sums + q) {}
};

// Subtracts D of the later site of the pair.
void own_term(const Model &model, const uint8_t *s, const double *log_p, int64_t i, int64_t j, const Work &work, double *out) {
  const int64_t q = model.colors();
  relative_shifts(model, s, j, i, work.x);
  for (int64_t a = 0; a < q; ++a) {
    for (int64_t c = 0; c < q; ++c) work.spare[c] = log_p[c] + work.x[a * q + c];
    const double norm = log_sum_exp(work.spare, q);
    for (int64_t b = 0; b < q; ++b) {
      const double old = s[j] == kMissing ? 0 : work.x[a * q + s[j]];
      out[a * q + b] = s[j] == kMissing ? norm - work.x[a * q + b] : old - work.x[a * q + b];
    }
  }
}

// Subtracts D of a site that is after both.
void later_term(const Model &model, const uint8_t *s, const double *log_p, int64_t k, const int64_t *sites, const Work &work, double *out) {
  const int64_t q = model.colors();
  relative_shifts(model, s, k, sites[1], work.x);
  double *transposed = work.y;
  normalise(log_p, work.x, q, transposed);
  relative_shifts(model, s, k, sites[0], work.x);
  tilt(log_p, work.x, q);
  for (int64_t a = 0; a < q; ++a) {
    std::fill_n(work.sums, q, 0.0);
    for (int64_t c = 0; c < q; ++c) {
      const double weight = work.x[a * q + c], *row = transposed + c * q;
      for (int64_t b = 0; b < q; ++b) work.sums[b] += weight * row[b];
    }
    for (int64_t b = 0; b < q; ++b) {
      const int64_t mutant[2] = {a, b};
      const bool exact = work.sums[b] > kLeastSum && work.sums[b] < 1 / kLeastSum;
      out[a * q + b] += exact ? std::log(work.sums[b]) : separate_term(model, s, log_p, k, sites, mutant);
    }
  }
}

}  // namespace

double potts_epistasis(const Model &model, const uint8_t *s, int64_t i, int64_t a, int64_t j, int64_t b) {
  return -(symmetrised(model, i, j, a, b) - symmetrised(model, i, j, a, s[j]) - symmetrised(model, i, j, s[i], b) +
           symmetrised(model, i, j, s[i], s[j]));
}

void field_shifts(const Model &model, int64_t j, int64_t i, double *shift) {
  const int64_t q = model.colors();
  const auto add = [&](double x, const double *block) {
    for (int64_t b = 0; b < q; ++b)
      for (int64_t a = 0; a < q; ++a) shift[a * q + b] += x * block[b * q + a];
  };
  std::fill_n(shift, q * q, 0.0);
  if (model.shape.dense()) add(1, model.block(j, i));
  for (int64_t h = 0; h < model.shape.heads; ++h) add(model.map(h)[j * model.sites() + i], model.value(h));
}

void log_conditionals(const Model &model, const uint8_t *sequence, Threads threads, double *out) {
  const int64_t q = model.colors();
  parallel_for(threads, model.sites(), [&](int64_t i, int) {
    double *row = out + i * q;
    model.local_field(sequence, i, row);
    for (int64_t a = 0; a < q; ++a) row[a] *= model.beta;
    const double norm = log_sum_exp(row, q);
    for (int64_t a = 0; a < q; ++a) row[a] -= norm;
  });
}

void pair_epistasis(const Model &model, const uint8_t *s, const double *log_p, int64_t i, int64_t j, double *room, double *out) {
  const int64_t q = model.colors();
  if (!model.shape.ordered) {
    for (int64_t a = 0; a < q; ++a)
      for (int64_t b = 0; b < q; ++b) out[a * q + b] = potts_epistasis(model, s, i, a, j, b);
    return;
  }
  const Work work(room, q);
  const bool swapped = model.sees(i, j);
  const int64_t sites[2] = {swapped ? j : i, swapped ? i : j};
  own_term(model, s, log_p + sites[1] * q, sites[0], sites[1], work, out);
  for (int64_t k = 0; k < model.sites(); ++k)
    if (model.sees(k, sites[1]) && s[k] != kMissing) later_term(model, s, log_p + k * q, k, sites, work, out);
  for (int64_t a = 0; swapped && a < q; ++a)
    for (int64_t b = 0; b < a; ++b) std::swap(out[a * q + b], out[b * q + a]);
}

int64_t epistatic_scratch(const Model &model, int64_t n, int threads) {
  const int64_t q = model.colors();
  return (model.shape.ordered ? product_of(n, model.sites(), q) : 0) + threads * (epistasis_scratch(q) + 2 * q * q);
}

void epistatic_scores(const Model &model, Span<const uint8_t> sequences, int64_t left_out, Threads threads, Span<double> scratch,
                      double *out) {
  const int64_t L = model.sites(), q = model.colors(), n = sequences.size() / L, own = epistasis_scratch(q) + 2 * q * q;
  const int64_t known = model.shape.ordered ? n * L * q : 0;
  double *log_p = scratch.sub(0, known).data();
  for (int64_t k = 0; model.shape.ordered && k < n; ++k) log_conditionals(model, sequences.data() + k * L, threads, log_p + k * L * q);
  parallel_for(threads, L * L, [&](int64_t place, int thread) {
    const int64_t i = place / L, j = place % L;
    if (i == j) out[place] = 0;
    if (i >= j) return;
    double *work = scratch.sub(known + thread * own, own).data(), *mean = work + epistasis_scratch(q), *one = mean + q * q;
    std::fill_n(mean, q * q, 0.0);
    for (int64_t k = 0; k < n; ++k) {
      pair_epistasis(model, sequences.data() + k * L, log_p + (model.shape.ordered ? k * L * q : 0), i, j, work, one);
      for (int64_t c = 0; c < q * q; ++c) mean[c] += one[c] / static_cast<double>(n);
    }
    to_zero_sum(mean, q, work);
    const double norm = norm_without(mean, q, left_out);
    out[i * L + j] = out[j * L + i] = model.shape.ordered ? norm : model.beta * norm;
  });
}

}  // namespace atp
