// SPDX-License-Identifier: MIT
#include "learn/network/encoder_single.hpp"

namespace atp {

int64_t EncoderSingle::take(float *base) {
  const int64_t d = shape_.width;
  FloatPieces pieces(base);
  columns_.take(pieces, shape_, kPairs);
  tail_ = pieces.take_tail(shape_, kPairs);
  x_ = pieces.take(d * kPairs);
  tail_.x = x_;
  mixed_ = pieces.take(tables_.rows() * kPairs);
  output_ = pieces.take((d + 1) * kPairs);
  logits_ = pieces.take(shape_.colors * kPairs);
  slopes_ = pieces.take(d * kPairs);
  tail_slopes_.sum = pieces.take(d * kPairs);
  tail_slopes_.hidden = pieces.take(shape_.hidden * kPairs);
  tail_slopes_.c = pieces.take(d * kPairs);
  dmixed_ = pieces.take(tables_.columns() * kPairs);
  return pieces.used();
}

void EncoderSingle::run(const EncoderTools &tools, const EncoderJob &job, int64_t first, int64_t count, const EncoderSums &sums) {
  columns_.load(shape_, job, first, count);
  const int64_t n = columns_.columns, L = shape_.sites;
  tail_.columns = n;
  tail_set_ones(shape_, tail_);
  std::fill_n(output_ + shape_.width * n, n, 1.0f);
  forward(tools);
  if (job.out.maps != nullptr)
    for (int64_t x = 0; x < count; ++x) {
      const double weight = job.pairs.weight(first + x);
      const float *a = mixed_ + (shape_.colors + 1) * n + x;
      for (int64_t j = 0; j < L; ++j) sums.maps[columns_.sites[x] * L + j] += weight * static_cast<double>(a[j * n]);
    }
  output_forward(tools, n, output_, logits_);
  if (job.out.conditionals != nullptr) output_conditionals(shape_, n, count, logits_, job.out.conditionals + first * shape_.colors);
  const bool gradient = job.out.gradient != nullptr;
  output_backward(tools, columns_.masks(), output_, logits_, slopes_,
                  gradient ? tools.weights.output(sums.vectors, kEncoderLanes) : nullptr, sums.loss);
  if (gradient) backward(tools, sums);
}

void EncoderSingle::forward(const EncoderTools &tools) {
  const int64_t n = columns_.columns, L = shape_.sites, d = shape_.width, q = shape_.colors, width = tables_.columns();
  float *a = mixed_ + (q + 1) * n;
  const int32_t *sites = columns_.sites;
  const float *scores = tables_.scores(), *masked = tables_.masked();
  for (int64_t j = 0; j < L; ++j) {
    const int32_t *token = columns_.tokens + j * n;
    for (int64_t x = 0; x < n; ++x) {
      const float *row = scores + sites[x] * width;
      a[j * n + x] = row[token[x]] + row[q + 1 + j];
    }
  }
  tools.columns.softmax(L, n, a);
  std::fill_n(mixed_, (q + 1) * n, 0.0f);
  for (int64_t j = 0; j < L; ++j) {
    const int32_t *token = columns_.tokens + j * n;
    for (int64_t x = 0; x < n; ++x) mixed_[token[x] * n + x] += a[j * n + x];
  }
  tools.products.product(d, tables_.rows(), tables_.values_turned(), n, mixed_, nullptr, tail_.c);
  for (int64_t r = 0; r < d; ++r)
    for (int64_t x = 0; x < n; ++x) x_[r * n + x] = masked[r * tables_.padded_sites() + sites[x]];
  tail_forward(tools, 0, tail_, output_);
}

void EncoderSingle::backward(const EncoderTools &tools, const EncoderSums &sums) {
  const int64_t n = columns_.columns, L = shape_.sites, d = shape_.width, q = shape_.colors, width = tables_.columns();
  const float *a = mixed_ + (q + 1) * n;
  tail_backward(tools, 0, tail_, slopes_, tools.weights.matrices(sums.vectors, 0, kEncoderLanes), tail_slopes_);
  // Values, and the sum of x at the masked sites, from a row of ones.
  float *values = sums.vectors + tools.weights.elements() * kEncoderLanes;
  tools.products.outer(tables_.rows(), d, n, mixed_, tail_slopes_.c, values);
  tools.products.outer(1, d, n, tail_.c + d * n, tail_slopes_.sum, values + tables_.rows() * d * kEncoderLanes);
  tools.products.product(width, d, tables_.values(), n, tail_slopes_.c, nullptr, dmixed_);
  float *da = dmixed_ + (q + 1) * n;
  for (int64_t j = 0; j < L; ++j) {
    const int32_t *token = columns_.tokens + j * n;
    for (int64_t x = 0; x < n; ++x) da[j * n + x] += dmixed_[token[x] * n + x];
  }
  tools.columns.softmax_back(L, n, a, da);
  for (int64_t j = 0; j < L; ++j) {
    const int32_t *token = columns_.tokens + j * n;
    for (int64_t x = 0; x < n; ++x) {
      float *row = sums.plain + columns_.sites[x] * width;
      const float slope = da[j * n + x];
      row[token[x]] += slope;
      row[q + 1 + j] += slope;
    }
  }
}

}  // namespace atp
