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

// The covariance of V(a, s_j) and V(a, s_k) less its mean over a, a mean over colours a, with a mean of 1 on the diagonal.
std::vector<double> covariance_of_sites(const std::vector<double> &values, const atp_alignment *data) {
  const int64_t n = atp_alignment_count(data), sites = atp_alignment_sites(data), q = atp_alignment_colors(data);
  const uint8_t *sequences = atp_alignment_sequences_view(data);
  std::vector<double> fields(index_of(n * sites * q)), covariance(index_of(sites * sites));
  for (int64_t j = 0; j < sites; ++j)
    for (int64_t a = 0; a < q; ++a) {
      double mean = 0;
      for (int64_t k = 0; k < n; ++k) {
        double all = 0;
        for (int64_t b = 0; b < q; ++b) all += values[index_of(b * q + sequences[k * sites + j])] / static_cast<double>(q);
        const double field = values[index_of(a * q + sequences[k * sites + j])] - all;
        fields[index_of((j * q + a) * n + k)] = field;
        mean += field / static_cast<double>(n);
      }
      for (int64_t k = 0; k < n; ++k) fields[index_of((j * q + a) * n + k)] -= mean;
    }
  double trace = 0;
  for (int64_t i = 0; i < sites; ++i)
    for (int64_t j = 0; j < sites; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < q * n; ++k) sum += fields[index_of(i * q * n + k)] * fields[index_of(j * q * n + k)];
      covariance[index_of(i * sites + j)] = sum;
      if (i == j) trace += sum / static_cast<double>(sites);
    }
  for (double &x : covariance) x /= trace;
  return covariance;
}

}  // namespace

void PeakTheory::set_teacher(const Session &session, const PottsData &data, const std::vector<double> &covariance) {
  const int64_t p = sites_ - 1;
  const double beta = atp_model_beta(data.truth.get());
  std::vector<double> maps(index_of(sites_ * sites_)), inputs(index_of(p * p)), weights(index_of(p)), values = weights,
                                                                                                      projections = weights;
  check(atp_model_maps(data.truth.get(), maps.data(), sites_ * sites_));
  teacher_.eigenvalues.assign(index_of(p), 0);
  teacher_.projections.assign(index_of(p), 0);
  for (int64_t i = 0; i < sites_; ++i) {
    const auto other = [i](int64_t j) { return j < i ? j : j + 1; };
    for (int64_t j = 0; j < p; ++j) {
      weights[index_of(j)] = beta * maps[index_of(i * sites_ + other(j))];
      for (int64_t k = 0; k < p; ++k) inputs[index_of(j * p + k)] = covariance[index_of(other(j) * sites_ + other(k))];
    }
    Masked masked;
    check(atp_masked_create(session.context.get(), inputs.data(), weights.data(), p, 0, out(masked)));
    check(atp_masked_spectrum(masked.get(), values.data(), projections.data(), p));
    for (int64_t k = 0; k < p; ++k) {
      teacher_.eigenvalues[index_of(k)] += values[index_of(k)] / static_cast<double>(sites_);
      teacher_.projections[index_of(k)] += projections[index_of(k)] / static_cast<double>(sites_);
    }
  }
  // The axes of its inputs are the eigenvectors.
  std::fill(inputs.begin(), inputs.end(), 0.0);
  for (int64_t k = 0; k < p; ++k) {
    inputs[index_of(k * (p + 1))] = teacher_.eigenvalues[index_of(k)];
    weights[index_of(k)] = std::sqrt(teacher_.projections[index_of(k)]);
  }
  check(atp_masked_create(session.context.get(), inputs.data(), weights.data(), p, 0, out(teacher_.handle)));
}

PeakTheory::PeakTheory(const Session &session, const PottsData &data, const atp_alignment *sequences, int64_t points)
    : sites_(atp_alignment_sites(sequences)) {
  const int64_t q = atp_alignment_colors(sequences);
  std::vector<double> values(index_of(q * q));
  check(atp_model_values(data.truth.get(), values.data(), q * q));
  fields_ = {measured_covariance(values, sequences), q, points, kShifts};
  set_teacher(session, data, covariance_of_sites(values, sequences));
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
