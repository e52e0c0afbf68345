// SPDX-License-Identifier: MIT
// Trains a network on masked tokens: the object behind a handle atp_transformer. [R24 sec. II]
//
// Parameters, optimiser and position are the whole state. A run that stopped after any step continues with the
// same numbers.
#pragma once

#include "base/options.hpp"
#include "base/progress.hpp"
#include "base/running.hpp"
#include "alignment/alignment.hpp"
#include "potts/model.hpp"
#include "math/optim/lbfgs.hpp"
#include "math/optim/stochastic_run.hpp"
#include "learn/network/dial.hpp"
#include "learn/network/encoder.hpp"

namespace atp {

struct TransformerSettings {
  atp_architecture architecture = ATP_ARCHITECTURE_ENCODER;
  EncoderShape encoder;  // one of the two
  DialSettings dial;
  int precision = 32;
  int64_t count = 0, sites = 0, colors = 0;
  atp_optimizer optimizer = ATP_OPTIMIZER_SGD;
  bool masked = true;
  int64_t history = 0;  // of L-BFGS
  int64_t batch = 0, epochs = 0;
  uint64_t seed = 0;
  double rate = 0, momentum = 0, tolerance = 0, init_scale = 0;

  bool stochastic() const { return optimizer != ATP_OPTIMIZER_LBFGS; }
  bool has_dial() const { return architecture == ATP_ARCHITECTURE_DIAL; }
  bool factored() const { return has_dial() && !dial.content(); }
};

// Settings for an alignment of this shape. Throws ATP_E_VALUE (shape), ATP_E_TOO_LARGE or ATP_E_CONFLICT.
TransformerSettings transformer_settings(const Options &options, int64_t count, int64_t sites, int64_t colors);

class TransformerTrainer {
 public:
  TransformerTrainer(Context *owner, const TransformerSettings &values);
  void lay_out(Arena &arena);
  // Draws random initial parameters. The alignment is kept by reference.
  void init(const Alignment &train);

  int64_t sites() const { return settings.sites; }
  int64_t colors() const { return settings.colors; }
  Span<const double> parameters() const { return parameters_; }
  void set_parameters(Span<const double> values);
  Span<const NetworkPart> parts() const { return parts_; }
  int64_t map_count() const { return network().map_count(); }
  void set_test(const Alignment *test);
  void set_truth(const Model *truth);

  // Evaluates the training data at the present parameters. masked_sites: one site of each sequence, or NULL:
  // all. The gradient may be empty.
  double evaluate(const int64_t *masked_sites, Span<double> gradient);
  double loss(const Alignment &alignment);
  void conditionals(const uint8_t *sequences, int64_t n, double *out);
  void maps(const Alignment &alignment, double *out);

  // The present parameters as a model of the context, of one head. Throws ATP_E_CONFLICT if the network is
  // not such a model (a > 0, encoder).
  Model *make_model();

  atp_outcome run(int64_t epochs, Reporter &reporter);
  int64_t epochs() const { return at_.epoch; }
  int64_t step() const { return at_.step; }  // within the present epoch
  StopFlag &stop() { return stop_; }
  // Returns the borrowed alignments. Call it before the trainer is destroyed.
  void release() const noexcept {
    give_back(train_);
    give_back(test_);
  }

  int64_t saved_bytes() const;
  void save(void *buffer, int64_t size) const;
  void load(const void *buffer, int64_t size);

  Context *context;
  std::size_t block_bytes = 0;
  TransformerSettings settings;
  Options given;         // what it was made with
  Table *log = nullptr;  // of reports; borrowed
  Running running;

 private:
  // The properties that a state must match, field by field, so that an error can name the difference.
  struct Key {
    int64_t count, sites, colors, architecture, blocks, width, hidden, positions, map, objective, optimizer, batch, epochs, precision,
        seed;  // batch: of L-BFGS its history
    double dial, rate, momentum, tolerance, init_scale;
    uint64_t sequences, weights;
  };

  Network &network() { return settings.has_dial() ? static_cast<Network &>(dial_) : encoder_; }
  const Network &network() const { return settings.has_dial() ? static_cast<const Network &>(dial_) : encoder_; }
  MaskedPairs pairs(const Alignment &alignment) const;
  void restart();
  atp_outcome run_stochastic(int64_t last, Reporter &reporter);
  atp_outcome run_lbfgs(int64_t last, Reporter &reporter);
  // Throws ATP_E_FORMAT where a run cannot be in this state.
  void check(StateReader reader, const RunPosition &at) const;
  bool report(Reporter &reporter, double gradient_norm);
  double coupling_error();
  Key key() const;
  [[noreturn]] void explain_mismatch(const void *buffer, int64_t size) const;

  Encoder encoder_;  // memory is allocated for only one of the two
  Dial dial_;
  StochasticRun run_;
  Lbfgs lbfgs_;
  StopFlag stop_{&context->stop};

  const Alignment *train_ = nullptr, *test_ = nullptr;  // borrowed
  const Model *truth_ = nullptr;
  double optimal_loss_ = 0;
  bool optimal_known_ = false;
  uint64_t data_hash_ = 0;
  Span<double> parameters_;
  Span<NetworkPart> parts_;
  Span<double> map_, values_, scratch_;  // for the coupling error of factored attention
  RunPosition at_;
};

}  // namespace atp
