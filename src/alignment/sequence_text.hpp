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

// The name of a sequence in files: that of the alignment, else its number. Throws ATP_E_VALUE where it is not one line.
class WrittenName {
 public:
  WrittenName(const Alignment &alignment, int64_t n) : name_(alignment.name(n)) {
    if (name_[0] == 0) {
      std::snprintf(number_, sizeof number_, "sequence%lld", llong{n});
      name_ = number_;
    }
    check_one_line(name_, size(), "the name of a sequence");
  }
  WrittenName(const WrittenName &) = delete;
  WrittenName &operator=(const WrittenName &) = delete;
  const char *text() const { return name_; }
  int64_t size() const { return static_cast<int64_t>(std::strlen(name_)); }
  // The length of the first word, and what follows it and its blanks.
  int64_t word() const { return static_cast<int64_t>(std::strcspn(name_, " \t")); }
  const char *rest() const { return name_ + word() + std::strspn(name_ + word(), " \t"); }

 private:
  const char *name_;
  char number_[32];
};

// The symbols of a sequence and a line end. Out has put(const void *bytes, int64_t n) and put(char).
template <class Out>
void put_symbols(const Alignment &alignment, int64_t n, Out &out) {
  const uint8_t *s = alignment.sequence(n);
  for (int64_t i = 0; i < alignment.sites(); ++i) out.put(alignment.alphabet[s[i]]);
  out.put('\n');
}

// FASTA; A2M and A3M are the same of an alphabet that require_match_symbols() takes.
template <class Out>
void put_fasta(const Alignment &alignment, Out &out) {
  for (int64_t n = 0; n < alignment.count(); ++n) {
    const WrittenName name(alignment, n);
    out.put('>');
    out.put(name.text(), name.size());
    out.put('\n');
    put_symbols(alignment, n, out);
  }
}

// Throws ATP_E_CONFLICT where an alphabet has symbols that are insert columns in A2M and A3M.
ATP_FOR_IO void require_match_symbols(const char *alphabet);

// Stockholm in one block. A name is the first word; what follows it is its #=GS DE.
template <class Out>
void put_stockholm(const Alignment &alignment, Out &out) {
  constexpr int64_t kWidth = 32;  // of shorter names
  const auto put_text = [&out](const char *text) { out.put(text, static_cast<int64_t>(std::strlen(text))); };
  put_text("# STOCKHOLM 1.0\n");
  for (int64_t n = 0; n < alignment.count(); ++n) {
    const WrittenName name(alignment, n);
    if (*name.rest() == 0) continue;
    put_text("#=GS ");
    out.put(name.text(), name.word());
    put_text(" DE ");
    put_text(name.rest());
    out.put('\n');
  }
  for (int64_t n = 0; n < alignment.count(); ++n) {
    const WrittenName name(alignment, n);
    out.put(name.text(), name.word());
    for (int64_t k = name.word(); k < kWidth; ++k) out.put(' ');
    out.put(' ');
    put_symbols(alignment, n, out);
  }
  put_text("//\n");
}

// Throws ATP_E_VALUE where Stockholm cannot have the names of the sequences: two first words are equal, or one is empty or begins as a
// comment or the end of the file.
ATP_FOR_IO void require_stockholm_names(Context &context, const Alignment &alignment);

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
