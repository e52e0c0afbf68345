// SPDX-License-Identifier: MIT
#include "learn/network/dial.hpp"

#include "base/philox.hpp"
#include "learn/network/network_objective.hpp"
#include "potts/coupling_error.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace atp {

namespace {

constexpr int64_t kRows = 16;           // rows of a product per task
constexpr int64_t kTeamWork = 1 << 18;  // from this many multiply-adds on, several threads share a product

// A matrix with arbitrary strides.
struct View {
  const double *data;
  int64_t row, column;
};
View plain(const double *data, int64_t columns) { return {data, columns, 1}; }
View transposed(const double *data, int64_t columns) { return {data, 1, columns}; }

// out[r][c] += factor sum_k a[r][k] b[k][c]. b and out have contiguous rows. Plain loops give the same bits on every machine.
void add_product(Threads threads, int64_t rows, int64_t depth, int64_t columns, double factor, View a, const double *b, int64_t b_stride,
                 double *out, int64_t out_stride) {
  parallel_for(threads.at_most(rows * depth * columns < kTeamWork ? 1 : kMaxThreads), (rows + kRows - 1) / kRows, [&](int64_t task, int) {
    for (int64_t r = task * kRows; r < std::min(rows, (task + 1) * kRows); ++r)
      for (int64_t k = 0; k < depth; ++k) {
        const double x = factor * a.data[r * a.row + k * a.column], *from = b + k * b_stride;
        double *to = out + r * out_stride;
        for (int64_t c = 0; c < columns; ++c) to[c] += x * from[c];
      }
  });
}

void transpose(const double *x, int64_t rows, int64_t columns, double *to) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) to[c * rows + r] = x[r * columns + c];
}

double dot(const double *x, const double *y, int64_t n) {
  double sum = 0;
  for (int64_t k = 0; k < n; ++k) sum += x[k] * y[k];
  return sum;
}

}  // namespace

DialSizes DialSettings::sizes() const {
  DialSizes s;
  s.sites = sites;
  s.colors = colors;
  s.content = content();
  return s;
}

DialSettings dial_settings(const Options &options, int64_t sites, int64_t colors) {
  DialSettings s;
  s.sites = sites;
  s.colors = colors;
  s.dial = options.real(ATP_OPT_DIAL);
  if (options.integer(ATP_OPT_MAP) != 0) s.map = static_cast<atp_map>(options.integer(ATP_OPT_MAP));
  s.precision = static_cast<int>(options.integer(ATP_OPT_PRECISION));
  if (s.dial > 0 && s.map != ATP_MAP_LOWRANK)
    fail(ATP_E_CONFLICT, "map is %s and dial is %g: only at dial 0 the map can be anything else than lowrank",
         s.map == ATP_MAP_FREE ? "free" : "softmax", s.dial);
  if (options.integer(ATP_OPT_WIDTH) != 0 && options.integer(ATP_OPT_WIDTH) != colors)
    fail(ATP_E_CONFLICT, "width is %lld and the data have %lld colours: embeddings of the dial are one-hot, as wide as there are colours",
         static_cast<long long>(options.integer(ATP_OPT_WIDTH)), static_cast<long long>(colors));
  return s;
}

Dial Dial::make(const ObjectiveInput &input) {
  return {dial_settings(input.options, input.data.sites, input.data.colors), input.context->target, &input.context->ranks};
}

int64_t Dial::part_size(int64_t index) const {
  const int64_t sites = settings.sites, q = settings.colors;
  if (!settings.positions()) return index == 0 ? sites * sites : q * q;
  return index == 0 ? sites * q : index == 4 ? q : q * q;
}

int64_t Dial::parameter_count() const {
  int64_t sum = 0;
  for (int64_t k = 0; k < part_count(); ++k) sum += part_size(k);
  return sum;
}

Part Dial::part(int64_t index) const {
  static constexpr const char *kNames[] = {"positions", "queries", "keys", "values", "mask"};
  Part part{};
  const char *name = settings.positions() ? kNames[index] : index == 1 ? "values" : settings.map == ATP_MAP_FREE ? "map" : "scores";
  std::strncpy(part.name, name, sizeof part.name - 1);
  for (int64_t k = 0; k < index; ++k) part.offset += part_size(k);
  part.size = part_size(index);
  return part;
}

