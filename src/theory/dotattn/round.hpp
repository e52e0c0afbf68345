// SPDX-License-Identifier: MIT
// How long the threads go on between two reports of a computation that is made in slices.
#pragma once

#include "base/progress.hpp"

#include <chrono>

namespace atp::dotattn {

// A round ends after one slice of each thread where reports are wanted. Otherwise it has all slices that are left until a stop is asked
// for; with several ranks it lasts for about kRound, so that all of them see the stop of one. It does not change what is computed.
class Round {
 public:
  explicit Round(const Reporter &reporter) : reporter_(reporter) {}
  // Asked by each thread after a slice.
  bool over() const {
    if (reporter_.wanted() || reporter_.flag().requested()) return true;
    return reporter_.ranks() != nullptr && std::chrono::steady_clock::now() - begin_ > kRound;
  }

 private:
  static constexpr std::chrono::milliseconds kRound{100};

  const Reporter &reporter_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace atp::dotattn
