// SPDX-License-Identifier: MIT
#include "commands/commands.hpp"

namespace cli {

const std::vector<const Command *> &commands() {
  static const std::vector<const Command *> all = {&kSampleCommand,    &kVerdictCommand,        &kWeightsCommand, &kCompareCommand,
                                                   &kDistancesCommand, &kConvertCommand,        &kLearnCommand,   &kEvalCommand,
                                                   &kEnergiesCommand,  &kEnumerateCommand,      &kMutantsCommand, &kScansCommand,
                                                   &kContactsCommand,  &kCompareMethodsCommand, &kReplicaCommand, &kDotattnCommand,
                                                   &kDemoCommand,      &kCheckCommand,          &kInfoCommand,    &kHelpCommand};
  return all;
}

}  // namespace cli
