// SPDX-License-Identifier: MIT
// The kernels of dense couplings with Highway: the operations of dense_scalar.cpp, lane by lane.
#include "simd/dense.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/dense.cpp"
#include "simd/highway.hpp"

#include "simd/dispatch.hpp"

#if HWY_TARGET != HWY_SCALAR
#include "simd/exp-inl.hpp"
#include "simd/log-inl.hpp"
#include "simd/transpose-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace atp::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// A part of kLanes floats in registers; kLanes = 0 is a part that does not exist. Vectors have constructors on
// some targets. The compiler would generate the structure's constructor outside the code of the target, where
// its instructions are not allowed, so it is written out.
template <int kLanes>
struct Part {
  using D = hn::CappedTag<float, kLanes>;
  using V = hn::Vec<D>;
  static constexpr int kVectors = static_cast<int>(kLanes / hn::MaxLanes(D()));
  V v[kVectors];

  HWY_INLINE Part() {}
  HWY_INLINE void zero() {
#pragma GCC unroll 4
    for (int k = 0; k < kVectors; ++k) v[k] = hn::Zero(D());
  }
  HWY_INLINE void load(const float *HWY_RESTRICT p) {
#pragma GCC unroll 4
    for (int k = 0; k < kVectors; ++k) v[k] = hn::Load(D(), p + static_cast<std::size_t>(k) * hn::MaxLanes(D()));
  }
  HWY_INLINE void add(const float *HWY_RESTRICT p) {
#pragma GCC unroll 4
    for (int k = 0; k < kVectors; ++k) v[k] = hn::Add(v[k], hn::Load(D(), p + static_cast<std::size_t>(k) * hn::MaxLanes(D())));
  }
  HWY_INLINE void add(const Part &other) {
#pragma GCC unroll 4
    for (int k = 0; k < kVectors; ++k) v[k] = hn::Add(v[k], other.v[k]);
  }
  HWY_INLINE void store(float *HWY_RESTRICT p) const {
#pragma GCC unroll 4
    for (int k = 0; k < kVectors; ++k) hn::Store(v[k], D(), p + static_cast<std::size_t>(k) * hn::MaxLanes(D()));
  }
};

template <>
struct Part<0> {
  HWY_INLINE void zero() {}
  HWY_INLINE void load(const float *) {}
  HWY_INLINE void add(const float *) {}
  HWY_INLINE void add(const Part &) {}
  HWY_INLINE void store(float *) const {}
};

// The address of the row with this name: a row of 16 floats begins at twice its name, one of 8 at its name.
template <int kLanes>
HWY_INLINE int64_t place(uint16_t name) {
  return int64_t{name} * (kLanes / 8);
}

// Sites whose additions are unrolled: with all of them NEON's compiler loads so early that registers go to the stack.
#if HWY_TARGET == HWY_NEON
constexpr int kUnrolled = 2;
#else
constexpr int kUnrolled = 16;
#endif

// A row by its name. NEON loads two vectors at an address and a constant, but only one at a sum: there the sum is made first.
template <int kLanes>
HWY_INLINE const float *row_of(const float *rows, uint16_t name) {
  const float *row = rows + place<kLanes>(name);
#if HWY_TARGET == HWY_NEON
  if (kLanes > 0) asm("" : "+r"(row));
#endif
  return row;
}

template <int kRows, int kFirst, int kSecond>
HWY_INLINE void forward_parts(int64_t count, const uint16_t *HWY_RESTRICT members, const uint16_t *HWY_RESTRICT codes,
                              const DenseParts<const float> &panel, const DenseParts<float> &acc) {
  const float *HWY_RESTRICT first = panel.first, *HWY_RESTRICT second = panel.second;
  for (int64_t k = 0; k < count; ++k) {
    const uint16_t n = members[k];
    const uint16_t *HWY_RESTRICT row = codes + kRows / 8 * int64_t{n};
    Part<kFirst> x;
    Part<kSecond> y;
    x.load(acc.first + place<kFirst>(n));
    y.load(acc.second + place<kSecond>(n));
#pragma GCC unroll kUnrolled
    for (int j = 0; j < kRows; ++j) {
      x.add(row_of<kFirst>(first, row[j]));
      y.add(row_of<kSecond>(second, row[j]));
    }
    x.store(acc.first + place<kFirst>(n));
    y.store(acc.second + place<kSecond>(n));
  }
}

template <int kFirst, int kSecond>
HWY_INLINE void pair_rows_parts(int64_t count, const uint16_t *HWY_RESTRICT names, const DenseParts<const float> &panel,
                                const DenseParts<float> &table) {
  const float *HWY_RESTRICT first = panel.first, *HWY_RESTRICT second = panel.second;
  for (int64_t k = 0; k < count; ++k) {
    Part<kFirst> x;
    Part<kSecond> y;
    x.load(row_of<kFirst>(first, names[2 * k]));
    y.load(row_of<kSecond>(second, names[2 * k]));
    x.add(row_of<kFirst>(first, names[2 * k + 1]));
    y.add(row_of<kSecond>(second, names[2 * k + 1]));
    x.store(table.first + k * kFirst);
    y.store(table.second + k * kSecond);
  }
}

