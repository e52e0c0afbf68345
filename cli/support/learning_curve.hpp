// SPDX-License-Identifier: MIT
// Learning curves of masked Gaussian modelling: systems and curves of the library.
#pragma once

#include "support/task_run.hpp"

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

CurveTable limit_curve(const Session &session, double shift, const std::vector<double> &alphas, double lambda, double temperature);
// From the equation for kappa, or from the saddle-point equations.
CurveTable square_curve(const Session &session, const MaskedSystem &system, const std::vector<double> &alphas, double lambda,
                        double temperature, bool saddle);

// Any convex loss; delta: of Huber's; cavity: inputs are normal given the label.
struct ConvexLoss {
  atp_replica_loss loss;
  double delta;
  bool cavity;
};
struct ConvexCurve {
  CurveTable table;
  double optimum;  // the loss of w = w*
};
ConvexCurve convex_curve(const Session &session, const MaskedSystem &system, const ConvexLoss &loss, const std::vector<double> &alphas,
                         double lambda);
CurveTable simulated_curve(const Session &session, const MaskedSystem &system, const std::vector<double> &alphas, double lambda,
                           int64_t realisations);

// q-colour pseudo-likelihood with known V. covariance: K of the fields, [q][q].
struct PottsFields {
  std::vector<double> covariance;
  int64_t colors, points, shifts;
  bool cavity = false;  // fields are normal given the label
};
// V V^T / q of V [q][q] without the means of its rows.
std::vector<double> fields_covariance(const std::vector<double> &values, int64_t colors);
ConvexCurve potts_curve(const Session &session, const MaskedSystem &system, const PottsFields &fields, const std::vector<double> &alphas,
                        double lambda);
CurveTable simulated_potts(const Session &session, const MaskedSystem &system, const PottsFields &fields, const std::vector<double> &alphas,
                           double lambda, int64_t realisations);

// The number of simulated losses within `errors` standard errors of theory.
int64_t agreeing(const CurveTable &theory, const CurveTable &simulated, double errors);

}  // namespace cli
