// SPDX-License-Identifier: MIT
#include "learn/dense/dense_data.hpp"

#include <algorithm>

namespace atp {

namespace {

void write_columns(const DenseShape &shape, const uint8_t *sequences, int64_t count, uint16_t *codes) {
  const int64_t first_color = shape.gaps_ignored ? 1 : 0;
  for (int64_t i = 0; i < shape.sites; ++i)
    for (int64_t n = 0; n < shape.piece(); ++n) {
      const int64_t color = n < count ? sequences[n * shape.sites + i] - first_color : -1;
      codes[i * shape.piece() + n] = static_cast<uint16_t>(8 * (color < 0 ? shape.colors : color));
    }
}

}  // namespace

void write_codes(const DenseShape &shape, const uint8_t *sequences, int64_t count, uint16_t *codes) {
  if (shape.lists != nullptr) return write_columns(shape, sequences, count, codes);
  const int64_t piece = shape.piece(), gap = kDenseTile * shape.colors, first_color = shape.gaps_ignored ? 1 : 0;
  for (int64_t t = 0; t < shape.tiles(); ++t)
    for (int64_t n = 0; n < piece; ++n) {
      uint16_t *row = codes + (t * piece + n) * kDenseTile;
      for (int64_t k = 0; k < kDenseTile; ++k) {
        const int64_t site = t * kDenseTile + k;
        const int64_t color = n < count && site < shape.sites ? sequences[n * shape.sites + site] - first_color : -1;
        row[k] = static_cast<uint16_t>(8 * (color < 0 ? gap : k * shape.colors + color));
      }
    }
}

void DenseData::lay_out(Arena &arena) {
  const int64_t slots = shape.pieces() * shape.piece();
  codes_ = arena.take<uint16_t>(slots, shape.code_columns());
  lists_ = arena.take<uint16_t>(slots, shape.sites);
  ends_ = arena.take<uint16_t>(shape.pieces(), shape.sites, shape.colors);
  site_weights_ = arena.take<double>(shape.sites);
}

void DenseData::init(const uint8_t *sequences, const double *sequence_weights) {
  const int64_t piece = shape.piece(), sites = shape.sites, first_color = shape.gaps_ignored ? 1 : 0;
  weights = sequence_weights;
  predicted_weight = 0;
  for (int64_t p = 0; p < shape.pieces(); ++p) {
    const uint8_t *from = sequences + shape.first(p) * sites;
    const int64_t size = shape.size(p);
    write_codes(shape, from, size, codes_.data() + p * shape.code_columns() * piece);
    for (int64_t i = 0; i < sites; ++i) {
      uint16_t *list = lists_.data() + (p * sites + i) * piece, *ends = ends_.data() + (p * sites + i) * shape.colors;
      int64_t places[256] = {};  // by colour of the data: how many, then where the next goes
      for (int64_t n = 0; n < size; ++n) ++places[from[n * sites + i]];
      for (int64_t c = 0, end = 0; c < shape.colors; ++c) {
        int64_t &place = places[c + first_color];
        end += place;
        ends[c] = static_cast<uint16_t>(end);
        place = end - place;
      }
      for (int64_t n = 0; n < size; ++n) {
        const int64_t c = from[n * sites + i];
        if (c < first_color) continue;
        list[places[c]++] = static_cast<uint16_t>(8 * n);
      }
    }
  }
  for (double &x : site_weights_) x = 0;
  for (int64_t n = 0; n < shape.count; ++n)
    for (int64_t i = 0; i < sites; ++i)
      if (sequences[n * sites + i] >= first_color) site_weights_[i] += weights[n];
  for (double x : site_weights_) predicted_weight += x;
}

}  // namespace atp
