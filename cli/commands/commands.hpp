// SPDX-License-Identifier: MIT
// The subcommands, in the order of the help. Each is in a file of its own.
#pragma once

#include "flags/command.hpp"

#include <vector>

namespace cli {

extern const Command kSampleCommand, kVerdictCommand, kWeightsCommand, kCompareCommand, kDistancesCommand, kConvertCommand,
    kEnumerateCommand, kLearnCommand, kEvalCommand, kEnergiesCommand, kMutantsCommand, kScansCommand, kContactsCommand,
    kCompareMethodsCommand, kReplicaCommand, kDotattnCommand, kDemoCommand, kCheckCommand, kInfoCommand, kHelpCommand;

const std::vector<const Command *> &commands();

}  // namespace cli
