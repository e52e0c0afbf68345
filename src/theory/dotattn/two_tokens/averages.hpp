// SPDX-License-Identifier: MIT
// Gaussian averages over the proximal operator of two tokens, the four-dimensional integrals of the state evolution.
//
// Given h = sqrt(rho) z, the pre-activations are w = (theta / rho) h + m (1, -1) + s zeta, s^2 = q - theta^2 / rho; z and zeta are standard
// normal in R^2. The minimiser x(w, T) depends on h only through the first column of T.
//
// Over w (lines.hpp): x is the gradient of a convex function of w, so that its component along any direction e rises along that
// direction, and x(-w) = -x(w). Let e be the soft direction of F at the origin. Where F has two wells they lie on both sides of the origin,
// and x jumps from one to the other where x . e changes sign, once on every line along e. Lines along e are cut there, or at the largest
// jump where x . e passes smoothly through zero, and what is left is smooth: Gauss-Legendre on both sides of the cut, Gauss-Hermite over
// the lines.
//
// Over h: polar coordinates, half a circle as T(h) = T(-h). At a certain distance from the origin the single well of F at
// w = 0 becomes two; averages have a narrow bend there. The rule of the radius is cut at this place, the angle has equal weights.
#pragma once

#include "base/context.hpp"
#include "base/progress.hpp"
#include "theory/dotattn/two_tokens/lines.hpp"

namespace atp::dotattn {

// --- stability of a solution: how much x(w) amplifies small differences of cavity fields (docs/theory.md, section 16) ---

// d: the change of x - w when w changes by a normal vector of variance step^2 per component. alpha E |d|^2 / step^2 is
// alpha (smooth + sqrt(2 / pi) jumps / step) for small steps: it must be below 1.
struct Spread {
  double smooth = 0;  // E |dx/dw - 1|_F^2 away from jumps
  double jumps = 0;   // the integral of (density of w) |jump of x|^2 over the surface where x jumps
};

// dx/dw - 1 of a minimum x, and the sum of its squares.
double squared_response(const Field &field, Vector x);

// Over the points and cuts of a node, after find_minima().
Spread spread_of(const Node &node);

// --- averages ---

// Expectations with d = x - w; zeta and h as above.
struct Averages {
  double square = 0;      // |d|^2
  double difference = 0;  // d_1 - d_2
  double field = 0;       // d . h
  double noise = 0;       // d . zeta
  double train = 0;       // |softmax(x x^T) - T|_F^2
  double test = 0;        // |softmax(w w^T) - T|_F^2
};

// What a pass over the nodes of h computes.
struct NodeSums {
  Averages averages;
  Spread spread;  // where it is asked for
};

class Integrator {
 public:
  explicit Integrator(const Context &context)
      : threads_(context.threads), kernels_(&two_token_kernels(context.target)), workers_(context.threads) {}
  void lay_out(Arena &arena);
  // Averages report and may be stopped in between, and ranks share their nodes. Without it they are computed here alone. Collective.
  void watch(Heartbeat &heartbeat, Ranks &ranks);
  bool stopped() const { return heartbeat_ != nullptr && heartbeat_->stopped(); }
  // Nodes of these numbers, at most those of the last of kLevels.
  void use(const Level &level) { rules_.use(level); }
  // m = 0 or theta = 0. All numbers are the same for any number of threads and ranks; zeros where the run was stopped.
  Averages average(const Problem &problem, const Order &order) { return pass(problem, order, false).averages; }
  Spread spread(const Problem &problem, const Order &order) { return pass(problem, order, true).spread; }

 private:
  NodeSums pass(const Problem &problem, const Order &order, bool with_spread);
  NodeSums sums_at(const Field &field, const Workspace &work, bool with_spread) const;

  Threads threads_;
  const TwoTokenKernels *kernels_;
  Heartbeat *heartbeat_ = nullptr;
  Ranks *ranks_ = nullptr;
  int64_t workers_;  // threads of all ranks
  Rules rules_;
  Span<Workspace> work_;  // per thread
  Span<NodeSums> parts_;  // per node of h
};

}  // namespace atp::dotattn
