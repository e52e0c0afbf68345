// SPDX-License-Identifier: MIT
// The interface of a training objective: a parametrisation and what is minimised over it. A trainer (trainer.hpp) minimises it.
//
// An objective lives in its trainer's block. The constructor stores, lay_out() takes memory, init() reads the training data, and nothing
// allocates afterwards. Parameters belong to the trainer. All random numbers come from seeds; results do not depend on threads and ranks.
//
// To add one: a class in a file of its own, and a row in objectives.cpp. CONTRIBUTING.md has the steps.
#pragma once

#include "alignment/alignment.hpp"
#include "base/running.hpp"
#include "learn/options.hpp"
#include "potts/model.hpp"

#include "math/optim/lbfgs_history.hpp"

#include <attopotts/trainer.h>

#include <limits>
#include <new>
#include <utility>

namespace atp {

class CouplingParameters;
class PairLists;

// More epochs than any run has: the bound of ATP_OPT_EPOCHS.
inline constexpr int64_t kMaxEpochs = 1000000000;

// A named piece of a parameter vector.
struct Part {
  char name[32];
  int64_t offset, size;
};

// The sequences of an evaluation, and which of their sites it predicts. A pair is a sequence and one of these sites.
struct MaskedData {
  MaskedData() = default;
  explicit MaskedData(const Alignment &all)
      : sequences(all.sequences.data()), weights(all.weights.data()), sites(all.sites()), count(all.count()) {}

  const uint8_t *sequences = nullptr;  // [count of the whole alignment][L]
  const double *weights = nullptr;     // of the whole alignment; NULL: 1
  int64_t sites = 0;                   // L
  int64_t count = 0;                   // sequences in this evaluation
  const int64_t *rows = nullptr;       // [count], which sequences; NULL: 0..count-1
  const int64_t *masked = nullptr;     // [count], the one predicted site of each; NULL: all sites
  // With `masked`: [whole alignment][L], 1 for sites that contribute nothing; NULL: none. Rows may repeat: a sequence with several masked
  // sites is an item for each of them.
  const uint8_t *hidden = nullptr;

  int64_t row(int64_t n) const { return rows == nullptr ? n : rows[n]; }
  double weight(int64_t n) const { return weights == nullptr ? 1 : weights[row(n)]; }
  const uint8_t *sequence(int64_t n) const { return sequences + row(n) * sites; }
  const uint8_t *hidden_sites(int64_t n) const { return hidden == nullptr ? nullptr : hidden + row(n) * sites; }
  double total_weight() const {
    double sum = 0;
    for (int64_t n = 0; n < count; ++n) sum += weight(n);
    return sum;
  }
  // The weight of what is predicted, in units of a sequence: the total weight, or less where sites of colour 0 are not.
  double predicted_weight(bool without_gaps) const;

  int64_t pairs() const { return masked != nullptr ? count : count * sites; }
  int64_t item(int64_t pair) const { return masked != nullptr ? pair : pair / sites; }
  const uint8_t *sequence_of(int64_t pair) const { return sequence(item(pair)); }
  double weight_of(int64_t pair) const { return weight(item(pair)); }
  int64_t site(int64_t pair) const { return masked != nullptr ? masked[pair] : pair % sites; }
};

// A vector of parameters, or their gradient, in float32 or float64. Functions that read it take it by value, too.
class Reals {
 public:
  Reals() = default;
  Reals(Span<double> x) : data_(x.data()), size_(x.size()) {}
  Reals(Span<float> x) : data_(x.data()), size_(x.size()), bits_(32) {}
  Reals(Span<const double> x) : Reals(Span<double>(const_cast<double *>(x.data()), x.size())) {}
  Reals(Span<const float> x) : Reals(Span<float>(const_cast<float *>(x.data()), x.size())) {}
  int64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  int bits() const { return bits_; }
  template <class Real>
  Span<Real> of() const {
    assert(bits_ == static_cast<int>(8 * sizeof(Real)));
    return Span<Real>(static_cast<Real *>(data_), size_);
  }
  // function(Span<float>) or function(Span<double>).
  template <class Function>
  auto visit(Function &&function) const {
    return bits_ == 32 ? function(of<float>()) : function(of<double>());
  }

