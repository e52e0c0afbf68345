// SPDX-License-Identifier: MIT
// Alignments from and to text in memory, in every format that is text.
#pragma once

#include "alignment/options.hpp"
#include "alignment/alignment.hpp"
#include "alignment/one_line.hpp"
#include "alignment/text.hpp"

#include <cstdio>

namespace atp {

// ATP_OPT_FORMAT or the content decides which reader it is, and the name where the content leaves a choice; alphabet may be NULL. Throws
// what the readers throw (sequences.hpp, integers.hpp), ATP_E_FORMAT for what is no text of sequences, ATP_E_CONFLICT for symbols without
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
      std::snprintf(number, sizeof number, "sequence%lld", static_cast<long long>(n));
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

}  // namespace atp
