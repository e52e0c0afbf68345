// SPDX-License-Identifier: MIT
#include "handles.hpp"

#include "learn/asymptotics/site_errors.hpp"
#include "learn/options.hpp"

#include <attopotts/asymptotics.h>

using namespace atp;

namespace {

AsymptoticsSettings settings_for(const Model &model, const atp_options *options) {
  if (!ATP_HAS_LINALG) fail(ATP_E_UNSUPPORTED, "this build has no BLIS and LAPACK (Meson option linalg)");
  return asymptotics_settings(model, options_for(kAsymptoticsOptions, options));
}

}  // namespace

atp_status atp_model_asymptotics(atp_context *context, const atp_model *model, const atp_alignment *alignment, const atp_options *options,
                                 atp_table *table, double *errors, int64_t size) noexcept {
  return guarded(context, "context", [&] {
    require(model, "model");
    const Model &m = *core(model);
    if (alignment != nullptr) require_model_fit(m, *core(alignment));
    const int64_t sites = m.sites(), block = m.colors() * m.colors();
    require_size(size, errors == nullptr ? 0 : product_of(sites, sites, block), "size");
    const AsymptoticsSettings settings = settings_for(m, options);
    if (table != nullptr) require_table(*core(table), ATP_TABLE_ASYMPTOTICS, 1);
    const bool by_sites = table == nullptr && errors != nullptr && alignment != nullptr && settings.learned.asymmetric &&
                          settings.l2_couplings > 0 && settings.l2_fields > 0;
    if (by_sites) return site_errors(*core(context), m, *core(alignment), settings, {errors, nullptr, nullptr, -1});
    asymptotics(*core(context), m, alignment == nullptr ? nullptr : core(alignment), settings,
                {table == nullptr ? nullptr : core(table), errors});
  });
}

atp_status atp_model_asymptotics_bytes(atp_context *context, const atp_model *model, int64_t sequences, const atp_options *options,
                                       int64_t *bytes) noexcept {
  return guarded(context, "context", [&] {
    require(model, "model");
    require(bytes, "bytes");
    require_range(sequences, 0, kMaxElements, "sequences");
    *bytes = static_cast<int64_t>(asymptotics_bytes(*core(model), sequences, settings_for(*core(model), options), core(context)->threads));
  });
}

atp_status atp_model_score_errors(atp_context *context, const atp_model *model, const atp_alignment *alignment, const atp_options *options,
                                  int64_t gap, double *errors, int64_t size) noexcept {
  return guarded(context, "context", [&] {
    require(model, "model");
    require(alignment, "alignment");
    require(options, "options");
    require(errors, "errors");
    const Model &m = *core(model);
    require_model_fit(m, *core(alignment));
    require_range(gap, -1, m.colors() - 1, "gap");
    const int64_t square = product_of(m.sites(), m.sites());
    require_size(size, product_of(2, square), "size");
    site_errors(*core(context), m, *core(alignment), settings_for(m, options), {nullptr, errors, errors + square, gap});
  });
}

atp_status atp_model_score_errors_bytes(atp_context *context, const atp_model *model, int64_t sequences, int64_t *bytes) noexcept {
  return guarded(context, "context", [&] {
    require(model, "model");
    require(bytes, "bytes");
    require_range(sequences, 1, kMaxElements, "sequences");
    *bytes = static_cast<int64_t>(site_errors_bytes(*core(model), sequences, core(context)->threads));
  });
}
