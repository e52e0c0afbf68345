// SPDX-License-Identifier: MIT
// Fields z of q colours and the loss -log softmax(z)[y] of one sample: covariance, proximal operator, and what averages need of it.
// docs/theory.md, section 15.
#pragma once

#include "base/span.hpp"

#include <cmath>
#include <cstdint>

namespace atp::replica {

inline constexpr int64_t kMostColors = 255;

// Fields z = R u, where u in R^d has the covariance |w|^2 1. R R^T is the given covariance K of the fields without what adds the same
// number to all colours, which softmax does not see: d <= q - 1.
struct FieldBasis {
  int64_t colors = 0, rank = 0;
  double common = 0;              // the eigenvalue of R R^T where q - 1 of them are the same; else 0
  Span<const double> directions;  // R [q][d]

  // z = R u; u = R^T g; |R^T e_a|^2.
  void fields(const double *u, double *z) const;
  void project(const double *g, double *u) const;
  double square(int64_t a) const;
};

// The part of a Newton step that is taken, of a step that moves fields apart by `range` at most. Steps of range <= 1 and steps that do not
// reduce the objective are shortened to log(1 + range): the third derivative of the loss along a direction is at most its range times the
// second, so that these always reduce it (F. Bach, Electron. J. Stat. 4, 384 (2010)).
inline constexpr double kLastRange = 1e-7;  // one more step squares the error
template <class Objective>
double share_of_step(double range, Objective &&objective) {
  if (range <= kLastRange) return 1;
  const double safe = std::log1p(range) / range;
  if (range <= 1) return safe;
  const double before = objective(0);
  for (double share = 1; share > safe; share /= 4)
    if (objective(share) < before) return share;
  return safe;
}

// `work` has basis_workspace() doubles and holds R. Throws ATP_E_VALUE where the covariance [q][q] has a negative eigenvalue, or R is 0.
int64_t basis_workspace(int64_t colors);
FieldBasis field_basis(const double *covariance, int64_t colors, Span<double> work);

// p = softmax(z), and -log p, which keeps its digits where one probability is close to 1.
struct Softmax {
  Softmax(const double *z, int64_t colors, double *p);
  // -log p[label]
  double loss(const double *z, int64_t label) const { return label == top ? log_sum : z[top] - z[label] + log_sum; }
  int64_t top = 0;     // the colour of the largest z
  double log_sum = 0;  // -log p[top]
};

// The proximal operator on one sample.
class PottsSample {
 public:
  static int64_t workspace(const FieldBasis &basis);  // doubles
  PottsSample(const FieldBasis &basis, Span<double> work);

  struct Response {
    double loss = 0;       // at the proximal point
    double stiffness = 0;  // -tr df/domega
  };
  // u = argmin -log softmax(R u)[label] + |u - omega|^2 / (2 v), by Newton's method from z = `start` [q] (where all eigenvalues are the
  // same) or from u = `start` [d]; the proximal point takes its place. NaN where it does not converge.
  Response respond(const double *omega, int64_t label, double v, double *start);
  // f = (u - omega) / v of the last respond(), [d].
  const double *force() const { return force_.data(); }

 private:
  double common_step(double c, int64_t label, double *z);
  double general_step(double v, const double *omega, int64_t label, double *u);
  double common_stiffness(double c, const Softmax &softmax) const;
  double general_stiffness(double v);
  // e_label - p, where p[label] close to 1 loses no digits.
  void residual(int64_t label);
  void curvature(double v);
  bool factorise();
  void forward(int64_t first, double *x) const;
  void backward(double *x) const;

  FieldBasis basis_;
  // [q]: p, e_label - p, center, z; [d]: force, right side, step; [d][d]: v R^T (diag p - p p^T) R, its factor
  Span<double> p_, residual_, center_, z_, force_, right_, step_, matrix_, factor_;
};

}  // namespace atp::replica
