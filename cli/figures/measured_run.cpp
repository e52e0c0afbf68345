// SPDX-License-Identifier: MIT
#include "figures/measured_run.hpp"

#include "support/progress_display.hpp"
#include "support/signals.hpp"

namespace cli {

namespace {

atp_status run_epochs(atp_trainer *trainer, int64_t epochs, atp_progress_fn progress, void *user, atp_outcome *outcome) {
  return atp_trainer_run(trainer, epochs, progress, user, outcome);
}

atp_status run_epochs(atp_transformer *network, int64_t epochs, atp_progress_fn progress, void *user, atp_outcome *outcome) {
  return atp_transformer_run(network, epochs, progress, user, outcome);
}

int64_t epochs_of(const atp_trainer *trainer) { return atp_trainer_epochs(trainer); }
int64_t epochs_of(const atp_transformer *network) { return atp_transformer_epochs(network); }

template <class Handle>
void run_all(const Session &session, Handle *handle, const MeasuredRun &run) {
  Progress progress(session, run.task, "epochs");
  const StopOnSignal stop(handle);
  for (int64_t mark : run.marks) {
    stop_if_interrupted();
    atp_outcome outcome = ATP_OUTCOME_NONE;
    const int64_t more = mark - epochs_of(handle);
    progress.set_frame(static_cast<double>(epochs_of(handle)), static_cast<double>(run.marks.back()));
    if (more > 0) check(run_epochs(handle, more, Progress::callback, &progress, &outcome));
    stop_if_interrupted();
    if (outcome == ATP_OUTCOME_DIVERGED)
      throw Failure(kNotConverged, fmt::format("{} diverged after epoch {} with rate {:g}, expected a smaller --rate", run.what,
                                               epochs_of(handle), run.rate));
    run.measure(mark);
  }
}

}  // namespace

std::vector<int64_t> epoch_marks(int64_t last) {
  std::vector<int64_t> marks = {0, 1};
  for (int64_t power = 2; power < last; power *= 2)
    for (int64_t mark : {power, power + power / 4, power + power / 2, power + 3 * power / 4})
      if (mark > marks.back() && mark < last) marks.push_back(mark);
  if (marks.back() < last) marks.push_back(last);
  return marks;
}

void run_measured(const Session &session, atp_trainer *trainer, const MeasuredRun &run) { run_all(session, trainer, run); }

void run_measured(const Session &session, atp_transformer *network, const MeasuredRun &run) { run_all(session, network, run); }

}  // namespace cli
