// SPDX-License-Identifier: MIT
// A model as bytes, to send or to keep; layout in docs/formats.md.
#pragma once

#include "potts/model.hpp"

namespace atp {

int64_t model_state_bytes(const Model &model);
// Throws ATP_E_BUFFER where size is less.
void save_model(const Model &model, void *buffer, int64_t size);
// Throws ATP_E_FORMAT, ATP_E_CHECKSUM or ATP_E_MISMATCH (a state of another kind) for anything but a model that save_model() can have
// written. Memory is requested after the shape was compared with the size.
Model *load_model(Context &context, const void *buffer, int64_t size);

}  // namespace atp
