// SPDX-License-Identifier: MIT
#include "base/error.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace atp {

namespace {
thread_local char last_error_text[512] = "", last_error_counted[512] = "";

constexpr char kMark = ATP_INDEX[0];

// The marked text without its marks.
void without_marks(const char *marked, char *out) {
  while (*marked != '\0') {
    if (*marked != kMark) *out++ = *marked;
    ++marked;
  }
  *out = '\0';
}

// "[4][2]" at text as "(3, 5)"; leaves text behind it.
int reversed_place(const char *&text, char *out, std::size_t room) {
  long long indices[4];
  int n = 0;
  while (n < 4 && *text == '[') {
    char *end = nullptr;
    indices[n++] = std::strtoll(text + 1, &end, 10) + 1;
    text = *end == ']' ? end + 1 : end;
  }
  int length = 0;
  const auto left = [&] { return room - static_cast<std::size_t>(length); };
  for (int k = n - 1; k >= 0; --k) length += std::snprintf(out + length, left(), "%s%lld", k == n - 1 ? "(" : ", ", indices[k]);
  return length + std::snprintf(out + length, left(), ")");
}

// The marked text with places reversed and indices larger by one.
void counted_from_one(const char *marked, char *out, std::size_t size) {
  std::size_t length = 0;
  while (*marked != '\0' && length + 1 < size) {
    if (*marked != kMark) {
      out[length++] = *marked++;
      continue;
    }
    ++marked;
    char number[128];
    if (*marked == '[') {
      reversed_place(marked, number, sizeof number);
    } else {
      char *end = nullptr;
      std::snprintf(number, sizeof number, "%lld", std::strtoll(marked, &end, 10) + 1);
      marked = end;
    }
    const int wrote = std::snprintf(out + length, size - length, "%s", number);
    length = std::min(size - 1, length + static_cast<std::size_t>(wrote));
  }
  out[length] = '\0';
}

}  // namespace

Error::Error(atp_status status, const char *text) noexcept : status_(status) {
  char marked[sizeof text_];
  std::snprintf(marked, sizeof marked, "%s", text);
  without_marks(marked, text_);
  counted_from_one(marked, from_one_, sizeof from_one_);
}

void fail(atp_status status, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  throw Error(status, text);
}

void set_last_error(const char *text, const char *from_one) noexcept {
  std::snprintf(last_error_text, sizeof last_error_text, "%s", text);
  std::snprintf(last_error_counted, sizeof last_error_counted, "%s", from_one);
}

const char *last_error() noexcept { return last_error_text; }
const char *last_error_from_one() noexcept { return last_error_counted; }

}  // namespace atp
