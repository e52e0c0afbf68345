// SPDX-License-Identifier: MIT
// Clusters of similar sequences, and folds of whole clusters for cross-validation.
#pragma once

#include "alignment/alignment.hpp"

namespace atp {

// Single linkage: two sequences that differ in at most `allowed` columns are in one cluster. cluster[N] receives the number of each
// sequence's cluster, numbered by their first sequences; returns how many there are. The same for any number of threads.
int64_t link_sequences(Context &context, const Alignment &alignment, int64_t allowed, Span<int64_t> cluster);

struct Folds {
  int64_t clusters = 0;
  int64_t allowed = 0;  // differing columns between two sequences of a link
};

// Clusters with the largest number of allowed differences, at most `distance` times the columns, for which no cluster has more than a
// fold's share of the weight. Where even identical sequences have more, they stay together. Then folds of clusters: the heaviest cluster
// goes to the lightest fold. fold[N] receives the fold of each sequence. Throws ATP_E_VALUE if there are fewer clusters of positive weight
// than folds.
Folds make_folds(Context &context, const Alignment &alignment, int64_t folds, double distance, Span<int64_t> cluster, Span<int64_t> fold);

}  // namespace atp
