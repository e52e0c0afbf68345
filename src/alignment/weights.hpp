// SPDX-License-Identifier: MIT
// Similar sequences: weights that reduce their effect, clusters of them, and folds of whole clusters for cross-validation.
#pragma once

#include "alignment/alignment.hpp"
#include "base/progress.hpp"

#include <attopotts/weights.h>

namespace atp {

extern const TableKind kWeightsTable;

// w_n = 1 / (number of sequences, n included, that are neighbours of n). Exact for any number of threads.
// ATP_OUTCOME_CANCELLED: the run was stopped, the weights are as before.
atp_outcome weigh_sequences(Context &context, Alignment &alignment, double theta, atp_weight_rule rule, Reporter &reporter);

// For each theta a row of atp_weights_column, as weigh_sequences() would weigh. The table has room.
void scan_weights(Context &context, const Alignment &alignment, Span<const double> thetas, atp_weight_rule rule, Table &table);

// The weights of a bootstrap sample: those of N sequences that are drawn with replacement.
void resample_weights(const Alignment &alignment, uint64_t seed, uint64_t sample, Span<double> weights);

// min(0.5, 0.1216 / mean fraction of identical columns of two sequences). Needs at least two sequences.
double automatic_theta(const Alignment &alignment);

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
