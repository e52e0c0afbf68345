// SPDX-License-Identifier: MIT
// Raw models of CCMpred; docs/formats.md has the layout. They are only for proteins: 21 symbols in CCMpred's
// order, without a field of the gap.
#pragma once

#include "alignment/text.hpp"
#include "potts/model.hpp"

namespace atp {

// The alphabet of the model is "protein", the field of the gap is 0. Throws ATP_E_FORMAT with the line, ATP_E_NOT_FINITE.
Model *parse_ccmpred_raw(Context &context, const Text &file);

// Shifts the fields so that the gap's is 0. A model without a gap gets one without couplings. Throws
// ATP_E_CONFLICT if the symbols are not those of proteins.
void write_ccmpred_raw(Context &context, const Model &model, const char *path);

}  // namespace atp
