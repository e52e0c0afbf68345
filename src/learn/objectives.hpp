// SPDX-License-Identifier: MIT
// The table of training objectives.
#pragma once

#include "learn/objective.hpp"

#include <new>

namespace atp {

struct ObjectiveInput {
  Context *context;
  const Options &options;
  const AlignmentShape &data;
  const PairLists *lists;  // the pairs that have couplings; NULL: all
};

// Options, as a list that ends with 0.
struct OptionKeys {
  int keys[24];
  bool has(int key) const;
};

struct ObjectiveRow {
  const char *name;
  atp_family family;
  bool site_by_site;
  uint32_t capabilities;
  TrainingDefaults defaults;
  OptionKeys reads;    // of the options of training, beside those of optimisers and batches
  OptionKeys refuses;  // that are an error where they are not at their default; others give a warning
  bool refuses_all;    // all that it does not read are an error
  Objective *(*make)(void *place, const ObjectiveRow &row, const ObjectiveInput &input);
};

// Whether an objective reads an option: its own, or one of optimisers and batches.
bool reads_option(const ObjectiveRow &row, int key);
// Whether a value says what a family without the option does anyway: every site, free maps.
bool says_nothing(int key, double value);
// The row that the options ask for.
const ObjectiveRow &objective_row(const Options &options);
// Throws ATP_E_UNSUPPORTED, with the name of the family, where an objective lacks a capability.
void require_capability(const ObjectiveRow &row, Capability capability);
// A line in the log for each option that is not at its default and has no effect.
void warn_of_unused(const Context &context, const ObjectiveRow &row, const Options &options);

// Bytes for an objective in its trainer.
inline constexpr std::size_t kObjectiveBytes = 2048;

template <class T>
Objective *put_objective(void *place, const ObjectiveRow &row, const ObjectiveInput &input) {
  static_assert(sizeof(T) <= kObjectiveBytes, "a larger place");
  static_assert(alignof(T) <= alignof(std::max_align_t), "a place of its own alignment");
  return new (place) T(row, input);
}

Objective *make_factored(void *place, const ObjectiveRow &row, const ObjectiveInput &input);
Objective *make_dense(void *place, const ObjectiveRow &row, const ObjectiveInput &input);
Objective *make_dense_sites(void *place, const ObjectiveRow &row, const ObjectiveInput &input);
Objective *make_encoder(void *place, const ObjectiveRow &row, const ObjectiveInput &input);
Objective *make_dial(void *place, const ObjectiveRow &row, const ObjectiveInput &input);

}  // namespace atp
