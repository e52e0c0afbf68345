// SPDX-License-Identifier: MIT
// The flags of `replica`, and the system that they describe.
#pragma once

#include "run/files.hpp"
#include "run/theory_tasks.hpp"

#include <optional>
#include <string>
#include <vector>

namespace cli {

// A number, or the best for each alpha.
struct Penalty {
  double value = 1e-8;
  bool optimal = false;
};

// The losses of the theory: those of ATP_TASK_REPLICA_CONVEX, and the conditional logit of ATP_TASK_REPLICA_POTTS.
enum class ReplicaLoss { square, huber, logistic, potts };

struct ReplicaFlags {
  std::vector<double> alphas;
  std::optional<double> shift, beta, target, teacher_variance;
  Penalty lambda;
  ReplicaLoss loss = ReplicaLoss::square;
  std::optional<int64_t> sites, site, simulate, colors;
  std::string covariance, teacher, color_covariance, color_matrix, picture, report, csv = "-";
  bool saddle = false, details = false;
  const CLI::App *app = nullptr;
};

void add_replica_flags(CLI::App *app, ReplicaFlags &flags);
std::string loss_word(ReplicaLoss loss);
// K of --colors or --color-matrix.
Matrix color_covariance(const Session &session, const ReplicaFlags &flags);
// Fails where flags contradict each other.
void check_replica_flags(const Settings &settings, const ReplicaFlags &flags);
// The inputs and the teacher that the flags describe; false: the limit of many sites.
bool finite_system(const Session &session, const ReplicaFlags &flags, MaskedSystem &system);

}  // namespace cli
