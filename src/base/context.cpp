// SPDX-License-Identifier: MIT
#include "base/context.hpp"

#include "base/running.hpp"
#include "base/error.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace atp {

namespace {

// The lock of a context's error text. It is held only to copy a few hundred bytes, so spinning is cheap.
class ErrorLock {
 public:
  explicit ErrorLock(const Context &context) : flag_(context.error_lock) {
    while (flag_.test_and_set(std::memory_order_acquire)) {
    }
  }
  ~ErrorLock() { flag_.clear(std::memory_order_release); }
  ErrorLock(const ErrorLock &) = delete;
  ErrorLock &operator=(const ErrorLock &) = delete;

 private:
  std::atomic_flag &flag_;
};

}  // namespace

void Context::message(atp_log_level level, const char *format, ...) const {
  if (log == nullptr) return;
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  format_list(text, sizeof text, format, arguments);
  va_end(arguments);
  call_host("log", [&] { log(level, text, log_user); });
}

void Context::few_threads(void *context, int asked, int made) {
  static_cast<const Context *>(context)->message(ATP_LOG_WARNING, "%d threads were asked for and the system gives %d; results are the same",
                                                 asked, made);
}

void keep_error(Context &context, const char *text) noexcept {
  const ErrorLock lock(context);
  std::snprintf(context.error, sizeof context.error, "%s", text);
}

int64_t copy_error(const Context &context, Counting counting, char *buffer, int64_t size) noexcept {
  const ErrorLock lock(context);
  return copy_error_text(context.error, counting, buffer, size);
}

}  // namespace atp
