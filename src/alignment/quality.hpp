// SPDX-License-Identifier: MIT
// The quality of samples: their statistics against those of data, beside what independent samples would give, and limits. The formulas
// are with atp_samples_quality().
#pragma once

#include "alignment/parts.hpp"
#include "base/table.hpp"

namespace atp {

extern const TableKind kQualityTable, kDistancesTable;

struct QualityOptions {
  Splits splits;
  int64_t triples;  // correlations of three sites at most
};

// Appends ATP_QUALITY_ROWS rows to a table that has room, and L + 1 rows to that of the distances (NULL: not wanted). The shapes must
// agree as for compare_statistics().
void measure_quality(Context &context, const Alignment &data, const Alignment &samples, const QualityOptions &options, Table &quality,
                     Table *distances);

// Coordinates [sequences][components] of the data, then of the samples (NULL: none), along the principal components of the data, and the
// variances of the data along these.
void principal_components(Context &context, const Alignment &data, const Alignment *samples, int64_t components, double *coordinates,
                          double *variances);

}  // namespace atp
