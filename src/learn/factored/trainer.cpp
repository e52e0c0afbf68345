// SPDX-License-Identifier: MIT
#include "learn/factored/trainer.hpp"

#include "learn/factored/wide_start.hpp"
#include "learn/factored/xavier_start.hpp"
#include "base/checksum.hpp"
#include "potts/coupling_error.hpp"
#include "math/optim/vector.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

// Relative size of the rounding errors of a loss.
double resolution(int precision) { return precision == 32 ? 0x1p-22 : 0x1p-46; }

}  // namespace

TrainerSettings trainer_settings(const Options &options, int64_t count, int64_t sites, int64_t colors) {
  AlignmentShape data;
  data.count = count;
  data.sites = sites;
  data.colors = colors;
  check_shape(data);
  TrainerSettings s;
  s.count = count;
  s.shape.sites = sites;
  s.shape.colors = colors;
  s.shape.heads = options.integer(ATP_OPT_HEADS);
  s.shape.map = static_cast<atp_map>(options.integer(ATP_OPT_MAP));
  s.shape.rank = s.shape.map == ATP_MAP_LOWRANK ? options.integer(ATP_OPT_RANK) : 0;
  s.shape.fields = options.flag(ATP_OPT_FIELDS);
  s.shape.colors_fixed = options.flag(ATP_OPT_COLORS_FIXED);
  s.shape.diagonal = static_cast<atp_diagonal>(options.integer(ATP_OPT_DIAGONAL));
  s.shape.scores_scaled = options.flag(ATP_OPT_SCORES_SCALED);
  s.shape.symmetrized = options.flag(ATP_OPT_SYMMETRIZED);
  s.shape.gaps_ignored = options.integer(ATP_OPT_GAPS) == ATP_GAPS_IGNORE;
  if (s.shape.states() < 2)
    fail(ATP_E_CONFLICT, "gaps are ignored and the data have %lld colours: one is left", static_cast<long long>(colors));
  ModelShape model;
  model.sites = sites;
  model.colors = s.shape.states();
  model.heads = s.shape.coupling_heads();
  check_shape(model);
  s.penalties.couplings = std::max(0.0, options.real(ATP_OPT_L2_COUPLINGS));
  s.penalties.colors = s.shape.colors_fixed ? 0 : options.real(ATP_OPT_L2_COLORS);
  s.penalties.fields = s.shape.fields ? std::max(0.0, options.real(ATP_OPT_L2_FIELDS)) : 0;
  s.penalties.pairs = options.real(ATP_OPT_L2_PAIRS);
  s.penalties.norm_pairs = options.real(ATP_OPT_NORM_PAIRS);
  s.penalties.norm_fields = s.shape.fields ? options.real(ATP_OPT_NORM_FIELDS) : 0;
  s.objective = static_cast<atp_objective>(options.integer(ATP_OPT_OBJECTIVE));
  s.optimizer = static_cast<atp_optimizer>(options.integer(ATP_OPT_OPTIMIZER));
  s.precision = static_cast<int>(options.integer(ATP_OPT_PRECISION));
  s.batch = std::min(options.integer(ATP_OPT_BATCH), count);
  s.epochs = options.integer(ATP_OPT_EPOCHS);
  s.history = options.integer(ATP_OPT_HISTORY);
  if (s.history == 0) s.history = 8;
  s.seed = static_cast<uint64_t>(options.integer(ATP_OPT_SEED));
  s.rate = options.real(ATP_OPT_RATE);
  if (s.rate == 0) s.rate = s.optimizer == ATP_OPTIMIZER_ADAM ? 0.01 : 0.5;
  s.momentum = options.real(ATP_OPT_MOMENTUM);
  s.tolerance = options.real(ATP_OPT_TOLERANCE);
  if (s.tolerance < 0) s.tolerance = 1e-5;
  s.init_scale = options.real(ATP_OPT_INIT_SCALE);
  s.initial = static_cast<atp_initial>(options.integer(ATP_OPT_INITIAL));
  s.rate_constant = s.stochastic() && options.integer(ATP_OPT_SCHEDULE) == ATP_SCHEDULE_CONSTANT;
  s.mask_probability = options.real(ATP_OPT_MASK_PROBABILITY);
  if (s.mask_probability > 0 && !s.masked())
    fail(ATP_E_CONFLICT, "mask-probability is %g and objective is pseudolikelihood: random masks belong to mlm", s.mask_probability);
  if (s.masked() && !s.stochastic())
    fail(ATP_E_CONFLICT, "objective is mlm and optimizer is lbfgs: random masks need sgd or adam, lbfgs needs the pseudolikelihood");
  if (s.momentum != 0 && s.optimizer != ATP_OPTIMIZER_SGD)
    fail(ATP_E_CONFLICT, "momentum is %g and optimizer is %s: only sgd has momentum", s.momentum,
         s.optimizer == ATP_OPTIMIZER_ADAM ? "adam" : "lbfgs");
  return s;
}