 private:
  void *data_ = nullptr;
  int64_t size_ = 0;
  int bits_ = 64;
};

// Thrown by an evaluation that a stop request ended.
struct Interrupted {};

struct Evaluation {
  double loss = 0;       // nats per predicted site, a weighted mean
  double objective = 0;  // what is minimised, penalties included; of a batch divided by Objective::batch_scale()
  double weight = 0;     // of what was predicted
};

// Capabilities that only some objectives have, as bits.
enum Capability : uint32_t {
  kHasColorMatrices = 1,    // matrices V that can be set
  kHasMaskedLosses = 2,     // losses of one masked site of each sequence
  kHasWideStart = 4,        // a start from a fit with more heads
  kHasReduction = 8,        // training data in several processes of the host
  kHasPairLists = 16,       // couplings of a list of pairs
  kHasNetwork = 32,         // attention maps and conditionals
  kHasOrder = 64,           // an order of the sites: each is predicted from those before it
  kHasChains = 128,         // Gibbs chains that persist
  kHasReintegration = 256,  // tested sequences with adjustments
};

// What a state belongs to: named numbers, so that a mismatch can be named. A hash has a name that completes "the state belongs to other".
// A limit is saved with them, and a run with another one goes on.
class StateFields {
 public:
  enum Kind : int64_t { integer = 1, real = 2, hash = 3 };
  struct Field {
    char name[40];
    int64_t kind, bits;
  };
  void add(const char *name, int64_t value) { put(name, integer, &value); }
  void add(const char *name, double value) { put(name, real, &value); }
  void add_hash(const char *name, uint64_t value) { put(name, hash, &value); }
  void add_limit(const char *name, int64_t value) {
    limits_[count_] = true;
    add(name, value);
  }
  Span<const Field> all() const { return {fields_, count_}; }
  bool is_limit(int64_t k) const { return limits_[k]; }
  void set_limit(int64_t k, int64_t value) { fields_[k].bits = value; }

 private:
  static constexpr int64_t kMost = 48;
  void put(const char *name, Kind kind, const void *value);
  Field fields_[kMost];
  bool limits_[kMost] = {};
  int64_t count_ = 0;
};

// Defaults of an objective where the options are automatic or not set.
struct TrainingDefaults {
  atp_optimizer optimizer = ATP_OPTIMIZER_LBFGS;
  bool masked = false;  // ATP_OBJECTIVE_MLM, with SGD and Adam
  double sgd_rate = 0.5, adam_rate = 0.01;
  int64_t history = 8;
  double scaled_rate = 0.1;
  atp_schedule schedule = ATP_SCHEDULE_COSINE;
};

// Which couplings of the likelihood are active; see learn/likelihood/sparsity.hpp.
struct SparsitySettings {
  atp_sparsify rule = ATP_SPARSIFY_NONE;
  double density = 0;   // that decimation goes down to, that activation does not exceed
  double fraction = 0;  // of the inactive couplings that become active, of the active ones that are removed
  int64_t steps = 0;    // between two changes, at least
};

// Of the likelihood; see the options of these names.
struct BoltzmannSettings {
  int64_t chains = 0, sweeps = 0;  // 0: chosen by the data, and by how fast chains mix
  int64_t rungs = 1;               // of replica exchange
  atp_chain_start start = ATP_CHAIN_START_PERSISTENT;
  atp_fixed fixed = ATP_FIXED_NONE;
  double random_chains = 0, pseudocount = -1, target = 0, l1 = 0, decay = 0;
  SparsitySettings sparsity;

  static constexpr int64_t kMostChosen = 8192;
  int64_t room() const { return chains > 0 ? chains : kMostChosen; }  // chains that there can be
};

// The options of optimisers and batches, which all objectives share.
struct TrainingSettings {
  atp_optimizer optimizer = ATP_OPTIMIZER_LBFGS;
  bool masked = false;
  double mask_probability = 0;  // of random masks; 0: one site of each sequence
  int precision = 32;
  int64_t batch = 0, epochs = 0, history = 0;
  uint64_t seed = 0;
  double rate = 0, momentum = 0, tolerance = -1, init_scale = 0;  // tolerance below 0: automatic
  atp_schedule schedule = ATP_SCHEDULE_COSINE;
  BoltzmannSettings boltzmann;

