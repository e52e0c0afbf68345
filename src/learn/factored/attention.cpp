// SPDX-License-Identifier: MIT
#include "learn/factored/attention.hpp"

#include "math/optim/vector.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

constexpr double kNever = -1e30;  // the logit of a colour that is never predicted
constexpr int64_t kPiece = 512;   // elements of a map at a time: those of all heads stay in the cache
constexpr int64_t kRows = 16;     // rows of a map per task

// x -> softmax over the sites j != i that site i sees, or over these and i; x_ii -> 0. Gives what the softmax had at i. The first site of
// an order sees none.
double softmax_row(const AttentionShape &shape, double *x, int64_t i) {
  const auto taken = [&](int64_t j) { return j == i ? shape.diagonal_in_softmax() : shape.sees(i, j); };
  double top = -HUGE_VAL, total = 0;
  for (int64_t j = 0; j < shape.sites; ++j)
    if (taken(j)) top = std::max(top, x[j]);
  for (int64_t j = 0; j < shape.sites; ++j) {
    x[j] = taken(j) ? std::exp(x[j] - top) : 0;
    total += x[j];
  }
  for (int64_t j = 0; total > 0 && j < shape.sites; ++j) x[j] /= total;
  const double own = x[i];
  x[i] = 0;
  return own;
}

// Run function(row) for all rows of all heads.
template <class Function>
void for_rows(Threads threads, int64_t rows, Function &&function) {
  parallel_for(threads, (rows + kRows - 1) / kRows, [&](int64_t task, int) {
    for (int64_t row = task * kRows; row < std::min(rows, (task + 1) * kRows); ++row) function(row);
  });
}

Span<const double> piece(const double *x, int64_t head, int64_t size, int64_t begin, int64_t count) {
  return {x + head * size + begin, count};
}

}  // namespace

void FactoredAttention::lay_out(Arena &arena) {
  const int64_t map_size = shape.coupling_heads() * shape.sites * shape.sites, head_size = shape.colors * shape.colors;
  fixed_values = arena.take<double>(shape.colors_fixed ? shape.value_count() : 0);
  diagonal_ = arena.take<double>(shape.diagonal_in_softmax() ? product_of(shape.heads, shape.sites) : 0);
  transposed_ = arena.take<double>(shape.map == ATP_MAP_LOWRANK ? product_of(shape.sites, shape.rank) : 0);
  maps_ = arena.take<double>(map_size);
  map_sums_ = arena.take<double>(map_size);
  const bool own_values = shape.symmetrized || shape.gaps_ignored || shape.values_shared;
  values_ = arena.take<double>(own_values ? product_of(shape.coupling_heads(), head_size) : 0);
  value_sums_ = arena.take<double>(own_values && !shape.colors_fixed ? product_of(shape.coupling_heads(), head_size) : 0);
  fields_ = arena.take<double>(shape.gaps_ignored ? product_of(shape.sites, shape.colors) : 0);
  field_sums_ = arena.take<double>(shape.gaps_ignored && shape.fields ? product_of(shape.sites, shape.colors) : 0);
  for (Span<double> *gram : {&value_gram_, &map_gram_})
    *gram = arena.take<double>(penalties.on_pairs() ? product_of(shape.coupling_heads(), shape.coupling_heads()) : 0);
  if (precision == 64)
    pass64_.lay_out(arena, shape.sites, shape.colors, shape.coupling_heads());
  else
    pass32_.lay_out(arena, shape.sites, shape.colors, shape.coupling_heads());
}

void FactoredAttention::lay_out_data(Arena &arena, int64_t sequences) {
  DenseShape dense;
  dense.count = sequences;
  dense.sites = shape.sites;
  dense.colors = shape.states();
  dense.gaps_ignored = shape.gaps_ignored;
  if (precision == 32 && CouplingPassF32::pays(dense, shape.coupling_heads()))
    coupling_pass_.lay_out(arena, dense, shape.coupling_heads(), team_);
}

