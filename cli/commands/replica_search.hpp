// SPDX-License-Identifier: MIT
// The theory of `replica`: curves with a fixed or the best penalty, and the number of samples that a loss needs.
#pragma once

#include "commands/replica_flags.hpp"

namespace cli {

class ReplicaTheory {
 public:
  ReplicaTheory(const Session &session, const ReplicaFlags &flags);
  bool finite() const { return finite_; }
  const MaskedSystem &system() const { return system_; }
  // The number of inputs p.
  int64_t parameters() const { return system_.parameters(); }
  // The fields of --loss potts.
  const PottsFields &fields() const { return fields_; }
  // The test loss of the teacher: what no student is below.
  double best() const { return best_; }
  // Rows of atp_replica_column numbers.
  CurveTable curve(const std::vector<double> &alphas) const;
  // M / p of the smallest number of samples M with eg <= target times best(). In the limit of many sites the smallest alpha.
  double smallest_alpha(double target) const;

 private:
  CurveTable with_penalty(const std::vector<double> &alphas, double lambda) const;
  double loss(double alpha, double lambda) const { return with_penalty({alpha}, lambda).at(0, ATP_REPLICA_EG); }
  double refined_penalty(double alpha, double low, double high) const;
  CurveTable with_best_penalty(const std::vector<double> &alphas) const;
  double halved(double below, double above, double loss) const;

  const Session &session_;
  const ReplicaFlags &flags_;
  MaskedSystem system_;
  PottsFields fields_{};
  bool finite_ = false;
  double best_ = 0, penalty_scale_ = 1;
};

}  // namespace cli