template <int kFirst, int kSecond>
HWY_INLINE void columns_parts(int64_t count, const uint16_t *HWY_RESTRICT members, const DenseColumns &columns,
                              const DenseParts<const float> &panel, const DenseParts<float> &acc) {
  const int64_t sites = columns.count, first_step = columns.block_rows * kFirst, second_step = columns.block_rows * kSecond;
  const uint16_t *codes[kDenseTile];
  for (int64_t k = 0; k < sites; ++k) codes[k] = columns.codes[k];
  for (int64_t m = 0; m < count; ++m) {
    const uint16_t n = members[m];
    const int64_t at = n / 8;
    const float *HWY_RESTRICT first = panel.first, *HWY_RESTRICT second = panel.second;
    Part<kFirst> x;
    Part<kSecond> y;
    x.load(acc.first + place<kFirst>(n));
    y.load(acc.second + place<kSecond>(n));
    for (int64_t k = 0; k < sites; ++k) {
      const uint16_t name = codes[k][at];
      x.add(row_of<kFirst>(first, name));
      y.add(row_of<kSecond>(second, name));
      first += first_step;
      second += second_step;
    }
    x.store(acc.first + place<kFirst>(n));
    y.store(acc.second + place<kSecond>(n));
  }
}

template <int kFirst, int kSecond>
HWY_INLINE void backward_parts(int64_t colors, const uint16_t *HWY_RESTRICT ends, const uint16_t *HWY_RESTRICT list,
                               const DenseParts<const float> &rows, const DenseParts<float> &out) {
  const float *HWY_RESTRICT first = rows.first, *HWY_RESTRICT second = rows.second;
  int64_t k = 0;
  for (int64_t b = 0; b < colors; ++b) {
    const int64_t end = ends[b];
    Part<kFirst> x[4];
    Part<kSecond> y[4];
#pragma GCC unroll 4
    for (int s = 0; s < 4; ++s) {
      x[s].zero();
      y[s].zero();
    }
    for (; k + 4 <= end; k += 4) {
#pragma GCC unroll 4
      for (int s = 0; s < 4; ++s) {
        x[s].add(row_of<kFirst>(first, list[k + s]));
        y[s].add(row_of<kSecond>(second, list[k + s]));
      }
    }
#pragma GCC unroll 3
    for (int s = 0; s < 3; ++s)
      if (k + s < end) {
        x[s].add(row_of<kFirst>(first, list[k + s]));
        y[s].add(row_of<kSecond>(second, list[k + s]));
      }
    k = end;
    x[0].add(x[1]);
    x[2].add(x[3]);
    x[0].add(x[2]);
    y[0].add(y[1]);
    y[2].add(y[3]);
    y[0].add(y[2]);
    x[0].store(out.first + b * kFirst);
    y[0].store(out.second + b * kSecond);
  }
}

template <int kRows>
void forward(int64_t count, const uint16_t *members, const uint16_t *codes, DenseParts<const float> panel, DenseParts<float> acc) {
  if (acc.first_lanes == 8) return forward_parts<kRows, 8, 0>(count, members, codes, panel, acc);
  if (acc.second_lanes == 0) return forward_parts<kRows, 16, 0>(count, members, codes, panel, acc);
  if (acc.second_lanes == 8) return forward_parts<kRows, 16, 8>(count, members, codes, panel, acc);
  forward_parts<kRows, 16, 16>(count, members, codes, panel, acc);
}

void pair_rows(int64_t count, const uint16_t *names, DenseParts<const float> panel, DenseParts<float> table) {
  if (table.first_lanes == 8) return pair_rows_parts<8, 0>(count, names, panel, table);
  if (table.second_lanes == 0) return pair_rows_parts<16, 0>(count, names, panel, table);
  if (table.second_lanes == 8) return pair_rows_parts<16, 8>(count, names, panel, table);
  pair_rows_parts<16, 16>(count, names, panel, table);
}

void forward_columns(int64_t count, const uint16_t *members, const DenseColumns &columns, DenseParts<const float> panel,
                     DenseParts<float> acc) {
  if (acc.first_lanes == 8) return columns_parts<8, 0>(count, members, columns, panel, acc);
  if (acc.second_lanes == 0) return columns_parts<16, 0>(count, members, columns, panel, acc);
  if (acc.second_lanes == 8) return columns_parts<16, 8>(count, members, columns, panel, acc);
  columns_parts<16, 16>(count, members, columns, panel, acc);
}

