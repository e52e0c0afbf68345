// SPDX-License-Identifier: MIT
// The nested averages of dot-product attention with two tokens: for each node of h the proximal operator on many lines of w (minima.hpp),
// and the sums over the inner and the outer part of w (nested.hpp).
#pragma once

#include "base/context.hpp"
#include "base/heartbeat.hpp"
#include "theory/dotattn/two_tokens/breaking.hpp"
#include "theory/dotattn/two_tokens/nested.hpp"
#include "theory/dotattn/two_tokens/stability.hpp"

namespace atp::dotattn {

// Numbers of nodes: of h (levels.hpp), lines across the range of w, panels of four places on each side of a cut, places of the outer w.
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
