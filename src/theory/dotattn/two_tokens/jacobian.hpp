// SPDX-License-Identifier: MIT
// The Jacobian of up to five equations in as many unknowns, with Broyden's updates.
#pragma once

namespace atp::dotattn {

class Jacobian {
 public:
  static constexpr int kMost = 5;

  explicit Jacobian(int n) : n_(n) {}
  // Column c from a difference: residuals before and after unknown c moved by h.
  void set_column(int c, const double *before, const double *after, double h);
  // x = J^-1 b; false where J is singular.
  bool solve(const double *b, double *x) const;
  // Broyden's update: the smallest change that explains the residuals before and after a step.
  void update(const double *step, const double *before, const double *after);

 private:
  int n_;
  double a_[kMost][kMost] = {};
};

}  // namespace atp::dotattn
