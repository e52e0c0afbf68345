// SPDX-License-Identifier: MIT
#include "base/context.hpp"

#include <cstdarg>
#include <cstdio>

namespace atp {

void Context::message(atp_log_level level, const char *format, ...) const {
  if (log == nullptr) return;
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  log(level, text, log_user);
}

void keep_error(Context &context, const char *text) noexcept { std::snprintf(context.error, sizeof context.error, "%s", text); }

}  // namespace atp
