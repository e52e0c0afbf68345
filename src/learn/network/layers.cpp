// SPDX-License-Identifier: MIT
#include "learn/network/layers.hpp"

#include "learn/network/encoder_layout.hpp"

#include <algorithm>
#include <cmath>

namespace atp::layers {

void linear(int64_t rows, int64_t in, int64_t out, const double *w, const double *b, const double *x, double *y) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t o = 0; o < out; ++o) {
      double sum = b[o];
      for (int64_t i = 0; i < in; ++i) sum += w[o * in + i] * x[r * in + i];
      y[r * out + o] = sum;
    }
}

void linear_back(int64_t rows, int64_t in, int64_t out, const double *w, const double *x, const double *dy, double *dw, double *db,
                 double *dx) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t o = 0; o < out; ++o) {
      const double slope = dy[r * out + o];
      db[o] += slope;
      for (int64_t i = 0; i < in; ++i) dw[o * in + i] += slope * x[r * in + i];
      if (dx != nullptr)
        for (int64_t i = 0; i < in; ++i) dx[r * in + i] += slope * w[o * in + i];
    }
}

void norm(int64_t rows, int64_t width, const double *scale, const double *shift, const double *x, double *hat, double *deviation,
          double *y) {
  const double n = static_cast<double>(width);
  for (int64_t r = 0; r < rows; ++r) {
    const double *from = x + r * width;
    double mean = 0, variance = 0;
    for (int64_t c = 0; c < width; ++c) mean += from[c];
    mean /= n;
    for (int64_t c = 0; c < width; ++c) variance += (from[c] - mean) * (from[c] - mean);
    deviation[r] = 1 / std::sqrt(variance / n + kNormEpsilon);
    for (int64_t c = 0; c < width; ++c) {
      hat[r * width + c] = (from[c] - mean) * deviation[r];
      y[r * width + c] = scale[c] * hat[r * width + c] + shift[c];
    }
  }
}

void norm_back(int64_t rows, int64_t width, const double *scale, const double *hat, const double *deviation, const double *dy,
               double *dscale, double *dshift, double *dx) {
  const double n = static_cast<double>(width);
  for (int64_t r = 0; r < rows; ++r) {
    const double *h = hat + r * width, *from = dy + r * width;
    double mean = 0, along = 0;
    for (int64_t c = 0; c < width; ++c) {
      dshift[c] += from[c];
      dscale[c] += from[c] * h[c];
      mean += scale[c] * from[c];
      along += scale[c] * from[c] * h[c];
    }
    for (int64_t c = 0; c < width; ++c) dx[r * width + c] = deviation[r] * (scale[c] * from[c] - mean / n - h[c] * along / n);
  }
}

void relu(int64_t n, double *x) {
  for (int64_t k = 0; k < n; ++k) x[k] = x[k] > 0 ? x[k] : 0;
}

void relu_back(int64_t n, const double *y, double *dy) {
  for (int64_t k = 0; k < n; ++k) dy[k] = y[k] > 0 ? dy[k] : 0;
}

void attention(int64_t sites, int64_t width, int64_t first, int64_t last, const double *qkv, double *a, double *c) {
  const double root = 1 / std::sqrt(static_cast<double>(width));
  for (int64_t k = first; k < last; ++k) {
    const double *q = qkv + k * 3 * width;
    double *row = a + k * sites, *to = c + k * width, top = -HUGE_VAL, total = 0;
    for (int64_t j = 0; j < sites; ++j) {
      const double *key = qkv + (j * 3 + 1) * width;
      double sum = 0;
      for (int64_t r = 0; r < width; ++r) sum += q[r] * key[r];
      row[j] = root * sum;
      top = std::max(top, row[j]);
    }
    for (int64_t j = 0; j < sites; ++j) total += row[j] = std::exp(row[j] - top);
    std::fill_n(to, width, 0.0);
    for (int64_t j = 0; j < sites; ++j) {
      const double *value = qkv + (j * 3 + 2) * width;
      row[j] /= total;
      for (int64_t r = 0; r < width; ++r) to[r] += row[j] * value[r];
    }
  }
}

void attention_back(int64_t sites, int64_t width, int64_t first, int64_t last, const double *qkv, const double *a, const double *dc,
                    double *dqkv, double *work) {
  const double root = 1 / std::sqrt(static_cast<double>(width));
  std::fill_n(dqkv, sites * 3 * width, 0.0);
  for (int64_t k = first; k < last; ++k) {
    const double *q = qkv + k * 3 * width, *row = a + k * sites, *slope = dc + k * width;
    double *dq = dqkv + k * 3 * width, mean = 0;
    for (int64_t j = 0; j < sites; ++j) {
      const double *value = qkv + (j * 3 + 2) * width;
      double *dvalue = dqkv + (j * 3 + 2) * width, sum = 0;
      for (int64_t r = 0; r < width; ++r) {
        sum += slope[r] * value[r];
        dvalue[r] += row[j] * slope[r];
      }
      work[j] = sum;
      mean += row[j] * sum;
    }
    for (int64_t j = 0; j < sites; ++j) {
      const double *key = qkv + (j * 3 + 1) * width;
      const double score = root * row[j] * (work[j] - mean);
      double *dkey = dqkv + (j * 3 + 1) * width;
      for (int64_t r = 0; r < width; ++r) {
        dq[r] += score * key[r];
        dkey[r] += score * q[r];
      }
    }
  }
}

double cross_entropy(int64_t colors, const double *logits, int64_t own, double weight, double *slopes) {
  const double top = *std::max_element(logits, logits + colors), own_logit = logits[own];
  double total = 0;
  for (int64_t a = 0; a < colors; ++a) total += std::exp(logits[a] - top);
  if (slopes != nullptr) {
    for (int64_t a = 0; a < colors; ++a) slopes[a] = weight * std::exp(logits[a] - top) / total;
    slopes[own] -= weight;
  }
  return std::log(total) + top - own_logit;
}

}  // namespace atp::layers
