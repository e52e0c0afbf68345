// SPDX-License-Identifier: MIT
// Texts that readers parse from memory, and what their errors show of them.
#pragma once

#include "base/span.hpp"

#include <cstdint>

namespace atp {

// The bytes of a file and the name that errors give it.
struct Text {
  Span<const char> bytes;
  const char *label = "";
  const char *begin() const { return bytes.begin(); }
  const char *end() const { return bytes.end(); }
};

// The same text without a UTF-8 byte order mark.
Text without_mark(const Text &text);

// The line, counted from 1, of a place in a text; lines end with LF, CR LF or CR.
int64_t line_of(const Text &text, const char *place);

// At most 40 bytes in quotes, what is not printable as '?', for errors.
struct Quoted {
  Quoted(const char *begin, const char *end);
  char text[48];
};

// A path for errors: its end, where it is long; what is not printable as '?'.
struct ShownPath {
  explicit ShownPath(const char *path);
  char text[208];
};

// What a file seems to hold, from its first bytes. lines: text, perhaps a sequence per line; binary: bytes that no text has, and
// nothing known; other: comments and nothing known.
enum class Content { empty, hdf5, fasta, stockholm, integers, lines, state, gzip, binary, other };
Content content_of(Span<const char> head);

}  // namespace atp
