// SPDX-License-Identifier: MIT
// A model as bytes, to send or to keep; layout in docs/formats.md.
#pragma once

#include "potts/model.hpp"

namespace atp {

// --- the couplings of a model with a list of pairs, in the order of its state ---
//
// For every pair of the list the block C_ij(a, b), i < j, and, unless the model is exactly symmetric, C_ji(a, b) behind it.

// Blocks of each pair: 1 or 2.
ATP_FOR_IO int64_t pair_directions(const Model &model);
// Block `direction` of the k-th pair, [q][q], in the couplings of the model.
ATP_FOR_IO Span<double> pair_block(const Model &model, int64_t k, int64_t direction);
// C_ji(b, a) = C_ij(a, b) for all pairs of the list.
ATP_FOR_IO void mirror_pair_blocks(Model &model);
// Throws ATP_E_VALUE unless the pairs of a model whose list has been filled are sorted pairs of its sites.
ATP_FOR_IO void check_sorted_pairs(const Model &model, const char *name);

// --- states ---

int64_t model_state_bytes(const Model &model);
// Throws ATP_E_BUFFER where size is less.
void save_model(const Model &model, void *buffer, int64_t size);
// Throws ATP_E_FORMAT, ATP_E_CHECKSUM or ATP_E_MISMATCH (a state of another kind) for anything but a model that save_model() can have
// written. Memory is requested after the shape was compared with the size.
Model *load_model(Context &context, const void *buffer, int64_t size);

}  // namespace atp
