// SPDX-License-Identifier: MIT
#include "learn/factored/data_pass.hpp"
#include "base/team.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

double pass_operations(const AttentionInput &input, int64_t predicted, bool gradient) {
  return (gradient ? 2 : 1) * static_cast<double>(predicted) *
         static_cast<double>(input.heads * (input.sites + input.colors * input.colors));
}

void SiteAreas::add_up(const AttentionSums &sums) const {
  const auto add = [&](int64_t i, int64_t offset, int64_t n, double *to) {
    std::fill_n(to, n, 0.0);
    for (int64_t split = 0; split < splits; ++split) {
      const double *from = rows(i / block, split).maps + i * row() + offset;
      for (int64_t k = 0; k < n; ++k) to[k] += from[k];
    }
  };
  for (int64_t i = 0; i < sites; ++i) {
    for (int64_t h = 0; h < heads; ++h) add(i, h * sites, sites, sums.maps + (h * sites + i) * sites);
    if (fields) add(i, heads * sites, colors, sums.fields + i * colors);
  }
}

void SiteBlocks::lay_out(Arena &arena, const AttentionInput &shape, int64_t block) {
  block_ = block;
  count_ = (shape.sites + block - 1) / block;
  value_size_ = shape.heads * shape.colors * shape.colors;
  losses_ = arena.take<double>(count_);
  value_sums_ = arena.take<double>(count_, value_size_);
  areas_ = arena.take<double>(ranks_.several() ? shape.sites : 0, shape.heads * shape.sites + shape.colors);
}

Ranks *SiteBlocks::sharing(const AttentionInput &input, const MaskedData &data, const AttentionSums &sums) const {
  if (areas_.empty() || count_ == 1) return nullptr;
  const int64_t numbers =
      count_ + (sums.values != nullptr ? value_sums_.size() : 0) + (sums.gradient() ? input.sites * areas(input, sums).row() : 0);
  return ranks_.worth(pass_operations(input, data.pairs(), sums.gradient()), static_cast<double>(numbers) * sizeof(double));
}

SiteRows SiteBlocks::rows(const Ranks *sharing, const AttentionInput &input, const AttentionSums &sums) const {
  return sharing != nullptr ? areas(input, sums).rows(0, 0) : sums.rows(input);
}

double SiteBlocks::add_up(Ranks *sharing, const AttentionInput &input, const MaskedData &data, double total_weight,
                          const AttentionSums &sums) const {
  constexpr int64_t kBytes = sizeof(double);
  if (sharing != nullptr) {
    const SiteAreas areas = this->areas(input, sums);
    sharing->gather(losses_.data(), count_, kBytes);
    if (sums.values != nullptr) sharing->gather(value_sums_.data(), count_, value_size_ * kBytes);
    if (sums.gradient()) {
      sharing->gather_rows(areas_.data(), count_, areas.row() * kBytes, [&](int64_t block) { return first(block, input.sites); });
      areas.add_up(sums);
    }
  }
  double loss = 0;
  for (double part : losses_) loss += part;
  if (sums.values != nullptr) {
    std::fill_n(sums.values, value_size_, 0.0);
    for (int64_t block = 0; block < count_; ++block)
      for (int64_t k = 0; k < value_size_; ++k) sums.values[k] += value_sums(block)[k];
  }
  const double scale = 1 / (total_weight * (data.masked == nullptr ? static_cast<double>(input.sites) : 1.0));
  sums.scale(input, scale);
  return loss * scale;
}

void DataPassF64::lay_out(Arena &arena, int64_t sites, int64_t colors, int64_t heads) {
  AttentionInput shape;
  shape.sites = sites;
  shape.colors = colors;
  shape.heads = heads;
  blocks_.lay_out(arena, shape, kBlock);
  work_ = arena.take<double>(blocks_.count(), (2 * heads + 1), colors);
}

