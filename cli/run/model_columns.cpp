// SPDX-License-Identifier: MIT
#include "run/model_columns.hpp"

#include <algorithm>

namespace cli {

namespace {

// The columns of the sites of a model or an alignment.
struct Columns {
  const int64_t *columns;
  int64_t sites, total;
  bool operator==(const Columns &other) const {
    return sites == other.sites && total == other.total && std::equal(columns, columns + sites, other.columns);
  }
};

Columns columns_of(const atp_alignment *data) {
  return {atp_alignment_columns_view(data), atp_alignment_sites(data), atp_alignment_total_columns(data)};
}

// Whether sequences have to be mapped: both are columns of the same alignment, as far as their totals tell, but different ones.
bool differs(const atp_alignment *data, const Columns &wanted) {
  const Columns own = columns_of(data);
  return own.total == wanted.total && !(own == wanted);
}

template <class Make>
Alignment mapped(const Session &session, const std::string &label, const std::string &path, Alignment data, const Columns &wanted,
                 const char *of, Make &&make) {
  if (!differs(data.get(), wanted)) return data;
  Alignment made;
  const atp_status status = make(session.context.get(), data.get(), out(made));
  if (status == ATP_E_SHAPE && atp_alignment_sites(data.get()) != wanted.sites) return data;
  check(status, label + " " + path);
  session.say("{}: takes the {} columns of the {}, of {}", path, wanted.sites, of, atp_alignment_sites(data.get()));
  return made;
}

}  // namespace

Alignment onto_model(const Session &session, const std::string &label, const std::string &path, Alignment data, const atp_model *model) {
  const Columns wanted = {atp_model_columns_view(model), atp_model_sites(model), atp_model_total_columns(model)};
  return mapped(session, label, path, std::move(data), wanted, "model",
                [model](atp_context *context, const atp_alignment *from, atp_alignment **to) {
                  return atp_alignment_for_model(context, from, model, to);
                });
}

Alignment onto_alignment(const Session &session, const std::string &label, const std::string &path, Alignment data,
                         const atp_alignment *other) {
  return mapped(session, label, path, std::move(data), columns_of(other), "samples",
                [other](atp_context *context, const atp_alignment *from, atp_alignment **to) {
                  return atp_alignment_match(context, from, other, to);
                });
}

std::string columns_hint(const atp_model *model) {
  const int64_t total = atp_model_total_columns(model);
  if (total == atp_model_sites(model)) return "";
  return fmt::format(" (or {} sites, as in the alignment that the model was learned from)", total);
}

}  // namespace cli
