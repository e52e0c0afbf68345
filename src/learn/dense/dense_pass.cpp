// SPDX-License-Identifier: MIT
#include "learn/dense/dense_pass.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

constexpr uint8_t kGap = 255;

// The colour of site i that a row's name stands for; kGap for a gap.
uint8_t own_color(const DenseShape &shape, const uint16_t *codes, int64_t n, int64_t i) {
  if (shape.lists != nullptr) {
    const int64_t color = codes[i * shape.piece() + n] / 8;
    return color == shape.colors ? kGap : static_cast<uint8_t>(color);
  }
  const int64_t name = codes[(i / kDenseTile * shape.piece() + n) * kDenseTile + i % kDenseTile] / 8;
  return name == kDenseTile * shape.colors ? kGap : static_cast<uint8_t>(name - i % kDenseTile * shape.colors);
}

}  // namespace

// float32.

void DensePassF32::lay_out(Arena &arena, const DenseShape &shape) {
  shape_ = shape;
  const int64_t width = shape.width(), piece = shape.piece();
  start_ = arena.take<float>(width);
  panel_ = arena.take<float>(shape.tiles(), shape.panel_rows(), width);
  table_ = arena.take<float>(shape.tile_classes(), width);
  classes_ = arena.take<float>(shape.most_classes(), width);
  acc_ = arena.take<float>(piece, width);
  sums_ = arena.take<float>(sum_rows(), width);
  totals_ = arena.take<double>(shape.pieces() > 1 ? product_of(sum_rows(), width) : 0);
  weights_ = arena.take<float>(piece);
  losses_ = arena.take<float>(piece);
  own_ = arena.take<uint8_t>(piece);
  members_ = arena.take<uint16_t>(piece);
}

void DensePassF32::clear_block(int64_t slot) {
  const float zeros[1] = {0};
  put_block(slot, zeros, 0, 0);
}

void DensePassF32::add_mean(int64_t slot, const double *f, double *sums) const {
  const int64_t q = shape_.colors, width = shape_.width(), rows = shape_.panel_rows();
  const float *tile = panel_.data() + slot / kDenseTile * rows * width;
  for (int64_t part = 0; 16 * part < width; ++part) {
    const int64_t lanes = width - 16 * part < 16 ? 8 : 16, colors = std::min(q - 16 * part, lanes);
    const float *from = tile + 16 * rows * part + slot % kDenseTile * shape_.slot_rows() * lanes;
    for (int64_t b = 0; b < q; ++b)
      for (int64_t a = 0; a < colors; ++a) sums[16 * part + a] += f[b] * static_cast<double>(from[b * lanes + a]);
  }
}

template <class T>
DenseParts<T> DensePassF32::parts(T *base, int64_t rows, int64_t part, int64_t width) {
  const auto lanes = [&](int64_t p) { return 16 * p >= width ? 0 : width - 16 * p < 16 ? 8 : 16; };
  return {base + 16 * rows * part, base + 16 * rows * (part + 1), lanes(part), lanes(part + 1)};
}

// The couplings of a tile of slots into the logits.
void DensePassF32::add_tile(const DenseKernels &kernels, const Piece &of, int64_t i, int64_t t, int64_t part) {
  const int64_t piece = shape_.piece(), width = shape_.width(), rows = shape_.panel_rows();
  const DenseParts<const float> panel = parts<const float>(panel_.data() + t * rows * width, rows, part, width);
  const DenseParts<float> to = parts(acc_.data(), piece, part, width);
  if (of.paired()) {
    const DenseTilePairs pairs = of.data->tile_pairs(of.p, t);
    kernels.pair_rows(pairs.firsts[kDensePairs], pairs.names, panel, parts(table_.data(), shape_.tile_classes(), part, width));
    const DenseParts<const float> table = parts<const float>(table_.data(), shape_.tile_classes(), part, width);
    return kernels.forward_pairs(members_count_, members_.data(), pairs.codes, table, to);
  }
  if (shape_.lists == nullptr) return kernels.forward(members_count_, members_.data(), of.codes + t * piece * kDenseTile, panel, to);
  const uint16_t *columns[kDenseTile];
  const int64_t first = t * kDenseTile, count = std::min(kDenseTile, shape_.degree(i) - first);
  for (int64_t k = 0; k < count; ++k) columns[k] = of.codes + shape_.neighbor(i, first + k) * piece;
  kernels.forward_columns(members_count_, members_.data(), {count, shape_.slot_rows(), columns}, panel, to);
}

