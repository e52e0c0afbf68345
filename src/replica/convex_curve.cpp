// SPDX-License-Identifier: MIT
// The saddle point is a fixed point of y = log (v_hat, q_hat, m_hat). Sums over the spectrum give (v, q, m)
// from the hats; averages over the fields give new hats. Every y is admissible (m^2 <= rho q holds
// automatically), and all sums have only positive terms. Newton steps use finite differences as slopes. If a
// step does not reduce the residual, a damped iteration follows. If that fails, lambda decreases from large
// values step by step. The quadrature is refined until the test loss no longer changes.
#include "replica/convex_curve.hpp"

#include "numerics/quadrature.hpp"
#include "numerics/small_linear.hpp"

#include <algorithm>
#include <cmath>

namespace atp::replica {

namespace {

constexpr double kPi = 3.14159265358979323846, kHalfRoot = 0.70710678118654752440, kInverseRootTwoPi = 0.39894228040143267794;
constexpr double kNearRounding = 1e3 * kConvexTolerance;
constexpr int64_t kMaxOuter = kMaxPanels * kMaxPanelOrder;  // nodes for the student's field

// Quadratures of increasing order. Student's field: Gauss-Hermite if it is narrow, panels if it is wide or the
// loss has kinks. Teacher's field given the student's: see logistic_label().
constexpr int kHermiteLevels = 4, kPanelLevels = 3;
constexpr int64_t kHermite[kHermiteLevels] = {16, 32, 64, 128}, kPanels[kPanelLevels] = {10, 16, 24};
constexpr int64_t kInner[kHermiteLevels] = {72, 112, 128, 144};
constexpr double kSpacing[kHermiteLevels] = {0.55, 0.5, 0.45, 0.4};
constexpr int64_t kMaxInner = kInner[kHermiteLevels - 1];
constexpr double kNarrow = 2, kLogisticRange = 40;
constexpr int64_t kMaxLogistic = 2 * static_cast<int64_t>(kLogisticRange / kSpacing[kHermiteLevels - 1]) + 1;

// Overlaps from sums over the spectrum. Differences that would lose digits are computed as sums of positive
// terms.
struct Overlaps {
  double v = 0, q = 0, m = 0;
  double missing = 0;  // E (nu - h)^2 = rho_nu + q - 2 m
  double unseen = 0;   // Var(nu | h) = rho_nu - m^2 / q
};

// Averages over the fields, per sample.
struct Averages {
  double v_hat = 0, q_hat = 0, m_hat = 0;  // E -df/domega, E f^2, E df/dnu
  double test = 0, train = 0;
};

// log v_hat, log q_hat, log m_hat.
struct Point {
  double y[3];
};

double largest(const double *x, int n) {
  double most = 0;
  for (int k = 0; k < n; ++k) most = std::isfinite(x[k]) ? std::max(most, std::fabs(x[k])) : kInfinity;
  return most;
}

class Solver {
 public:
  Solver(const Spectrum &spectrum, const ConvexLoss &loss, double alpha, double lambda, int64_t max_iter, Span<double> workspace)
      : spectrum_(spectrum),
        loss_(loss),
        alpha_(alpha),
        final_lambda_(lambda),
        lambda_(lambda),
        max_iter_(max_iter),
        p_(static_cast<double>(spectrum.p)),
        unknowns_(loss_.classifies() ? 3 : 2) {
    inner_nodes_ = workspace.sub(0, kMaxInner);
    inner_weights_ = workspace.sub(kMaxInner, kMaxInner);
    logistic_nodes_ = workspace.sub(2 * kMaxInner, kMaxLogistic);
    logistic_weights_ = workspace.sub(2 * kMaxInner + kMaxLogistic, kMaxLogistic);
    outer_nodes_ = workspace.sub(2 * (kMaxInner + kMaxLogistic), kMaxOuter);
    outer_weights_ = workspace.sub(2 * (kMaxInner + kMaxLogistic) + kMaxOuter, kMaxOuter);
    for (int64_t k = 0; k < spectrum.p; ++k) {
      trace_ += spectrum.s[k];
      rho_nu_ += spectrum.s[k] * spectrum.t[k];
    }
  }

