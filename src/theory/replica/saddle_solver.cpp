// SPDX-License-Identifier: MIT
// Newton steps use finite differences as slopes. If a step does not reduce the residual, a damped iteration follows. If that fails, lambda
// decreases from large values step by step.
#include "theory/replica/saddle_solver.hpp"

#include "math/small_linear.hpp"

#include <algorithm>
#include <cmath>

namespace atp::replica {

namespace {

double largest(const double *x, int n) {
  double most = 0;
  for (int k = 0; k < n; ++k) most = std::isfinite(x[k]) ? std::max(most, std::fabs(x[k])) : kInfinity;
  return most;
}

}  // namespace

SaddleSolver::SaddleSolver(const Spectrum &spectrum, const Settings &settings)
    : spectrum_(spectrum),
      alpha_(settings.alpha),
      final_lambda_(settings.lambda),
      lambda_(settings.lambda),
      tolerance_(settings.tolerance),
      max_iter_(settings.max_iter),
      p_(static_cast<double>(spectrum.p)),
      unknowns_(settings.unknowns) {
  for (int64_t k = 0; k < spectrum.p; ++k) {
    trace_ += spectrum.s[k];
    rho_nu_ += spectrum.s[k] * spectrum.t[k];
  }
}

Overlaps SaddleSolver::overlaps(const SaddlePoint &hats) const {
  const double v_hat = std::exp(hats.y[0]), q_hat = std::exp(hats.y[1]), m_hat = std::exp(hats.y[2]);
  const double ridge = lambda_ * p_;
  // Mean and variance of a = s / (ridge + v_hat s) under the weights s t / rho_nu; noise = sum a^2.
  double v = 0, noise = 0, first = 0, missing = 0;
  for (int64_t k = 0; k < spectrum_.p; ++k) {
    const double s = spectrum_.s[k], st = s * spectrum_.t[k], denominator = ridge + v_hat * s;
    const double a = s / denominator, rest = (ridge + (v_hat - m_hat) * s) / denominator;
    v += a;
    noise += a * a;
    first += st * a;
    missing += st * rest * rest;
  }
  const double mean = rho_nu_ > 0 ? first / rho_nu_ : 0;
  double spread = 0;
  for (int64_t k = 0; k < spectrum_.p; ++k) {
    const double s = spectrum_.s[k], a = s / (ridge + v_hat * s);
    spread += s * spectrum_.t[k] * (a - mean) * (a - mean);
  }
  Overlaps o;
  o.v = v;
  o.m = m_hat * first;
  o.q = m_hat * m_hat * (rho_nu_ * mean * mean + spread) + q_hat * noise;
  o.missing = missing + q_hat * noise;
  o.slope = m_hat * mean;
  o.noise = m_hat * m_hat * spread + q_hat * noise;
  o.unseen = o.q > 0 ? rho_nu_ * ((m_hat * m_hat * spread + q_hat * noise) / o.q) : rho_nu_;
  return o;
}

SaddlePoint SaddleSolver::hats_of(const Overlaps &o) {
  const Averages mean = averages(o);
  const double samples = alpha_ * p_;
  return {{std::log(samples * mean.v_hat), std::log(samples * mean.q_hat), std::log(samples * mean.m_hat)}};
}

SaddlePoint SaddleSolver::mismatch(const SaddlePoint &hats) {
  SaddlePoint f = hats_of(overlaps(hats));
  for (int k = 0; k < 3; ++k) f.y[k] -= hats.y[k];
  return f;
}

SaddlePoint SaddleSolver::shifted(const SaddlePoint &hats, const double *step, double share) const {
  SaddlePoint p = hats;
  for (int k = 0; k < unknowns_; ++k) p.y[k] += share * step[k];
  if (unknowns_ == 2) p.y[2] = p.y[0];
  return p;
}

// One Newton step, shortened up to three times until the residual falls. Returns false if it does not fall.
bool SaddleSolver::newton(SaddlePoint &hats, SaddlePoint &f, double &norm) {
  constexpr double kDifference = 1e-6, kLongest = 4;
  double matrix[9], step[3];
  for (int c = 0; c < unknowns_; ++c) {
    const double unit[3] = {c == 0 ? 1.0 : 0.0, c == 1 ? 1.0 : 0.0, c == 2 ? 1.0 : 0.0};
    const SaddlePoint g = mismatch(shifted(hats, unit, kDifference));
    for (int r = 0; r < unknowns_; ++r) matrix[r * unknowns_ + c] = (g.y[r] - f.y[r]) / kDifference;
  }
  for (int r = 0; r < unknowns_; ++r) step[r] = -f.y[r];
  if (!solve_small(unknowns_, matrix, step, 1e-14)) return false;
  const double length = largest(step, unknowns_);
  if (!std::isfinite(length)) return false;
  double share = std::min(1.0, kLongest / length);
  for (int attempt = 0; attempt < 4; ++attempt, share /= 3) {
    const SaddlePoint trial = shifted(hats, step, share), g = mismatch(trial);
    const double size = largest(g.y, unknowns_);
    if (!(size < (1 - 0.1 * share) * norm)) continue;
    hats = trial;
    f = g;
    norm = size;
    return true;
  }
  return false;
}

double SaddleSolver::fixed_point(SaddlePoint &hats, int64_t limit) {
  constexpr double kLeastDamping = 1e-3;
  constexpr int kPatience = 50, kPatienceNearRounding = 8;  // maximum number of iterations that do not reduce the residual by a tenth
  SaddlePoint f = mismatch(hats), best = hats;
  double norm = largest(f.y, unknowns_), least = norm, mark = norm, share = 1;
  int idle = 0;
  for (int64_t step = 0; norm > tolerance_ && std::isfinite(norm) && step < limit && iterations_ < max_iter_; ++step) {
    ++iterations_;
    if (!newton(hats, f, norm)) {
      const double before = norm;
      hats = shifted(hats, f.y, share);
      f = mismatch(hats);
      norm = largest(f.y, unknowns_);
      share = norm > before ? std::max(share / 2, kLeastDamping) : std::min(1.5 * share, 1.0);
    }
    if (norm < least) {
      least = norm;
      best = hats;
    }
    if (norm < 0.9 * mark) {
      mark = norm;
      idle = 0;
    } else if (++idle > (least < kNearRounding ? kPatienceNearRounding : kPatience)) {
      break;
    }
  }
  hats = best;
  return least;
}

SaddlePoint SaddleSolver::beginning() {
  Overlaps o;
  o.v = lambda_ > 0 ? std::min(trace_ / (lambda_ * p_), 1.0) : 1;
  o.missing = o.unseen = rho_nu_;
  return hats_of(o);
}

// Decreases lambda from a value where it dominates to the given one. log hats are a smooth curve over log
// lambda, followed by extrapolation and correction. The step length adapts to the success of the corrections.
double SaddleSolver::descend(SaddlePoint &hats) {
  constexpr int64_t kCorrections = 20;
  constexpr double kLongest = 2.5, kShortest = 0.02, kLast = 1e-13;
  const double top = 10 * trace_ / p_, bottom = std::max(final_lambda_, kLast * top);
  lambda_ = std::max(top, final_lambda_);
  hats = beginning();
  double residual = fixed_point(hats, max_iter_), step = kLongest;
  double slope[3] = {0, 0, 0};  // d hats / d log lambda from the last step
  while (lambda_ > bottom && residual <= kNearRounding) {
    const double from = lambda_, length = std::min(step, std::log(from / bottom));
    const int64_t before = iterations_;
    SaddlePoint trial = shifted(hats, slope, -length);
    lambda_ = length < step ? bottom : from * std::exp(-length);
    residual = fixed_point(trial, kCorrections);
    if (residual <= kNearRounding) {
      for (int k = 0; k < 3; ++k) slope[k] = (hats.y[k] - trial.y[k]) / length;
      hats = trial;
      if (iterations_ - before <= 5) step = std::min(2 * step, kLongest);
    } else if (step > kShortest && iterations_ < max_iter_) {
      lambda_ = from;
      residual = 0;
      step = length / 3;
    }
  }
  if (!(lambda_ > final_lambda_)) return residual;
  if (boundless(hats)) return kInfinity;
  lambda_ = final_lambda_;
  return fixed_point(hats, max_iter_);
}

// Whether only the penalty, however small, bounds w in some direction. Without a penalty the samples can then
// be separated, and w diverges.
bool SaddleSolver::boundless(const SaddlePoint &hats) const {
  const double kappa = lambda_ * p_ / std::exp(hats.y[0]), least = *std::min_element(spectrum_.s, spectrum_.s + spectrum_.p);
  return final_lambda_ == 0 && kappa > 1e-3 * std::max(least, 1e-6 * trace_ / p_);
}

// |w|^2
double SaddleSolver::norm(const SaddlePoint &hats) const {
  const double v_hat = std::exp(hats.y[0]), q_hat = std::exp(hats.y[1]), m_hat = std::exp(hats.y[2]);
  double sum = 0;
  for (int64_t k = 0; k < spectrum_.p; ++k) {
    const double s = spectrum_.s[k], denominator = lambda_ * p_ + v_hat * s, a = s / denominator;
    sum += m_hat * m_hat * a * a * spectrum_.t[k] + q_hat * a / denominator;
  }
  return sum;
}

Row SaddleSolver::row_of(const SaddlePoint &hats, const Overlaps &o, const Averages &mean, double residual, double kinetic) const {
  Row row;
  row.alpha = alpha_;
  row.lambda = final_lambda_;
  row.rho = rho_nu_;
  row.iterations = static_cast<double>(iterations_);
  row.residual = residual;
  if (diverged()) {
    row.eg = row.q = row.m = row.v = row.norm = kInfinity;
    row.outcome = ATP_OUTCOME_DIVERGED;
    return row;
  }
  row.eg = mean.test;
  row.et = mean.train;
  row.q = o.q;
  row.m = o.m;
  row.v = o.v;
  row.v_hat = std::exp(hats.y[0]) / p_;
  row.q_hat = std::exp(hats.y[1]) / p_;
  row.m_hat = std::exp(hats.y[2]) / p_;
  row.kappa = final_lambda_ / row.v_hat;
  row.norm = norm(hats);
  row.free_energy = kinetic + final_lambda_ * row.norm / 2;
  return row;
}

}  // namespace atp::replica
