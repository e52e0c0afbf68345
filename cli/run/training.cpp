// SPDX-License-Identifier: MIT
#include "run/training.hpp"

#include "run/progress_display.hpp"
#include "run/signals.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace cli {

namespace {

const std::vector<std::string> kColumns = {"epoch",          "train_loss",    "test_loss", "optimal_loss",
                                           "coupling_error", "gradient_norm", "rate",      "seconds"};
// The columns between the first and the last.
struct Reported {
  double EpochRow::*number;
  atp_progress_key key;
};
constexpr Reported kReported[] = {
    {&EpochRow::train_loss, ATP_PROGRESS_TRAIN_LOSS},       {&EpochRow::test_loss, ATP_PROGRESS_TEST_LOSS},
    {&EpochRow::optimal_loss, ATP_PROGRESS_OPTIMAL_LOSS},   {&EpochRow::coupling_error, ATP_PROGRESS_COUPLING_ERROR},
    {&EpochRow::gradient_norm, ATP_PROGRESS_GRADIENT_NORM}, {&EpochRow::rate, ATP_PROGRESS_RATE}};

// Columns after the last, of the likelihood.
const std::vector<std::string> kChainColumns = {"pearson",          "slope",
                                                "field_error",      "pearson_random",
                                                "slope_random",     "pearson_natural",
                                                "slope_natural",    "mixing_sweeps",
                                                "density",          "gain",
                                                "pearson_sites",    "slope_sites",
                                                "pearson_pairs",    "slope_pairs",
                                                "pearson_test",     "slope_test",
                                                "site_entropy",     "sweeps",
                                                "swap_rate",        "entropy",
                                                "entropy_error",    "log_z",
                                                "log_z_error",      "pearson_test_sites",
                                                "slope_test_sites", "pearson_test_pairs",
                                                "slope_test_pairs"};
constexpr Reported kOfChains[] = {{&EpochRow::pearson, ATP_PROGRESS_PEARSON},
                                  {&EpochRow::slope, ATP_PROGRESS_SLOPE},
                                  {&EpochRow::field_error, ATP_PROGRESS_FIELD_ERROR},
                                  {&EpochRow::pearson_random, ATP_PROGRESS_PEARSON_RANDOM},
                                  {&EpochRow::slope_random, ATP_PROGRESS_SLOPE_RANDOM},
                                  {&EpochRow::pearson_natural, ATP_PROGRESS_PEARSON_NATURAL},
                                  {&EpochRow::slope_natural, ATP_PROGRESS_SLOPE_NATURAL},
                                  {&EpochRow::mixing_sweeps, ATP_PROGRESS_MIXING_SWEEPS},
                                  {&EpochRow::density, ATP_PROGRESS_DENSITY},
                                  {&EpochRow::gain, ATP_PROGRESS_GAIN},
                                  {&EpochRow::pearson_sites, ATP_PROGRESS_PEARSON_SITES},
                                  {&EpochRow::slope_sites, ATP_PROGRESS_SLOPE_SITES},
                                  {&EpochRow::pearson_pairs, ATP_PROGRESS_PEARSON_PAIRS},
                                  {&EpochRow::slope_pairs, ATP_PROGRESS_SLOPE_PAIRS},
                                  {&EpochRow::pearson_test, ATP_PROGRESS_PEARSON_TEST},
                                  {&EpochRow::slope_test, ATP_PROGRESS_SLOPE_TEST},
                                  {&EpochRow::site_entropy, ATP_PROGRESS_SITE_ENTROPY},
                                  {&EpochRow::sweeps, ATP_PROGRESS_SWEEPS},
                                  {&EpochRow::swap_rate, ATP_PROGRESS_SWAP_RATE},
                                  {&EpochRow::entropy, ATP_PROGRESS_ENTROPY},
                                  {&EpochRow::entropy_error, ATP_PROGRESS_ENTROPY_ERROR},
                                  {&EpochRow::log_z, ATP_PROGRESS_LOG_Z},
                                  {&EpochRow::log_z_error, ATP_PROGRESS_LOG_Z_ERROR},

                                  {&EpochRow::pearson_test_sites, ATP_PROGRESS_PEARSON_TEST_SITES},
                                  {&EpochRow::slope_test_sites, ATP_PROGRESS_SLOPE_TEST_SITES},
                                  {&EpochRow::pearson_test_pairs, ATP_PROGRESS_PEARSON_TEST_PAIRS},
                                  {&EpochRow::slope_test_pairs, ATP_PROGRESS_SLOPE_TEST_PAIRS}};

std::vector<std::string> columns_of(bool chains) {
  std::vector<std::string> columns = kColumns;
  if (chains) columns.insert(columns.end(), kChainColumns.begin(), kChainColumns.end());
  return columns;
}

struct Watch {
  Progress *progress;
  EpochLog *log;
  atp_trainer *trainer;
  double offset_seconds;
  int64_t before;
  std::chrono::steady_clock::time_point begin, saved;
  double interval;  // infinite without checkpoints
  bool due = false;
  double best = HUGE_VAL;  // the lowest test loss
  bool keeps = false, improved = false;
};

double since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Records an epoch. Ends the call if a signal has arrived, a checkpoint is due or the epoch is to be kept; after the latter two the run
// continues with the same numbers.
int on_epoch(const atp_progress *p, void *user) {
  Watch &watch = *static_cast<Watch *>(user);
  EpochRow row;
  row.epoch = watch.before + atp_trainer_epochs(watch.trainer);
  for (const auto &[number, key] : kReported) row.*number = atp_progress_value(p, key);
  for (const auto &[number, key] : kOfChains) row.*number = atp_progress_value(p, key);
  row.seconds = watch.offset_seconds + since(watch.begin);
  watch.log->push_back(row);
  watch.progress->show(p);
  watch.due = since(watch.saved) >= watch.interval;
  if (row.test_loss < watch.best) {
    watch.best = row.test_loss;
    watch.improved = watch.keeps;
  }
  return interrupted() || watch.due || watch.improved ? 1 : 0;
}

}  // namespace

