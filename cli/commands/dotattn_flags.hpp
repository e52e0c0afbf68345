// SPDX-License-Identifier: MIT
// The flags of `dotattn`, and what they ask for.
#pragma once

#include "run/theory_tasks.hpp"
#include "run/csv_table.hpp"

#include <optional>
#include <string>
#include <vector>

namespace cli {

enum class BranchChoice { semantic, positional, both, mixed };

// The flags of more than two tokens, a code of its own, or a student of rank two.
struct TokenFlags {
  std::optional<int64_t> tokens, rank;
  std::vector<std::vector<double>> code;  // [columns][tokens]
  // One of them was given.
  bool wanted() const { return tokens || rank || !code.empty(); }
};

struct DotattnFlags {
  std::vector<double> omegas = {0.3}, alphas, times, teacher;  // teacher empty: that of [C24]
  double lambda = 0.01;
  BranchChoice branch = BranchChoice::both;
  std::optional<int64_t> simulate;
  int64_t runs = 10;
  std::optional<double> rate;
  atp_optimizer optimizer = ATP_OPTIMIZER_SGD;
  std::string csv = "-", picture, report;
  TokenFlags tokens;
  bool transition = false, resume = false, restart = false, details = false;
  const CLI::App *app = nullptr;
  // The dynamics are asked for by --time.
  bool wants_dynamics() const { return !times.empty(); }
  Earlier earlier() const { return resume ? Earlier::resume : restart ? Earlier::restart : Earlier::refuse; }
};

void add_dotattn_flags(CLI::App *app, DotattnFlags &flags);

// The words of --optimizer and --branch.
std::string branch_word(BranchChoice branch);
std::string optimizer_word(atp_optimizer optimizer);
// What --simulate asks for; dimension 0: nothing.
AttentionSimulation simulation_of(const DotattnFlags &flags);
// Fails where flags contradict each other; with --time.
void check_dotattn_flags(const Settings &settings, const DotattnFlags &flags);
void check_dynamics_flags(const Settings &settings, const DotattnFlags &flags);

}  // namespace cli
