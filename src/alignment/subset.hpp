// SPDX-License-Identifier: MIT
// Subsets of the sequences and columns of an alignment, for selecting, focusing and filtering.
#pragma once

#include "alignment/alignment.hpp"
#include "alignment/growing.hpp"

#include <attopotts/alignment.h>

namespace atp {

// Copies rows, and columns in ascending order, with weights, names, alphabet, origin and site labels. Residues of removed columns
// become insert runs, so that residue numbers stay right for any later focus sequence.
Alignment *take_subset(Context &context, const Alignment &source, Span<const int64_t> rows, Span<const int64_t> columns);

// A copy whose sequences have these names, one a line. Throws ATP_E_SHAPE unless there are as many lines as sequences, ATP_E_VALUE where
// one is empty or has a blank or a control character.
Alignment *rename_sequences(Context &context, const Alignment &source, Span<const char> names);

// The alignment with the sites of other labels, those of a model for example: the columns that both stand for, or all where the source has
// as many and no column was removed from it. Numbers and residues become those of the labels. Throws ATP_E_SHAPE if the columns are not
// there.
Alignment *take_sites(Context &context, const Alignment &source, const SiteLabels &labels);

// Sequences of an alignment, in this order, with all columns. Throws ATP_E_VALUE if all their weights are 0.
Alignment *take_sequences(Context &context, const Alignment &source, Span<const int64_t> rows);

// Sequences first, first + stride, ... of an alignment. Throws ATP_E_VALUE if all their weights are 0.
Alignment *select_sequences(Context &context, const Alignment &source, int64_t first, int64_t count, int64_t stride);

// Writes the numbers of atp_alignment_summary().
void summarise(Context &context, const Alignment &alignment, double *numbers);

// The numbers of removed sequences and columns.
struct FilterCounts {
  int64_t gapped_sequences = 0, gapped_columns = 0, duplicates = 0;
};

// Removes, in this order: sequences with too many gaps (colour 0); columns with too many gaps, by the weights of the remaining sequences;
// sequences equal to an earlier one. The arguments are the largest fractions of gaps that are kept; the log lists what was removed. Throws
// ATP_E_VALUE if fewer than one sequence of positive weight or two columns would remain.
Alignment *filter_alignment(Context &context, const Alignment &source, double max_gaps_sequence, double max_gaps_column,
                            bool remove_duplicates, FilterCounts &counts);

// The index of the sequence with exactly this name, else of the one whose name is this followed by a range such
// as '/12-170'. Throws ATP_E_VALUE if there is none (the text lists the nearest names) or more than one.
int64_t find_sequence(const Alignment &source, const char *name);

// Keeps the columns where a sequence has no gap (colour 0): the focus. Site numbers count its residues, including those of
// insert columns, from the start in its name '/12-170', or from 1. They count backwards if the end in the name
// is smaller than the start, as in genes of the other strand. Logs a warning if the range does not match the
// number of residues. Throws ATP_E_VALUE if fewer than two columns would remain.
Alignment *focus_alignment(Context &context, const Alignment &source, int64_t sequence);

}  // namespace atp
