// SPDX-License-Identifier: MIT
#include "commands/replica_search.hpp"

#include "support/signals.hpp"
#include "support/validators.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cli {

namespace {

// Penalties that are tried: half decades around the variance of the noise over |w*|^2, which is the best one where w* has no preferred
// direction.
constexpr int kPenaltyDecades = 9, kPerDecade = 2;
constexpr double kPenaltyAccuracy = 1e-7;
// The search for a number of samples.
constexpr double kFirstAlpha = 1e-3, kLastAlpha = 1e9, kStep = 1.02;
// With the best penalty eg falls with alpha: at a given kappa it falls, and more values of kappa >= 0 belong to a penalty >= 0.
constexpr double kBestPenaltyStep = 2;
constexpr std::size_t kAtOnce = 64;

ConvexLoss loss_of(const ReplicaFlags &flags) {
  return {flags.loss == ReplicaLoss::huber ? ATP_REPLICA_LOSS_HUBER : ATP_REPLICA_LOSS_LOGISTIC, flags.huber_delta.value_or(1),
          flags.cavity};
}

double scale_of(const MaskedSystem &system) {
  std::vector<double> weights(static_cast<std::size_t>(system.parameters()));
  check(atp_masked_weights(system.handle.get(), weights.data(), system.parameters()));
  double norm = 0;
  for (double w : weights) norm += w * w;
  return norm > 0 && system.noise() > 0 ? system.noise() / norm : 1;
}

}  // namespace

ReplicaTheory::ReplicaTheory(const Session &session, const ReplicaFlags &flags) : session_(session), flags_(flags) {
  finite_ = finite_system(session, flags, system_);
  if (flags.loss == ReplicaLoss::potts) {
    Matrix k = color_covariance(session, flags);
    fields_ = {std::move(k.values), k.size, flags.points.value_or(4096), flags.shifts.value_or(8), flags.cavity};
    best_ = potts_curve(session, system_, fields_, {kFirstAlpha}, 1).optimum;
    return;
  }
  if (!finite_ && !flags.beta) {
    best_ = 1 / *flags.shift;
    penalty_scale_ = *flags.shift;  // |w*|^2 = 1 / z^2
    return;
  }
  best_ = system_.noise();
  if (flags.lambda.optimal) penalty_scale_ = scale_of(system_);
  if (flags.loss != ReplicaLoss::square) best_ = convex_curve(session, system_, loss_of(flags), {2}, 1).optimum;
}

CurveTable ReplicaTheory::with_penalty(const std::vector<double> &alphas, double lambda) const {
  if (flags_.loss == ReplicaLoss::potts) return potts_curve(session_, system_, fields_, alphas, lambda).table;
  if (!finite_ && !flags_.beta) return limit_curve(session_, *flags_.shift, alphas, lambda, flags_.temperature);
  if (flags_.loss != ReplicaLoss::square) return convex_curve(session_, system_, loss_of(flags_), alphas, lambda).table;
  return square_curve(session_, system_, alphas, lambda, flags_.temperature, flags_.saddle);
}

// The golden section in log lambda.
double ReplicaTheory::refined_penalty(double alpha, double low, double high) const {
  const double part = (std::sqrt(5.0) - 1) / 2;
  double a = std::log(low), b = std::log(high), x = b - part * (b - a), y = a + part * (b - a);
  double at_x = loss(alpha, std::exp(x)), at_y = loss(alpha, std::exp(y));
  while (b - a > kPenaltyAccuracy) {
    if (at_x <= at_y) {
      b = y;
      y = x;
      at_y = at_x;
      at_x = loss(alpha, std::exp(x = b - part * (b - a)));
    } else {
      a = x;
      x = y;
      at_x = at_y;
      at_y = loss(alpha, std::exp(y = a + part * (b - a)));
    }
  }
  return std::exp((a + b) / 2);
}

