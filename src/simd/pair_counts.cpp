// SPDX-License-Identifier: MIT
// Counts pairs of colours with Highway. For each colour a of site i the rows of the sequences with s_i = a are added up. A byte of a row
// becomes bits, one for each of 8 colours, and full adders count the bits of 16 rows at a time in planes: bit p of every count is in plane
// p (W. Mula, N. Kurz, D. Lemire, "Faster population counts using AVX2 instructions", Comput. J. 61 (2018), 111). Planes of up to 240 rows
// are then turned into bytes and added to 16-bit sums.
#include "simd/pair_counts.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/pair_counts.cpp"
#include "simd/highway.hpp"

#include "simd/dispatch.hpp"

#include <hwy/cache_control.h>

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace atp::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Bytes = hn::CappedTag<uint8_t, PairCountData::kPiece>;
using Words = hn::Repartition<uint16_t, Bytes>;
using V = hn::Vec<Bytes>;
constexpr int64_t kPiece = PairCountData::kPiece;
constexpr int64_t kLanes = static_cast<int64_t>(hn::MaxLanes(Bytes())), kVectors = kPiece / kLanes;

// Colours of a part, one bit each. A half has two parts: colours 0 .. 15, or 16 .. 31.
constexpr int kPart = 8, kMostParts = 4, kMostColors = kPart * kMostParts;
constexpr int64_t kBlock = PairCountData::kBlock, kRun = 15 * kBlock;
// Sequences whose counts fit into 16 bits, whole blocks.
constexpr int64_t kChunk = 65520;

// The sequences of a chunk by colour: order[begin[a]] .. order[begin[a + 1] - 1] are those of colour a, as offsets of rows. The last
// fill[a] of them are the row after the last sequence, whose colours are 0: they fill a block.
struct Order {
  int64_t begin[kMostColors + 1];
  int64_t fill[kMostColors];
};

// Four streams of sequences, so that sequences of one colour in turn need not wait for each other.
void sort(const uint8_t *HWY_RESTRICT column, int64_t n, int64_t colors, uint32_t fill_row, uint32_t *HWY_RESTRICT order, Order &sorted) {
  constexpr int kStreams = 4;
  uint32_t place[kStreams][kMostColors] = {};
  const int64_t each = n / kStreams;
  for (int64_t k = 0; k < each; ++k)
    for (int t = 0; t < kStreams; ++t) ++place[t][column[t * each + k]];
  for (int64_t k = kStreams * each; k < n; ++k) ++place[kStreams - 1][column[k]];
  uint32_t next = 0;
  for (int64_t a = 0; a < colors; ++a) {
    sorted.begin[a] = next;
    for (auto &stream : place) {
      const uint32_t count = stream[a];
      stream[a] = next;
      next += count;
    }
    sorted.fill[a] = 0;
    for (; next % kBlock != 0; ++sorted.fill[a]) order[next++] = fill_row;
  }
  sorted.begin[colors] = next;
  for (int64_t k = 0; k < each; ++k)
    for (int t = 0; t < kStreams; ++t) order[place[t][column[t * each + k]]++] = static_cast<uint32_t>((t * each + k) * kPiece);
  for (int64_t k = kStreams * each; k < n; ++k) order[place[kStreams - 1][column[k]]++] = static_cast<uint32_t>(k * kPiece);
}

// sum + x + y = new sum + 2 * carry, bit by bit.
HWY_INLINE V full_add(V &sum, V x, V y) {
#if HWY_TARGET == HWY_AVX3
  const V carry{_mm512_ternarylogic_epi64(sum.raw, x.raw, y.raw, 0xE8)};
  sum = V{_mm512_ternarylogic_epi64(sum.raw, x.raw, y.raw, 0x96)};
#else
  const V odd = hn::Xor(sum, x), carry = hn::Or(hn::And(sum, x), hn::And(odd, y));
  sum = hn::Xor(odd, y);
#endif
  return carry;
}

// A vector for each part of a half. The compiler's own constructor would be outside the code of the target, so it is written out.
template <int kParts>
struct Half {
  HWY_INLINE Half() {}
  V part[kParts];
};

