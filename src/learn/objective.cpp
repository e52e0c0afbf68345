// SPDX-License-Identifier: MIT
#include "learn/objective.hpp"

#include "learn/objectives.hpp"
#include "potts/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace atp {

namespace {

// Options that are 0 have the defaults of the objective.
TrainingSettings read_settings(const Options &options, const ObjectiveRow &row, int64_t count) {
  const TrainingDefaults &defaults = row.defaults;
  TrainingSettings s;
  const int64_t optimizer = options.integer(ATP_OPT_OPTIMIZER), objective = options.integer(ATP_OPT_OBJECTIVE);
  s.optimizer = optimizer != 0 ? static_cast<atp_optimizer>(optimizer) : defaults.optimizer;
  s.masked = objective != 0 ? objective == ATP_OBJECTIVE_MLM : defaults.masked && s.stochastic();
  if (row.reads.has(ATP_OPT_MASK_PROBABILITY)) s.mask_probability = options.real(ATP_OPT_MASK_PROBABILITY);
  s.precision = static_cast<int>(options.integer(ATP_OPT_PRECISION));
  s.batch = std::min(options.integer(ATP_OPT_BATCH), count);
  s.epochs = options.integer(ATP_OPT_EPOCHS);
  s.history = options.integer(ATP_OPT_HISTORY) == 0 ? defaults.history : options.integer(ATP_OPT_HISTORY);
  s.seed = static_cast<uint64_t>(options.integer(ATP_OPT_SEED));
  s.rate = options.real(ATP_OPT_RATE);
  if (s.rate == 0) s.rate = s.optimizer == ATP_OPTIMIZER_ADAM ? defaults.adam_rate : defaults.sgd_rate;
  s.momentum = options.real(ATP_OPT_MOMENTUM);
  s.tolerance = options.real(ATP_OPT_TOLERANCE);
  s.init_scale = options.real(ATP_OPT_INIT_SCALE);
  s.rate_constant = s.stochastic() && options.integer(ATP_OPT_SCHEDULE) == ATP_SCHEDULE_CONSTANT;
  return s;
}

void check_settings(const ObjectiveRow &row, const Options &options, const TrainingSettings &s) {
  if (row.refuses_all && s.stochastic() && options.integer(ATP_OPT_HISTORY) != 0)
    fail(ATP_E_CONFLICT, "history is %lld: only lbfgs has one, leave it at 0", static_cast<long long>(options.integer(ATP_OPT_HISTORY)));
  if (s.mask_probability > 0 && !s.masked)
    fail(ATP_E_CONFLICT, "mask-probability is %g and objective is pseudolikelihood: random masks belong to mlm", s.mask_probability);
  if (s.masked && !s.stochastic())
    fail(ATP_E_CONFLICT, "objective is mlm and optimizer is lbfgs: random masks need sgd or adam, lbfgs needs the pseudolikelihood");
  if (s.momentum != 0 && s.optimizer != ATP_OPTIMIZER_SGD)
    fail(ATP_E_CONFLICT, "momentum is %g and optimizer is %s: only sgd has momentum", s.momentum, s.stochastic() ? "adam" : "lbfgs");
}

void check_options(const ObjectiveRow &row, const Options &options) {
  for (int k = 0; k < options.table().count; ++k) {
    const OptionInfo &info = options.table().rows[k];
    const bool training = info.key >= ATP_OPT_HEADS && info.key < ATP_OPT_FOLDS;
    if (!training || reads_option(row, info.key) || !(row.refuses_all || row.refuses.has(info.key))) continue;
    if (const double value = options.real(info.key); value != info.initial && !says_nothing(info.key, value))
      fail(ATP_E_CONFLICT, "option %s is %g: it means nothing to family %s, leave it at %g", info.name, options.real(info.key), row.name,
           info.initial);
  }
}

}  // namespace

void StateFields::put(const char *name, Kind kind, const void *value) {
  if (count_ == kMost) fail(ATP_E_INTERNAL, "a state has more than %lld fields", static_cast<long long>(kMost));
  Field &field = fields_[count_++];
  field = {};
  std::strncpy(field.name, name, sizeof field.name - 1);
  field.kind = kind;
  std::memcpy(&field.bits, value, sizeof field.bits);
}

Objective::Objective(Context *owner, const ObjectiveRow &own_row, const Options &options, const AlignmentShape &shape)
    : context(owner), row(own_row), data(shape), settings(read_settings(options, own_row, shape.count)) {
  check_shape(shape);
  check_options(row, options);
  check_settings(row, options, settings);
}

void Objective::read(Reals x, double *out) const {
  x.visit([&](auto from) { std::copy(from.begin(), from.end(), out); });
}

void Objective::check_range(Span<const double> values) const {
  const double most = largest();
  for (int64_t k = 0; k < values.size(); ++k)
    if (!(std::fabs(values[k]) <= most))
      fail(ATP_E_NOT_FINITE, "parameters" ATP_AT " is %g, must be within %g, the range of the precision", static_cast<long long>(k),
           values[k], most);
}

void Objective::write(Span<const double> values, Reals x) const {
  check_range(values);
  x.visit([&](auto to) {
    for (int64_t k = 0; k < values.size(); ++k) to[k] = static_cast<std::remove_reference_t<decltype(to[0])>>(values[k]);
  });
}

double Objective::loss_of(const Model &truth, const Alignment &alignment) {
  return mean_loss(truth, alignment.sequences.data(), alignment.weights.data(), alignment.count(), context->threads);
}

double Objective::coupling_error(Reals, const Model &) { return std::nan(""); }

Model *Objective::new_model(const ModelShape &shape) const {
  Model *model = create_in_block<Model>(context->allocator, context, shape);
  std::memcpy(model->alphabet, train_->alphabet, sizeof model->alphabet);
  if (shape.colors < colors() && model->alphabet[0] != '\0') std::memmove(model->alphabet, model->alphabet + 1, sizeof model->alphabet - 1);
  model->labels.copy(train_->labels);
  return model;
}

}  // namespace atp
