// SPDX-License-Identifier: MIT
#pragma once

#include "handles.hpp"

#include "attention/learner.hpp"

#include <attopotts/trainer.h>

namespace atp {

ATP_HANDLE(atp_trainer, Learner)

// The context of a handle that may be NULL.
inline Context *context_of(const atp_trainer *trainer) { return trainer == nullptr ? nullptr : core(trainer)->context; }

}  // namespace atp
