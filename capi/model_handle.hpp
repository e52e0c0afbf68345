// SPDX-License-Identifier: MIT
#pragma once

#include "handles.hpp"

#include "model/model.hpp"

#include <attopotts/model.h>

namespace atp {

ATP_HANDLE(atp_model, Model)

// The context of a handle that may be NULL.
inline Context *context_of(const atp_model *model) { return model == nullptr ? nullptr : core(model)->context; }

}  // namespace atp
