// SPDX-License-Identifier: MIT
// The flags of `dotattn`, and its runs: branches or the transition of two tokens, the solutions of more tokens, the dynamics. Each run
// returns the exit status.
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

// The word of --branch.
std::string branch_word(BranchChoice branch);
// What --simulate asks for; dimension 0: nothing.
AttentionSimulation simulation_of(const DotattnFlags &flags);
// Fails where flags contradict each other; with --time.
void check_dotattn_flags(const Settings &settings, const DotattnFlags &flags);
void check_dynamics_flags(const Settings &settings, const DotattnFlags &flags);

// What the flags ask for, at the first omega.
AttentionTask two_tokens(const Session &session, const DotattnFlags &flags);
// The same with --tokens, --code and --rank.
AttentionTask many_tokens(const Session &session, const DotattnFlags &flags);
// One line with everything on which the rows of a growing table depend.
std::string settings_text(const Session &session, const DotattnFlags &flags, const std::string &what);
// The end of a run with a growing table: notes, messages, exit status. `trouble` is "" where all rows converged.
int finish_dotattn(const Session &session, const DotattnFlags &flags, const GrowingTable &table, const std::string &trouble);
// Draws --picture, and writes the page of --report, where they are given. The page comes last, so that it has all messages.
void draw_table(const Session &session, const DotattnFlags &flags, const Table &table);
void report_table(const Session &session, const DotattnFlags &flags, const Table &table, const std::string &outcome);
// Prints what did not converge, if anything, and what to do about it.
void say_trouble(const Session &session, const DotattnFlags &flags, const std::string &trouble);
// Adds to a list with commas.
void add_trouble(std::string &trouble, const std::string &text);

int run_branches(const Session &session, const DotattnFlags &flags);
int run_transition(const Session &session, const DotattnFlags &flags);
int run_tokens(const Session &session, const DotattnFlags &flags);
int run_dynamics(const Session &session, const DotattnFlags &flags);

}  // namespace cli
