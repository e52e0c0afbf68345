// SPDX-License-Identifier: MIT
// Distances between sites from a file: --distances, --pairs-from.
#pragma once

#include "support/files.hpp"

#include <string>
#include <vector>

namespace cli {

// The sites of a model or of sequences, by their numbers.
struct DistanceSites {
  int64_t count;
  const int64_t *numbers;
  int64_t total;  // columns before any were removed, of which these are the sites:
  const int64_t *columns;
};

struct Distances {
  std::vector<double> values;   // [L][L], symmetric, 0 on the diagonal, NaN where no distance is known
  int64_t pairs = 0, used = 0;  // pairs in the file, and those of two sites
};

// Reads a table of i, j and d, or a .npy file of such rows or of the L x L matrix (or of all columns, of which the sites are taken).
Distances read_distances(const Session &session, const std::string &flag, const std::string &path, const DistanceSites &sites);

// The number of a site in a cell: 11, or 1.1e+01 as numpy.savetxt writes it. `place` begins the message of a failure.
int64_t site_number(const std::string &place, const std::string &cell);
// The columns i and j, and with `distance` d, of a table: by their names, or where it has none in this order, as the lines `i j`, `i j d`
// and `i j x d`. Fails for all others.
std::vector<std::size_t> pair_columns(const std::string &place, const SideTable &table, bool distance);

}  // namespace cli
