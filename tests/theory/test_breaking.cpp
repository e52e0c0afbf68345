// SPDX-License-Identifier: MIT
// One step of replica symmetry breaking: the perceptron that makes as few errors as possible.
#include "support.h"

#include "dotattn/breaking.hpp"
#include "dotattn/nested.hpp"
#include "numerics/quadrature.hpp"

#include <cmath>
#include <cstdio>
#include <vector>

using namespace atp;
using namespace atp::dotattn;

namespace {

// E(w) = number of patterns with w . x < 0; M = 0 (w > 0), w^2 / 2 V, 1 (w < -sqrt(2 V)).
class Perceptron : public NestedAverages {
 public:
  Perceptron(int64_t panels, int64_t outer) : panels_(panels), outer_(outer) {
    Arena measure;
    lay_out(measure);
    memory_.resize(measure.bytes() / sizeof(double) + 16);
    const auto begin = (reinterpret_cast<std::uintptr_t>(memory_.data()) + 63) / 64 * 64;
    Arena arena(reinterpret_cast<void *>(begin), measure.bytes());
    lay_out(arena);
    gauss_legendre(Span<double>(nodes_, kOrder), Span<double>(weights_, kOrder));
  }
  BrokenMeans means(const BrokenOrder &order) override {
    const double edge = -std::sqrt(2 * order.v), reach = 8;
    const double cuts[4] = {-std::fmax(reach, 1 - edge), edge, 0, reach};
    points_.lines = 1;
    points_.points = 3 * panels_ * kOrder;
    int64_t at = 0;
    for (int piece = 0; piece < 3; ++piece) {
      const double width = (cuts[piece + 1] - cuts[piece]) / static_cast<double>(panels_);
      for (int64_t panel = 0; panel < panels_; ++panel)
        for (int k = 0; k < kOrder; ++k, ++at) {
          const double w = cuts[piece] + width * (static_cast<double>(panel) + 0.5 + 0.5 * nodes_[k]);
          points_.along[at] = w;
          points_.length[at] = 0.5 * width * weights_[k];
          points_.energy[at] = piece == 0 ? 1 : piece == 1 ? w * w / (2 * order.v) : 0;
          points_.g_along[at] = piece == 1 ? -w / order.v : 0;
        }
    }
    const NestedSums sums = nested_sums(points_, {std::sqrt(order.q0), std::sqrt(order.gap), order.mu}, scratch_);
    return {sums.free, sums.energy, sums.square, sums.mean_square, 0, 0, sums.noise};
  }

 private:
  static constexpr int kOrder = 4;
  void lay_out(Arena &arena) {
    points_.lay_out(arena, 1, 3 * panels_ * kOrder);
    scratch_.outer = outer_;
    scratch_.lay_out(arena, 1, outer_);
  }
  int64_t panels_, outer_;
  std::vector<double> memory_;
  NestedPoints points_{};
  NestedScratch scratch_;
  double nodes_[kOrder], weights_[kOrder];
};

}  // namespace

int main() {
  for (double alpha : {2.1, 2.5, 3.0, 4.0, 6.0, 10.0}) {
    // RS
    auto f = [&](double a) { const double x = a; return 0.5 * std::erf(x / std::sqrt(2)) - x * std::exp(-x * x / 2) / std::sqrt(2 * M_PI) - 1 / alpha; };
    double lo = 0, hi = 30;
    for (int k = 0; k < 200; ++k) { double mid = 0.5 * (lo + hi); (f(mid) < 0 ? lo : hi) = mid; }
    const double rs = alpha * 0.5 * std::erfc(lo / std::sqrt(2));
    for (int64_t fine : {1, 2}) {
      Perceptron p(80 * fine, 100 * fine + 1);
      BrokenProblem problem{alpha, 1, 0, true, Overlap::none};
      BrokenOrder start{0.9, 0.1, 0.7 * lo * lo / 2, 0, 0, 1.0};
      BrokenSolution s = solve_broken(p, problem, start, true);
      std::printf("hold: alpha %g rs %.6f V %.5f  gap %.5f v %.5f mu %.4f e %.6f res %.2e n %d %d\n", alpha, rs, lo*lo/2, s.order.gap, s.order.v, s.order.mu, s.energy, s.residual, (int)s.applications, s.converged);
      s = solve_broken(p, problem, s.order, false);
      std::printf("free: alpha %g rs %.6f gap %.5f v %.5f mu %.4f e %.7f e/alpha %.7f res %.2e n %d %d\n", alpha, rs, s.order.gap, s.order.v, s.order.mu, s.energy, s.energy / alpha, s.residual, (int)s.applications, s.converged);
    }
  }
}
