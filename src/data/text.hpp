// SPDX-License-Identifier: MIT
// Texts in memory that readers parse, and excerpts of them for error messages.
#pragma once

#include "base/for_io.hpp"
#include "base/span.hpp"

#include <cstdint>

namespace atp {

// The bytes of a file, and its name in error messages.
struct Text {
  Span<const char> bytes;
  const char *label = "";
  const char *begin() const { return bytes.begin(); }
  const char *end() const { return bytes.end(); }
};

// The same text without a UTF-8 byte order mark.
ATP_FOR_IO Text without_mark(const Text &text);

// The line number, from 1, of a place in a text. Lines end with LF, CR LF or CR.
int64_t line_of(const Text &text, const char *place);

// At most 40 bytes in quotes for error messages; unprintable bytes become '?'.
struct Quoted {
  ATP_FOR_IO Quoted(const char *begin, const char *end);
  char text[48];
};

// A path for error messages: only the end of a long one; unprintable bytes become '?'.
struct ShownPath {
  ATP_FOR_IO explicit ShownPath(const char *path);
  char text[208];
};

// The likely content of a file, from its first bytes. lines: text, perhaps one sequence per line. binary: bytes
// that do not occur in text, unknown format. npy: an array of NumPy. other: only comments.
enum class Content { empty, hdf5, npy, fasta, stockholm, integers, lines, state, gzip, binary, other };
ATP_FOR_IO Content content_of(Span<const char> head);

}  // namespace atp