StochasticSettings TrainerSettings::stochastic_settings() const {
  StochasticSettings s;
  s.adam = optimizer == ATP_OPTIMIZER_ADAM;
  s.masked = masked();
  s.mask_probability = mask_probability;
  s.unknowns = stochastic() ? shape.parameters() : 0;
  s.count = count;
  s.sites = shape.sites;
  s.batch = batch;
  s.epochs = epochs;
  s.seed = seed;
  s.rate = rate;
  s.rate_constant = rate_constant;
  s.momentum = momentum;
  s.tolerance = tolerance;
  return s;
}

Trainer::Trainer(Context *owner, const TrainerSettings &values)
    : Learner(owner),
      settings(values),
      objective_(owner, values.shape, values.penalties, values.precision),
      lbfgs_(values.stochastic() ? 0 : values.shape.parameters(), values.history, values.tolerance, resolution(values.precision)),
      stochastic_(values.stochastic_settings()) {}

void Trainer::lay_out(Arena &arena) {
  objective_.lay_out(arena);
  parameters_ = arena.take<double>(settings.shape.parameters());
  const AttentionShape &shape = settings.shape;
  const bool parameters_are_heads = shape.map == ATP_MAP_FREE && !shape.symmetrized;
  maps_ = arena.take<double>(parameters_are_heads ? 0 : product_of(shape.coupling_heads(), shape.sites, shape.sites));
  values_ = arena.take<double>(shape.symmetrized ? product_of(shape.coupling_heads(), shape.states(), shape.states()) : 0);
  states_ = arena.take<uint8_t>(shape.gaps_ignored ? shape.sites : 0);
  scratch_ = arena.take<double>(coupling_error_scratch(settings.shape.colors));
  if (settings.stochastic())
    stochastic_.lay_out(arena);
  else
    lbfgs_.lay_out(arena);
}

void Trainer::init(const Alignment &train) {
  assert(train.count() == settings.count);
  keep_train(train);
  data_hash_ = checksum(train.sequences.data(), static_cast<std::size_t>(train.sequences.size()));
  if (settings.initial == ATP_INITIAL_XAVIER)
    xavier_parameters(settings.shape, settings.seed, train, parameters_);
  else
    random_parameters(settings.shape, settings.seed, settings.init_scale, parameters_);
  restart();
}

void Trainer::restart() {
  at_ = {};
  lbfgs_.reset();
  stochastic_.restart();
}

void Trainer::set_parameters(Span<const double> values) {
  copy(values, parameters_);
  restart();
}

void Trainer::set_values(Span<const double> values) {
  if (settings.shape.colors_fixed)
    objective_.set_fixed_values(values);
  else
    copy(values, parameters_.sub(settings.shape.map_parameters(), settings.shape.value_parameters()));
  values_set_ = true;
  restart();
}

void Trainer::copy_parameters(double *out) const { std::copy(parameters_.begin(), parameters_.end(), out); }

