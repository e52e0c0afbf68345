// SPDX-License-Identifier: MIT
// Learning curves of linear students under a convex loss, by proximal operators and quadratures. docs/theory.md derives them.
//
// Inputs x in R^p of the given spectrum, teacher field nu = w* . x, alpha p samples (x, y):
//     square, Huber:  y = nu + noise                                logistic:  y = +-1, P(y | nu) = 1 / (1 + exp(-y nu)); no noise
// Logistic with `cavity`: y = +-1 with a probability of a half each, and given y inputs are N(y S w* / 2, S), with the same P(y | nu).
// Student: argmin_w sum_mu loss(y_mu, w . x_mu) + (lambda p / 2) |w|^2. Source: B. Loureiro et al., NeurIPS 2021, arXiv:2102.08127.
#pragma once

#include "base/span.hpp"
#include "theory/replica/convex_loss.hpp"
#include "theory/replica/saddle_solver.hpp"

namespace atp::replica {

inline constexpr double kConvexTolerance = 1e-12;      // of the residual: largest change of log V^, q^, m^ in one more iteration
inline constexpr double kQuadratureTolerance = 1e-10;  // of the test loss, relative

// Doubles of work space for the two functions below.
int64_t convex_workspace();

// One row in units that can be compared: twice the loss for square (the mean squared error) and Huber, -log p
// in nats for logistic, where rho is w* . S w*.
Row solve_convex(const Spectrum &spectrum, const ConvexLoss &loss, double alpha, double lambda, int64_t max_iter, Span<double> workspace);

// The same loss of the teacher, w = w*.
double optimal_convex(const Spectrum &spectrum, const ConvexLoss &loss, Span<double> workspace);

}  // namespace atp::replica
