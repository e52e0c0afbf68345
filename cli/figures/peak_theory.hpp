// SPDX-License-Identifier: MIT
// What the replica theory of q-colour pseudo-likelihood says of fig3-right.
#pragma once

#include "figures/potts_data.hpp"
#include "support/learning_curve.hpp"

namespace cli {

// One random model as the theory sees it: all sites alike, their fields normal. K is the covariance of V(a, s_j) in the data, averaged over
// sites j; the variance of the teacher's fields is the mean over i of sum_j (beta J_ij)^2.
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

  int64_t sites_;
  PottsFields fields_;
  MaskedSystem teacher_;
};

}  // namespace cli
