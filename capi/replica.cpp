// SPDX-License-Identifier: MIT
#include "handles.hpp"

#include "linalg/lapack.hpp"
#include "replica/convex_curve.hpp"
#include "replica/limit.hpp"
#include "replica/simulate.hpp"
#include "replica/spectrum.hpp"
#include "replica/square.hpp"

#include <attopotts/replica.h>

#include <cstring>

using namespace atp;
using namespace atp::replica;

namespace {

using llong = long long;

constexpr const char *kColumnNames[] = {"alpha", "lambda",      "eg",         "et",       "rho",     "q",
                                        "m",     "v",           "qhat",       "mhat",     "vhat",    "kappa",
                                        "norm",  "free_energy", "iterations", "residual", "outcome", "quadrature"};
static_assert(sizeof kColumnNames / sizeof kColumnNames[0] == ATP_REPLICA_COLUMNS);

constexpr double kLowestAlpha = 1e-12, kHighestAlpha = 1e12, kHighestLambda = 1e12, kHighestShift = 1e6;

// A finite number in lowest..highest.
void require_real(double value, double lowest, double highest, const char *name) {
  if (!std::isfinite(value)) fail(ATP_E_NOT_FINITE, "%s is %g, must be finite", name, value);
  if (value < lowest || value > highest) fail(ATP_E_VALUE, "%s is %g, must be in %g..%g", name, value, lowest, highest);
}

void require_shift(double shift) {
  if (!std::isfinite(shift)) fail(ATP_E_NOT_FINITE, "shift is %g, must be finite", shift);
  if (!(shift > 2 && shift <= kHighestShift)) fail(ATP_E_VALUE, "shift is %.17g, must be > 2 and <= %g", shift, kHighestShift);
}

void require_alphas(const double *alphas, int64_t n) {
  require_range(n, 1, INT64_MAX / 1024, "n_alphas");
  require_finite(alphas, n, "alphas");
  for (int64_t k = 0; k < n; ++k)
    if (!(alphas[k] >= kLowestAlpha && alphas[k] <= kHighestAlpha))
      fail(ATP_E_VALUE, "alphas[%lld] is %g, must be > 0, in %g..%g", static_cast<llong>(k), alphas[k], kLowestAlpha, kHighestAlpha);
}

// size = n * c with 1 <= c <= most; gives c.
int64_t columns_of(int64_t size, int64_t n, int64_t most) {
  if (size < n || size % n != 0 || size / n > most)
    fail(ATP_E_SHAPE, "size is %lld, must be the %lld alphas times 1 to %lld columns", static_cast<llong>(size), static_cast<llong>(n),
         static_cast<llong>(most));
  return size / n;
}

// Finite and symmetric up to rounding.
void require_symmetric(const double *matrix, int64_t n, const char *name) {
  require_finite(matrix, product_of(n, n), name);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < i; ++j) {
      const double x = matrix[i * n + j], y = matrix[j * n + i];
      if (x != y && std::fabs(x - y) > 1e-10 * (std::fabs(x) + std::fabs(y) + std::sqrt(std::fabs(matrix[i * n + i] * matrix[j * n + j]))))
        fail(ATP_E_SYMMETRY, "%s[%lld][%lld] is %.17g and [%lld][%lld] %.17g, must be equal", name, static_cast<llong>(i),
             static_cast<llong>(j), x, static_cast<llong>(j), static_cast<llong>(i), y);
    }
}

void require_buffer(int64_t size, int64_t least, const char *name) {
  if (size < least) fail(ATP_E_BUFFER, "%s is %lld, must be at least %lld", name, static_cast<llong>(size), static_cast<llong>(least));
}

// What the three curves of the square loss share: the numbers that they are asked for and where they go.
struct Curve {
  const double *alphas;
  int64_t n;
  double lambda, temperature;
  double *rows;
  int64_t size;
  atp_outcome *outcome;
};

// All checks of a curve; gives the number of columns.
int64_t require_curve(const Curve &curve) {
  require(curve.alphas, "alphas");
  require(curve.rows, "rows");
  require_alphas(curve.alphas, curve.n);
  require_real(curve.lambda, 0, kHighestLambda, "lambda");
  require_real(curve.temperature, 0, 1e12, "temperature");
  return columns_of(curve.size, curve.n, ATP_REPLICA_COLUMNS);
}

