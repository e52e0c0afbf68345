// SPDX-License-Identifier: MIT
// Learning curves of masked Gaussian modelling: systems and curves of the library.
#pragma once

#include "run/task_run.hpp"

#include <string>
#include <vector>

namespace cli {

// Inputs and teacher of a masked site, and the variance of the masked value given the inputs. The spectrum is computed when a curve first
// needs it.
struct MaskedSystem {
  Masked handle;
  mutable std::vector<double> eigenvalues, projections;
  int64_t parameters() const { return atp_masked_parameters(handle.get()); }
  double noise() const { return atp_masked_noise(handle.get()); }
};

// P = z I - J with a random J; `what` in front of messages.
MaskedSystem random_system(const Session &session, int64_t sites, double shift, int64_t site, const std::string &what);
// A covariance of all sites, [sites][sites].
MaskedSystem masked_covariance(const Session &session, const std::vector<double> &full, int64_t sites, int64_t site,
                               const std::string &what);

// The points of a curve: its alphas, or with a target the smallest alpha whose loss is at most so many times the best possible one. In a
// system of so many parameters this alpha is that of a whole number of samples.
struct CurvePoints {
  std::vector<double> alphas;
  double lambda = 1e-8;
  bool best_lambda = false;  // for each alpha the penalty of smallest loss
  double target = 0;
  int64_t parameters = 0;
};
struct Curve {
  CurveTable table;
  double optimum;  // the loss of w = w*, the best possible one
};

Curve limit_curve(const Session &session, double shift, const CurvePoints &points);
// From the equation for kappa, or from the saddle-point equations.
Curve square_curve(const Session &session, const MaskedSystem &system, const CurvePoints &points, bool saddle);

// Any convex loss.
Curve convex_curve(const Session &session, const MaskedSystem &system, atp_replica_loss loss, const CurvePoints &points);
CurveTable simulated_curve(const Session &session, const MaskedSystem &system, const std::vector<double> &alphas, double lambda,
                           int64_t realisations);

// q-colour pseudo-likelihood with known V. covariance: K of the fields, [q][q].
struct PottsFields {
  std::vector<double> covariance;
  int64_t colors;
};
Curve potts_curve(const Session &session, const MaskedSystem &system, const PottsFields &fields, const CurvePoints &points);
CurveTable simulated_potts(const Session &session, const MaskedSystem &system, const PottsFields &fields, const std::vector<double> &alphas,
                           double lambda, int64_t realisations);

// The number of simulated losses within `errors` standard errors of theory.
int64_t agreeing(const CurveTable &theory, const CurveTable &simulated, double errors);

}  // namespace cli
