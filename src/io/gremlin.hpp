// SPDX-License-Identifier: MIT
// Models of GREMLIN_CPP, options -mrf_o and -mrf_i: lines 'V[i] fields' and 'W[i][j] couplings'; docs/formats.md has the layout.
#pragma once

#include "alignment/text.hpp"
#include "io/fields.hpp"
#include "potts/model.hpp"

namespace atp {

// Whether a line begins like one of fields: 'V[i]' and a number.
bool is_gremlin_line(FieldReader reader);

// The number of states names the alphabet, protein, rna or -01; with `alphabet` (NULL: none) 5 states may be those of dna. Sites are
// numbered i + 1. Pairs that are not in the file have no couplings. Throws ATP_E_FORMAT with the line, ATP_E_NOT_FINITE, ATP_E_CONFLICT.
Model *parse_gremlin(Context &context, const Text &file, const char *alphabet);

// A model without a gap gets one without field and couplings. Throws ATP_E_CONFLICT for other symbols.
void write_gremlin(Context &context, const Model &model, const char *path);

}  // namespace atp
