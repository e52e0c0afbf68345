// SPDX-License-Identifier: MIT
// The proximal operator of dot-product attention with two tokens: minima in x in R^2 of
//
//     F(x) = |x - w|^2 / V + rho |softmax(x x^T) - T|_F^2,    T = [[t1, 1 - t1], [t2, 1 - t2]], rows of softmax normalised.
//
// With D = x1 - x2 the first column of softmax(x x^T) is sigmoid(x1 D), sigmoid(x2 D), so that
// F = |x - w|^2 / V + 2 rho [(sigmoid(x1 D) - t1)^2 + (sigmoid(x2 D) - t2)^2].
#pragma once

#include "base/context.hpp"

namespace atp {

// n problems that share V and rho. x holds the starts on entry and the minima on return.
struct TwoTokenBatch {
  double inverse_v, rho;
  int64_t n;
  const double *w1, *w2, *t1, *t2;
  double *x1, *x2, *value;
};

inline constexpr int kTwoTokenSteps = 100;  // maximum number of Newton steps; a few are usual

struct TwoTokenKernels {
  // Newton's method from each start to a nearby minimum. The Hessian is made positive definite, and a step is
  // shortened if F does not fall. value receives F. Each problem stops by itself, so results do not depend on
  // its neighbours.
  void (*descend)(const TwoTokenBatch &batch);
  // value receives |softmax(x x^T) - T|_F^2. x is not changed; w and V are not read.
  void (*mismatch)(const TwoTokenBatch &batch);
};

extern const TwoTokenKernels two_token_scalar_kernels;
const TwoTokenKernels &two_token_kernels(Target target);

// Constants of the iteration, shared by the scalar reference and the vectors.
inline constexpr double kTwoTokenFloor = 1e-3;                                 // smallest eigenvalue of the Hessian used, in units of 2
                                                                               // / V
inline constexpr double kTwoTokenSlack = 1 + 4e-16;                            // F may grow by this factor
inline constexpr double kTwoTokenStep = 1e-7, kTwoTokenTiny = 1e-15;           // the last step is smaller: relative to |x1| + |x2|,
                                                                               // absolute
inline constexpr double kTwoTokenDamping = 0.25, kTwoTokenMostDamping = 1e10;  // first and largest damping, in units of 2 / V

}  // namespace atp
