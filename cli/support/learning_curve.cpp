// SPDX-License-Identifier: MIT
#include "support/learning_curve.hpp"

#include "support/progress_display.hpp"

#include <cmath>

namespace cli {

namespace {

template <class Mask>
MaskedSystem mask(Mask with, const std::vector<double> &matrix, int64_t sites, int64_t site, const std::string &what) {
  MaskedSystem system;
  system.parameters = sites - 1;
  const auto p = static_cast<std::size_t>(system.parameters);
  system.covariance.resize(p * p);
  system.teacher.resize(p);
  int64_t doubles = 0;
  check(atp_replica_mask_workspace(sites, &doubles), what);
  std::vector<double> work(static_cast<std::size_t>(doubles));
  check(with(matrix.data(), sites, site, system.covariance.data(), system.parameters * system.parameters, system.teacher.data(),
             system.parameters, &system.noise, work.data(), doubles),
        what);
  return system;
}

}  // namespace

MaskedSystem random_system(int64_t sites, double shift, int64_t site, int64_t seed, const std::string &what) {
  std::vector<double> precision(static_cast<std::size_t>(sites * sites));
  check(atp_replica_goe(sites, shift, static_cast<uint64_t>(seed), precision.data(), sites * sites), what);
  return mask(atp_replica_mask_precision, precision, sites, site, what);
}

MaskedSystem masked_covariance(const std::vector<double> &full, int64_t sites, int64_t site, const std::string &what) {
  return mask(atp_replica_mask_covariance, full, sites, site, what);
}

namespace {

constexpr int64_t kMostIterations = 10000;

void spectrum(const MaskedSystem &system, std::vector<double> &s, std::vector<double> &t) {
  const int64_t p = system.parameters;
  int64_t doubles = 0;
  check(atp_replica_spectrum_workspace(p, &doubles));
  std::vector<double> work(static_cast<std::size_t>(doubles));
  s.resize(static_cast<std::size_t>(p));
  t.resize(static_cast<std::size_t>(p));
  check(atp_replica_spectrum(system.covariance.data(), p * p, system.teacher.data(), p, s.data(), t.data(), p, work.data(), doubles));
}

}  // namespace

CurveTable limit_curve(double shift, const std::vector<double> &alphas, double lambda, double temperature) {
  CurveTable curve(alphas.size(), ATP_REPLICA_COLUMNS);
  check(atp_replica_limit(shift, alphas.data(), static_cast<int64_t>(alphas.size()), lambda, temperature, curve.numbers.data(),
                          curve.size(), &curve.outcome),
        "--shift");
  return curve;
}

CurveTable square_curve(const MaskedSystem &system, const std::vector<double> &alphas, double lambda, double temperature, bool saddle) {
  const int64_t p = system.parameters, n = static_cast<int64_t>(alphas.size());
  std::vector<double> s, t;
  spectrum(system, s, t);
  CurveTable curve(alphas.size(), ATP_REPLICA_COLUMNS);
  check(saddle ? atp_replica_square_saddle(s.data(), p, t.data(), p, system.noise, alphas.data(), n, lambda, temperature, kMostIterations,
                                           curve.numbers.data(), curve.size(), &curve.outcome)
               : atp_replica_square(s.data(), p, t.data(), p, system.noise, alphas.data(), n, lambda, temperature, curve.numbers.data(),
                                    curve.size(), &curve.outcome));
  return curve;
}

CurveTable convex_curve(const MaskedSystem &system, atp_replica_loss loss, double delta, const std::vector<double> &alphas, double lambda,
                        double *optimum) {
  const int64_t p = system.parameters;
  std::vector<double> s, t;
  spectrum(system, s, t);
  int64_t doubles = 0;
  check(atp_replica_convex_workspace(&doubles));
  std::vector<double> work(static_cast<std::size_t>(doubles));
  CurveTable curve(alphas.size(), ATP_REPLICA_COLUMNS);
  check(atp_replica_convex(s.data(), p, t.data(), p, system.noise, loss, delta, alphas.data(), static_cast<int64_t>(alphas.size()), lambda,
                           kMostIterations, work.data(), doubles, curve.numbers.data(), curve.size(), optimum, &curve.outcome));
  return curve;
}

CurveTable simulated_curve(const Session &session, const MaskedSystem &system, const std::vector<double> &alphas, double lambda,
                           int64_t realisations) {
  const int64_t p = system.parameters;
  CurveTable curve(alphas.size(), ATP_REPLICA_SIM_COLUMNS);
  Progress progress(session, "simulate", "realisations");
  check(atp_replica_simulate(session.context.get(), system.covariance.data(), p * p, system.teacher.data(), p, system.noise, alphas.data(),
                             static_cast<int64_t>(alphas.size()), lambda, realisations, static_cast<uint64_t>(session.seed),
                             Progress::callback, &progress, curve.numbers.data(), curve.size(), &curve.outcome));
  return curve;
}

int64_t agreeing(const CurveTable &theory, const CurveTable &simulated, double errors) {
  int64_t count = 0;
  for (std::size_t k = 0; k < theory.numbers.size() / ATP_REPLICA_COLUMNS; ++k)
    count +=
        std::fabs(simulated.at(k, ATP_REPLICA_SIM_EG) - theory.at(k, ATP_REPLICA_EG)) <= errors * simulated.at(k, ATP_REPLICA_SIM_EG_SEM);
  return count;
}

}  // namespace cli
