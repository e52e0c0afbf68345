// SPDX-License-Identifier: MIT
// The sequences of a text as places in it: what the reader of each format finds before it checks symbols.
#pragma once

#include "base/context.hpp"
#include "data/growing.hpp"
#include "data/text.hpp"

namespace atp {

// Symbols of one sequence, with blanks and line ends among them.
struct Piece {
  const char *begin, *end;
};

struct Row {
  const char *place;            // where an error points
  const char *name, *name_end;  // equal: no name
  int64_t first_piece, pieces;
};

struct SequenceRows {
  explicit SequenceRows(Allocator &allocator) : rows(allocator), pieces(allocator) {}
  int64_t count() const { return rows.size(); }
  Growing<Row> rows;
  Growing<Piece> pieces;
};

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
inline bool is_line_end(char c) { return c == '\n' || c == '\r'; }
// The end of the line that begins at p; the beginning of the next one.
const char *end_of_line(const Text &text, const char *p);
const char *next_line(const Text &text, const char *p);

// Records of a header line '>NAME anything' and lines of symbols: FASTA, A2M, A3M. Throws ATP_E_FORMAT where the first is not '>'.
void find_fasta_rows(const Text &text, SequenceRows &found);

// Stockholm: '# STOCKHOLM 1.0', lines 'NAME symbols' in one or several blocks, '#=' and other comments, '//'. Throws ATP_E_FORMAT with
// label and line: no first line, a line of one word or more than two, a name twice in a block, no '//' (a file that was cut), anything
// after it.
void find_stockholm_rows(Context &context, const Text &text, SequenceRows &found);

// A sequence per line: its symbols alone (PSICOV), or 'NAME symbols' (GREMLIN). Empty lines are skipped, and lines that begin with '#'
// where that is no symbol of the alphabet. Throws ATP_E_FORMAT.
void find_line_rows(const Text &text, bool named, const char *symbols, SequenceRows &found);
// Whether the first of these lines has two words.
bool lines_have_names(const Text &text, const char *symbols);

}  // namespace atp
