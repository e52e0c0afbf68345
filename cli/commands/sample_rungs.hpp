// SPDX-License-Identifier: MIT
// Several betas in one run, `sample --betas`: thermodynamics of each, tables and a picture.
#pragma once

#include "run/csv_table.hpp"
#include "run/sampling.hpp"

#include <optional>
#include <string>
#include <vector>

namespace cli {

struct RungFlags {
  std::vector<double> betas;
  std::string rungs = "-", overlaps, picture, reference;
  int64_t reads = 1000;
  const CLI::App *app = nullptr;
  void add(CLI::App *command);
  bool wanted() const { return !betas.empty(); }
  // Fails where flags of several betas are given without --betas, or those of sequences with it.
  void check_use() const;
};

// What a run makes of it. Numbers that are not given: 16 chains of each beta, 4 sweeps between read-outs, and as many sweeps before them as
// they take.
struct RungPlan {
  bool exchange = true;
  std::optional<int64_t> chains, burn_in, thin;
};

// Returns the exit status: kNotConverged where a rung is not in equilibrium or its errors are not to be relied on.
int measure_rungs(const Session &session, const RungFlags &flags, const RungPlan &plan, const Model &model);

// The first sequence of a file, without gaps that the model has not; empty without a file.
std::vector<uint8_t> read_reference(const Session &session, const std::string &path, const Model &model);

// Rows of ATP_TABLE_RUNGS or ATP_TABLE_OVERLAPS for a file or standard output; an outcome is its name.
Table table_of_rungs(const Session &session, const ResultTable &found);

}  // namespace cli
