// SPDX-License-Identifier: MIT
// What the replica theory of q-colour pseudo-likelihood says of fig3-right.
#pragma once

#include "figures/potts_data.hpp"
#include "support/learning_curve.hpp"

namespace cli {

// One random model as the theory sees it: fields are normal, with the covariance K_ab S_jk. K is that of V(a, s_j) in the data, a mean over
// sites j, and S the mean over colours a, 1 on average for j = k. Each site i has a spectrum of S without i, and a teacher beta J_i; the
// theory takes the means over sites of the sorted eigenvalues and of their projections.
class PeakTheory {
 public:
  // points: of averages, with two shifts.
  PeakTheory(const Session &session, const PottsData &data, const atp_alignment *sequences, int64_t points);
  struct Losses {
    double test, train;
  };
  // M sequences of L sites; penalty: that of l2_couplings, lambda = 2 M L penalty / (L - 1). NaN where the equations were not solved.
  Losses losses(const Session &session, int64_t samples, double penalty) const;
  // The mean of so many realisations of the theory's own model, normal fields of L - 1 inputs, instead of infinitely many.
  Losses drawn(const Session &session, int64_t samples, double penalty, int64_t realisations) const;

 private:
  double lambda_of(int64_t samples, double penalty) const;
  void set_teacher(const Session &session, const PottsData &data, const std::vector<double> &covariance);

  int64_t sites_;
  PottsFields fields_;
  MaskedSystem teacher_;
};

}  // namespace cli
