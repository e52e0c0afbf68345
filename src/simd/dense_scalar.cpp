// SPDX-License-Identifier: MIT
#include "simd/dense.hpp"

#include "simd/exp.hpp"
#include "simd/log.hpp"

namespace atp {

namespace {

template <int64_t kRows>
void forward_part(int64_t count, const uint16_t *members, const uint16_t *codes, const float *panel, float *acc, int lanes) {
  for (int64_t k = 0; k < count; ++k) {
    const int64_t n = members[k] / 8;
    for (int64_t j = 0; j < kRows; ++j)
      for (int c = 0; c < lanes; ++c) acc[n * lanes + c] += panel[codes[n * kRows + j] / 8 * lanes + c];
  }
}

template <int64_t kRows>
void forward(int64_t count, const uint16_t *members, const uint16_t *codes, DenseParts<const float> panel, DenseParts<float> acc) {
  forward_part<kRows>(count, members, codes, panel.first, acc.first, acc.first_lanes);
  forward_part<kRows>(count, members, codes, panel.second, acc.second, acc.second_lanes);
}

void pair_rows_part(int64_t count, const uint16_t *names, const float *panel, float *table, int lanes) {
  for (int64_t k = 0; k < count; ++k)
    for (int c = 0; c < lanes; ++c) table[k * lanes + c] = panel[names[2 * k] / 8 * lanes + c] + panel[names[2 * k + 1] / 8 * lanes + c];
}

void pair_rows(int64_t count, const uint16_t *names, DenseParts<const float> panel, DenseParts<float> table) {
  pair_rows_part(count, names, panel.first, table.first, table.first_lanes);
  pair_rows_part(count, names, panel.second, table.second, table.second_lanes);
}

void columns_part(int64_t count, const uint16_t *members, const DenseColumns &columns, const float *panel, float *acc, int lanes) {
  for (int64_t m = 0; m < count; ++m) {
    const int64_t n = members[m] / 8;
    for (int64_t k = 0; k < columns.count; ++k)
      for (int c = 0; c < lanes; ++c) acc[n * lanes + c] += panel[(k * columns.block_rows + columns.codes[k][n] / 8) * lanes + c];
  }
}

void forward_columns(int64_t count, const uint16_t *members, const DenseColumns &columns, DenseParts<const float> panel,
                     DenseParts<float> acc) {
  columns_part(count, members, columns, panel.first, acc.first, acc.first_lanes);
  columns_part(count, members, columns, panel.second, acc.second, acc.second_lanes);
}

void backward_part(int64_t colors, const uint16_t *ends, const uint16_t *list, const float *rows, float *out, int lanes) {
  for (int64_t b = 0, k = 0; b < colors; ++b) {
    float sums[4][16] = {};
    for (int64_t place = 0; k < ends[b]; ++k, ++place)
      for (int c = 0; c < lanes; ++c) sums[place % 4][c] += rows[list[k] / 8 * lanes + c];
    for (int c = 0; c < lanes; ++c) out[b * lanes + c] = (sums[0][c] + sums[1][c]) + (sums[2][c] + sums[3][c]);
  }
}

void backward(int64_t colors, const uint16_t *ends, const uint16_t *list, DenseParts<const float> rows, DenseParts<float> out) {
  backward_part(colors, ends, list, rows.first, out.first, out.first_lanes);
  backward_part(colors, ends, list, rows.second, out.second, out.second_lanes);
}

void softmax(int64_t colors, int64_t count, int64_t rows, const uint8_t *own, const float *weights, float *logits, float *losses) {
  const int64_t width = dense_width(colors);
  for (int64_t n = 0; n < count; ++n) {
    const auto at = [&](int64_t c) -> float & {
      const int64_t part = c / 16, lanes = width - 16 * part < 16 ? 8 : 16;
      return logits[16 * rows * part + n * lanes + c % 16];
    };
    float top = at(0);
    for (int64_t c = 1; c < colors; ++c) top = at(c) > top ? at(c) : top;
    const float scaled_top = top * kLog2E, own_y = std::fma(at(own[n]), kLog2E, -scaled_top);
    float total = 0;
    for (int64_t c = 0; c < colors; ++c) {
      const float y = std::fma(at(c), kLog2E, -scaled_top);
      at(c) = exp2_f32(y > kDenseLowest ? y : kDenseLowest);
      total += at(c);
    }
    const float scale = weights[n] / total;
    for (int64_t c = 0; c < colors; ++c) at(c) *= scale;
    for (int64_t c = colors; c < width; ++c) at(c) = 0;
    at(own[n]) -= weights[n];
    losses[n] = weights[n] * std::fma(own_y, -kLn2, log_f32(total));
  }
}

}  // namespace

const DenseKernels dense_scalar_kernels = {forward<kDenseTile>, forward<kDensePairs>, pair_rows, forward_columns, backward, softmax};

}  // namespace atp
