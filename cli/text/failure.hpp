// SPDX-License-Identifier: MIT
// Failures: what ends a subcommand with one line on stderr and an exit status.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace cli {

// Exit statuses of the program.
inline constexpr int kDone = 0, kFailed = 1, kWrongUse = 2, kNotConverged = 3, kInterrupted = 130;

class Failure : public std::runtime_error {
 public:
  Failure(int status, const std::string &text) : std::runtime_error(text), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

// Ends with status 2: a flag, a file or its content is wrong. The text names it, its value and what was expected.
template <class... Args>
[[noreturn]] void wrong_use(fmt::format_string<Args...> format, Args &&...args) {
  throw Failure(kWrongUse, fmt::format(format, std::forward<Args>(args)...));
}

// Ends with status 1: the work cannot be done, for example on a full disk.
template <class... Args>
[[noreturn]] void failed(fmt::format_string<Args...> format, Args &&...args) {
  throw Failure(kFailed, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace cli
