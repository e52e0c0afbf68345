// SPDX-License-Identifier: MIT
#include "learn/network/dial.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

// x -> softmax(x). Returns the log of the sum of exponentials.
double soften(double *x, int64_t n) {
  const double top = *std::max_element(x, x + n);
  double total = 0;
  for (int64_t k = 0; k < n; ++k) total += x[k] = std::exp(x[k] - top);
  for (int64_t k = 0; k < n; ++k) x[k] /= total;
  return top + std::log(total);
}

}  // namespace

Ranks *DialSizes::sharing(Ranks *ranks, int64_t tasks, const MaskedData &pairs, const DialSums &sums) const {
  if (ranks == nullptr || tasks == 1) return nullptr;
  const int64_t numbers = tasks * kAttentionLanes + (sums.wanted() ? tasks * colors * features() + sites * (sites + tokens()) : 0);
  const double operations = static_cast<double>(pairs.pairs()) * this->operations(sums.wanted());
  return ranks->worth(operations, static_cast<double>(numbers) * sizeof(double));
}

void DialSizes::scale(const DialSums &sums, double factor) const {
  for (int64_t k = 0; k < sites * sites; ++k) sums.scores[k] *= factor;
  for (int64_t k = 0; sums.tokens != nullptr && k < sites * tokens(); ++k) sums.tokens[k] *= factor;
  for (int64_t k = 0; k < colors * features(); ++k) sums.values[k] *= factor;
}

void DialSizes::clear(const DialSums &sums) const {
  std::fill_n(sums.scores, sites * sites, 0.0);
  if (sums.tokens != nullptr) std::fill_n(sums.tokens, sites * tokens(), 0.0);
  std::fill_n(sums.values, colors * features(), 0.0);
}

void DialPassF64::lay_out(Arena &arena, const DialSizes &sizes, bool without_gradient) {
  sizes_ = sizes;
  blocks_ = (sizes.sites + kBlock - 1) / kBlock;
  losses_ = arena.take<double>(blocks_);
  value_sums_ = arena.take<double>(without_gradient ? 0 : product_of(blocks_, sizes.colors, sizes.features()));
  work_ = arena.take<double>(blocks_, (2 * sizes.features() + sizes.colors));
}

DialPassF64::Work DialPassF64::work(int64_t block) const {
  const int64_t features = sizes_.features();
  double *at = work_.data() + block * (2 * features + sizes_.colors);
  return {at, at + features, at + 2 * features};
}

// Computes the features, and the logits in w.logits.
void DialPassF64::forward(const DialTables &tables, const uint8_t *sequence, int64_t site, const Work &w) const {
  const int64_t sites = sizes_.sites, q = sizes_.colors, features = sizes_.features();
  std::fill_n(w.features, sizes_.tokens(), 0.0);
  if (sizes_.content) {
    double *attention = w.features + q + 1;
    const double *scores = tables.scores + site * sites, *tokens = tables.tokens + site * (q + 1);
    for (int64_t j = 0; j < sites; ++j) attention[j] = scores[j] + tokens[j == site ? q : sequence[j]];
    soften(attention, sites);
    for (int64_t j = 0; j < sites; ++j) w.features[j == site ? q : sequence[j]] += attention[j];
  } else {
    for (int64_t j = 0; j < sites; ++j)
      if (j != site) w.features[sequence[j]] += tables.scores[site * sites + j];
  }
  for (int64_t c = 0; c < q; ++c) {
    const double *row = tables.values + c * features;
    double sum = 0;
    for (int64_t f = 0; f < features; ++f) sum += row[f] * w.features[f];
    w.logits[c] = sum;
  }
}

// On entry w.logits holds D.
void DialPassF64::backward(const DialTables &tables, const uint8_t *sequence, int64_t site, const Work &w, const DialSums &sums,
                           double *values) const {
  const int64_t sites = sizes_.sites, q = sizes_.colors, features = sizes_.features();
  std::fill_n(w.derivatives, features, 0.0);
  for (int64_t c = 0; c < q; ++c) {
    const double slope = w.logits[c], *row = tables.values + c * features;
    double *sum = values + c * features;
    for (int64_t f = 0; f < features; ++f) {
      sum[f] += slope * w.features[f];
      w.derivatives[f] += slope * row[f];
    }
  }
  double *scores = sums.scores + site * sites;
  if (!sizes_.content) {
    for (int64_t j = 0; j < sites; ++j)
      if (j != site) scores[j] += w.derivatives[sequence[j]];
    return;
  }
  const double *attention = w.features + q + 1;
  double *slopes = w.derivatives + q + 1, *tokens = sums.tokens + site * (q + 1), mean = 0;
  for (int64_t j = 0; j < sites; ++j) {
    slopes[j] += w.derivatives[j == site ? q : sequence[j]];
    mean += attention[j] * slopes[j];
  }
  for (int64_t j = 0; j < sites; ++j) {
    const double x = attention[j] * (slopes[j] - mean);
    scores[j] += x;
    tokens[j == site ? q : sequence[j]] += x;
  }
}