template <class T>
Dial::Parts<T> Dial::split(T *parameters) const {
  Parts<T> parts{};
  const int64_t sites = settings.sites, square = settings.colors * settings.colors;
  if (!settings.positions()) {
    parts.map = parameters;
    parts.values = parameters + sites * sites;
    return parts;
  }
  parts.positions = parameters;
  parts.queries = parameters + sites * settings.colors;
  parts.keys = parts.queries + square;
  parts.values = parts.keys + square;
  if (settings.content()) parts.mask = parts.values + square;
  return parts;
}

void Dial::lay_out(Arena &arena) {
  const DialSizes sizes = settings.sizes();
  const int64_t sites = settings.sites, q = settings.colors, rows = settings.positions() ? sites * q : 0;
  const int64_t square = settings.positions() ? q * q : 0;
  pass64_.lay_out(arena, sizes, settings.precision == 32);
  if (settings.precision == 32) pass32_.lay_out(arena, sizes);
  for (Span<double> *x : {&scores_, &score_sums_}) *x = arena.take<double>(sites, sites);
  for (Span<double> *x : {&tokens_, &token_sums_}) *x = arena.take<double>(settings.content() ? product_of(sites, (q + 1)) : 0);
  for (Span<double> *x : {&values_, &value_sums_}) *x = arena.take<double>(q, sizes.features());
  diagonal_ = arena.take<double>(sites);
  for (Span<double> *x : {&inputs_, &queried_, &keyed_, &keyed_sums_, &queried_sums_, &input_sums_, &positions_t_})
    *x = arena.take<double>(rows);
  for (Span<double> *x : {&queries_t_, &keys_t_}) *x = arena.take<double>(square);
  sums_.scores = score_sums_.data();
  sums_.tokens = settings.content() ? token_sums_.data() : nullptr;
  sums_.values = value_sums_.data();
}

void Dial::init(uint64_t seed, double scale, Span<double> parameters) const {
  const double one = 1 / std::sqrt(static_cast<double>(settings.colors));
  for (int64_t k = 0; k < part_count(); ++k) {
    const Part p = part(k);
    const RandomView random(seed, Stream::parameters, 0, static_cast<uint64_t>(k));
    const bool small = !settings.positions() || k == 3;
    for (int64_t m = 0; m < p.size; ++m) parameters[p.offset + m] = (small ? scale : one) * random.normal(static_cast<uint64_t>(m));
  }
  if (settings.map == ATP_MAP_FREE)
    for (int64_t i = 0; i < settings.sites; ++i) parameters[i * settings.sites + i] = 0;
}

// Computes the scores of the positions, [L][L], and of the tokens.
void Dial::make_scores(const Parts<const double> &parts, Threads threads) {
  const int64_t sites = settings.sites, q = settings.colors;
  const double a = settings.dial;
  for (int64_t k = 0; k < sites; ++k)
    for (int64_t b = 0; b < q; ++b) inputs_[k * q + b] = parts.positions[k * q + b] + (parts.mask != nullptr ? a * parts.mask[b] : 0);
  transpose(parts.positions, sites, q, positions_t_.data());
  transpose(parts.queries, q, q, queries_t_.data());
  for (Span<double> x : {queried_, keyed_, scores_}) std::fill(x.begin(), x.end(), 0.0);
  add_product(threads, sites, q, q, 1, plain(inputs_.data(), q), queries_t_.data(), q, queried_.data(), q);
  add_product(threads, sites, q, q, 1, plain(queried_.data(), q), parts.keys, q, keyed_.data(), q);
  add_product(threads, sites, q, sites, 1, plain(keyed_.data(), q), positions_t_.data(), sites, scores_.data(), sites);
  if (parts.mask == nullptr) return;
  for (int64_t k = 0; k < sites; ++k) {
    const double *g = keyed_.data() + k * q;
    double *to = tokens_.data() + k * (q + 1);
    for (int64_t b = 0; b < q; ++b) to[b] = a * g[b];
    to[q] = a * dot(g, parts.mask, q);
  }
}