void FactoredAttention::take_data(const MaskedData &train) {
  if (coupling_pass_.laid_out()) coupling_pass_.init(train);
}

void FactoredAttention::set_fixed_values(Span<const double> v) {
  assert(shape.colors_fixed && v.size() == fixed_values.size());
  std::copy(v.begin(), v.end(), fixed_values.begin());
}

template <class T>
FactoredAttention::Parts<T> FactoredAttention::split(Span<T> parameters) const {
  T *values = parameters.data() + shape.map_parameters(), *fields = values + shape.value_parameters();
  return {parameters.data(), shape.colors_fixed ? nullptr : values, shape.fields ? fields : nullptr};
}

double FactoredAttention::score_scale() const { return shape.scores_scaled ? 1 / std::sqrt(static_cast<double>(shape.rank)) : 1; }

// Of a row of a free map, or of its gradient.
void FactoredAttention::clear_idle(int64_t row, double *a) const {
  const int64_t i = row % shape.sites;
  a[i] = 0;
  for (int64_t j = 0; !shape.places.empty() && j < shape.sites; ++j)
    if (!shape.sees(i, j)) a[j] = 0;
}

void FactoredAttention::soften(double *maps, int64_t row) {
  const double own = softmax_row(shape, maps + row * shape.sites, row % shape.sites);
  if (shape.diagonal_in_softmax()) diagonal_[row] = own;
}

// Scores with j innermost: plain loops give the same bits on every machine, and no library allocates behind us.
void FactoredAttention::make_lowrank(const double *parameters, double *maps) {
  const int64_t sites = shape.sites, rank = shape.rank;
  const double scale = score_scale();
  for (int64_t h = 0; h < shape.heads; ++h) {
    const double *q = parameters + h * sites * rank, *k = parameters + (shape.heads + h) * sites * rank;
    for (int64_t j = 0; j < sites; ++j)
      for (int64_t r = 0; r < rank; ++r) transposed_[r * sites + j] = k[j * rank + r];
    for_rows(context->threads, sites, [&](int64_t i) {
      double *a = maps + (h * sites + i) * sites;
      std::fill_n(a, sites, 0.0);
      for (int64_t r = 0; r < rank; ++r) {
        const double x = q[i * rank + r] * scale, *column = transposed_.data() + r * sites;
        for (int64_t j = 0; j < sites; ++j) a[j] += x * column[j];
      }
      soften(maps, h * sites + i);
    });
  }
}

// Of all heads of the couplings, from parameters [H] ...
void FactoredAttention::make_maps(const double *parameters, double *maps) {
  const int64_t sites = shape.sites;
  if (shape.map == ATP_MAP_LOWRANK) {
    make_lowrank(parameters, maps);
  } else {
    for_rows(context->threads, shape.heads * sites, [&](int64_t row) {
      double *a = maps + row * sites;
      std::copy_n(parameters + row * sites, sites, a);
      if (shape.map == ATP_MAP_SOFTMAX)
        soften(maps, row);
      else
        clear_idle(row, a);
    });
  }
  if (!shape.symmetrized) return;
  double *transposed = maps + shape.heads * sites * sites;
  parallel_for(context->threads, shape.heads, [&](int64_t h, int) {
    double *a = maps + h * sites * sites, *to = transposed + h * sites * sites;
    for (int64_t k = 0; k < sites * sites; ++k) a[k] *= 0.5;
    for (int64_t i = 0; i < sites; ++i)
      for (int64_t j = 0; j < sites; ++j) to[i * sites + j] = a[j * sites + i];
  });
}