void Trainer::check_ready() const {
  if (values_missing()) fail(ATP_E_STAGE, "colours are fixed and V was never set: call atp_trainer_set_values first");
}

void Trainer::check_start() const {
  const AttentionShape &shape = settings.shape;
  if (shape.map != ATP_MAP_FREE) fail(ATP_E_CONFLICT, "map is %d: a wide start needs free maps (%d)", shape.map, ATP_MAP_FREE);
  if (shape.colors_fixed) fail(ATP_E_CONFLICT, "colours are fixed: the problem is convex, a wide start is of no use");
  if (shape.symmetrized) fail(ATP_E_CONFLICT, "symmetrized is 1: a wide start needs couplings that are not symmetrised");
}

void Trainer::check_start_wide(int64_t heads) const {
  const int64_t most = static_cast<int64_t>(kOptions[option_index(ATP_OPT_HEADS)].highest);
  check_start();
  if (heads <= settings.shape.heads || heads > most)
    fail(ATP_E_VALUE, "heads is %lld, must be in %lld..%lld", static_cast<long long>(heads),
         static_cast<long long>(settings.shape.heads) + 1, static_cast<long long>(most));
}

MaskedData Trainer::all_data() const {
  MaskedData data;
  data.sequences = train_->sequences.data();
  data.weights = train_->weights.data();
  data.count = train_->count();
  return data;
}

double Trainer::evaluate(const int64_t *masked_sites, Span<double> gradient, double *penalty) {
  MaskedData data = all_data();
  data.masked = masked_sites;
  if (!gradient.empty()) ++evaluations_;
  return objective_.evaluate(parameters_, data, gradient, penalty);
}

void Trainer::evaluate_masked(const int64_t *masked_sites, double *loss, double *objective, Span<double> gradient) {
  double penalty = 0;
  const double value = evaluate(masked_sites, gradient, &penalty);
  if (loss != nullptr) *loss = value;
  if (objective != nullptr) *objective = value + penalty;
}

double Trainer::loss(const Alignment &alignment) {
  MaskedData data;
  data.sequences = alignment.sequences.data();
  data.weights = alignment.weights.data();
  data.count = alignment.count();
  return objective_.evaluate(parameters_, data, {}, nullptr);
}

atp_outcome Trainer::start_wide(int64_t heads, int64_t iterations, Reporter &reporter) {
  TrainerSettings wide = settings;
  wide.shape.heads = heads;
  wide.objective = ATP_OBJECTIVE_PSEUDOLIKELIHOOD;
  wide.optimizer = ATP_OPTIMIZER_LBFGS;
  wide.momentum = 0;
  wide.epochs = iterations;
  struct Owner {
    Allocator &allocator;
    Trainer *trainer;
    ~Owner() {
      trainer->release();
      destroy_block(allocator, trainer);
    }
  } owner{context->allocator, create_in_block<Trainer>(context->allocator, context, wide)};
  owner.trainer->init(*train_);
  const atp_outcome outcome = owner.trainer->run(iterations, reporter);
  if (outcome != ATP_OUTCOME_DIVERGED) start_from(*owner.trainer);
  stop_.clear();
  return outcome;
}

void Trainer::start_from(const WideStart &other) {
  const auto *wide = &dynamic_cast<const Trainer &>(other);
  check_start();
  wide->check_start();
  const AttentionShape &from = wide->settings.shape, &to = settings.shape;
  if (from.sites != to.sites || from.states() != to.states() || from.fields != to.fields)
    fail(ATP_E_SHAPE, "the other trainer has %lld sites, %lld colours and %s, expected %lld, %lld and %s",
         static_cast<long long>(from.sites), static_cast<long long>(from.states()), from.fields ? "fields" : "no fields",
         static_cast<long long>(to.sites), static_cast<long long>(to.states()), to.fields ? "fields" : "no fields");
  if (from.heads <= to.heads)
    fail(ATP_E_VALUE, "the other trainer has %lld heads, expected more than %lld", static_cast<long long>(from.heads),
         static_cast<long long>(to.heads));
  reduce_parameters(*context, from, to, wide->parameters_, parameters_);
  restart();
}

