// SPDX-License-Identifier: MIT
// One site of the pseudo-likelihood of dense couplings: the loss of predicting it from all others, and its derivatives. [R24 eq. 3-5]
//
//     logits_n(a) = h(a) + sum_{j != i} J_ij(a, s_nj),   D_n(a) = w_n (p_n(a) - [a = s_ni]),
//     dh(a) = sum_n D_n(a),   dJ_ij(a, b) = sum_{n: s_nj = b} D_n(a).
//
// A pass is the work space of one thread: put fields and couplings of a site in, run it, take derivatives out. Blocks of couplings have the
// slots of DenseShape, and are (a, b) with a at this site; their elements lie at a * stride_a + b * stride_b of a caller's array.
#pragma once

#include "learn/dense/dense_data.hpp"

namespace atp {

// float32 kernels; sums over pieces of the sequences and losses are float64.
class DensePassF32 {
 public:
  using Real = float;
  void lay_out(Arena &arena, const DenseShape &shape);

  template <class T>
  void put_fields(const T *fields);
  template <class T>
  void put_block(int64_t slot, const T *block, int64_t stride_a, int64_t stride_b);
  void clear_block(int64_t slot);  // of the site itself
  // sums[a] += sum_b f[b] J(a, b), for the block that was put into a slot; one colour b after the other.
  void add_mean(int64_t slot, const double *f, double *sums) const;
  // Returns the weighted sum of -log p(s_i | rest) over the training data; computes derivatives only on request.
  double run(const DenseKernels &kernels, const DenseData &data, int64_t i, bool gradient);
  // Returns the same sum over up to shape.piece() other sequences, with codes and weights of their own.
  double loss_of(const DenseKernels &kernels, const uint16_t *codes, const double *weights, int64_t count, int64_t i);
  // out = or += the derivative; double or float.
  template <class T>
  void take_fields(T *out) const;
  template <class T>
  void take_block(int64_t slot, bool add, T *block, int64_t stride_a, int64_t stride_b) const;

 private:
  // Sequences of one piece: codes of their own, or piece p of the training data.
  struct Piece {
    const uint16_t *codes;
    const double *weights;
    int64_t count;
    const DenseData *data;  // nullptr: not those of the training data
    int64_t p;
    bool paired() const { return data != nullptr && data->paired(p); }
  };
  double piece_loss(const DenseKernels &kernels, const Piece &of, int64_t i);
  void sum_piece(const DenseKernels &kernels, const Piece &of, int64_t i, int64_t part);
  void add_piece();
  void add_tile(const DenseKernels &kernels, const Piece &of, int64_t i, int64_t t, int64_t part);
  int64_t sum_rows() const { return shape_.slots() * shape_.colors + 2; }  // the last but one is that of the fields
  template <class T>
  static DenseParts<T> parts(T *base, int64_t rows, int64_t part, int64_t width);

  DenseShape shape_;
  int64_t members_count_ = 0;
  Span<float> start_;    // [width]: the fields
  Span<float> panel_;    // [tiles][panel rows][width]
  Span<float> table_;    // [tile classes][width]: sums of two rows of the panel
  Span<float> classes_;  // [classes of a pair][width]: sums of D
  Span<float> acc_;      // [piece][width]: logits, then D
  Span<float> sums_;     // [sum rows][width]: of one piece
  Span<double> totals_;  // the same over pieces, where there are several
  Span<float> weights_, losses_;
  Span<uint8_t> own_;
  Span<uint16_t> members_;
};

// float64 throughout, in plain loops: the reference.
class DensePassF64 {
 public:
  using Real = double;
  void lay_out(Arena &arena, const DenseShape &shape);

  template <class T>
  void put_fields(const T *fields);
  template <class T>
  void put_block(int64_t slot, const T *block, int64_t stride_a, int64_t stride_b);
  void clear_block(int64_t slot);
  void add_mean(int64_t slot, const double *f, double *sums) const;
  double run(const DenseKernels &kernels, const DenseData &data, int64_t i, bool gradient);
  double loss_of(const DenseKernels &kernels, const uint16_t *codes, const double *weights, int64_t count, int64_t i);
  template <class T>
  void take_fields(T *out) const;
  template <class T>
  void take_block(int64_t slot, bool add, T *block, int64_t stride_a, int64_t stride_b) const;

 private:
  double piece_loss(const uint16_t *codes, const double *weights, int64_t count, int64_t i, bool gradient);

