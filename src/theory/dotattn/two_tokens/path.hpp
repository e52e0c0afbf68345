// SPDX-License-Identifier: MIT
// A branch on a grid of alphas that does not depend on which alphas are asked for: a solution between two points of the grid is found from
// the one before it, and is the same in every list of alphas.
#pragma once

#include "base/arena.hpp"
#include "theory/dotattn/two_tokens/branch.hpp"

namespace atp::dotattn {

// Losses of a solution, and the same solution on finer levels of the quadrature.

// (alpha rho / 2) E |softmax(x x^T) - T|^2 + lambda q / (2 sigma^2), and (rho / 2) E |softmax(w w^T) - T|^2.
double training_loss(const Problem &problem, const Solution &solution);
double test_loss(const Problem &problem, const Solution &solution);

// Solves again on finer and finer levels, from the level of `at`, until the solution changes by at most `accuracy` relatively. *level
// receives the last level, *error the last change of q, V, the order parameter and the losses, and no less than the residual before it.
// Returns Found::lost if the levels end first. Levels without a solution are left out.
Found refine(Solver &solver, Kind kind, double accuracy, Solution &at, int *level, double *error);

// The grid has two places an octave, alpha = 2^(k/2). Places are found outwards from a first one, the home; a place that cannot be reached
// from the one before it is looked for afresh. They are kept once they are known. A row is charged for all applications of the equations
// that it needs, whichever row made them.
class Path {
  static constexpr int kLast = 41, kPlaces = 2 * kLast + 1;  // alpha = 1e6 lies between 39 and 40

 public:
  struct Place {
    Solution solution;
    Found found = Found::ended;
    int64_t cost = 0;  // applications that it took, without those of other places
    int64_t row = 0;   // the last row that was charged
    bool known = false;
    bool fresh = false;   // found without the place before it
    bool looked = false;  // at the uninformed solution there
  };
  static Span<Place> take(Arena &arena) { return arena.take<Place>(kPlaces); }

  // `flat`: the path of the uninformed solution; nullptr for that one itself.
  Path(Solver &solver, Kind kind, Arena &arena, Path *flat);
  // A new row: nothing is charged to it yet.
  void begin_row() { ++row_; }
  // The solution at alpha, 1e-6..1e6, on the level in use. `ended`: the branch is not there; `diverged`: V grows without bounds on the way.
  Found at(double alpha, Solution &out);

 private:
  Place &place(int k) { return places_[k + kLast]; }
  bool stands(int k) { return place(k).known && place(k).found == Found::yes; }
  Found reach(int k);
  Found reach_home();
  Found make(int k, int before);
  Found fresh(int k, Place &out);
  Found follow(const Solution &from, double alpha, Solution &out);
  Found charge(Place &place, int k);

  Solver &solver_;
  Kind kind_;
  Path *flat_;
  Span<Place> places_;
  Place home_place_;  // what the search for it cost
  int home_ = 0, tried_ = 0;
  bool has_home_ = false;
  int64_t row_ = 0;
};

}  // namespace atp::dotattn
