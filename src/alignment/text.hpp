// SPDX-License-Identifier: MIT
// Texts in memory that readers parse, and excerpts of them for error messages.
#pragma once

#include "base/error.hpp"
#include "base/span.hpp"

#include <cstdint>

namespace atp {

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
inline bool is_line_end(char c) { return c == '\n' || c == '\r'; }
inline bool is_space(char c) { return is_blank(c) || is_line_end(c); }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline bool is_alphanumeric(char c) { return is_letter(c) || is_digit(c); }
// Bytes that do not occur in text. A char has a sign on some processors.
inline bool is_control(char c) {
  return (static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f') || c == 127;
}

// The bytes of a file, and its name in error messages.
struct Text {
  Span<const char> bytes;
  const char *label = "";
  const char *begin() const { return bytes.begin(); }
  const char *end() const { return bytes.end(); }
};

// The end of the line that begins at p; the start of the next line. Lines end with LF, CR LF or CR.
inline const char *end_of_line(const Text &text, const char *p) {
  while (p < text.end() && !is_line_end(*p)) ++p;
  return p;
}
inline const char *next_line(const Text &text, const char *p) {
  p = end_of_line(text, p);
  if (p == text.end()) return p;
  return p + (*p == '\r' && p + 1 < text.end() && p[1] == '\n' ? 2 : 1);
}

// The same text without a UTF-8 byte order mark.
ATP_FOR_IO Text without_mark(const Text &text);

// The line number, from 1, of a place in a text.
ATP_FOR_IO llong line_of(const Text &text, const char *place);

// Throws ATP_E_FORMAT; the text begins with label and line of a place in a text.
[[noreturn]] void fail_at(const Text &text, const char *place, const char *format, ...) __attribute__((format(printf, 3, 4)));

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

// Whether a zero byte ends one of several alignments, as in the files of MMseqs2 and ColabFold: it follows a line end, and a record or
// nothing follows it.
bool ends_part(const Text &text, const char *place);

// The first zero byte from a place on, nullptr if there is none. Of `records` those after a line end do not count: whether they separate
// alignments is left to the reader of sequences.
ATP_FOR_IO const char *zero_byte(const Text &text, const char *from, bool records);

// The likely content of a file, from its first bytes. lines: text, perhaps one sequence per line. binary: bytes
// that do not occur in text, unknown format. npy: an array of NumPy. other: only comments.
enum class Content { empty, hdf5, npy, fasta, stockholm, integers, lines, state, gzip, binary, other };
ATP_FOR_IO Content content_of(Span<const char> head);

// What a file is that no reader of this library reads, by its first bytes: "a Clustal alignment", "packed by zstd"; nullptr where that is
// not known.
ATP_FOR_IO const char *unread_format(Span<const char> head);

// Checks a text that is written as one line of a file. Throws ATP_E_VALUE if it has a control character (codes 0..31 and 127..159, as a
// byte or in UTF-8): a line end in a name would end its record, and a terminal obeys the others. All other bytes are allowed, also blanks
// and UTF-8. `what` begins the error text.
ATP_FOR_IO void check_one_line(const char *text, int64_t bytes, const char *what);

}  // namespace atp
