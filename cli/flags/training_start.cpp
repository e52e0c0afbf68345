// SPDX-License-Identifier: MIT
#include "flags/training_start.hpp"

#include "flags/training_flags.hpp"

#include <algorithm>
#include <iterator>

namespace cli {

std::string check_memory(const Session &session, const atp_alignment *data, const atp_options *options, Start start, RunPlan plan) {
  int64_t family = 0;
  check(atp_options_get_i64(options, ATP_OPT_FAMILY, &family));
  const auto forecast_of = [&](const atp_options *with, Start way_start) {
    int64_t heads = 1;
    plan.more_training_bytes = 0;
    if (way_start == Start::wide) {
      const Options wide = copy_options(session, with);
      check(atp_options_get_i64(with, ATP_OPT_HEADS, &heads));
      check(atp_options_set_i64(wide.get(), ATP_OPT_HEADS, std::min(kWideTimes * heads, kMostHeads)));
      plan.more_training_bytes = forecast_memory(session, data, wide.get(), RunPlan()).training;
    }
    return forecast_memory(session, data, with, plan);
  };
  const MemoryForecast forecast = forecast_of(options, start);
  const double available = available_memory(session);
  if (available < 0 || forecast.more <= available) return forecast_text(data, forecast, available);
  struct Way {
    const char *flag;
    atp_option key;
    int64_t value;
    Start start;
  };
  const Way of_dense[] = {{"--precision 32", ATP_OPT_PRECISION, 32, start},
                          {"--set history=3", ATP_OPT_HISTORY, 3, start},
                          {"--asymmetric", ATP_OPT_ASYMMETRIC, 1, start}};
  const Way of_factored[] = {{"--start random", ATP_OPT_SEED, session.seed, Start::random},
                             {"--precision 32", ATP_OPT_PRECISION, 32, start},
                             {"--set history=3", ATP_OPT_HISTORY, 3, start},
                             {"--heads 1", ATP_OPT_HEADS, 1, start}};
  const bool dense = family == ATP_FAMILY_DENSE;
  std::string help;  // all flags that would do, each alone
  double needed = 0;
  for (const Way *way = dense ? of_dense : of_factored, *end = dense ? std::end(of_dense) : std::end(of_factored); way != end; ++way) {
    const Options changed = copy_options(session, options);
    check(atp_options_set_i64(changed.get(), way->key, way->value));
    needed = forecast_of(changed.get(), way->start).more;
    if (needed <= available) help += (help.empty() ? "" : " or ") + std::string(way->flag);
  }
  int64_t asymmetric = 0;
  check(atp_options_get_i64(options, ATP_OPT_ASYMMETRIC, &asymmetric));
  // Dense couplings take most of their memory however few the sequences; the last way, --asymmetric, needs the least.
  if (help.empty() && dense)
    help = fmt::format("factored attention, fewer sites with --focus or --max-gaps-column, or {}{}",
                       asymmetric != 0 ? "a --memory of " : "--asymmetric and ", memory_text(needed));
  else if (help.empty())
    help = "fewer sequences with --rows FIRST:COUNT";
  wrong_use("training needs {} and {} are available, expected {}", memory_text(forecast.more), memory_text(available), help);
}

Trainer make_wide(const Session &session, const atp_alignment *data, const atp_options *options) {
  int64_t heads = 1;
  check(atp_options_get_i64(options, ATP_OPT_HEADS, &heads));
  const Options wide = copy_options(session, options);
  check(atp_options_set_i64(wide.get(), ATP_OPT_HEADS, std::min(kWideTimes * heads, kMostHeads)));
  check(atp_options_set_i64(wide.get(), ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_LBFGS));
  check(atp_options_set_i64(wide.get(), ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_PSEUDOLIKELIHOOD));
  check(atp_options_set_f64(wide.get(), ATP_OPT_MOMENTUM, 0));
  check(atp_options_set_f64(wide.get(), ATP_OPT_RATE, 0));
  check(atp_options_set_i64(wide.get(), ATP_OPT_BATCH, 100));  // the default: L-BFGS uses neither rate nor batch
  check(atp_options_set_i64(wide.get(), ATP_OPT_EPOCHS, kWideIterations));
  Trainer trainer;
  check(atp_trainer_create(session.context.get(), data, wide.get(), out(trainer)), "--start wide");
  return trainer;
}

atp_outcome wide_start(const Session &session, atp_trainer *wide, atp_trainer *trainer, TrainingJob job) {
  EpochLog unused;  // the log contains only the training itself
  job.task = "start";
  const atp_outcome outcome = train(session, wide, job, unused);
  if (outcome != ATP_OUTCOME_CANCELLED && outcome != ATP_OUTCOME_DIVERGED) check(atp_trainer_start_from(trainer, wide), "--start wide");
  return outcome;
}

}  // namespace cli