  bool stochastic() const { return optimizer != ATP_OPTIMIZER_LBFGS; }
};

// An objective that is a sum of independent problems, one for each site, is Separable, too: site_driver.cpp minimises it site by site.
class Separable {
 public:
  virtual int64_t first_unknown(int64_t site) const = 0;  // of its problem; site may be L
  virtual int64_t most_unknowns() const = 0;              // of any site
  // One site's problem: the sum of its losses, and its penalty.
  virtual double evaluate_site(int64_t site, int thread, Reals x, Reals gradient, double *penalty) = 0;
  virtual void site_metric(int64_t site, Reals metric) const = 0;
  virtual void read_site_gradient(int64_t site, Reals gradient, double *out) const = 0;  // as the C API has it
  virtual double site_weight(int64_t site) const = 0;                                    // of the sequences that predict it

 protected:
  ~Separable() = default;
};

struct ObjectiveRow;

struct ObjectiveInput {
  Context *context;
  const Options &options;
  const AlignmentShape &data;
  PairLists *lists;  // the pairs that have couplings; NULL: all
};

class Objective {
 public:
  Context *const context;
  const ObjectiveRow &row;
  const AlignmentShape data;  // of the training sequences
  const TrainingSettings settings;
  const StopFlag *stop = nullptr;  // of a run that may end within an evaluation, which then throws Interrupted

  const Alignment &train() const { return *train_; }
  int64_t count() const { return data.count; }
  int64_t sites() const { return data.sites; }
  int64_t colors() const { return data.colors; }
  virtual int64_t model_colors() const { return data.colors; }
  virtual int64_t parameter_count() const = 0;
  virtual int64_t part_count() const = 0;
  virtual Part part(int64_t index) const = 0;  // in the order of the vector, without gaps

  // How the objective is minimised. Large ones have millions of parameters: L-BFGS keeps these in the precision of the settings, shares its
  // history among threads and ranks, and has a metric.
  virtual bool large() const { return false; }
  virtual double tolerance() const { return settings.tolerance < 0 ? 1e-5 : settings.tolerance; }
  virtual double resolution() const { return settings.precision == 32 ? 0x1p-22 : 0x1p-46; }  // relative rounding errors of its values
  virtual double operations(int64_t) const { return 0; }  // multiply-adds of a batch of so many sequences
  virtual double batch_scale() const { return 1; }
  virtual Threads threads() const { return context->threads; }

  virtual void lay_out(Arena &arena) = 0;
  virtual void init(const Alignment &train) { train_ = &train; }
  virtual void start(Reals x) = 0;     // initial parameters
  virtual void metric(Reals) const {}  // of large objectives: an inverse diagonal of the Hessian
  virtual void check_ready() const {}  // throws ATP_E_STAGE where V is missing
  // Parameters, and a gradient, as the C API has them. write() throws ATP_E_NOT_FINITE where one leaves the range of their precision.
  virtual void read(Reals x, double *out) const;
  virtual void write(Span<const double> values, Reals x) const;
  virtual void read_gradient(Reals gradient, double *out) const { read(gradient, out); }

  // Evaluates the training data or a part of them. The gradient is that of the objective; it may be empty.
  virtual Evaluation evaluate(Reals x, const MaskedData &part, Reals gradient) = 0;
  virtual double loss(Reals x, const Alignment &alignment) = 0;  // in nats per predicted site
  virtual double loss_of(const Model &truth, const Alignment &alignment);
  virtual double coupling_error(Reals x, const Model &truth);  // NaN: there are no couplings
  virtual Model *make_model(Reals x) = 0;                      // throws ATP_E_UNSUPPORTED where parameters are no Potts model
  virtual void describe(StateFields &fields) const = 0;        // what a state belongs to, but the data and the optimiser

  virtual void start_model(const Model &model, Reals x) const;  // throws ATP_E_UNSUPPORTED, ATP_E_NOT_FINITE
  virtual Separable *separable() { return nullptr; }
  // Objectives whose unknowns have changed since the first version go on from its states in those of then. Set before the driver prepares.
  virtual bool has_former_unknowns() const { return false; }
  virtual bool former_unknowns() const { return false; }
  virtual void set_former_unknowns(bool) {}
  // Norms of gradient and parameters as the C API has them, at the last point that this thread evaluated with a gradient. NULL: those of
  // the unknowns.
  virtual const Norms *norms(int) const { return nullptr; }
  virtual CouplingParameters *couplings() { return nullptr; }  // for the likelihood; see learn/likelihood/couplings.hpp

