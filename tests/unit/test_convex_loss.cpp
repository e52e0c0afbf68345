// SPDX-License-Identifier: MIT
// Proximal operators against their definition, argmin_z loss(y, z) + (z - omega)^2 / (2 v), with losses written down here.
#include "support.h"

#include "theory/replica/convex_curve.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

using namespace atp::replica;

namespace {

const ConvexLoss kLosses[] = {{LossKind::square, 1}, {LossKind::huber, 0.3}, {LossKind::huber, 2}, {LossKind::logistic, 1}};
const double kPenalties[] = {1e-9, 1e-3, 0.4, 1, 7, 1e3, 1e6, 1e10};

long double loss_at(const ConvexLoss &loss, long double y, long double z) {
  if (loss.kind == LossKind::logistic) return std::log1p(std::exp(-y * z));
  const long double r = std::fabs(y - z);
  return loss.kind == LossKind::square || r <= loss.delta ? r * r / 2 : loss.delta * r - loss.delta * loss.delta / 2;
}

long double slope_at(const ConvexLoss &loss, long double y, long double z) {
  if (loss.kind == LossKind::logistic) return -y / (1 + std::exp(y * z));
  const long double r = z - y, d = loss.delta;
  return loss.kind == LossKind::square ? r : r > d ? d : r < -d ? -d : r;
}

template <class F>
void each(F &&f) {
  for (const ConvexLoss &loss : kLosses)
    for (double v : kPenalties)
      for (double omega : {-1e4, -37.0, -2.2, -0.1, 0.0, 1e-8, 0.9, 5.0, 80.0, 3e5})
        for (double y : {-1.0, 1.0}) f(loss, y, omega, v);
}

// The root of the increasing slope(z) + (z - omega) / v by bisection in long double.
void proximal(void **) {
  each([](const ConvexLoss &loss, double y, double omega, double v) {
    long double low = omega - v * (std::fabs(omega) + 2), high = omega + v * (std::fabs(omega) + 2);
    for (int k = 0; k < 200; ++k) {
      const long double z = (low + high) / 2;
      (v * slope_at(loss, y, z) + (z - omega) > 0 ? high : low) = z;
    }
    const double z = static_cast<double>(low), f = static_cast<double>(-slope_at(loss, y, low));
    // Of long double, which is double on 32-bit ARM.
    const double rounding =
        std::max(2e-19, 2 * static_cast<double>(std::numeric_limits<long double>::epsilon())) * (std::fabs(omega) + std::fabs(z) + 1);
    assert_close(loss.proximal(y, omega, v), z, 1e-14, 4e-16 * (std::fabs(omega) + 1));
    const ConvexResponse a = loss.response(y, omega, v);
    assert_close(a.f, f, 1e-11, rounding);
    assert_close(a.loss, static_cast<double>(loss_at(loss, y, low)), 1e-10, rounding);
    assert_close(loss.value(y, omega), static_cast<double>(loss_at(loss, y, omega)), 1e-14, 0);
  });
}

// -df/domega by differences, away from kinks.
void stiffness(void **) {
  each([](const ConvexLoss &loss, double y, double omega, double v) {
    const double h = 1e-5 * (1 + std::fabs(omega)), r = std::fabs(y - omega), kink = loss.delta * (1 + v);
    if (loss.kind == LossKind::huber && std::fabs(r - kink) < 2 * h) return;
    const double difference = (loss.response(y, omega - h, v).f - loss.response(y, omega + h, v).f) / (2 * h);
    assert_close(loss.response(y, omega, v).stiffness, difference, 2e-5, 1e-9);
  });
}

void safe_functions(void **) {
  assert_close(sigmoid(-800), 0, 0, 1e-300);
  assert_close(sigmoid(800), 1, 0, 0);
  assert_close(sigmoid(-40), std::exp(-40.0), 1e-15, 0);
  assert_close(softplus(800), 800, 0, 0);
  assert_close(softplus(-40), std::exp(-40.0), 1e-15, 0);
  assert_close(softplus(0), std::log(2.0), 1e-15, 0);
}

}  // namespace

int main(void) {
  const CMUnitTest tests[] = {cmocka_unit_test(proximal), cmocka_unit_test(stiffness), cmocka_unit_test(safe_functions)};
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
