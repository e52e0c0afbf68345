// SPDX-License-Identifier: MIT
// Factored attention by pseudo-likelihood, of all sites or of random masks. [R24 sec. II]
#include "base/checksum.hpp"
#include "alignment/frequencies.hpp"
#include "learn/factored/centred_fields.hpp"
#include "learn/factored/starts.hpp"
#include "learn/likelihood/couplings.hpp"
#include "learn/objective.hpp"
#include "learn/site_order.hpp"
#include "math/optim/vector.hpp"
#include "potts/coupling_error.hpp"
#include "potts/evaluate.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

// A likelihood needs couplings that are symmetric.
AttentionShape attention_shape(const ObjectiveInput &input) {
  const Options &options = input.options;
  AttentionShape s;
  s.sites = input.data.sites;
  s.colors = input.data.colors;
  s.heads = options.integer(ATP_OPT_HEADS);
  if (options.integer(ATP_OPT_MAP) != 0) s.map = static_cast<atp_map>(options.integer(ATP_OPT_MAP));
  s.rank = s.map == ATP_MAP_LOWRANK ? options.integer(ATP_OPT_RANK) : 0;
  s.fields = options.flag(ATP_OPT_FIELDS);
  s.colors_fixed = options.flag(ATP_OPT_COLORS_FIXED);
  s.diagonal = static_cast<atp_diagonal>(options.integer(ATP_OPT_DIAGONAL));
  s.scores_scaled = options.flag(ATP_OPT_SCORES_SCALED);
  s.symmetrized = options.integer(ATP_OPT_OBJECTIVE) == ATP_OBJECTIVE_LIKELIHOOD || options.flag(ATP_OPT_SYMMETRIZED);
  s.values_shared = options.flag(ATP_OPT_VALUES_SHARED);
  s.gaps_ignored = options.integer(ATP_OPT_GAPS) == ATP_GAPS_IGNORE;
  if (s.states() < 2)
    fail(ATP_E_CONFLICT, "gaps are ignored and the data have %lld colours: one is left", static_cast<long long>(s.colors));
  ModelShape model;
  model.sites = s.sites;
  model.colors = s.states();
  model.heads = s.coupling_heads();
  check_shape(model);
  return s;
}

Penalties penalties_of(const Options &options, const AttentionShape &shape) {
  Penalties p;
  p.couplings = std::max(0.0, options.real(ATP_OPT_L2_COUPLINGS));
  p.colors = shape.colors_fixed ? 0 : options.real(ATP_OPT_L2_COLORS);
  p.fields = shape.fields ? std::max(0.0, options.real(ATP_OPT_L2_FIELDS)) : 0;
  p.pairs = options.real(ATP_OPT_L2_PAIRS);
  p.norm_pairs = options.real(ATP_OPT_NORM_PAIRS);
  p.norm_fields = shape.fields ? options.real(ATP_OPT_NORM_FIELDS) : 0;
  return p;
}

FactoredAttention attention_of(const ObjectiveInput &input, int precision) {
  const AttentionShape shape = attention_shape(input);
  return FactoredAttention(input.context, shape, penalties_of(input.options, shape), precision);
}

class FactoredObjective final : public Objective, public CouplingParameters {
 public:
  FactoredObjective(const ObjectiveRow &own_row, const ObjectiveInput &input)
      : Objective(own_row, input),
        initial_(static_cast<atp_initial>(input.options.integer(ATP_OPT_INITIAL))),
        ordered_((own_row.capabilities & kHasOrder) != 0),
        order_rule_(static_cast<atp_order>(input.options.integer(ATP_OPT_ORDER))),
        attention_(attention_of(input, settings.precision)) {}
  void lay_out(Arena &arena) override;
  void init(const Alignment &train) override;

  int64_t model_colors() const override { return shape_.states(); }
  int64_t parameter_count() const override { return shape_.parameters(); }
  int64_t part_count() const override;
  Part part(int64_t index) const override;
  double operations(int64_t sequences) const override;
  void start(Reals x) override;
  void read(Reals x, double *out) const override;
  void write(Span<const double> values, Reals x) const override;
  void read_gradient(Reals gradient, double *out) const override;
  bool has_former_unknowns() const override { return can_centre(); }
  bool former_unknowns() const override { return former_; }
  void set_former_unknowns(bool former) override { former_ = former; }
  const Norms *norms(int) const override { return centred() ? &norms_ : nullptr; }
  void check_ready() const override {
    if (shape_.colors_fixed && !values_set_) fail(ATP_E_STAGE, "colours are fixed and V was never set: call atp_trainer_set_values first");
  }
  Evaluation evaluate(Reals x, const MaskedData &part, Reals gradient) override;
  double loss(Reals x, const Alignment &alignment) override;
  double loss_of(const Model &truth, const Alignment &alignment) override;
  double coupling_error(Reals x, const Model &truth) override;
  Model *make_model(Reals x) override;
  void describe(StateFields &fields) const override;

