// SPDX-License-Identifier: MIT
// An alignment as bytes, to send or to keep; layout in docs/formats.md.
#pragma once

#include "alignment/alignment.hpp"

namespace atp {

int64_t alignment_state_bytes(const Alignment &alignment);
// Throws ATP_E_BUFFER where size is less.
void save_alignment(const Alignment &alignment, void *buffer, int64_t size);
// Throws ATP_E_FORMAT, ATP_E_CHECKSUM or ATP_E_MISMATCH (a state of another kind) for anything but an alignment that save_alignment() can
// have written. Memory is requested after the shape was compared with the size.
Alignment *load_alignment(Context &context, const void *buffer, int64_t size);

}  // namespace atp
