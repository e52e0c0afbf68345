// SPDX-License-Identifier: MIT
// Lists of mutants with one or more mutations: A110D, A110D/N146D, A110D:N146D or A110D,N146D.
#pragma once

#include "support/model_sequences.hpp"

#include <string>
#include <utility>
#include <vector>

namespace cli {

// A mutant as it stands in the file, and its sites and colours.
struct Mutant {
  std::string name;
  std::vector<std::pair<int64_t, int64_t>> changes;  // site and new colour
};

// Reads a file with a mutant on each line; empty lines and those that begin with # are left out. The letters before the numbers must be
// those of the sequence, the numbers are the model's site numbers.
std::vector<Mutant> read_mutants(const Session &session, const std::string &path, const atp_model *model, const uint8_t *sequence);

}  // namespace cli
