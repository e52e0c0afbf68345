// SPDX-License-Identifier: MIT
// Ordinary differential equations of a few unknowns, without stiffness: the pair of orders 5 and 4 of Dormand and Prince, with steps that
// keep the estimated error. Source: J. Dormand, P. Prince, J. Comput. Appl. Math. 6, 19 (1980).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace atp {

// dx/dt = f(x) of at most kMost unknowns; f does not depend on t.
class RungeKutta {
 public:
  static constexpr int64_t kMost = 32;
  // A step may have an error of tolerance (|x_i| + smallest) in each unknown.
  RungeKutta(int64_t unknowns, double tolerance, double smallest) : n_(unknowns), tolerance_(tolerance), smallest_(smallest) {}

  int64_t steps() const { return steps_; }  // so far, rejected ones included

  // Moves x on by `time`; slope(x, dx) is f. Returns false if x or f is not finite, if a step gets too short, or if stop() returns true.
  template <class Slope, class Stop>
  bool advance(double time, double *x, Slope &&slope, Stop &&stop) {
    double done = 0, k[kStages][kMost], next[kMost];
    if (time <= 0) return true;
    slope(static_cast<const double *>(x), k[0]);
    if (!(step_ > 0)) step_ = first_step(x, k[0]);
    while (done < time) {
      if (stop()) return false;
      const bool last = step_ >= time - done;
      const double h = last ? time - done : step_;
      if (!(h > 1e-14 * time) && !last) return false;
      const double error = attempt(h, x, k, next, slope);
      ++steps_;
      if (error <= 1) {
        done = last ? time : done + h;
        std::copy(next, next + n_, x);
        std::copy(k[kStages - 1], k[kStages - 1] + n_, k[0]);  // the last stage is the first of the next step
      }
      const double factor = std::isfinite(error) ? std::fmin(5, std::fmax(0.2, 0.9 * std::pow(error, -0.2))) : 0.2;
      // A step that was cut at the end says nothing about longer ones.
      if (!last || factor < 1) step_ = h * factor;
    }
    return true;
  }

 private:
  static constexpr int kStages = 7;

  double first_step(const double *x, const double *slope) const {
    double rate = 0;
    for (int64_t i = 0; i < n_; ++i) rate = std::fmax(rate, std::fabs(slope[i]) / (std::fabs(x[i]) + smallest_));
    return rate > 0 ? std::pow(tolerance_, 0.2) / rate : HUGE_VAL;
  }

  // Makes a step of h from x to next, with k[0] the slope at x. Returns its error in units of the allowed one.
  template <class Slope>
  double attempt(double h, const double *x, double (*k)[kMost], double *next, Slope &&slope) const {
    static constexpr double kNodes[kStages][kStages - 1] = {{},
                                                            {1.0 / 5},
                                                            {3.0 / 40, 9.0 / 40},
                                                            {44.0 / 45, -56.0 / 15, 32.0 / 9},
                                                            {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
                                                            {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
                                                            {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
    static constexpr double kErrors[kStages] = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
    for (int s = 1; s < kStages; ++s) {
      for (int64_t i = 0; i < n_; ++i) {
        double sum = 0;
        for (int j = 0; j < s; ++j) sum += kNodes[s][j] * k[j][i];
        next[i] = x[i] + h * sum;
      }
      slope(static_cast<const double *>(next), k[s]);
    }
    double worst = 0;
    for (int64_t i = 0; i < n_; ++i) {
      double sum = 0;
      for (int s = 0; s < kStages; ++s) sum += kErrors[s] * k[s][i];
      const double error = std::fabs(h * sum) / (tolerance_ * (std::fmax(std::fabs(x[i]), std::fabs(next[i])) + smallest_));
      worst = std::isfinite(error) ? std::fmax(worst, error) : HUGE_VAL;
    }
    return worst;
  }

  int64_t n_, steps_ = 0;
  double tolerance_, smallest_, step_ = 0;
};

}  // namespace atp
