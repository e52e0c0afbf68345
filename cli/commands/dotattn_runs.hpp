// SPDX-License-Identifier: MIT
// The runs of `dotattn`: branches or the transition of two tokens, and the solutions of more tokens. Each returns the exit status.
#pragma once

#include "commands/dotattn_flags.hpp"

namespace cli {

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
// Says what did not converge, if anything, and what to do about it.
void say_trouble(const Session &session, const DotattnFlags &flags, const std::string &trouble);
// Adds to a list with commas.
void add_trouble(std::string &trouble, const std::string &text);

int run_branches(const Session &session, const DotattnFlags &flags);
int run_transition(const Session &session, const DotattnFlags &flags);
int run_tokens(const Session &session, const DotattnFlags &flags);
int run_dynamics(const Session &session, const DotattnFlags &flags);

}  // namespace cli
