// SPDX-License-Identifier: MIT
// The flags of `learn` and the library options that they set.
#pragma once

#include "structures/structure_flags.hpp"
#include "run/checkpoint.hpp"
#include "run/files.hpp"
#include "flags/pair_flags.hpp"
#include "flags/training_flags.hpp"
#include "commands/kept_run.hpp"

#include <optional>
#include <string>

namespace cli {

// Words of --start-model.
inline constexpr const char *kIndependentStart = "independent", *kMeanFieldStart = "mean-field";

struct LearnFlags {
  std::string data, output, colors_from;
  std::string order;  // a word of ATP_OPT_ORDER, or a file; "": the default
  atp_family family = ATP_FAMILY_FACTORED;
  bool fields = false, keep_best = false;
  int64_t polish = 0;
  std::optional<int64_t> heads, rank, batch;
  std::optional<atp_map> map;
  std::optional<atp_objective> objective;
  std::optional<atp_optimizer> optimizer;
  std::optional<Start> start;
  std::optional<double> rate, target, test_split;
  std::optional<int64_t> sweeps;
  std::string start_model;  // of the likelihood: a file or a word; "": independent sites
  std::string start_chains, chains_out;
  std::optional<atp_sparsify> sparsify;
  std::optional<double> density;
  std::string reintegrate, adjustments;  // of the likelihood: tested sequences and their numbers; "": none, all 1
  std::optional<double> reintegrate_strength;
  Rows rows, test_rows;
  std::string test, truth, log, maps, picture, report;
  CheckpointFlags checkpoint;
  DataFlags input;
  TrainingFlags training;
  PairFlags pairs;
  StructureFlags structure;  // of --pairs-from
  std::string like, preset;
  CLI::App *app = nullptr;
  bool has_test() const { return !test.empty() || test_split; }
  bool is_likelihood() const { return objective == ATP_OBJECTIVE_LIKELIHOOD; }
  bool is_dense() const { return family == ATP_FAMILY_DENSE; }
  bool is_network() const { return family == ATP_FAMILY_ENCODER || family == ATP_FAMILY_DIAL; }
};

struct Choice {
  Options options;
  bool lbfgs = true;
  Start start = Start::random;
  bool has_model = true;  // couplings, which a model file can hold
};

// Fails where flags contradict each other.
Choice make_options(const Session &session, const LearnFlags &flags);

// The sites in the order of the file that --order names; empty: it names none.
std::vector<int64_t> read_order(const Session &session, const LearnFlags &flags, const atp_alignment *data);

// Adds the flags of the model and of the optimizer.
void add_model_flags(CLI::App *app, LearnFlags &flags);
void add_optimizer_flags(CLI::App *app, LearnFlags &flags);

}  // namespace cli
