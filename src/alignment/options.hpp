// SPDX-License-Identifier: MIT
// The options of readers, of filters and of splits of alignments.
#pragma once

#include "base/options.hpp"

#include <attopotts/alignment.h>

namespace atp {

extern const OptionTable kAlignmentOptions, kFilterOptions, kSplitOptions;

}  // namespace atp