  Span<const int64_t> order() const override { return order_; }
  void set_order(Span<const int64_t> order) override;

  int64_t value_count() const override { return shape_.value_count(); }
  void set_values(Span<const double> values, Reals x) override;
  void check_wide(int64_t heads) const override;
  void start_from(const Objective &wide, Reals from, Reals to) const override;
  void start_model(const Model &model, Reals x) const override;

  CouplingParameters *couplings() override { return this; }
  DenseShape pairs() const override;
  bool plain() const override { return false; }
  HeadShape heads() const override;
  void add_field_penalty(Span<const double> x, Span<double> slope) const override;
  void expand(Span<const double> x, Span<double> point) override { attention_.expand_point(x, point); }
  void pull_back(Span<const double> x, Span<const double> slope, Span<double> gradient) override {
    attention_.pull_back_slope(x, slope, gradient);
  }

 private:
  void check_start() const;
  // Whether a descent of L-BFGS has centred fields; states of the first version do not.
  bool can_centre() const {
    return shape_.fields && shape_.map == ATP_MAP_FREE && !shape_.symmetrized && !settings.stochastic() &&
           row.objective != ATP_OBJECTIVE_LIKELIHOOD;
  }
  bool centred() const { return can_centre() && !former_; }
  double *fields_of(Span<double> parameters) const { return parameters.end() - shape_.field_parameters(); }
  // The parameters of the C API for those of the descent; in `plain_` where these are others.
  Span<const double> plain(Span<const double> x) const;

  const atp_initial initial_;
  const bool ordered_;
  const atp_order order_rule_;
  FactoredAttention attention_;
  const AttentionShape &shape_ = attention_.shape;
  Span<int64_t> order_, places_;  // [L] of an autoregressive model
  Span<double> conserved_;        // [L], to choose an order
  bool values_set_ = false, former_ = false;
  mutable CentredFields centring_;  // with work space
  Span<double> plain_;              // see plain()
  Norms norms_;
  Span<double> maps_;     // of the present parameters, for the coupling error; empty where they are the parameters
  Span<double> values_;   // V likewise
  Span<uint8_t> states_;  // a sequence in the colours of the model, where gaps are ignored
  Span<double> scratch_;  // for the coupling error
};

void FactoredObjective::lay_out(Arena &arena) {
  attention_.lay_out(arena);
  if (settings.optimizer == ATP_OPTIMIZER_SCALED) attention_.lay_out_point(arena);
  if (!settings.stochastic() && row.objective != ATP_OBJECTIVE_LIKELIHOOD) attention_.lay_out_data(arena, data.count);
  const bool parameters_are_heads = shape_.map == ATP_MAP_FREE && !shape_.symmetrized;
  maps_ = arena.take<double>(parameters_are_heads ? 0 : product_of(shape_.coupling_heads(), shape_.sites, shape_.sites));
  values_ = arena.take<double>(
      shape_.symmetrized || shape_.values_shared ? product_of(shape_.coupling_heads(), shape_.states(), shape_.states()) : 0);
  states_ = arena.take<uint8_t>(shape_.gaps_ignored ? shape_.sites : 0);
  scratch_ = arena.take<double>(coupling_error_scratch(shape_.colors));
  for (Span<int64_t> *sites : {&order_, &places_}) *sites = arena.take<int64_t>(ordered_ ? shape_.sites : 0);
  conserved_ = arena.take<double>(ordered_ ? shape_.sites : 0);
  if (can_centre()) centring_.lay_out(arena, shape_);
  plain_ = arena.take<double>(can_centre() ? shape_.parameters() : 0);
}

void FactoredObjective::init(const Alignment &train) {
  Objective::init(train);
  attention_.take_data(MaskedData(train));
  if (can_centre()) centring_.init(shape_, train, attention_.penalties.fields);
  if (!ordered_) return;
  order_sites(order_rule_, train, shape_.gaps_ignored, conserved_, order_);
  set_order(order_);
}

