// SPDX-License-Identifier: MIT
// Compensated sums: the rounding errors of a sum are accumulated separately. Source: A. Neumaier, Z. Angew.
// Math. Mech. 54, 39 (1974); the branch-free step is D. Knuth's TwoSum.
#pragma once

namespace atp {

// sum + error += x.
inline void add_compensated(double &sum, double &error, double x) {
  const double next = sum + x, part = next - sum;
  error += (sum - (next - part)) + (x - part);
  sum = next;
}

class CompensatedSum {
 public:
  void add(double x) { add_compensated(sum_, error_, x); }
  double value() const { return sum_ + error_; }

 private:
  double sum_ = 0, error_ = 0;
};

}  // namespace atp
