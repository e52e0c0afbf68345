// SPDX-License-Identifier: MIT
// The exception class of the core: a public status and a complete text. It never crosses the C boundary.
#pragma once

#include "base/for_io.hpp"

#include <attopotts/status.h>

#include <exception>

namespace atp {

class ATP_FOR_IO Error : public std::exception {
 public:
  Error(atp_status status, const char *text) noexcept;
  const char *what() const noexcept override { return text_; }
  atp_status status() const noexcept { return status_; }

 private:
  atp_status status_;
  char text_[512];
};

// Throws an Error. The text names the argument, its value and the expected value.
[[noreturn]] ATP_FOR_IO void fail(atp_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Sets the calling thread's last error, without allocating.
ATP_FOR_IO void set_last_error(const char *text) noexcept;
const char *last_error() noexcept;

}  // namespace atp
