// SPDX-License-Identifier: MIT
// A branch on a fixed grid of alphas, its rows at many alphas, to an accuracy that is asked for, and the transition between branches.
#pragma once

#include "base/arena.hpp"
#include "base/progress.hpp"
#include "theory/dotattn/two_tokens/branch.hpp"
#include "theory/dotattn/two_tokens/broken_branch.hpp"
#include "theory/dotattn/two_tokens/solver.hpp"

namespace atp::dotattn {

// --- losses of a solution, the solution on finer levels of the quadrature, and the grid ---
//
// A solution at any alpha is found from the place of the grid before it, and is therefore the same in every list of alphas.

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
  // Of the places that at() has solved, the last one on the way to alpha; nullptr where there is none.
  const Solution *last_towards(double alpha);

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

// --- rows ---

// Its members are the columns of atp_dotattn_column, in their order.
struct Row {
  double branch = 0, omega = 0, alpha = 0, q = 0, m = 0, v = 0, theta = 0;
  double eg = 0, et = 0, eg_linear = 0;
  double iterations = 0, residual = 0, outcome = ATP_OUTCOME_NONE, quadrature = 0;
  double q_hat = 0, m_hat = 0, v_hat = 0, theta_hat = 0;
  double replicon = 0, jumps = 0;
  double et_broken = 0, eg_broken = 0, q1 = 0, q0 = 0, v_broken = 0, m_broken = 0, theta_broken = 0, mu = 0;
  double error_broken = 0, outcome_broken = ATP_OUTCOME_NONE;
};
static_assert(sizeof(Row) == ATP_DOTATTN_COLUMNS * sizeof(double));

struct CurveRequest {
  Problem problem;
  Kind kind;
  const double *alphas;
  int64_t n;
  double accuracy;
  int64_t max_iter;       // applications of the equations for each row
  bool breaking = false;  // also one step of replica symmetry breaking
  bool follow = false;    // this one also where the branch has ended without it
};

// Bytes that curve() of n alphas takes of the context, and transition() with n = 0.
std::size_t scratch_bytes(const Context &context, int64_t n, bool breaking = false);

// Writes rows [n]; CONVERGED where all rows are.
atp_outcome curve(Context &context, const CurveRequest &request, Reporter &reporter, double *rows);

// --- the transition ---
//
// The alpha above which the semantic branch has a smaller training loss than the positional one (the smaller one is the global minimum
// under replica symmetry), and the alphas at which the branches begin and end.

// Its members are the columns of atp_dotattn_transition_column, in their order.
struct TransitionRow {
  double omega = 0, alpha_c = 0, alpha_linear = 0, alpha_semantic = 0, alpha_positional = 0, alpha_positional_end = 0;
  double error_c = 0, error_linear = 0, eg_linear = 0, et = 0, iterations = 0, outcome = ATP_OUTCOME_NONE;
};
static_assert(sizeof(TransitionRow) == ATP_DOTATTN_TRANSITION_COLUMNS * sizeof(double));

struct TransitionRequest {
  Problem problem;  // omega comes from the list
  const double *omegas;
  int64_t n;
  double accuracy;
  int64_t max_iter;
};

atp_outcome transition(Context &context, const TransitionRequest &request, Reporter &reporter, double *rows);

}  // namespace atp::dotattn