// Adds rows of bits, of the parts first_part, ... of one half.
template <int kParts>
struct Adder {
  const uint8_t *rows = nullptr;
  V offset, tables[kParts];

  // The bytes of the other half give an index above 127 (Arm: above 15), which looks up 0.
  HWY_INLINE explicit Adder(int first_part) {
    HWY_ALIGN static constexpr uint8_t kTables[2][16] = {{1, 2, 4, 8, 16, 32, 64, 128},
                                                         {0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128}};
    const Bytes d;
    offset = hn::Set(d, static_cast<uint8_t>(first_part >= 2 ? 256 - 16 : HWY_ARCH_ARM ? 0 : 112));
#pragma GCC unroll 4
    for (int k = 0; k < kParts; ++k) tables[k] = hn::LoadDup128(d, kTables[(first_part + k) % 2]);
  }

  HWY_INLINE Half<kParts> bits(uint32_t row) const {
    const Bytes d;
    const V index = hn::Add(hn::LoadU(d, rows + row), offset);
    Half<kParts> out;
#pragma GCC unroll 4
    for (int k = 0; k < kParts; ++k) out.part[k] = hn::TableLookupBytesOr0(tables[k], index);
    return out;
  }

  // Adds 2^(kLevel + 1) rows to planes 0 .. kLevel and returns the carry.
  template <int kLevel>
  HWY_INLINE Half<kParts> add(const uint32_t *order, Half<kParts> *planes) const {
    Half<kParts> x, y, carry;
    if constexpr (kLevel == 0) {
      x = bits(order[0]);
      y = bits(order[1]);
    } else {
      x = add<kLevel - 1>(order, planes);
      y = add<kLevel - 1>(order + (1 << kLevel), planes);
    }
#pragma GCC unroll 4
    for (int k = 0; k < kParts; ++k) carry.part[k] = full_add(planes[kLevel].part[k], x.part[k], y.part[k]);
    return carry;
  }
};

// Counts the bits of at most kRun rows, whole blocks: plane p of part k goes to planes_out + (8 * k + p) * kLanes. With `ahead` rows that
// are counted later are brought to the cache, those of the next colour, too.
template <int kParts>
HWY_INLINE void count_rows(const Adder<kParts> &adder, bool ahead, const uint32_t *order, int64_t n, uint8_t *HWY_RESTRICT planes_out) {
  const Bytes d;
  Half<kParts> planes[4];
#pragma GCC unroll 8
  for (int p = 0; p < 4; ++p)
#pragma GCC unroll 4
    for (int k = 0; k < kParts; ++k) planes[p].part[k] = hn::Zero(d);
  for (int k = 0; k < kParts; ++k)
    for (int p = 4; p < 8; ++p) hn::Store(hn::Zero(d), d, planes_out + (8 * k + p) * kLanes);
  for (int64_t first = 0; first < n; first += kBlock) {
    if (ahead)
      for (int64_t k = 0; k < kBlock; ++k) hwy::Prefetch(adder.rows + order[first + PairCountData::kAhead + k]);
    Half<kParts> carry = adder.template add<3>(order + first, planes);
    for (int k = 0; k < kParts; ++k)
      for (int p = 4; p < 8; ++p) {
        uint8_t *at = planes_out + (8 * k + p) * kLanes;
        const V plane = hn::Load(d, at);
        hn::Store(hn::Xor(plane, carry.part[k]), d, at);
        carry.part[k] = hn::And(plane, carry.part[k]);
      }
  }
  for (int k = 0; k < kParts; ++k)
#pragma GCC unroll 8
    for (int p = 0; p < 4; ++p) hn::Store(planes[p].part[k], d, planes_out + (8 * k + p) * kLanes);
}

// Exchanges, in every group of 2 kShift bits, the high half of x with the low half of y.
template <int kShift>
HWY_INLINE void exchange(V &x, V &y) {
  const Bytes d;
  const Words words;
  const V mask = hn::Set(d, kShift == 1 ? 0x55 : kShift == 2 ? 0x33 : 0x0F);
  const V shifted = hn::BitCast(d, hn::ShiftRight<kShift>(hn::BitCast(words, x)));
  const V change = hn::And(hn::Xor(shifted, y), mask);
  y = hn::Xor(y, change);
  x = hn::Xor(x, hn::BitCast(d, hn::ShiftLeft<kShift>(hn::BitCast(words, change))));
}

