// SPDX-License-Identifier: MIT
// Models that CCMpred and CCMgen write as msgpack (-b, "braw"), through the headers of msgpack; docs/formats.md has the layout. They hold
// what CCMpred's raw text holds. A build without msgpack throws ATP_E_UNSUPPORTED.
#pragma once

#include "alignment/text.hpp"
#include "potts/model.hpp"

namespace atp {

// Whether a file is a map of msgpack whose first key is one of this format's, from its first bytes; also without msgpack.
bool is_braw(Span<const char> head);

// As parse_ccmpred_raw(). Reads the file twice: all sizes are checked before the model is made, and the file has a byte at least for each
// of its numbers. Throws ATP_E_FORMAT, ATP_E_NOT_FINITE.
Model *parse_braw(Context &context, const Text &file);

// As write_ccmpred_raw(), in float64.
void write_braw(Context &context, const Model &model, const char *path);

}  // namespace atp
