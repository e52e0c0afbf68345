// SPDX-License-Identifier: MIT
// Cross-validation of penalties and numbers of heads; attopotts/selection.h has the rules.
#pragma once

#include "learn/objective.hpp"
#include "alignment/clusters.hpp"
#include "base/progress.hpp"

#include <attopotts/selection.h>

namespace atp {

// Throws ATP_E_VALUE or ATP_E_CONFLICT where this alignment and these options have no selection.
void check_selection(const Options &options, const Alignment &alignment);
// The number of rows that a selection appends at most.
int64_t selection_rows(const Options &options);
// Appends the path to the table; not where it was cancelled.
atp_outcome select_penalty(Context &context, const Alignment &alignment, const Options &options, Reporter &reporter, Table &table);

}  // namespace atp
