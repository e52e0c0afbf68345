// SPDX-License-Identifier: MIT
#include "learn/factored/xavier_start.hpp"

#include "base/philox.hpp"
#include "math/optim/vector.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

constexpr double kCountScale = 0.01;  // of log N, the pseudocount of the fields

double range(int64_t columns, int64_t rows, int64_t heads) {
  return std::sqrt(6 / (static_cast<double>(columns) * static_cast<double>(rows + heads)));
}

void fields_of_counts(const AttentionShape &shape, const Alignment &train, Span<double> fields) {
  const int64_t states = shape.states(), gap = shape.colors - states;
  const double pseudocount = kCountScale * std::log(static_cast<double>(std::max<int64_t>(train.count(), 2)));
  fill(fields, pseudocount);
  for (int64_t n = 0; n < train.count(); ++n) {
    const uint8_t *s = train.sequence(n);
    for (int64_t i = 0; i < shape.sites; ++i)
      if (s[i] >= gap) fields[i * states + s[i] - gap] += train.weights[n];
  }
  for (int64_t i = 0; i < shape.sites; ++i) {
    const Span<double> b = fields.sub(i * states, states);
    double mean = 0;
    for (double &x : b) {
      x = std::log(x);
      mean += x / static_cast<double>(states);
    }
    for (double &x : b) x -= mean;
  }
}

}  // namespace

void xavier_parameters(const AttentionShape &shape, uint64_t seed, const Alignment &train, Span<double> parameters) {
  const int64_t maps = shape.map_parameters(), values = shape.value_parameters(), L = shape.sites;
  const RandomView map_random(seed, Stream::parameters, 0, 0), value_random(seed, Stream::parameters, 0, 1);
  const double map_range = range(shape.map == ATP_MAP_LOWRANK ? shape.rank : L, L, shape.heads);
  const double value_range = range(shape.states(), shape.states(), shape.heads);
  for (int64_t k = 0; k < maps; ++k) {
    const bool diagonal = shape.diagonal_idle() && k / L % L == k % L;
    parameters[k] = diagonal ? 0 : map_range * (2 * map_random.uniform(static_cast<uint64_t>(k)) - 1);
  }
  for (int64_t k = 0; k < values; ++k) parameters[maps + k] = value_range * (2 * value_random.uniform(static_cast<uint64_t>(k)) - 1);
  if (shape.fields) fields_of_counts(shape, train, parameters.sub(maps + values, shape.field_parameters()));
}

}  // namespace atp
