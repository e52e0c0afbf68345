// SPDX-License-Identifier: MIT
// The options of readers, of filters, of splits of alignments, and of the quality of samples.
#pragma once

#include "base/options.hpp"

#include <attopotts/alignment.h>

namespace atp {

extern const OptionTable kAlignmentOptions, kFilterOptions, kSplitOptions, kQualityOptions;

}  // namespace atp
