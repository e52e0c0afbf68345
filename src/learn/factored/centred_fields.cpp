// SPDX-License-Identifier: MIT
#include "learn/factored/centred_fields.hpp"

#include "alignment/frequencies.hpp"
#include "base/team.hpp"

#include <algorithm>

namespace atp {

namespace {

struct Layer {
  const AttentionShape &shape;
  const double *maps, *values;

  Layer(const FactoredAttention &attention, const double *parameters)
      : shape(attention.shape),
        maps(parameters),
        values(shape.colors_fixed ? attention.fixed_values.data() : parameters + shape.map_parameters()) {}
  const double *row(int64_t h, int64_t i) const { return maps + (h * shape.sites + i) * shape.sites; }
  const double *value(int64_t h) const { return values + (shape.values_shared ? 0 : h) * shape.states() * shape.states(); }
  bool sees(int64_t i, int64_t j) const { return i != j && shape.sees(i, j); }
};

}  // namespace

void CentredFields::lay_out(Arena &arena, const AttentionShape &shape) {
  for (Span<double> *x : {&frequencies_, &shares_}) *x = arena.take<double>(shape.sites, shape.states());
  inputs_ = arena.take<double>(shape.heads, shape.sites, shape.states());
}

void CentredFields::init(const AttentionShape &shape, const Alignment &train, double field_penalty) {
  const int64_t q = shape.states();
  double total = 0;
  for (const double w : train.weights) total += w;
  for (int64_t i = 0; i < shape.sites; ++i) {
    count_colors(train, i, shape.colors - q, q, frequencies_.data() + i * q);
    for (int64_t a = 0; a < q; ++a) {
      double &f = frequencies_[i * q + a];
      f = total > 0 ? f / total : 0;
      const double curvature = f * (1 - f) / static_cast<double>(shape.sites);
      shares_[i * q + a] = curvature > 0 ? curvature / (curvature + 2 * field_penalty) : 0;
    }
  }
}

void CentredFields::shift(const FactoredAttention &attention, Span<const double> parameters, double sign, double *fields) {
  const Layer layer(attention, parameters.data());
  const int64_t L = layer.shape.sites, q = layer.shape.states(), heads = layer.shape.heads;
  parallel_for(attention.context->threads, heads, [&](int64_t h, int) {
    for (int64_t j = 0; j < L; ++j)
      for (int64_t a = 0; a < q; ++a) {
        double sum = 0;
        for (int64_t c = 0; c < q; ++c) sum += layer.value(h)[a * q + c] * frequencies_[j * q + c];
        inputs_[(h * L + j) * q + a] = sum;
      }
  });
  parallel_for(attention.context->threads, L, [&](int64_t i, int) {
    double mean[kMaxColors] = {};
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t j = 0; j < L; ++j) {
        if (!layer.sees(i, j)) continue;
        const double factor = layer.row(h, i)[j], *input = inputs_.data() + (h * L + j) * q;
        for (int64_t a = 0; a < q; ++a) mean[a] += factor * input[a];
      }
    for (int64_t a = 0; a < q; ++a) fields[i * q + a] += sign * shares_[i * q + a] * mean[a];
  });
}

void CentredFields::shift_slopes(const FactoredAttention &attention, Span<const double> parameters, double sign,
                                 Span<double> gradient) const {
  const Layer layer(attention, parameters.data());
  const int64_t L = layer.shape.sites, q = layer.shape.states(), heads = layer.shape.heads, maps = layer.shape.map_parameters();
  const double *fields = gradient.data() + maps + layer.shape.value_parameters();
  const auto slope = [&](int64_t i, int64_t a) { return sign * shares_[i * q + a] * fields[i * q + a]; };
  parallel_for(attention.context->threads, L, [&](int64_t i, int) {
    double own[kMaxColors];
    for (int64_t a = 0; a < q; ++a) own[a] = slope(i, a);
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t j = 0; j < L; ++j) {
        if (!layer.sees(i, j)) continue;
        const double *input = inputs_.data() + (h * L + j) * q;
        double sum = 0;
        for (int64_t a = 0; a < q; ++a) sum += own[a] * input[a];
        gradient[(h * L + i) * L + j] += sum;
      }
  });
  if (layer.shape.colors_fixed) return;
  const int64_t shared = layer.shape.values_shared ? heads : 1;  // heads that add to one V
  parallel_for(attention.context->threads, heads / shared, [&](int64_t task, int) {
    double *V = gradient.data() + maps + task * q * q;
    for (int64_t h = task * shared; h < (task + 1) * shared; ++h)
      for (int64_t i = 0; i < L; ++i) {
        double means[kMaxColors] = {};
        for (int64_t j = 0; j < L; ++j) {
          if (!layer.sees(i, j)) continue;
          const double factor = layer.row(h, i)[j], *f = frequencies_.data() + j * q;
          for (int64_t c = 0; c < q; ++c) means[c] += factor * f[c];
        }
        for (int64_t a = 0; a < q; ++a)
          for (int64_t c = 0; c < q; ++c) V[a * q + c] += slope(i, a) * means[c];
      }
  });
}

}  // namespace atp
