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

void DataPassF64::lay_out(Arena &arena, int64_t sites, int64_t colors, int64_t heads) {
  blocks_ = (sites + kBlock - 1) / kBlock;
  losses_ = arena.take<double>(blocks_);
  value_sums_ = arena.take<double>(blocks_, heads, colors, colors);
  work_ = arena.take<double>(blocks_, (2 * heads + 1), colors);
  areas_ = arena.take<double>(ranks_.several() ? sites : 0, heads * sites + colors);
}

double DataPassF64::run(Threads threads, const AttentionInput &input, const MaskedData &data, double total_weight,
                        const AttentionSums &sums) {
  const int64_t value_size = input.heads * input.colors * input.colors;
  const SiteAreas areas{areas_.data(), kBlock, 1, input.sites, input.heads, input.colors, sums.fields != nullptr};
  constexpr int64_t kBytes = sizeof(double);
  const int64_t numbers = blocks_ + (sums.values != nullptr ? blocks_ * value_size : 0) + (sums.gradient() ? input.sites * areas.row() : 0);
  Ranks *ranks = ranks_.worth(pass_operations(input, data.pairs(), sums.gradient()), static_cast<double>(numbers * kBytes));
  if (areas_.empty() || blocks_ == 1) ranks = nullptr;
  const SiteRows rows = ranks != nullptr ? areas.rows(0, 0) : sums.rows(input);
  shared_for(ranks, threads, blocks_, [&](int64_t block, int) { run_block(block, input, data, sums, rows); });
  if (ranks != nullptr) {
    ranks->gather(losses_.data(), blocks_, kBytes);
    if (sums.values != nullptr) ranks->gather(value_sums_.data(), blocks_, value_size * kBytes);
    if (sums.gradient()) {
      ranks->gather_rows(areas_.data(), blocks_, areas.row() * kBytes,
                         [&](int64_t block) { return std::min(block * kBlock, input.sites); });
      areas.add_up(sums);
    }
  }
  double loss = 0;
  for (double part : losses_) loss += part;
  if (sums.values != nullptr) {
    std::fill_n(sums.values, value_size, 0.0);
    for (int64_t block = 0; block < blocks_; ++block)
      for (int64_t k = 0; k < value_size; ++k) sums.values[k] += value_sums_[block * value_size + k];
  }
  const double scale = 1 / (total_weight * (data.masked == nullptr ? static_cast<double>(input.sites) : 1.0));
  sums.scale(input, scale);
  return loss * scale;
}

void DataPassF64::run_block(int64_t block, const AttentionInput &input, const MaskedData &data, const AttentionSums &sums,
                            const SiteRows &rows) {
  const int64_t sites = input.sites, q = input.colors, heads = input.heads;
  const int64_t first = block * kBlock, last = std::min(first + kBlock, sites);
  double *acc = work_.data() + block * (2 * heads + 1) * q, *acc_sums = acc + heads * q, *logits = acc_sums + heads * q;
  double *value_sums = value_sums_.data() + block * heads * q * q;
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
  losses_[block] = loss;
  if (sums.gradient())
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t i = first; i < last; ++i) rows.map(h, i)[i] = 0;
}

}  // namespace atp