// Within blocks of 16 bytes: x takes the low halves of both, element by element in turn, and y the high halves.
template <class T>
HWY_INLINE void interleave(V &x, V &y) {
  const hn::Repartition<T, Bytes> d;
  const auto a = hn::BitCast(d, x), b = hn::BitCast(d, y);
  x = hn::BitCast(Bytes(), hn::InterleaveLower(d, a, b));
  y = hn::BitCast(Bytes(), hn::InterleaveUpper(d, a, b));
}

// Turns eight planes into the counts of eight colours, site by site, and adds them to sums, or sets sums if they are the first: the count
// of colour c at site 16 l + 2 r + e of the vector is sums[r * kLanes + 16 l + 8 e + c].
HWY_INLINE void add_planes(const uint8_t *HWY_RESTRICT planes, bool first, uint16_t *HWY_RESTRICT sums) {
  const Bytes d;
  const Words words;
  V x[8];
#pragma GCC unroll 8
  for (int p = 0; p < 8; ++p) x[p] = hn::Load(d, planes + p * kLanes);
#pragma GCC unroll 8
  for (int p = 0; p < 4; ++p) exchange<4>(x[p], x[p + 4]);
#pragma GCC unroll 8
  for (int p = 0; p < 8; p += p % 4 == 1 ? 3 : 1) exchange<2>(x[p], x[p + 2]);
#pragma GCC unroll 8
  for (int p = 0; p < 8; p += 2) exchange<1>(x[p], x[p + 1]);
#pragma GCC unroll 8
  for (int p = 0; p < 8; p += 2) interleave<uint8_t>(x[p], x[p + 1]);
#pragma GCC unroll 8
  for (int p = 0; p < 8; p += p % 4 == 1 ? 3 : 1) interleave<uint16_t>(x[p], x[p + 2]);
#pragma GCC unroll 8
  for (int p = 0; p < 4; ++p) interleave<uint32_t>(x[p], x[p + 4]);
  // Interleaved, x[p] has the place of p with its bits reversed.
  constexpr int kPlace[8] = {0, 4, 2, 6, 1, 5, 3, 7};
#pragma GCC unroll 8
  for (int p = 0; p < 8; ++p) {
    uint16_t *at = sums + kPlace[p] * kLanes;
    auto low = hn::PromoteTo(words, hn::LowerHalf(x[p])), high = hn::PromoteTo(words, hn::UpperHalf(hn::Half<Bytes>(), x[p]));
    if (!first) {
      low = hn::Add(low, hn::Load(words, at));
      high = hn::Add(high, hn::Load(words, at + kLanes / 2));
    }
    hn::Store(low, words, at);
    hn::Store(high, words, at + kLanes / 2);
  }
}

// Counts the colours of one half in the rows order[0 .. n - 1], n <= kRun, into or onto sums, [kMostParts][kVectors][8][kLanes]: see
// add_planes.
template <int kParts>
HWY_INLINE void count_half(const uint8_t *rows, const uint32_t *order, int64_t n, int first_part, bool first, uint16_t *sums) {
  HWY_ALIGN uint8_t planes[kParts * 8 * kLanes];
  Adder<kParts> adder(first_part);
  for (int64_t v = 0; v < kVectors; ++v) {
    adder.rows = rows + v * kLanes;
    count_rows(adder, v == 0 && first_part == 0, order, n, planes);
    for (int k = 0; k < kParts; ++k) add_planes(planes + k * 8 * kLanes, first, sums + ((first_part + k) * kVectors + v) * 8 * kLanes);
  }
}

