// SPDX-License-Identifier: MIT
// The state evolution for any number of tokens: averages over the points of one shifted lattice, new order parameters from these averages,
// and fixed points.
#pragma once

#include "base/running.hpp"
#include "theory/dotattn/task.hpp"
#include "theory/dotattn/tokens/tokens.hpp"

#include <attopotts/dotattn_simulate.h>

namespace atp::dotattn {

// Order parameters of a student of rank one or two, for any number of tokens.

// q and V are diagonal in the axes where the first rank has theta and the last one m.
struct Overlaps {
  double q[kMostRank], v[kMostRank], theta, m[kMostCode];
};

inline constexpr int kMostOverlaps = 2 * kMostRank + 1 + kMostCode;  // q, V, theta, m

// Overlaps as a vector, kind by kind; each kind is measured against its own size.
struct OverlapVector {
  int64_t rank, columns;  // of m

  int size() const { return static_cast<int>(2 * rank + 1 + columns); }
  void to(const Overlaps &overlaps, double *x) const;
  Overlaps from(const double *x) const;
  // The scale of each number: the largest of its kind; theta and m against the root of q as well, so that a zero is no trouble.
  void scales(const Overlaps &overlaps, double sigma, double *scale) const;
};

// Finite, positive where they must be, and theta^2 < rho q.
bool possible(const Task &task, const Overlaps &overlaps);

// Anderson's mixing of fixed-point iterations: the combination of the last points whose change is smallest, by least squares. Source:
// D. Anderson, J. ACM 12, 547 (1965).

inline constexpr double kDamp = 0.25;  // weight of the new point where there is no mixing: the map of m has slopes below -3

class Mixing {
 public:
  explicit Mixing(int n) : n_(n) {}
  void reset() { count_ = 0; }
  // The next point from x and the change f that one application makes; weights: 1 / scale.
  void next(const double *x, const double *f, const double *scale, double *out);

 private:
  static constexpr int kDepth = 5;  // differences that are kept: about as many as there are unknowns

  void keep(const double *x, const double *f);
  // Minimise |f - sum_c gamma_c (f_k - f_(k-1))|, dropping what depends on the others.
  void fit(int columns, const double *scale, double *gamma) const;

  int n_, count_ = 0;
  double x_[kDepth + 1][kMostOverlaps], f_[kDepth + 1][kMostOverlaps];
};

// The points of one shift.
struct LatticePoints {
  int64_t count = 0;
  Span<const double> normals;  // [count][L rank + L]: for w, then for h
  Span<double> x;              // [count][L rank]: the last minima, where the next search begins
};

class TokenEquations {
 public:
  // SEMANTIC holds m at 0, POSITIONAL theta.
  TokenEquations(const Task &task, atp_dotattn_start solution, const LatticePoints &points)
      : task_(task), solution_(solution), points_(points) {}

  struct Applied {
    Overlaps next;
    double eg, et;
  };
  // Applies the equations at `at`; with `all` it looks for minima from all starts. Returns false if D is not positive.
  bool apply(double alpha, const Overlaps &at, bool all, Applied &out) const;

 private:
  // Over all points; r_l = (x_l - w_l) / V.
  struct Sums {
    double square[kMostRank] = {};  // r . r
    double along[kMostRank] = {};   // r . z
    double code[kMostCode] = {};    // r . code, of the last rank
    double field = 0;               // r . y, of the first
    double test = 0, train = 0;     // |softmax - T|_F^2 of w and of x
  };
  // w = root z + shift, h = on_h z + rest y.
  struct Mixture {
    double root[kMostRank], shift[kMostTokens], on_h, rest;
  };
  Mixture mixture_of(const Overlaps &at) const;
  void add(int64_t point, const Overlaps &at, const Mixture &mixture, bool all, Sums &sums) const;

  const Task &task_;
  atp_dotattn_start solution_;
  LatticePoints points_;
};

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

  // Goes along the alphas: starts from the last solution, or from the first guess if the overlap of the branch has vanished there.
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
