// SPDX-License-Identifier: MIT
// Zeros of orthogonal polynomials by third-order Newton steps from asymptotic starts. Sources: G. Szego,
// Orthogonal Polynomials (1939), sec. 3.4, 6.32 and 15.3; A. Glaser, X. Liu, V. Rokhlin, SIAM J. Sci. Comput.
// 29, 1420 (2007) for steps that use the differential equation.
#include "math/quadrature.hpp"
#include "math/search.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace atp {

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr int kNewtonSteps = 20;
constexpr double kBig = 0x1p300;

// He_n and He_{n-1}, polynomials orthonormal under the normal density, times 2^(-300 scaled).
struct HermitePair {
  double last, before;
  int64_t scaled;
};

// sqrt(k + 1) p_{k+1} = z p_k - sqrt(k) p_{k-1}
HermitePair hermite_pair(int64_t n, double z) {
  HermitePair p{1, 0, 0};
  for (int64_t k = 0; k < n; ++k) {
    const double next = (z * p.last - std::sqrt(static_cast<double>(k)) * p.before) / std::sqrt(static_cast<double>(k + 1));
    p.before = p.last;
    p.last = next;
    if (std::fabs(p.last) > kBig) {
      p.last /= kBig;
      p.before /= kBig;
      ++p.scaled;
    }
  }
  return p;
}

// The k-th largest zero, k >= 1, to about a hundredth of the distance to its neighbours. Semiclassical
// approximation: t - sin t = pi (4 k - 1) / (2 n + 1), z = sqrt(2 (2 n + 1)) cos(t / 2).
double hermite_start(int64_t n, int64_t k) {
  const double nu = 2 * static_cast<double>(n) + 1, right = kPi * (4 * static_cast<double>(k) - 1) / nu;
  const NewtonRoot t = newton_in(
      {0, kPi}, std::min(std::cbrt(6 * right), kPi), 60, 0,
      [right](double x) {
        return ValueAndSlope{x - std::sin(x) - right, 1 - std::cos(x)};
      },
      [](double x, double, double next) { return std::fabs(next - x) < 1e-12; });
  return std::sqrt(2 * nu) * std::cos(t.x / 2);
}

// The Legendre polynomial p and its derivative.
void legendre(int64_t n, double x, double *p, double *slope) {
  double last = 1, before = 0;
  for (int64_t k = 0; k < n; ++k) {
    const double next = ((2 * static_cast<double>(k) + 1) * x * last - static_cast<double>(k) * before) / static_cast<double>(k + 1);
    before = last;
    last = next;
  }
  *p = last;
  *slope = static_cast<double>(n) * (before - x * last) / (1 - x * x);
}

}  // namespace

void gauss_hermite(Span<double> nodes, Span<double> weights) {
  const int64_t n = nodes.size();
  assert(n >= 1 && weights.size() == n);
  const double root = std::sqrt(static_cast<double>(n));
  for (int64_t k = 1; k <= (n + 1) / 2; ++k) {
    const bool middle = 2 * k == n + 1;
    double z = middle ? 0 : hermite_start(n, k);
    // u = p exp(-z^2 / 4) obeys u'' = (z^2 / 4 - n - 1/2) u. At a zero of u its curvature vanishes, too, so u / u' is of third order.
    for (int step = 0; step < kNewtonSteps && !middle; ++step) {
      const HermitePair p = hermite_pair(n, z);
      const double ratio = p.last / (root * p.before), change = ratio / (1 - ratio * z / 2);
      z -= change;
      if (std::fabs(change) < 1e-10 * std::max(1.0, z)) break;  // the next change, of the order of its cube, is below rounding
    }
    // n / 2 distinct positive zeros are all of them.
    assert(middle || (z > 0 && (k == 1 || z < nodes[n - k + 1])));
    const HermitePair p = hermite_pair(n, z);
    const double scale = p.scaled > 1 ? 0 : std::ldexp(1.0, static_cast<int>(-300 * p.scaled));
    const double slope = root * p.before;
    nodes[n - k] = z;
    nodes[k - 1] = -z;
    weights[n - k] = weights[k - 1] = scale / slope / slope * scale;
  }
}

void gauss_legendre(Span<double> nodes, Span<double> weights) {
  const int64_t n = nodes.size();
  assert(n >= 1 && weights.size() == n);
  for (int64_t k = 1; k <= (n + 1) / 2; ++k) {
    double x = 2 * k == n + 1 ? 0 : std::cos(kPi * (4 * static_cast<double>(k) - 1) / (4 * static_cast<double>(n) + 2)), p = 0, slope = 0;
    for (int step = 0; step < kNewtonSteps; ++step) {
      legendre(n, x, &p, &slope);
      if (2 * k == n + 1) break;
      const double change = p / slope;
      x -= change;
      if (std::fabs(change) < 1e-16) break;
    }
    legendre(n, x, &p, &slope);
    nodes[n - k] = x;
    nodes[k - 1] = -x;
    weights[n - k] = weights[k - 1] = 2 / ((1 - x * x) * slope * slope);
  }
}

int64_t panel_rule(const Feature *features, int64_t n_features, int64_t order, Span<double> nodes, Span<double> weights) {
  assert(n_features <= kMaxFeatures && order >= 1 && order <= kMaxPanelOrder && nodes.size() >= kMaxPanels * order);
  double cuts[kMaxPanels + 1];
  int64_t n_cuts = 0;
  for (double x = -kPanelRange; x <= kPanelRange; x += 1) cuts[n_cuts++] = x;
  const auto cut = [&](double x) {
    if (x > -kPanelRange && x < kPanelRange) cuts[n_cuts++] = x;
  };
  for (int64_t f = 0; f < n_features; ++f) {
    const Feature feature = features[f];
    cut(feature.center);
    if (!(feature.width > 0)) continue;
    double width = feature.width;
    for (int64_t k = 0; k < kPanelDoublings && width < 1; ++k, width *= 2) {
      cut(feature.center - width);
      cut(feature.center + width);
    }
  }
  std::sort(cuts, cuts + n_cuts);
  assert(n_cuts <= kMaxPanels + 1);

  double unit_nodes[kMaxPanelOrder], unit_weights[kMaxPanelOrder];
  gauss_legendre({unit_nodes, order}, {unit_weights, order});
  int64_t count = 0;
  for (int64_t c = 0; c + 1 < n_cuts; ++c) {
    const double half = (cuts[c + 1] - cuts[c]) / 2, middle = (cuts[c + 1] + cuts[c]) / 2;
    if (!(half > 0)) continue;
    for (int64_t k = 0; k < order; ++k, ++count) {
      const double z = middle + half * unit_nodes[k];
      nodes[count] = z;
      weights[count] = half * unit_weights[k] * std::exp(-z * z / 2) * 0.39894228040143267794;
    }
  }
  return count;
}

}  // namespace atp
