// SPDX-License-Identifier: MIT
#include "handles.hpp"

#include "alignment/options.hpp"
#include "alignment/split.hpp"
#include "alignment/weights.hpp"

#include <attopotts/weights.h>

using namespace atp;

atp_status atp_alignment_scan_weights(const atp_alignment *alignment, const double *thetas, int64_t n, atp_weight_rule rule,
                                      atp_table *table) noexcept {
  return guarded_together(alignment, "alignment", [&] {
    require(thetas, "thetas");
    require(table, "table");
    if (n < 1) fail(ATP_E_VALUE, "n is %lld, must be >= 1", llong{n});
    for (int64_t k = 0; k < n; ++k)
      if (!(thetas[k] >= 0 && thetas[k] <= 1)) fail(ATP_E_VALUE, "thetas" ATP_AT " is %g, must be in 0..1", llong{k}, thetas[k]);
    require_range(rule, ATP_WEIGHTS_INCLUSIVE, ATP_WEIGHTS_RESIDUES, "rule");
    require_table(*core(table), ATP_TABLE_WEIGHTS, n);
    scan_weights(*core(alignment)->context, *core(alignment), {thetas, n}, rule, *core(table));
  });
}

atp_status atp_alignment_split(const atp_alignment *alignment, const atp_options *options, int64_t *parts, int64_t n) noexcept {
  return guarded(alignment, "alignment", [&] {
    require(parts, "parts");
    require_size(n, core(alignment)->count(), "n");
    const Options values = options_for(kSplitOptions, options);
    split_sequences(*core(alignment)->context, *core(alignment), values, {parts, n});
  });
}
