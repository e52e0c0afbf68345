// SPDX-License-Identifier: MIT
// Learning curves of q-colour pseudo-likelihood with known V. The proximal operator against a minimisation by coordinates and its
// stiffness against differences; two colours against the logistic loss, whose averages are other code; the threshold of separable random
// labels against its own average; derivatives of the free energy; numbers of another program. Fixed seeds.
#include "support.h"

#include "base/philox.hpp"
#include "math/lattice.hpp"
#include "theory/replica/convex_curve.hpp"
#include "theory/replica/potts_curve.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace atp;
using namespace atp::replica;

namespace {

using Vector = std::vector<double>;

std::size_t index_of(int64_t k) { return static_cast<std::size_t>(k); }
int64_t size_of(const Vector &x) { return static_cast<int64_t>(x.size()); }
Span<double> span(Vector &x) { return {x.data(), size_of(x)}; }

// Normal numbers of a seed.
class Draws {
 public:
  explicit Draws(uint64_t seed) : random_(seed, Stream::replica, 0, 0) {}
  double normal() { return normal_quantile(random_.uniform(next_++)); }
  double uniform() { return random_.uniform(next_++); }

 private:
  RandomView random_;
  uint64_t next_ = 0;
};

struct Basis {
  Basis(const Vector &covariance, int64_t q) : work(index_of(basis_workspace(q))), basis(field_basis(covariance.data(), q, span(work))) {}
  Vector work;
  FieldBasis basis;
};

Vector isotropic(int64_t q, double value = 1) {
  Vector k(index_of(q * q));
  for (int64_t a = 0; a < q; ++a) k[index_of(a * q + a)] = value;
  return k;
}

// V V^T / q with normal V.
Vector random_covariance(int64_t q, int64_t rank, uint64_t seed) {
  Draws draws(seed);
  Vector v(index_of(q * rank)), k(index_of(q * q));
  for (double &x : v) x = draws.normal();
  for (int64_t a = 0; a < q; ++a)
    for (int64_t b = 0; b < q; ++b)
      for (int64_t c = 0; c < rank; ++c)
        k[index_of(a * q + b)] += v[index_of(a * rank + c)] * v[index_of(b * rank + c)] / static_cast<double>(rank);
  return k;
}

struct Setting {
  Vector covariance;
  int64_t q;
  Vector s{1}, t{1};
  double alpha = 1, lambda = 1;
  int64_t points = 4096, shifts = 8;
};

struct Means {
  double eg = 0, et = 0, q = 0, m = 0, v = 0, norm = 0, free_energy = 0, q_hat = 0, optimum = 0;
  int outcome = ATP_OUTCOME_CONVERGED;
};

Means solve(const Setting &setting) {
  const Basis at(setting.covariance, setting.q);
  FieldPoints points;
  points.count = setting.points;
  Vector normals(index_of(setting.points * FieldPoints::dimensions(at.basis))), weights(index_of(setting.points)),
      probabilities(index_of(setting.points * setting.q)), starts(index_of(setting.points * FieldPoints::labels(at.basis) * setting.q)),
      work(index_of(PottsSample::workspace(at.basis) + 4 * setting.q));
  points.normals = span(normals);
  points.weights = span(weights);
  points.probabilities = span(probabilities);
  points.starts = span(starts);
  const int64_t multiplier = korobov_multiplier(points.count, FieldPoints::dimensions(at.basis), points.weights);
  const Spectrum spectrum{setting.s.data(), setting.t.data(), size_of(setting.s), 0};
  Means mean;
  const double n = static_cast<double>(setting.shifts);
  for (int64_t shift = 0; shift < setting.shifts; ++shift) {
    place_points(at.basis, multiplier, 1, shift, points);
    double optimum = 0;
    const Row row = solve_potts(spectrum, at.basis, points, {setting.alpha, setting.lambda, 10000, false}, span(work), optimum);
    if (row.outcome != ATP_OUTCOME_CONVERGED) mean.outcome = static_cast<int>(row.outcome);
    mean.eg += row.eg / n;
    mean.et += row.et / n;
    mean.q += row.q / n;
    mean.m += row.m / n;
    mean.v += row.v / n;
    mean.norm += row.norm / n;
    mean.q_hat += row.q_hat / n;
    mean.free_energy += row.free_energy / n;
    mean.optimum += optimum / n;
  }
  return mean;
}

// -log softmax(R u)[label] + |u - omega|^2 / (2 v)
double objective(const FieldBasis &basis, const Vector &u, const Vector &omega, int64_t label, double v) {
  Vector z(index_of(basis.colors));
  double sum = 0, distance = 0;
  for (int64_t a = 0; a < basis.colors; ++a)
    for (int64_t c = 0; c < basis.rank; ++c) z[index_of(a)] += basis.directions[a * basis.rank + c] * u[index_of(c)];
  for (double x : z) sum += std::exp(x - z[index_of(label)]);
  for (std::size_t c = 0; c < u.size(); ++c) distance += (u[c] - omega[c]) * (u[c] - omega[c]);
  return std::log(sum) + distance / (2 * v);
}

struct Operator {
  explicit Operator(const FieldBasis &of) : basis(of), work(index_of(PottsSample::workspace(of))), sample(of, span(work)) {}
  // The force in u, the loss and the stiffness.
  Vector force(const Vector &omega, int64_t label, double v, PottsSample::Response *response = nullptr) {
    Vector start(index_of(basis.colors));
    const PottsSample::Response found = sample.respond(omega.data(), label, v, start.data());
    if (response != nullptr) *response = found;
    return {sample.force(), sample.force() + basis.rank};
  }
  const FieldBasis &basis;
  Vector work;
  PottsSample sample;
};

// The objective is convex: a point where its slopes are 0 is the minimum.
void check_operator(const FieldBasis &basis, double size, double v, uint64_t seed) {
  Draws draws(seed);
  Operator at(basis);
  const std::size_t d = index_of(basis.rank);
  for (int64_t label = 0; label < basis.colors; ++label) {
    Vector omega(d);
    for (double &x : omega) x = size * draws.normal();
    PottsSample::Response response;
    const Vector f = at.force(omega, label, v, &response);
    Vector u = omega;
    for (std::size_t c = 0; c < d; ++c) u[c] += v * f[c];
    const double step = 1e-4, least = objective(basis, u, omega, label, v);
    double distance = 0, trace = 0;
    for (std::size_t c = 0; c < d; ++c) distance += v * f[c] * f[c] / 2;
    assert_close(least - distance, response.loss, 1e-7, 1e-13 + 1e-9 * std::fabs(least));
    for (std::size_t c = 0; c < d; ++c) {
      Vector above = u, below = u;
      above[c] += step;
      below[c] -= step;
      const double slope = (objective(basis, above, omega, label, v) - objective(basis, below, omega, label, v)) / (2 * step);
      assert_close(slope, 0, 0, 1e-7 + 1e-11 * std::fabs(least) / step);
      above = below = omega;
      above[c] += step;
      below[c] -= step;
      trace -= (at.force(above, label, v)[c] - at.force(below, label, v)[c]) / (2 * step);
    }
    assert_close(trace, response.stiffness, 1e-5, 1e-9);
  }
}

void proximal_operator(void **) {
  for (double v : {1e-3, 0.5, 3.0, 100.0, 1e5})
    for (double size : {0.3, 2.0, 10.0}) {
      check_operator(Basis(isotropic(2), 2).basis, size, v, 1);
      check_operator(Basis(isotropic(5, 0.7), 5).basis, size, v, 2);
      check_operator(Basis(random_covariance(4, 7, 11), 4).basis, size, v, 3);
      check_operator(Basis(random_covariance(6, 2, 12), 6).basis, size, v, 4);
    }
}

// Fields far from the origin and large v: where labels are nearly separable.
void proximal_operator_converges(void **) {
  const Basis common(isotropic(20), 20), general(random_covariance(8, 30, 5), 8);
  for (const Basis *basis : {&common, &general})
    for (double v : {1e-8, 1.0, 1e4, 1e8})
      for (double size : {1e-3, 1.0, 100.0, 1e4}) {
        Draws draws(7);
        Operator at(basis->basis);
        for (int trial = 0; trial < 20; ++trial) {
          Vector omega(index_of(basis->basis.rank));
          for (double &x : omega) x = size * draws.normal();
          PottsSample::Response response;
          at.force(omega, trial % 8, v, &response);
          if (!(response.loss >= 0 && response.stiffness >= 0)) fail_msg("v = %g, size = %g: loss %g", v, size, response.loss);
        }
      }
}

// K = 1/4 [[1, -1], [-1, 1]]: the difference of the fields is the field of the logistic loss.
void two_colors_are_logistic(void **) {
  const Vector s{0.4, 0.8, 1.0, 2.2};
  for (double teacher : {0.5, 0.0, 4.0}) {
    for (double alpha : {0.7, 2.0, 6.0})
      for (double lambda : {1.0, 0.1, 0.01}) {
        Setting a{{0.25, -0.25, -0.25, 0.25}, 2, s, {teacher * 0.1, teacher * 0.4, 0, teacher * 0.29}, alpha, lambda, 1 << 14, 2};
        const Means potts = solve(a);
        assert_int_equal(potts.outcome, ATP_OUTCOME_CONVERGED);
        Vector work(index_of(convex_workspace()));
        const Spectrum spectrum{a.s.data(), a.t.data(), 4, 0};
        const Row logistic = solve_convex(spectrum, {LossKind::logistic, 1}, alpha, lambda, 1000, span(work));
        assert_int_equal(logistic.outcome, ATP_OUTCOME_CONVERGED);
        assert_close(potts.eg, logistic.eg, 1e-8, 0);
        assert_close(potts.et, logistic.et, 1e-8, 0);
        assert_close(potts.q, logistic.q, 1e-8, 0);
        assert_close(potts.m, logistic.m, 1e-8, 1e-14);
        assert_close(potts.v, logistic.v, 1e-8, 0);
        assert_close(potts.norm, logistic.norm, 1e-8, 0);
        assert_close(potts.free_energy, logistic.free_energy, 1e-8, 0);
        assert_close(potts.optimum, optimal_convex(spectrum, {LossKind::logistic, 1}, span(work)), 1e-8, 0);
      }
    if (left_out("two_colors_are_logistic (other teachers)")) return;
  }
}

// The fixed point of q independent colours put into plain averages over draws: E f . eps and E f . nu instead of derivatives (Stein), and
// the proximal point by iteration u <- u + share (omega + v (e_y - softmax u) - u).
void check_by_draws(int64_t q, double alpha, double lambda, double rho, uint64_t seed) {
  Setting a{isotropic(q), q, {1}, {rho}, alpha, lambda, 1 << 12, 8};
  const Means at = solve(a);
  Draws draws(seed);
  const int64_t count = 40000;
  const double slope = at.m / rho, rest = std::sqrt(at.q - at.m * at.m / rho), n = static_cast<double>(count);
  // V^ = alpha E -f . eps / rest, q^ = alpha E f^2, m^ = alpha (E f . nu / rho + slope E -df/domega), test and training loss
  double sums[5] = {}, squares[5] = {};
  for (int64_t k = 0; k < count; ++k) {
    Vector nu(index_of(q)), eps = nu, omega = nu, u, p = nu;
    for (std::size_t c = 0; c < nu.size(); ++c) {
      nu[c] = std::sqrt(rho) * draws.normal();
      eps[c] = draws.normal();
      omega[c] = slope * nu[c] + rest * eps[c];
    }
    const auto softmax = [&](const Vector &z) {
      double sum = 0;
      for (std::size_t c = 0; c < z.size(); ++c) sum += p[c] = std::exp(z[c]);
      for (double &x : p) x /= sum;
    };
    softmax(nu);
    double place = draws.uniform();
    std::size_t y = 0;
    while (y + 1 < p.size() && (place -= p[y]) > 0) ++y;
    softmax(omega);
    const double test = -std::log(p[y]);
    u = omega;
    const double share = 1 / (1 + at.v / 2);
    for (int step = 0; step < 400; ++step) {
      softmax(u);
      double most = 0;
      for (std::size_t c = 0; c < u.size(); ++c) {
        const double change = share * (omega[c] + at.v * ((c == y ? 1 : 0) - p[c]) - u[c]);
        u[c] += change;
        most = std::max(most, std::fabs(change));
      }
      if (most < 1e-10) break;
    }
    double along = 0, square = 0, teacher = 0;
    for (std::size_t c = 0; c < u.size(); ++c) {
      const double f = (u[c] - omega[c]) / at.v;
      along -= f * eps[c] / rest;
      square += f * f;
      teacher += f * nu[c] / rho;
    }
    softmax(u);
    const double values[5] = {along, square, teacher + slope * along, test, -std::log(p[y])};
    for (int j = 0; j < 5; ++j) {
      sums[j] += values[j] / n;
      squares[j] += values[j] * values[j] / n;
    }
  }
  const double v_hat = 1 / at.v - lambda, m_hat = at.m / (rho * at.v), q_hat = (at.q - at.m * at.m / rho) / (at.v * at.v);
  const double expected[5] = {v_hat / alpha, q_hat / alpha, m_hat / alpha, at.eg, at.et};
  for (int j = 0; j < 5; ++j) {
    const double error = std::sqrt((squares[j] - sums[j] * sums[j]) / n);
    if (!(std::fabs(sums[j] - expected[j]) <= 4 * error + 2e-3 * expected[j]))
      fail_msg("q = %d, alpha = %g, average %d: %g from draws, error %g; %g", static_cast<int>(q), alpha, j, sums[j], error, expected[j]);
  }
}

// False alarms: 5 averages of 3 cases at 4 standard errors and more, below 0.1 per cent.
void averages_of_draws(void **) {
  check_by_draws(3, 3, 0.1, 2, 21);
  if (left_out("averages_of_draws (more colours)")) return;
  check_by_draws(5, 0.8, 0.3, 1, 22);
  check_by_draws(12, 2, 0.2, 3, 23);
}

// 1 / E min_u [(u - z_1)^2 + sum_{a > 1} (z_a - u)_+^2] over normal z, u being the mean of z_1 and of the z above u.
double separable_below(int64_t q) {
  Draws draws(31);
  const int64_t count = 40000;
  double sum = 0;
  for (int64_t k = 0; k < count; ++k) {
    const double first = draws.normal();
    Vector others(index_of(q - 1));
    for (double &x : others) x = draws.normal();
    std::sort(others.rbegin(), others.rend());
    double total = first, number = 1, u = first;
    for (double x : others) {
      if (x <= u) break;
      total += x;
      u = total / ++number;
    }
    double least = (u - first) * (u - first);
    for (double x : others) least += x > u ? (x - u) * (x - u) : 0;
    sum += least / static_cast<double>(count);
  }
  return 1 / sum;
}

// Without a penalty the student of random labels has a finite norm above the threshold, and none below.
void random_labels(void **) {
  const double known[] = {2, 0.777, 0.362};
  int k = 0;
  for (int64_t q : {2, 5, 20}) {
    if (q > 2 && left_out("random_labels (more colours)")) break;
    const double threshold = separable_below(q);
    assert_close(threshold, known[k++], 0.02, 0);
    Setting a{isotropic(q), q, {1}, {0}, 0.95 * threshold, 0, q < 20 ? 4096 : 1024, 2};
    assert_int_equal(solve(a).outcome, ATP_OUTCOME_DIVERGED);
    a.alpha = 1.05 * threshold;
    const Means above = solve(a);
    assert_int_equal(above.outcome, ATP_OUTCOME_CONVERGED);
    print_message("q = %d: %g, training loss 5 per cent above %g\n", static_cast<int>(q), threshold, above.et);
    assert_true(above.et > 0 && std::isfinite(above.q));
  }
}

// d f / d lambda = |w|^2 / 2; d f / d alpha is what one more sample costs, loss + |u - omega|^2 / (2 V) = e_t + V q^ / (2 alpha).
void free_energy(void **) {
  skip_where_quick();
  Setting a{random_covariance(3, 5, 9), 3, {0.5, 1, 2}, {1, 0.5, 0.2}, 1.5, 0.2, 1 << 14, 2};
  const Means middle = solve(a);
  const double step = 0.02;
  const auto at = [&](double lambda, double alpha) {
    Setting b = a;
    b.lambda = lambda;
    b.alpha = alpha;
    return solve(b).free_energy;
  };
  assert_close((at(a.lambda + step, a.alpha) - at(a.lambda - step, a.alpha)) / (2 * step), middle.norm / 2, 1e-2, 0);
  const double slope = (at(a.lambda, a.alpha + step) - at(a.lambda, a.alpha - step)) / (2 * step);
  assert_close(slope, middle.et + middle.v * middle.q_hat / (2 * a.alpha), 5e-3, 0);
}

// Equal eigenvalues, solved in z, and the same basis as any other, solved in u.
void both_solutions(void **) {
  for (int64_t q : {3, 7}) {
    const Basis at(isotropic(q, 1.3), q);
    FieldBasis other = at.basis;
    assert_true(other.common > 0);
    other.common = 0;
    Operator common(at.basis), general(other);
    Draws draws(41);
    for (double v : {0.01, 1.0, 50.0})
      for (int64_t label = 0; label < q; ++label) {
        Vector omega(index_of(q - 1));
        for (double &x : omega) x = 3 * draws.normal();
        PottsSample::Response a, b;
        const Vector f = common.force(omega, label, v, &a), g = general.force(omega, label, v, &b);
        for (std::size_t c = 0; c < f.size(); ++c) assert_close(f[c], g[c], 1e-9, 1e-13);
        assert_close(a.loss, b.loss, 1e-9, 1e-14);
        assert_close(a.stiffness, b.stiffness, 1e-9, 1e-14);
      }
  }
}

void refused(void **) {
  Vector work(index_of(basis_workspace(3)));
  const double negative[] = {1, 0, 0, 0, 1, 0, 0, 0, -1}, same[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  for (const double *covariance : {negative, same}) {
    bool refused = false;
    try {
      field_basis(covariance, 3, span(work));
    } catch (const Error &error) {
      refused = error.status() == ATP_E_VALUE;
    }
    assert_true(refused);
  }
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(proximal_operator),       cmocka_unit_test(proximal_operator_converges),
                              cmocka_unit_test(two_colors_are_logistic), cmocka_unit_test(averages_of_draws),
                              cmocka_unit_test(random_labels),           cmocka_unit_test(free_energy),
                              cmocka_unit_test(both_solutions),          cmocka_unit_test(refused)};
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