void backward(int64_t colors, const uint16_t *ends, const uint16_t *list, DenseParts<const float> rows, DenseParts<float> out) {
  if (out.first_lanes == 8) return backward_parts<8, 0>(colors, ends, list, rows, out);
  if (out.second_lanes == 0) return backward_parts<16, 0>(colors, ends, list, rows, out);
  if (out.second_lanes == 8) return backward_parts<16, 8>(colors, ends, list, rows, out);
  backward_parts<16, 16>(colors, ends, list, rows, out);
}

// Transposes sixteen rows of a part into columns [colour][16], or back.
template <bool kBack>
HWY_INLINE void turn(int64_t lanes, float *HWY_RESTRICT rows, float *HWY_RESTRICT columns) {
  for (int64_t c = 0; c < lanes; c += 4)
    for (int64_t n = 0; n < kDenseGroup; n += 4) {
      float *row = rows + n * lanes + c, *column = columns + c * kDenseGroup + n;
      if (kBack)
        transpose4(column, kDenseGroup, row, lanes);
      else
        transpose4(row, lanes, column, kDenseGroup);
    }
}

void softmax(int64_t colors, int64_t count, int64_t rows, const uint8_t *own, const float *weights, float *logits, float *losses) {
  using D = hn::CappedTag<float, kDenseGroup>;
  const D d;
  const hn::RebindToSigned<D> di;
  using V = hn::Vec<D>;
  const int64_t width = dense_width(colors), n_lanes = static_cast<int64_t>(hn::Lanes(d));
  const V log2e = hn::Set(d, kLog2E), lowest = hn::Set(d, kDenseLowest);
  HWY_ALIGN float columns[256 * kDenseGroup];
  HWY_ALIGN float slopes[kDenseGroup];
  HWY_ALIGN int32_t places[kDenseGroup];
  for (int64_t n = 0; n < count; n += kDenseGroup) {
    const int64_t parts = (width + 15) / 16;
    // In every part the rows of this group begin at a multiple of their lanes.
    for (int64_t part = 0; part < parts; ++part) {
      const int64_t lanes = width - 16 * part < 16 ? 8 : 16;
      turn<false>(lanes, logits + 16 * rows * part + n * lanes, columns + 16 * part * kDenseGroup);
    }
    for (int lane = 0; lane < kDenseGroup; ++lane) places[lane] = own[n + lane] * static_cast<int32_t>(kDenseGroup) + lane;
    for (int64_t x = 0; x < kDenseGroup; x += n_lanes) {
      float *HWY_RESTRICT h = columns + x;
      V top = hn::Load(d, h), top1 = top;
      int64_t c = 1;
      for (; c + 2 <= colors; c += 2) {
        top = hn::Max(top, hn::Load(d, h + c * kDenseGroup));
        top1 = hn::Max(top1, hn::Load(d, h + (c + 1) * kDenseGroup));
      }
      if (c < colors) top = hn::Max(top, hn::Load(d, h + c * kDenseGroup));
      const V scaled_top = hn::Mul(hn::Max(top, top1), log2e);
      const V own_y = hn::MulSub(hn::GatherIndex(d, columns, hn::Load(di, places + x)), log2e, scaled_top);
      V total = hn::Zero(d);
      for (c = 0; c < colors; ++c) {
        const V y = hn::MulSub(hn::Load(d, h + c * kDenseGroup), log2e, scaled_top);
        const V e = exp2_f32v(d, hn::Max(y, lowest));
        hn::Store(e, d, h + c * kDenseGroup);
        total = hn::Add(total, e);
      }
      const V weight = hn::LoadU(d, weights + n + x), scale = hn::Div(weight, total);
      for (c = 0; c < colors; ++c) hn::Store(hn::Mul(hn::Load(d, h + c * kDenseGroup), scale), d, h + c * kDenseGroup);
      for (; c < width; ++c) hn::Store(hn::Zero(d), d, h + c * kDenseGroup);
      hn::Store(hn::Sub(hn::GatherIndex(d, columns, hn::Load(di, places + x)), weight), d, slopes + x);
      hn::StoreU(hn::Mul(weight, hn::NegMulAdd(own_y, hn::Set(d, kLn2), log_f32v(d, total))), d, losses + n + x);
    }
    for (int64_t lane = 0; lane < kDenseGroup; ++lane) columns[places[lane]] = slopes[lane];
    for (int64_t part = 0; part < parts; ++part) {
      const int64_t lanes = width - 16 * part < 16 ? 8 : 16;
      turn<true>(lanes, logits + 16 * rows * part + n * lanes, columns + 16 * part * kDenseGroup);
    }
  }
}

}  // namespace

extern const DenseKernels dense_table;
const DenseKernels dense_table = {forward<kDenseTile>, forward<kDensePairs>, pair_rows, forward_columns, backward, softmax};

}  // namespace atp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace atp {

const DenseKernels &dense_kernels(Target target) { ATP_DISPATCH(target, dense_table, dense_scalar_kernels) }

}  // namespace atp
#endif
