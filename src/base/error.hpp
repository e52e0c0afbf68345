// SPDX-License-Identifier: MIT
// The one exception of the core: a public status and a finished text. It never crosses the C boundary.
#pragma once

#include <attopotts/status.h>

#include <exception>

namespace atp {

class Error : public std::exception {
 public:
  Error(atp_status status, const char *text) noexcept;
  const char *what() const noexcept override { return text_; }
  atp_status status() const noexcept { return status_; }

 private:
  atp_status status_;
  char text_[512];
};

// Throw an Error; the text names the argument, its value and what was expected.
[[noreturn]] void fail(atp_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Keep a text as the calling thread's last error, without allocating.
void set_last_error(const char *text) noexcept;
const char *last_error() noexcept;

}  // namespace atp
