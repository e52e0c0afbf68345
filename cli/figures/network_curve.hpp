// SPDX-License-Identifier: MIT
// Attention networks trained on masked tokens by SGD with cosine annealing, as in [R24].
#pragma once

#include "support/session.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cli {

struct NetworkPlan {
  atp_architecture architecture = ATP_ARCHITECTURE_ENCODER;
  int64_t blocks = 1, epochs = 1000, batch = 100;
  double rate = 0.1, momentum = 0.9, dial = 0;
  bool free_map = false;  // with the dial at 0
  int64_t starts = 1;     // random starts; the curve is that with the smallest final training loss
  std::string what;       // for messages
};

struct NetworkCurve {
  std::vector<int64_t> epochs;
  std::vector<double> test_losses;
  std::vector<std::vector<double>> maps;  // of the blocks, averaged over the test sequences, [L][L] each
};

NetworkCurve train_network(const Session &session, const atp_alignment *train, const atp_alignment *test, const NetworkPlan &plan,
                           int64_t seed, const std::string &task);

}  // namespace cli
