// SPDX-License-Identifier: MIT
// Errors that end a subcommand: one line for stderr, and the exit status of the program.
#pragma once

#include "text/failure.hpp"

#include <attopotts_io.hpp>

#include <string>
#include <utility>
#include <vector>

namespace cli {

// Writes to stderr. A closed or full stderr is no failure.
void to_stderr(const std::string &text);

// Says on stderr that memory ran out. Allocates nothing. Returns the exit status.
int out_of_memory() noexcept;

// Throws the Failure of a call of the library. `what` (a flag or file) precedes the library's text unless the text names it.
[[noreturn]] void fail_as(atp_status status, std::string text, const std::string &what = "");

// Makes calls of the library whose failures name `what`.
template <class Calls>
auto labelled(const std::string &what, Calls &&calls) -> decltype(calls()) {
  try {
    return calls();
  } catch (const attopotts::error &failure) {
    fail_as(failure.status(), failure.what(), what);
  }
}

// The same for a call of C.
void check(atp_status status, const std::string &what = "");

// Returns the library's text about the last call that failed with this status, in one line.
std::string last_error(atp_status status);

// What to do about each way to end without convergence.
using WaysOut = std::vector<std::pair<atp_outcome, std::string>>;
// "; raise --epochs" for each of these outcomes that `ended` names, a text with names of outcomes; "" without any.
std::string ways_out(const std::string &ended, const WaysOut &ways);

// "1 epoch", "2 epochs".
std::string counted(int64_t count, const std::string &thing);

// Throws with exit status 130 if a signal has arrived, on any rank; collective.
void stop_if_interrupted();

}  // namespace cli
