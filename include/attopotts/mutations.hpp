// SPDX-License-Identifier: MIT
/** @file mutations.hpp
 *  Mutants with one or several mutations; see mutations.h.
 *  Part of attopotts.hpp, which describes the conventions. */
#ifndef ATTOPOTTS_MUTATIONS_HPP
#define ATTOPOTTS_MUTATIONS_HPP

#include <attopotts/mutations.h>
#include <attopotts/scores.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace attopotts {

namespace detail {

inline void one_sequence(Sequences sequence, const Model &model) {
  if (size(sequence.size()) != model.sites())
    throw error(ATP_E_SHAPE, "sequence has " + std::to_string(sequence.size()) + " elements, must have " + std::to_string(model.sites()));
}

}  // namespace detail

/** atp_model_create_independent(): the model of independent sites. */
inline Model independent_model(Borrowed<Context> context, const Alignment &alignment, atp_gaps gaps = ATP_GAPS_STATE,
                               double pseudocount = -1) {
  atp_model *handle = nullptr;
  check(atp_model_create_independent(context.get(), alignment.get(), gaps, pseudocount, &handle));
  return Model(handle);
}

/** atp_model_weigh_sites(): the model with weights of its sites. */
inline Model weigh_sites(Borrowed<Context> context, const Model &model, Reals weights) {
  atp_model *handle = nullptr;
  check(atp_model_weigh_sites(context.get(), model.get(), weights.data(), detail::size(weights.size()), &handle));
  return Model(handle);
}

/** A mutation: index of its mutant, index of its site, new colour. */
using Mutation = std::array<std::int64_t, 3>;

/** atp_mutations_parse(): the mutations of a list, one mutant on each line. */
inline std::vector<Mutation> parse_mutations(const Model &model, Sequences sequence, const std::string &text) {
  std::vector<Mutation> out(text.size() / 3 + 1);
  std::int64_t count = 0;
  check(atp_mutations_parse(model.get(), sequence.data(), detail::size(sequence.size()), detail::text(text, "text"), out[0].data(),
                            detail::size(out.size()), &count));
  return out.resize(static_cast<std::size_t>(count)), out;
}

/** What atp_mutations_offset() finds: residues of the list, those that agree, the offset, and those that agree with it. */
struct NumberOffset {
  std::int64_t residues = 0, agreeing = 0, offset = 0, fitting = 0;
};

/** atp_mutations_offset(): by how much the numbers of a list of mutants differ from those of the sites. */
inline NumberOffset mutations_offset(const Context &context, const Model &model, Sequences sequence, const std::string &text) {
  std::int64_t found[4] = {};
  check(
      atp_mutations_offset(context.get(), model.get(), sequence.data(), detail::size(sequence.size()), detail::text(text, "text"), found));
  return {found[0], found[1], found[2], found[3]};
}

/** Scores of a mutant, by atp_mutant_column. */
using MutantScores = std::array<double, ATP_MUTANT_COLUMNS>;

/** atp_model_score_mutants() for the mutants 0..count-1 of the mutations. */
inline std::vector<MutantScores> score_mutants(const Context &context, const Model &model, Sequences sequence,
                                               View<const Mutation> mutations, std::int64_t count) {
  detail::one_sequence(sequence, model);
  std::vector<MutantScores> out(count > 0 ? static_cast<std::size_t>(count) : 1);
  check(atp_model_score_mutants(context.get(), model.get(), sequence.data(), mutations.empty() ? nullptr : mutations[0].data(),
                                detail::size(mutations.size()), out[0].data(), count));
  return out;
}

/** atp_model_double_mutants(): energy differences, shape [pairs][q][q]. */
inline std::vector<double> double_mutants(const Context &context, const Model &model, Sequences sequence, View<const Pair> pairs) {
  detail::one_sequence(sequence, model);
  std::vector<double> out(pairs.size() * static_cast<std::size_t>(model.colors() * model.colors()));
  check(atp_model_double_mutants(context.get(), model.get(), sequence.data(), pairs.empty() ? nullptr : pairs[0].data(),
                                 detail::size(pairs.size()), out.data(), detail::size(out.size())));
  return out;
}

/** A double mutant: site i, its new colour, another site j, its new colour. */
using DoubleChange = std::array<std::int64_t, 4>;

