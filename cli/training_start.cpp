// SPDX-License-Identifier: MIT
#include "training_start.hpp"

#include "progress.hpp"
#include "signals.hpp"
#include "training.hpp"
#include "training_flags.hpp"

#include <algorithm>

namespace cli {

std::string check_memory(const Session &session, const atp_alignment *data, const atp_options *options, Start start) {
  int64_t family = 0;
  check(atp_options_get_i64(options, ATP_OPT_FAMILY, &family));
  const bool dense = family == ATP_FAMILY_DENSE;
  const int64_t n = atp_alignment_count(data), sites = atp_alignment_sites(data), colors = atp_alignment_colors(data);
  const auto bytes_of = [&](const atp_options *with, Start way_start) {
    int64_t bytes = 0, wide_bytes = 0, heads = 1;
    check(atp_trainer_bytes(session.context.get(), n, sites, colors, with, &bytes));
    if (way_start == Start::wide) {
      const Options wide = copy_options(session, with);
      check(atp_options_get_i64(with, ATP_OPT_HEADS, &heads));
      check(atp_options_set_i64(wide.get(), ATP_OPT_HEADS, std::min(kWideTimes * heads, kMostHeads)));
      check(atp_trainer_bytes(session.context.get(), n, sites, colors, wide.get(), &wide_bytes));
    }
    return static_cast<double>(bytes + wide_bytes);
  };
  const double bytes = bytes_of(options, start), available = available_memory();
  if (available < 0 || bytes <= available)
    return fmt::format("{} sequences, {} sites, {} colours; training needs {}{}", n, sites, colors, memory_text(bytes),
                       available < 0 ? "" : " of " + memory_text(available) + " available");
  struct Way {
    const char *flag;
    atp_option key;
    int64_t value;
    Start start;
  };
  const Way ways[] = {{"--asymmetric", dense ? ATP_OPT_ASYMMETRIC : ATP_OPT_SEED, dense ? 1 : session.seed, start},
                      {"--start random", ATP_OPT_SEED, session.seed, Start::random},
                      {"--precision 32", ATP_OPT_PRECISION, 32, start},
                      {"--history 3", ATP_OPT_HISTORY, 3, start},
                      {"--heads 1", ATP_OPT_HEADS, 1, start}};
  std::string help = "fewer sequences with --rows FIRST:COUNT";
  for (const Way &way : ways) {
    const Options changed = copy_options(session, options);
    check(atp_options_set_i64(changed.get(), way.key, way.value));
    if (bytes_of(changed.get(), way.start) <= available) {
      help = way.flag;
      break;
    }
  }
  wrong_use("training needs {} and {} are available, expected {}", memory_text(bytes), memory_text(available), help);
}

void wide_start(const Session &session, atp_trainer *trainer, const atp_options *options) {
  int64_t heads = 1;
  check(atp_options_get_i64(options, ATP_OPT_HEADS, &heads));
  Progress progress(session, "start", "epochs");
  const StopOnSignal stop(trainer);
  stop_if_interrupted();
  check(atp_trainer_start_wide(trainer, std::min(kWideTimes * heads, kMostHeads), kWideIterations, Progress::callback, &progress, nullptr),
        "--start wide");
  stop_if_interrupted();
}

}  // namespace cli
