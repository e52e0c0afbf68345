// SPDX-License-Identifier: MIT
#include "program.hpp"

int main(int argc, char **argv) { return cli::run_program(argc, argv); }