atp_outcome train(const Session &session, atp_trainer *trainer, const TrainingJob &job, EpochLog &log) {
  Progress progress(session, job.task, job.unit);
  Watch watch;
  watch.progress = &progress;
  watch.log = &log;
  watch.trainer = trainer;
  watch.before = job.before;
  watch.offset_seconds = log.empty() ? 0 : log.back().seconds;
  watch.begin = watch.saved = std::chrono::steady_clock::now();
  watch.interval = job.save ? job.checkpoint_seconds : HUGE_VAL;
  watch.keeps = job.keep != nullptr;
  if (const EpochRow *best = best_row(log); best != nullptr) watch.best = best->test_loss;
  atp_outcome outcome = ATP_OUTCOME_NONE;
  const StopOnSignal stop(trainer);
  bool goes_on = true;
  do {
    bool stopped = interrupted_anywhere();
    if (stopped) {
      outcome = ATP_OUTCOME_CANCELLED;
    } else {
      watch.due = watch.improved = false;
      check(atp_trainer_run(trainer, INT64_MAX, on_epoch, &watch, &outcome));
      if (watch.improved) job.keep();
      watch.due = any_rank(watch.due);
      stopped = interrupted_anywhere();
    }
    if (outcome == ATP_OUTCOME_CANCELLED && watch.improved && !watch.due && !stopped) continue;
    if (job.save) job.save();
    watch.saved = std::chrono::steady_clock::now();
    goes_on = outcome == ATP_OUTCOME_CANCELLED && (watch.due || watch.improved) && !stopped;
  } while (goes_on);
  return outcome;
}

const EpochRow *best_row(const EpochLog &log) {
  const EpochRow *best = nullptr;
  for (const EpochRow &row : log)
    if (std::isfinite(row.test_loss) && (best == nullptr || row.test_loss < best->test_loss)) best = &row;
  return best;
}

std::string overfitting_text(const EpochLog &log) {
  constexpr double kSmall = 1e-3;  // relative: smaller differences are the noise of batches
  const EpochRow *best = best_row(log);
  if (best == nullptr) return "";
  const EpochRow &last = log.back();
  const bool rises = last.test_loss > best->test_loss * (1 + kSmall), falls = last.train_loss < best->train_loss;
  if (!rises || !falls) return "";
  return fmt::format("since epoch {} the test loss rose from {:.6f} to {:.6f} while the training loss fell from {:.6f} to {:.6f}",
                     best->epoch, best->test_loss, last.test_loss, best->train_loss, last.train_loss);
}

Table log_table(const Session &session, const EpochLog &log, const std::string &outcome) {
  const bool chains = !log.empty() && std::isfinite(log.front().pearson);
  Table table(session, columns_of(chains));
  table.note("outcome: " + outcome);
  for (const EpochRow &r : log) {
    std::vector<std::string> cells = {cell(r.epoch)};
    for (const auto &reported : kReported) cells.push_back(cell(r.*reported.number));
    cells.push_back(fmt::format("{:.4f}", r.seconds));
    if (chains)
      for (const auto &reported : kOfChains) cells.push_back(cell(r.*reported.number));
    table.row(cells);
  }
  return table;
}

EpochLog log_of(const StoredTable &table, const std::string &what, int64_t last_epoch) {
  EpochLog log;
  const bool chains = table.columns == columns_of(true);
  if (!chains && table.columns != kColumns)
    wrong_use("{} is not a log of this program, expected the log of the run to continue with --resume", what);
  for (const auto &cells : table.rows) {
    if (cells.size() != table.columns.size()) continue;
    EpochRow r;
    r.epoch = std::strtoll(cells[0].c_str(), nullptr, 10);
    std::size_t column = 1;
    for (const auto &reported : kReported) r.*reported.number = number_in(cells[column++]);
    r.seconds = number_in(cells[column++]);
    for (const auto &reported : kOfChains) r.*reported.number = chains ? number_in(cells[column++]) : std::nan("");
    if (r.epoch <= last_epoch) log.push_back(r);
  }
  return log;
}

}  // namespace cli