// lambda > 0 where V would be infinite without.
void require_penalty(const Curve &curve) {
  for (int64_t k = 0; curve.lambda == 0 && k < curve.n; ++k)
    if (curve.alphas[k] <= 1)
      fail(ATP_E_VALUE, "lambda is 0 with alphas[%lld] = %g, must be > 0 where an alpha is <= 1: V is infinite there",
           static_cast<llong>(k), curve.alphas[k]);
}

ConvexLoss require_loss(atp_replica_loss loss, double delta) {
  switch (loss) {
    case ATP_REPLICA_LOSS_SQUARE: return {LossKind::square, 1};
    case ATP_REPLICA_LOSS_HUBER: require_real(delta, 1e-12, 1e12, "delta"); return {LossKind::huber, delta};
    case ATP_REPLICA_LOSS_LOGISTIC: return {LossKind::logistic, 1};
  }
  fail(ATP_E_VALUE, "loss is %d, must be an atp_replica_loss", static_cast<int>(loss));
}

template <class Solve>
void fill_curve(const Curve &curve, int64_t columns, Solve &&solve) {
  atp_outcome outcome = ATP_OUTCOME_CONVERGED;
  for (int64_t k = 0; k < curve.n; ++k) {
    const Row row = solve(curve.alphas[k]);
    std::memcpy(curve.rows + k * columns, &row, static_cast<std::size_t>(columns) * sizeof(double));
    if (outcome == ATP_OUTCOME_CONVERGED) outcome = static_cast<atp_outcome>(row.outcome);
  }
  if (curve.outcome != nullptr) *curve.outcome = outcome;
}

Spectrum require_spectrum(const double *eigenvalues, int64_t n_eigenvalues, const double *projections, int64_t n_projections,
                          double noise) {
  require(eigenvalues, "eigenvalues");
  require(projections, "projections");
  require_range(n_eigenvalues, 1, INT64_MAX / 1024, "n_eigenvalues");
  require_size(n_projections, n_eigenvalues, "n_projections");
  require_finite(eigenvalues, n_eigenvalues, "eigenvalues");
  require_finite(projections, n_projections, "projections");
  for (int64_t k = 0; k < n_eigenvalues; ++k) {
    if (!(eigenvalues[k] > 0)) fail(ATP_E_VALUE, "eigenvalues[%lld] is %g, must be > 0", static_cast<llong>(k), eigenvalues[k]);
    if (!(projections[k] >= 0)) fail(ATP_E_VALUE, "projections[%lld] is %g, must be >= 0", static_cast<llong>(k), projections[k]);
  }
  require_real(noise, 0, 1e300, "noise");
  return {eigenvalues, projections, n_eigenvalues, noise};
}

template <class Mask>
atp_status mask(const double *matrix, const char *name, int64_t sites, int64_t site, double *covariance, int64_t covariance_size,
                double *teacher, int64_t teacher_size, double *noise, double *work, int64_t work_size, Mask &&with) noexcept {
  return guarded(nullptr, [&] {
    require(matrix, name);
    require(covariance, "covariance");
    require(teacher, "teacher");
    require(noise, "noise");
    require(work, "work");
    require_range(sites, 2, kLargestOrder, "sites");
    require_range(site, 0, sites - 1, "site");
    require_size(covariance_size, (sites - 1) * (sites - 1), "covariance_size");
    require_size(teacher_size, sites - 1, "teacher_size");
    require_buffer(work_size, mask_workspace(sites), "work_size");
    require_symmetric(matrix, sites, name);
    *noise = with(matrix, sites, site, covariance, teacher, work);
  });
}

Simulation require_simulation(int64_t parameters, const double *alphas, int64_t n_alphas, double lambda, int64_t realisations) {
  require(alphas, "alphas");
  require_range(parameters, 1, kLargestOrder, "parameters");
  require_alphas(alphas, n_alphas);
  require_real(lambda, 0, kHighestLambda, "lambda");
  require_range(realisations, 1, 1000000, "realisations");
  return {nullptr, nullptr, parameters, 0, alphas, n_alphas, lambda, realisations, 0};
}

}  // namespace

const char *atp_replica_column_name(int column) noexcept {
  return column >= 0 && column < ATP_REPLICA_COLUMNS ? kColumnNames[column] : nullptr;
}

