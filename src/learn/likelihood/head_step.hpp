// SPDX-License-Identifier: MIT
// Scaled steps of factored attention: of couplings J_ij(a, b) = sum_h (A_h,ij V_h(a, b) + A_h,ji V_h(b, a)) / 2.
//
// J is a product, and its derivative by A is as large as V, and the other way round: a head that is small hardly moves, one that is large
// moves too far, and heads that resemble each other move together. A step of couplings does not know of heads. With E the objective,
// quadratic in J with the curvature c, the step of A at fixed V and then that of V at fixed A are those for which dJ is closest to the step
// of free couplings, -(rate / c) dE/dJ. With S = A + A^T, T = A - A^T for i < j, and V = X + Y, X symmetric, Y antisymmetric,
//
//     J_ij = sum_h (S_h,ij X_h + T_h,ij Y_h) / 2,
//     dS_ij = -4 (rate / c) (K + damping)^-1 dE/dS_ij,                      K_hk = <X_h, X_k>,
//     dX    = -4 (rate / c) (M + damping)^-1 (dE/dX + (c / rate) C X / 2),  M_hk = sum_ij S_h,ij S_k,ij,  C_hk = sum_ij S_h,ij dS_k,ij,
//
// and the same with T and Y. C takes from dX what dS has done already. Both matrices are those of H heads for all pairs and all colours.
// Where dE = 0 nothing moves. Source: T. Tong, C. Ma, Y. Chi, JMLR 22, 150 (2021); with damping X. Xu, Y. Shen, Y. Chi, C. Ma, ICML 2023.
#pragma once

#include "learn/likelihood/couplings.hpp"
#include "learn/likelihood/statistics.hpp"

#include <attopotts/trainer.h>

namespace atp {

// Of a step, of the driver: the point of the parameters, the slope p - f there, and a gradient of the parameters.
struct HeadSpace {
  Span<double> point, slope, gradient;
};

class HeadStep {
 public:
  explicit HeadStep(CouplingParameters &couplings) : couplings_(couplings), shape_(couplings.heads()) {}
  bool possible() const { return shape_.heads > 0; }
  void lay_out(Arena &arena);
  // Moves parameters along the slope. The point becomes theirs; slope and gradient are overwritten.
  void step(const Statistics &statistics, double rate, atp_fixed fixed, Span<double> x, const HeadSpace &space, Threads threads);
  // Multiplies the couplings of parameters, at the same centred fields. The point is overwritten.
  void stretch(const Statistics &statistics, double factor, Span<double> x, Span<double> point, Threads threads) const;

 private:
  // Of S and X, then of T and Y.
  struct Kind {
    Span<double> values, steps;  // [H][q][q]: X or Y, and what they move by
    Span<double> matrix, cross;  // [H][H]
  };
  void move(double size, Span<double> x, Span<double> gradient, Threads threads);
  void split(double factor, double *maps, Threads threads) const;
  void split_values(const double *values);
  void solve_maps(double size, double *gradient, Threads threads);
  void solve_values(double size, const double *maps, const double *moved, const double *gradient, Threads threads);
  void sum_products(int kind, const double *a, const double *b, Span<double> sums, Threads threads) const;
  bool factor(Span<double> matrix) const;

  CouplingParameters &couplings_;
  const HeadShape shape_;
  Kind kinds_[2];
  Span<double> fields_;  // [L][q], centred
};

}  // namespace atp
