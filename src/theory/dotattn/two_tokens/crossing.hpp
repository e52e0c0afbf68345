// SPDX-License-Identifier: MIT
// Zeros of functions of alpha that are known through solutions, which move along with it.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace atp::dotattn {

inline constexpr double kRoot = 1e-8;  // of log alpha
inline constexpr int kRootSteps = 60;  // ten are usual

struct Bracket {
  double a, fa, b, fb;  // alphas and values of different signs
};

// The alpha of a zero: `move(alpha)` brings the solutions there, false where that fails (NaN then), and `value()` is the function.
template <class Move, class Value>
double find_crossing(Bracket in, Move &&move, Value &&value) {
  double x = std::log(in.a), y = std::log(in.b), fa = in.fa, fb = in.fb;
  bool kept = false;
  for (int step = 0; step < kRootSteps && std::fabs(y - x) > kRoot; ++step) {
    // Illinois: regula falsi with the weight of an end that stays halved.
    double z = y - fb * (y - x) / (fb - fa);
    if (!(z > std::min(x, y) && z < std::max(x, y))) z = 0.5 * (x + y);
    if (!move(std::exp(z))) return std::numeric_limits<double>::quiet_NaN();
    const double fz = value();
    if (std::fabs(fz) == 0) return std::exp(z);
    if ((fz > 0) == (fb > 0)) {
      if (kept) fa *= 0.5;
      kept = true;
    } else {
      x = y;
      fa = fb;
      kept = false;
    }
    const bool close = std::fabs(z - y) < kRoot;
    y = z;
    fb = fz;
    if (close) break;
  }
  return std::exp(y);
}

}  // namespace atp::dotattn