int atp_replica_column_find(const char *name) noexcept {
  for (int k = 0; name != nullptr && k < ATP_REPLICA_COLUMNS; ++k)
    if (std::strcmp(name, kColumnNames[k]) == 0) return k;
  return -1;
}

atp_status atp_replica_goe(int64_t sites, double shift, uint64_t seed, double *precision, int64_t size) noexcept {
  return guarded(nullptr, [&] {
    require(precision, "precision");
    require_range(sites, 2, kLargestOrder, "sites");
    require_shift(shift);
    require_size(size, product_of(sites, sites), "size");
    fill_goe(sites, shift, seed, precision);
  });
}

atp_status atp_replica_mask_workspace(int64_t sites, int64_t *doubles) noexcept {
  return guarded(nullptr, [&] {
    require(doubles, "doubles");
    require_range(sites, 2, kLargestOrder, "sites");
    *doubles = mask_workspace(sites);
  });
}

atp_status atp_replica_mask_precision(const double *precision, int64_t sites, int64_t site, double *covariance, int64_t covariance_size,
                                      double *teacher, int64_t teacher_size, double *noise, double *work, int64_t work_size) noexcept {
  return mask(precision, "precision", sites, site, covariance, covariance_size, teacher, teacher_size, noise, work, work_size,
              mask_precision);
}

atp_status atp_replica_mask_covariance(const double *full, int64_t sites, int64_t site, double *covariance, int64_t covariance_size,
                                       double *teacher, int64_t teacher_size, double *noise, double *work, int64_t work_size) noexcept {
  return mask(full, "full", sites, site, covariance, covariance_size, teacher, teacher_size, noise, work, work_size, mask_covariance);
}

atp_status atp_replica_spectrum_workspace(int64_t parameters, int64_t *doubles) noexcept {
  return guarded(nullptr, [&] {
    require(doubles, "doubles");
    require_range(parameters, 1, kLargestOrder, "parameters");
    *doubles = spectrum_workspace(parameters);
  });
}

atp_status atp_replica_spectrum(const double *covariance, int64_t covariance_size, const double *teacher, int64_t parameters,
                                double *eigenvalues, double *projections, int64_t size, double *work, int64_t work_size) noexcept {
  return guarded(nullptr, [&] {
    require(covariance, "covariance");
    require(teacher, "teacher");
    require(eigenvalues, "eigenvalues");
    require(projections, "projections");
    require(work, "work");
    require_range(parameters, 1, kLargestOrder, "parameters");
    require_size(covariance_size, product_of(parameters, parameters), "covariance_size");
    require_size(size, parameters, "size");
    require_buffer(work_size, spectrum_workspace(parameters), "work_size");
    require_symmetric(covariance, parameters, "covariance");
    require_finite(teacher, parameters, "teacher");
    spectrum(covariance, teacher, parameters, eigenvalues, projections, work);
  });
}

atp_status atp_replica_square(const double *eigenvalues, int64_t n_eigenvalues, const double *projections, int64_t n_projections,
                              double noise, const double *alphas, int64_t n_alphas, double lambda, double temperature, double *rows,
                              int64_t size, atp_outcome *outcome) noexcept {
  return guarded(nullptr, [&] {
    const Curve curve{alphas, n_alphas, lambda, temperature, rows, size, outcome};
    const Spectrum given = require_spectrum(eigenvalues, n_eigenvalues, projections, n_projections, noise);
    const int64_t columns = require_curve(curve);
    const SpectrumMoments known = moments(given);
    fill_curve(curve, columns, [&](double alpha) { return solve_square(given, known, alpha, lambda, temperature); });
  });
}

atp_status atp_replica_square_saddle(const double *eigenvalues, int64_t n_eigenvalues, const double *projections, int64_t n_projections,
                                     double noise, const double *alphas, int64_t n_alphas, double lambda, double temperature,
                                     int64_t max_iter, double *rows, int64_t size, atp_outcome *outcome) noexcept {
  return guarded(nullptr, [&] {
    const Curve curve{alphas, n_alphas, lambda, temperature, rows, size, outcome};
    const Spectrum given = require_spectrum(eigenvalues, n_eigenvalues, projections, n_projections, noise);
    const int64_t columns = require_curve(curve);
    require_range(max_iter, 1, 1000000, "max_iter");
    require_penalty(curve);
    const SpectrumMoments known = moments(given);
    fill_curve(curve, columns, [&](double alpha) { return solve_square_saddle(given, known, alpha, lambda, temperature, max_iter); });
  });
}

