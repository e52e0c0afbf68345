// SPDX-License-Identifier: MIT
#include "theory/replica/convex_curve.hpp"

#include "math/quadrature.hpp"
#include "theory/replica/saddle_solver.hpp"

#include <algorithm>
#include <cmath>

namespace atp::replica {

double sigmoid(double x) {
  const double e = std::exp(-std::fabs(x));
  return x < 0 ? e / (1 + e) : 1 / (1 + e);
}

double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }

namespace {

constexpr int kProximalSteps = 200;

// Solves z - v sigmoid(-z) = omega, the case y = 1. The left side increases; it is convex below 0 and concave
// above. Newton steps therefore converge monotonically from the right of a negative root and from the left of a
// positive one.
double logistic_proximal(double omega, double v) {
  double z = omega + v / 2 > 0 ? std::max(omega, 0.0) : std::min(omega + v, 0.0);
  for (int step = 0; step < kProximalSteps; ++step) {
    const double s = sigmoid(-z), next = z - (z - omega - v * s) / (1 + v * s * (1 - s));
    const double change = std::fabs(next - z);
    z = next;
    if (change <= 1e-9 * std::max(1.0, std::fabs(z))) {  // the last step squares the error
      const double last = sigmoid(-z);
      return z - (z - omega - v * last) / (1 + v * last * (1 - last));
    }
  }
  return z;
}

}  // namespace

double ConvexLoss::value(double y, double z) const {
  if (classifies()) return softplus(-y * z);
  const double r = std::fabs(y - z);
  return kind == LossKind::square || r <= delta ? r * r / 2 : delta * (r - delta / 2);
}

double ConvexLoss::proximal(double y, double omega, double v) const {
  if (classifies()) return y * logistic_proximal(y * omega, v);
  return omega + v * response(y, omega, v).f;
}

// For large v the proximal point is close to y, so f and the loss are computed from y - omega and not from
// their difference.
ConvexResponse ConvexLoss::response(double y, double omega, double v) const {
  if (classifies()) {
    const double z = logistic_proximal(y * omega, v), s = sigmoid(-z), c = s * sigmoid(z);
    return {softplus(-z), y * s, c / (1 + v * c)};
  }
  const double r = y - omega, after = r / (1 + v);
  if (kind == LossKind::square || std::fabs(after) <= delta) return {after * after / 2, after, 1 / (1 + v)};
  return {delta * (std::fabs(r) - delta * v - delta / 2), std::copysign(delta, r), 0};
}

// --- averages over the fields: the quadrature is refined until the test loss no longer changes ---

namespace {

constexpr double kPi = 3.14159265358979323846, kHalfRoot = 0.70710678118654752440, kInverseRootTwoPi = 0.39894228040143267794;
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

class Solver final : public SaddleSolver {
 public:
  Solver(const Spectrum &spectrum, const ConvexLoss &loss, double alpha, double lambda, int64_t max_iter, Span<double> workspace)
      : SaddleSolver(spectrum, {loss.classifies() ? 3 : 2, alpha, lambda, kConvexTolerance, max_iter}),
        loss_(loss),
        noise_(spectrum.noise) {
    inner_nodes_ = workspace.sub(0, kMaxInner);
    inner_weights_ = workspace.sub(kMaxInner, kMaxInner);
    logistic_nodes_ = workspace.sub(2 * kMaxInner, kMaxLogistic);
    logistic_weights_ = workspace.sub(2 * kMaxInner + kMaxLogistic, kMaxLogistic);
    outer_nodes_ = workspace.sub(2 * (kMaxInner + kMaxLogistic), kMaxOuter);
    outer_weights_ = workspace.sub(2 * (kMaxInner + kMaxLogistic) + kMaxOuter, kMaxOuter);
  }

  Row solve();
  double optimal_loss();

 private:
  Averages averages(const Overlaps &o) override;
  Averages regression(const Overlaps &o);
  Averages classification(const Overlaps &o);
  Averages given_label(const Overlaps &o);
  void logistic_label(double mean, double deviation, double *probability, double *derivative) const;
  int64_t outer_rule(const Feature *features, int64_t n_features);
  void set_quadrature(bool panels, int level);
  double settle(SaddlePoint &hats, bool &panels, int &level);
  // Gauss-Hermite would need 36 nodes per unit of a field's variance, so wide fields use panels.
  bool wide(double variance) const { return loss_.classifies() && variance > 5; }

