// SPDX-License-Identifier: MIT
// --log-likelihood: log Z and the entropy of a model, and with them probabilities of sequences.
#pragma once

#include "run/model_sequences.hpp"
#include "run/session.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace cli {

void add_log_likelihood(CLI::App *app, bool &wanted, const std::string &what);

struct LogZ {
  attopotts::Partition of_model;
  // "log Z = 485.60 +- 0.02, entropy 42.7 +- 0.1 nats (0.399 per site), by annealing"
  std::string text;
};

// Takes the values of --set of the owner ATP_OWNER_PARTITION. Says the text on stderr.
LogZ estimate_log_z(const Session &session, const Model &model);
// log P(s) of each sequence, in nats; NaN where a site is missing.
std::vector<double> log_probabilities(const LogZ &found, const ModelSequences &data, const std::vector<double> &energies);
// Refuses --set of that owner where --log-likelihood is not given.
void needs_log_likelihood(const Session &session, bool wanted, const std::string &command);

}  // namespace cli