void FactoredObjective::set_order(Span<const int64_t> order) {
  std::copy(order.begin(), order.end(), order_.begin());
  write_places(order_, places_);
  attention_.shape.places = places_;
}

// Maps, or queries and keys; V unless it is fixed; fields where there are some.
int64_t FactoredObjective::part_count() const {
  return (shape_.map == ATP_MAP_LOWRANK ? 2 : 1) + (shape_.colors_fixed ? 0 : 1) + (shape_.fields ? 1 : 0);
}

Part FactoredObjective::part(int64_t index) const {
  const bool lowrank = shape_.map == ATP_MAP_LOWRANK;
  const int64_t maps = shape_.map_parameters(), values = shape_.value_parameters(), half = maps / 2;
  if (lowrank && index < 2) return index == 0 ? Part{"queries", 0, half} : Part{"keys", half, half};
  if (index == 0) return Part{"maps", 0, maps};
  const int64_t after = index - (lowrank ? 2 : 1);
  if (after == 0 && !shape_.colors_fixed) return Part{"values", maps, values};
  return Part{"fields", maps + values, shape_.field_parameters()};
}

double FactoredObjective::operations(int64_t sequences) const {
  const double sites = static_cast<double>(shape_.sites);
  const double each = settings.masked ? std::max(1.0, settings.mask_probability * sites) : sites;
  return attention_.operations(static_cast<int64_t>(static_cast<double>(sequences) * each));
}

void FactoredObjective::start(Reals x) {
  if (initial_ == ATP_INITIAL_XAVIER)
    xavier_parameters(shape_, settings.seed, *train_, x.of<double>());
  else
    random_parameters(shape_, settings.seed, settings.init_scale, x.of<double>());
  // Chains begin at sequences of the family: so do the fields of their model.
  if (row.objective == ATP_OBJECTIVE_LIKELIHOOD && shape_.fields)
    log_frequencies(*train_, false, -1, x.of<double>().data() + shape_.parameters() - shape_.field_parameters());
  if (centred()) centring_.shift(attention_, x.of<double>(), 1, fields_of(x.of<double>()));
}

Span<const double> FactoredObjective::plain(Span<const double> x) const {
  if (!centred()) return x;
  copy(x, plain_);
  centring_.shift(attention_, x, -1, fields_of(plain_));
  return plain_;
}

void FactoredObjective::read(Reals x, double *out) const { copy(plain(x.of<double>()), {out, x.size()}); }

void FactoredObjective::write(Span<const double> values, Reals x) const {
  if (!centred()) return Objective::write(values, x);
  check_range(values);
  copy(values, plain_);
  centring_.shift(attention_, values, 1, fields_of(plain_));
  for (const double *b = fields_of(plain_); b < plain_.end(); ++b)
    if (!std::isfinite(*b))
      fail(ATP_E_NOT_FINITE, "the fields of site" ATP_AT " and the means of its couplings add up to %g, must be finite",
           static_cast<long long>((b - fields_of(plain_)) / shape_.states()), *b);
  copy(plain_, x.of<double>());
}

void FactoredObjective::read_gradient(Reals gradient, double *out) const {
  if (out != gradient.of<double>().data()) copy(gradient.of<double>(), {out, gradient.size()});
  if (centred()) centring_.shift_slopes(attention_, plain_, 1, {out, gradient.size()});
}

DenseShape FactoredObjective::pairs() const {
  DenseShape pairs;
  pairs.count = data.count;
  pairs.sites = shape_.sites;
  pairs.colors = shape_.states();
  return pairs;
}

HeadShape FactoredObjective::heads() const {
  if (shape_.map != ATP_MAP_FREE || shape_.values_shared || !shape_.fields) return {};
  return {shape_.heads, shape_.sites, shape_.states(), !shape_.colors_fixed, attention_.fixed_values.data()};
}

void FactoredObjective::add_field_penalty(Span<const double> x, Span<double> slope) const {
  const Penalties &p = attention_.penalties;
  const Span<const double> b = x.sub(x.size() - shape_.field_parameters(), shape_.field_parameters());
  const double length = norm(b);
  add_scaled(2 * p.fields + (length > 0 ? p.norm_fields / length : 0), b, slope.sub(0, b.size()));
}