  DenseShape shape_;
  Span<double> start_;  // [q]
  Span<double> panel_;  // [slots][q][q], (b, a)
  Span<double> sums_;   // the same, of derivatives
  Span<double> field_sums_;
};

template <class T>
void DensePassF32::put_fields(const T *fields) {
  for (int64_t a = 0; a < shape_.colors; ++a) start_[a] = static_cast<float>(fields[a]);
}

template <class T>
void DensePassF32::put_block(int64_t slot, const T *block, int64_t stride_a, int64_t stride_b) {
  const int64_t q = shape_.colors, width = shape_.width(), rows = shape_.panel_rows();
  float *tile = panel_.data() + slot / kDenseTile * rows * width;
  for (int64_t part = 0; 16 * part < width; ++part) {
    const int64_t lanes = width - 16 * part < 16 ? 8 : 16, colors = q - 16 * part < lanes ? q - 16 * part : lanes;
    float *to = tile + 16 * rows * part + slot % kDenseTile * shape_.slot_rows() * lanes;
    const T *from = block + 16 * part * stride_a;
    if (stride_a == 1) {
      for (int64_t b = 0; b < q; ++b)
        for (int64_t a = 0; a < colors; ++a) to[b * lanes + a] = static_cast<float>(from[a + b * stride_b]);
      continue;
    }
    for (int64_t a = 0; a < colors; ++a)
      for (int64_t b = 0; b < q; ++b) to[b * lanes + a] = static_cast<float>(from[a * stride_a + b * stride_b]);
  }
}

template <class T>
void DensePassF32::take_fields(T *out) const {
  const int64_t width = shape_.width(), rows = sum_rows();
  for (int64_t a = 0; a < shape_.colors; ++a) {
    const int64_t part = a / 16, lanes = width - 16 * part < 16 ? 8 : 16, at = 16 * rows * part + (rows - 2) * lanes + a % 16;
    out[a] = totals_.empty() ? static_cast<T>(sums_[at]) : static_cast<T>(totals_[at]);
  }
}

template <class T>
void DensePassF32::take_block(int64_t slot, bool add, T *block, int64_t stride_a, int64_t stride_b) const {
  const int64_t q = shape_.colors, width = shape_.width();
  const auto put = [&](T *x, auto value) { *x = add ? *x + static_cast<T>(value) : static_cast<T>(value); };
  // Along the rows of the caller's array.
  const auto take = [&](const auto *from, int64_t lanes, int64_t colors, T *to) {
    if (stride_a == 1) {
      for (int64_t b = 0; b < q; ++b)
        for (int64_t a = 0; a < colors; ++a) put(to + a + b * stride_b, from[b * lanes + a]);
      return;
    }
    for (int64_t a = 0; a < colors; ++a)
      for (int64_t b = 0; b < q; ++b) put(to + a * stride_a + b * stride_b, from[b * lanes + a]);
  };
  for (int64_t part = 0; 16 * part < width; ++part) {
    const int64_t lanes = width - 16 * part < 16 ? 8 : 16, colors = q - 16 * part < lanes ? q - 16 * part : lanes;
    const int64_t at = 16 * sum_rows() * part + slot * q * lanes;
    if (totals_.empty())
      take(sums_.data() + at, lanes, colors, block + 16 * part * stride_a);
    else
      take(totals_.data() + at, lanes, colors, block + 16 * part * stride_a);
  }
}

template <class T>
void DensePassF64::put_fields(const T *fields) {
  for (int64_t a = 0; a < shape_.colors; ++a) start_[a] = static_cast<double>(fields[a]);
}

template <class T>
void DensePassF64::put_block(int64_t slot, const T *block, int64_t stride_a, int64_t stride_b) {
  const int64_t q = shape_.colors;
  double *to = panel_.data() + slot * q * q;
  for (int64_t b = 0; b < q; ++b)
    for (int64_t a = 0; a < q; ++a) to[b * q + a] = static_cast<double>(block[a * stride_a + b * stride_b]);
}

template <class T>
void DensePassF64::take_fields(T *out) const {
  for (int64_t a = 0; a < shape_.colors; ++a) out[a] = static_cast<T>(field_sums_[a]);
}

template <class T>
void DensePassF64::take_block(int64_t slot, bool add, T *block, int64_t stride_a, int64_t stride_b) const {
  const int64_t q = shape_.colors;
  const double *from = sums_.data() + slot * q * q;
  for (int64_t b = 0; b < q; ++b)
    for (int64_t a = 0; a < q; ++a) {
      T &x = block[a * stride_a + b * stride_b];
      const T value = static_cast<T>(from[b * q + a]);
      x = add ? x + value : value;
    }
}

}  // namespace atp