/** atp_model_epistasis(): energy differences of double mutants, and their epistasis. */
struct Epistasis {
  std::vector<double> delta_energy, epistasis;
};
inline Epistasis epistasis(const Context &context, const Model &model, Sequences sequence, View<const DoubleChange> doubles) {
  detail::one_sequence(sequence, model);
  Epistasis out{std::vector<double>(doubles.size()), std::vector<double>(doubles.size())};
  check(atp_model_epistasis(context.get(), model.get(), sequence.data(), doubles.empty() ? nullptr : doubles[0].data(),
                            detail::size(doubles.size()), out.delta_energy.data(), out.epistasis.data()));
  return out;
}

/** atp_model_count_doubles(): the number of double mutants. */
inline std::int64_t count_doubles(const Model &model, Sequences sequence, std::int64_t gap = ATP_GAP_AUTO) {
  detail::one_sequence(sequence, model);
  std::int64_t count = 0;
  return check(atp_model_count_doubles(model.get(), sequence.data(), gap, &count)), count;
}

/** A double mutant, j > i, and its energy difference. */
struct DoubleMutant {
  DoubleChange change;
  double delta_energy;
};

/** atp_model_best_doubles(): the `count` double mutants with the lowest energies. */
inline std::vector<DoubleMutant> best_doubles(const Context &context, const Model &model, Sequences sequence, std::int64_t count,
                                              std::int64_t gap = ATP_GAP_AUTO) {
  detail::one_sequence(sequence, model);
  const std::size_t n = count > 0 ? static_cast<std::size_t>(count) : 1;
  std::vector<DoubleChange> changes(n);
  std::vector<double> energies(n);
  check(atp_model_best_doubles(context.get(), model.get(), sequence.data(), gap, changes[0].data(), energies.data(), count));
  std::vector<DoubleMutant> out(n);
  for (std::size_t k = 0; k < n; ++k) out[k] = {changes[k], energies[k]};
  return out;
}

/** atp_mutants_average(): for each mutant the first that is the same, and the mean of their measurements. */
struct AveragedMutants {
  std::vector<std::int64_t> first;
  std::vector<double> average;
};
inline AveragedMutants average_mutants(const Context &context, View<const Mutation> mutations, Reals measured) {
  AveragedMutants out{std::vector<std::int64_t>(measured.size() + 1), std::vector<double>(measured.size() + 1)};  // not NULL
  check(atp_mutants_average(context.get(), mutations.empty() ? nullptr : mutations[0].data(), detail::size(mutations.size()),
                            measured.data(), detail::size(measured.size()), out.first.data(), out.average.data()));
  return out.first.pop_back(), out.average.pop_back(), out;
}

/** A measure of agreement and its 95 per cent bootstrap interval. */
struct Agreement {
  double value, low, high;
};

/** atp_agreement_interval(); draws 0: no interval. top is read for ATP_AGREEMENT_RECALL. */
inline Agreement agreement(const Context &context, atp_agreement measure, Reals x, Reals y, std::int64_t draws = 1000,
                           std::int64_t seed = 1, std::int64_t top = 1) {
  if (x.size() != y.size())
    throw error(ATP_E_SHAPE, "y has " + std::to_string(y.size()) + " elements, must have " + std::to_string(x.size()) + " as x");
  const std::int64_t settings[] = {draws, seed, top};
  double interval[3] = {};
  check(atp_agreement_interval(context.get(), measure, x.data(), y.data(), detail::size(x.size()), settings, interval));
  return {interval[0], interval[1], interval[2]};
}

/** atp_mutants_agreement(): rows of all groups, with columns by atp_measured_column. top 0: a tenth of a group. */
inline Table mutants_agreement(const Context &context, Reals scores, Reals measured, View<const std::int64_t> mutations,
                               double threshold = std::nan(""), std::int64_t draws = 500, std::int64_t seed = 1, std::int64_t top = 0) {
  if (measured.size() != scores.size() || mutations.size() != scores.size())
    throw error(ATP_E_SHAPE, "measured and mutations have " + std::to_string(measured.size()) + " and " + std::to_string(mutations.size()) +
                                 " elements, must have " + std::to_string(scores.size()) + " as scores");
  const std::int64_t settings[] = {draws, seed, top}, n = detail::size(scores.size());
  Table out(context, ATP_TABLE_MEASURED, 4 * (1 + n / 10));
  check(atp_mutants_agreement(scores.data(), measured.data(), mutations.data(), n, settings, threshold, out.get()));
  return out;
}

}  // namespace attopotts

#endif
