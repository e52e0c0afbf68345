// SPDX-License-Identifier: MIT
// Why gauges leave the conditionals unchanged. A term of C_ij(a, b) that depends only on b adds the same number
// to all logits of site i. A term f(a) adds f(a) to the logits of site i for any colour of j, so it can move
// into b_i(a). The index a belongs to the predicted site i, b to the observed site j. This therefore holds for
// asymmetric couplings, too.
#include "potts/gauge.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

double norm(const double *x, int64_t n) {
  double scale = 0, sum = 0;
  for (int64_t k = 0; k < n; ++k) scale = std::max(scale, std::fabs(x[k]));
  if (scale == 0) return 0;
  for (int64_t k = 0; k < n; ++k) sum += (x[k] / scale) * (x[k] / scale);
  return scale * std::sqrt(sum);
}

double largest_magnitude(const double *x, int64_t n) {
  double largest = 0;
  for (int64_t k = 0; k < n; ++k)
    if (std::fabs(x[k]) > std::fabs(largest)) largest = x[k];
  return largest;
}

}  // namespace

void center_columns(double *matrix, int64_t n) {
  for (int64_t b = 0; b < n; ++b) {
    double sum = 0;
    for (int64_t a = 0; a < n; ++a) sum += matrix[a * n + b];
    const double mean = sum / static_cast<double>(n);
    for (int64_t a = 0; a < n; ++a) matrix[a * n + b] -= mean;
  }
}

void center_rows(double *matrix, int64_t n, double *means) {
  for (int64_t a = 0; a < n; ++a) {
    double sum = 0;
    for (int64_t b = 0; b < n; ++b) sum += matrix[a * n + b];
    const double mean = sum / static_cast<double>(n);
    for (int64_t b = 0; b < n; ++b) matrix[a * n + b] -= mean;
    if (means != nullptr) means[a] += mean;
  }
}

Model *color_gauge(Context &context, const Model &source) {
  Model *model = copy_model(context, source);
  const int64_t L = model->sites(), q = model->colors();
  for (int64_t h = 0; h < model->shape.heads; ++h) {
    double *map = model->maps.data() + h * L * L, *value = model->values.data() + h * q * q;
    center_columns(value, q);
    const double size = norm(value, q * q);
    double factor = size > 0 ? size / std::sqrt(static_cast<double>(q)) : 1;
    if (largest_magnitude(map, L * L) < 0) factor = -factor;
    for (int64_t k = 0; k < q * q; ++k) value[k] /= factor;
    for (int64_t k = 0; k < L * L; ++k) map[k] *= factor;
  }
  return model;
}

Model *zero_sum_gauge(Context &context, const Model &source) {
  Model *model = make_model(context, {source.sites(), source.colors(), 0, true, source.shape.pairs, source.shape.ordered});
  const int64_t L = model->sites(), q = model->colors();
  const bool listed = source.shape.pairs > 0;
  model->beta = source.beta;
  std::memcpy(model->alphabet, source.alphabet, sizeof model->alphabet);
  std::memcpy(model->origin, source.origin, sizeof model->origin);
  model->labels.copy(source.labels);
  model->set_pairs(source.pairs);
  model->copy_order(source);
  if (listed)
    std::copy(source.couplings.begin(), source.couplings.end(), model->couplings.begin());
  else
    write_couplings(source, model->couplings.data());
  std::copy(source.fields.begin(), source.fields.end(), model->fields.begin());
  for (int64_t i = 0; i < L; ++i) {
    double *field = model->fields.data() + i * q;
    model->for_neighbors(i, [&](int64_t j) {
      double *block = model->room(i, j);
      center_columns(block, q);
      center_rows(block, q, field);
    });
    double sum = 0;
    for (int64_t a = 0; a < q; ++a) sum += field[a];
    for (int64_t a = 0; a < q; ++a) field[a] -= sum / static_cast<double>(q);
  }
  return model;
}

Model *weigh_sites(Context &context, const Model &source, Span<const double> weights) {
  Model *model = zero_sum_gauge(context, source);
  const int64_t L = model->sites(), q = model->colors();
  for (int64_t i = 0; i < L; ++i) {
    for (int64_t a = 0; a < q; ++a) model->fields[i * q + a] *= weights[i];
    model->for_neighbors(i, [&](int64_t j) {
      const double mean = (weights[i] + weights[j]) / 2;
      double *block = model->room(i, j);
      for (int64_t k = 0; k < q * q; ++k) block[k] *= mean;
    });
  }
  return model;
}

}  // namespace atp
