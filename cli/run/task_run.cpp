// SPDX-License-Identifier: MIT
#include "run/task_run.hpp"

#include "run/progress_display.hpp"
#include "run/signals.hpp"

namespace cli {

namespace {

int end_on_signal(const atp_progress *, void *) { return interrupted() ? 1 : 0; }

}  // namespace

TaskRun::TaskRun(const Session &session, atp_task_kind kind, std::initializer_list<Setting> settings, std::string what)
    : session_(session), what_(std::move(what)) {
  Options options;
  check(atp_options_create(session.context.get(), kind, out(options)));
  if (atp_option_text(kind, ATP_OPT_SEED) != nullptr) check(atp_options_set_i64(options.get(), ATP_OPT_SEED, session.seed));
  for (const Setting &setting : settings)
    if (setting.value) check(atp_options_set_f64(options.get(), setting.key, *setting.value), what_);
  session.settings.apply(options.get());
  check(atp_task_create(session.context.get(), kind, options.get(), out(task_)), what_);
}

TaskRun &TaskRun::array(atp_task_array which, const double *values, int64_t rows, int64_t columns) {
  check(atp_task_set_array(task_.get(), which, values, rows, columns), what_);
  return *this;
}

TaskRun &TaskRun::array(atp_task_array which, const std::vector<double> &values, int64_t columns) {
  return array(which, values.data(), static_cast<int64_t>(values.size()) / columns, columns);
}

int64_t TaskRun::bytes() const {
  int64_t bytes = 0;
  check(atp_task_bytes(task_.get(), &bytes), what_);
  return bytes;
}

CurveTable TaskRun::run(Progress *progress) {
  const int64_t rows = atp_task_rows(task_.get());
  ResultTable table;
  check(atp_table_create(session_.context.get(), static_cast<atp_table_kind>(atp_task_table_kind(task_.get())), rows, out(table)), what_);
  CurveTable curve(static_cast<std::size_t>(rows), atp_table_columns(table.get()));
  check(atp_task_run(task_.get(), table.get(), progress == nullptr ? end_on_signal : Progress::callback, progress, &curve.outcome), what_);
  if (progress == nullptr && curve.outcome == ATP_OUTCOME_CANCELLED) stop_if_interrupted();
  check(atp_table_values(table.get(), curve.numbers.data(), curve.size()), what_);
  return curve;
}

}  // namespace cli
