// SPDX-License-Identifier: MIT
#include "commands/compare_parts.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

namespace cli {

namespace {

// The sequences begin..end of an order, with their weights.
Alignment part_of(const Session &session, const atp_alignment *data, const std::vector<int64_t> &order, std::size_t begin,
                  std::size_t end) {
  const auto sites = static_cast<std::size_t>(atp_alignment_sites(data));
  const uint8_t *sequences = atp_alignment_sequences_view(data);
  const double *weights = atp_alignment_weights_view(data);
  std::vector<uint8_t> values((end - begin) * sites);
  std::vector<double> kept;
  for (std::size_t k = begin; k < end; ++k) {
    std::memcpy(values.data() + (k - begin) * sites, sequences + static_cast<std::size_t>(order[k]) * sites, sites);
    kept.push_back(weights[order[k]]);
  }
  Alignment part;
  check(atp_alignment_create(session.context.get(), values.data(), static_cast<int64_t>(end - begin), atp_alignment_sites(data),
                             atp_alignment_colors(data), kept.data(), out(part)));
  return part;
}

// The same order on every machine, unlike std::shuffle.
void mix(std::vector<int64_t> &order, std::mt19937_64 &random) {
  for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[random() % k]);
}

// How many sequences of an order have this summed weight together; both parts keep at least one.
std::size_t cut_at(const atp_alignment *data, const std::vector<int64_t> &order, double weight) {
  const double *weights = atp_alignment_weights_view(data);
  std::size_t cut = 0;
  for (double sum = 0; cut + 1 < order.size() && sum < weight; ++cut) sum += weights[order[cut]];
  return std::max<std::size_t>(cut, 1);
}

// A correlation or a slope of true values with noise, 1 / (1 + e), where e changes by a factor; the standard deviation goes with it.
// C. Spearman, W. Brown, Br. J. Psychol. 3, 271 and 296 (1910).
void extend(double factor, double &value, double &deviation) {
  if (!(value > 0)) return;
  const double extended = 1 / (1 + (1 / value - 1) * factor);
  deviation *= factor * extended * extended / (value * value);
  value = extended;
}

// From the sizes of the parts to those of data and samples. Errors of frequencies go as the root of 1 / n.
void extend(PartsComparison &parts, double data, double samples) {
  const double of_data = parts.rest / data, of_both = (1 / data + 1 / samples) / (1 / parts.rest + 1 / parts.small);
  for (std::size_t r = 0; r < ATP_COMPARISON_ROWS; ++r) {
    extend(of_both, parts.mean[r][ATP_COMPARISON_PEARSON], parts.deviation[r][ATP_COMPARISON_PEARSON]);
    extend(of_data, parts.mean[r][ATP_COMPARISON_SLOPE], parts.deviation[r][ATP_COMPARISON_SLOPE]);
    for (const int column : {ATP_COMPARISON_RMS, ATP_COMPARISON_LARGEST})
      for (Comparison *of : {&parts.mean, &parts.deviation}) (*of)[r][static_cast<std::size_t>(column)] *= std::sqrt(of_both);
  }
}

}  // namespace

Comparison compare_statistics(const Session &session, const atp_alignment *data, const atp_alignment *samples) {
  Comparison numbers;
  check(atp_statistics_compare(session.context.get(), data, samples, numbers[0].data(), ATP_COMPARISON_ROWS * ATP_COMPARISON_COLUMNS));
  return numbers;
}

PartsComparison compare_parts(const Session &session, const atp_alignment *data, double samples, int64_t splits) {
  PartsComparison result;
  for (Comparison *numbers : {&result.mean, &result.deviation})
    for (auto &row : *numbers) row.fill(std::nan(""));
  const int64_t n = atp_alignment_count(data);
  if (n < 2 || splits < 1) return result;
  std::vector<Comparison> found;
  std::vector<int64_t> order(static_cast<std::size_t>(n));
  std::mt19937_64 random(static_cast<uint64_t>(session.seed));
  for (int64_t k = 0; k < splits; ++k) {
    std::iota(order.begin(), order.end(), 0);
    mix(order, random);
    const std::size_t cut = cut_at(data, order, std::min(samples, atp_alignment_effective_count(data) / 2));
    const Alignment small = part_of(session, data, order, 0, cut), rest = part_of(session, data, order, cut, order.size());
    found.push_back(compare_statistics(session, rest.get(), small.get()));
    result.small += atp_alignment_effective_count(small.get()) / static_cast<double>(splits);
    result.rest += atp_alignment_effective_count(rest.get()) / static_cast<double>(splits);
    stop_if_interrupted();
  }
  for (std::size_t r = 0; r < ATP_COMPARISON_ROWS; ++r)
    for (std::size_t c = 0; c < ATP_COMPARISON_COLUMNS; ++c) {
      double mean = 0, squares = 0;
      for (const Comparison &one : found) mean += one[r][c] / static_cast<double>(splits);
      for (const Comparison &one : found) squares += (one[r][c] - mean) * (one[r][c] - mean);
      result.mean[r][c] = mean;
      if (splits > 1) result.deviation[r][c] = std::sqrt(squares / static_cast<double>(splits - 1));
    }
  extend(result, atp_alignment_effective_count(data), samples);
  return result;
}

}  // namespace cli
