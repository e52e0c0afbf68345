// SPDX-License-Identifier: MIT
// Models in tables of text: the table of parameters that `convert` writes, and lists of couplings that people write.
#pragma once

#include "run/files.hpp"

namespace cli {

// Whether the file is a table whose first names are part,head or i,j.
bool is_model_table(const InputFile &file);
// A model of part,head,i,j,a,b,value or i,j,a,b,J; all numbers from 0. It has at least so many sites and colours. Fails with the line where
// something is wrong.
Model read_model_table(const Session &session, const InputFile &file, int64_t sites = 0, int64_t colors = 0);

// Couplings J_ij of a table i,j,J.
struct Edges {
  std::vector<attopotts::Pair> pairs;
  std::vector<double> strengths;
  int64_t sites = 0;  // the largest one plus 1
};
// Whether the file is such a table: it has no columns a and b.
bool is_edge_list(const InputFile &file);
Edges read_edges(const InputFile &file);

}  // namespace cli
