// SPDX-License-Identifier: MIT
// One step of replica symmetry breaking for the minimum of a risk that is a sum over samples, and a penalty or a sphere for the weights.
// docs/theory.md derives the equations. The samples enter through nested averages alone: dot-product attention and the
// perceptron of the tests use the same equations and the same solver.
#pragma once

#include "base/arena.hpp"
#include "base/context.hpp"
#include "base/progress.hpp"
#include "theory/dotattn/two_tokens/averages.hpp"

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

// Nested Gaussian averages in one or two dimensions, from values on parallel lines:
//     Z(w0) = E_z1 exp(-mu M(w0 + s1 z1)),   <a>(w0) = E_z1 a exp(-mu M) / Z,   E_z0 of log Z, <a> and |<g>|^2 at w0 = s0 z0.
//
// Along a line the points are a quadrature of pieces on which M and g are smooth, so that jumps of g between pieces cost nothing. Lines
// and places of w0 are equally spaced: what is left is smooth on the scale s1, and sums at equal distances converge exponentially.

// Values at the points; along, length, ... are [lines][points], in the order of `along` on each line.
struct NestedPoints {
  int64_t lines, points;  // one line: one dimension
  double spacing;         // of the lines, which lie around zero
  Span<double> along;     // place of a point
  Span<double> length;    // weight of the quadrature over the places
  Span<double> energy;    // M
  Span<double> g_along, g_across;
  void lay_out(Arena &arena, int64_t most_lines, int64_t most_points);
};

struct NestedWidths {
  double s0, s1, mu;
};

struct NestedSums {
  double free = 0;               // -E log Z / mu; E M if mu = 0
  double energy = 0;             // E <M>
  double square = 0;             // E <|g|^2>
  double mean_square = 0;        // E |<g>|^2
  double along = 0, across = 0;  // E <g>
  double noise = 0;              // E <g> . z0
};

// Numbers that a call works in.
struct NestedScratch {
  static constexpr int kSums = 6;  // of a line at a place: reference, Z, M, |g|^2, both components of g
  int64_t outer = 0;               // places of w0 in each dimension
  Span<double> sums;               // [lines][outer][kSums]
  void lay_out(Arena &arena, int64_t most_lines, int64_t most_outer);
};

inline constexpr double kOuterRange = 6;  // of w0, in s0

NestedSums nested_sums(const NestedPoints &points, const NestedWidths &widths, const NestedScratch &scratch);

// The nested averages of dot-product attention with two tokens: for each node of h the proximal operator on many lines of w (lines.hpp),
// and the sums over the inner and the outer part of w.

// Numbers of nodes: of h, lines across the range of w, panels of four places on each side of a cut, places of the outer w.
struct NestedGrid {
  int64_t angles, radial, lines, panels, outer;
  Level level() const { return {angles, radial, lines, kPanelOrder * panels}; }
  static constexpr int64_t kPanelOrder = 4;
};

// Fine enough for an inner width of `ratio` times that of all w; `fineness` > 1 for more nodes of every kind.
inline constexpr double kLeastRatio = 0.05, kMostFineness = 1.25;
NestedGrid nested_grid(double ratio, double fineness);

class NestedFields : public NestedAverages {
 public:
  // Grids for no smaller ratio, and no more fineness, than these.
  NestedFields(const Context &context, const Problem &problem, double ratio = kLeastRatio, double fineness = kMostFineness)
      : threads_(context.threads),
        kernels_(&two_token_kernels(context.target)),
        problem_(problem),
        most_(nested_grid(ratio, fineness)),
        workers_(context.threads) {}
  void lay_out(Arena &arena);
  void use(const NestedGrid &grid);
  // As Integrator::watch(). Collective.
  void watch(Heartbeat &heartbeat, Ranks &ranks);
  bool stopped() const { return heartbeat_ != nullptr && heartbeat_->stopped(); }
  // NaN where the run was stopped.
  BrokenMeans means(const BrokenOrder &order) override;

 private:
  struct Thread {
    Workspace work;
    NestedPoints points;
    NestedScratch scratch;
  };
  BrokenMeans means_at(const Field &field, const NestedWidths &widths, Thread &thread) const;

  Threads threads_;
  const TwoTokenKernels *kernels_;
  const Problem &problem_;
  NestedGrid most_, grid_{};
  Heartbeat *heartbeat_ = nullptr;
  Ranks *ranks_ = nullptr;
  int64_t workers_;
  Rules rules_;
  Span<Thread> threads_of_;
  Span<BrokenMeans> parts_;  // per node of h
};

}  // namespace atp::dotattn
