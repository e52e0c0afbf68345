// SPDX-License-Identifier: MIT
#pragma once

#include "handles.hpp"

#include "alignment/alignment.hpp"

#include <attopotts/alignment.h>

namespace atp {

ATP_OWNED_HANDLE(atp_alignment, Alignment)

}  // namespace atp
