// SPDX-License-Identifier: MIT
// The flags of `dotattn`, and what they ask for.
#pragma once

#include "run/dotattn_tables.hpp"
#include "run/csv_table.hpp"

#include <optional>
#include <string>
#include <vector>

namespace cli {

enum class BranchChoice { semantic, positional, both, mixed };

// The flags of more than two tokens, a code of its own, or a student of rank two.
struct TokenFlags {
  std::optional<int64_t> tokens, rank, points, shifts;
  std::vector<std::vector<double>> code;  // [columns][tokens]
  // One of them was given.
  bool wanted() const { return tokens || rank || points || shifts || !code.empty(); }
};

struct DynamicsFlags {
  bool wanted = false, flow = false;
  std::vector<double> times;
  double start_theta = 0, start_m = 0;
};

struct DotattnFlags {
  std::vector<double> omegas = {0.3}, alphas, teacher;  // teacher empty: that of [C24]
  double sigma = 0.5, lambda = 0.01, accuracy = 1e-3;
  BranchChoice branch = BranchChoice::both;
  std::optional<int64_t> iterations, simulate;
  int64_t runs = 10, steps = 10000, restarts = 0;
  std::optional<double> rate;
  atp_optimizer optimizer = ATP_OPTIMIZER_SGD;
  std::string csv = "-", picture, report;
  TokenFlags tokens;
  DynamicsFlags dynamics;
  bool transition = false, resume = false, restart = false, details = false, breaking = false;
  const CLI::App *app = nullptr;
  Earlier earlier() const { return resume ? Earlier::resume : restart ? Earlier::restart : Earlier::refuse; }
};

void add_dotattn_flags(CLI::App *app, DotattnFlags &flags);

// The words of --optimizer and --branch.
std::string branch_word(BranchChoice branch);
std::string optimizer_word(atp_optimizer optimizer);
// What --simulate asks for; dimension 0: nothing.
AttentionSimulation simulation_of(const DotattnFlags &flags);
// Fails where flags contradict each other; with --dynamics.
void check_dotattn_flags(const DotattnFlags &flags);
void check_dynamics_flags(const DotattnFlags &flags);

}  // namespace cli
