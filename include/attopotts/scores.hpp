// SPDX-License-Identifier: MIT
/** @file scores.hpp
 *  Scores of pairs, mutants, statistics of samples; see scores.h.
 *  Part of attopotts.hpp, which describes the conventions. */
#ifndef ATTOPOTTS_SCORES_HPP
#define ATTOPOTTS_SCORES_HPP

#include <attopotts/scores.h>
#include <attopotts/model.hpp>
#include <attopotts/table.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace attopotts {

namespace detail {

inline std::int64_t squared(std::size_t size, std::int64_t sites, const char *name) {
  if (sites < 1 || detail::size(size) != sites * sites)
    throw error(ATP_E_SHAPE, std::string(name) + " has " + std::to_string(size) +
                                 " elements, must have sites * sites = " + std::to_string(sites) + " * " + std::to_string(sites));
  return sites * sites;
}

}  // namespace detail

/** atp_symmetric_check() of a matrix of shape [n][n]. */
inline void require_symmetric(Reals matrix, std::int64_t n, atp_symmetric kind = ATP_SYMMETRIC_COVARIANCE) {
  detail::squared(matrix.size(), n, "matrix");
  check(atp_symmetric_check(matrix.data(), n, kind));
}

/** atp_model_frobenius(): shape [L][L]; gap is the colour that is left out, -1: none. */
inline std::vector<double> frobenius_scores(const Context &context, const Model &model, std::int64_t gap = -1,
                                            atp_score_gauge gauge = ATP_SCORE_ZERO_SUM) {
  std::vector<double> out(static_cast<std::size_t>(model.sites() * model.sites()));
  return check(atp_model_frobenius(context.get(), model.get(), gauge, gap, out.data(), detail::size(out.size()))), out;
}

/** atp_alignment_gap_color(), atp_model_gap_color(): 0 where the alphabet begins with a gap, else -1. */
inline std::int64_t gap_color(const Alignment &alignment) { return atp_alignment_gap_color(alignment.get()); }
inline std::int64_t gap_color(const Model &model) { return atp_model_gap_color(model.get()); }

/** atp_scores_apc() of scores of shape [sites][sites]. */
inline std::vector<double> average_product_correction(Reals scores, std::int64_t sites) {
  std::vector<double> out(static_cast<std::size_t>(detail::squared(scores.size(), sites, "scores")));
  return check(atp_scores_apc(scores.data(), sites, out.data(), detail::size(out.size()))), out;
}

/** atp_scores_rank(): at most `most` pairs (0: all); numbers [sites] may be empty; border: sites of the first of two proteins. */
inline std::vector<Pair> rank_pairs(Reals scores, std::int64_t sites, std::int64_t separation = 1, std::int64_t most = 0,
                                    View<const std::int64_t> numbers = {}, std::int64_t border = 0) {
  detail::squared(scores.size(), sites, "scores");
  if (!numbers.empty() && detail::size(numbers.size()) != sites)
    throw error(ATP_E_SHAPE, "numbers has " + std::to_string(numbers.size()) + " elements, must have " + std::to_string(sites));
  const std::int64_t all = sites * (sites - 1) / 2, capacity = most > 0 && most < all ? most : all > 0 ? all : 1;
  const std::int64_t rule[] = {separation, border};
  std::vector<Pair> out(static_cast<std::size_t>(capacity));
  std::int64_t count = 0;
  check(atp_scores_rank(scores.data(), sites, numbers.data(), rule, out[0].data(), capacity, &count));
  return out.resize(static_cast<std::size_t>(count)), out;
}

/** atp_pairs_overlap(): the fraction of the pairs that are among the others. */
inline double overlap_of_pairs(const Context &context, View<const Pair> pairs, View<const Pair> others) {
  double overlap = 0;
  check(atp_pairs_overlap(context.get(), pairs.empty() ? nullptr : pairs[0].data(), detail::size(pairs.size()),
                          others.empty() ? nullptr : others[0].data(), detail::size(others.size()), &overlap));
  return overlap;
}

/** atp_model_contacts(): the best pairs, at most `most` (0: all), with columns by atp_contacts_column. */
inline Table contacts(const Context &context, const Model &model, std::int64_t separation = 1, std::int64_t gap = ATP_GAP_AUTO,
                      std::int64_t most = 0, atp_score_gauge gauge = ATP_SCORE_ZERO_SUM) {
  const std::int64_t all = model.sites() * (model.sites() - 1) / 2;
  Table out(context, ATP_TABLE_CONTACTS, most > 0 && most < all ? most : all);
  check(atp_model_contacts(context.get(), model.get(), gauge, gap, separation, out.get()));
  return out;
}

/** atp_pairs_precision(): the precision of the first 1, 2, ... pairs that are counted. */
inline std::vector<double> precision_curve(View<const Pair> pairs, Reals distances, std::int64_t sites, double cutoff = 8,
                                           atp_absent absent = ATP_ABSENT_EXCLUDED) {
  detail::squared(distances.size(), sites, "distances");
  std::vector<double> out(pairs.size());
  check(atp_pairs_precision(pairs.empty() ? nullptr : pairs[0].data(), detail::size(pairs.size()), distances.data(), sites, cutoff, absent,
                            out.data()));
  std::size_t counted = 0;
  while (counted < out.size() && !std::isnan(out[counted])) ++counted;
  return out.resize(counted), out;
}

