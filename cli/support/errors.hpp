// SPDX-License-Identifier: MIT
// How a subcommand ends early: a text for one line on stderr and the exit status of the program.
#pragma once

#include <attopotts.h>

#include <fmt/core.h>

#include <stdexcept>
#include <string>

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

// A flag, a file or its content is wrong: name it, its value, and what was expected.
template <class... Args>
[[noreturn]] void wrong_use(fmt::format_string<Args...> format, Args &&...args) {
  throw Failure(kWrongUse, fmt::format(format, std::forward<Args>(args)...));
}

// The work cannot be done: a full disk, no memory.
template <class... Args>
[[noreturn]] void failed(fmt::format_string<Args...> format, Args &&...args) {
  throw Failure(kFailed, fmt::format(format, std::forward<Args>(args)...));
}

// Turn a status of the library into a Failure with the library's text; `what` (a flag or file) goes in front of it unless the text has it.
void check(atp_status status, const std::string &what = "");

// The library's text on the last call that failed with this status, in one line.
std::string last_error(atp_status status);

// Throw with exit status 130 where a signal has come.
void stop_if_interrupted();

}  // namespace cli
