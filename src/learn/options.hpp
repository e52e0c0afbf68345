// SPDX-License-Identifier: MIT
// The options of trainers, of selections by cross-validation and their folds, and of the methods without training.
#pragma once

#include "base/options.hpp"

namespace atp {

extern const OptionTable kTrainerOptions, kSelectionOptions, kFoldsOptions;
extern const OptionTable kMeanFieldOptions, kGaussianOptions, kMutualInformationOptions;

}  // namespace atp
