// SPDX-License-Identifier: MIT
// The flags of factored attention in which published conventions differ.
#pragma once

#include "run/session.hpp"

#include <optional>
#include <string>

namespace cli {

enum class Convention { attentiondca, mogwai };

// Flags of the caller for which a convention has values.
struct OptimizerFlags {
  std::optional<atp_objective> &objective;
  std::optional<atp_optimizer> &optimizer;
  std::optional<double> &rate;
  std::optional<int64_t> &batch, &epochs;
};
struct ConventionFlags {
  std::optional<atp_map> &map;
  std::optional<int64_t> &heads, &rank;
  std::optional<atp_gaps> &gaps;
  bool &fields;
  OptimizerFlags training;
};

struct AttentionFlags {
  std::optional<Convention> convention;
  std::optional<atp_diagonal> diagonal;
  std::optional<bool> scores_scaled;
  std::optional<atp_initial> initial;
  std::optional<atp_schedule> schedule;
  std::optional<double> l2_pairs, norm_pairs, norm_fields;
  bool symmetrize = false;

  void add(CLI::App *app);
  // Give the values of --attention-convention to flags that were not given.
  void fill_in(ConventionFlags flags);
  // After fill_in(): set the library's options. set_for() is for those of a convention that depend on the data.
  void set(atp_options *options, atp_map map) const;
  void set_for(atp_options *options, const atp_alignment *data) const;
  // One line with the settings in effect; "" without a convention.
  std::string text(const atp_options *options) const;

 private:
  void set_norms(atp_options *options, const atp_alignment *data) const;
  void fill_in_training(OptimizerFlags flags);

  std::optional<atp_gaps> gaps_;
  bool per_site_ = false;  // the penalty is that of the convention, for a sum over sites
  bool steps_ = false;     // so are the number of steps
};

}  // namespace cli
