// SPDX-License-Identifier: MIT
// attopotts dotattn with more than two tokens, a positional code of its own, or a student of rank two.
#pragma once

#include "support/dotattn_tables.hpp"

namespace cli {

struct TokenFlags {
  std::string tokens, rank, points, shifts;
  std::vector<std::string> code;
  // One of them was given.
  bool wanted() const { return !tokens.empty() || !rank.empty() || !points.empty() || !shifts.empty() || !code.empty(); }
};

void add_token_flags(CLI::App *app, TokenFlags &flags);

// What the flags of `dotattn` say beside them.
struct TokenRequest {
  std::vector<double> omegas, alphas;
  double sigma = 0.5, lambda = 0.01;
  std::string teacher, branch, csv = "-";  // teacher "": that of [C24]
  bool simulate = false;
  AttentionSimulation simulation;
};

int run_tokens(const Session &session, const TokenFlags &flags, const TokenRequest &request);

}  // namespace cli
