// SPDX-License-Identifier: MIT
#include "learn/network/trainer.hpp"

#include "base/checksum.hpp"
#include "potts/coupling_error.hpp"
#include "potts/evaluate.hpp"
#include "math/optim/vector.hpp"

#include <algorithm>
#include <cstring>

namespace atp {

namespace {

constexpr int64_t kMostSites = 1 << 16;  // attention maps have its square
constexpr int64_t kHistory = 8;          // pairs of L-BFGS

// Whether a network uses an option of training; the others in the 200s keep their defaults.
bool used(const OptionInfo &info, bool dial) {
  switch (info.key) {
    case ATP_OPT_BLOCKS:
    case ATP_OPT_HIDDEN:
    case ATP_OPT_POSITIONS: return !dial;
    case ATP_OPT_DIAL:
    case ATP_OPT_MAP: return dial;
    default: return info.key < 200 || info.key >= 300 || read_by(info, ATP_READER_TRANSFORMER);
  }
}

// SGD unless an optimiser is set.
atp_optimizer optimizer_of(const Options &options) {
  return options.is_set(ATP_OPT_OPTIMIZER) ? static_cast<atp_optimizer>(options.integer(ATP_OPT_OPTIMIZER)) : ATP_OPTIMIZER_SGD;
}

// Relative accuracy of a loss.
double resolution(int precision) { return precision == 32 ? 0x1p-22 : 0x1p-46; }

void check_options(const Options &options) {
  const bool dial = options.integer(ATP_OPT_ARCHITECTURE) == ATP_ARCHITECTURE_DIAL;
  if (options.integer(ATP_OPT_GAPS) != ATP_GAPS_STATE)
    fail(ATP_E_CONFLICT, "gaps is ignore (%d): to a transformer a gap is a colour like the others (%d)", ATP_GAPS_IGNORE, ATP_GAPS_STATE);
  for (const OptionInfo &info : kOptions)
    if (!used(info, dial) && options.real(info.key) != info.initial)
      fail(ATP_E_CONFLICT, "option %s is %g: it means nothing to the %s, leave it at %g", info.name, options.real(info.key),
           dial ? "dial" : "encoder", info.initial);
  const bool lbfgs = optimizer_of(options) == ATP_OPTIMIZER_LBFGS;
  if (lbfgs && options.is_set(ATP_OPT_OBJECTIVE) && options.integer(ATP_OPT_OBJECTIVE) == ATP_OBJECTIVE_MLM)
    fail(ATP_E_CONFLICT, "objective is mlm and optimizer is lbfgs: random masks need sgd or adam, lbfgs needs the pseudolikelihood");
  if (!lbfgs && options.integer(ATP_OPT_HISTORY) != 0)
    fail(ATP_E_CONFLICT, "history is %lld: only lbfgs has one, leave it at 0", static_cast<long long>(options.integer(ATP_OPT_HISTORY)));
}

}  // namespace

TransformerSettings transformer_settings(const Options &options, int64_t count, int64_t sites, int64_t colors) {
  AlignmentShape data;
  data.count = count;
  data.sites = sites;
  data.colors = colors;
  check_shape(data);
  if (sites > kMostSites)
    fail(ATP_E_TOO_LARGE, "the sequences have %lld sites, a transformer takes at most %lld", static_cast<long long>(sites),
         static_cast<long long>(kMostSites));
  check_options(options);
  TransformerSettings s;
  s.architecture = static_cast<atp_architecture>(options.integer(ATP_OPT_ARCHITECTURE));
  if (s.has_dial())
    s.dial = dial_settings(options, sites, colors);
  else
    s.encoder = encoder_shape(options, sites, colors);
  s.precision = static_cast<int>(options.integer(ATP_OPT_PRECISION));
  s.count = count;
  s.sites = sites;
  s.colors = colors;
  s.optimizer = optimizer_of(options);
  s.masked = s.stochastic() && (!options.is_set(ATP_OPT_OBJECTIVE) || options.integer(ATP_OPT_OBJECTIVE) == ATP_OBJECTIVE_MLM);
  s.history = options.integer(ATP_OPT_HISTORY) == 0 ? kHistory : options.integer(ATP_OPT_HISTORY);
  s.batch = std::min(options.integer(ATP_OPT_BATCH), count);
  s.epochs = options.integer(ATP_OPT_EPOCHS);
  s.seed = static_cast<uint64_t>(options.integer(ATP_OPT_SEED));
  s.rate = options.real(ATP_OPT_RATE);
  if (s.rate == 0) s.rate = s.optimizer == ATP_OPTIMIZER_ADAM ? 0.001 : 0.1;
  s.momentum = options.real(ATP_OPT_MOMENTUM);
  if (s.momentum != 0 && s.optimizer != ATP_OPTIMIZER_SGD)
    fail(ATP_E_CONFLICT, "momentum is %g and optimizer is %s: only sgd has momentum", s.momentum, s.stochastic() ? "adam" : "lbfgs");
  s.tolerance = options.real(ATP_OPT_TOLERANCE);
  if (s.tolerance < 0) s.tolerance = 1e-5;
  s.init_scale = options.real(ATP_OPT_INIT_SCALE);
  return s;
}

namespace {

StochasticSettings stochastic_settings(const TransformerSettings &s, int64_t unknowns) {
  StochasticSettings to;
  to.adam = s.optimizer == ATP_OPTIMIZER_ADAM;
  to.masked = s.masked;
  to.unknowns = unknowns;
  to.count = s.count;
  to.sites = s.sites;
  to.batch = s.batch;
  to.epochs = s.epochs;
  to.seed = s.seed;
  to.rate = s.rate;
  to.momentum = s.momentum;
  to.tolerance = s.tolerance;
  return to;
}

}  // namespace

TransformerTrainer::TransformerTrainer(Context *owner, const TransformerSettings &values)
    : context(owner),
      settings(values),
      encoder_(values.encoder, values.precision, owner->target, &owner->ranks),
      dial_(values.dial, owner->target, &owner->ranks),
      run_(stochastic_settings(values, values.stochastic() ? network().parameter_count() : 0)),
      lbfgs_(values.stochastic() ? 0 : network().parameter_count(), values.history, values.tolerance, resolution(values.precision)) {}

void TransformerTrainer::lay_out(Arena &arena) {
  network().lay_out(arena);
  if (settings.stochastic())
    run_.lay_out(arena);
  else
    lbfgs_.lay_out(arena);
  parameters_ = arena.take<double>(network().parameter_count());
  parts_ = arena.take<NetworkPart>(network().part_count());
  const bool factored = settings.factored();
  map_ = arena.take<double>(factored ? product_of(settings.sites, settings.sites) : 0);
  values_ = arena.take<double>(factored ? product_of(settings.colors, settings.colors) : 0);
  scratch_ = arena.take<double>(factored ? coupling_error_scratch(settings.colors) : 0);
}

void TransformerTrainer::init(const Alignment &train) {
  borrow(&train);
  train_ = &train;
  data_hash_ = checksum(train.sequences.data(), static_cast<std::size_t>(train.sequences.size()));
  for (int64_t k = 0; k < parts_.size(); ++k) parts_[k] = network().part(k);
  network().init(settings.seed, settings.init_scale, parameters_);
  restart();
}

void TransformerTrainer::restart() {
  at_ = {};
  if (settings.stochastic())
    run_.restart();
  else
    lbfgs_.reset();
}

void TransformerTrainer::set_parameters(Span<const double> values) {
  std::copy(values.begin(), values.end(), parameters_.begin());
  restart();
}

void TransformerTrainer::set_test(const Alignment *test) {
  borrow(test);
  give_back(test_);
  test_ = test;
  optimal_known_ = false;
}

void TransformerTrainer::set_truth(const Model *truth) {
  truth_ = truth;
  optimal_known_ = false;
}

MaskedPairs TransformerTrainer::pairs(const Alignment &alignment) const {
  MaskedPairs p;
  p.sequences = alignment.sequences.data();
  p.weights = alignment.weights.data();
  p.sites = settings.sites;
  p.count = alignment.count();
  return p;
}

double TransformerTrainer::evaluate(const int64_t *masked_sites, Span<double> gradient) {
  MaskedPairs p = pairs(*train_);
  p.masked = masked_sites;
  return network().evaluate(parameters_, p, gradient, context->threads);
}

double TransformerTrainer::loss(const Alignment &alignment) {
  return network().evaluate(parameters_, pairs(alignment), {}, context->threads);
}

void TransformerTrainer::conditionals(const uint8_t *sequences, int64_t n, double *out) {
  MaskedPairs p;
  p.sequences = sequences;
  p.sites = settings.sites;
  p.count = n;
  network().conditionals(parameters_, p, out, context->threads);
}

void TransformerTrainer::maps(const Alignment &alignment, double *out) {
  network().maps(parameters_, pairs(alignment), out, context->threads);
}

Model *TransformerTrainer::make_model() {
  if (!settings.has_dial()) fail(ATP_E_CONFLICT, "the network is an encoder: only factored attention (a dial at 0) is a Potts model");
  if (!settings.factored())
    fail(ATP_E_CONFLICT, "the dial is at %g: only factored attention (a dial at 0) is a Potts model", settings.dial.dial);
  ModelShape shape;
  shape.sites = settings.sites;
  shape.colors = settings.colors;
  shape.heads = 1;
  Model *model = create_in_block<Model>(context->allocator, context, shape);
  dial_.head(parameters_, model->maps.data(), model->values.data(), context->threads);
  std::memcpy(model->alphabet, train_->alphabet, sizeof model->alphabet);
  model->labels.copy(train_->labels);
  return model;
}

double TransformerTrainer::coupling_error() {
  CouplingView learned;
  learned.sites = settings.sites;
  learned.colors = settings.colors;
  learned.heads = 1;
  dial_.head(parameters_, map_.data(), values_.data(), context->threads);
  learned.maps = map_.data();
  learned.values = values_.data();
  return atp::coupling_error(learned, couplings_of(*truth_), scratch_);
}

atp_outcome TransformerTrainer::run(int64_t epochs, Reporter &reporter) {
  atp_outcome outcome = at_.outcome();
  if (outcome == ATP_OUTCOME_NONE && epochs > 0) {
    const int64_t last = at_.epoch + std::min(epochs, std::max<int64_t>(settings.epochs - at_.epoch, 0));
    outcome = settings.stochastic() ? run_stochastic(last, reporter) : run_lbfgs(last, reporter);
  }
  stop_.clear();
  return outcome;
}

atp_outcome TransformerTrainer::run_stochastic(int64_t last, Reporter &reporter) {
  const auto batch = [&](const Batch &chosen, Span<double> gradient) {
    MaskedPairs p = pairs(*train_);
    p.count = chosen.rows.size();
    p.rows = chosen.rows.data();
    if (!chosen.all_sites) p.masked = chosen.masked.data();
    return BatchLoss{network().evaluate(parameters_, p, gradient, context->threads), 0, p.total_weight()};
  };
  const auto whole = [&](Span<double> gradient) { evaluate(nullptr, gradient); };
  const double pairs_of_batch = static_cast<double>(settings.masked ? settings.batch : settings.batch * settings.sites);
  const double operations = pairs_of_batch * network().operations() + 10 * static_cast<double>(parameters_.size());
  const auto stopped = [&] { return reporter.stopped_before(operations); };
  const auto tell = [&](double gradient_norm) { return report(reporter, gradient_norm); };
  return run_.run(last, parameters_, at_, {batch, whole, stopped, tell});
}

// The last evaluation of an iteration that moved was made at the new point, so value() is its loss.
atp_outcome TransformerTrainer::run_lbfgs(int64_t last, Reporter &reporter) {
  const auto objective = [&](Span<const double> x, Span<double> gradient) {
    return network().evaluate(x, pairs(*train_), gradient, context->threads);
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
      at_.loss = at_.objective = lbfgs_.value();
      at_.rate = lbfgs_.step();
      if (report(reporter, norm(lbfgs_.gradient()))) return ATP_OUTCOME_CANCELLED;
    }
    if (at_.end != ATP_OUTCOME_NONE) return at_.outcome();
  }
  return ATP_OUTCOME_MAX_ITER;
}