DialTables Dial::make_tables(const double *parameters, Threads threads) {
  const Parts<const double> parts = split(parameters);
  const int64_t sites = settings.sites, q = settings.colors;
  const double a = settings.dial;
  if (settings.positions())
    make_scores(parts, threads);
  else
    std::copy_n(parts.map, sites * sites, scores_.begin());
  if (settings.content()) {
    const int64_t features = q + 1 + sites;
    std::fill(values_.begin(), values_.end(), 0.0);
    for (int64_t c = 0; c < q; ++c) {
      const double *v = parts.values + c * q;
      std::copy_n(v, q, values_.data() + c * features);
      values_[c * features + q] = dot(v, parts.mask, q);
    }
    add_product(threads, q, q, sites, a, plain(parts.values, q), positions_t_.data(), sites, values_.data() + q + 1, features);
    return {scores_.data(), tokens_.data(), values_.data()};
  }
  std::copy_n(parts.values, q * q, values_.begin());
  for (int64_t k = 0; k < sites; ++k) {
    double *x = scores_.data() + k * sites;
    if (settings.map != ATP_MAP_FREE) {
      const double top = *std::max_element(x, x + sites);
      double total = 0;
      for (int64_t j = 0; j < sites; ++j) total += x[j] = std::exp(x[j] - top);
      for (int64_t j = 0; j < sites; ++j) x[j] /= total;
    } else {
      x[k] = 0;
    }
    diagonal_[k] = x[k];
    x[k] = 0;
  }
  return {scores_.data(), nullptr, values_.data()};
}

// Adds the derivatives with respect to the parameters of scores and tokens to `to`, from those of scores and tokens.
void Dial::pull_back_scores(const Parts<const double> &parts, const Parts<double> &to, Threads threads) {
  const int64_t sites = settings.sites, q = settings.colors;
  const double a = settings.dial;
  for (Span<double> x : {keyed_sums_, queried_sums_, input_sums_}) std::fill(x.begin(), x.end(), 0.0);
  if (parts.mask != nullptr)
    for (int64_t k = 0; k < sites; ++k) {
      const double *from = token_sums_.data() + k * (q + 1), *g = keyed_.data() + k * q;
      for (int64_t b = 0; b < q; ++b) {
        keyed_sums_[k * q + b] = a * (from[b] + from[q] * parts.mask[b]);
        to.mask[b] += a * from[q] * g[b];
      }
    }
  add_product(threads, sites, sites, q, 1, plain(score_sums_.data(), sites), parts.positions, q, keyed_sums_.data(), q);
  add_product(threads, sites, sites, q, 1, transposed(score_sums_.data(), sites), keyed_.data(), q, to.positions, q);
  transpose(parts.keys, q, q, keys_t_.data());
  add_product(threads, sites, q, q, 1, plain(keyed_sums_.data(), q), keys_t_.data(), q, queried_sums_.data(), q);
  add_product(threads, q, sites, q, 1, transposed(queried_.data(), q), keyed_sums_.data(), q, to.keys, q);
  add_product(threads, q, sites, q, 1, transposed(queried_sums_.data(), q), inputs_.data(), q, to.queries, q);
  add_product(threads, sites, q, q, 1, plain(queried_sums_.data(), q), parts.queries, q, input_sums_.data(), q);
  for (int64_t k = 0; k < sites; ++k)
    for (int64_t b = 0; b < q; ++b) {
      to.positions[k * q + b] += input_sums_[k * q + b];
      if (to.mask != nullptr) to.mask[b] += a * input_sums_[k * q + b];
    }
}

// From the derivatives of the tables to those of the parameters, which are overwritten.
void Dial::pull_back(const double *parameters, double *gradient, Threads threads) {
  const Parts<const double> parts = split(parameters);
  const Parts<double> to = split(gradient);
  const int64_t sites = settings.sites, q = settings.colors;
  const double a = settings.dial;
  std::fill_n(gradient, parameter_count(), 0.0);
  if (settings.content()) {
    const int64_t features = q + 1 + sites;
    const double *from = value_sums_.data();
    for (int64_t c = 0; c < q; ++c)
      for (int64_t b = 0; b < q; ++b) {
        to.values[c * q + b] += from[c * features + b] + from[c * features + q] * parts.mask[b];
        to.mask[b] += from[c * features + q] * parts.values[c * q + b];
      }
    add_product(threads, q, sites, q, a, plain(from + q + 1, features), parts.positions, q, to.values, q);
    add_product(threads, sites, q, q, a, transposed(from + q + 1, features), parts.values, q, to.positions, q);
    return pull_back_scores(parts, to, threads);
  }
  std::copy_n(value_sums_.begin(), q * q, to.values);
  if (settings.map != ATP_MAP_FREE)
    for (int64_t k = 0; k < sites; ++k) {
      const double *p = scores_.data() + k * sites;
      double *x = score_sums_.data() + k * sites;
      const double mean = dot(p, x, sites);  // p_k = 0
      for (int64_t j = 0; j < sites; ++j) x[j] = p[j] * (x[j] - mean);
      // A_kk has no effect of its own, but its score is in the denominator of the others.
      x[k] = -diagonal_[k] * mean;
    }
  if (settings.positions())
    pull_back_scores(parts, to, threads);
  else
    std::copy(score_sums_.begin(), score_sums_.end(), to.map);
}

