// SPDX-License-Identifier: MIT
// Tied rank-one dot-product attention on two Gaussian tokens: what is given, and the order parameters. docs/theory.md derives the rest.
#pragma once

#include <attopotts/dotattn.h>

#include <cmath>

namespace atp::dotattn {

// Teacher T = (1 - omega) softmax(h h^T) + omega A, tokens of variance sigma^2 per component, penalty (lambda / 2) |Q|^2.
struct Problem {
  double omega = 0, sigma = 1, lambda = 0;
  double map[4] = {0.6, 0.4, 0.4, 0.6};  // A, rows first

  double rho() const { return sigma * sigma; }
  // Rows of softmax sum to one. What a row of A has beyond, delta, only shifts the target: (s - t)^2 + (1 - s - T_12)^2 =
  // 2 (s - t + delta / 2)^2 + delta^2 / 2. Here are the first column of the A that counts, and the constant.
  double first() const { return 0.5 * (map[0] + 1 - map[1]); }
  double second() const { return 0.5 * (map[2] + 1 - map[3]); }
  double excess() const {
    const double a = map[0] + map[1] - 1, b = map[2] + map[3] - 1;
    return 0.5 * omega * omega * (a * a + b * b);
  }
};

struct Order {
  double q, m, theta, v;
};

struct Hats {
  double q, m, theta, v;
};

// First column of softmax(h h^T), h = (h1, h2).
struct Column {
  double first, second;
};

inline double sigmoid(double a) { return a < 0 ? std::exp(a) / (1 + std::exp(a)) : 1 / (1 + std::exp(-a)); }

inline Column softmax_column(double h1, double h2) {
  const double d = h1 - h2;
  return {sigmoid(h1 * d), sigmoid(h2 * d)};
}

// Computes Y^ = W x, W = E T = omega A + (1 - omega) E softmax(h h^T), and its generalisation loss (rho / 2) E |T - W|_F^2. Neither depends
// on alpha, because n ~ d samples determine the four numbers of W without error. The averages are trapezoidal sums over h in polar
// coordinates; the number of points is doubled until they no longer change. `map` may be null.
double linear_baseline(const Problem &problem, double *map);

}  // namespace atp::dotattn
