// SPDX-License-Identifier: MIT
// Distances of sequences from their nearest neighbours in another alignment, and from each other. The definitions are with
// atp_distances_column.
#pragma once

#include "alignment/components.hpp"

namespace atp {

class Distances {
 public:
  static constexpr int64_t kMostSequences = 2000;  // whose distances are measured, evenly spaced in the alignment

  // For alignments of at most `count` sequences.
  Distances(Arena &arena, int64_t count, int64_t sites);
  // out [L + 1]: the share of the weight of the sequences whose nearest among others differs at d = 0..L sites. All are 0 where no
  // sequence has a neighbour.
  void nearest(const Colored &from, const Colored &others, Threads threads, double *out) { nearest(from, others, false, threads, out); }
  // The same of the nearest other sequence of the alignment.
  void nearest_other(const Colored &of, Threads threads, double *out) { nearest(of, of, true, threads, out); }
  // out [L + 1]: the share of the pairs of sequences, by the product of their weights, that differ at d sites.
  void pairs(const Colored &of, Threads threads, double *out);

 private:
  void nearest(const Colored &from, const Colored &others, bool without_itself, Threads threads, double *out);

  int64_t sites_, stride_;
  Span<uint8_t> from_, others_;  // [sequences][stride]: colours + 1, 0: none
  Span<int64_t> nearest_;        // [kMostSequences]
  Span<double> sums_;            // [kTasks][sites + 1]
};

// The mean of a distribution over d = 0..L, and its quantile at a share of the weight, in fractions of L. NaN where all are 0.
double mean_distance(Span<const double> shares);
double distance_quantile(Span<const double> shares, double share);

}  // namespace atp
