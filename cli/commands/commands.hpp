// SPDX-License-Identifier: MIT
// The subcommands. Each function adds one to the program.
#pragma once

#include "support/session.hpp"

namespace cli {

void add_sample(Program &program);
void add_learn(Program &program);
void add_eval(Program &program);
void add_energies(Program &program);
void add_mutants(Program &program);
void add_network(Program &program);
void add_contacts(Program &program);
void add_compare(Program &program);
void add_compare_methods(Program &program);
void add_distances(Program &program);
void add_convert(Program &program);
void add_replica(Program &program);
void add_reproduce(Program &program);
void add_dotattn(Program &program);
void add_demo(Program &program);
void add_weights(Program &program);
void add_verdict(Program &program);
void add_check(Program &program);
void add_info(Program &program);
void add_help(Program &program);

}  // namespace cli
