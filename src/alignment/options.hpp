// SPDX-License-Identifier: MIT
// The options of readers and of filters of alignments.
#pragma once

#include "base/options.hpp"

#include <attopotts/alignment.h>

namespace atp {

extern const OptionTable kAlignmentOptions, kFilterOptions;

}  // namespace atp