// Reports progress; returns true if the run must end.
bool TransformerTrainer::report(Reporter &reporter, double gradient_norm) {
  if (!reporter.wanted()) return reporter.meet();
  atp_progress progress;
  progress.set(ATP_PROGRESS_STEP, static_cast<double>(at_.epoch));
  progress.set(ATP_PROGRESS_TOTAL, static_cast<double>(settings.epochs));
  progress.set(ATP_PROGRESS_TRAIN_LOSS, at_.loss);
  progress.set(ATP_PROGRESS_OBJECTIVE, at_.objective);
  progress.set(ATP_PROGRESS_GRADIENT_NORM, gradient_norm);
  progress.set(ATP_PROGRESS_RATE, at_.rate);
  if (test_ != nullptr) progress.set(ATP_PROGRESS_TEST_LOSS, loss(*test_));
  if (test_ != nullptr && truth_ != nullptr) {
    if (!optimal_known_)
      optimal_loss_ = mean_loss(*truth_, test_->sequences.data(), test_->weights.data(), test_->count(), context->threads);
    optimal_known_ = true;
    progress.set(ATP_PROGRESS_OPTIMAL_LOSS, optimal_loss_);
  }
  if (truth_ != nullptr && settings.factored()) progress.set(ATP_PROGRESS_COUPLING_ERROR, coupling_error());
  return reporter.report(progress);
}

}  // namespace atp
