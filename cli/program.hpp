// SPDX-License-Identifier: MIT
// The program attopotts: the library as one command. It uses only the public API.
#pragma once

namespace cli {

// Runs one command and returns its exit status. A process may run several, one after the other, as fuzzing does.
int run_program(int argc, char **argv);

}  // namespace cli
