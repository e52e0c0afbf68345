// SPDX-License-Identifier: MIT
// A task of the library: options, arrays, a run, its rows.
#pragma once

#include "run/session.hpp"

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace cli {

class Progress;

// Rows of a table of the library, and how the run ended.
struct CurveTable {
  int64_t columns = 0;
  std::vector<double> numbers;
  atp_outcome outcome = ATP_OUTCOME_NONE;
  CurveTable(std::size_t rows, int64_t columns_of_a_row) : columns(columns_of_a_row), numbers(rows * static_cast<std::size_t>(columns)) {}
  int64_t size() const { return static_cast<int64_t>(numbers.size()); }
  double at(std::size_t row, int column) const {
    return numbers[row * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column)];
  }
};

class TaskRun {
 public:
  // Nothing is set without a value.
  struct Setting {
    template <class Number>
    Setting(atp_option option, Number number) : key(option), value(static_cast<double>(number)) {}
    Setting(atp_option option, std::optional<double> number) : key(option), value(number) {}
    atp_option key;
    std::optional<double> value;
  };
  // The session's seed is set, too, where the kind has one. `what` goes in front of messages.
  TaskRun(const Session &session, atp_task_kind kind, std::initializer_list<Setting> settings, std::string what = "");
  TaskRun &array(atp_task_array which, const std::vector<double> &values, int64_t columns = 1);
  TaskRun &array(atp_task_array which, const double *values, int64_t rows, int64_t columns = 1);
  int64_t bytes() const;
  // Without `progress`, a signal throws the failure of stop_if_interrupted().
  CurveTable run(Progress *progress = nullptr);
  const atp_task *get() const { return task_.get(); }

 private:
  const Session &session_;
  Task task_;
  std::string what_;
};

}  // namespace cli
