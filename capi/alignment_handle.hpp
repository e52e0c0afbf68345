// SPDX-License-Identifier: MIT
#pragma once

#include "handles.hpp"

#include "data/alignment.hpp"

#include <attopotts/alignment.h>

namespace atp {

ATP_HANDLE(atp_alignment, Alignment)

// The context of a handle that may be NULL.
inline Context *context_of(const atp_alignment *alignment) { return alignment == nullptr ? nullptr : core(alignment)->context; }

}  // namespace atp