// ... and from V [H], or [1] if all heads share it; with a gap, colour 0 of `to`, if gap is 1.
void FactoredAttention::make_values(const double *values, int64_t gap, double *to) const {
  const int64_t states = shape.states(), q = states + gap;
  std::fill_n(to, shape.coupling_heads() * q * q, 0.0);
  for (int64_t h = 0; h < shape.heads; ++h)
    for (int64_t a = 0; a < states; ++a)
      for (int64_t b = 0; b < states; ++b) {
        const double v = values[((shape.values_shared ? 0 : h) * states + a) * states + b];
        to[(h * q + a + gap) * q + b + gap] = v;
        if (shape.symmetrized) to[((shape.heads + h) * q + b + gap) * q + a + gap] = v;
      }
}

void FactoredAttention::make_fields(const double *fields) {
  const int64_t q = shape.colors;
  for (int64_t i = 0; i < shape.sites; ++i) {
    fields_[i * q] = kNever;
    for (int64_t a = 1; a < q; ++a) fields_[i * q + a] = fields == nullptr ? 0 : fields[i * (q - 1) + a - 1];
  }
}

// The gradients of (A / 2, V) and (A^T / 2, V^T) together are those of (A, V).
void FactoredAttention::fold_maps() {
  const int64_t sites = shape.sites, size = shape.heads * sites * sites;
  parallel_for(context->threads, shape.heads, [&](int64_t h, int) {
    double *to = map_sums_.data() + h * sites * sites, *a = maps_.data() + h * sites * sites;
    const double *transposed = to + size;
    for (int64_t i = 0; i < sites; ++i)
      for (int64_t j = 0; j < sites; ++j) to[i * sites + j] = 0.5 * (to[i * sites + j] + transposed[j * sites + i]);
    for (int64_t k = 0; k < sites * sites; ++k) a[k] *= 2;  // as the parameters have made them
  });
}

void FactoredAttention::fold_values(double *gradient) const {
  const int64_t states = shape.states(), q = shape.colors, gap = q - states;
  std::fill_n(gradient, shape.value_count(), 0.0);
  for (int64_t h = 0; h < shape.heads; ++h)
    for (int64_t a = 0; a < states; ++a)
      for (int64_t b = 0; b < states; ++b) {
        double sum = value_sums_[(h * q + a + gap) * q + b + gap];
        if (shape.symmetrized) sum += value_sums_[((shape.heads + h) * q + b + gap) * q + a + gap];
        gradient[((shape.values_shared ? 0 : h) * states + a) * states + b] += sum;
      }
}

void FactoredAttention::fold_fields(double *gradient) const {
  const int64_t q = shape.colors;
  for (int64_t i = 0; i < shape.sites; ++i)
    for (int64_t a = 1; a < q; ++a) gradient[i * (q - 1) + a - 1] = field_sums_[i * q + a];
}

// From the gradient of the maps, which becomes that of the scores.
void FactoredAttention::pull_back(const double *parameters, double *gradient) const {
  const int64_t sites = shape.sites, rank = shape.rank, size = shape.heads * sites * sites;
  const double *maps = maps_.data();
  double *sums = map_sums_.data();
  if (shape.map == ATP_MAP_FREE) {
    std::copy_n(sums, size, gradient);
    for (int64_t row = 0; !shape.places.empty() && row < shape.heads * sites; ++row) clear_idle(row, gradient + row * sites);
    return;
  }
  for_rows(context->threads, shape.heads * sites, [&](int64_t row) {
    const double *a = maps + row * sites;
    double *x = sums + row * sites, mean = 0;
    for (int64_t j = 0; j < sites; ++j) mean += a[j] * x[j];
    for (int64_t j = 0; j < sites; ++j) x[j] = a[j] * (x[j] - mean);  // A_ii = 0
    // Nothing depends on A_ii, but the score of the diagonal is in the denominator of the others.
    if (shape.diagonal_in_softmax()) x[row % sites] = -diagonal_[row] * mean;
  });
  if (shape.map == ATP_MAP_SOFTMAX) {
    std::copy_n(sums, size, gradient);
    return;
  }
  const double scale = score_scale();
  for_rows(context->threads, shape.heads * sites, [&](int64_t row) {
    const int64_t h = row / sites, place = row % sites;
    const double *q = parameters + h * sites * rank, *k = parameters + (shape.heads + h) * sites * rank;
    const double *x = sums + h * sites * sites;
    double *dq = gradient + row * rank, *dk = gradient + (shape.heads * sites + row) * rank;
    std::fill_n(dq, rank, 0.0);
    std::fill_n(dk, rank, 0.0);
    for (int64_t other = 0; other < sites; ++other) {
      const double as_query = scale * x[place * sites + other], as_key = scale * x[other * sites + place];
      for (int64_t r = 0; r < rank; ++r) {
        dq[r] += as_query * k[other * rank + r];
        dk[r] += as_key * q[other * rank + r];
      }
    }
  });
}

