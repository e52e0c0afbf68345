// SPDX-License-Identifier: MIT
// Flags of `sample` for design: where chains start, which colours sites may have, how far chains may go, and how they walk.
#pragma once

#include "run/sampling.hpp"

#include <optional>
#include <string>
#include <vector>

namespace cli {

struct DesignFlags {
  std::string start, fixed, allowed, trajectory, forgetting;
  std::optional<int64_t> max_mutations;
  bool keep_gaps = false;
  void add(CLI::App *app);
  bool walks() const { return !trajectory.empty() || !forgetting.empty(); }
  // One line for the settings of a checkpoint; "" without these flags.
  std::string text() const;
};

// What the flags ask for of a model.
struct Design {
  SamplingLimits limits;
  std::vector<std::string> names;  // of the starts
};
// Reads and checks --start, --fixed, --allowed, --max-mutations and --keep-gaps; fails where they do not fit together or the protocol.
Design read_design(const Session &session, const DesignFlags &flags, const Model &model, atp_protocol protocol);

// The sequences of a run, named NAME/sample_K after the start that the chain of sequence K = 1.. has. As they are without starts, or
// without an alphabet.
Alignment named_after_starts(const Session &session, Alignment drawn, const Design &design, int64_t chains);

// --trajectory: a row for each sequence of a run.
void write_trajectory(const Session &session, const std::string &path, const SamplingRun &run, const Design &design, const Model &model);
// --forgetting: overlaps with the starts against those of independent sequences, which runs of replica exchange draw, with a
// burn-in of at most 8192 sweeps or as many as the walks have. Returns false if they did not reach equilibrium in this.
bool write_forgetting(const Session &session, const std::string &path, const SamplingRun &run, const SamplingPlan &plan,
                      const Model &model);

}  // namespace cli