  const ConvexLoss &loss_;
  double noise_;
  bool panels_ = false;
  int64_t order_ = 0;                 // nodes of the student's field, in total or per panel
  int64_t inner_ = 0, logistic_ = 0;  // nodes of the teacher's field: Gauss-Hermite, trapezoidal
  Span<double> inner_nodes_, inner_weights_, logistic_nodes_, logistic_weights_, outer_nodes_, outer_weights_;
};

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
  const double deviation = std::sqrt(noise_ + o.missing);
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
  const Feature features[] = {{right / scale, kPi / scale}, {left / scale, kPi / scale}, {0, kPi / std::max(scale, std::sqrt(teacher()))}};
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

// Given y = 1, which represents both labels, omega ~ N(m / 2, q): the label moves the inputs by S w* / 2.
Averages Solver::given_label(const Overlaps &o) {
  const double width = std::sqrt(o.q), middle = o.m / 2, scale = width > 0 ? width : 1;
  const double u = std::asinh(std::sqrt(o.v) / 2);
  const double right = 2 * u - o.v / -std::expm1(2 * u), left = -2 * u - o.v / -std::expm1(-2 * u);
  const Feature features[] = {
      {(right - middle) / scale, kPi / scale}, {(left - middle) / scale, kPi / scale}, {-middle / scale, kPi / scale}};
  const int64_t n = outer_rule(features, 3);
  Averages mean;
  for (int64_t k = 0; k < n; ++k) {
    const double w = outer_weights_[k], omega = middle + width * outer_nodes_[k];
    const ConvexResponse a = loss_.response(1, omega, o.v);
    mean.v_hat += w * a.stiffness;
    mean.q_hat += w * a.f * a.f;
    mean.m_hat += w * a.f / 2;
    mean.train += w * a.loss;
    mean.test += w * loss_.value(1, omega);
  }
  return mean;
}

Averages Solver::averages(const Overlaps &o) {
  if (!loss_.classifies()) return regression(o);
  return loss_.cavity ? given_label(o) : classification(o);
}

// Starts from these hats if the fixed point is near, otherwise decreases lambda from above. With too few nodes
// there may be no fixed point.
double Solver::settle(SaddlePoint &hats, bool &panels, int &level) {
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

double Solver::optimal_loss() {
  double sum = 0;
  if (!loss_.classifies()) {
    const double deviation = std::sqrt(noise_), kink = deviation > 0 ? loss_.delta / deviation : 0;
    const Feature kinks[] = {{-kink, 0}, {kink, 0}};
    const int64_t n = panel_rule(kinks, loss_.kind == LossKind::huber ? 2 : 0, kMaxPanelOrder, outer_nodes_, outer_weights_);
    for (int64_t k = 0; k < n; ++k) sum += outer_weights_[k] * 2 * loss_.value(deviation * outer_nodes_[k], 0);
    return sum;
  }
  const double deviation = std::sqrt(teacher());
  const double shift = loss_.cavity ? deviation / 2 : 0;  // in units of the deviation: nu ~ N(rho / 2, rho) given y = 1
  const Feature middle{-shift, deviation > 0 ? kPi / deviation : 1};
  const int64_t n = panel_rule(&middle, 1, kMaxPanelOrder, outer_nodes_, outer_weights_);
  for (int64_t k = 0; k < n; ++k) {
    const double nu = deviation * (outer_nodes_[k] + shift);
    sum += outer_weights_[k] * (loss_.cavity ? 1 : 2 * sigmoid(nu)) * loss_.value(1, nu);
  }
  return sum;
}

Row Solver::solve() {
  bool panels = loss_.kind == LossKind::huber || wide(teacher());
  int level = 0;
  set_quadrature(panels, level);
  SaddlePoint hats = beginning();
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

  Row row = row_of(hats, o, mean, residual, samples_per_parameter() * mean.train / (loss_.classifies() ? 1 : 2));
  if (!loss_.classifies()) row.rho += noise_;
  row.quadrature = quadrature;
  if (!diverged() && !(residual <= kConvexTolerance && quadrature <= kQuadratureTolerance))
    row.outcome = iterations() < max_iter() ? ATP_OUTCOME_STALLED : ATP_OUTCOME_MAX_ITER;
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

ConvexCurve::ConvexCurve(Context &context, const Spectrum &spectrum, const ConvexLoss &loss, double lambda, int64_t max_iter,
                         Span<double> workspace)
    : LearningCurve(context, lambda), spectrum_(spectrum), loss_(loss), max_iter_(max_iter), workspace_(workspace) {
  optimum_ = optimal_convex(spectrum, loss, workspace);
}

atp_outcome ConvexCurve::fill(const double *alphas, int64_t n, Reporter &reporter, double *rows) {
  const auto row_of = [&](double alpha) { return solve_convex(spectrum_, loss_, alpha, lambda(), max_iter_, workspace_); };
  return fill_one_by_one(alphas, n, Rows::shared, row_of, reporter, rows);
}

double ConvexCurve::loss_without_samples(double rho) const {
  return loss_.classifies() ? std::log(2.0) : loss_.kind == LossKind::huber ? kInfinity : rho;
}

}  // namespace atp::replica