double FactoredAttention::add_pair_penalty(const AttentionInput &input, const AttentionSums &sums) {
  const int64_t heads = input.heads, map_size = input.sites * input.sites, value_size = input.colors * input.colors;
  const auto gram = [&](const double *x, int64_t size, Span<double> g) {
    // A task is a row, which it fills up to the diagonal.
    parallel_for(context->threads, heads, [&](int64_t h, int) {
      std::fill_n(g.data() + h * heads, h + 1, 0.0);
      for (int64_t begin = 0; begin < size; begin += kPiece) {
        const int64_t count = std::min(kPiece, size - begin);
        for (int64_t k = 0; k <= h; ++k) g[h * heads + k] += dot(piece(x, h, size, begin, count), piece(x, k, size, begin, count));
      }
    });
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t k = h + 1; k < heads; ++k) g[h * heads + k] = g[k * heads + h];
  };
  gram(input.values, value_size, value_gram_);
  gram(input.maps, map_size, map_gram_);
  const double square = dot(value_gram_, map_gram_), length = std::sqrt(std::max(square, 0.0));
  const double strength = penalties.pairs + (length > 0 ? penalties.norm_pairs / (2 * length) : 0);
  const auto add_combined = [&](const double *x, int64_t size, Span<const double> g, double *to) {
    parallel_for(context->threads, heads, [&](int64_t h, int) {
      for (int64_t begin = 0; begin < size; begin += kPiece) {
        const int64_t count = std::min(kPiece, size - begin);
        for (int64_t k = 0; k < heads; ++k)
          add_scaled(2 * strength * g[h * heads + k], piece(x, k, size, begin, count), {to + h * size + begin, count});
      }
    });
  };
  if (sums.maps != nullptr) add_combined(input.maps, map_size, value_gram_, sums.maps);
  if (sums.values != nullptr) add_combined(input.values, value_size, map_gram_, sums.values);
  return penalties.pairs * square + penalties.norm_pairs * length;
}

double FactoredAttention::add_penalties(Span<const double> parameters, Span<double> gradient) const {
  double penalty = 0;
  const auto add = [&](double strength, int64_t begin, int64_t end, bool is_map) {
    if (strength == 0) return;
    double sum = 0;
    for (int64_t k = begin; k < end; ++k) {
      if (is_map && shape.idle(k / shape.sites % shape.sites, k % shape.sites)) continue;
      sum += parameters[k] * parameters[k];
      if (!gradient.empty()) gradient[k] += 2 * strength * parameters[k];
    }
    penalty += strength * sum;
  };
  const int64_t values = shape.map_parameters(), fields = values + shape.value_parameters();
  add(penalties.couplings, 0, values, true);
  add(penalties.colors, values, fields, false);
  add(penalties.fields, fields, shape.parameters(), false);
  if (penalties.norm_fields > 0) {
    const Span<const double> b = parameters.sub(fields, shape.field_parameters());
    const double length = norm(b);
    if (!gradient.empty() && length > 0) add_scaled(penalties.norm_fields / length, b, gradient.sub(fields, b.size()));
    penalty += penalties.norm_fields * length;
  }
  return penalty;
}

AttentionInput FactoredAttention::input() const {
  AttentionInput input;
  input.sites = shape.sites;
  input.colors = shape.colors;
  input.heads = shape.coupling_heads();
  return input;
}

