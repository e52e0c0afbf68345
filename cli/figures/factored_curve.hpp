// SPDX-License-Identifier: MIT
// Factored attention on masked tokens as in [R24]: SGD with cosine annealing, one head, free map, from several random starts.
#pragma once

#include "support/session.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cli {

struct FactoredPlan {
  int64_t epochs = 2000, starts = 8, batch = 100;
  double rate = 0.1, momentum = 0.9;
  std::string text() const;  // for captions
};

// With one head the loss has local minima on low-temperature data. The curve is that of the start with the smallest final training loss.
struct FactoredCurve {
  std::vector<int64_t> epochs;
  std::vector<double> test_losses, coupling_errors;
  int64_t starts = 0, good_starts = 0;  // good: final training loss within 0.01 nats of the best
  Model model;
};

// `task` is the label of the progress display; the number of the start follows it.
FactoredCurve train_factored(const Session &session, const atp_alignment *train, const atp_alignment *test, const atp_model *truth,
                             const FactoredPlan &plan, int64_t seed, const std::string &task);

}  // namespace cli