// Counts the colours of the rows order[0 .. n - 1], whole blocks.
void count_group(const uint8_t *rows, const uint32_t *order, int64_t n, int parts, uint16_t *HWY_RESTRICT sums) {
  if (n == 0)
    for (int64_t k = 0; k < parts * kPart * kPiece; ++k) sums[k] = 0;
  for (int64_t at = 0; at < n; at += kRun) {
    const int64_t run = n - at < kRun ? n - at : kRun;
    for (int k = 0; k < parts; k += 2) {
      if (k + 1 < parts)
        count_half<2>(rows, order + at, run, k, at == 0, sums);
      else
        count_half<1>(rows, order + at, run, k, at == 0, sums);
    }
  }
}

// Where the 8 counts of part 0 of a site of the piece are in sums.
HWY_INLINE int64_t place_of(int64_t site) {
  const int64_t v = site / kLanes, block = site % kLanes / 16, r = site % 16 / 2;
  return (v * 8 + r) * kLanes + 16 * block + 8 * (site % 2);
}

// Writes n_ij(a, .) = sums - fill of the sites first .. 63 of the piece, or adds it.
void write_rows(const uint16_t *HWY_RESTRICT sums, const uint32_t *HWY_RESTRICT fill, int64_t first, int64_t a, int64_t colors, bool add,
                uint32_t *HWY_RESTRICT counts) {
  const hn::CappedTag<uint32_t, 8> d;
  const hn::Rebind<uint16_t, decltype(d)> narrow;
  const int64_t step = static_cast<int64_t>(hn::Lanes(d)), square = colors * colors;
  for (int64_t site = first; site < kPiece; ++site, counts += square) {
    const uint16_t *from = sums + place_of(site);
    for (int64_t b = 0; b < colors; b += step) {
      const uint16_t *part = from + b / kPart * kPiece * kPart + b % kPart;
      uint32_t *to = counts + a * colors + b;
      // What a vector writes past its row is written again, or has 0 added.
      if (HWY_LIKELY(a * colors + b + step <= square)) {
        const auto sum = hn::Sub(hn::PromoteTo(d, hn::LoadU(narrow, part)), hn::Load(d, fill + b));
        hn::StoreU(add ? hn::Add(hn::LoadU(d, to), sum) : sum, d, to);
      } else {
        for (int64_t c = 0; c < colors - b && c < step; ++c) to[c] = part[c] - fill[b + c] + (add ? to[c] : 0);
      }
    }
  }
}

void count_site(const PairCountData &data, int64_t i, uint32_t *order, uint32_t *counts) {
  const int64_t q = data.shape.colors, m = data.shape.sequences;
  if (q > kMostColors) return pair_count_scalar_kernels.count_site(data, i, order, counts);
  const int parts = static_cast<int>((q + kPart - 1) / kPart);
  HWY_ALIGN uint16_t sums[kMostColors * kPiece];
  HWY_ALIGN uint32_t fill[kMostColors] = {};
  for (int64_t chunk = 0; chunk < m; chunk += kChunk) {
    Order sorted;
    sort(data.columns.data() + i * data.column_stride() + chunk, m - chunk < kChunk ? m - chunk : kChunk, q,
         static_cast<uint32_t>((m - chunk) * kPiece), order, sorted);
    uint32_t *out = counts;
    int64_t first = data.first_byte() + i + 1;
    for (int64_t p = first / kPiece; p < data.pieces(); ++p) {
      const uint8_t *rows = data.rows.data() + (p * data.piece_rows() + chunk) * kPiece;
      for (int64_t a = 0; a < q; ++a) {
        count_group(rows, order + sorted.begin[a], sorted.begin[a + 1] - sorted.begin[a], parts, sums);
        fill[0] = static_cast<uint32_t>(sorted.fill[a]);
        write_rows(sums, fill, first % kPiece, a, q, chunk > 0, out);
      }
      out += (kPiece - first % kPiece) * q * q;
      first = (p + 1) * kPiece;
    }
  }
}

}  // namespace

extern const PairCountKernels pair_count_table;
const PairCountKernels pair_count_table = {count_site};

}  // namespace atp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace atp {

const PairCountKernels &pair_count_kernels(Target target) { ATP_DISPATCH(target, pair_count_table, pair_count_scalar_kernels) }

}  // namespace atp
#endif
