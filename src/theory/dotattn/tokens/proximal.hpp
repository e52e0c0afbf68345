// SPDX-License-Identifier: MIT
// The proximal operator of the state evolution for any number of tokens:
//     x = argmin 1/2 sum_la (x_la - w_la)^2 / V_a + rho/2 |softmax(x x^T) - T|_F^2   over x [L][rank].
// For two tokens and rank one, theory needs millions of minima; simd/two_tokens.hpp computes those on vectors.
#pragma once

#include "theory/dotattn/task.hpp"

namespace atp::dotattn {

struct Proximal {
  int64_t tokens, rank;
  double rho;
  const double *v;  // [rank]
  const double *w;  // [L][rank]
  const double *t;  // [L][L]

  int64_t unknowns() const { return tokens * rank; }
  double value(const double *x) const;
  // The value, its gradient [n] and Hessian [n][n].
  double derivatives(const double *x, double *gradient, double *hessian) const;
  // From x to a local minimum in x. Gives the value there.
  double descend(double *x) const;
  // The lowest minimum found from several starts: x on entry (from the last iteration) and w. With `all` also w with the sign of each
  // token changed, w / 4 and 2 w.
  double minimise(double *x, bool all) const;

 private:
  void add_row(int64_t a, const double *x, const double *s, double *misfit, double *g, double *hessian) const;
};

}  // namespace atp::dotattn