atp_outcome Trainer::run(int64_t epochs, Reporter &reporter) {
  atp_outcome outcome = at_.outcome();
  if (outcome == ATP_OUTCOME_NONE && epochs > 0) {
    const int64_t last = at_.epoch + std::min(epochs, std::max<int64_t>(settings.epochs - at_.epoch, 0));
    outcome = settings.stochastic() ? run_stochastic(last, reporter) : run_lbfgs(last, reporter);
  }
  stop_.clear();
  return outcome;
}

// L-BFGS. The last evaluation of an iteration that moved was made at the new point.
atp_outcome Trainer::run_lbfgs(int64_t last, Reporter &reporter) {
  double loss = 0;
  const auto objective = [&](Span<const double> x, Span<double> gradient) {
    double penalty = 0;
    loss = objective_.evaluate(x, all_data(), gradient, &penalty);
    return loss + penalty;
  };
  while (at_.epoch < last) {
    if (reporter.stopped()) return ATP_OUTCOME_CANCELLED;
    bool moved = false;
    const Descent descent = lbfgs_.iterate(parameters_, objective, &moved);
    if (descent == Descent::converged) at_.end = ATP_OUTCOME_CONVERGED;
    if (descent == Descent::stalled) at_.end = ATP_OUTCOME_STALLED;
    if (descent == Descent::diverged) at_.end = ATP_OUTCOME_DIVERGED;
    if (moved) {
      ++at_.epoch;
      at_.loss = loss;
      at_.objective = lbfgs_.value();
      at_.rate = lbfgs_.step();
      if (report(reporter, norm(lbfgs_.gradient()))) return ATP_OUTCOME_CANCELLED;
    }
    if (at_.end != ATP_OUTCOME_NONE) return at_.outcome();
  }
  return ATP_OUTCOME_MAX_ITER;
}

atp_outcome Trainer::run_stochastic(int64_t last, Reporter &reporter) {
  double penalty = 0;
  const auto batch = [&](const Batch &chosen, Span<double> gradient) {
    MaskedData data = all_data();
    data.count = chosen.rows.size();
    data.rows = chosen.rows.data();
    if (!chosen.all_sites) data.masked = chosen.masked.data();
    data.hidden = chosen.hidden;
    const double loss = objective_.evaluate(parameters_, data, gradient, &penalty);
    return BatchLoss{loss, penalty, objective_.predicted_weight(data)};
  };
  const auto whole = [&](Span<double> gradient) { objective_.evaluate(parameters_, all_data(), gradient, &penalty); };
  const double each = settings.masked() ? std::max(1.0, settings.mask_probability * static_cast<double>(settings.shape.sites))
                                        : static_cast<double>(settings.shape.sites);
  const double operations = objective_.operations(static_cast<int64_t>(static_cast<double>(settings.batch) * each));
  const auto stopped = [&] { return reporter.stopped_before(operations); };
  const auto tell = [&](double gradient_norm) { return report(reporter, gradient_norm); };
  return stochastic_.run(last, parameters_, at_, {batch, whole, stopped, tell});
}

Model *Trainer::make_model() const {
  ModelShape shape;
  shape.sites = settings.shape.sites;
  shape.colors = settings.shape.states();
  shape.heads = settings.shape.coupling_heads();
  shape.fields = settings.shape.fields;
  Model *model = create_in_block<Model>(context->allocator, context, shape);
  objective_.expand(parameters_, model->maps, model->values, model->fields);
  std::memcpy(model->alphabet, train_->alphabet, sizeof model->alphabet);
  if (settings.shape.gaps_ignored && model->alphabet[0] != '\0')
    std::memmove(model->alphabet, model->alphabet + 1, sizeof model->alphabet - 1);
  model->labels.copy(train_->labels);
  return model;
}

}  // namespace atp
