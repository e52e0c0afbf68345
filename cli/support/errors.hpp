// SPDX-License-Identifier: MIT
// Errors that end a subcommand: one line for stderr, and the exit status of the program.
#pragma once

#include <attopotts_io.h>

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace cli {

// Writes to stderr. A closed or full stderr is no failure.
void to_stderr(const std::string &text);

// Says on stderr that memory ran out. Allocates nothing. Returns the exit status.
int out_of_memory() noexcept;

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

// Throws a Failure with the library's text unless the status is ATP_OK. `what` (a flag or file) precedes the text unless the text names it.
void check(atp_status status, const std::string &what = "");

// Returns the library's text about the last call that failed with this status, in one line.
std::string last_error(atp_status status);

// What to do about each way to end without convergence.
using WaysOut = std::vector<std::pair<atp_outcome, std::string>>;
// "; raise --epochs" for each of these outcomes that `ended` names, a text with names of outcomes; "" without any.
std::string ways_out(const std::string &ended, const WaysOut &ways);

// Throws with exit status 130 if a signal has arrived, on any rank; collective.
void stop_if_interrupted();

}  // namespace cli
