// SPDX-License-Identifier: MIT
// Some sequences and columns of an alignment: what selecting, focusing and filtering have in common.
#pragma once

#include "data/alignment.hpp"
#include "data/growing.hpp"

#include <attopotts/options.h>

namespace atp {

// Rows and columns, both in ascending order, with weights, names, alphabet, origin and site labels. Residues of columns that are left out
// become insert runs, so that residue numbers stay right whoever is made the focus later.
Alignment *take_subset(Context &context, const Alignment &source, Span<const int64_t> rows, Span<const int64_t> columns);

// Sequences first, first + stride, ... of another; throws ATP_E_VALUE where all their weights are 0.
Alignment *select_sequences(Context &context, const Alignment &source, int64_t first, int64_t count, int64_t stride);

// What a filter left out.
struct FilterCounts {
  int64_t gapped_sequences = 0, gapped_columns = 0, duplicates = 0;
};

// Leave out, one after the other: sequences with more than a fraction of gaps (colour 0), columns with more than a fraction of gaps among
// the weights of the sequences kept, sequences equal to an earlier one. The options say how much; the log tells what was left out. Throws
// ATP_E_VALUE where less than one sequence of positive weight or two columns would be left.
Alignment *filter_alignment(Context &context, const Alignment &source, double max_gaps_sequence, double max_gaps_column,
                            bool remove_duplicates, FilterCounts &counts);

}  // namespace atp
