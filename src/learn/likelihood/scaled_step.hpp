// SPDX-License-Identifier: MIT
// Steps of Boltzmann learning in centred and scaled variables. One-hot sequences have a mean, so that the Hessian in (h, J) has a few huge
// eigenvalues. With g = p - f the derivatives by the fields, G by the couplings, f the family's frequencies, v = f (1 - f):
//
//     h'_i(a) = h_i(a) + sum_j sum_b J_ij(a, b) f_j(b)
//     dJ_ij(a, b) = -rate (G_ij(a, b) - g_i(a) f_j(b) - f_i(a) g_j(b) + 2 l2 J_ij(a, b)) / (v_i(a) v_j(b) + eps),  eps = 0.05
//     dh'_i(a)    = -rate / 2 (g_i(a) + 2 l2 h_i(a)) / (v_i(a) + eps)
//
// Fields that are fixed are a gauge: with n neighbours, h_i(a) + d is the same distribution as J_ij(a, b) + d / n for all j and b.
// Couplings take over what fields would have moved by; of a site without couplings nothing does.
//
// A penalty l1 |J| then moves each coupling towards 0 by rate l1 / (v_i v_j + eps), and not past it. Source: J. Melchior, A. Fischer,
// L. Wiskott, JMLR 17, 99 (2016), on centred Boltzmann machines; the scale is the curvature at independent sites.
#pragma once

#include "learn/likelihood/statistics.hpp"

#include <attopotts/trainer.h>

namespace atp {

struct StepRules {
  double fields = 0, couplings = 0, l1 = 0;  // penalties
  atp_fixed fixed = ATP_FIXED_NONE;
  Span<const uint8_t> active;  // [pairs][q][q]: couplings that are 0 there do not move; empty: all move
};

class ScaledStep {
 public:
  static constexpr double kEpsilon = 0.05;

  explicit ScaledStep(const DenseShape &pairs) : pairs_(pairs) {}
  void lay_out(Arena &arena);
  // Moves a point along its slope p - f.
  void step(const Statistics &statistics, double rate, const StepRules &rules, Span<double> point, Span<const double> slope,
            Threads threads);

 private:
  void move_fields_to_couplings(Span<double> point, Threads threads);
  void step_row(int64_t i, const Statistics &statistics, double rate, const StepRules &rules, Span<double> point, Span<const double> slope);

  const DenseShape pairs_;
  Span<double> fields_;  // [L][q], before a step, then what they moved by per neighbour
  Span<double> shifts_;  // [pairs][2][q]: sum_b dJ_ij(a, b) f_j(b), then sum_a dJ_ij(a, b) f_i(a)
};

}  // namespace atp