// Calls function(block, pair) for all pairs that mask a site of the block, in order.
template <class Function>
void DialPassF64::for_blocks(Ranks *ranks, Threads threads, const MaskedData &pairs, Function &&function) const {
  shared_for(ranks, threads, blocks_, [&](int64_t block, int) {
    const int64_t first = block * kBlock, last = std::min(first + kBlock, sizes_.sites);
    if (pairs.masked != nullptr) {
      for (int64_t pair = 0; pair < pairs.count; ++pair)
        if (pairs.masked[pair] >= first && pairs.masked[pair] < last) function(block, pair);
    } else {
      for (int64_t n = 0; n < pairs.count; ++n)
        for (int64_t site = first; site < last; ++site) function(block, n * sizes_.sites + site);
    }
  });
}

double DialPassF64::run(Ranks *ranks, Threads threads, const DialTables &tables, const MaskedData &pairs, double total_weight,
                        const DialSums &sums) {
  const int64_t q = sizes_.colors, size = q * sizes_.features();
  std::fill(losses_.begin(), losses_.end(), 0.0);
  if (sums.wanted()) {
    sizes_.clear(sums);
    std::fill(value_sums_.begin(), value_sums_.end(), 0.0);
  }
  ranks = sizes_.sharing(ranks, blocks_, pairs, sums);
  for_blocks(ranks, threads, pairs, [&](int64_t block, int64_t pair) {
    const Work w = work(block);
    const uint8_t *sequence = pairs.sequence_of(pair);
    const int64_t site = pairs.site(pair);
    const double weight = pairs.weight_of(pair);
    forward(tables, sequence, site, w);
    const double own = w.logits[sequence[site]];
    losses_[block] += weight * (soften(w.logits, q) - own);
    if (!sums.wanted()) return;
    w.logits[sequence[site]] -= 1;
    for (int64_t c = 0; c < q; ++c) w.logits[c] *= weight;
    backward(tables, sequence, site, w, sums, value_sums_.data() + block * size);
  });
  if (ranks != nullptr) {
    constexpr int64_t kBytes = sizeof(double);
    ranks->gather(losses_.data(), blocks_, kBytes);
    if (sums.wanted()) ranks->gather(value_sums_.data(), blocks_, size * kBytes);
    if (sums.wanted()) sizes_.gather(*ranks, blocks_, sums, [&](int64_t block) { return std::min(block * kBlock, sizes_.sites); });
  }
  double loss = 0;
  for (double x : losses_) loss += x;
  if (sums.wanted()) {
    for (int64_t block = 0; block < blocks_; ++block)
      for (int64_t k = 0; k < size; ++k) sums.values[k] += value_sums_[block * size + k];
    sizes_.scale(sums, 1 / total_weight);
  }
  return loss / total_weight;
}

void DialPassF64::conditionals(Threads threads, const DialTables &tables, const MaskedData &pairs, double *out) {
  for_blocks(nullptr, threads, pairs, [&](int64_t block, int64_t pair) {
    const Work w = work(block);
    forward(tables, pairs.sequence_of(pair), pairs.site(pair), w);
    soften(w.logits, sizes_.colors);
    std::copy_n(w.logits, sizes_.colors, out + pair * sizes_.colors);
  });
}

void DialPassF64::maps(Threads threads, const DialTables &tables, const MaskedData &pairs, double total_weight, double *out) {
  const int64_t sites = sizes_.sites;
  std::fill_n(out, sites * sites, 0.0);
  for_blocks(nullptr, threads, pairs, [&](int64_t block, int64_t pair) {
    const Work w = work(block);
    const int64_t site = pairs.site(pair);
    forward(tables, pairs.sequence_of(pair), site, w);
    const double *attention = w.features + sizes_.colors + 1;
    for (int64_t j = 0; j < sites; ++j) out[site * sites + j] += pairs.weight_of(pair) * attention[j];
  });
  for (int64_t k = 0; k < sites * sites; ++k) out[k] /= total_weight;
}

}  // namespace atp
