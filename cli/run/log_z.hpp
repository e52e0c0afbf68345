// SPDX-License-Identifier: MIT
// --log-likelihood: log Z and the entropy of a model, and with them the probabilities of its sequences.
#pragma once

#include "run/model_sequences.hpp"
#include "run/session.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace cli {

void add_log_likelihood(CLI::App *app, bool &wanted, const std::string &what);

struct LogLikelihood {
  attopotts::Partition of_model;
  std::vector<double> values;  // log P(s) of each sequence, in nats; NaN where a site is missing
  // "log Z = 485.60 +- 0.02, entropy 42.7 +- 0.1 nats (0.399 per site), by annealing"
  std::string text;
};

// Takes the values of --set of the owner ATP_OWNER_PARTITION. Says the text on stderr.
LogLikelihood log_likelihood(const Session &session, const Model &model, const ModelSequences &data, const std::vector<double> &energies);
// Refuses --set of that owner where --log-likelihood is not given.
void needs_log_likelihood(const Session &session, bool wanted, const std::string &command);

}  // namespace cli
