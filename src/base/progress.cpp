// SPDX-License-Identifier: MIT
#include "base/progress.hpp"

#include <attopotts/trainer.h>

namespace atp {

void append_report(Table &log, const atp_progress &progress) {
  constexpr atp_progress_key kKeys[] = {ATP_PROGRESS_STEP,          ATP_PROGRESS_SECONDS,      ATP_PROGRESS_TRAIN_LOSS,
                                        ATP_PROGRESS_TEST_LOSS,     ATP_PROGRESS_OPTIMAL_LOSS, ATP_PROGRESS_COUPLING_ERROR,
                                        ATP_PROGRESS_GRADIENT_NORM, ATP_PROGRESS_RATE,         ATP_PROGRESS_OBJECTIVE};
  static_assert(sizeof kKeys / sizeof *kKeys == ATP_TRAINING_COLUMNS);
  log.require_room(1);
  const Span<double> row = log.room(1);
  for (int64_t k = 0; k < row.size(); ++k) row[k] = progress.values[kKeys[k]];
  log.append(1);
}

}  // namespace atp
