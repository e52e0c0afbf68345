// SPDX-License-Identifier: MIT
// The flags of `replica`, and the system that they describe.
#pragma once

#include "support/learning_curve.hpp"

#include <optional>
#include <string>
#include <vector>

namespace cli {

// A number, or the best for each alpha.
struct Penalty {
  double value = 1e-8;
  bool optimal = false;
};

struct ReplicaFlags {
  std::vector<double> alphas;
  std::optional<double> shift, huber_delta, noise, target;
  Penalty lambda;
  double temperature = 0;
  atp_replica_loss loss = ATP_REPLICA_LOSS_SQUARE;
  std::optional<int64_t> sites, site, simulate;
  std::string covariance, teacher, csv = "-";
  bool saddle = false, details = false;
  const CLI::App *app = nullptr;
};

void add_replica_flags(CLI::App *app, ReplicaFlags &flags);
std::string loss_word(atp_replica_loss loss);
// Fails where flags contradict each other.
void check_replica_flags(const ReplicaFlags &flags);
// The inputs and the teacher that the flags describe; false: the limit of many sites.
bool finite_system(const Session &session, const ReplicaFlags &flags, MaskedSystem &system);

}  // namespace cli
