// SPDX-License-Identifier: MIT
// One training of `network`: SGD on masked tokens, then L-BFGS on all sites where it is asked for.
#pragma once

#include "run/files.hpp"

#include <cmath>
#include <string>
#include <vector>

namespace cli {

enum class NetworkKind { factored, encoder, dial };
const char *network_word(NetworkKind kind);

struct NetworkJob {
  NetworkKind kind = NetworkKind::factored;
  atp_map map = ATP_MAP_LOWRANK;  // at dial 0
  int64_t blocks = 1, epochs = 2000, batch = 100, polish = 0, precision = 32;
  double dial = 0, rate = 0.1, momentum = 0, l2_maps = 0, l2_colors = 0, tolerance = 1e-5;
  double dial_or_nan() const { return kind == NetworkKind::dial ? dial : std::nan(""); }
  const char *map_word() const;
};

struct NetworkInputs {
  Alignment train, test;  // test may be empty
  Model truth;            // or empty
};

// Where a training ended. Numbers that the inputs do not give are NaN.
struct NetworkEnd {
  std::string name;  // sgd or lbfgs
  bool polished = false;
  double train_loss = std::nan(""), objective = std::nan(""), test_loss = std::nan(""), coupling_error = std::nan("");
  double gradient_norm = std::nan(""), seconds = 0;
  int64_t iterations = 0;  // epochs of SGD
  atp_outcome outcome = ATP_OUTCOME_NONE;
  std::vector<std::vector<double>> maps;  // [L][L]; empty without test and truth
};

struct NetworkEnds {
  std::vector<NetworkEnd> list;
  std::vector<double> true_map;  // [L][L], beta J_ij
  double optimal_loss = std::nan("");
  int64_t parameters = 0;
};

// A diverged training has its row, with the losses of the last finite epoch, and is not polished.
NetworkEnds run_network_job(const Session &session, const NetworkJob &job, const NetworkInputs &in);

}  // namespace cli
