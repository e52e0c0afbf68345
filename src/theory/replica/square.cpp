// SPDX-License-Identifier: MIT
#include "theory/replica/square.hpp"

#include "math/search.hpp"

#include <cmath>

namespace atp::replica {

namespace {

// x T; exactly 0 for T = 0, however large x is.
inline double times_temperature(double x, double temperature) { return temperature > 0 ? x * temperature : 0; }

// --- the scalar equation kappa (alpha - t(kappa)) = lambda, t = E[s / (s + kappa)] over any distribution of s > 0 ---

struct Kappa {
  double kappa = 0;
  double gap = 0;  // h = alpha - t = lambda / kappa, without cancellation
  int64_t iterations = 0;
  double residual = 0;  // |alpha - t - lambda / kappa| / alpha
  bool converged = true;
};

// The positive root of a x^2 + b x = c, a > 0, c >= 0 (c > 0 or b < 0).
double positive_root(double a, double b, double c) {
  const double root = std::sqrt(b * b + 4 * a * c);
  return b > 0 ? 2 * c / (b + root) : (root - b) / (2 * a);
}

// Newton's method in log kappa, with bisection if a step leaves the bracket. The bracket follows from Jensen's
// inequality: s / (s + kappa) is concave in s and convex in 1/s, so 1 / (1 + kappa E[1/s]) <= t <= E[s] / (E[s]
// + kappa). With equality, each side is a quadratic equation. F = alpha - t - lambda / kappa increases with
// kappa. Above alpha = 1/2 it is computed from 1 - t, because it would lose its digits near alpha = 1
// otherwise.
template <class Distribution>
Kappa solve_kappa(Distribution &&traces, double mean, double inverse_mean, double alpha, double lambda) {
  Kappa result;
  if (lambda == 0 && alpha >= 1) {
    result.gap = alpha - 1;
    return result;
  }
  // The bounds are exact for a distribution of one point; this leaves room for rounding.
  constexpr double kRoom = 1e-12;
  constexpr int64_t kMostIterations = 200;
  const double low = std::log(positive_root(alpha * inverse_mean, alpha - 1 - lambda * inverse_mean, lambda)) - kRoom;
  const double high = std::log(positive_root(alpha, (alpha - 1) * mean - lambda, lambda * mean)) + kRoom;
  const auto excess = [&](double log_kappa) {
    const double kappa = std::exp(log_kappa);
    const Traces at = traces(kappa);
    return ValueAndSlope{alpha > 0.5 ? (alpha - 1) + at.rest - lambda / kappa : alpha - at.t - lambda / kappa, at.slope + lambda / kappa};
  };
  // Near the solution the step is the error of log kappa, hence the relative error of kappa. |log kappa| eps of it is rounding.
  const auto enough = [](double log_kappa, double step, double) { return std::fabs(step) <= 4e-16 * std::fmax(1.0, std::fabs(log_kappa)); };
  const NewtonRoot root = newton_in({low, high}, (low + high) / 2, kMostIterations, 1e-13, excess, enough);
  result.iterations = root.evaluations;
  result.kappa = std::exp(root.x);
  result.residual = std::fabs(root.value) / alpha;
  result.converged = result.residual <= 1e-12 && std::fabs(root.step) <= 1e-10;
  result.gap = lambda > 0 ? lambda / result.kappa : 0;
  return result;
}

// The row of a solution with matching kappa and h = alpha - df1. docs/theory.md, section 8 has all losses and
// overlaps.
Row square_row(double alpha, double lambda, double temperature, double rho, double noise, double kappa, double gap,
               const SquareSums &sums) {
  Row row;
  row.alpha = alpha;
  row.lambda = lambda;
  row.rho = rho;
  row.kappa = kappa;
  // alpha - df2, without cancellation.
  const double denominator = gap + kappa * sums.e1;
  const double loss = sums.bias + noise;
  double eg = denominator > 0 ? alpha * (loss / denominator) : loss > 0 ? kInfinity : 0;
  row.m = sums.m;
  row.q = sums.q + (sums.df2 > 0 ? eg / alpha * sums.df2 : 0);
  row.v = gap > 0 ? sums.df1 / gap : kInfinity;
  row.v_hat = row.m_hat = gap;
  row.q_hat = gap > 0 ? eg * (gap / alpha) * gap : 0;
  row.norm = sums.norm + eg / alpha * sums.e1;
  row.et = gap > 0 ? eg * (gap / alpha) * (gap / alpha) : 0;
  row.free_energy = 0.5 * (lambda * sums.teacher + gap * noise);
  if (temperature > 0) {
    // V / (1 + V) = df1 / alpha, 1 + V = alpha / h.
    eg += temperature * row.v;
    row.et += temperature * sums.df1 / alpha;
    row.free_energy += gap > 0 ? temperature / 2 * (sums.log_det + alpha * std::log(alpha / gap) - sums.df1) : -kInfinity;
  }
  row.eg = eg;
  if (!std::isfinite(eg)) row.outcome = ATP_OUTCOME_DIVERGED;
  return row;
}

Traces traces(const Spectrum &spectrum, double kappa) {
  double t = 0, rest = 0, slope = 0;
  for (int64_t k = 0; k < spectrum.p; ++k) {
    const double s = spectrum.s[k], inverse = 1 / (s + kappa), part = s * inverse, other = kappa * inverse;
    t += part;
    rest += other;
    slope += part * other;
  }
  const double scale = 1 / static_cast<double>(spectrum.p);
  return {t * scale, rest * scale, slope * scale};
}

SquareSums sums_at(const Spectrum &spectrum, double kappa, double lambda, double gap, bool with_log) {
  SquareSums sums;
  for (int64_t k = 0; k < spectrum.p; ++k) {
    const double s = spectrum.s[k], inverse = 1 / (s + kappa), part = s * inverse, weight = spectrum.t[k] * part;
    sums.df1 += part;
    sums.df2 += part * part;
    sums.e1 += part * inverse;
    sums.teacher += weight;
    sums.bias += weight * (kappa * inverse);
    sums.m += weight * s;
    sums.q += weight * part * s;
    sums.norm += weight * part;
    if (with_log) sums.log_det += std::log(lambda + gap * s);
  }
  const double scale = 1 / static_cast<double>(spectrum.p);
  sums.bias *= kappa;
  sums.df1 *= scale;
  sums.df2 *= scale;
  sums.e1 *= scale;
  sums.log_det *= scale;
  return sums;
}

}  // namespace

SpectrumMoments moments(const Spectrum &spectrum) {
  SpectrumMoments result;
  for (int64_t k = 0; k < spectrum.p; ++k) {
    result.mean += spectrum.s[k];
    result.inverse_mean += 1 / spectrum.s[k];
    result.rho += spectrum.s[k] * spectrum.t[k];
  }
  result.mean /= static_cast<double>(spectrum.p);
  result.inverse_mean /= static_cast<double>(spectrum.p);
  result.rho += spectrum.noise;
  return result;
}

Row solve_square(const Spectrum &spectrum, const SpectrumMoments &moments, double alpha, double lambda, double temperature) {
  const Kappa solution =
      solve_kappa([&](double kappa) { return traces(spectrum, kappa); }, moments.mean, moments.inverse_mean, alpha, lambda);
  const SquareSums sums = sums_at(spectrum, solution.kappa, lambda, solution.gap, temperature > 0 && solution.gap > 0);
  Row row = square_row(alpha, lambda, temperature, moments.rho, spectrum.noise, solution.kappa, solution.gap, sums);
  row.iterations = static_cast<double>(solution.iterations);
  row.residual = solution.residual;
  if (!solution.converged) row.outcome = ATP_OUTCOME_MAX_ITER;
  return row;
}

// The equations are triangular: the one for V contains neither m nor q, the one for m only V, and the one for q
// is linear in q. Newton's method therefore needs no matrix: log V uses the elasticity of its equation as
// slope, m follows by substitution, q uses its own slope b. V -> sum s (1 + V) / (Lambda (1 + V) + alpha p s)
// is concave. It crosses V once, from above, so the sign of the difference keeps a bracket.
//
// The loss e = rho + q - 2 m is iterated together with q by its own equation e = noise + sum s t (1 - V^ s /
// (Lambda + V^ s))^2 + b e. As a difference it would lose its digits where it is much smaller than rho, and so
// would q as e - rho + 2 m for few samples.
Row solve_square_saddle(const Spectrum &spectrum, const SpectrumMoments &moments, double alpha, double lambda, double temperature,
                        int64_t max_iter) {
  const double p = static_cast<double>(spectrum.p);
  double v = 1, m = 0, q = 0, loss = moments.rho, low = 0, high = kInfinity;
  double residual = kInfinity, last_step = kInfinity, v_hat = 0, q_hat = 0;
  int64_t iterations = 0, stalled = 0;
  bool converged = false;
  while (iterations < max_iter) {
    ++iterations;
    // One iteration of the equations; hats per parameter.
    v_hat = alpha / (1 + v);
    q_hat = v_hat / (1 + v) * loss;
    double v_next = 0, m_next = 0, q_teacher = 0, bias = 0, square = 0;
    for (int64_t k = 0; k < spectrum.p; ++k) {
      const double s = spectrum.s[k], inverse = 1 / (lambda + v_hat * s), x = s * inverse, weight = s * spectrum.t[k],
                   left = lambda * inverse;
      v_next += x;
      m_next += x * weight;
      q_teacher += x * x * weight;
      bias += left * left * weight;
      square += x * x;
    }
    v_next /= p;
    m_next *= v_hat;
    q_teacher *= v_hat * v_hat;
    square /= p;
    const double b = v_hat / (1 + v) * square;  // d q_next / d q, below 1 at the solution
    const double q_next = q_teacher + q_hat * square, loss_next = spectrum.noise + bias + b * loss;
    const auto change = [](double now, double next) { return std::fabs(next - now) / std::fmax(std::fabs(next), 1e-300); };
    const auto most = [](double x, double y, double z) { return std::fmax(x, std::fmax(y, z)); };
    residual = std::fmax(change(v, v_next), most(change(m, m_next), change(q, q_next), change(loss, loss_next)));

    // d log v_next / d log v = v / v_next * alpha / (1 + v)^2 * mean x^2.
    (v_next > v ? low : high) = v;
    const double v_step = std::log(v_next / v) / std::fmax(1 - v / v_next * b, 1e-16);
    double v_new = v * std::exp(std::fmin(v_step, 50.0));
    if (!(v_new > low && v_new < high)) v_new = high < kInfinity ? std::sqrt(std::fmax(low, high * 1e-6) * high) : 2 * v;
    const double loss_new = b < 1 ? (spectrum.noise + bias) / (1 - b) : loss_next;
    const double step = most(std::fabs(v_step), change(m, m_next), change(loss, loss_new));
    // The steps are the errors. They stop shrinking if rounding prevents 1e-12.
    if (step >= last_step / 2) ++stalled;
    converged = residual <= 1e-12 && (step <= 1e-12 || stalled >= 3);
    if (residual > 1e-12) stalled = 0;
    last_step = step;
    if (converged) break;
    v = v_new;
    m = m_next;
    loss = loss_new;
    q = q_teacher + v_hat / (1 + v) * loss * square;
  }
  Row row;
  row.alpha = alpha;
  row.lambda = lambda;
  row.rho = moments.rho;
  row.q = q;
  row.m = m;
  row.v = v;
  row.q_hat = q_hat;
  row.m_hat = row.v_hat = v_hat;
  row.kappa = lambda / v_hat;
  const SquareSums sums = sums_at(spectrum, row.kappa, lambda, v_hat, temperature > 0);
  row.norm = sums.norm + q_hat / (v_hat * v_hat) * sums.e1;
  row.eg = loss + times_temperature(v, temperature);
  row.et = loss / ((1 + v) * (1 + v)) + times_temperature(v / (1 + v), temperature);
  row.free_energy = 0.5 * (lambda * sums.teacher + v_hat * spectrum.noise) +
                    times_temperature(sums.log_det + alpha * std::log1p(v) - v_hat * v, temperature / 2);
  row.iterations = static_cast<double>(iterations);
  row.residual = residual;
  row.outcome = converged ? ATP_OUTCOME_CONVERGED : std::isfinite(residual) ? ATP_OUTCOME_MAX_ITER : ATP_OUTCOME_DIVERGED;
  return row;
}

// --- the limit of many sites ---
//
// All formulas are in d = 1 + kappa z + r, r = sqrt((1 + kappa (z - 2)) (1 + kappa (z + 2))), and add only positive terms. Direct formulas
// with 1 - t, g(z) - kappa t or t + kappa t' lose all digits for very small or very large kappa.

// Moments E_jk = E[s^j / (s + kappa)^k] of s = 1 / (z - mu), mu on the semicircle.
struct Limit::Parts {
  double r, d;
  double t;   // E_11 = g(z + 1/kappa) / kappa = 2 / d
  double a;   // E_01 = (1 - t) / kappa
  double c;   // E_21 = g(z) - kappa t
  double e1;  // E_12 = -t'
  double e2;  // E_22 = (kappa t)' = t + kappa t'
  double e3;  // E_32
};

Limit::Limit(double shift) : z_(shift), root_(std::sqrt((shift - 2) * (shift + 2))), g_(2 / (shift + root_)) {}

Limit::Parts Limit::parts(double kappa) const {
  Parts x;
  const double z = z_, square = (z - 2) * (z + 2);
  x.r = std::sqrt((1 + kappa * (z - 2)) * (1 + kappa * (z + 2)));
  x.d = 1 + kappa * z + x.r;
  x.t = 2 / x.d;
  // d - 2 = kappa z + (r^2 - 1) / (r + 1), r^2 - 1 = kappa (2 z + kappa (z^2 - 4)).
  x.a = (z + (2 * z + kappa * square) / (x.r + 1)) / x.d;
  // g(z) - kappa t = 2 (1 + r - kappa sqrt(z^2 - 4)) / ((z + sqrt(z^2 - 4)) d), and r^2 - kappa^2 (z^2 - 4) = 1 + 2 kappa z.
  x.c = g_ * (1 + (1 + 2 * kappa * z) / (x.r + kappa * root_)) / x.d;
  // t' = -t^2 d' / 2, d' = z + (z + kappa (z^2 - 4)) / r.
  x.e1 = x.t * x.t / 2 * (z + (z + kappa * square) / x.r);
  // (kappa t)' = t^2 / (1 - kappa^2 t^2), and 1 / (1 - kappa^2 t^2) = (1 + (1 + kappa z) / r) / 2.
  const double inverse = 0.5 * (1 + (1 + kappa * z) / x.r);
  x.e2 = x.t * x.t * inverse;
  // c - kappa e2 = t c / ((1 - g kappa t) (1 - kappa^2 t^2)), and c = g t / (1 - g kappa t).
  x.e3 = x.c * x.c / g_ * inverse;
  return x;
}

Traces Limit::traces(double kappa) const {
  const Parts x = parts(kappa);
  return {x.t, kappa * x.a, kappa * x.e1};
}

SquareSums Limit::sums(double kappa, double gap) const {
  const Parts x = parts(kappa);
  const double z2 = z_ * z_, screening = 1 + g_ * x.c;  // 1 + g v^T (S0 + kappa)^-1 v of the Sherman-Morrison formula
  const double y = g_ * x.t / screening, through = x.t / screening;
  SquareSums sums;
  sums.df1 = x.t;
  sums.df2 = x.e2;
  sums.e1 = x.e1;
  // w* = J_i / z and S w* = g v, so m and the sums after it are quadratic forms of v.
  sums.teacher = (x.t + kappa * y * x.t) / z2;
  sums.bias = kappa * (kappa * (x.e1 - 2 * y * x.e2 + y * y * x.e3 + g_ * through * through)) / z2;
  sums.m = g_ * g_ * x.c / screening;
  sums.q = g_ * g_ * (x.e3 + g_ * x.c * x.c) / (screening * screening);
  sums.norm = g_ * g_ * x.e2 / (screening * screening);
  // E log(lambda + h s) = log(h g / t) + (kappa^2 t^2 - g^2) / 2 with lambda = h kappa, and g^2 - kappa^2 t^2 = c (g + kappa t).
  if (gap > 0) sums.log_det = std::log(gap * g_ / x.t) - x.c * (g_ + kappa * x.t) / 2;
  return sums;
}

Row Limit::solve(double alpha, double lambda, double temperature) const {
  const Kappa solution = solve_kappa([this](double kappa) { return traces(kappa); }, mean(), inverse_mean(), alpha, lambda);
  Row row = square_row(alpha, lambda, temperature, g_, 1 / z_, solution.kappa, solution.gap, sums(solution.kappa, solution.gap));
  row.iterations = static_cast<double>(solution.iterations);
  row.residual = solution.residual;
  if (!solution.converged) row.outcome = ATP_OUTCOME_MAX_ITER;
  return row;
}

// --- curves ---

namespace {

// noise / |w*|^2, the best penalty where w* has no preferred direction; 1 where one of them is 0.
double penalty_scale(const Spectrum &spectrum) {
  double norm = 0;
  for (int64_t k = 0; k < spectrum.p; ++k) norm += spectrum.t[k];
  return norm > 0 && spectrum.noise > 0 ? spectrum.noise / norm : 1;
}

// The row of the penalty of smallest e_g. `solve(lambda)` gives the row of a penalty. Penalties are tried in steps of half a decade around
// `scale`, nine decades to each side, then by the golden section in log lambda.
template <class Solve>
Row best_penalty(double scale, Solve &&solve) {
  constexpr int kDecades = 9, kPerDecade = 2, kMost = kDecades * kPerDecade;
  constexpr double kAccuracy = 1e-7;
  const auto lambda_of = [scale](int k) { return scale * std::pow(10.0, static_cast<double>(k) / kPerDecade); };
  int best = -kMost;
  double least = solve(lambda_of(best)).eg;
  for (int k = 1 - kMost; k <= kMost; ++k) {
    const double eg = solve(lambda_of(k)).eg;
    if (!(eg < least)) continue;
    least = eg;
    best = k;
  }
  if (best == -kMost || best == kMost) return solve(lambda_of(best));
  const double log_lambda = find_minimum(std::log(lambda_of(best - 1)), std::log(lambda_of(best + 1)), kAccuracy,
                                         [&](double x) { return solve(std::exp(x)).eg; });
  return solve(std::exp(log_lambda));
}

}  // namespace

SquareCurve::SquareCurve(Context &context, const SquareSettings &settings, double scale, double optimum)
    : LearningCurve(context, settings.best_lambda ? std::nan("") : settings.lambda), settings_(settings), scale_(scale) {
  optimum_ = optimum;
}

atp_outcome SquareCurve::fill(const double *alphas, int64_t n, Reporter &reporter, double *rows) {
  const auto row_of = [&](double alpha) {
    return settings_.best_lambda ? best_penalty(scale_, [&](double x) { return solve(alpha, x); }) : solve(alpha, settings_.lambda);
  };
  return fill_one_by_one(alphas, n, Rows::of_every_rank, row_of, reporter, rows);
}

SpectrumCurve::SpectrumCurve(Context &context, const Spectrum &spectrum, const SquareSettings &settings, int64_t max_iter)
    : SquareCurve(context, settings, penalty_scale(spectrum), spectrum.noise),
      spectrum_(spectrum),
      moments_(moments(spectrum)),
      max_iter_(max_iter) {}

Row SpectrumCurve::solve(double alpha, double lambda) const {
  return max_iter_ > 0 ? solve_square_saddle(spectrum_, moments_, alpha, lambda, settings_.temperature, max_iter_)
                       : solve_square(spectrum_, moments_, alpha, lambda, settings_.temperature);
}

// |w*|^2 = 1 / z^2
LimitCurve::LimitCurve(Context &context, double shift, const SquareSettings &settings)
    : SquareCurve(context, settings, shift, 1 / shift), limit_(shift) {}

}  // namespace atp::replica