/** atp_model_epistatic_scores(): scores of pairs by epistasis of log P, shape [L][L]. */
inline std::vector<double> epistatic_scores(const Context &context, const Model &model, Sequences sequences,
                                            std::int64_t gap = ATP_GAP_AUTO) {
  detail::require_handle(model.get(), "model");
  const std::int64_t sites = model.sites(), n = detail::rows(sequences, sites);
  std::vector<double> out(static_cast<std::size_t>(sites * sites));
  return check(atp_model_epistatic_scores(context.get(), model.get(), sequences.data(), n, gap, out.data(), detail::size(out.size()))), out;
}

/** All single mutants, shape [L][q] each; see atp_model_mutants(). */
struct Mutants {
  std::vector<double> delta_energy, delta_log_pseudolikelihood;
};
inline Mutants mutants(const Context &context, const Model &model, Sequences sequence) {
  Mutants out;
  out.delta_energy.resize(static_cast<std::size_t>(model.sites() * model.colors()));
  out.delta_log_pseudolikelihood.resize(out.delta_energy.size());
  check(atp_model_mutants(context.get(), model.get(), sequence.data(), detail::size(sequence.size()), out.delta_energy.data(),
                          out.delta_log_pseudolikelihood.data(), detail::size(out.delta_energy.size())));
  return out;
}

/** atp_model_map_like(): the map of a model of one head in the gauge of a true one, times beta, shape [L][L]. */
inline std::vector<double> map_like(const Context &context, const Model &model, const Model &truth) {
  std::vector<double> out(static_cast<std::size_t>(model.sites() * model.sites()));
  return check(atp_model_map_like(context.get(), model.get(), truth.get(), out.data(), detail::size(out.size()))), out;
}

/** atp_statistics_compare(): a row of numbers, by atp_comparison_column, for each atp_comparison_row. */
using Comparison = std::array<std::array<double, ATP_COMPARISON_COLUMNS>, ATP_COMPARISON_ROWS>;
inline Comparison compare_statistics(const Context &context, const Alignment &data, const Alignment &samples) {
  Comparison out{};
  return check(
             atp_statistics_compare(context.get(), data.get(), samples.get(), out[0].data(), ATP_COMPARISON_ROWS * ATP_COMPARISON_COLUMNS)),
         out;
}

/** atp_statistics_parts(): what independent samples of this summed weight would give, mean and standard deviation. */
struct ComparedParts {
  Comparison mean, deviation;
  double small, rest;
};
inline ComparedParts compare_parts(const Context &context, const Alignment &data, double samples, std::int64_t splits = 10,
                                   std::int64_t seed = 1) {
  std::array<Comparison, 2> numbers{};
  double weights[2] = {};
  check(atp_statistics_parts(context.get(), data.get(), samples, splits, seed, numbers[0][0].data(), weights));
  return {numbers[0], numbers[1], weights[0], weights[1]};
}

/** atp_samples_quality(): tables with columns by atp_quality_column, rows by atp_quality, and by atp_distances_column. */
struct SamplesQuality {
  Table quality, distances;
};
inline SamplesQuality samples_quality(const Context &context, const Alignment &data, const Alignment &samples,
                                      const Options *options = nullptr) {
  SamplesQuality out{Table(context, ATP_TABLE_QUALITY, ATP_QUALITY_ROWS), Table(context, ATP_TABLE_DISTANCES, data.sites() + 1)};
  check(atp_samples_quality(context.get(), data.get(), samples.get(), detail::handle_of(options), out.quality.get(), out.distances.get()));
  return out;
}

/** atp_statistics_components(): coordinates of data and samples, shape [N][K] each, and variances of the data, shape [K]. */
struct PrincipalComponents {
  std::vector<double> of_data, of_samples, variances;
};
inline PrincipalComponents principal_components(const Context &context, const Alignment &data, const Alignment *samples = nullptr,
                                                std::int64_t components = 2) {
  if (components < 1) throw error(ATP_E_VALUE, "components is " + std::to_string(components) + ", must be >= 1");
  const std::int64_t n = data.count() + (samples == nullptr ? 0 : samples->count());
  std::vector<double> all(static_cast<std::size_t>(n * components));
  PrincipalComponents out;
  out.variances.resize(static_cast<std::size_t>(components));
  check(atp_statistics_components(context.get(), data.get(), samples == nullptr ? nullptr : samples->get(), components, all.data(), n,
                                  out.variances.data()));
  const auto end_of_data = all.begin() + static_cast<std::ptrdiff_t>(data.count() * components);
  out.of_data.assign(all.begin(), end_of_data);
  out.of_samples.assign(end_of_data, all.end());
  return out;
}

}  // namespace attopotts

#endif