double FactoredAttention::operations(int64_t predicted) const {
  const AttentionInput input = this->input();
  return pass_operations(input, predicted, true) + 10 * static_cast<double>(shape.parameters());
}

// The input of a pass: all of what parameters stand for.
AttentionInput FactoredAttention::expand_input(Span<const double> parameters) {
  const Parts<const double> from = split(parameters);
  make_maps(from.maps, maps_.data());
  AttentionInput input = this->input();
  input.maps = maps_.data();
  input.values = shape.colors_fixed ? fixed_values.data() : from.values;
  if (!values_.empty()) {
    make_values(input.values, shape.colors - shape.states(), values_.data());
    input.values = values_.data();
  }
  input.fields = from.fields;
  input.gaps_ignored = shape.gaps_ignored;
  if (!fields_.empty()) {
    make_fields(from.fields);
    input.fields = fields_.data();
  }
  return input;
}

// make_sums(input, sums) returns the loss and its derivatives by maps, V and fields; from these follow those by the parameters.
template <class Sums>
double FactoredAttention::differentiate(Span<const double> parameters, Span<double> gradient, double *penalty, Sums &&make_sums) {
  assert(parameters.size() == shape.parameters());
  assert(gradient.empty() || gradient.size() == shape.parameters());
  const Parts<const double> from = split(parameters);
  const AttentionInput input = expand_input(parameters);
  AttentionSums sums;
  Parts<double> to{};
  if (!gradient.empty()) {
    to = split(gradient);
    sums.maps = map_sums_.data();
    sums.values = value_sums_.empty() ? to.values : value_sums_.data();
    sums.fields = field_sums_.empty() ? to.fields : field_sums_.data();
  }
  const double loss = make_sums(input, sums);
  double extra = 0;
  if (penalties.on_pairs()) extra = add_pair_penalty(input, sums);
  if (!gradient.empty()) {
    if (shape.symmetrized) fold_maps();
    if (!value_sums_.empty()) fold_values(to.values);
    if (!field_sums_.empty()) fold_fields(to.fields);
    pull_back(from.maps, to.maps);
  }
  extra += add_penalties(parameters, gradient);
  if (penalty != nullptr) *penalty = extra;
  return loss;
}

double FactoredAttention::evaluate(Span<const double> parameters, const MaskedData &data, Span<double> gradient, double *penalty) {
  return differentiate(parameters, gradient, penalty, [&](const AttentionInput &input, const AttentionSums &sums) {
    // A batch whose weights are all zero predicts nothing: its loss is 0 and only the penalties pull.
    const double total = predicted_weight(data);
    if (!(total > 0)) {
      sums.clear(input);
      return 0.0;
    }
    if (coupling_pass_.holds(data)) return coupling_pass_.run(Threads(context->threads).at_most(team_), target_, input, data, total, sums);
    if (precision == 64) return pass64_.run(context->threads, input, data, total, sums);
    return pass32_.run(context->threads, attention_kernels(target_), input, data, total, sums);
  });
}

void FactoredAttention::pull_back_slope(Span<const double> parameters, Span<const double> slope, Span<double> gradient) {
  differentiate(parameters, gradient, nullptr, [&](const AttentionInput &in, const AttentionSums &sums) {
    sum_slope(in, slope, sums);
    return 0.0;
  });
}

void FactoredAttention::expand(Span<const double> parameters, Span<double> maps, Span<double> values, Span<double> fields) {
  assert(parameters.size() == shape.parameters());
  const Parts<const double> from = split(parameters);
  if (!maps.empty()) make_maps(from.maps, maps.data());
  if (!values.empty()) make_values(shape.colors_fixed ? fixed_values.data() : from.values, 0, values.data());
  if (!fields.empty() && from.fields != nullptr) std::copy_n(from.fields, fields.size(), fields.data());
}

}  // namespace atp
