// SPDX-License-Identifier: MIT
#include "theory/replica/square.hpp"

#include "theory/replica/kappa.hpp"

namespace atp::replica {

namespace {

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

}  // namespace atp::replica
