// SPDX-License-Identifier: MIT
// Nested Gaussian averages in one or two dimensions, from values on parallel lines:
//     Z(w0) = E_z1 exp(-mu M(w0 + s1 z1)),   <a>(w0) = E_z1 a exp(-mu M) / Z,   E_z0 of log Z, <a> and |<g>|^2 at w0 = s0 z0.
//
// Along a line the points are a quadrature of pieces on which M and g are smooth, so that jumps of g between pieces cost nothing. Lines
// and places of w0 are equally spaced: what is left is smooth on the scale s1, and sums at equal distances converge exponentially.
#pragma once

#include "base/arena.hpp"
#include "base/context.hpp"
#include "base/progress.hpp"
#include "theory/dotattn/two_tokens/breaking.hpp"
#include "theory/dotattn/two_tokens/stability.hpp"

namespace atp::dotattn {

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
// and the sums over the inner and the outer part of w (nested.hpp).

// Numbers of nodes: of h (field.hpp), lines across the range of w, panels of four places on each side of a cut, places of the outer w.
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