double DataPassF64::run(Threads threads, const AttentionInput &input, const MaskedData &data, double total_weight,
                        const AttentionSums &sums) {
  Ranks *ranks = blocks_.sharing(input, data, sums);
  const SiteRows rows = blocks_.rows(ranks, input, sums);
  shared_for(ranks, threads, blocks_.count(), [&](int64_t block, int) { run_block(block, input, data, sums, rows); });
  return blocks_.add_up(ranks, input, data, total_weight, sums);
}

void DataPassF64::run_block(int64_t block, const AttentionInput &input, const MaskedData &data, const AttentionSums &sums,
                            const SiteRows &rows) {
  const int64_t sites = input.sites, q = input.colors, heads = input.heads;
  const int64_t first = blocks_.first(block, sites), last = blocks_.first(block + 1, sites);
  double *acc = work_.data() + block * (2 * heads + 1) * q, *acc_sums = acc + heads * q, *logits = acc_sums + heads * q;
  double *value_sums = blocks_.value_sums(block);
  if (sums.values != nullptr) std::fill_n(value_sums, heads * q * q, 0.0);
  for (int64_t i = first; i < last; ++i) {
    if (sums.fields != nullptr) std::fill_n(rows.field(i), q, 0.0);
    for (int64_t h = 0; sums.gradient() && h < heads; ++h) std::fill_n(rows.map(h, i), sites, 0.0);
  }

  double loss = 0;
  for (int64_t n = 0; n < data.count; ++n) {
    const uint8_t *s = data.sequence(n);
    const uint8_t *hidden = data.hidden_sites(n);
    const double weight = data.weight(n);
    if (weight == 0) continue;
    const int64_t begin = data.masked == nullptr ? first : std::max(first, data.masked[n]);
    const int64_t end = data.masked == nullptr ? last : std::min(last, data.masked[n] + 1);
    for (int64_t i = begin; i < end; ++i) {
      if (input.gaps_ignored && s[i] == 0) continue;
      std::fill_n(acc, heads * q, 0.0);
      for (int64_t h = 0; h < heads; ++h) {
        const double *row = input.maps + (h * sites + i) * sites;
        for (int64_t j = 0; j < sites; ++j)
          if (hidden == nullptr || hidden[j] == 0) acc[h * q + s[j]] += row[j];  // A_ii = 0
      }
      for (int64_t a = 0; a < q; ++a) {
        double logit = input.fields == nullptr ? 0 : input.fields[i * q + a];
        for (int64_t h = 0; h < heads; ++h) {
          const double *v = input.values + (h * q + a) * q;
          for (int64_t b = 0; b < q; ++b) logit += v[b] * acc[h * q + b];
        }
        logits[a] = logit;
      }
      const double top = *std::max_element(logits, logits + q), own = logits[s[i]];
      double total = 0;
      for (int64_t a = 0; a < q; ++a) total += logits[a] = std::exp(logits[a] - top);
      loss += weight * (std::log(total) + top - own);
      if (!sums.gradient()) continue;

      double *slope = logits;  // D(a)
      for (int64_t a = 0; a < q; ++a) slope[a] *= weight / total;
      slope[s[i]] -= weight;
      if (sums.fields != nullptr)
        for (int64_t a = 0; a < q; ++a) rows.field(i)[a] += slope[a];
      std::fill_n(acc_sums, heads * q, 0.0);
      for (int64_t h = 0; h < heads; ++h) {
        for (int64_t a = 0; a < q; ++a) {
          const double *v = input.values + (h * q + a) * q;
          for (int64_t b = 0; b < q; ++b) acc_sums[h * q + b] += v[b] * slope[a];
        }
        if (sums.values != nullptr)
          for (int64_t a = 0; a < q; ++a)
            for (int64_t b = 0; b < q; ++b) value_sums[(h * q + a) * q + b] += slope[a] * acc[h * q + b];
        double *row = rows.map(h, i);
        for (int64_t j = 0; j < sites; ++j)
          if (hidden == nullptr || hidden[j] == 0) row[j] += acc_sums[h * q + s[j]];
      }
    }
  }
  blocks_.loss(block) = loss;
  if (sums.gradient())
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t i = first; i < last; ++i) rows.map(h, i)[i] = 0;
}

}  // namespace atp
