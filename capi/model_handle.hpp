// SPDX-License-Identifier: MIT
#pragma once

#include "handles.hpp"

#include "potts/model.hpp"

#include <attopotts/model.h>

namespace atp {

ATP_OWNED_HANDLE(atp_model, Model)

}  // namespace atp
