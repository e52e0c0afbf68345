// SPDX-License-Identifier: MIT
// The transition at one omega: two branches, where they begin and end, and where their losses cross.
#pragma once

#include "math/search.hpp"
#include "theory/dotattn/two_tokens/transition.hpp"

namespace atp::dotattn {

class Search {
 public:
  Search(Solver &solver, double eg_linear)
      : solver_(solver), eg_linear_(eg_linear), semantic_(solver, Kind::semantic), positional_(solver, Kind::positional) {}

  Found run(double accuracy, TransitionRow &row);

 private:
  // A function of alpha, the branches that it needs, and how to get them there.
  enum class Gap { training, semantic, positional };
  bool needs(Gap gap, Kind kind) const;
  bool move(Gap gap, double alpha);
  double value(Gap gap) const;

  bool at(Branch &branch, double alpha, Solution &out);
  double edge(Branch &branch, Kind kind, double alpha);
  bool solve_at(Gap gap, double log_alpha);
  double secant(Gap gap, double x);
  double root(Gap gap, const SignChange &at);
  double polish(Gap gap, double alpha, double accuracy, double *error);

  bool cross(double accuracy, double start, TransitionRow &row);
  void beat_linear_positional(double accuracy, TransitionRow &row);
  void beat_linear_semantic(double accuracy, double start, TransitionRow &row);

  Solver &solver_;
  double eg_linear_;
  Branch semantic_, positional_;
  Solution s_, p_;
  Found trouble_ = Found::yes;  // the first that a branch got into
};

}  // namespace atp::dotattn
