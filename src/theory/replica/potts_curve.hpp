// SPDX-License-Identifier: MIT
// Learning curves of q-colour pseudo-likelihood with known V: a conditional logit. docs/theory.md, section 15 derives them.
//
// Inputs x_c in R^p, c = 1..d, independent, each of the given spectrum; teacher fields nu_c = w* . x_c, labels y ~ softmax(R nu); alpha p
// samples. Student: argmin_w sum_mu -log softmax(R u_mu)[y_mu] + (lambda p / 2) |w|^2, u_c = w . x_c.
#pragma once

#include "theory/replica/potts_fields.hpp"
#include "theory/replica/saddle_solver.hpp"

#include <cmath>

namespace atp::replica {

// The points of averages over nu and over what the student's fields have beyond it.
struct FieldPoints {
  static int64_t dimensions(const FieldBasis &basis) { return 2 * basis.rank + 1; }
  // Up to so many colours, all labels count with their probabilities. Of more colours so many labels are drawn, at equal distances of the
  // summed probabilities.
  static constexpr int64_t kMostLabels = 5;
  static int64_t labels(const FieldBasis &basis) { return basis.colors < kMostLabels ? basis.colors : kMostLabels; }
  static bool draws(const FieldBasis &basis) { return basis.colors > kMostLabels; }

  int64_t count = 0;
  Span<double> normals;        // [count][dimensions()]: for nu, for the rest of u, for the label
  Span<double> weights;        // [count]
  Span<double> probabilities;  // [count][q]: of labels
  Span<double> starts;         // [count][labels()][q]: the last proximal points
};

// Sets normals and weights for a shift: a lattice, or for d = 1 a grid of equal spacing in both normal numbers.
void place_points(const FieldBasis &basis, int64_t multiplier, uint64_t seed, int64_t shift, FieldPoints &points);

// The alpha and the penalty of a row, and how it is solved.
struct PottsRow {
  double alpha, lambda;
  int64_t max_iter;
  bool cavity;
};
// One row from one shift. The points' normals and weights are given; `work` has PottsSample::workspace() + 4 q doubles. `optimum` becomes
// the loss of the teacher.
Row solve_potts(const Spectrum &spectrum, const FieldBasis &basis, FieldPoints &points, const PottsRow &at, Span<double> work,
                double &optimum);

// The problem that a curve belongs to.
struct PottsProblem {
  Spectrum spectrum;
  const double *covariance;  // K [q][q]
  int64_t colors;
  double lambda;
  int64_t max_iter, points, shifts;
  uint64_t seed;
  bool cavity;  // fields are normal given the label: nu ~ N(rho R^T e_y, rho), P(y) ~ exp(rho |R^T e_y|^2 / 2)
};

// Rows are means over shifts; `quadrature` is the larger of the relative standard errors of e_g and e_t.
class PottsCurve final : public LearningCurve {
 public:
  PottsCurve(Context &context, const PottsProblem &problem) : LearningCurve(context, problem.lambda), problem_(problem) {}
  // The bytes that fill() takes from the context for n alphas. Reads the numbers of the problem and no array.
  static std::size_t bytes(const Context &context, const PottsProblem &problem, int64_t n);
  atp_outcome fill(const double *alphas, int64_t n, Reporter &reporter, double *rows) override;
  double loss_without_samples(double) const override { return std::log(static_cast<double>(problem_.colors)); }

 private:
  PottsProblem problem_;
};

}  // namespace atp::replica
