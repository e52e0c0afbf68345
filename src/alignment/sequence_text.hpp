// SPDX-License-Identifier: MIT
// Alignments from and to text in memory, in every format that is text.
#pragma once

#include "alignment/alignment.hpp"
#include "alignment/options.hpp"
#include "alignment/text.hpp"

#include <attopotts/alignment.h>

#include <cstdio>

namespace atp {

// ATP_OPT_FORMAT or the content decides which reader it is, and the name where the content leaves a choice; alphabet may be NULL. Throws
// what parse_integers() and parse_sequences() throw, ATP_E_FORMAT for what is no text of sequences, ATP_E_CONFLICT for symbols without
// alphabet.
ATP_FOR_IO Alignment *alignment_from_text(Context &context, const Text &text, const char *name, const char *alphabet,
                                          const Options &options);

// FASTA. Out has put(const void *bytes, int64_t n) and put(char). Throws ATP_E_VALUE where a name is not one line.
template <class Out>
void put_fasta(const Alignment &alignment, Out &out) {
  for (int64_t n = 0; n < alignment.count(); ++n) {
    char number[32];
    const char *name = alignment.name(n);
    if (name[0] == 0) {
      std::snprintf(number, sizeof number, "sequence%lld", llong{n});
      name = number;
    }
    check_one_line(name, static_cast<int64_t>(std::strlen(name)), "the name of a sequence");
    out.put('>');
    out.put(name, static_cast<int64_t>(std::strlen(name)));
    out.put('\n');
    const uint8_t *s = alignment.sequence(n);
    for (int64_t i = 0; i < alignment.sites(); ++i) out.put(alignment.alphabet[s[i]]);
    out.put('\n');
  }
}

// A sequence per line, numbers separated by single blanks.
template <class Out>
void put_integers(const Alignment &alignment, Out &out) {
  char text[256][4];
  int64_t digits[256];
  for (int k = 0; k < 255; ++k) digits[k] = std::snprintf(text[k], sizeof text[k], "%d", k);
  for (int64_t n = 0; n < alignment.count(); ++n) {
    const uint8_t *s = alignment.sequence(n);
    for (int64_t i = 0; i < alignment.sites(); ++i) {
      if (i > 0) out.put(' ');
      out.put(text[s[i]], digits[s[i]]);
    }
    out.put('\n');
  }
}

// The bytes of an alignment as text, FASTA where `fasta`, else integers. They go to `text` as far as `room` lasts.
int64_t text_of(const Alignment &alignment, bool fasta, char *text, int64_t room);

// Reads one sequence per line: numbers 0..254, separated by blanks or tabs or by one comma. Empty lines and
// lines that begin with '#' are skipped. colors 0 means the largest number plus one, at least 2. Throws
// ATP_E_FORMAT or (a number >= colors) ATP_E_ALPHABET, with label and line.
Alignment *parse_integers(Context &context, const Text &text, int64_t colors);

enum class SequenceFormat {
  records,  // FASTA, A2M or A3M: the content decides
  fasta,    // all columns count
  a2m,      // insert columns are skipped: A2M and A3M, which differ only in the dots
  paired,   // A3M of a complex of two proteins (find_paired_rows())
  stockholm,
  lines,  // one sequence per line, with or without a name: the first line decides
  aln,    // PSICOV: one sequence per line
  named,  // GREMLIN: NAME and sequence on a line
};

// Reads alignments of symbols; docs/formats.md has the rules of each format. `policy` decides on symbols that are not in the alphabet. The
// context's log reports them, and also symbols of insert columns, names that occur twice, and columns with nothing but gaps.
//
// Records are A2M or A3M if some letters are in lower case, the alphabet has no lower case, and one of two conditions holds: no column has
// both kinds of symbols (upper case and '-'; lower case and '.'), or the lengths differ with '.' and lower case but agree without.
//
// Throws ATP_E_FORMAT (another format, no symbols, different lengths, all sequences dropped) or ATP_E_ALPHABET
// (policy: error), with label and line.
Alignment *parse_sequences(Context &context, const Text &text, SequenceFormat format, const char *symbols, atp_unknown policy);

}  // namespace atp
