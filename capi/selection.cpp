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

namespace {

// The path of a selection, appended to the table.
atp_outcome append_path(const Alignment &alignment, const Options &options, const SelectedPairs &pairs, Reporter &&reporter, Table &table) {
  const Running::Call filling(table.filling, "table");
  alignment.context->threads.start();
  return select_penalty(alignment, options, pairs, reporter, table);
}

}  // namespace

atp_status atp_select_penalty(atp_context *context, const atp_alignment *alignment, const atp_options *options, atp_table *table,
                              atp_progress_fn progress, void *user, atp_outcome *outcome) noexcept {
  return guarded_together(context, "context", [&] {
    require(alignment, "alignment");
    require(table, "table");
    const Options given = options_for(kSelectionOptions, options);
    check_selection(given, *core(alignment));
    require_table(*core(table), ATP_TABLE_SELECTION, selection_rows(given));
    StopFlag stop(&core(context)->stop);
    const atp_outcome end = append_path(*core(alignment), given, {}, {progress, user, stop, nullptr, &core(context)->ranks}, *core(table));
    if (outcome != nullptr) *outcome = end;
  });
}

atp_status atp_select_penalty_pairs(const atp_alignment *alignment, const atp_options *options, const int64_t *pairs, int64_t n,
                                    atp_table *table, atp_progress_fn progress, void *user) noexcept {
  return guarded_together(alignment, "alignment", [&] {
    require(pairs, "pairs");
    require(table, "table");
    Options given = options_for(kSelectionOptions, options);
    if (options == nullptr) given.set(ATP_OPT_FAMILY, int64_t{ATP_FAMILY_DENSE});
    check_selection(given, *core(alignment));
    check_pair_count(n, core(alignment)->sites(), "pairs");
    require_table(*core(table), ATP_TABLE_SELECTION, selection_rows(given));
    Context &context = *core(alignment)->context;
    StopFlag stop(&context.stop);
    append_path(*core(alignment), given, {pairs, n}, {progress, user, stop, nullptr, &context.ranks}, *core(table));
  });
}
