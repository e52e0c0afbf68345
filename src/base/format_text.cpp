// SPDX-License-Identifier: MIT
#include "base/format_text.hpp"

#include <cstdio>

#ifdef __APPLE__
#include <xlocale.h>
#elif !defined(_WIN32)
#include <locale.h>
#endif

namespace atp {

namespace {

#ifdef _WIN32

struct PlainLocale {};  // Windows has no locale of a thread that is cheap to change

#else

// The thread has the locale "C" while this lives.
class PlainLocale {
 public:
  PlainLocale() : plain_(newlocale(LC_ALL_MASK, "C", static_cast<locale_t>(nullptr))) {
    if (plain_ != static_cast<locale_t>(nullptr)) before_ = uselocale(plain_);
  }
  ~PlainLocale() {
    if (plain_ == static_cast<locale_t>(nullptr)) return;
    uselocale(before_);
    freelocale(plain_);
  }
  PlainLocale(const PlainLocale &) = delete;
  PlainLocale &operator=(const PlainLocale &) = delete;

 private:
  locale_t plain_, before_{};
};

#endif

}  // namespace

int format_list(char *text, std::size_t size, const char *format, va_list arguments) {
  [[maybe_unused]] const PlainLocale plain;
  return std::vsnprintf(text, size, format, arguments);
}

int format_text(char *text, std::size_t size, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = format_list(text, size, format, arguments);
  va_end(arguments);
  return length;
}

}  // namespace atp
