// SPDX-License-Identifier: MIT
#include "run/errors.hpp"

#include "run/ranks.hpp"
#include "run/signals.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace cli {

namespace {

int exit_status(atp_status status) {
  switch (status) {
    case ATP_E_WRITE:
    case ATP_E_BUFFER:
    case ATP_E_STAGE:
    case ATP_E_INTERNAL: return kFailed;
    default: return kWrongUse;
  }
}

}  // namespace

void to_stderr(const std::string &text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

int out_of_memory() noexcept {
  constexpr char text[] = "attopotts: out of memory, expected a smaller input or more memory\n";
  (void)!write(STDERR_FILENO, text, sizeof text - 1);
  return kWrongUse;
}

std::string last_error(atp_status status) {
  std::string text(static_cast<std::size_t>(atp_last_error(nullptr, 0)) + 1, '\0');
  atp_last_error(text.data(), static_cast<int64_t>(text.size()));
  text.pop_back();
  if (text.empty()) text = atp_status_string(status);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

void check(atp_status status, const std::string &what) {
  if (status != ATP_OK) fail_as(status, last_error(status), what);
}

void fail_as(atp_status status, std::string text, const std::string &what) {
  text = with_shown_names(text);
  // With `what` = "MODEL a.h5" the text of the library may begin with the file's name.
  const std::size_t label = what.find(' ') == std::string::npos ? 0 : what.find(' ') + 1;
  if (label > 0 && text.rfind(what.substr(label) + ":", 0) == 0) text = what.substr(0, label) + text;
  const bool named = what == "-" ? text.rfind("standard ", 0) == 0 : text.find(what) != std::string::npos;
  if (!what.empty() && !named) text = what + ": " + text;
  std::replace(text.begin(), text.end(), '\n', ' ');
  const std::string setter = "atp_context_set_memory_limit";
  const std::size_t place = text.find(setter);
  if (place != std::string::npos) text.replace(place, setter.size(), "--memory");
  if (status == ATP_E_RANK) throw OtherRankFailed(kFailed, text);
  throw Failure(exit_status(status), text);
}

std::string ways_out(const std::string &ended, const WaysOut &ways) {
  std::string text;
  for (const auto &[outcome, way] : ways)
    if (ended.find(atp_outcome_name(outcome)) != std::string::npos) text += "; " + way;
  return text;
}

std::string counted(int64_t count, const std::string &thing) { return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s"); }

void stop_if_interrupted() {
  if (interrupted_anywhere()) throw Failure(kInterrupted, "interrupted");
}

}  // namespace cli
