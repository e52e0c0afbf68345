// SPDX-License-Identifier: MIT
#include "learn/factored/attention.hpp"

#include "base/team.hpp"
#include "math/optim/vector.hpp"

#include <algorithm>

namespace atp {

namespace {

constexpr double kNever = -1e30;  // the logit of a colour that is never predicted

}  // namespace

void FactoredAttention::lay_out(Arena &arena) {
  const int64_t map_size = shape.coupling_heads() * shape.sites * shape.sites, head_size = shape.colors * shape.colors;
  fixed_values = arena.take<double>(shape.colors_fixed ? product_of(shape.heads, shape.states(), shape.states()) : 0);
  maps_of_.lay_out(arena);
  maps_ = arena.take<double>(map_size);
  map_sums_ = arena.take<double>(map_size);
  const bool own_values = shape.symmetrized || shape.gaps_ignored;
  values_ = arena.take<double>(own_values ? product_of(shape.coupling_heads(), head_size) : 0);
  value_sums_ = arena.take<double>(own_values && !shape.colors_fixed ? product_of(shape.coupling_heads(), head_size) : 0);
  fields_ = arena.take<double>(shape.gaps_ignored ? product_of(shape.sites, shape.colors) : 0);
  field_sums_ = arena.take<double>(shape.gaps_ignored && shape.fields ? product_of(shape.sites, shape.colors) : 0);
  pair_penalty_.lay_out(arena, penalties.on_pairs() ? shape.coupling_heads() : 0);
  if (precision == 64)
    pass64_.lay_out(arena, shape.sites, shape.colors, shape.coupling_heads());
  else
    pass32_.lay_out(arena, shape.sites, shape.colors, shape.coupling_heads());
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

// Of all heads of the couplings, from parameters [H] ...
void FactoredAttention::make_maps(const double *parameters, double *maps) {
  maps_of_.make(context->threads, parameters, maps);
  if (!shape.symmetrized) return;
  const int64_t sites = shape.sites;
  double *transposed = maps + shape.heads * sites * sites;
  parallel_for(context->threads, shape.heads, [&](int64_t h, int) {
    double *a = maps + h * sites * sites, *to = transposed + h * sites * sites;
    for (int64_t k = 0; k < sites * sites; ++k) a[k] *= 0.5;
    for (int64_t i = 0; i < sites; ++i)
      for (int64_t j = 0; j < sites; ++j) to[i * sites + j] = a[j * sites + i];
  });
}

// ... and from V [H]; with a gap, colour 0 of `to`, if gap is 1.
void FactoredAttention::make_values(const double *values, int64_t gap, double *to) const {
  const int64_t states = shape.states(), q = states + gap;
  std::fill_n(to, shape.coupling_heads() * q * q, 0.0);
  for (int64_t h = 0; h < shape.heads; ++h)
    for (int64_t a = 0; a < states; ++a)
      for (int64_t b = 0; b < states; ++b) {
        const double v = values[(h * states + a) * states + b];
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
    for (int64_t k = 0; k < sites * sites; ++k) a[k] *= 2;  // as AttentionMaps has made them
  });
}

void FactoredAttention::fold_values(double *gradient) const {
  const int64_t states = shape.states(), q = shape.colors, gap = q - states;
  for (int64_t h = 0; h < shape.heads; ++h)
    for (int64_t a = 0; a < states; ++a)
      for (int64_t b = 0; b < states; ++b) {
        double sum = value_sums_[(h * q + a + gap) * q + b + gap];
        if (shape.symmetrized) sum += value_sums_[((shape.heads + h) * q + b + gap) * q + a + gap];
        gradient[(h * states + a) * states + b] = sum;
      }
}

void FactoredAttention::fold_fields(double *gradient) const {
  const int64_t q = shape.colors;
  for (int64_t i = 0; i < shape.sites; ++i)
    for (int64_t a = 1; a < q; ++a) gradient[i * (q - 1) + a - 1] = field_sums_[i * q + a];
}

double FactoredAttention::add_penalties(Span<const double> parameters, Span<double> gradient) const {
  double penalty = 0;
  const auto add = [&](double strength, int64_t begin, int64_t end, bool without_diagonal) {
    if (strength == 0) return;
    double sum = 0;
    for (int64_t k = begin; k < end; ++k) {
      if (without_diagonal && k / shape.sites % shape.sites == k % shape.sites) continue;
      sum += parameters[k] * parameters[k];
      if (!gradient.empty()) gradient[k] += 2 * strength * parameters[k];
    }
    penalty += strength * sum;
  };
  const int64_t values = shape.map_parameters(), fields = values + shape.value_parameters();
  add(penalties.couplings, 0, values, shape.diagonal_idle());
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

double FactoredAttention::operations(int64_t predicted) const {
  AttentionInput input;
  input.sites = shape.sites;
  input.colors = shape.colors;
  input.heads = shape.coupling_heads();
  return pass_operations(input, predicted, true) + 10 * static_cast<double>(shape.parameters());
}

double FactoredAttention::evaluate(Span<const double> parameters, const MaskedData &data, Span<double> gradient, double *penalty) {
  assert(parameters.size() == shape.parameters());
  assert(gradient.empty() || gradient.size() == shape.parameters());
  const Parts<const double> from = split(parameters);
  make_maps(from.maps, maps_.data());

  AttentionInput input;
  input.sites = shape.sites;
  input.colors = shape.colors;
  input.heads = shape.coupling_heads();
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
  AttentionSums sums;
  Parts<double> to{};
  if (!gradient.empty()) {
    to = split(gradient);
    sums.maps = map_sums_.data();
    sums.values = value_sums_.empty() ? to.values : value_sums_.data();
    sums.fields = field_sums_.empty() ? to.fields : field_sums_.data();
  }
  // A batch whose weights are all zero predicts nothing: its loss is 0 and only the penalties pull.
  const double total = predicted_weight(data);
  double loss = 0;
  if (!(total > 0))
    sums.clear(input);
  else if (precision == 64)
    loss = pass64_.run(context->threads, input, data, total, sums);
  else
    loss = pass32_.run(context->threads, attention_kernels(target_), input, data, total, sums);
  double extra = 0;
  if (penalties.on_pairs())
    extra = pair_penalty_.add(context->threads, penalties, input.maps, shape.sites * shape.sites, input.values, shape.colors * shape.colors,
                              sums.maps, sums.values);
  if (!gradient.empty()) {
    if (shape.symmetrized) fold_maps();
    if (!value_sums_.empty()) fold_values(to.values);
    if (!field_sums_.empty()) fold_fields(to.fields);
    maps_of_.pull_back(context->threads, from.maps, maps_.data(), map_sums_.data(), to.maps);
  }
  extra += add_penalties(parameters, gradient);
  if (penalty != nullptr) *penalty = extra;
  return loss;
}

void FactoredAttention::expand(Span<const double> parameters, Span<double> maps, Span<double> values, Span<double> fields) {
  assert(parameters.size() == shape.parameters());
  const Parts<const double> from = split(parameters);
  if (!maps.empty()) make_maps(from.maps, maps.data());
  if (!values.empty()) make_values(shape.colors_fixed ? fixed_values.data() : from.values, 0, values.data());
  if (!fields.empty() && from.fields != nullptr) std::copy_n(from.fields, fields.size(), fields.data());
}

}  // namespace atp