  Row solve();
  double optimal_loss();

 private:
  Overlaps overlaps(const Point &hats) const;
  Averages averages(const Overlaps &o);
  Averages regression(const Overlaps &o);
  Averages classification(const Overlaps &o);
  void logistic_label(double mean, double deviation, double *probability, double *derivative) const;
  int64_t outer_rule(const Feature *features, int64_t n_features);
  void set_quadrature(bool panels, int level);
  Point hats_of(const Overlaps &o);
  Point mismatch(const Point &hats);
  Point shifted(const Point &hats, const double *step, double share) const;
  bool newton(Point &hats, Point &f, double &norm);
  double fixed_point(Point &hats, int64_t limit);
  Point beginning();
  double descend(Point &hats);
  double settle(Point &hats, bool &panels, int &level);
  bool boundless(const Point &hats) const;
  double norm(const Point &hats) const;
  // Gauss-Hermite would need 36 nodes per unit of a field's variance, so wide fields use panels.
  bool wide(double variance) const { return loss_.classifies() && variance > 5; }

  const Spectrum &spectrum_;
  const ConvexLoss &loss_;
  double alpha_, final_lambda_, lambda_;  // lambda_ is the present value
  int64_t max_iter_, iterations_ = 0;
  double p_, trace_ = 0, rho_nu_ = 0;
  int unknowns_;  // 2 for regression, where m_hat = v_hat
  bool panels_ = false;
  int64_t order_ = 0;                 // nodes of the student's field, in total or per panel
  int64_t inner_ = 0, logistic_ = 0;  // nodes of the teacher's field: Gauss-Hermite, trapezoidal
  Span<double> inner_nodes_, inner_weights_, logistic_nodes_, logistic_weights_, outer_nodes_, outer_weights_;
};

Overlaps Solver::overlaps(const Point &hats) const {
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
  o.unseen = o.q > 0 ? rho_nu_ * ((m_hat * m_hat * spread + q_hat * noise) / o.q) : rho_nu_;
  return o;
}

void Solver::set_quadrature(bool panels, int level) {
  panels_ = panels;
  order_ = panels ? kPanels[level] : kHermite[level];
  if (loss_.classifies()) {
    inner_ = kInner[level];
    gauss_hermite(inner_nodes_.sub(0, inner_), inner_weights_.sub(0, inner_));
    const double spacing = kSpacing[level];
    const int64_t last = static_cast<int64_t>(kLogisticRange / spacing);
    logistic_ = 2 * last + 1;
    for (int64_t k = 0; k < logistic_; ++k) {
      const double x = spacing * static_cast<double>(k - last);
      logistic_nodes_[k] = x;
      logistic_weights_[k] = spacing * sigmoid(x) * sigmoid(-x);
    }
  }
  if (!panels) gauss_hermite(outer_nodes_.sub(0, order_), outer_weights_.sub(0, order_));
}

// The nodes for a field of the student. Panels depend on the positions of its features.
int64_t Solver::outer_rule(const Feature *features, int64_t n_features) {
  return panels_ ? panel_rule(features, n_features, order_, outer_nodes_, outer_weights_) : order_;
}

// E P(1 | nu) and E dP(1 | nu)/dnu over nu ~ N(mean, deviation^2). For a narrow nu, Gauss-Hermite. For a wide
// one, P(1 | nu) is the probability that nu exceeds a logistic variable x. Its average over x, of density P (1
// - P), is a trapezoidal sum with an error of exp(-2 pi^2 / spacing).
void Solver::logistic_label(double mean, double deviation, double *probability, double *derivative) const {
  double p = 0, d = 0;
  if (deviation <= kNarrow) {
    for (int64_t k = 0; k < inner_; ++k) {
      const double x = sigmoid(mean + deviation * inner_nodes_[k]);
      p += inner_weights_[k] * x;
      d += inner_weights_[k] * x * (1 - x);
    }
  } else {
    for (int64_t k = 0; k < logistic_; ++k) {
      const double u = (mean + logistic_nodes_[k]) / deviation;
      p += logistic_weights_[k] * std::erfc(-u * kHalfRoot) / 2;
      d += logistic_weights_[k] * kInverseRootTwoPi * std::exp(-u * u / 2) / deviation;
    }
  }
  *probability = p;
  *derivative = d;
}

// Losses of y - z depend only on r = y - omega, a normal variable.
Averages Solver::regression(const Overlaps &o) {
  const double deviation = std::sqrt(spectrum_.noise + o.missing);
  const double outer = loss_.delta * (1 + o.v) / deviation, inner = loss_.delta / deviation;
  const Feature kinks[] = {{-outer, 0}, {-inner, 0}, {inner, 0}, {outer, 0}};
  const int64_t n = outer_rule(kinks, loss_.kind == LossKind::huber ? 4 : 0);
  Averages mean;
  for (int64_t k = 0; k < n; ++k) {
    const double w = outer_weights_[k], r = deviation * outer_nodes_[k];
    const ConvexResponse a = loss_.response(r, 0, o.v);
    mean.v_hat += w * a.stiffness;
    mean.q_hat += w * a.f * a.f;
    mean.train += w * 2 * a.loss;
    mean.test += w * 2 * loss_.value(r, 0);
  }
  mean.m_hat = mean.v_hat;  // df/dnu = df/dy = -df/domega
  return mean;
}

// omega = sqrt(q) z; given omega, nu ~ N(m / sqrt(q) z, unseen). A change of sign of y, omega and nu together
// changes nothing, so y = 1 represents both labels.
Averages Solver::classification(const Overlaps &o) {
  const double width = std::sqrt(o.q), slope = o.q > 0 ? o.m / width : 0, deviation = std::sqrt(o.unseen);
  // The proximal operator has its nearest branch points where 1 + v loss'' = 0: omega = +-(2 u) - v / (1 - exp(+-2 u)) + i pi, sinh u =
  // sqrt(v) / 2.
  const double u = std::asinh(std::sqrt(o.v) / 2), scale = width > 0 ? width : 1;
  const double right = 2 * u - o.v / -std::expm1(2 * u), left = -2 * u - o.v / -std::expm1(-2 * u);
  const Feature features[] = {{right / scale, kPi / scale}, {left / scale, kPi / scale}, {0, kPi / std::max(scale, std::sqrt(rho_nu_))}};
  const int64_t n = outer_rule(features, 3);
  Averages mean;
  for (int64_t k = 0; k < n; ++k) {
    const double w = 2 * outer_weights_[k], z = outer_nodes_[k];
    if (!(w > 0)) continue;
    double probability = 0, derivative = 0;
    logistic_label(slope * z, deviation, &probability, &derivative);
    const ConvexResponse a = loss_.response(1, width * z, o.v);
    mean.v_hat += w * probability * a.stiffness;
    mean.q_hat += w * probability * a.f * a.f;
    mean.m_hat += w * derivative * a.f;
    mean.train += w * probability * a.loss;
    mean.test += w * probability * loss_.value(1, width * z);
  }
  return mean;
}

Averages Solver::averages(const Overlaps &o) { return loss_.classifies() ? classification(o) : regression(o); }

Point Solver::hats_of(const Overlaps &o) {
  const Averages mean = averages(o);
  const double samples = alpha_ * p_;
  return {{std::log(samples * mean.v_hat), std::log(samples * mean.q_hat), std::log(samples * mean.m_hat)}};
}

Point Solver::mismatch(const Point &hats) {
  Point f = hats_of(overlaps(hats));
  for (int k = 0; k < 3; ++k) f.y[k] -= hats.y[k];
  return f;
}

Point Solver::shifted(const Point &hats, const double *step, double share) const {
  Point p = hats;
  for (int k = 0; k < unknowns_; ++k) p.y[k] += share * step[k];
  if (unknowns_ == 2) p.y[2] = p.y[0];
  return p;
}

// One Newton step, shortened up to three times until the residual falls. Returns false if it does not fall.
bool Solver::newton(Point &hats, Point &f, double &norm) {
  constexpr double kDifference = 1e-6, kLongest = 4;
  double matrix[9], step[3];
  for (int c = 0; c < unknowns_; ++c) {
    const double unit[3] = {c == 0 ? 1.0 : 0.0, c == 1 ? 1.0 : 0.0, c == 2 ? 1.0 : 0.0};
    const Point g = mismatch(shifted(hats, unit, kDifference));
    for (int r = 0; r < unknowns_; ++r) matrix[r * unknowns_ + c] = (g.y[r] - f.y[r]) / kDifference;
  }
  for (int r = 0; r < unknowns_; ++r) step[r] = -f.y[r];
  if (!solve_small(unknowns_, matrix, step, 1e-14)) return false;
  const double length = largest(step, unknowns_);
  if (!std::isfinite(length)) return false;
  double share = std::min(1.0, kLongest / length);
  for (int attempt = 0; attempt < 4; ++attempt, share /= 3) {
    const Point trial = shifted(hats, step, share), g = mismatch(trial);
    const double size = largest(g.y, unknowns_);
    if (!(size < (1 - 0.1 * share) * norm)) continue;
    hats = trial;
    f = g;
    norm = size;
    return true;
  }
  return false;
}

// Iterates to the fixed point of the present quadrature and lambda. Returns the residual.
double Solver::fixed_point(Point &hats, int64_t limit) {
  constexpr double kLeastDamping = 1e-3;
  constexpr int kPatience = 50, kPatienceNearRounding = 8;  // maximum number of iterations that do not reduce the residual by a tenth
  Point f = mismatch(hats), best = hats;
  double norm = largest(f.y, unknowns_), least = norm, mark = norm, share = 1;
  int idle = 0;
  for (int64_t step = 0; norm > kConvexTolerance && std::isfinite(norm) && step < limit && iterations_ < max_iter_; ++step) {
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

// The hats of a student with few samples.
Point Solver::beginning() {
  Overlaps o;
  o.v = lambda_ > 0 ? std::min(trace_ / (lambda_ * p_), 1.0) : 1;
  o.missing = o.unseen = rho_nu_;
  return hats_of(o);
}

// Decreases lambda from a value where it dominates to the given one. log hats are a smooth curve over log
// lambda, followed by extrapolation and correction. The step length adapts to the success of the corrections.
double Solver::descend(Point &hats) {
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
    Point trial = shifted(hats, slope, -length);
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
bool Solver::boundless(const Point &hats) const {
  const double kappa = lambda_ * p_ / std::exp(hats.y[0]), least = *std::min_element(spectrum_.s, spectrum_.s + spectrum_.p);
  return final_lambda_ == 0 && kappa > 1e-3 * std::max(least, 1e-6 * trace_ / p_);
}

// Starts from these hats if the fixed point is near, otherwise decreases lambda from above. With too few nodes
// there may be no fixed point.
double Solver::settle(Point &hats, bool &panels, int &level) {
  constexpr int64_t kSteps = 30;
  const double residual = fixed_point(hats, kSteps);
  if (residual <= kNearRounding) return residual;
  if (loss_.classifies() && !panels) {
    panels = true;
    level = 0;
    set_quadrature(panels, level);
  }
  return descend(hats);
}

// |w|^2
double Solver::norm(const Point &hats) const {
  const double v_hat = std::exp(hats.y[0]), q_hat = std::exp(hats.y[1]), m_hat = std::exp(hats.y[2]);
  double sum = 0;
  for (int64_t k = 0; k < spectrum_.p; ++k) {
    const double s = spectrum_.s[k], denominator = lambda_ * p_ + v_hat * s, a = s / denominator;
    sum += m_hat * m_hat * a * a * spectrum_.t[k] + q_hat * a / denominator;
  }
  return sum;
}

double Solver::optimal_loss() {
  double sum = 0;
  if (!loss_.classifies()) {
    const double deviation = std::sqrt(spectrum_.noise), kink = deviation > 0 ? loss_.delta / deviation : 0;
    const Feature kinks[] = {{-kink, 0}, {kink, 0}};
    const int64_t n = panel_rule(kinks, loss_.kind == LossKind::huber ? 2 : 0, kMaxPanelOrder, outer_nodes_, outer_weights_);
    for (int64_t k = 0; k < n; ++k) sum += outer_weights_[k] * 2 * loss_.value(deviation * outer_nodes_[k], 0);
    return sum;
  }
  const double deviation = std::sqrt(rho_nu_);
  const Feature middle{0, deviation > 0 ? kPi / deviation : 1};
  const int64_t n = panel_rule(&middle, 1, kMaxPanelOrder, outer_nodes_, outer_weights_);
  for (int64_t k = 0; k < n; ++k) {
    const double nu = deviation * outer_nodes_[k];
    sum += 2 * outer_weights_[k] * sigmoid(nu) * loss_.value(1, nu);
  }
  return sum;
}

Row Solver::solve() {
  bool panels = loss_.kind == LossKind::huber || wide(rho_nu_);
  int level = 0;
  set_quadrature(panels, level);
  Point hats = beginning();
  double residual = settle(hats, panels, level);
  Overlaps o = overlaps(hats);
  Averages mean = averages(o);
  double quadrature = kInfinity;
  while (std::isfinite(residual)) {
    ++level;
    if (!panels && (level == kHermiteLevels || wide(o.q) || wide(o.m * o.m / o.q))) {
      panels = true;
      level = 0;
    }
    if (panels && level == kPanelLevels) break;
    set_quadrature(panels, level);
    residual = settle(hats, panels, level);
    const double before = mean.test;
    o = overlaps(hats);
    mean = averages(o);
    quadrature = std::fabs(mean.test - before) / mean.test;
    if (quadrature <= 0.1 * kQuadratureTolerance) break;
  }

  Row row;
  row.alpha = alpha_;
  row.lambda = final_lambda_;
  row.rho = rho_nu_ + (loss_.classifies() ? 0 : spectrum_.noise);
  row.iterations = static_cast<double>(iterations_);
  row.residual = residual;
  row.quadrature = quadrature;
  if (lambda_ > final_lambda_) {
    row.eg = row.q = row.m = row.v = row.norm = kInfinity;
    row.et = row.v_hat = row.q_hat = row.m_hat = row.free_energy = 0;
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
  row.free_energy = alpha_ * mean.train / (loss_.classifies() ? 1 : 2) + final_lambda_ * row.norm / 2;
  if (!(residual <= kConvexTolerance && quadrature <= kQuadratureTolerance))
    row.outcome = iterations_ < max_iter_ ? ATP_OUTCOME_STALLED : ATP_OUTCOME_MAX_ITER;
  return row;
}

}  // namespace

int64_t convex_workspace() { return 2 * (kMaxInner + kMaxLogistic + kMaxOuter); }

Row solve_convex(const Spectrum &spectrum, const ConvexLoss &loss, double alpha, double lambda, int64_t max_iter, Span<double> workspace) {
  return Solver(spectrum, loss, alpha, lambda, max_iter, workspace).solve();
}

double optimal_convex(const Spectrum &spectrum, const ConvexLoss &loss, Span<double> workspace) {
  return Solver(spectrum, loss, 1, 1, 1, workspace).optimal_loss();
}

}  // namespace atp::replica
