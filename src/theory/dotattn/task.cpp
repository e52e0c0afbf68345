// SPDX-License-Identifier: MIT
#include "theory/dotattn/task.hpp"

#include "base/philox.hpp"
#include "math/optim/stochastic.hpp"
#include "math/optim/vector.hpp"

#include <cmath>

namespace atp::dotattn {

void warn_of_teacher(const Context &context, const double *teacher, int64_t tokens) {
  for (int64_t row = 0; row < tokens; ++row) {
    double sum = 0;
    for (int64_t k = 0; k < tokens; ++k) sum += teacher[row * tokens + k];
    if (std::fabs(sum - 1) > 1e-9)
      context.message(ATP_LOG_WARNING, "teacher: row %lld sums to %.15g, not to 1: no attention of the student can match it",
                      static_cast<long long>(row), sum);
  }
}

void require_rising(const double *times, int64_t n) {
  for (int64_t k = 1; k < n; ++k)
    if (times[k] < times[k - 1])
      fail(ATP_E_VALUE, "times" ATP_AT " is %g after %g, times must rise", static_cast<long long>(k), times[k], times[k - 1]);
}

void code_vector(int64_t d, int64_t k, Span<double> u) {
  for (int64_t j = 0; j < d; ++j) {
    if (k == 0) {
      u[j] = 1;
      continue;
    }
    // sqrt(2) cos(pi k (2 j + 1) / (2 d)): the angle is brought into [0, pi].
    int64_t angle = k * (2 * j + 1) % (4 * d);
    if (angle > 2 * d) angle = 4 * d - angle;
    u[j] = std::sqrt(2.0) * cos_pi(static_cast<double>(angle) / static_cast<double>(2 * d));
  }
}

void draw_normals(uint64_t seed, int64_t run, uint64_t step, Span<double> out) {
  for (int64_t e = 0; e < out.size(); e += 2) {
    const PhiloxBlock b = philox(seed, counter(Stream::dotattn, static_cast<uint64_t>(run), step, static_cast<uint64_t>(e / 2)));
    out[e] = normal_quantile(uniform_f64(b[0], b[1]));
    if (e + 1 < out.size()) out[e + 1] = normal_quantile(uniform_f64(b[2], b[3]));
  }
}

void attention(int64_t tokens, int64_t rank, const double *chi, double *s) {
  for (int64_t a = 0; a < tokens; ++a) {
    double *row = s + a * tokens;
    double highest = -HUGE_VAL, sum = 0;
    for (int64_t b = 0; b < tokens; ++b) {
      double logit = 0;
      for (int64_t k = 0; k < rank; ++k) logit += chi[a * rank + k] * chi[b * rank + k];
      row[b] = logit;
      if (logit > highest) highest = logit;
    }
    for (int64_t b = 0; b < tokens; ++b) sum += row[b] = std::exp(row[b] - highest);
    for (int64_t b = 0; b < tokens; ++b) row[b] /= sum;
  }
}

void teacher_matrix(const Task &task, const double *h, double *t) {
  attention(task.tokens, 1, h, t);
  for (int64_t k = 0; k < task.tokens * task.tokens; ++k) t[k] = (1 - task.omega) * t[k] + task.omega * task.teacher[k];
}

void limit_numbers(const Task &task, const double *h, double *numbers) {
  const int64_t L = task.tokens;
  const double rho = task.sigma * task.sigma;
  double *gram = numbers, *cross = numbers + L * L, size = 0;
  teacher_matrix(task, h, cross);
  for (int64_t e = 0; e < L * L; ++e) {
    size += rho * cross[e] * cross[e];
    cross[e] *= rho;
    gram[e] = e % (L + 1) == 0 ? rho : 0;
  }
  cross[L * L] = size;
}

double sample_loss(int64_t tokens, int64_t rank, const double *numbers, const double *chi, double *slope) {
  const double *gram = numbers, *cross = numbers + tokens * tokens;
  double s[kMostTokens * kMostTokens], by_logit[kMostTokens * kMostTokens];
  attention(tokens, rank, chi, s);
  double loss = numbers[2 * tokens * tokens];
  for (int64_t a = 0; a < tokens; ++a) {
    double mean = 0;
    for (int64_t b = 0; b < tokens; ++b) {
      double product = 0;  // (S x x^T)_ab
      for (int64_t c = 0; c < tokens; ++c) product += s[a * tokens + c] * gram[c * tokens + b];
      loss += s[a * tokens + b] * (product - 2 * cross[a * tokens + b]);
      const double by_s = 2 * (product - cross[a * tokens + b]);
      by_logit[a * tokens + b] = by_s;
      mean += s[a * tokens + b] * by_s;
    }
    for (int64_t b = 0; b < tokens; ++b) by_logit[a * tokens + b] = s[a * tokens + b] * (by_logit[a * tokens + b] - mean);
  }
  if (slope == nullptr) return loss;
  for (int64_t a = 0; a < tokens; ++a)
    for (int64_t k = 0; k < rank; ++k) {
      double sum = 0;
      for (int64_t b = 0; b < tokens; ++b) sum += (by_logit[a * tokens + b] + by_logit[b * tokens + a]) * chi[b * rank + k];
      slope[a * rank + k] = sum;
    }
  return loss;
}

// The derivative along the direction of each line of sample_loss(): a name with `d_` is that of the same quantity.
void sample_curvature(int64_t tokens, int64_t rank, const double *numbers, const double *chi, const double *direction, double *change) {
  const double *gram = numbers, *cross = numbers + tokens * tokens;
  double s[kMostTokens * kMostTokens], by_logit[kMostTokens * kMostTokens], d_by_logit[kMostTokens * kMostTokens];
  attention(tokens, rank, chi, s);
  for (int64_t a = 0; a < tokens; ++a) {
    const double *row = s + a * tokens;
    double d_row[kMostTokens], by_s[kMostTokens], d_by_s[kMostTokens], mean = 0, d_mean = 0, drift = 0;
    for (int64_t b = 0; b < tokens; ++b) {
      double d_logit = 0;
      for (int64_t k = 0; k < rank; ++k)
        d_logit += direction[a * rank + k] * chi[b * rank + k] + chi[a * rank + k] * direction[b * rank + k];
      d_row[b] = d_logit;
      drift += row[b] * d_logit;
    }
    for (int64_t b = 0; b < tokens; ++b) d_row[b] = row[b] * (d_row[b] - drift);
    for (int64_t b = 0; b < tokens; ++b) {
      double product = 0, d_product = 0;
      for (int64_t c = 0; c < tokens; ++c) {
        product += row[c] * gram[c * tokens + b];
        d_product += d_row[c] * gram[c * tokens + b];
      }
      by_s[b] = 2 * (product - cross[a * tokens + b]);
      d_by_s[b] = 2 * d_product;
      mean += row[b] * by_s[b];
      d_mean += d_row[b] * by_s[b] + row[b] * d_by_s[b];
    }
    for (int64_t b = 0; b < tokens; ++b) {
      by_logit[a * tokens + b] = row[b] * (by_s[b] - mean);
      d_by_logit[a * tokens + b] = d_row[b] * (by_s[b] - mean) + row[b] * (d_by_s[b] - d_mean);
    }
  }
  for (int64_t a = 0; a < tokens; ++a)
    for (int64_t k = 0; k < rank; ++k) {
      double sum = 0;
      for (int64_t b = 0; b < tokens; ++b)
        sum += (d_by_logit[a * tokens + b] + d_by_logit[b * tokens + a]) * chi[b * rank + k] +
               (by_logit[b * tokens + a] + by_logit[a * tokens + b]) * direction[b * rank + k];
      change[a * rank + k] = sum;
    }
}

void Source::draw(uint64_t sample, Span<const double> u, Span<const double> teacher, Span<double> work, double *numbers) {
  const int64_t d = task_.d, tokens = task_.tokens;
  const Span<double> xi = work.sub(0, tokens * d), x = work.sub(tokens * d, tokens * d);
  const double root = std::sqrt(static_cast<double>(d));
  draw_normals(seed_, run_, 2 + sample, xi);
  double h[kMostTokens] = {}, t[kMostTokens * kMostTokens], noise[kMostTokens * kMostTokens], both[kMostTokens * kMostTokens];
  for (int64_t l = 0; l < tokens; ++l) {
    const Span<double> mine = xi.sub(l * d, d), shifted = x.sub(l * d, d);
    for (double &value : mine) value *= task_.sigma;
    h[l] = dot(mine, teacher) / root;
    copy(mine, shifted);
    for (int64_t k = 0; k < task_.code_columns; ++k) add_scaled(task_.code[l * task_.code_columns + k] / root, u.sub(k * d, d), shifted);
  }
  teacher_matrix(task_, h, t);
  double *gram = numbers, *cross = numbers + tokens * tokens;
  for (int64_t a = 0; a < tokens; ++a)
    for (int64_t b = 0; b < tokens; ++b) {
      gram[a * tokens + b] = b < a ? gram[b * tokens + a] : dot(x.sub(a * d, d), x.sub(b * d, d));
      noise[a * tokens + b] = b < a ? noise[b * tokens + a] : dot(xi.sub(a * d, d), xi.sub(b * d, d));
      both[a * tokens + b] = dot(xi.sub(a * d, d), x.sub(b * d, d));
    }
  double size = 0;
  for (int64_t a = 0; a < tokens; ++a)
    for (int64_t b = 0; b < tokens; ++b) {
      double sum = 0, square = 0;
      for (int64_t c = 0; c < tokens; ++c) {
        sum += t[a * tokens + c] * both[c * tokens + b];
        square += t[a * tokens + c] * noise[c * tokens + b];
      }
      cross[a * tokens + b] = sum;
      size += square * t[a * tokens + b];
    }
  numbers[2 * tokens * tokens] = size;
  x_ = x;
}

}  // namespace atp::dotattn
