// SPDX-License-Identifier: MIT
// Distances between sites in text or .npy files.
#pragma once

#include "alignment/distances.hpp"
#include "io/source.hpp"

namespace atp {

// Text as parse_distances() reads it. A .npy file has its rows, 3 or 4 columns, or a matrix [sites][sites]. out is
// written only if everything was read. Throws ATP_E_FORMAT.
DistanceCount read_distances(const Source &source, const int64_t *numbers, int64_t sites, double *out);

}  // namespace atp
