// SPDX-License-Identifier: MIT
// What can be known of jobs before they run: flags, input and output files.
#pragma once

#include "support/jobs.hpp"

#include <string>
#include <vector>

namespace cli {

// Fails if a job has no subcommand or an unknown flag, if it writes a file that another job writes or reads, and if it writes one of
// `ours`. Where jobs have no cost, sets it to the size of the input files.
void check_jobs(const CLI::App &program, const std::string &path, std::vector<Job> &jobs, const std::vector<std::string> &ours);

// The words that continue an earlier attempt of the job: with --resume if its command has it, and the file of the earlier attempt exists.
std::vector<std::string> resumed_words(const CLI::App &program, const Job &job);

}  // namespace cli
