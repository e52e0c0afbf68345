// SPDX-License-Identifier: MIT
// Convex losses of a linear student and their proximal operators.
#pragma once

#include <cstdint>

namespace atp::replica {

enum class LossKind : int32_t { square = 0, huber = 1, logistic = 2 };

// The effect of the proximal operator on one sample: the loss after it, f = (proximal - omega) / v, and
// -df/domega (0 beyond Huber's kinks).
struct ConvexResponse {
  double loss, f, stiffness;
};

// With r = y - z:  square r^2 / 2;  Huber r^2 / 2 where |r| <= delta, else delta |r| - delta^2 / 2;  logistic log(1 + exp(-y z)), y = +-1.
struct ConvexLoss {
  LossKind kind = LossKind::square;
  double delta = 1;     // only for Huber
  bool cavity = false;  // only for logistic: inputs are normal given the label, around y S w* / 2

  bool classifies() const { return kind == LossKind::logistic; }
  double value(double y, double z) const;
  // argmin_z loss(y, z) + (z - omega)^2 / (2 v), v >= 0.
  double proximal(double y, double omega, double v) const;
  ConvexResponse response(double y, double omega, double v) const;
};

// 1 / (1 + exp(-x)) and log(1 + exp(x)), for any x.
double sigmoid(double x);
double softplus(double x);

}  // namespace atp::replica
