// SPDX-License-Identifier: MIT
// One step of replica symmetry breaking for the minimum of a risk that is a sum over samples, and a penalty or a sphere for the weights.
// docs/theory.md derives the equations. The samples enter through nested averages alone: dot-product attention (nested.hpp) and the
// perceptron of the tests use the same equations and the same solver.
#pragma once

#include <cstdint>

namespace atp::dotattn {

// q1 of two minima of one cluster, q0 = q1 - gap of different ones; V within a minimum; mu counts clusters by their energies.
struct BrokenOrder {
  double q0, gap, v, m, theta, mu;

  double q1() const { return q0 + gap; }
  double response() const { return v + mu * gap; }  // that of a cluster
};

// Averages with g = (x - w) / V; < > is over the inner number with the weight exp(-mu M), M the Moreau envelope.
struct BrokenMeans {
  double free = 0;         // -E log E exp(-mu M) / mu
  double energy = 0;       // E <M>
  double square = 0;       // E <|g|^2>
  double mean_square = 0;  // E |<g>|^2
  double difference = 0;   // E <g_1 - g_2>
  double field = 0;        // E <g> . h
  double noise = 0;        // E <g> . z0
};

class NestedAverages {
 public:
  virtual ~NestedAverages() = default;
  virtual BrokenMeans means(const BrokenOrder &order) = 0;
};

enum class Overlap { none, semantic, positional };

// The weights: lambda |Q|^2 / 2, or |Q|^2 = d q1 at q1 = 1 where `sphere`.
struct BrokenProblem {
  double alpha, rho, lambda;
  bool sphere;
  Overlap overlap;  // which of theta and m is not held at 0

  // Unknowns log gap, log V, log mu, log q0 (not on a sphere), log of the overlap.
  int unknowns() const { return sphere ? 3 : overlap == Overlap::none ? 4 : 5; }
};

// The free energy, whose extremum is the smallest risk per dimension.
double broken_energy(const BrokenProblem &problem, const BrokenOrder &order, const BrokenMeans &means);

// Its derivatives, each against its own size, in the order of the unknowns.
void broken_residuals(const BrokenProblem &problem, const BrokenOrder &order, const BrokenMeans &means, double *residuals);

struct BrokenSolution {
  BrokenOrder order{};
  BrokenMeans means;
  double energy = 0, residual = 0;
  int64_t applications = 0;
  bool converged = false;
};

// Newton's method with Broyden's updates from `start`; where `hold_mu` at its mu, which leaves the last equation out.
BrokenSolution solve_broken(NestedAverages &averages, const BrokenProblem &problem, const BrokenOrder &start, bool hold_mu);

}  // namespace atp::dotattn
