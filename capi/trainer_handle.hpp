// SPDX-License-Identifier: MIT
#pragma once

#include "handles.hpp"

#include "learn/learner.hpp"

#include <attopotts/trainer.h>

namespace atp {

ATP_OWNED_HANDLE(atp_trainer, Learner)

}  // namespace atp