Evaluation FactoredObjective::evaluate(Reals x, const MaskedData &part, Reals gradient) {
  double penalty = 0;
  Evaluation now;
  const Span<const double> parameters = plain(x.of<double>());
  const Span<double> slope = gradient.empty() ? Span<double>() : gradient.of<double>();
  now.loss = attention_.evaluate(parameters, part, slope, &penalty);
  now.objective = now.loss + penalty;
  if (centred() && !slope.empty()) {
    norms_ = {norm(slope), norm(parameters)};
    centring_.shift_slopes(attention_, parameters, -1, slope);
  }
  if (settings.stochastic()) now.weight = attention_.predicted_weight(part);
  return now;
}

double FactoredObjective::loss(Reals x, const Alignment &alignment) {
  return attention_.evaluate(plain(x.of<double>()), MaskedData(alignment), {}, nullptr);
}

// Where gaps are ignored, over the sites that are not.
double FactoredObjective::loss_of(const Model &truth, const Alignment &alignment) {
  if (states_.empty()) return Objective::loss_of(truth, alignment);
  const int64_t L = shape_.sites;
  double sum = 0, total = 0;
  for (int64_t n = 0; n < alignment.count(); ++n) {
    int64_t predicted = 0;
    for (int64_t i = 0; i < L; ++i) {
      const uint8_t color = alignment.sequences[n * L + i];
      predicted += color > 0 ? 1 : 0;
      states_[i] = color > 0 ? static_cast<uint8_t>(color - 1) : kMissing;
    }
    double log_probability = 0;
    log_pseudolikelihoods(truth, states_.data(), 1, &log_probability);
    sum -= alignment.weights[n] * log_probability;
    total += alignment.weights[n] * static_cast<double>(predicted);
  }
  return total > 0 ? sum / total : 0;
}

double FactoredObjective::coupling_error(Reals x, const Model &truth) {
  const Span<const double> parameters = x.of<double>();
  CouplingView learned;
  learned.sites = shape_.sites;
  learned.colors = shape_.states();
  learned.heads = shape_.coupling_heads();
  learned.order = order_;
  attention_.expand(parameters, maps_, values_, {});
  learned.maps = maps_.empty() ? parameters.data() : maps_.data();
  learned.values = shape_.colors_fixed ? attention_.fixed_values.data() : parameters.data() + shape_.map_parameters();
  if (!values_.empty()) learned.values = values_.data();
  return atp::coupling_error(learned, couplings_of(truth), scratch_);
}

Model *FactoredObjective::make_model(Reals x) {
  ModelShape shape;
  shape.sites = shape_.sites;
  shape.colors = shape_.states();
  shape.heads = shape_.coupling_heads();
  shape.fields = shape_.fields;
  shape.ordered = ordered_;
  Model *model = new_model(shape);
  model->set_order(order_);
  attention_.expand(plain(x.of<double>()), model->maps, model->values, model->fields);
  return model;
}

void FactoredObjective::describe(StateFields &fields) const {
  const Penalties &p = attention_.penalties;
  fields.add("heads", shape_.heads);
  fields.add("map", int64_t{shape_.map});
  fields.add("rank", shape_.rank);
  fields.add("fields", int64_t{shape_.fields});
  fields.add("colors-fixed", int64_t{shape_.colors_fixed});
  fields.add("diagonal", int64_t{shape_.map == ATP_MAP_FREE ? 0 : shape_.diagonal});
  fields.add("scores-scaled", int64_t{shape_.map == ATP_MAP_LOWRANK && shape_.scores_scaled});
  fields.add("symmetrized", int64_t{shape_.symmetrized});
  if (shape_.values_shared) fields.add("values-shared", int64_t{1});
  fields.add("gaps", int64_t{shape_.gaps_ignored ? ATP_GAPS_IGNORE : ATP_GAPS_STATE});
  fields.add("initial", int64_t{initial_});
  fields.add("l2-couplings", p.couplings);
  fields.add("l2-colors", p.colors);
  fields.add("l2-fields", p.fields);
  fields.add("l2-pairs", p.pairs);
  fields.add("norm-pairs", p.norm_pairs);
  fields.add("norm-fields", p.norm_fields);
  if (ordered_) fields.add_hash(kPlacesField, checksum_of(order_));
  fields.add_hash("fixed values V", checksum_of(attention_.fixed_values));
}

