// SPDX-License-Identifier: MIT
#include "data/text.hpp"

#include "base/state.hpp"

#include <cstdio>
#include <cstring>

namespace atp {

namespace {

bool printable(char c) { return c >= ' ' && c <= '~'; }

bool starts_with(Span<const char> bytes, const char *magic, int64_t size) {
  return bytes.size() >= size && std::memcmp(bytes.data(), magic, static_cast<std::size_t>(size)) == 0;
}

constexpr int64_t kLooked = 4096;

// Bytes that do not occur in text. A char has a sign on some processors.
bool control(char c) { return (static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f') || c == 127; }

bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

Text without_mark(const Text &text) {
  if (!starts_with(text.bytes, "\xEF\xBB\xBF", 3)) return text;
  return {text.bytes.sub(3, text.bytes.size() - 3), text.label};
}

int64_t line_of(const Text &text, const char *place) {
  int64_t line = 1;
  for (const char *p = text.begin(); p < place; ++p)
    if (*p == '\n' || (*p == '\r' && (p + 1 == text.end() || p[1] != '\n'))) ++line;
  return line;
}

Quoted::Quoted(const char *begin, const char *end) {
  char *p = text;
  *p++ = '\'';
  for (const char *c = begin; c < end && c < begin + 40; ++c) *p++ = printable(*c) ? *c : '?';
  if (end - begin > 40) p = static_cast<char *>(std::memcpy(p - 3, "...", 3)) + 3;
  *p++ = '\'';
  *p = 0;
}

ShownPath::ShownPath(const char *path) {
  const std::size_t size = std::strlen(path), room = sizeof text - 1;
  if (size <= room)
    std::memcpy(text, path, size + 1);
  else
    std::snprintf(text, sizeof text, "...%s", path + size - (room - 3));
  for (char *c = text; *c != 0; ++c)
    if (!printable(*c) && static_cast<unsigned char>(*c) < 128) *c = '?';
}

Content content_of(Span<const char> head) {
  if (starts_with(head, "\x89HDF\r\n\x1a\n", 8)) return Content::hdf5;
  if (starts_with(head, "\x93NUMPY", 6)) return Content::npy;
  if (starts_with(head, kStateMagic, sizeof kStateMagic)) return Content::state;
  if (starts_with(head, "\x1f\x8b", 2)) return Content::gzip;
  const Text text = without_mark({head, ""});
  for (const char *p = text.begin(); p < text.end() && p < text.begin() + kLooked; ++p)
    if (control(*p)) return Content::binary;
  const char *p = text.begin();
  bool comments = false;
  for (; p < text.end(); ++p) {
    if (*p == '#') {
      comments = true;
      while (p + 1 < text.end() && p[1] != '\n' && p[1] != '\r') ++p;
    } else if (!blank(*p)) {
      break;
    }
  }
  const char *first = text.begin();
  while (first < text.end() && blank(*first)) ++first;
  if (starts_with({first, text.end() - first}, "# STOCKHOLM", 11)) return Content::stockholm;
  if (p >= text.end()) return comments ? Content::other : Content::empty;
  if (*p == '>' && !comments) return Content::fasta;
  const char *digits = p;
  while (p < text.end() && *p >= '0' && *p <= '9') ++p;
  if (p > digits && (p == text.end() || blank(*p) || *p == ',')) return Content::integers;
  return *digits == '>' ? Content::other : Content::lines;
}

}  // namespace atp
