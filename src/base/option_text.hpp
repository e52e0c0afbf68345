// SPDX-License-Identifier: MIT
// Options as text: "l2-couplings=0.01, optimizer=adam".
#pragma once

#include "base/options.hpp"

namespace atp {

// A piece of a text.
struct TextPiece {
  const char *begin, *end;
  int size() const { return static_cast<int>(end - begin); }
  // Whether it has these characters, which are lower case, in any case; '_' stands for '-'.
  bool names(const char *word) const;
};

struct OptionAssignment {
  TextPiece name, value;
};

// Reads the next NAME=VALUE and the comma or blank behind it; false at the end of the text. Throws ATP_E_VALUE for anything else.
bool next_assignment(const char *&text, OptionAssignment &found);

// Sets an option that the bag has from a number or a word of its values. Throws ATP_E_OPTION_RANGE, and then changes nothing.
void set_from_text(Options &options, const OptionInfo &info, TextPiece value);

// Writes what differs from the defaults, in the order of the table, with a final zero. Returns the number of bytes that this takes; nothing
// is complete where size is less.
int64_t write_options(const Options &options, char *text, int64_t size);

}  // namespace atp
