// SPDX-License-Identifier: MIT
// Factored attention trained by SGD, Adam (math/optim/stochastic_run.hpp) or L-BFGS, its reports and its saved state. [R24 sec. II]
//
// Parameters, optimiser and position are the whole state: a run that stopped after any step goes on with the same numbers.
#pragma once

#include "learn/learner.hpp"
#include "learn/factored/attention.hpp"
#include "math/optim/lbfgs.hpp"
#include "math/optim/stochastic_run.hpp"

namespace atp {

struct TrainerSettings {
  AttentionShape shape;
  Penalties penalties;
  atp_objective objective = ATP_OBJECTIVE_PSEUDOLIKELIHOOD;
  atp_optimizer optimizer = ATP_OPTIMIZER_LBFGS;
  int precision = 32;
  int64_t count = 0, batch = 0, epochs = 0, history = 0;
  uint64_t seed = 0;
  double rate = 0, momentum = 0, tolerance = 0, init_scale = 0;
  atp_initial initial = ATP_INITIAL_NORMAL;
  bool rate_constant = false;
  double mask_probability = 0;  // of random masks; 0: one site of each sequence

  bool stochastic() const { return optimizer != ATP_OPTIMIZER_LBFGS; }
  bool masked() const { return objective == ATP_OBJECTIVE_MLM; }
  StochasticSettings stochastic_settings() const;
};

// Settings for an alignment of this shape; throws ATP_E_VALUE (shape) or ATP_E_CONFLICT.
TrainerSettings trainer_settings(const Options &options, int64_t count, int64_t sites, int64_t colors);

class Trainer final : public Learner, public ColorMatrices, public MaskedLosses, public WideStart {
 public:
  Trainer(Context *owner, const TrainerSettings &values);
  void lay_out(Arena &arena);
  // Random initial parameters. The alignment is kept by reference.
  void init(const Alignment &train) override;
  int64_t count() const override { return settings.count; }
  int64_t sites() const override { return settings.shape.sites; }
  int64_t colors() const override { return settings.shape.colors; }

  Span<const double> parameters() const { return parameters_; }
  int64_t parameter_count() const override { return parameters_.size(); }
  void copy_parameters(double *out) const override;
  void set_parameters(Span<const double> values) override;
  int64_t model_colors() const override { return settings.shape.states(); }
  int64_t value_count() const override { return settings.shape.heads * model_colors() * model_colors(); }
  void set_values(Span<const double> values) override;  // V, [H][q][q]
  bool values_missing() const { return settings.shape.colors_fixed && !values_set_; }
  void check_ready() const override;
  void set_test(const Alignment *test) override;
  void set_truth(const Model *truth) override;

  // Loss over the training data, all sites or one given site of each; the gradient may be empty, *penalty is not NULL.
  double evaluate(const int64_t *masked_sites, Span<double> gradient, double *penalty);
  void evaluate(double *loss, double *objective, Span<double> gradient) override { evaluate_masked(nullptr, loss, objective, gradient); }
  void evaluate_masked(const int64_t *masked_sites, double *loss, double *objective, Span<double> gradient) override;
  double loss(const Alignment &alignment) override;

  // Free maps and learned V only.
  void check_start_wide(int64_t heads) const override;
  void start_from(const WideStart &wide) override;
  atp_outcome start_wide(int64_t heads, int64_t iterations, Reporter &reporter) override;
  atp_outcome run(int64_t epochs, Reporter &reporter) override;
  int64_t epochs() const override { return at_.epoch; }
  int64_t step() const { return at_.step; }  // within the present epoch

  // The present parameters as a model of the trainer's context.
  Model *make_model() const override;

  int64_t saved_bytes() const override;
  void save(void *buffer, int64_t size) const override;
  void load(const void *buffer, int64_t size) override;

  TrainerSettings settings;

 private:
  // What a state belongs to, field by field, so that a mismatch can be named.
  struct Key {
    int64_t count, sites, colors, heads, map, rank, fields, colors_fixed, objective, optimizer, batch, epochs, history, precision, seed,
        diagonal, scores_scaled, symmetrized, gaps;
    double rate, momentum, tolerance, init_scale, l2_couplings, l2_colors, l2_fields, l2_pairs;
    uint64_t sequences, weights, values;
  };

  void check_start() const;
  MaskedData all_data() const;
  void restart();
  atp_outcome run_stochastic(int64_t last, Reporter &reporter);
  atp_outcome run_lbfgs(int64_t last, Reporter &reporter);
  bool report(Reporter &reporter, double gradient_norm);
  double optimal_loss();
  double coupling_error();
  Key key() const;
  uint64_t later_settings() const;
  void check(StateReader reader, const RunPosition &at) const;
  [[noreturn]] void explain_mismatch(const void *buffer, int64_t size) const;

  mutable FactoredAttention objective_;
  Lbfgs lbfgs_;
  StochasticRun stochastic_;

  const Model *truth_ = nullptr;
  double optimal_loss_ = 0;
  bool optimal_known_ = false;
  bool values_set_ = false;
  uint64_t data_hash_ = 0;

  Span<double> parameters_;
  Span<double> maps_;     // of the present parameters, for the coupling error; empty where they are the parameters
  Span<double> values_;   // V likewise
  Span<uint8_t> states_;  // a sequence in the colours of the model, where gaps are ignored
  Span<double> scratch_;  // for the coupling error

  RunPosition at_;  // epochs are iterations with L-BFGS
};

}  // namespace atp
