// SPDX-License-Identifier: MIT
// Learning curves of masked Gaussian modelling: systems and curves of the library.
#pragma once

#include "support/session.hpp"

#include <string>
#include <vector>

namespace cli {

// Inputs and teacher of a masked site: S [p][p], w* [p] and the variance of the masked value given the inputs.
struct MaskedSystem {
  int64_t parameters = 0;
  std::vector<double> covariance, teacher;
  double noise = 0;
};

// The system with P = z I - J and a random J; `what` begins messages.
MaskedSystem random_system(int64_t sites, double shift, int64_t site, int64_t seed, const std::string &what);
// The system with this covariance of all sites, [sites][sites].
MaskedSystem masked_covariance(const std::vector<double> &full, int64_t sites, int64_t site, const std::string &what);

// Rows of atp_replica_column or atp_replica_sim_column numbers, and the outcome of the run.
struct CurveTable {
  int64_t columns = 0;
  std::vector<double> numbers;
  atp_outcome outcome = ATP_OUTCOME_NONE;
  CurveTable(std::size_t rows, int64_t columns_of_a_row) : columns(columns_of_a_row), numbers(rows * static_cast<std::size_t>(columns)) {}
  int64_t size() const { return static_cast<int64_t>(numbers.size()); }
  double at(std::size_t row, int column) const {
    return numbers[row * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column)];
  }
};

CurveTable limit_curve(double shift, const std::vector<double> &alphas, double lambda, double temperature);
// Solves the equation for kappa, or the saddle-point equations.
CurveTable square_curve(const MaskedSystem &system, const std::vector<double> &alphas, double lambda, double temperature, bool saddle);
// For any convex loss; *optimum receives the loss of w = w*.
CurveTable convex_curve(const MaskedSystem &system, atp_replica_loss loss, double delta, const std::vector<double> &alphas, double lambda,
                        double *optimum);
CurveTable simulated_curve(const Session &session, const MaskedSystem &system, const std::vector<double> &alphas, double lambda,
                           int64_t realisations);

// The number of simulated losses within `errors` standard errors of theory.
int64_t agreeing(const CurveTable &theory, const CurveTable &simulated, double errors);

}  // namespace cli
