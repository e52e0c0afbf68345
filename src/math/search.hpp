// SPDX-License-Identifier: MIT
// Roots and minima of functions of one number. A function that cannot be computed somewhere returns NaN there, and the search ends.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace atp {

// Two places with a change between them.
template <class Number>
struct Bracket {
  Number low, high;
};

inline double middle_of(double low, double high) { return low / 2 + high / 2; }
inline int64_t middle_of(int64_t low, int64_t high) { return low + (high - low) / 2; }

// Halves a bracket, `is_low` being true at its low end and false at its high one, until done(bracket) or no number lies between the ends.
template <class Number, class IsLow, class Done>
Bracket<Number> bisect(Bracket<Number> in, IsLow &&is_low, Done &&done) {
  while (!done(in)) {
    const Number middle = middle_of(in.low, in.high);
    if (!(middle > in.low && middle < in.high)) break;
    (is_low(middle) ? in.low : in.high) = middle;
  }
  return in;
}

// Makes so many steps of bisect().
template <class IsLow>
Bracket<double> bisect_times(int steps, Bracket<double> in, IsLow &&is_low) {
  return bisect(in, is_low, [&steps](Bracket<double>) { return steps-- == 0; });
}

// A function and its derivative at a place.
struct ValueAndSlope {
  double value, slope;
};

struct NewtonRoot {
  double x = 0, value = 0, step = 0;  // the function at x, and the step from there that was not made
  int64_t evaluations = 0;
};

// Finds the root of a function that rises through a bracket, by Newton's method from x. A step that leaves the bracket halves it. The
// search ends where enough(x, step, next), or where a step that leaves the bracket is shorter than `rounding`.
template <class Function, class Enough>
NewtonRoot newton_in(Bracket<double> in, double x, int64_t most, double rounding, Function &&function, Enough &&enough) {
  NewtonRoot root;
  root.x = x;
  while (root.evaluations < most) {
    ++root.evaluations;
    const ValueAndSlope at = function(root.x);
    root.value = at.value;
    (at.value > 0 ? in.high : in.low) = root.x;
    root.step = -at.value / at.slope;
    double next = root.x + root.step;
    if (!(next > in.low && next < in.high)) {
      if (std::fabs(root.step) < rounding) break;
      next = (in.low + in.high) / 2;
    }
    if (enough(root.x, root.step, next) || next == root.x) break;
    root.x = next;
  }
  return root;
}

// Two places where a function has different signs.
struct SignChange {
  double x, at_x, y, at_y;
};

// The root between them to a distance of `width`, by regula falsi with the value of an end that stays halved (the Illinois method); NaN
// where the function cannot be computed. Source: M. Dowell, P. Jarratt, BIT 11, 168 (1971).
template <class Function>
double find_root(SignChange in, double width, int steps, Function &&function) {
  bool kept = false;
  for (int step = 0; step < steps && std::fabs(in.y - in.x) > width; ++step) {
    double z = in.y - in.at_y * (in.y - in.x) / (in.at_y - in.at_x);
    if (!(z > std::min(in.x, in.y) && z < std::max(in.x, in.y))) z = 0.5 * (in.x + in.y);
    const double at_z = function(z);
    if (std::isnan(at_z)) return at_z;
    if (std::fabs(at_z) == 0) return z;
    if ((at_z > 0) == (in.at_y > 0)) {
      if (kept) in.at_x *= 0.5;
      kept = true;
    } else {
      in.x = in.y;
      in.at_x = in.at_y;
      kept = false;
    }
    const bool close = std::fabs(z - in.y) < width;
    in.y = z;
    in.at_y = at_z;
    if (close) break;
  }
  return in.y;
}

struct SecantSteps {
  double first, longest, enough;  // lengths: of the first step, of the longest, of one after which the search ends
  int most;
};

// A root near x by the secant method. Where the function cannot be computed the last place is returned.
template <class Function>
double find_root_near(double x, const SecantSteps &steps, Function &&function) {
  double y = x + steps.first, at_y = function(y);
  if (std::isnan(at_y)) return x;
  for (int step = 0; step < steps.most; ++step) {
    const double at_x = function(x);
    if (std::isnan(at_x) || at_x == at_y) break;
    const double z = x - at_x * (x - y) / (at_x - at_y);
    y = x;
    at_y = at_x;
    x = std::max(x - steps.longest, std::min(x + steps.longest, z));
    if (std::fabs(x - y) < steps.enough) break;
  }
  return x;
}

// Finds the minimum of a function that has one in [a, b], to `width`, by the golden section.
template <class Function>
double find_minimum(double a, double b, double width, Function &&function) {
  const double part = (std::sqrt(5.0) - 1) / 2;
  double x = b - part * (b - a), y = a + part * (b - a), at_x = function(x), at_y = function(y);
  while (b - a > width) {
    if (at_x <= at_y) {
      b = y;
      y = x;
      at_y = at_x;
      at_x = function(x = b - part * (b - a));
    } else {
      a = x;
      x = y;
      at_x = at_y;
      at_y = function(y = a + part * (b - a));
    }
  }
  return (a + b) / 2;
}

}  // namespace atp
