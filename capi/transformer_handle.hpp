// SPDX-License-Identifier: MIT
#pragma once

#include "handles.hpp"

#include "learn/network/trainer.hpp"

#include <attopotts/transformer.h>

namespace atp {

ATP_OWNED_HANDLE(atp_transformer, TransformerTrainer)

}  // namespace atp
