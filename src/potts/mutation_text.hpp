// SPDX-License-Identifier: MIT
// Texts of mutants, one on each line: A110D, A110D/N146D, A110D:N146D or A110D,N146D. atp_mutations_parse() has the rules.
#pragma once

#include "potts/model.hpp"

namespace atp {

// The next mutation of a row: its mutant, its site, its new colour.
struct Change {
  int64_t mutant, site, color;
};

// Reads the mutations of a text into changes [capacity][3] and returns their number. Nothing is written before the whole text is valid.
int64_t parse_mutations(const Model &model, const uint8_t *sequence, const char *text, int64_t *changes, int64_t capacity);

}  // namespace atp
