// SPDX-License-Identifier: MIT
/** @file baselines.hpp
 *  Methods without training; see baselines.h.
 *  Part of attopotts.hpp, which describes the conventions. */
#ifndef ATTOPOTTS_BASELINES_HPP
#define ATTOPOTTS_BASELINES_HPP

#include <attopotts/baselines.h>
#include <attopotts/model.hpp>
#include <attopotts/options.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace attopotts {

/** atp_mean_field_bytes() */
inline std::int64_t mean_field_bytes(const Context &context, std::int64_t n, std::int64_t sites, std::int64_t colors,
                                     const Options *options = nullptr) {
  std::int64_t bytes = 0;
  return check(atp_mean_field_bytes(context.get(), n, sites, colors, detail::handle_of(options), &bytes)), bytes;
}

/** atp_mean_field_model() */
inline Model mean_field_model(Borrowed<Context> context, const Alignment &alignment, const Options *options = nullptr) {
  atp_model *handle = nullptr;
  check(atp_mean_field_model(context.get(), alignment.get(), detail::handle_of(options), &handle));
  return Model(handle);
}

/** atp_direct_information() of a model, frequencies of shape [L][q]: shape [L][L]. */
inline std::vector<double> direct_information(const Context &context, const Model &model, Reals frequencies) {
  std::vector<double> out(static_cast<std::size_t>(model.sites() * model.sites()));
  return check(atp_direct_information(context.get(), model.get(), frequencies.data(), detail::size(frequencies.size()), out.data(),
                                      detail::size(out.size()))),
         out;
}

/** atp_gaussian_scores(): shape [L][L]; gap is the colour that is left out of the norm, -1: none. */
inline std::vector<double> gaussian_scores(const Context &context, const Alignment &alignment, atp_pair_score score = ATP_PAIR_SCORE_FN,
                                           std::int64_t gap = -1, const Options *options = nullptr) {
  std::vector<double> out(static_cast<std::size_t>(alignment.sites() * alignment.sites()));
  return check(atp_gaussian_scores(context.get(), alignment.get(), detail::handle_of(options), score, gap, out.data(),
                                   detail::size(out.size()))),
         out;
}

/** atp_mutual_information(): shape [L][L]. */
inline std::vector<double> mutual_information(const Context &context, const Alignment &alignment, const Options *options = nullptr) {
  std::vector<double> out(static_cast<std::size_t>(alignment.sites() * alignment.sites()));
  return check(atp_mutual_information(context.get(), alignment.get(), detail::handle_of(options), out.data(), detail::size(out.size()))),
         out;
}

}  // namespace attopotts

#endif
