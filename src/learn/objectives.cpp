// SPDX-License-Identifier: MIT
// The table of training objectives, and functions that all of them share.
#include "learn/objective.hpp"

#include "potts/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <type_traits>

namespace atp {

namespace {

constexpr TrainingDefaults kExact = {};                                               // L-BFGS on all sites
constexpr TrainingDefaults kExactDense = {ATP_OPTIMIZER_LBFGS, false, 0.5, 0.01, 5};  // a shorter history: it is most of the memory
constexpr TrainingDefaults kStochastic = {ATP_OPTIMIZER_SGD, true, 0.1, 0.001, 8};    // masked tokens, as [R24] trains networks

// Options of optimisers and batches: all objectives read them.
constexpr OptionKeys kCommon = {{ATP_OPT_FAMILY, ATP_OPT_OPTIMIZER, ATP_OPT_RATE, ATP_OPT_BATCH, ATP_OPT_EPOCHS, ATP_OPT_TOLERANCE,
                                 ATP_OPT_HISTORY, ATP_OPT_PRECISION, ATP_OPT_MOMENTUM, ATP_OPT_SCHEDULE}};
// Of the likelihood, whatever is learned.
constexpr TrainingDefaults kBoltzmann = {ATP_OPTIMIZER_SCALED, false, 0.05, 0.01, 8, 0.05, ATP_SCHEDULE_DECAY};

constexpr OptionKeys kFactoredReads = {{ATP_OPT_HEADS,        ATP_OPT_MAP,           ATP_OPT_RANK,          ATP_OPT_FIELDS,
                                        ATP_OPT_COLORS_FIXED, ATP_OPT_VALUES_SHARED, ATP_OPT_OBJECTIVE,     ATP_OPT_MASK_PROBABILITY,
                                        ATP_OPT_L2_COUPLINGS, ATP_OPT_L2_COLORS,     ATP_OPT_L2_FIELDS,     ATP_OPT_L2_PAIRS,
                                        ATP_OPT_NORM_PAIRS,   ATP_OPT_NORM_FIELDS,   ATP_OPT_INIT_SCALE,    ATP_OPT_INITIAL,
                                        ATP_OPT_GAPS,         ATP_OPT_DIAGONAL,      ATP_OPT_SCORES_SCALED, ATP_OPT_SYMMETRIZED}};
constexpr OptionKeys kDenseReads = {
    {ATP_OPT_ASYMMETRIC, ATP_OPT_GAPS, ATP_OPT_L2_COUPLINGS, ATP_OPT_L2_FIELDS, ATP_OPT_L2_SCALE, ATP_OPT_FIELDS}};
constexpr OptionKeys kFactoredOrderedReads = {{ATP_OPT_HEADS, ATP_OPT_MAP, ATP_OPT_RANK, ATP_OPT_FIELDS, ATP_OPT_COLORS_FIXED,
                                               ATP_OPT_L2_COUPLINGS, ATP_OPT_L2_COLORS, ATP_OPT_L2_FIELDS, ATP_OPT_L2_PAIRS,
                                               ATP_OPT_NORM_PAIRS, ATP_OPT_NORM_FIELDS, ATP_OPT_INIT_SCALE, ATP_OPT_INITIAL, ATP_OPT_GAPS,
                                               ATP_OPT_DIAGONAL, ATP_OPT_SCORES_SCALED, ATP_OPT_ORDER, ATP_OPT_VALUES_SHARED}};
constexpr OptionKeys kDenseOrderedReads = {
    {ATP_OPT_ASYMMETRIC, ATP_OPT_GAPS, ATP_OPT_L2_COUPLINGS, ATP_OPT_L2_FIELDS, ATP_OPT_L2_SCALE, ATP_OPT_FIELDS, ATP_OPT_ORDER}};
constexpr TrainingDefaults kBoltzmannFactored = {ATP_OPTIMIZER_SCALED, false, 0.05, 0.01, 8, 0.1, ATP_SCHEDULE_DECAY};
constexpr OptionKeys kFactoredLikelihoodReads = {
    {ATP_OPT_OBJECTIVE,     ATP_OPT_HEADS,         ATP_OPT_MAP,         ATP_OPT_RANK,          ATP_OPT_FIELDS,      ATP_OPT_COLORS_FIXED,
     ATP_OPT_L2_COUPLINGS,  ATP_OPT_L2_COLORS,     ATP_OPT_L2_FIELDS,   ATP_OPT_L2_PAIRS,      ATP_OPT_NORM_PAIRS,  ATP_OPT_NORM_FIELDS,
     ATP_OPT_INIT_SCALE,    ATP_OPT_INITIAL,       ATP_OPT_DIAGONAL,    ATP_OPT_SCORES_SCALED, ATP_OPT_SYMMETRIZED, ATP_OPT_CHAINS,
     ATP_OPT_SWEEPS,        ATP_OPT_RANDOM_CHAINS, ATP_OPT_CHAIN_START, ATP_OPT_PSEUDOCOUNT,   ATP_OPT_TARGET,      ATP_OPT_DECAY,
     ATP_OPT_VALUES_SHARED, ATP_OPT_TEMPERATURES,  ATP_OPT_FIXED}};
constexpr OptionKeys kDenseLikelihoodReads = {{ATP_OPT_OBJECTIVE, ATP_OPT_L2_COUPLINGS, ATP_OPT_L2_FIELDS, ATP_OPT_L1_COUPLINGS,
                                               ATP_OPT_FIELDS, ATP_OPT_CHAINS, ATP_OPT_SWEEPS, ATP_OPT_RANDOM_CHAINS, ATP_OPT_CHAIN_START,
                                               ATP_OPT_PSEUDOCOUNT, ATP_OPT_TARGET, ATP_OPT_DECAY, ATP_OPT_TEMPERATURES, ATP_OPT_SPARSIFY,
                                               ATP_OPT_DENSITY, ATP_OPT_SPARSIFY_FRACTION, ATP_OPT_SPARSIFY_STEPS, ATP_OPT_FIXED}};
constexpr OptionKeys kEncoderReads = {
    {ATP_OPT_OBJECTIVE, ATP_OPT_INIT_SCALE, ATP_OPT_BLOCKS, ATP_OPT_WIDTH, ATP_OPT_HIDDEN, ATP_OPT_POSITIONS}};
constexpr OptionKeys kDialReads = {{ATP_OPT_OBJECTIVE, ATP_OPT_INIT_SCALE, ATP_OPT_MAP, ATP_OPT_WIDTH, ATP_OPT_DIAL}};

constexpr uint32_t kNetwork = kHasMaskedLosses | kHasNetwork, kFactored = kHasColorMatrices | kHasMaskedLosses | kHasWideStart;

constexpr atp_objective kPseudo = ATP_OBJECTIVE_PSEUDOLIKELIHOOD, kOrdered = ATP_OBJECTIVE_AUTOREGRESSIVE;

constexpr ObjectiveRow kRows[] = {
    {"factored", ATP_FAMILY_FACTORED, kPseudo, false, kFactored, kExact, kFactoredReads, make_factored},
    {"factored", ATP_FAMILY_FACTORED, ATP_OBJECTIVE_LIKELIHOOD, false, kHasColorMatrices | kHasChains | kHasReintegration,
     kBoltzmannFactored, kFactoredLikelihoodReads, make_factored},
    {"dense", ATP_FAMILY_DENSE, kPseudo, false, kHasReduction | kHasPairLists, kExactDense, kDenseReads, make_dense},
    {"dense", ATP_FAMILY_DENSE, kPseudo, true, kHasPairLists, kExact, kDenseReads, make_dense_sites},
    {"factored", ATP_FAMILY_FACTORED, kOrdered, false, kHasColorMatrices | kHasWideStart | kHasOrder, kExact, kFactoredOrderedReads,
     make_factored},
    {"dense", ATP_FAMILY_DENSE, kOrdered, false, kHasPairLists | kHasOrder, kExactDense, kDenseOrderedReads, make_dense},
    {"dense", ATP_FAMILY_DENSE, kOrdered, true, kHasPairLists | kHasOrder, kExact, kDenseOrderedReads, make_dense_sites},
    {"dense", ATP_FAMILY_DENSE, ATP_OBJECTIVE_LIKELIHOOD, false, kHasPairLists | kHasChains | kHasReintegration, kBoltzmann,
     kDenseLikelihoodReads, make_dense},
    {"encoder", ATP_FAMILY_ENCODER, kPseudo, false, kNetwork, kStochastic, kEncoderReads, make_encoder},
    {"dial", ATP_FAMILY_DIAL, kPseudo, false, kNetwork, kStochastic, kDialReads, make_dial},
};

struct CapabilityText {
  Capability bit;
  const char *text;
};
constexpr CapabilityText kTexts[] = {
    {kHasColorMatrices, "there is no V to set"},
    {kHasMaskedLosses, "there are no losses of single masked sites"},
    {kHasWideStart, "there is no start from more heads"},
    {kHasReduction, "training data in several processes need symmetric dense couplings by lbfgs; for the others see ranks.h"},
    {kHasPairLists, "only dense couplings (family dense) can have a list of pairs"},
    {kHasReintegration, "only the objective likelihood has tested sequences: with adjustments below 0 the others may have no minimum"},
    {kHasOrder, "only the objective autoregressive has an order of the sites"},
    {kHasChains, "only the objective likelihood has chains"},
    {kHasNetwork, "only networks (family encoder or dial) have attention maps and conditionals"},
};

SparsitySettings read_sparsity(const Options &options) {
  SparsitySettings s;
  s.rule = static_cast<atp_sparsify>(options.integer(ATP_OPT_SPARSIFY));
  const bool added = s.rule == ATP_SPARSIFY_ACTIVATE;
  const double density = options.real(ATP_OPT_DENSITY), fraction = options.real(ATP_OPT_SPARSIFY_FRACTION);
  s.density = density > 0 ? density : added ? 1 : 0.02;
  s.fraction = fraction > 0 ? fraction : added ? 0.001 : 0.01;
  s.steps = options.integer(ATP_OPT_SPARSIFY_STEPS);
  if (s.steps == 0) s.steps = added ? 10 : 2;
  return s;
}

BoltzmannSettings read_boltzmann(const Options &options) {
  BoltzmannSettings s;
  s.chains = options.integer(ATP_OPT_CHAINS);
  s.sweeps = options.integer(ATP_OPT_SWEEPS);
  s.rungs = options.integer(ATP_OPT_TEMPERATURES);
  s.fixed = static_cast<atp_fixed>(options.integer(ATP_OPT_FIXED));
  s.start = static_cast<atp_chain_start>(options.integer(ATP_OPT_CHAIN_START));
  s.random_chains = s.start == ATP_CHAIN_START_PERSISTENT ? options.real(ATP_OPT_RANDOM_CHAINS) : 0;
  s.pseudocount = options.real(ATP_OPT_PSEUDOCOUNT);
  s.target = options.real(ATP_OPT_TARGET);
  s.l1 = options.real(ATP_OPT_L1_COUPLINGS);
  s.decay = options.real(ATP_OPT_DECAY);
  s.sparsity = read_sparsity(options);
  return s;
}

// Why scaled steps do not know the parameters of a row; NULL: they do.
const char *without_scales(const ObjectiveRow &row, const Options &options) {
  if (row.family == ATP_FAMILY_DENSE) return nullptr;
  const int64_t map = options.integer(ATP_OPT_MAP);
  return map != 0 && map != ATP_MAP_FREE                      ? "maps are not free"
         : options.flag(ATP_OPT_VALUES_SHARED)                ? "heads share V"
         : !options.flag(ATP_OPT_FIELDS)                      ? "there are no fields"
         : options.integer(ATP_OPT_FIXED) == ATP_FIXED_FIELDS ? "fields are fixed"
                                                              : nullptr;
}

// The optimiser of the options, or the default: Adam where scaled steps do not know the parameters.
atp_optimizer optimizer_of(const Options &options, const ObjectiveRow &row) {
  if (const int64_t given = options.integer(ATP_OPT_OPTIMIZER); given != 0) return static_cast<atp_optimizer>(given);
  const bool unknown = row.defaults.optimizer == ATP_OPTIMIZER_SCALED && without_scales(row, options) != nullptr;
  return unknown ? ATP_OPTIMIZER_ADAM : row.defaults.optimizer;
}

// Options that are 0 have the defaults of the objective.
TrainingSettings read_settings(const Options &options, const ObjectiveRow &row, int64_t count) {
  const TrainingDefaults &defaults = row.defaults;
  TrainingSettings s;
  const int64_t objective = options.integer(ATP_OPT_OBJECTIVE);
  s.optimizer = optimizer_of(options, row);
  s.masked = objective != 0 ? objective == ATP_OBJECTIVE_MLM : defaults.masked && s.stochastic();
  if (row.reads.has(ATP_OPT_MASK_PROBABILITY)) s.mask_probability = options.real(ATP_OPT_MASK_PROBABILITY);
  s.precision = static_cast<int>(options.integer(ATP_OPT_PRECISION));
  s.batch = std::min(options.integer(ATP_OPT_BATCH), count);
  s.epochs = options.integer(ATP_OPT_EPOCHS);
  s.history = options.integer(ATP_OPT_HISTORY) == 0 ? defaults.history : options.integer(ATP_OPT_HISTORY);
  s.seed = static_cast<uint64_t>(options.integer(ATP_OPT_SEED));
  s.rate = options.real(ATP_OPT_RATE);
  if (s.rate == 0)
    s.rate = s.optimizer == ATP_OPTIMIZER_ADAM     ? defaults.adam_rate
             : s.optimizer == ATP_OPTIMIZER_SCALED ? defaults.scaled_rate
                                                   : defaults.sgd_rate;
  s.momentum = options.real(ATP_OPT_MOMENTUM);
  s.tolerance = options.real(ATP_OPT_TOLERANCE);
  s.init_scale = options.real(ATP_OPT_INIT_SCALE);
  const int64_t schedule = options.integer(ATP_OPT_SCHEDULE);
  s.boltzmann = read_boltzmann(options);
  s.schedule = schedule != 0 ? static_cast<atp_schedule>(schedule) : defaults.schedule;
  return s;
}

// The likelihood has gradients from samples alone.
void check_likelihood(const TrainingSettings &s, const ObjectiveRow &row, const Options &options) {
  if (s.optimizer == ATP_OPTIMIZER_LBFGS)
    fail(ATP_E_CONFLICT, "objective is likelihood and optimizer is lbfgs: its values are not known, use scaled, sgd or adam");
  if (s.optimizer != ATP_OPTIMIZER_SCALED && s.boltzmann.l1 != 0)
    fail(ATP_E_CONFLICT, "l1-couplings is %g and optimizer is %s: only scaled steps have this penalty", s.boltzmann.l1,
         s.optimizer == ATP_OPTIMIZER_ADAM ? "adam" : "sgd");
  if (s.boltzmann.sparsity.rule != ATP_SPARSIFY_NONE && s.boltzmann.fixed != ATP_FIXED_NONE)
    fail(ATP_E_CONFLICT, "fixed is %d with sparsify, must be none (%d)", s.boltzmann.fixed, ATP_FIXED_NONE);
  if (s.boltzmann.sparsity.rule == ATP_SPARSIFY_NONE)
    for (const atp_option key : {ATP_OPT_DENSITY, ATP_OPT_SPARSIFY_FRACTION, ATP_OPT_SPARSIFY_STEPS})
      if (options.real(key) != 0)
        fail(ATP_E_CONFLICT, "option %s is %g and sparsify is none: it belongs to activate and decimate", atp_option_name(key),
             options.real(key));
  const char *why = without_scales(row, options);
  if (s.optimizer == ATP_OPTIMIZER_SCALED && why != nullptr)
    fail(ATP_E_CONFLICT, "optimizer is scaled, family is %s and %s: use adam or sgd", row.name, why);
}

void check_settings(const TrainingSettings &s, const ObjectiveRow &row, const Options &options) {
  const bool likelihood = row.objective == ATP_OBJECTIVE_LIKELIHOOD;
  const int64_t history = options.integer(ATP_OPT_HISTORY);
  if (likelihood) check_likelihood(s, row, options);
  if (s.optimizer == ATP_OPTIMIZER_SCALED && !likelihood)
    fail(ATP_E_CONFLICT, "optimizer is scaled and objective is not likelihood: its scales are those of the likelihood");
  if (s.schedule == ATP_SCHEDULE_DECAY && !likelihood)
    fail(ATP_E_CONFLICT, "schedule is decay and objective is not likelihood: the others have cosine and constant");
  if (s.stochastic() && history != 0)
    fail(ATP_E_CONFLICT, "history is %lld: only lbfgs has one, leave it at 0", static_cast<long long>(history));
  if (s.mask_probability > 0 && !s.masked)
    fail(ATP_E_CONFLICT, "mask-probability is %g and objective is pseudolikelihood: random masks belong to mlm", s.mask_probability);
  if (s.masked && !s.stochastic())
    fail(ATP_E_CONFLICT, "objective is mlm and optimizer is lbfgs: random masks need sgd or adam, lbfgs needs the pseudolikelihood");
  if (s.momentum != 0 && s.optimizer != ATP_OPTIMIZER_SGD)
    fail(ATP_E_CONFLICT, "momentum is %g and optimizer is %s: only sgd has momentum", s.momentum,
         s.optimizer == ATP_OPTIMIZER_LBFGS  ? "lbfgs"
         : s.optimizer == ATP_OPTIMIZER_ADAM ? "adam"
                                             : "scaled");
}

// An option of training that is not at its default.
bool is_set(const OptionInfo &info, const Options &options) {
  const bool of_training = (info.key >= ATP_OPT_HEADS && info.key < ATP_OPT_FOLDS) || info.key == ATP_OPT_CHAINS ||
                           info.key == ATP_OPT_TEMPERATURES || info.key == ATP_OPT_PSEUDOCOUNT;
  return of_training && options.real(info.key) != info.initial;
}

// Whether a value describes what a row without the option does anyway: its objective, free maps.
bool says_nothing(const ObjectiveRow &row, int key, double value) {
  return (key == ATP_OPT_OBJECTIVE && value == double(row.objective)) || (key == ATP_OPT_MAP && value == double{ATP_MAP_FREE});
}

// Word of the value of an option of training.
const char *word_of(atp_option key, int64_t value) { return kTrainerOptions.find(key)->word(value); }

// A value as users write it: a word where the option has words.
struct ValueText {
  char text[32];
  ValueText(const OptionInfo &info, double value) {
    const char *word = info.integer ? info.word(static_cast<int64_t>(value)) : nullptr;
    if (word != nullptr)
      format_text(text, sizeof text, "%s", word);
    else
      format_text(text, sizeof text, "%g", value);
  }
};

// Who reads an option: "factored or dense", or, where it is read for another objective of the same family, "objective
// autoregressive".
struct Readers {
  char text[96] = "";
  Readers(const ObjectiveRow &own, int key) {
    bool in_family = false;
    for (const ObjectiveRow &row : kRows) in_family = in_family || (row.family == own.family && row.reads.has(key));
    int64_t named[std::size(kRows)], count = 0;  // families, or objectives of this one
    for (const ObjectiveRow &row : kRows) {
      const int64_t name = in_family ? int64_t{row.objective} : int64_t{row.family};
      if (!row.reads.has(key) || (in_family && row.family != own.family) || std::find(named, named + count, name) != named + count)
        continue;
      const std::size_t used = std::strlen(text);
      format_text(text + used, sizeof text - used, "%s%s",
                  count > 0   ? " or "
                  : in_family ? "objective "
                              : "",
                  word_of(in_family ? ATP_OPT_OBJECTIVE : ATP_OPT_FAMILY, name));
      named[count++] = name;
    }
  }
};

}  // namespace

bool OptionKeys::has(int key) const { return std::find(std::begin(keys), std::end(keys), key) != std::end(keys); }

const ObjectiveRow &objective_row(const Options &options) {
  const int64_t family = options.integer(ATP_OPT_FAMILY), given = options.integer(ATP_OPT_OBJECTIVE);
  const int64_t objective = given == 0 || given == ATP_OBJECTIVE_MLM ? int64_t{ATP_OBJECTIVE_PSEUDOLIKELIHOOD} : given;
  const bool sites = family == ATP_FAMILY_DENSE && options.flag(ATP_OPT_ASYMMETRIC);
  for (const ObjectiveRow &row : kRows)
    if (row.family == family && row.objective == objective && row.site_by_site == sites) return row;
  fail(ATP_E_CONFLICT, "objective is %s, family is %s%s: there is no such training", word_of(ATP_OPT_OBJECTIVE, objective),
       word_of(ATP_OPT_FAMILY, family), sites ? ", asymmetric is 1" : "");
}

void require_capability(const ObjectiveRow &row, Capability capability) {
  if ((row.capabilities & capability) != 0) return;
  for (const CapabilityText &known : kTexts)
    if (known.bit == capability) fail(ATP_E_UNSUPPORTED, "family is %s: %s", row.name, known.text);
}

void check_options(const ObjectiveRow &row, const Options &options) {
  for (int k = 0; k < options.table().count; ++k) {
    const OptionInfo &info = options.table().rows[k];
    const double value = options.real(info.key);
    if (is_set(info, options) && !kCommon.has(info.key) && !row.reads.has(info.key) && !says_nothing(row, info.key, value))
      fail(ATP_E_CONFLICT, "option %s is %s: it means nothing to family %s%s%s, only to %s; leave it at %s", info.name,
           ValueText(info, value).text, row.name, row.objective == kPseudo ? "" : " with objective ",
           row.objective == kPseudo ? "" : word_of(ATP_OPT_OBJECTIVE, row.objective), Readers(row, info.key).text,
           ValueText(info, info.initial).text);
  }
}

void warn_of_unused(const Context &context, const ObjectiveRow &row, const Options &options) {
  const bool lbfgs = optimizer_of(options, row) == ATP_OPTIMIZER_LBFGS;
  const bool lowrank = options.integer(ATP_OPT_MAP) == ATP_MAP_LOWRANK;
  for (int k = 0; k < options.table().count; ++k) {
    const OptionInfo &info = options.table().rows[k];
    if (!is_set(info, options)) continue;
    const bool stochastic = info.key == ATP_OPT_RATE || info.key == ATP_OPT_BATCH || info.key == ATP_OPT_SCHEDULE;
    const char *why = nullptr;
    if (stochastic && lbfgs) why = "optimizer is lbfgs, which uses all sequences and searches its step";
    if (info.key == ATP_OPT_RANK && !lowrank) why = "it belongs to maps of low rank";
    if (why == nullptr) continue;
    context.message(ATP_LOG_WARNING, "option %s is %s and has no effect: %s (family is %s)", info.name,
                    ValueText(info, options.real(info.key)).text, why, row.name);
  }
}

double MaskedData::predicted_weight(bool without_gaps) const {
  if (!without_gaps) return total_weight();
  double sum = 0;
  for (int64_t n = 0; n < count; ++n) {
    const uint8_t *s = sequence(n);
    if (masked != nullptr)
      sum += s[masked[n]] == 0 ? 0 : weight(n);
    else
      sum += weight(n) * static_cast<double>(sites - std::count(s, s + sites, 0));
  }
  return masked != nullptr ? sum : sum / static_cast<double>(sites);
}

void StateFields::put(const char *name, Kind kind, const void *value) {
  if (count_ == kMost) fail(ATP_E_INTERNAL, "a state has more than %lld fields", static_cast<long long>(kMost));
  Field &field = fields_[count_++];
  field = {};
  std::strncpy(field.name, name, sizeof field.name - 1);
  field.kind = kind;
  std::memcpy(&field.bits, value, sizeof field.bits);
}

Objective::Objective(const ObjectiveRow &own_row, const ObjectiveInput &input)
    : context(input.context), row(own_row), data(input.data), settings(read_settings(input.options, own_row, input.data.count)) {
  check_shape(data);
  check_options(row, input.options);
  check_settings(settings, row, input.options);
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

void Objective::start_model(const Model &, Reals) const {
  fail(ATP_E_UNSUPPORTED,
       "family is %s%s: only dense couplings and factored attention of Potts models start from a model, others by their parameters",
       row.name,
       row.site_by_site                                ? ", asymmetric is 1"
       : row.objective == ATP_OBJECTIVE_AUTOREGRESSIVE ? ", objective is autoregressive"
                                                       : "");
}

double Objective::loss_of(const Model &truth, const Alignment &alignment) {
  return mean_loss(truth, alignment.sequences.data(), alignment.weights.data(), alignment.count());
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
