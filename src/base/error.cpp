// SPDX-License-Identifier: MIT
#include "base/error.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

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

thread_local char last_error_text[512] = "";

constexpr char kMark = ATP_INDEX[0];

// A number and one more, as text. The largest does not overflow.
struct Next {
  explicit Next(const char *&digits) {
    char *end = nullptr;
    const long long number = std::strtoll(digits, &end, 10);
    digits = end;
    if (number < 0)
      std::snprintf(text, sizeof text, "%lld", number + 1);
    else
      std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(number) + 1);
  }
  char text[24];
};

// "[4][2]" at text as "(3, 5)", an index as the next number; leaves text behind it.
void count_from_one(const char *&text, char *out, std::size_t room) {
  if (*text != '[') {
    std::snprintf(out, room, "%s", Next(text).text);
    return;
  }
  char place[128] = ")";
  for (const char *separator = ""; *text == '['; separator = ", ") {
    ++text;
    const Next index(text);
    if (*text == ']') ++text;
    char longer[sizeof place];
    std::snprintf(longer, sizeof longer, "%s%s%s", index.text, separator, place);
    std::memcpy(place, longer, sizeof place);
  }
  std::snprintf(out, room, "(%s", place);
}

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

Error::Error(atp_status status, const char *text) noexcept : status_(status) { std::snprintf(text_, sizeof text_, "%s", text); }

void fail(atp_status status, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  format_list(text, sizeof text, format, arguments);
  va_end(arguments);
  throw Error(status, text);
}

void set_last_error(const char *text) noexcept { std::snprintf(last_error_text, sizeof last_error_text, "%s", text); }

const char *last_error() noexcept { return last_error_text; }

int64_t copy_error_text(const char *text, Counting counting, char *buffer, int64_t size) noexcept {
  char out[640];  // a place grows by a character for each 9
  std::size_t length = 0;
  while (*text != '\0' && length + 1 < sizeof out) {
    if (*text != kMark) {
      out[length++] = *text++;
      continue;
    }
    ++text;
    const bool index = *text == '[' || *text == '-' || (*text >= '0' && *text <= '9');
    if (counting == Counting::from_zero || !index) continue;
    count_from_one(text, out + length, sizeof out - length);
    length += std::strlen(out + length);
  }
  out[length] = '\0';
  if (buffer != nullptr && size > 0) std::snprintf(buffer, static_cast<std::size_t>(size), "%s", out);
  return static_cast<int64_t>(length);
}

}  // namespace atp
