// SPDX-License-Identifier: MIT
// Progress on stderr: a bar with rate and time left, the same as a line now and then, JSON lines, or nothing.
#pragma once

#include "run/session.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace cli {

// The progress of one run. Pass `callback` and the object to the library; the callback also stops the run if a signal has arrived.
class Progress {
 public:
  Progress(const Session &session, std::string task, std::string unit);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  static int callback(const atp_progress *progress, void *self);
  // Shows a report.
  void show(const atp_progress *progress);
  // Sets the number of steps of earlier calls in the same task, and the number of all steps.
  void set_frame(double offset, double total) {
    offset_ = offset;
    total_ = total;
  }

 private:
  void show_json(const atp_progress *progress, double step, double total, double seconds) const;
  void show_bar(const atp_progress *progress, double step, double total, double seconds);
  void show_line(const atp_progress *progress, double step, double total, double seconds);
  // Rate, losses and the time that is left.
  std::string details(const atp_progress *progress, double step, double total, double seconds);

  const Session &session_;
  std::string task_, unit_;
  double offset_ = 0, total_ = 0;
  double before_ = 0, first_step_ = -1, first_seconds_ = 0;  // steps of earlier processes; of the first report
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now(), shown_{};
  bool drawn_ = false;
};

// "1.23 M", "456 k": three digits and a prefix.
std::string short_number(double value);
// "0:12", "1:02:03".
std::string clock_time(double seconds);

}  // namespace cli
