// SPDX-License-Identifier: MIT
// Reports of a run whose steps may take long: one after each step, and others in between, so that a callback is called about every
// kHeartbeat seconds and a stop request is seen soon.
#pragma once

#include "base/progress.hpp"

namespace atp {

class Heartbeat {
 public:
  Heartbeat(Reporter &reporter, double total) : reporter_(reporter), total_(total) {}
  // Steps are done; true where the run must end.
  bool step(double steps = 1) {
    done_ += steps;
    return report();
  }
  // Within a step, as often as is convenient, by the thread of the call; true where the run must end.
  bool beat() { return reporter_.meet() || (reporter_.wanted() && reporter_.seconds() - last_ > kHeartbeat && report()); }
  bool stopped() const { return reporter_.stopped(); }

 private:
  static constexpr double kHeartbeat = 0.05;

  bool report() {
    atp_progress progress;
    progress.set(ATP_PROGRESS_STEP, done_);
    progress.set(ATP_PROGRESS_TOTAL, total_);
    last_ = reporter_.seconds();
    return reporter_.report(progress);
  }

  Reporter &reporter_;
  double total_, done_ = 0, last_ = 0;
};

}  // namespace atp
