// SPDX-License-Identifier: MIT
// The table of jobs of `batch`: one command of this program a row.
#pragma once

#include "support/session.hpp"

#include <string>
#include <vector>

namespace cli {

struct Job {
  std::size_t row = 0;             // of the table, from 1
  std::string name, folder;        // folder: where it runs; "": here
  std::vector<std::string> words;  // the subcommand and its arguments
  double cost = 0;                 // 0: not given
  // The job in one line for a shell. A job whose line changes is another job.
  std::string line() const;
};

// Reads and checks the table. `command` is the command of all rows, with {column} for a value of the row; "": the table has it. `common`
// are arguments that a job gets unless it has them: pairs of flag and value.
std::vector<Job> read_jobs(const Session &session, const std::string &path, const std::string &command,
                           const std::vector<std::pair<std::string, std::string>> &common);

// The text `JOBS FILE row N (NAME)`, which begins messages about a job.
std::string place_of(const std::string &path, const Job &job);

// Whether the words have a flag, as --flag or --flag=value.
bool has_flag(const std::vector<std::string> &words, const std::string &flag);
// Adds a flag, with its value if it has one, behind the subcommand.
void add_flag(std::vector<std::string> &words, const std::vector<std::string> &flag);

}  // namespace cli
