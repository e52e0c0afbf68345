// SPDX-License-Identifier: MIT
// Options and columns of trainers, of selections by cross-validation and their folds, and of the methods without training.
#pragma once

#include "base/options.hpp"
#include "base/table.hpp"

#include <attopotts/asymptotics.h>
#include <attopotts/trainer.h>

namespace atp {

extern const OptionTable kTrainerOptions, kSelectionOptions, kFoldsOptions;
extern const OptionTable kMeanFieldOptions, kGaussianOptions, kMutualInformationOptions, kAsymptoticsOptions;

extern const TableKind kTrainingLogTable, kSelectionTable, kAsymptoticsTable;

}  // namespace atp
