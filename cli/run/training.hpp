// SPDX-License-Identifier: MIT
// A training run with its log, its progress display and its checkpoints.
#pragma once

#include "run/session.hpp"
#include "run/csv_table.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace cli {

struct EpochRow {
  int64_t epoch = 0;
  double train_loss = 0, test_loss = 0, optimal_loss = 0, coupling_error = 0, gradient_norm = 0, rate = 0, seconds = 0;
  // Of the likelihood, else NaN.
  double pearson = 0, slope = 0, field_error = 0, pearson_random = 0, slope_random = 0, pearson_natural = 0, slope_natural = 0,
         mixing_sweeps = 0, density = 0, gain = 0, pearson_sites = 0, slope_sites = 0, pearson_pairs = 0, slope_pairs = 0, pearson_test = 0,
         slope_test = 0, site_entropy = 0, sweeps = 0, swap_rate = 0, entropy = 0, entropy_error = 0, log_z = 0, log_z_error = 0,
         pearson_test_sites = 0, slope_test_sites = 0, pearson_test_pairs = 0, slope_test_pairs = 0;
};

using EpochLog = std::vector<EpochRow>;

struct TrainingJob {
  std::string task = "learn", unit = "epochs";  // of the progress display
  double checkpoint_seconds = 30;               // between calls of `save`
  int64_t before = 0;                           // epochs of an earlier trainer, which the log counts, too
  std::function<void()> save;                   // (optional) saves state and log
  std::function<void()> keep;                   // (optional) called after an epoch whose test loss is the lowest so far
};

// Trains to the end and appends to `log`. Calls `save` at intervals and at the end, also if a signal ended the run (CANCELLED).
atp_outcome train(const Session &session, atp_trainer *trainer, const TrainingJob &job, EpochLog &log);

// The row with the lowest test loss; NULL where no row has one.
const EpochRow *best_row(const EpochLog &log);
// "" or how the test loss has risen since the best epoch while the training loss fell.
std::string overfitting_text(const EpochLog &log);

// The log as a table: epoch, losses, coupling error, gradient norm, rate, seconds; of the likelihood how well chains agree with the family.
Table log_table(const Session &session, const EpochLog &log, const std::string &outcome);
// The rows of an earlier log up to an epoch; `what` names the log in messages.
EpochLog log_of(const StoredTable &table, const std::string &what, int64_t last_epoch);

}  // namespace cli