atp_status atp_replica_limit(double shift, const double *alphas, int64_t n_alphas, double lambda, double temperature, double *rows,
                             int64_t size, atp_outcome *outcome) noexcept {
  return guarded(nullptr, [&] {
    const Curve curve{alphas, n_alphas, lambda, temperature, rows, size, outcome};
    require_shift(shift);
    const int64_t columns = require_curve(curve);
    const Limit limit(shift);
    fill_curve(curve, columns, [&](double alpha) { return limit.solve(alpha, lambda, temperature); });
  });
}

atp_status atp_replica_simulate_bytes(atp_context *context, int64_t parameters, const double *alphas, int64_t n_alphas, double lambda,
                                      int64_t realisations, int64_t *bytes) noexcept {
  return guarded(core(context), [&] {
    require(context, "context");
    require(bytes, "bytes");
    const Simulation simulation = require_simulation(parameters, alphas, n_alphas, lambda, realisations);
    *bytes = static_cast<int64_t>(simulation_bytes(*core(context), simulation));
  });
}

atp_status atp_replica_simulate(atp_context *context, const double *covariance, int64_t covariance_size, const double *teacher,
                                int64_t parameters, double noise, const double *alphas, int64_t n_alphas, double lambda,
                                int64_t realisations, uint64_t seed, atp_progress_fn progress, void *user, double *rows, int64_t size,
                                atp_outcome *outcome) noexcept {
  return guarded(core(context), [&] {
    require(context, "context");
    require(covariance, "covariance");
    require(teacher, "teacher");
    require(rows, "rows");
    Simulation simulation = require_simulation(parameters, alphas, n_alphas, lambda, realisations);
    require_size(covariance_size, product_of(parameters, parameters), "covariance_size");
    const int64_t columns = columns_of(size, n_alphas, ATP_REPLICA_SIM_COLUMNS);
    require_symmetric(covariance, parameters, "covariance");
    require_finite(teacher, parameters, "teacher");
    require_real(noise, 0, 1e300, "noise");
    simulation.covariance = covariance;
    simulation.teacher = teacher;
    simulation.noise = noise;
    simulation.seed = seed;
    StopFlag stop;
    Reporter reporter(progress, user, stop);
    const atp_outcome ended = simulate(*core(context), simulation, reporter, rows, columns);
    if (outcome != nullptr) *outcome = ended;
  });
}

atp_status atp_replica_convex_workspace(int64_t *doubles) noexcept {
  return guarded(nullptr, [&] {
    require(doubles, "doubles");
    *doubles = convex_workspace();
  });
}

atp_status atp_replica_convex(const double *eigenvalues, int64_t n_eigenvalues, const double *projections, int64_t n_projections,
                              double noise, atp_replica_loss loss, double delta, const double *alphas, int64_t n_alphas, double lambda,
                              int64_t max_iter, double *work, int64_t work_size, double *rows, int64_t size, double *optimum,
                              atp_outcome *outcome) noexcept {
  return guarded(nullptr, [&] {
    const Curve curve{alphas, n_alphas, lambda, 0, rows, size, outcome};
    const Spectrum given = require_spectrum(eigenvalues, n_eigenvalues, projections, n_projections, noise);
    const int64_t columns = require_curve(curve);
    require(work, "work");
    const ConvexLoss convex = require_loss(loss, delta);
    if (convex.classifies() && noise != 0) fail(ATP_E_VALUE, "noise is %g, must be 0 for the logistic loss", noise);
    require_range(max_iter, 1, 1000000, "max_iter");
    if (!convex.classifies()) require_penalty(curve);
    require_buffer(work_size, convex_workspace(), "work_size");
    const Span<double> space(work, convex_workspace());
    const double best = optimal_convex(given, convex, space);
    fill_curve(curve, columns, [&](double alpha) { return solve_convex(given, convex, alpha, lambda, max_iter, space); });
    if (optimum != nullptr) *optimum = best;
  });
}
