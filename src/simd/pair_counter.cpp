// SPDX-License-Identifier: MIT
#include "simd/pair_counts.hpp"

#include <algorithm>

namespace atp {

// The kernels take 0.03 to 0.06 cycles per sequence and pair, a single pair takes 1 to 2.
PairCountMethod pair_count_method(int64_t sites, int64_t pairs) {
  return 64 * pairs < sites * (sites - 1) ? PairCountMethod::listed : PairCountMethod::sites;
}

void PairCountData::lay_out(Arena &arena, bool with_rows) {
  columns = arena.take<uint8_t>(shape.sites, column_stride());
  rows = arena.take<uint8_t>(with_rows ? pieces() : 0, piece_rows(), kPiece);
}

void PairCounter::lay_out(Arena &arena) {
  data_.lay_out(arena, method_ == PairCountMethod::sites);
  work_ = arena.take<uint32_t>(threads_, work_size());
}

void PairCounter::set_row(int64_t site, int64_t sequence, uint8_t color) {
  const int64_t at = data_.first_byte() + site, kPiece = PairCountData::kPiece;
  data_.rows[(at / kPiece * data_.piece_rows() + sequence) * kPiece + at % kPiece] = color;
}

void PairCounter::set_sequences(int64_t first, int64_t n, const uint8_t *sequences) {
  const int64_t sites = shape().sites, stride = data_.column_stride();
  for (int64_t m = first; m < first + n; ++m, sequences += sites)
    for (int64_t i = 0; i < sites; ++i) {
      data_.columns[i * stride + m] = sequences[i];
      if (method_ == PairCountMethod::sites) set_row(i, m, sequences[i]);
    }
}

void PairCounter::set_group(int64_t group, const uint8_t *colors) {
  const int64_t sites = shape().sites, stride = data_.column_stride(), kGroup = 16;
  const int64_t first = kGroup * group, n = std::min(kGroup, shape().sequences - first);
  for (int64_t i = 0; i < sites; ++i, colors += kGroup) {
    std::copy_n(colors, n, &data_.columns[i * stride + first]);
    for (int64_t k = 0; k < n && method_ == PairCountMethod::sites; ++k) set_row(i, first + k, colors[k]);
  }
}

void PairCounter::count_site(Target target, int64_t i, int64_t thread, uint32_t *counts) const {
  assert(method_ == PairCountMethod::sites);
  pair_count_kernels(target).count_site(data_, i, work_.data() + thread * work_size(), counts);
}

void PairCounter::count_pair(int64_t i, int64_t j, int64_t thread, uint32_t *counts) const {
  assert(method_ == PairCountMethod::listed);
  const int64_t q = shape().colors, size = q * q, n = shape().sequences, whole = n / kTables * kTables;
  const uint8_t *a = column(i), *b = column(j);
  uint32_t *more = work_.data() + thread * work_size(), *tables[kTables] = {counts, more, more + size, more + 2 * size};
  std::fill_n(counts, size, 0U);
  std::fill_n(more, (kTables - 1) * size, 0U);
  for (int64_t m = 0; m < whole; m += kTables)
    for (int64_t t = 0; t < kTables; ++t) ++tables[t][a[m + t] * q + b[m + t]];
  for (int64_t m = whole; m < n; ++m) ++counts[a[m] * q + b[m]];
  for (int64_t t = 1; t < kTables; ++t)
    for (int64_t k = 0; k < size; ++k) counts[k] += tables[t][k];
}

}  // namespace atp
