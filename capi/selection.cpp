// SPDX-License-Identifier: MIT
#include "handles.hpp"

#include "learn/selection.hpp"
#include "learn/options.hpp"

#include <attopotts/selection.h>

using namespace atp;

atp_status atp_select_folds(atp_context *context, const atp_alignment *alignment, const atp_options *options, int64_t *folds,
                            int64_t *clusters, int64_t n) noexcept {
  return guarded(context, "context", [&] {
    require(alignment, "alignment");
    require(folds, "folds");
    require(clusters, "clusters");
    require_size(n, core(alignment)->count(), "n");
    const Options given = options_for(kFoldsOptions, options);
    const Scratch memory(core(context)->allocator, 2 * Scratch::piece<int64_t>(n));
    Arena arena = memory.arena();
    const Span<int64_t> cluster = arena.take<int64_t>(n), fold = arena.take<int64_t>(n);
    make_folds(*core(context), *core(alignment), given.integer(ATP_OPT_FOLDS), given.real(ATP_OPT_FOLD_DISTANCE), cluster, fold);
    std::copy(fold.begin(), fold.end(), folds);
    std::copy(cluster.begin(), cluster.end(), clusters);
  });
}

atp_status atp_select_penalty(atp_context *context, const atp_alignment *alignment, const atp_options *options, atp_table *table,
                              atp_progress_fn progress, void *user, atp_outcome *outcome) noexcept {
  return guarded_together(context, "context", [&] {
    require(alignment, "alignment");
    require(table, "table");
    const Options given = options_for(kSelectionOptions, options);
    check_selection(given, *core(alignment));
    require_table(*core(table), ATP_TABLE_SELECTION, selection_rows(given));
    const Running::Call filling(core(table)->filling, "table");
    core(context)->threads.start();
    StopFlag stop(&core(context)->stop);
    Reporter reporter(progress, user, stop, nullptr, &core(context)->ranks);
    const atp_outcome end = select_penalty(*core(context), *core(alignment), given, reporter, *core(table));
    if (outcome != nullptr) *outcome = end;
  });
}