  // Functions of objectives with the capability of the same name.
  virtual int64_t value_count() const { return 0; }
  virtual void set_values(Span<const double>, Reals) {}
  virtual void check_wide(int64_t) const {}                          // throws ATP_E_CONFLICT or ATP_E_VALUE
  virtual void start_from(const Objective &, Reals, Reals) const {}  // the wider objective, its parameters, the own
  virtual void set_reduction(atp_reduce_fn, void *) {}               // throws, and then changes nothing
  virtual Span<const int64_t> order() const { return {}; }           // [L], the site at each place
  virtual void set_order(Span<const int64_t>) {}                     // a permutation; parameters then need a start
  virtual int64_t map_count() const { return 0; }
  virtual void maps(Reals, const Alignment &, double *) {}
  virtual void conditionals(Reals, const uint8_t *, int64_t, double *) {}

  // Gives back memory that was taken after creation.
  virtual void release() noexcept {}

 protected:
  Objective(const ObjectiveRow &own_row, const ObjectiveInput &input);
  ~Objective() = default;
  virtual double largest() const { return std::numeric_limits<double>::max(); }  // magnitude of a parameter
  void check_range(Span<const double> values) const;                             // throws ATP_E_NOT_FINITE
  // A model with alphabet and labels of the training data; colour 0 of the data may be no colour of the model.
  Model *new_model(const ModelShape &shape) const;

  const Alignment *train_ = nullptr;
};

// Options, as a list that ends with 0.
struct OptionKeys {
  int keys[32];
  bool has(int key) const;
};

struct ObjectiveRow {
  const char *name;  // of the family
  atp_family family;
  atp_objective objective;  // ATP_OBJECTIVE_PSEUDOLIKELIHOOD stands for masked tokens, too
  bool site_by_site;
  uint32_t capabilities;
  TrainingDefaults defaults;
  OptionKeys reads;  // of the options of training, beside those of optimisers and batches; others are an error unless at their default
  Objective *(*make)(void *place, const ObjectiveRow &row, const ObjectiveInput &input);
};

// Returns the row that the options ask for. Throws ATP_E_CONFLICT, with the words of family and objective, where there is none.
const ObjectiveRow &objective_row(const Options &options);
// Throws ATP_E_UNSUPPORTED, with the name of the family, where an objective lacks a capability.
void require_capability(const ObjectiveRow &row, Capability capability);
// Throws ATP_E_CONFLICT, with the names of option and family, where an option that the objective does not read is not at its default, or
// where options do not go together.
void check_options(const ObjectiveRow &row, const Options &options);
// Writes a line to the log for each option that the optimiser or the map does not use.
void warn_of_unused(const Context &context, const ObjectiveRow &row, const Options &options);

// Bytes for an objective in its trainer.
inline constexpr std::size_t kObjectiveBytes = 2048;

// An object at a place of so many bytes in its owner.
template <class T, std::size_t kBytes, class... Arguments>
T *put_in_place(void *place, Arguments &&...arguments) {
  static_assert(sizeof(T) <= kBytes, "a larger place");
  static_assert(alignof(T) <= alignof(std::max_align_t), "a place of its own alignment");
  return new (place) T(std::forward<Arguments>(arguments)...);
}

template <class T>
Objective *put_objective(void *place, const ObjectiveRow &row, const ObjectiveInput &input) {
  return put_in_place<T, kObjectiveBytes>(place, row, input);
}

Objective *make_factored(void *place, const ObjectiveRow &row, const ObjectiveInput &input);
Objective *make_dense(void *place, const ObjectiveRow &row, const ObjectiveInput &input);
Objective *make_dense_sites(void *place, const ObjectiveRow &row, const ObjectiveInput &input);
Objective *make_encoder(void *place, const ObjectiveRow &row, const ObjectiveInput &input);
Objective *make_dial(void *place, const ObjectiveRow &row, const ObjectiveInput &input);

}  // namespace atp
