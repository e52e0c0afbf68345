// SPDX-License-Identifier: MIT
#include "learn/network/encoder_group.hpp"

namespace atp {

namespace {

constexpr int64_t kLanes = kEncoderLanes;

}  // namespace

int64_t EncoderGroup::take(float *base) {
  const int64_t L = shape_.sites, d = shape_.width;
  FloatPieces pieces(base);
  for (int64_t b = 0; b < shape_.blocks; ++b) {
    Block &k = blocks_[static_cast<std::size_t>(b)];
    k.queries = b + 1 == shape_.blocks ? 1 : L;
    k.x = pieces.take((d + 1) * all());
    k.query = pieces.take(d * k.queries * kLanes);
    k.key_value = pieces.take(2 * d * all());
    k.a = pieces.take(k.queries * all());
    k.tail = pieces.take_tail(shape_, k.queries * kLanes);
    k.tail.x = k.x;
  }
  columns_.take(pieces, shape_, kLanes);
  masked_ = pieces.take((d + 1) * kLanes);
  blocks_[static_cast<std::size_t>(shape_.blocks - 1)].tail.x = masked_;
  output_ = pieces.take((d + 1) * kLanes);
  logits_ = pieces.take(shape_.colors * kLanes);
  slopes_ = pieces.take(d * all());
  const int64_t most = shape_.blocks > 1 ? L : 1;
  tail_slopes_.sum = pieces.take(d * most * kLanes);
  tail_slopes_.hidden = pieces.take(shape_.hidden * most * kLanes);
  tail_slopes_.c = pieces.take(d * most * kLanes);
  da_ = pieces.take(most * all());
  dqkv_ = pieces.take(3 * d * all());
  return pieces.used();
}

void EncoderGroup::start() {
  const int64_t d = shape_.width;
  for (int64_t b = 0; b < shape_.blocks; ++b) {
    const Block &k = blocks_[static_cast<std::size_t>(b)];
    std::fill_n(k.x + d * all(), all(), 1.0f);
    tail_set_ones(shape_, k.tail);
  }
  std::fill_n(masked_ + d * kLanes, kLanes, 1.0f);
  std::fill_n(output_ + d * kLanes, kLanes, 1.0f);
}

void EncoderGroup::run(const EncoderTools &tools, const EncoderJob &job, int64_t first, int64_t count, const EncoderSums &sums) {
  const EncoderWeights &weights = tools.weights;
  columns_.load(shape_, job, first, count);
  tools.kernels.embed(shape_.width, shape_.sites, weights.table(), weights.token_stride(), columns_.tokens, weights.positions(),
                      blocks_[0].x);
  for (int64_t b = 0; b < shape_.blocks; ++b) forward(tools, b);
  if (job.out.maps != nullptr) add_maps(job, first, sums.maps);
  output_forward(tools, kLanes, output_, logits_);
  if (job.out.conditionals != nullptr) output_conditionals(shape_, kLanes, count, logits_, job.out.conditionals + first * shape_.colors);
  const bool gradient = job.out.gradient != nullptr;
  output_backward(tools, columns_.masks(), output_, logits_, slopes_, gradient ? weights.output(sums.vectors, kLanes) : nullptr, sums.loss);
  if (!gradient) return;
  for (int64_t b = shape_.blocks - 1; b >= 0; --b) backward(tools, b, sums);
  for (int64_t r = 0; r < shape_.width; ++r)
    for (int64_t x = 0; x < all(); ++x) sums.plain[r * weights.token_stride() + columns_.tokens[x]] += slopes_[r * all() + x];
}

void EncoderGroup::forward(const EncoderTools &tools, int64_t b) {
  const Block &k = blocks_[static_cast<std::size_t>(b)];
  const EncoderMatrices<const float> m = tools.weights.block(b);
  const int64_t L = shape_.sites, d = shape_.width, n = k.tail.columns;
  const bool last = b + 1 == shape_.blocks;
  const float *keys = k.key_value, *values = keys + d * all();
  for (int64_t r = 0; last && r < d; ++r)
    for (int64_t lane = 0; lane < kLanes; ++lane) masked_[r * kLanes + lane] = k.x[r * all() + columns_.sites[lane] * kLanes + lane];
  tools.products.product(d, d + 1, m.query, n, k.tail.x, nullptr, k.query);
  tools.products.product(2 * d, d + 1, m.key_value, all(), k.x, nullptr, k.key_value);
  tools.kernels.lane_product(k.queries, L, d, {k.query, kLanes, n}, {keys, kLanes, all()}, k.a, all());
  for (int64_t query = 0; query < k.queries; ++query) tools.columns.softmax(L, kLanes, k.a + query * all());
  tools.kernels.lane_product(d, k.queries, L, {values, all(), kLanes}, {k.a, all(), kLanes}, k.tail.c, n);
  tail_forward(tools, b, k.tail, last ? output_ : blocks_[static_cast<std::size_t>(b + 1)].x);
}

// Turns the slopes with respect to the block's output, in slopes_, into those with respect to its input x.
void EncoderGroup::backward(const EncoderTools &tools, int64_t b, const EncoderSums &to) {
  const Block &k = blocks_[static_cast<std::size_t>(b)];
  const EncoderMatrices<float> sums = tools.weights.matrices(to.vectors, b, kLanes);
  const float *qkv = tools.weights.transposed(b).qkv, *keys = k.key_value, *values = keys + shape_.width * all();
  const int64_t L = shape_.sites, d = shape_.width, n = k.tail.columns;
  float *dquery = dqkv_, *dkeys = dquery + d * all(), *dvalues = dkeys + d * all();
  tail_backward(tools, b, k.tail, slopes_, sums, tail_slopes_);
  const float *dc = tail_slopes_.c, *dsum = tail_slopes_.sum;
  tools.kernels.lane_product(k.queries, L, d, {dc, kLanes, n}, {values, kLanes, all()}, da_, all());
  tools.kernels.lane_product(d, L, k.queries, {dc, n, kLanes}, {k.a, kLanes, all()}, dvalues, all());
  for (int64_t query = 0; query < k.queries; ++query) tools.columns.softmax_back(L, kLanes, k.a + query * all(), da_ + query * all());
  tools.kernels.lane_product(d, k.queries, L, {keys, all(), kLanes}, {da_, all(), kLanes}, dquery, n);
  tools.kernels.lane_product(d, L, k.queries, {k.query, n, kLanes}, {da_, kLanes, all()}, dkeys, all());
  tools.products.outer(d + 1, d, n, k.tail.x, dquery, sums.query);
  tools.products.outer(d + 1, 2 * d, all(), k.x, dkeys, sums.key_value);
  if (b + 1 < shape_.blocks) return tools.products.product(d, 3 * d, qkv, all(), dqkv_, dsum, slopes_);
  tools.products.product(d, 2 * d, qkv + d * d, all(), dkeys, nullptr, slopes_);
  tools.products.product(d, d, qkv, kLanes, dquery, dsum, tail_slopes_.c);
  for (int64_t r = 0; r < d; ++r)
    for (int64_t lane = 0; lane < kLanes; ++lane) slopes_[r * all() + columns_.sites[lane] * kLanes + lane] += dc[r * kLanes + lane];
}

void EncoderGroup::add_maps(const EncoderJob &job, int64_t first, double *maps) const {
  const int64_t L = shape_.sites;
  for (int64_t b = 0; b < shape_.blocks; ++b) {
    const Block &k = blocks_[static_cast<std::size_t>(b)];
    for (int64_t lane = 0; lane < columns_.count; ++lane) {
      const int64_t site = columns_.sites[lane];
      const float *a = k.a + (k.queries == 1 ? 0 : site) * all() + lane;
      const double weight = job.pairs.weight(first + lane);
      for (int64_t j = 0; j < L; ++j) maps[(b * L + site) * L + j] += weight * static_cast<double>(a[j * kLanes]);
    }
  }
}

}  // namespace atp