CurveTable ReplicaTheory::with_best_penalty(const std::vector<double> &alphas) const {
  constexpr int kMost = kPenaltyDecades * kPerDecade;
  std::vector<double> lambdas;
  std::vector<CurveTable> tried;
  for (int k = -kMost; k <= kMost; ++k) {
    lambdas.push_back(penalty_scale_ * std::pow(10.0, static_cast<double>(k) / kPerDecade));
    tried.push_back(with_penalty(alphas, lambdas.back()));
    stop_if_interrupted();
  }
  CurveTable result(alphas.size(), ATP_REPLICA_COLUMNS);
  result.outcome = ATP_OUTCOME_CONVERGED;
  for (std::size_t row = 0; row < alphas.size(); ++row) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < tried.size(); ++k)
      if (tried[k].at(row, ATP_REPLICA_EG) < tried[best].at(row, ATP_REPLICA_EG)) best = k;
    const bool inside = best > 0 && best + 1 < tried.size();
    const double lambda = inside ? refined_penalty(alphas[row], lambdas[best - 1], lambdas[best + 1]) : lambdas[best];
    const CurveTable one = with_penalty({alphas[row]}, lambda);
    std::copy(one.numbers.begin(), one.numbers.end(), result.numbers.begin() + static_cast<std::ptrdiff_t>(row * ATP_REPLICA_COLUMNS));
    if (one.outcome != ATP_OUTCOME_CONVERGED) result.outcome = one.outcome;
    stop_if_interrupted();
  }
  return result;
}

CurveTable ReplicaTheory::curve(const std::vector<double> &alphas) const {
  return flags_.lambda.optimal ? with_best_penalty(alphas) : with_penalty(alphas, flags_.lambda.value);
}

// Halves a step of alpha, or of M in a finite system, whose upper end has a loss that is small enough.
double ReplicaTheory::halved(double below, double above, double loss) const {
  const double p = finite_ ? static_cast<double>(parameters()) : 0;
  while (finite_ ? std::round((above - below) * p) > 1 : above - below > 1e-9 * above) {
    const double middle = finite_ ? std::floor((std::round(below * p) + std::round(above * p)) / 2) / p : (below + above) / 2;
    (curve({middle}).at(0, ATP_REPLICA_EG) <= loss ? above : below) = middle;
    stop_if_interrupted();
  }
  return above;
}

double ReplicaTheory::smallest_alpha(double target) const {
  const std::string text = given(flags_.app, "--target");
  const double wanted = target * best_;
  if (!(wanted > 0)) wrong_use("--target is \"{}\" but the best possible loss is 0, expected noise", text);
  const double p = finite_ ? static_cast<double>(parameters()) : 0;
  double last = 0, next = finite_ ? 1 / p : kFirstAlpha;
  const double factor = flags_.lambda.optimal ? kBestPenaltyStep : kStep;
  const std::size_t at_once = flags_.lambda.optimal ? 1 : kAtOnce;
  const auto step = [&](double alpha) {
    return finite_ ? std::max(std::round(alpha * p) + 1, std::floor(std::round(alpha * p) * factor)) / p : alpha * factor;
  };
  while (next < kLastAlpha) {
    std::vector<double> alphas;
    for (; alphas.size() < at_once; next = step(next)) alphas.push_back(next);
    const CurveTable rows = curve(alphas);
    for (std::size_t k = 0; k < alphas.size(); last = alphas[k++]) {
      if (k == 0 && last == 0 && rows.at(0, ATP_REPLICA_RHO) <= wanted && flags_.loss == ReplicaLoss::square)
        wrong_use("--target is \"{}\", expected less than {:.6g}: without samples the loss is that many times the best possible one", text,
                  rows.at(0, ATP_REPLICA_RHO) / best_);
      if (rows.at(k, ATP_REPLICA_EG) <= wanted) return halved(last, alphas[k], wanted);
    }
    stop_if_interrupted();
  }
  wrong_use("--target is \"{}\", expected one that a smaller alpha than {:g} reaches", text, kLastAlpha);
}

}  // namespace cli
