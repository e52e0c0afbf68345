// SPDX-License-Identifier: MIT
// Fixed points of the state evolution for any number of tokens, of one shift of the lattice.
#pragma once

#include "base/running.hpp"
#include "theory/dotattn/tokens/token_equations.hpp"
#include "theory/dotattn/tokens/tokens.hpp"

namespace atp::dotattn {

struct TokenSolution {
  Overlaps overlaps;
  double eg, et, residual;
  int64_t iterations;
  atp_outcome outcome;
};

class TokenSolver {
 public:
  TokenSolver(const Evolution &evolution, const LatticePoints &points, const StopFlag &stop)
      : given_(evolution),
        task_(evolution.task),
        equations_(evolution.task, evolution.solution, points),
        stop_(stop),
        vector_{task_.rank, task_.code_columns} {}

  // Along the alphas: from the last solution, or, where that has lost what it is about, from the first guess.
  TokenSolution follow(double alpha, const TokenSolution *last);

 private:
  TokenSolution solve(double alpha, const Overlaps &start);
  double residual(const TokenSolution &at, const Overlaps &next, double *x, double *f, double *scale) const;
  Overlaps step(Mixing &mixing, const double *x, const double *f, const double *scale) const;
  Overlaps first_guess() const;
  bool settle(double alpha, Overlaps &overlaps, double *pull);
  Overlaps first_point(double alpha);
  bool lost(const Overlaps &overlaps) const;

  const Evolution &given_;
  const Task &task_;
  TokenEquations equations_;
  const StopFlag &stop_;
  OverlapVector vector_;
  int64_t used_ = 0;  // applications of the equations for this alpha
};

}  // namespace atp::dotattn