double Dial::evaluate(Span<const double> parameters, const MaskedData &pairs, Span<double> gradient, Threads threads) {
  const double total_weight = pairs.total_weight() * (pairs.masked == nullptr ? static_cast<double>(settings.sites) : 1);
  if (!(total_weight > 0)) {
    std::fill(gradient.begin(), gradient.end(), 0.0);
    return 0;
  }
  const DialTables tables = make_tables(parameters.data(), threads);
  const DialSums sums = gradient.empty() ? DialSums() : sums_;
  const double loss = settings.precision == 64 ? pass64_.run(ranks_, threads, tables, pairs, total_weight, sums)
                                               : pass32_.run(ranks_, threads, target_, tables, pairs, total_weight, sums);
  if (!gradient.empty()) pull_back(parameters.data(), gradient.data(), threads);
  return loss;
}

void Dial::conditionals(Span<const double> parameters, const MaskedData &pairs, double *out, Threads threads) {
  pass64_.conditionals(threads, make_tables(parameters.data(), threads), pairs, out);
}

void Dial::maps(Span<const double> parameters, const MaskedData &pairs, double *out, Threads threads) {
  const int64_t sites = settings.sites;
  const DialTables tables = make_tables(parameters.data(), threads);
  if (settings.content()) return pass64_.maps(threads, tables, pairs, pairs.total_weight(), out);
  std::copy(scores_.begin(), scores_.end(), out);
  for (int64_t k = 0; k < sites; ++k) out[k * sites + k] = diagonal_[k];
}

void Dial::head(Span<const double> parameters, double *map, double *values, Threads threads) {
  make_tables(parameters.data(), threads);
  std::copy(scores_.begin(), scores_.end(), map);
  std::copy(values_.begin(), values_.end(), values);
}

namespace {

// At dial 0 it is factored attention, a Potts model of one head without fields.
class DialObjective final : public NetworkObjective<Dial> {
 public:
  DialObjective(const ObjectiveRow &own_row, const ObjectiveInput &input) : NetworkObjective(own_row, input) {}
  void lay_out(Arena &arena) override;
  double coupling_error(Reals x, const Model &truth) override;
  Model *make_model(Reals x) override;
  void describe(StateFields &fields) const override {
    fields.add("map", int64_t{network_.settings.map});
    fields.add("dial", network_.settings.dial);
  }

 private:
  bool factored() const { return !network_.settings.content(); }

  Span<double> map_, values_, scratch_;  // for the coupling error
};

void DialObjective::lay_out(Arena &arena) {
  NetworkObjective::lay_out(arena);
  map_ = arena.take<double>(factored() ? product_of(sites(), sites()) : 0);
  values_ = arena.take<double>(factored() ? product_of(colors(), colors()) : 0);
  scratch_ = arena.take<double>(factored() ? coupling_error_scratch(colors()) : 0);
}

double DialObjective::coupling_error(Reals x, const Model &truth) {
  if (!factored()) return NetworkObjective::coupling_error(x, truth);
  CouplingView learned;
  learned.sites = sites();
  learned.colors = colors();
  learned.heads = 1;
  network_.head(x.of<double>(), map_.data(), values_.data(), context->threads);
  learned.maps = map_.data();
  learned.values = values_.data();
  return atp::coupling_error(learned, couplings_of(truth), scratch_);
}

Model *DialObjective::make_model(Reals x) {
  if (!factored())
    fail(ATP_E_UNSUPPORTED, "family is dial and the dial is at %g: only factored attention (a dial at 0) is a Potts model",
         network_.settings.dial);
  ModelShape shape;
  shape.sites = sites();
  shape.colors = colors();
  shape.heads = 1;
  Model *model = new_model(shape);
  network_.head(x.of<double>(), model->maps.data(), model->values.data(), context->threads);
  return model;
}

}  // namespace

Objective *make_dial(void *place, const ObjectiveRow &row, const ObjectiveInput &input) {
  return put_objective<DialObjective>(place, row, input);
}

}  // namespace atp
