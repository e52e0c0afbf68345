// SPDX-License-Identifier: MIT
#include "simd/pair_counts.hpp"

#include <algorithm>

namespace atp {

void PairCountData::lay_out(Arena &arena) {
  columns = arena.take<uint8_t>(shape.sites, column_stride());
  rows = arena.take<uint8_t>(pieces(), piece_rows(), kPiece);
}

void PairCounter::lay_out(Arena &arena) {
  data_.lay_out(arena);
  orders_ = arena.take<uint32_t>(threads_, data_.order_size());
}

void PairCounter::set_sequences(int64_t first, int64_t n, const uint8_t *sequences) {
  const int64_t sites = shape().sites, stride = data_.column_stride(), before = data_.first_byte();
  const int64_t kPiece = PairCountData::kPiece;
  for (int64_t m = first; m < first + n; ++m, sequences += sites)
    for (int64_t i = 0; i < sites; ++i) {
      data_.columns[i * stride + m] = sequences[i];
      data_.rows[((before + i) / kPiece * data_.piece_rows() + m) * kPiece + (before + i) % kPiece] = sequences[i];
    }
}

void PairCounter::set_group(int64_t group, const uint8_t *colors) {
  const int64_t sites = shape().sites, stride = data_.column_stride(), before = data_.first_byte();
  const int64_t kPiece = PairCountData::kPiece, kGroup = 16;
  const int64_t first = kGroup * group, n = std::min(kGroup, shape().sequences - first);
  for (int64_t i = 0; i < sites; ++i, colors += kGroup) {
    std::copy_n(colors, n, &data_.columns[i * stride + first]);
    uint8_t *row = &data_.rows[((before + i) / kPiece * data_.piece_rows() + first) * kPiece + (before + i) % kPiece];
    for (int64_t k = 0; k < n; ++k) row[k * kPiece] = colors[k];
  }
}

void PairCounter::count_site(Target target, int64_t i, int64_t thread, uint32_t *counts) const {
  pair_count_kernels(target).count_site(data_, i, orders_.data() + thread * data_.order_size(), counts);
}

}  // namespace atp
