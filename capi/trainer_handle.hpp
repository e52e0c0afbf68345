// SPDX-License-Identifier: MIT
#pragma once

#include "handles.hpp"

#include "learn/trainer.hpp"

#include <attopotts/trainer.h>

namespace atp {

ATP_HANDLE(atp_trainer, Trainer)

}  // namespace atp
