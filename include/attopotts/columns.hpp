// SPDX-License-Identifier: MIT
/** @file columns.hpp
 *  The columns of the original alignment that became the sites of an alignment or a model; see columns.h.
 *  Part of attopotts.hpp, which describes the conventions. */
#ifndef ATTOPOTTS_COLUMNS_HPP
#define ATTOPOTTS_COLUMNS_HPP

#include <attopotts/columns.h>
#include <attopotts/alignment.hpp>
#include <attopotts/model.hpp>

#include <cstddef>
#include <cstdint>

namespace attopotts {

/** The column of each site, shape [L]; see atp_alignment_columns_view(). */
inline View<const std::int64_t> columns(const Alignment &alignment) {
  return {atp_alignment_columns_view(alignment.get()), static_cast<std::size_t>(alignment.sites())};
}
inline View<const std::int64_t> columns(const Model &model) {
  return {atp_model_columns_view(model.get()), static_cast<std::size_t>(model.sites())};
}
View<const std::int64_t> columns(const Alignment &&) = delete;  // of a temporary: the elements would be freed
View<const std::int64_t> columns(const Model &&) = delete;

/** The number of columns before any was removed. */
inline std::int64_t total_columns(const Alignment &alignment) { return atp_alignment_total_columns(alignment.get()); }
inline std::int64_t total_columns(const Model &model) { return atp_model_total_columns(model.get()); }

/** The number of columns of the first of two proteins, 0: one protein; see atp_alignment_border(), atp_model_border(). */
inline std::int64_t border(const Alignment &alignment) { return atp_alignment_border(alignment.get()); }
inline std::int64_t border(const Model &model) { return atp_model_border(model.get()); }

/** Sets the columns of the sites; empty columns: site i is column i of L. */
inline void set_columns(Alignment &alignment, View<const std::int64_t> columns, std::int64_t total) {
  const std::int64_t n = columns.empty() ? alignment.sites() : detail::size(columns.size());
  check(atp_alignment_set_columns(alignment.get(), columns.data(), n, total));
}
inline void set_columns(Model &model, View<const std::int64_t> columns, std::int64_t total) {
  const std::int64_t n = columns.empty() ? model.sites() : detail::size(columns.size());
  check(atp_model_set_columns(model.get(), columns.data(), n, total));
}

/** atp_alignment_for_model(): the columns of the model's sites. */
inline Alignment for_model(Borrowed<Context> context, const Alignment &source, const Model &model) {
  atp_alignment *handle = nullptr;
  check(atp_alignment_for_model(context.get(), source.get(), model.get(), &handle));
  return Alignment(handle);
}
/** atp_alignment_match(): the columns of another alignment's sites. */
inline Alignment match(Borrowed<Context> context, const Alignment &source, const Alignment &other) {
  atp_alignment *handle = nullptr;
  check(atp_alignment_match(context.get(), source.get(), other.get(), &handle));
  return Alignment(handle);
}

}  // namespace attopotts

#endif
