// SPDX-License-Identifier: MIT
#include "base/error.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace atp {

namespace {
thread_local char last_error_text[512] = "";
}

Error::Error(atp_status status, const char *text) noexcept : status_(status) { std::snprintf(text_, sizeof text_, "%s", text); }

void fail(atp_status status, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  throw Error(status, text);
}

void set_last_error(const char *text) noexcept { std::snprintf(last_error_text, sizeof last_error_text, "%s", text); }

const char *last_error() noexcept { return last_error_text; }

}  // namespace atp