// Logits, softmax and loss of one piece; acc holds D afterwards.
double DensePassF32::piece_loss(const DenseKernels &kernels, const Piece &of, int64_t i) {
  const int64_t count = of.count;
  const int64_t piece = shape_.piece(), width = shape_.width(), used = shape_.lists == nullptr ? shape_.slots() : shape_.degree(i);
  const int64_t groups = (count + kDenseGroup - 1) / kDenseGroup * kDenseGroup;
  members_count_ = 0;
  for (int64_t n = 0; n < groups; ++n) {
    const uint8_t own = n < count ? own_color(shape_, of.codes, n, i) : kGap;
    const bool predicted = own != kGap;
    own_[n] = predicted ? own : uint8_t{0};
    weights_[n] = predicted ? static_cast<float>(of.weights[n]) : 0.0f;
    members_[members_count_] = static_cast<uint16_t>(8 * n);
    members_count_ += predicted ? 1 : 0;
  }
  for (int64_t part = 0; 16 * part < width; ++part) {
    const int64_t lanes = width - 16 * part < 16 ? 8 : 16;
    float *to = acc_.data() + 16 * piece * part;
    for (int64_t n = 0; n < groups; ++n) std::copy_n(start_.data() + 16 * part, lanes, to + n * lanes);
  }
  for (int64_t part = 0; 16 * part < width; part += 2)
    for (int64_t t = 0; t * kDenseTile < used; ++t) add_tile(kernels, of, i, t, part);
  kernels.softmax(shape_.colors, groups, piece, own_.data(), weights_.data(), acc_.data(), losses_.data());
  double sums[kDenseGroup] = {}, loss = 0;
  for (int64_t n = 0; n < groups; n += kDenseGroup)
    for (int64_t k = 0; k < kDenseGroup; ++k) sums[k] += static_cast<double>(losses_[n + k]);
  for (double x : sums) loss += x;
  return loss;
}

void DensePassF32::add_piece() {
  for (int64_t k = 0; k < totals_.size(); ++k) totals_[k] += static_cast<double>(sums_[k]);
}

// The sums of D of one piece, for two parts of the colours.
void DensePassF32::sum_piece(const DenseKernels &kernels, const Piece &of, int64_t i, int64_t part) {
  const int64_t width = shape_.width(), rows = sum_rows(), colors = shape_.colors;
  const DenseParts<const float> from = parts<const float>(acc_.data(), shape_.piece(), part, width);
  const auto to_row = [&](int64_t row) {
    DenseParts<float> to = parts(sums_.data(), rows, part, width);
    to.first += row * to.first_lanes;
    to.second += row * to.second_lanes;
    return to;
  };
  const uint16_t end = static_cast<uint16_t>(members_count_);
  kernels.backward(1, &end, members_.data(), from, to_row(rows - 2));
  if (!of.paired()) {
    for (int64_t k = 0; k < shape_.degree(i); ++k) {
      const int64_t j = shape_.neighbor(i, k);
      kernels.backward(colors, of.data->ends(of.p, j), of.data->list(of.p, j), from, to_row(colors * shape_.slot(i, k)));
    }
    return;
  }
  const DenseParts<float> classes = parts(classes_.data(), shape_.most_classes(), part, width);
  const DenseParts<const float> sums = parts<const float>(classes_.data(), shape_.most_classes(), part, width);
  for (int64_t m = 0; 2 * m < shape_.sites; ++m) {
    const DenseTilePairs pairs = of.data->tile_pairs(of.p, m / kDensePairs);
    const int64_t first = pairs.firsts[m % kDensePairs], count = pairs.firsts[m % kDensePairs + 1] - first;
    kernels.backward(count, pairs.ends + first, of.data->list(of.p, m), from, classes);
    for (int64_t side = 0; side < 2; ++side) {
      const int64_t j = 2 * m + side;
      if (j == i || j >= shape_.sites) continue;
      kernels.backward(colors, of.data->ends(of.p, j), pairs.sides + side * shape_.tile_classes() + first, sums, to_row(colors * j));
    }
  }
}

