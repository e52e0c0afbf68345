// SPDX-License-Identifier: MIT
/** @file selection.hpp
 *  Penalties and numbers of heads chosen by cross-validation; see selection.h.
 *  Part of attopotts.hpp, which describes the conventions. */
#ifndef ATTOPOTTS_SELECTION_HPP
#define ATTOPOTTS_SELECTION_HPP

#include <attopotts/selection.h>
#include <attopotts/alignment.hpp>
#include <attopotts/model.hpp>
#include <attopotts/options.hpp>
#include <attopotts/table.hpp>

#include <cstdint>
#include <vector>

namespace attopotts {

/** Result of select_folds(): fold and cluster of each sequence. */
struct Folds {
  std::vector<std::int64_t> folds, clusters;
};

/** atp_select_folds(). */
inline Folds select_folds(const Context &context, const Alignment &alignment, const Options *options = nullptr) {
  Folds made;
  made.folds.resize(static_cast<std::size_t>(alignment.count()));
  made.clusters.resize(made.folds.size());
  check(atp_select_folds(context.get(), alignment.get(), detail::handle_of(options), made.folds.data(), made.clusters.data(),
                         alignment.count()));
  return made;
}

/** atp_select_penalty(): the path, ATP_TABLE_SELECTION. */
inline Table select_penalty(const Context &context, const Alignment &alignment, const Options *options = nullptr,
                            const ProgressFunction &progress = {}, atp_outcome *outcome = nullptr) {
  detail::Relay relay{progress, {}};
  Table table(context, ATP_TABLE_SELECTION, 100);
  relay.finish(
      atp_select_penalty(context.get(), alignment.get(), detail::handle_of(options), table.get(), relay.callback(), &relay, outcome));
  return table;
}

/** atp_select_penalty_pairs(): the path for couplings of some pairs, ATP_TABLE_SELECTION. */
inline Table select_penalty_pairs(const Context &context, const Alignment &alignment, View<const Pair> pairs,
                                  const Options *options = nullptr, const ProgressFunction &progress = {}) {
  detail::Relay relay{progress, {}};
  Table table(context, ATP_TABLE_SELECTION, 100);
  relay.finish(atp_select_penalty_pairs(alignment.get(), detail::handle_of(options), detail::places(pairs), detail::size(pairs.size()),
                                        table.get(), relay.callback(), &relay));
  return table;
}

}  // namespace attopotts

#endif
