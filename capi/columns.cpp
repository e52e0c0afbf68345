// SPDX-License-Identifier: MIT
#include "handles.hpp"

#include "alignment/subset.hpp"

#include <attopotts/columns.h>

#include <type_traits>

using namespace atp;

namespace {

template <class Handle>
atp_status set_columns(Handle *object, const char *name, const int64_t *columns, int64_t n, int64_t total) noexcept {
  return guarded(object, name, [&] {
    if constexpr (std::is_same_v<Handle, atp_alignment>) core(object)->weighing.require_idle(name);
    require_size(n, core(object)->sites(), "n");
    core(object)->labels.set_columns(columns, total);
  });
}

// The source with the sites of a model or another alignment.
template <class Handle>
atp_status make_matching(atp_context *context, const atp_alignment *source, const Handle *other, const char *name,
                         atp_alignment **out) noexcept {
  return creating(context, out, [&] {
    require(source, "source");
    require(other, name);
    require(out, "out");
    *out = handle(take_sites(*core(context), *core(source), core(other)->labels));
  });
}

}  // namespace

const int64_t *atp_alignment_columns_view(const atp_alignment *alignment) noexcept {
  return alignment == nullptr ? nullptr : core(alignment)->labels.columns().data();
}

int64_t atp_alignment_total_columns(const atp_alignment *alignment) noexcept {
  return alignment == nullptr ? 0 : core(alignment)->labels.total_columns();
}

int64_t atp_alignment_border(const atp_alignment *alignment) noexcept {
  return alignment == nullptr ? 0 : core(alignment)->labels.border();
}

atp_status atp_alignment_set_columns(atp_alignment *alignment, const int64_t *columns, int64_t n, int64_t total) noexcept {
  return set_columns(alignment, "alignment", columns, n, total);
}

const int64_t *atp_model_columns_view(const atp_model *model) noexcept {
  return model == nullptr ? nullptr : core(model)->labels.columns().data();
}

int64_t atp_model_total_columns(const atp_model *model) noexcept { return model == nullptr ? 0 : core(model)->labels.total_columns(); }

int64_t atp_model_border(const atp_model *model) noexcept { return model == nullptr ? 0 : core(model)->labels.border(); }

atp_status atp_model_set_columns(atp_model *model, const int64_t *columns, int64_t n, int64_t total) noexcept {
  return set_columns(model, "model", columns, n, total);
}

atp_status atp_alignment_for_model(atp_context *context, const atp_alignment *source, const atp_model *model,
                                   atp_alignment **out) noexcept {
  return make_matching(context, source, model, "model", out);
}

atp_status atp_alignment_match(atp_context *context, const atp_alignment *source, const atp_alignment *other,
                               atp_alignment **out) noexcept {
  return make_matching(context, source, other, "other", out);
}