double DensePassF32::run(const DenseKernels &kernels, const DenseData &data, int64_t i, bool gradient) {
  const int64_t width = shape_.width();
  double loss = 0;
  if (gradient) std::fill(totals_.begin(), totals_.end(), 0.0);
  for (int64_t p = 0; p < shape_.pieces(); ++p) {
    const Piece of{data.codes(p), data.weights + shape_.first(p), shape_.size(p), &data, p};
    loss += piece_loss(kernels, of, i);
    if (!gradient) continue;
    for (int64_t part = 0; 16 * part < width; part += 2) sum_piece(kernels, of, i, part);
    add_piece();
  }
  return loss;
}

double DensePassF32::loss_of(const DenseKernels &kernels, const uint16_t *codes, const double *weights, int64_t count, int64_t i) {
  return piece_loss(kernels, {codes, weights, count, nullptr, 0}, i);
}

// float64.

void DensePassF64::lay_out(Arena &arena, const DenseShape &shape) {
  shape_ = shape;
  const int64_t q = shape.colors, rows = shape.slots() * q;
  start_ = arena.take<double>(q);
  panel_ = arena.take<double>(rows, q);
  sums_ = arena.take<double>(rows, q);
  field_sums_ = arena.take<double>(q);
}

void DensePassF64::clear_block(int64_t slot) {
  const double zeros[1] = {0};
  put_block(slot, zeros, 0, 0);
}

void DensePassF64::add_mean(int64_t slot, const double *f, double *sums) const {
  const int64_t q = shape_.colors;
  const double *from = panel_.data() + slot * q * q;
  for (int64_t b = 0; b < q; ++b)
    for (int64_t a = 0; a < q; ++a) sums[a] += f[b] * from[b * q + a];
}

double DensePassF64::piece_loss(const uint16_t *codes, const double *weights, int64_t count, int64_t i, bool gradient) {
  const int64_t q = shape_.colors;
  double loss = 0, d[256];
  for (int64_t n = 0; n < count; ++n) {
    const uint8_t own = own_color(shape_, codes, n, i);
    if (own == kGap) continue;
    // Row of (slot, s_nj) of neighbour k; NULL for a gap.
    const auto row = [&](Span<double> matrix, int64_t k) -> double * {
      const uint8_t color = own_color(shape_, codes, n, shape_.neighbor(i, k));
      return color == kGap ? nullptr : matrix.data() + (shape_.slot(i, k) * q + color) * q;
    };
    std::copy(start_.begin(), start_.end(), d);
    for (int64_t k = 0; k < shape_.degree(i); ++k)
      if (const double *x = row(panel_, k); x != nullptr)
        for (int64_t a = 0; a < q; ++a) d[a] += x[a];
    const double top = *std::max_element(d, d + q), own_logit = d[own];
    double total = 0;
    for (int64_t a = 0; a < q; ++a) total += d[a] = std::exp(d[a] - top);
    loss += weights[n] * (std::log(total) + top - own_logit);
    if (!gradient) continue;
    for (int64_t a = 0; a < q; ++a) d[a] *= weights[n] / total;
    d[own] -= weights[n];
    for (int64_t a = 0; a < q; ++a) field_sums_[a] += d[a];
    for (int64_t k = 0; k < shape_.degree(i); ++k)
      if (double *x = row(sums_, k); x != nullptr)
        for (int64_t a = 0; a < q; ++a) x[a] += d[a];
  }
  return loss;
}

double DensePassF64::run(const DenseKernels &, const DenseData &data, int64_t i, bool gradient) {
  double loss = 0;
  if (gradient) {
    std::fill(sums_.begin(), sums_.end(), 0.0);
    std::fill(field_sums_.begin(), field_sums_.end(), 0.0);
  }
  for (int64_t p = 0; p < shape_.pieces(); ++p)
    loss += piece_loss(data.codes(p), data.weights + shape_.first(p), shape_.size(p), i, gradient);
  return loss;
}

double DensePassF64::loss_of(const DenseKernels &, const uint16_t *codes, const double *weights, int64_t count, int64_t i) {
  return piece_loss(codes, weights, count, i, false);
}

}  // namespace atp
