// SPDX-License-Identifier: MIT
// Text models of the adabmDCA family and bmDCA, "J i j a b value" and "h i a value"; docs/formats.md has the layout.
#pragma once

#include "alignment/text.hpp"
#include "potts/model.hpp"

namespace atp {

enum class AdabmSymbols { letters, integers };

// alphabet may be NULL: letters must then be exactly those of "protein", "rna" or "dna", and integers have no
// symbols. Before the model is made, all numbers are checked, and duplicates are rejected. A file may omit
// couplings that are 0, so a model may be much larger than its file: 64 times, or up to 1 GiB. Throws
// ATP_E_FORMAT with the line, ATP_E_NOT_FINITE, ATP_E_CONFLICT (letters of no named alphabet, and none given),
// ATP_E_ALPHABET, ATP_E_TOO_LARGE.
Model *parse_adabm(Context &context, const Text &file, AdabmSymbols symbols, const char *alphabet);

// Omits couplings that are 0. Throws ATP_E_CONFLICT if letters are requested and the model has no alphabet.
void write_adabm(Context &context, const Model &model, AdabmSymbols symbols, const char *path);

}  // namespace atp
