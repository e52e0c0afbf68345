// SPDX-License-Identifier: MIT
#include "figures/peak_theory.hpp"

#include <algorithm>
#include <cmath>

namespace cli {

namespace {

constexpr int64_t kShifts = 2;

std::size_t index_of(int64_t k) { return static_cast<std::size_t>(k); }

// The covariance of V(a, s_j) and V(b, s_j), a mean over sites j.
std::vector<double> measured_covariance(const std::vector<double> &values, const atp_alignment *data) {
  const int64_t n = atp_alignment_count(data), sites = atp_alignment_sites(data), q = atp_alignment_colors(data);
  const uint8_t *sequences = atp_alignment_sequences_view(data);
  std::vector<double> covariance(index_of(q * q)), frequencies(index_of(q)), mean(index_of(q));
  for (int64_t j = 0; j < sites; ++j) {
    std::fill(frequencies.begin(), frequencies.end(), 0.0);
    for (int64_t k = 0; k < n; ++k) frequencies[sequences[k * sites + j]] += 1 / static_cast<double>(n);
    for (int64_t a = 0; a < q; ++a) {
      mean[index_of(a)] = 0;
      for (int64_t c = 0; c < q; ++c) mean[index_of(a)] += frequencies[index_of(c)] * values[index_of(a * q + c)];
    }
    for (int64_t a = 0; a < q; ++a)
      for (int64_t b = 0; b < q; ++b)
        for (int64_t c = 0; c < q; ++c)
          covariance[index_of(a * q + b)] += frequencies[index_of(c)] * (values[index_of(a * q + c)] - mean[index_of(a)]) *
                                             (values[index_of(b * q + c)] - mean[index_of(b)]) / static_cast<double>(sites);
  }
  return covariance;
}

}  // namespace

PeakTheory::PeakTheory(const Session &session, const PottsData &data, const atp_alignment *sequences, int64_t points)
    : sites_(atp_alignment_sites(sequences)) {
  const int64_t q = atp_alignment_colors(sequences);
  std::vector<double> values(index_of(q * q)), maps(index_of(sites_ * sites_));
  check(atp_model_values(data.truth.get(), values.data(), q * q));
  check(atp_model_maps(data.truth.get(), maps.data(), sites_ * sites_));
  fields_ = {measured_covariance(values, sequences), q, points, kShifts};
  const double beta = atp_model_beta(data.truth.get());
  double variance = 0;
  for (double j : maps) variance += beta * beta * j * j / static_cast<double>(sites_);
  teacher_.eigenvalues = {1};
  teacher_.projections = {variance};
  // All directions of w* are alike.
  const int64_t p = sites_ - 1;
  std::vector<double> inputs(index_of(p * p));
  for (int64_t j = 0; j < p; ++j) inputs[index_of(j * (p + 1))] = 1;
  const std::vector<double> weights(index_of(p), std::sqrt(variance / static_cast<double>(p)));
  check(atp_masked_create(session.context.get(), inputs.data(), weights.data(), p, 0, out(teacher_.handle)));
}

double PeakTheory::lambda_of(int64_t samples, double penalty) const {
  return 2 * static_cast<double>(samples) * static_cast<double>(sites_) * penalty / static_cast<double>(sites_ - 1);
}

PeakTheory::Losses PeakTheory::losses(const Session &session, int64_t samples, double penalty) const {
  const double alpha = static_cast<double>(samples) / static_cast<double>(sites_ - 1);
  const ConvexCurve curve = potts_curve(session, teacher_, fields_, {alpha}, lambda_of(samples, penalty));
  if (curve.table.outcome != ATP_OUTCOME_CONVERGED) return {std::nan(""), std::nan("")};
  return {curve.table.at(0, ATP_REPLICA_EG), curve.table.at(0, ATP_REPLICA_ET)};
}

PeakTheory::Losses PeakTheory::drawn(const Session &session, int64_t samples, double penalty, int64_t realisations) const {
  const double alpha = static_cast<double>(samples) / static_cast<double>(sites_ - 1);
  const CurveTable rows = simulated_potts(session, teacher_, fields_, {alpha}, lambda_of(samples, penalty), realisations);
  return {rows.at(0, ATP_REPLICA_SIM_EG), rows.at(0, ATP_REPLICA_SIM_ET)};
}

}  // namespace cli
