// SPDX-License-Identifier: MIT
/** @file asymptotics.hpp
 *  What learning from M sequences costs; see asymptotics.h.
 *  Part of attopotts.hpp, which describes the conventions. */
#ifndef ATTOPOTTS_ASYMPTOTICS_HPP
#define ATTOPOTTS_ASYMPTOTICS_HPP

#include <attopotts/alignment.hpp>
#include <attopotts/asymptotics.h>
#include <attopotts/model.hpp>
#include <attopotts/options.hpp>
#include <attopotts/table.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace attopotts {

/** atp_model_asymptotics(): a row for the table; averages are over all states, or over the alignment. */
inline void asymptotics(const Context &context, const Model &model, Table &table, const Alignment *alignment = nullptr,
                        const Options *options = nullptr) {
  check(atp_model_asymptotics(context.get(), model.get(), alignment == nullptr ? nullptr : alignment->get(), detail::handle_of(options),
                              table.get(), nullptr, 0));
}

/** atp_model_asymptotics(): standard errors of the couplings times beta in the zero-sum gauge, of shape [L][L][q][q]. */
inline std::vector<double> coupling_errors(const Context &context, const Model &model, const Alignment *alignment = nullptr,
                                           const Options *options = nullptr) {
  const std::int64_t side = model.sites() * model.colors();
  std::vector<double> out(static_cast<std::size_t>(side * side));
  return check(atp_model_asymptotics(context.get(), model.get(), alignment == nullptr ? nullptr : alignment->get(),
                                     detail::handle_of(options), nullptr, out.data(), detail::size(out.size()))),
         out;
}

/** atp_model_score_errors(): of Frobenius norms, then of corrected scores, shape [2][L][L]. */
inline std::vector<double> score_errors(const Context &context, const Model &model, const Alignment &alignment, const Options &options,
                                        std::int64_t gap = -1) {
  std::vector<double> out(static_cast<std::size_t>(2 * model.sites() * model.sites()));
  return check(
             atp_model_score_errors(context.get(), model.get(), alignment.get(), options.get(), gap, out.data(), detail::size(out.size()))),
         out;
}

/** atp_model_score_errors_bytes() */
inline std::int64_t score_errors_bytes(const Context &context, const Model &model, std::int64_t sequences) {
  std::int64_t bytes = 0;
  return check(atp_model_score_errors_bytes(context.get(), model.get(), sequences, &bytes)), bytes;
}

/** atp_model_asymptotics_bytes() */
inline std::int64_t asymptotics_bytes(const Context &context, const Model &model, std::int64_t sequences = 0,
                                      const Options *options = nullptr) {
  std::int64_t bytes = 0;
  return check(atp_model_asymptotics_bytes(context.get(), model.get(), sequences, detail::handle_of(options), &bytes)), bytes;
}

}  // namespace attopotts

#endif
