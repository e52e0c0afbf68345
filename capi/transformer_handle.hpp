// SPDX-License-Identifier: MIT
#pragma once

#include "handles.hpp"

#include "transformer/trainer.hpp"

#include <attopotts/transformer.h>

namespace atp {

ATP_HANDLE(atp_transformer, TransformerTrainer)

// The context of a handle that may be NULL.
inline Context *context_of(const atp_transformer *transformer) { return transformer == nullptr ? nullptr : core(transformer)->context; }

}  // namespace atp
