// SPDX-License-Identifier: MIT
/** @file task.hpp
 *  Tasks of theory and simulation; see task.h.
 *  Part of attopotts.hpp, which describes the conventions. */
#ifndef ATTOPOTTS_TASK_HPP
#define ATTOPOTTS_TASK_HPP

#include <attopotts/task.h>
#include <attopotts/options.hpp>
#include <attopotts/table.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace attopotts {

/** The rows of a run, and how it ended. */
struct Result {
  Table table;
  atp_outcome outcome;
};

/** A task; see task.h. */
class Task {
 public:
  /** Holds nothing. */
  Task() = default;
  /** Takes ownership of a handle. */
  explicit Task(atp_task *handle) : handle_(handle) {}
  Task(Borrowed<Context> context, atp_task_kind kind, const Options *options = nullptr) {
    atp_task *handle = nullptr;
    check(atp_task_create(context.get(), kind, detail::handle_of(options), &handle));
    handle_.reset(handle);
  }
  Task(Borrowed<Context> context, atp_task_kind kind, const Options &options) : Task(context, kind, &options) {}
  /** Shape [rows][columns]; the size determines the number of rows. */
  Task &set(atp_task_array which, Reals values, std::int64_t columns = 1) & {
    const std::int64_t n = detail::size(values.size());
    if (columns < 1 || n % columns != 0)
      throw error(ATP_E_SHAPE, "values has " + std::to_string(n) + " numbers, must have whole rows of " + std::to_string(columns));
    return check(atp_task_set_array(get(), which, values.data(), n / columns, columns)), *this;
  }
  /** Returns an array that was set, or its default. */
  std::vector<double> array(atp_task_array which) const {
    std::int64_t rows = 0, columns = 0;
    check(atp_task_array_shape(get(), which, &rows, &columns));
    std::vector<double> out(static_cast<std::size_t>(rows * columns > 0 ? rows * columns : 1));
    return check(atp_task_get_array(get(), which, out.data(), rows * columns)), out;
  }
  int kind() const { return atp_task_kind_of(get()); }
  atp_table_kind table_kind() const { return static_cast<atp_table_kind>(atp_task_table_kind(get())); }
  std::int64_t rows() const { return atp_task_rows(get()); }
  /** Copies the options to a bag. */
  void options(Options &out) const { check(atp_task_options(get(), out.get())); }
  std::int64_t bytes() const {
    std::int64_t bytes = 0;
    return check(atp_task_bytes(get(), &bytes)), bytes;
  }
  /** Runs the task and appends its rows to a table. */
  atp_outcome run(Table &table, const ProgressFunction &progress = {}) {
    detail::Relay relay{progress, {}};
    atp_outcome outcome = ATP_OUTCOME_NONE;
    relay.finish(atp_task_run(get(), table.get(), relay.callback(), &relay, &outcome));
    return outcome;
  }
  /** Runs the task and returns its rows in a new table. */
  Result run(const ProgressFunction &progress = {}) {
    Result out{Table(atp_task_context(get()), table_kind(), rows()), ATP_OUTCOME_NONE};
    out.outcome = run(out.table, progress);
    return out;
  }
  void request_stop() noexcept { atp_task_request_stop(get()); }
  double value(atp_task_number which) const {
    double value = 0;
    return check(atp_task_value(get(), which, &value)), value;
  }
  atp_task *get() const noexcept { return handle_.get(); }
  explicit operator bool() const noexcept { return handle_ != nullptr; }

 private:
  detail::Owner<atp_task, atp_task_destroy> handle_;
};

}  // namespace attopotts

#endif
