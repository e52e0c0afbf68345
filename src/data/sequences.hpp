// SPDX-License-Identifier: MIT
// Alignments of symbols from memory: FASTA, A2M, A3M, Stockholm, a sequence per line.
#pragma once

#include "data/alignment.hpp"
#include "data/text.hpp"

#include <attopotts/options.h>

namespace atp {

enum class SequenceFormat {
  records,  // FASTA, A2M or A3M: the content decides
  fasta,    // all columns count
  a2m,      // insert columns are left out: A2M and A3M, which differ only in the dots
  stockholm,
  lines,  // a sequence per line, alone or after its name: the first line decides
  aln,    // PSICOV: a sequence per line
  named,  // GREMLIN: NAME and sequence on a line
};

// docs/formats.md has the rules of each format. Symbols that are not in the alphabet are dealt with by the policy and reported through the
// context's log, as are symbols of insert columns, names that occur twice and columns of nothing but gaps.
// Records are A2M or A3M by their content where some letters are in lower case, the alphabet has no lower case, and either no column has
// both kinds of symbols (upper case and '-'; lower case and '.'), or the lengths differ with '.' and lower case but not without.
// Throws ATP_E_FORMAT (not this format, no symbols, other lengths, all sequences dropped) or ATP_E_ALPHABET (policy: error) with label and
// line.
Alignment *parse_sequences(Context &context, const Text &text, SequenceFormat format, const char *symbols, atp_unknown policy);

}  // namespace atp
