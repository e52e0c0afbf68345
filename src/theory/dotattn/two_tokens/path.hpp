// SPDX-License-Identifier: MIT
// Losses of a solution, the solution on finer levels of the quadrature, and a branch on a fixed grid of alphas. A solution at any alpha is
// found from the place of the grid before it, and is therefore the same in every list of alphas.
#pragma once

#include "base/arena.hpp"
#include "theory/dotattn/two_tokens/branch.hpp"

namespace atp::dotattn {

// (alpha rho / 2) E |softmax(x x^T) - T|^2 + lambda q / (2 sigma^2), and (rho / 2) E |softmax(w w^T) - T|^2.
double training_loss(const Problem &problem, const Solution &solution);
double test_loss(const Problem &problem, const Solution &solution);

// Solves again on finer and finer levels, from the level of `at`, until the solution changes by at most `accuracy` relatively. *level
// receives the last level, *error the last change of q, V, the order parameter and the losses, and no less than the residual before it.
// Returns Found::lost if the levels end first. Levels without a solution are left out.
Found refine(Solver &solver, Kind kind, double accuracy, Solution &at, int *level, double *error);

// The grid has two places an octave, alpha = 2^(k/2). The search begins at a place where the branch is easy to find and goes outwards, each
// solution starting from that of the place before; where this fails the branch is searched there without a start. Places are solved once.
// The iterations of a row count every evaluation of the equations that its solution needs, those shared with other rows included.
class Path {
  static constexpr int kLast = 41, kPlaces = 2 * kLast + 1;  // alpha = 1e6 lies between 39 and 40

 public:
  struct Place {
    Solution solution;
    Found found = Found::ended;
    int64_t cost = 0;  // evaluations of the equations at this place alone
    int64_t row = 0;   // the last row whose iterations include them
    bool known = false;
    bool fresh = false;   // solved without the place before it
    bool looked = false;  // the uninformed solution there was tried as a start
  };
  static Span<Place> take(Arena &arena) { return arena.take<Place>(kPlaces); }

  // `flat`: the path of the uninformed solution, from which solutions without a start begin; nullptr for that path itself.
  Path(Solver &solver, Kind kind, Arena &arena, Path *flat);
  // Begins a row, whose iterations are 0.
  void begin_row() { ++row_; }
  // Gives the solution at alpha, 1e-6..1e6, on the level in use. `ended`: the branch does not reach alpha; `diverged`: V grows without
  // bounds on the way.
  Found at(double alpha, Solution &out);

 private:
  Place &place(int k) { return places_[k + kLast]; }
  bool solved(int k) { return place(k).known && place(k).found == Found::yes; }
  Found reach(int k);
  Found find_first();
  Found make(int k, int before);
  Found fresh(int k, Place &out);
  Found follow(const Solution &from, double alpha, Solution &out);
  Found count_for_row(Place &place, int k);

  Solver &solver_;
  Kind kind_;
  Path *flat_;
  Span<Place> places_;
  Place first_place_;  // evaluations of the search for the first place
  int first_ = 0, tried_ = 0;
  bool has_first_ = false;
  int64_t row_ = 0;
};

}  // namespace atp::dotattn
