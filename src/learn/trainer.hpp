// SPDX-License-Identifier: MIT
// The object behind a handle atp_trainer: an objective (objective.hpp) and the driver that minimises it (driver.hpp), with test data, a
// true model, reports, a log, stops and a saved state.
//
// Parameters, optimiser and position are the whole state: a run that stopped after any step goes on with the same numbers.
#pragma once

#include "base/running.hpp"
#include "learn/driver.hpp"
#include "learn/objective.hpp"

namespace atp {

class Trainer {
 public:
  // lists: of the pairs that have couplings, which live as long as the trainer; NULL: all. Throws ATP_E_VALUE, ATP_E_CONFLICT,
  // ATP_E_UNSUPPORTED or ATP_E_TOO_LARGE.
  Trainer(Context *owner, const Options &options, const AlignmentShape &data, PairLists *lists);
  void lay_out(Arena &arena);
  // Initial parameters. The alignment is kept by reference.
  void init(const Alignment &train);

  const ObjectiveRow &row() const { return objective_->row; }
  int64_t count() const { return objective_->count(); }  // training sequences
  int64_t sites() const { return objective_->sites(); }
  int64_t colors() const { return objective_->colors(); }  // of the data
  int64_t model_colors() const { return objective_->model_colors(); }

  int64_t parameter_count() const { return objective_->parameter_count(); }
  Reals parameters() const { return driver_->x; }
  void copy_parameters(double *out) const { objective_->read(driver_->x, out); }
  void set_parameters(Span<const double> values);
  void start_model(const Model &model);
  Span<const Part> parts() const { return parts_; }
  void check_ready() const { objective_->check_ready(); }  // throws ATP_E_STAGE where V is missing
  void set_test(const Alignment *test);
  void set_truth(const Model *truth);

  // Evaluates the training data at the present parameters; the gradient may be empty.
  Evaluation evaluate(Span<double> gradient);
  double loss(const Alignment &alignment) { return objective_->loss(driver_->x, alignment); }

  atp_outcome run(int64_t epochs, Reporter &reporter);
  int64_t epochs() const { return at_.epoch; }
  int64_t step() const { return at_.step; }  // within the present epoch
  // Returns how often loss and gradient of all training data were computed. Where sites are solved one by one, evaluations of a site count
  // as the fraction 1 / L.
  double evaluations() const { return driver_->evaluations; }
  Model *make_model() const { return objective_->make_model(driver_->x); }

  // These throw ATP_E_UNSUPPORTED for objectives without the capability.
  void require(Capability capability) const { require_capability(row(), capability); }
  int64_t value_count() const { return objective_->value_count(); }
  void set_values(Span<const double> values);  // V, [H][q][q]
  Evaluation evaluate_masked(const int64_t *masked_sites, Span<double> gradient);
  void set_reduction(atp_reduce_fn reduce, void *user);
  // A permutation of the sites. Training restarts at the initial parameters. Throws ATP_E_VALUE.
  void set_order(Span<const int64_t> order);
  // The chains of the likelihood. Training restarts; throws ATP_E_CONFLICT where they do not persist.
  void start_chains(const Alignment &sequences);
  Alignment *make_chains() const;  // weights are 1
  // Adds tested sequences, with the strength 1 / max |adjustment| where that is 0; training restarts at the initial parameters. Throws
  // ATP_E_VALUE, and then changes nothing.
  void reintegrate(const Alignment &tested, Span<const double> adjustments, double strength);
  int64_t map_count() const { return objective_->map_count(); }
  void maps(const Alignment &alignment, double *out) { objective_->maps(driver_->x, alignment, out); }
  void conditionals(const uint8_t *sequences, int64_t n, double *out) { objective_->conditionals(driver_->x, sequences, n, out); }
  // Start from a fit with more heads, see learn/factored/starts.hpp. Both take memory and give it back.
  void check_start_wide(int64_t heads) const;
  atp_outcome start_wide(int64_t heads, int64_t iterations, Reporter &reporter);
  void start_from(const Trainer &wide);

  int64_t saved_bytes() const;
  void save(void *buffer, int64_t size) const;
  void load(const void *buffer, int64_t size);

  StopFlag &stop() { return stop_; }
  // Gives back the alignments and the memory that was taken later; before the trainer is destroyed.
  void release() noexcept;

  Context *context;
  std::size_t block_bytes = 0;
  Options given;               // what it was made with
  PairLists *lists = nullptr;  // a block of its own, which goes with the trainer; NULL: all pairs
  Table *log = nullptr;        // of reports; borrowed
  Running running;

 private:
  void start();
  void restart();
  bool report(Reporter &reporter, double gradient_norm, double objective);
  StateFields fields() const;
  void load_state(const void *buffer, int64_t size);
  StateFields fields_with_limits_of(const void *buffer, int64_t size) const;
  [[noreturn]] void explain_mismatch(const void *buffer, int64_t size) const;

  alignas(std::max_align_t) unsigned char objective_place_[kObjectiveBytes];
  alignas(std::max_align_t) unsigned char driver_place_[kDriverBytes];
  Objective *objective_;
  Driver *driver_;
  StopFlag stop_{&context->stop};
  const Alignment *train_ = nullptr, *test_ = nullptr;  // borrowed
  const Model *truth_ = nullptr;
  double optimal_loss_ = 0;
  bool optimal_known_ = false;
  uint64_t data_hash_ = 0;
  Span<Part> parts_;
  RunPosition at_;  // epochs are iterations with L-BFGS, sites where they are solved one by one
};

// With couplings of these pairs only, [pair_count][2]; NULL: all pairs. The bytes take memory for the lists and give it back.
std::size_t trainer_bytes(Context &context, const Options &options, const AlignmentShape &data, const int64_t *pairs = nullptr,
                          int64_t pair_count = 0);
Trainer *create_trainer(Context &context, const Options &options, const Alignment &train, const int64_t *pairs = nullptr,
                        int64_t pair_count = 0);
void destroy_trainer(Trainer *trainer) noexcept;

}  // namespace atp
