// SPDX-License-Identifier: MIT
#include "learn/asymptotics/unknowns.hpp"

#include "learn/meanfield/inverse.hpp"
#include "potts/gauge.hpp"

#include <algorithm>

namespace atp {

namespace {

// The place of j among the sites other than i.
int64_t place_beside(int64_t i, int64_t j) { return j < i ? j : j - 1; }

// The means of a matrix [q][q] over its rows' and columns' elements; returns that of all.
double means_of(int64_t q, const double *matrix, double *rows, double *columns) {
  const double n = static_cast<double>(q);
  double all = 0;
  std::fill_n(rows, q, 0.0);
  std::fill_n(columns, q, 0.0);
  for (int64_t a = 0; a < q; ++a)
    for (int64_t b = 0; b < q; ++b) {
      rows[a] += matrix[a * q + b] / n;
      columns[b] += matrix[a * q + b] / n;
      all += matrix[a * q + b] / (n * n);
    }
  return all;
}

}  // namespace

Unknowns::Unknowns(const Model &model, const Learned &learned) : model_(model), learned_(learned), values_(0) {
  const int64_t d = reduced();
  values_ = fields() + (learned.factored ? model.shape.heads * pairs_count() : pairs_count() * d * d);
}

// The pairs, or ordered pairs, of sites that have unknowns of their own.
int64_t Unknowns::pairs_count() const {
  const int64_t L = model_.sites();
  const bool ordered_pairs = !model_.shape.ordered && (learned_.factored || learned_.asymmetric);
  return ordered_pairs ? L * (L - 1) : all_pairs(L);
}

int64_t Unknowns::values_count() const {
  if (!learned_.factored || learned_.colors_fixed) return 0;
  return model_.shape.heads * model_.colors() * (learned_.symmetrized ? model_.colors() : reduced());
}

int64_t Unknowns::of_pair() const {
  if (!learned_.factored) return reduced() * reduced();
  return model_.shape.heads * (learned_.symmetrized ? 2 : 1);
}

int64_t Unknowns::most_seen() const { return fields_of_site() + (model_.sites() - 1) * of_pair() + values_count(); }
int64_t Unknowns::most_of_pair() const { return (learned_.asymmetric ? 2 : 1) * of_pair() + values_count(); }

void Unknowns::lay_out(Arena &arena) {
  basis_ = arena.take<double>(reduced(), model_.colors());
  begins_ = arena.take<int64_t>(model_.sites() + 1);
  places_ = arena.take<int64_t>(model_.sites(), most_seen());
}

void Unknowns::init() {
  const int64_t L = model_.sites(), q = model_.colors(), d = reduced();
  int32_t order[kMaxColors];
  double one[kMaxColors] = {}, column[kMaxColors];
  for (int64_t a = 0; a < q; ++a) order[a] = static_cast<int32_t>(a);
  const ColorBasis basis(q, q, order);
  for (int64_t a = 0; a < q; ++a) {
    one[a] = 1;
    basis.reduce(one, 1, column);
    one[a] = 0;
    for (int64_t u = 0; u < d; ++u) basis_[u * q + a] = column[u];
  }
  for (int64_t i = 0; i < L; ++i) {
    int64_t seen = 0;
    for (int64_t j = 0; j < L; ++j) seen += model_.sees(i, j) ? 1 : 0;
    begins_[i + 1] = begins_[i] + fields_of_site() + seen * of_pair() + values_count();
    write_places(i, places_.data() + begins_[i]);
  }
}

// Of the first coordinate of the block of a pair.
int64_t Unknowns::block_place(int64_t i, int64_t j) const {
  const int64_t L = model_.sites();
  const int64_t pair =
      learned_.asymmetric && !model_.shape.ordered ? i * (L - 1) + place_beside(i, j) : pair_place(L, std::min(i, j), std::max(i, j));
  return fields() + pair * reduced() * reduced();
}

int64_t Unknowns::map_place(int64_t h, int64_t i, int64_t j) const {
  const int64_t L = model_.sites();
  const int64_t pair = model_.shape.ordered ? pair_place(L, std::min(i, j), std::max(i, j)) : i * (L - 1) + place_beside(i, j);
  return fields() + h * pairs_count() + pair;
}

void Unknowns::write_places(int64_t i, int64_t *out) const {
  const int64_t d = reduced();
  for (int64_t u = 0; u < fields_of_site(); ++u) *out++ = i * d + u;
  for (int64_t j = 0; j < model_.sites(); ++j) {
    if (!model_.sees(i, j)) continue;
    if (!learned_.factored) {
      const bool turned = !learned_.asymmetric && j < i;  // the block has the colours of the lower site as rows
      for (int64_t u = 0; u < d; ++u)
        for (int64_t v = 0; v < d; ++v) *out++ = block_place(i, j) + (turned ? v * d + u : u * d + v);
      continue;
    }
    for (int64_t h = 0; h < model_.shape.heads; ++h) {
      *out++ = map_place(h, i, j);
      if (learned_.symmetrized) *out++ = map_place(h, j, i);
    }
  }
  for (int64_t k = 0; k < values_count(); ++k) *out++ = values_ + k;
}

// d/dc(u, v) of (E^T c E)(a, color), rows a that are `stride` apart.
void Unknowns::dense_slopes(int64_t color, int64_t stride, double *out) const {
  const int64_t q = model_.colors(), d = reduced();
  for (int64_t a = 0; a < q; ++a)
    for (int64_t u = 0; u < d; ++u)
      for (int64_t v = 0; v < d; ++v) out[a * stride + u * d + v] = basis_[u * q + a] * basis_[v * q + color];
}

// d/dA of the same of all heads.
void Unknowns::map_slopes_at(int64_t color, int64_t stride, double *out) const {
  const int64_t q = model_.colors();
  for (int64_t h = 0; h < model_.shape.heads; ++h) {
    const double *value = model_.value(h);
    for (int64_t a = 0; a < q; ++a) {
      if (learned_.symmetrized) {
        out[a * stride + 2 * h] = value[a * q + color] / 2;
        out[a * stride + 2 * h + 1] = value[color * q + a] / 2;
      } else {
        out[a * stride + h] = value[a * q + color];
      }
    }
  }
}

// d/dV of the logits of site i.
void Unknowns::value_slopes(int64_t i, const uint8_t *sequence, int64_t stride, double *out) const {
  const int64_t q = model_.colors(), d = reduced(), rows = learned_.symmetrized ? q : d;
  for (int64_t a = 0; a < q; ++a) std::fill_n(out + a * stride, values_count(), 0.0);
  for (int64_t h = 0; h < model_.shape.heads; ++h, out += rows * q)
    for (int64_t j = 0; j < model_.sites(); ++j) {
      const int64_t b = sequence[j];
      if (b == kMissing || !model_.sees(i, j)) continue;
      for (int64_t a = 0; a < q; ++a) {
        if (learned_.symmetrized) {
          out[a * stride + a * q + b] += map(h, i, j) / 2;
          out[a * stride + b * q + a] += map(h, j, i) / 2;
        } else {
          for (int64_t u = 0; u < d; ++u) out[a * stride + u * q + b] += basis_[u * q + a] * map(h, i, j);
        }
      }
    }
}

void Unknowns::slopes(int64_t i, const uint8_t *sequence, double *out) const {
  const int64_t q = model_.colors(), stride = seen_by(i).size(), each = of_pair();
  for (int64_t a = 0; a < q; ++a)
    for (int64_t u = 0; u < fields_of_site(); ++u) out[a * stride + u] = basis_[u * q + a];
  double *place = out + fields_of_site();
  for (int64_t j = 0; j < model_.sites(); ++j) {
    if (!model_.sees(i, j)) continue;
    if (sequence[j] == kMissing) {
      for (int64_t a = 0; a < q; ++a) std::fill_n(place + a * stride, each, 0.0);
    } else if (learned_.factored) {
      map_slopes_at(sequence[j], stride, place);
    } else {
      dense_slopes(sequence[j], stride, place);
    }
    place += each;
  }
  if (values_count() > 0) value_slopes(i, sequence, stride, place);
}

int64_t Unknowns::dense_pair_slopes(int64_t i, int64_t j, int64_t *places, double *out) const {
  const int64_t q = model_.colors(), d = reduced(), block = d * d, copies = learned_.asymmetric && !model_.shape.ordered ? 2 : 1;
  const double share = 1 / static_cast<double>(copies);
  for (int64_t u = 0; u < d; ++u)
    for (int64_t v = 0; v < d; ++v) {
      const int64_t k = u * d + v;
      const bool turned = copies == 1 && j < i;
      places[k] = block_place(i, j) + (turned ? v * d + u : k);
      if (copies == 2) places[block + k] = block_place(j, i) + v * d + u;
      for (int64_t a = 0; a < q; ++a)
        for (int64_t b = 0; b < q; ++b)
          for (int64_t copy = 0; copy < copies; ++copy)
            out[(a * q + b) * copies * block + copy * block + k] = share * basis_[u * q + a] * basis_[v * q + b];
    }
  return copies * block;
}

int64_t Unknowns::factored_pair_slopes(int64_t i, int64_t j, int64_t *places, double *out) const {
  const int64_t q = model_.colors(), d = reduced(), each = of_pair(), n = each + values_count();
  const double even = 1 / static_cast<double>(q);
  const auto centred = [&](int64_t a, int64_t b) { return (a == b ? 1.0 : 0.0) - even; };
  double rows[kMaxColors], columns[kMaxColors];
  int64_t k = 0;
  for (int64_t h = 0; h < model_.shape.heads; ++h) {
    const double *value = model_.value(h);
    const double mean = means_of(q, value, rows, columns);
    const auto shifted = [&](int64_t a, int64_t b) { return value[a * q + b] - rows[a] - columns[b] + mean; };
    for (int turned = 0; turned < (learned_.symmetrized ? 2 : 1); ++turned, ++k) {
      places[k] = turned == 0 ? map_place(h, i, j) : map_place(h, j, i);
      for (int64_t a = 0; a < q; ++a)
        for (int64_t b = 0; b < q; ++b)
          out[(a * q + b) * n + k] = !learned_.symmetrized ? shifted(a, b) : (turned == 0 ? shifted(a, b) : shifted(b, a)) / 2;
    }
  }
  for (int64_t m = 0; m < values_count(); ++m) places[k + m] = values_ + m;
  for (int64_t h = 0; h < model_.shape.heads && values_count() > 0; ++h)
    for (int64_t r = 0; r < (learned_.symmetrized ? q : d); ++r)
      for (int64_t c = 0; c < q; ++c, ++k)
        for (int64_t a = 0; a < q; ++a)
          for (int64_t b = 0; b < q; ++b)
            out[(a * q + b) * n + k] =
                !learned_.symmetrized ? map(h, i, j) * basis_[r * q + a] * centred(b, c)
                                      : (map(h, i, j) * centred(a, r) * centred(b, c) + map(h, j, i) * centred(b, r) * centred(a, c)) / 2;
  return n;
}

int64_t Unknowns::pair_slopes(int64_t i, int64_t j, int64_t *places, double *out) const {
  if (!model_.sees(i, j)) return 0;
  return learned_.factored ? factored_pair_slopes(i, j, places, out) : dense_pair_slopes(i, j, places, out);
}

void Unknowns::pair_couplings(int64_t i, int64_t j, double *out) const {
  const int64_t q = model_.colors();
  const bool both = learned_.symmetrized || (learned_.asymmetric && !model_.shape.ordered);
  for (int64_t a = 0; a < q; ++a)
    for (int64_t b = 0; b < q; ++b) {
      const double seen = model_.coupling(i, j, a, b);
      out[a * q + b] = model_.beta * (both ? 0.5 * (seen + model_.coupling(j, i, b, a)) : seen);
    }
  center_columns(out, q);
  center_rows(out, q, nullptr);
}

int64_t Unknowns::map_slopes(int64_t i, int64_t j, int64_t *places, double *out) const {
  if (!model_.sees(i, j)) return 0;
  const int64_t q = model_.colors(), d = reduced();
  const double *value = model_.value(0);
  places[0] = map_place(0, i, j);
  out[0] = 1;
  if (values_count() == 0) return 1;
  double norm2 = 0;
  for (int64_t u = 0; u < d; ++u)
    for (int64_t b = 0; b < q; ++b) {
      double v = 0;
      for (int64_t a = 0; a < q; ++a) v += basis_[u * q + a] * value[a * q + b];
      places[1 + u * q + b] = values_ + u * q + b;
      out[1 + u * q + b] = map(0, i, j) * v;
      norm2 += v * v;
    }
  for (int64_t k = 1; k <= d * q; ++k) out[k] /= norm2;
  return 1 + d * q;
}

}  // namespace atp
