// SPDX-License-Identifier: MIT
// FASTA from memory.
#pragma once

#include "data/alignment.hpp"
#include "data/text.hpp"

#include <attopotts/options.h>

namespace atp {

// A header line '>NAME anything', then the symbols over any number of lines; blanks, tabs and empty lines between symbols are skipped.
// '.' stands for '-' where the alphabet has '-' and no '.'; lower case stands for upper case where the alphabet has no lower case.
// Other symbols are dealt with by the policy and reported through the context's log.
// Throws ATP_E_FORMAT (no '>' first, no symbols, other lengths, all sequences dropped) or ATP_E_ALPHABET (policy: error) with label and
// line.
Alignment *parse_fasta(Context &context, const Text &text, const char *symbols, atp_unknown policy);

}  // namespace atp
