// SPDX-License-Identifier: MIT
// Reads alignments of symbols from a text in memory: FASTA, A2M, A3M, Stockholm, one sequence per line.
#pragma once

#include "alignment/alignment.hpp"
#include "alignment/text.hpp"

#include <attopotts/alignment.h>

namespace atp {

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

// docs/formats.md has the rules of each format. `policy` decides on symbols that are not in the alphabet. The
// context's log reports them, and also symbols of insert columns, names that occur twice, and columns with
// nothing but gaps.
//
// Records are A2M or A3M if some letters are in lower case, the alphabet has no lower case, and one of two
// conditions holds: no column has both kinds of symbols (upper case and '-'; lower case and '.'), or the
// lengths differ with '.' and lower case but agree without.
//
// Throws ATP_E_FORMAT (another format, no symbols, different lengths, all sequences dropped) or ATP_E_ALPHABET
// (policy: error), with label and line.
Alignment *parse_sequences(Context &context, const Text &text, SequenceFormat format, const char *symbols, atp_unknown policy);

}  // namespace atp
