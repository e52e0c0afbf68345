// SPDX-License-Identifier: MIT
// Finds the sequences in a text, for each format, before symbols are checked.
#pragma once

#include "base/context.hpp"
#include "alignment/growing.hpp"
#include "alignment/text.hpp"

namespace atp {

// Symbols of one sequence, mixed with blanks and line ends.
struct Piece {
  const char *begin, *end;
};

struct Row {
  const char *place;            // the place that errors report
  const char *name, *name_end;  // equal if there is no name
  int64_t first_piece, pieces;
};

struct SequenceRows {
  explicit SequenceRows(Allocator &allocator) : rows(allocator), pieces(allocator), match(allocator) {}
  int64_t count() const { return rows.size(); }
  Growing<Row> rows;
  Growing<Piece> pieces;
  Growing<uint8_t> match;   // whether '#=GC RF' of Stockholm has a column as a match column; empty: all columns are
  int64_t annotations = 0;  // records that were left out
  Row annotation = {};      // the first of them
  int64_t widths[2] = {};   // of the two proteins in a row, where a first line tells them; else a piece is of a protein each
};

// The first byte that is neither blank nor in a line that begins with '#'.
ATP_FOR_IO const char *first_record(const Text &text);
// Finds records of a header line '>NAME anything' and lines of symbols: FASTA, A2M, A3M. Lines that begin with '#' before the first record
// are skipped. Records of HH-suite that are no sequences ('ss_pred', 'Consensus') are left out. Throws ATP_E_FORMAT if the text does not
// begin with '>'.
void find_fasta_rows(const Text &text, SequenceRows &found);
// The alignments that zero bytes separate (ends_part()): their number, and the first two. Throws ATP_E_FORMAT for a zero byte elsewhere.
int64_t find_parts(const Text &text, Text (&parts)[2]);
// Finds the rows of a complex of two proteins: row k of one part followed by row k of the other, or those of a single part whose first line
// gives the widths, '#L1,L2<TAB>...'. Throws ATP_E_FORMAT for other numbers of parts or widths, and for parts of different numbers of rows.
void find_paired_rows(Context &context, const Text (&parts)[2], int64_t count, SequenceRows &found);

// Finds the sequences of a Stockholm file: '# STOCKHOLM 1.0', lines 'NAME symbols' in one or several blocks, '#=GC RF', other comments,
// '//'. Throws ATP_E_FORMAT with label and line if the first line is missing, a line has one word or more than two, a name occurs twice in
// a block, '//' is missing (a truncated file), or anything follows it.
void find_stockholm_rows(Context &context, const Text &text, SequenceRows &found);

// Finds one sequence per line: only its symbols (PSICOV), or 'NAME symbols' (GREMLIN). Skips empty lines, and
// lines that begin with '#' unless that is a symbol of the alphabet. Throws ATP_E_FORMAT.
void find_line_rows(const Text &text, bool named, const char *symbols, SequenceRows &found);
// Whether the first sequence line has two words.
bool lines_have_names(const Text &text, const char *symbols);

}  // namespace atp