void FactoredObjective::set_values(Span<const double> values, Reals x) {
  const Span<double> to = x.of<double>();
  if (centred()) centring_.shift(attention_, to, -1, fields_of(to));
  if (shape_.colors_fixed)
    attention_.set_fixed_values(values);
  else
    copy(values, to.sub(shape_.map_parameters(), shape_.value_parameters()));
  if (centred()) centring_.shift(attention_, to, 1, fields_of(to));
  values_set_ = true;
}

void FactoredObjective::check_start() const {
  if (shape_.map != ATP_MAP_FREE) fail(ATP_E_CONFLICT, "map is %d: a wide start needs free maps (%d)", shape_.map, ATP_MAP_FREE);
  if (shape_.colors_fixed) fail(ATP_E_CONFLICT, "colours are fixed: the problem is convex, a wide start is of no use");
  if (shape_.values_shared) fail(ATP_E_CONFLICT, "values-shared is 1: a wide start needs a V of each head");
  if (shape_.symmetrized) fail(ATP_E_CONFLICT, "symmetrized is 1: a wide start needs couplings that are not symmetrised");
}

void FactoredObjective::check_wide(int64_t heads) const {
  const int64_t most = static_cast<int64_t>(kTrainerOptions.find(ATP_OPT_HEADS)->highest);
  check_start();
  if (heads <= shape_.heads || heads > most)
    fail(ATP_E_VALUE, "heads is %lld, must be in %lld..%lld", static_cast<long long>(heads), static_cast<long long>(shape_.heads) + 1,
         static_cast<long long>(most));
}

void FactoredObjective::start_from(const Objective &wide, Reals from_parameters, Reals to_parameters) const {
  const auto &other = static_cast<const FactoredObjective &>(wide);
  check_start();
  other.check_start();
  const AttentionShape &from = other.shape_, &to = shape_;
  if (from.sites != to.sites || from.states() != to.states() || from.fields != to.fields)
    fail(ATP_E_SHAPE, "the other trainer has %lld sites, %lld colours and %s, expected %lld, %lld and %s",
         static_cast<long long>(from.sites), static_cast<long long>(from.states()), from.fields ? "fields" : "no fields",
         static_cast<long long>(to.sites), static_cast<long long>(to.states()), to.fields ? "fields" : "no fields");
  if (other.order_.size() != order_.size() || !std::equal(order_.begin(), order_.end(), other.order_.begin()))
    fail(ATP_E_CONFLICT, "the other trainer has %s, expected the same order of the sites and objective",
         other.order_.empty() ? "no order" : "another order");
  if (from.heads <= to.heads)
    fail(ATP_E_VALUE, "the other trainer has %lld heads, expected more than %lld", static_cast<long long>(from.heads),
         static_cast<long long>(to.heads));
  const Span<double> x = to_parameters.of<double>();
  reduce_parameters(*context, from, to, other.plain(from_parameters.of<double>()), x);
  if (centred()) centring_.shift(attention_, x, 1, fields_of(x));
}

void FactoredObjective::start_model(const Model &model, Reals x) const {
  const char *why = ordered_                     ? "the objective is autoregressive"
                    : shape_.map != ATP_MAP_FREE ? "maps are not free"
                    : shape_.colors_fixed        ? "colours are fixed"
                    : shape_.gaps_ignored        ? "gaps are ignored"
                    : shape_.values_shared       ? "heads share V"
                                                 : nullptr;
  if (why != nullptr)
    fail(ATP_E_UNSUPPORTED, "family is factored and %s: only free maps with a learned V of each head start from a model", why);
  if (!shape_.fields && !model.fields.empty()) fail(ATP_E_CONFLICT, "fields is 0 and the model has fields: set fields to 1");
  if (const int64_t most = shape_.colors * shape_.colors; shape_.heads > most)
    fail(ATP_E_CONFLICT, "heads is %lld: couplings of %lld colours have at most %lld, start from no more",
         static_cast<long long>(shape_.heads), static_cast<long long>(shape_.colors), static_cast<long long>(most));
  project_model(*context, model, shape_, x.of<double>());
  if (centred()) centring_.shift(attention_, x.of<double>(), 1, fields_of(x.of<double>()));
}

}  // namespace

Objective *make_factored(void *place, const ObjectiveRow &row, const ObjectiveInput &input) {
  return put_objective<FactoredObjective>(place, row, input);
}

}  // namespace atp
