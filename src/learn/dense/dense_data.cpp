// SPDX-License-Identifier: MIT
#include "learn/dense/dense_data.hpp"

#include "learn/site_order.hpp"

#include <algorithm>
#include <numeric>

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

// Colours of the data of sites 2 m and 2 m + 1; a site after the last one has colour 0.
int64_t pair_key(const DenseShape &shape, const uint8_t *sequence, int64_t m, int64_t colors) {
  const auto color = [&](int64_t i) { return i < shape.sites ? int64_t{sequence[i]} : int64_t{0}; };
  return color(2 * m) * colors + color(2 * m + 1);
}

// The name of a site's row in the panel of its tile, for a colour of the data.
uint16_t row_name(const DenseShape &shape, int64_t site, int64_t data_color) {
  const int64_t color = site < shape.sites ? data_color - (shape.gaps_ignored ? 1 : 0) : -1;
  return static_cast<uint16_t>(8 * (color < 0 ? kDenseTile * shape.colors : site % kDenseTile * shape.colors + color));
}

}  // namespace

void PairLists::lay_out(Arena &arena) {
  pairs_ = arena.take<SitePair>(count_);
  for (Span<int64_t> *x : {&begins_, &firsts_}) *x = arena.take<int64_t>(sites_ + 1);
  below_ = arena.take<int64_t>(sites_);
  for (Span<int32_t> *x : {&neighbors_, &places_}) *x = arena.take<int32_t>(directed_ ? 1 : 2, count_);
  for (Span<int64_t> *x : {&order_, &site_places_}) *x = arena.take<int64_t>(directed_ ? sites_ : 0);
}

template <class Visit>
void PairLists::each_side(const SitePair &pair, Visit &&visit) const {
  const auto sees = [&](int64_t i, int64_t j) { return !directed_ || site_places_[j] < site_places_[i]; };
  if (sees(pair.first, pair.second)) visit(pair.first, pair.second);
  if (sees(pair.second, pair.first)) visit(pair.second, pair.first);
}

void PairLists::init(const int64_t *pairs) {
  all_ = pairs == nullptr;
  if (all_) {
    for (int64_t i = 0, n = 0; i < sites_; ++i)
      for (int64_t j = i + 1; j < sites_; ++j) pairs_[n++] = {i, j};
  } else {
    sort_pairs(pairs, sites_, "pairs", pairs_);
  }
  for (const SitePair &p : pairs_) {  // below_ holds the numbers of pairs of the sites
    most_ = std::max(most_, ++below_[p.first]);
    most_ = std::max(most_, ++below_[p.second]);
    ++firsts_[p.first + 1];
  }
  for (int64_t i = 0; i < sites_; ++i) firsts_[i + 1] += firsts_[i];
  std::iota(order_.begin(), order_.end(), int64_t{0});
  std::iota(site_places_.begin(), site_places_.end(), int64_t{0});
  fill();
}

void PairLists::set_order(Span<const int64_t> order) {
  assert(directed_ && order.size() == sites_);
  std::copy(order.begin(), order.end(), order_.begin());
  write_places(order_, site_places_);
  fill();
}

// The pairs are sorted. Those in which a site is the second come before those in which it is the first, so that each site meets its
// neighbours in ascending order.
void PairLists::fill() {
  std::fill(begins_.begin(), begins_.end(), int64_t{0});
  std::fill(below_.begin(), below_.end(), int64_t{0});
  for (const SitePair &p : pairs_)
    each_side(p, [&](int64_t own, int64_t other) {
      ++begins_[own + 1];
      below_[own] += other < own ? 1 : 0;
    });
  for (int64_t i = 0; i < sites_; ++i) begins_[i + 1] += begins_[i];
  for (int64_t n = 0; n < count_; ++n) {
    // begins_[i] moves along while site i is filled, and is put back below.
    each_side(pairs_[n], [&](int64_t own, int64_t other) {
      const int64_t at = begins_[own]++;
      neighbors_[at] = static_cast<int32_t>(other);
      places_[at] = static_cast<int32_t>(n);
    });
  }
  for (int64_t i = sites_; i > 0; --i) begins_[i] = begins_[i - 1];
  begins_[0] = 0;
}

int64_t PairLists::place(int64_t i, int64_t j) const {
  const Span<const int32_t> all = neighbors(i);
  return std::lower_bound(all.begin(), all.end(), static_cast<int32_t>(j)) - all.begin();
}

void write_codes(const DenseShape &shape, const uint8_t *sequences, int64_t count, uint16_t *codes) {
  if (shape.lists != nullptr) return write_columns(shape, sequences, count, codes);
  const int64_t piece = shape.piece();
  const uint16_t gap = row_name(shape, shape.sites, 0);
  for (int64_t t = 0; t < shape.tiles(); ++t)
    for (int64_t n = 0; n < piece; ++n) {
      uint16_t *row = codes + (t * piece + n) * kDenseTile;
      for (int64_t k = 0; k < kDenseTile; ++k) {
        const int64_t site = t * kDenseTile + k;
        row[k] = n < count && site < shape.sites ? row_name(shape, site, sequences[n * shape.sites + site]) : gap;
      }
    }
}

void DenseData::lay_out(Arena &arena) {
  const int64_t slots = coded_ ? shape.pieces() * shape.piece() : 0;
  codes_ = arena.take<uint16_t>(slots, shape.code_columns());
  lists_ = arena.take<uint16_t>(slots, list_columns());
  ends_ = arena.take<uint16_t>(coded_ ? shape.pieces() : 0, shape.sites, shape.colors);
  site_weights_ = arena.take<double>(shape.sites);
  const bool pairs = coded_ && shape.lists == nullptr;
  const int64_t tiles = pairs ? shape.pieces() * shape.tiles() : 0, keys = pairs ? shape.data_colors() * shape.data_colors() : 0;
  paired_ = arena.take<uint8_t>(pairs ? shape.pieces() : 0);
  class_firsts_ = arena.take<uint16_t>(tiles, kDensePairs + 1);
  class_names_ = arena.take<uint16_t>(tiles, shape.tile_classes(), 2);
  class_ends_ = arena.take<uint16_t>(tiles, shape.tile_classes());
  class_sides_ = arena.take<uint16_t>(tiles, 2, shape.tile_classes());
  for (Span<uint16_t> *x : {&counts_, &numbers_}) *x = arena.take<uint16_t>(keys);
}

DenseTilePairs DenseData::tile_pairs(int64_t p, int64_t t) const {
  const int64_t at = p * shape.tiles() + t, most = shape.tile_classes();
  return {class_firsts_.data() + at * (kDensePairs + 1), class_names_.data() + at * most * 2, list(p, (shape.tiles() + t) * kDensePairs),
          class_ends_.data() + at * most, class_sides_.data() + at * most * 2};
}

void DenseData::init(const uint8_t *sequences, const double *sequence_weights) {
  const int64_t piece = shape.piece();
  weights = sequence_weights;
  init_weights(sequences);
  if (!coded_) return;
  for (int64_t p = 0; p < shape.pieces(); ++p) {
    const uint8_t *from = sequences + shape.first(p) * shape.sites;
    write_codes(shape, from, shape.size(p), codes_.data() + p * shape.code_columns() * piece);
    if (!paired_.empty() && (paired_[p] = find_classes(from, p) ? 1 : 0) != 0) continue;
    sort_sites(from, p);
  }
}

// The sequences of a piece by the colour of each site.
void DenseData::sort_sites(const uint8_t *from, int64_t p) {
  const int64_t sites = shape.sites, size = shape.size(p), first_color = shape.gaps_ignored ? 1 : 0;
  for (int64_t i = 0; i < sites; ++i) {
    uint16_t *list = lists_.data() + (p * list_columns() + i) * shape.piece(), *ends = ends_.data() + (p * sites + i) * shape.colors;
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

// Returns false where there are too many classes: for each of them rows are added, written and read again. With random sequences, 441
// classes and 3629 sequences, an eighth, a gradient is still faster than without; a sixth would be about as fast.
bool DenseData::find_classes(const uint8_t *from, int64_t p) {
  constexpr int64_t kPays = 6;
  const int64_t pairs = (shape.sites + 1) / 2, places = shape.tiles() * kDensePairs;
  uint16_t keys[DenseShape::kPiece / 2];
  int64_t total = 0;
  for (int64_t m = 0; m < places; ++m) {
    const int64_t first =
        m % kDensePairs == 0 ? 0 : class_firsts_[(p * shape.tiles() + m / kDensePairs) * (kDensePairs + 1) + m % kDensePairs];
    const int64_t count = count_classes(from, shape.size(p), m, keys);
    total += m < pairs ? count : 0;
    if (count == 0 || first + count > shape.tile_classes() || kPays * total > pairs * shape.size(p)) return false;
    fill_classes(from, p, m, keys, first, count);
  }
  return true;
}

// The pairs of colours of sites 2 m and 2 m + 1, as keys sorted by how often they occur; counts_ has how often. 0: more than there may be.
int64_t DenseData::count_classes(const uint8_t *from, int64_t size, int64_t m, uint16_t *keys) {
  const int64_t colors = shape.data_colors();
  int64_t count = 0;
  std::fill(counts_.begin(), counts_.end(), uint16_t{0});
  for (int64_t n = 0; n < size; ++n) {
    const int64_t key = pair_key(shape, from + n * shape.sites, m, colors);
    if (counts_[key]++ != 0) continue;
    if (count == shape.most_classes()) return 0;
    keys[count++] = static_cast<uint16_t>(key);
  }
  std::sort(keys, keys + count, [&](uint16_t x, uint16_t y) { return counts_[x] != counts_[y] ? counts_[x] > counts_[y] : x < y; });
  return count;
}

void DenseData::fill_classes(const uint8_t *from, int64_t p, int64_t m, const uint16_t *keys, int64_t first, int64_t count) {
  const int64_t t = m / kDensePairs, at = p * shape.tiles() + t, most = shape.tile_classes(), colors = shape.data_colors();
  const int64_t both_gaps = shape.gaps_ignored ? 0 : -1;
  uint16_t *firsts = class_firsts_.data() + at * (kDensePairs + 1) + m % kDensePairs;
  uint16_t *names = class_names_.data() + (at * most + first) * 2, *ends = class_ends_.data() + at * most + first;
  firsts[0] = static_cast<uint16_t>(first);
  firsts[1] = static_cast<uint16_t>(first + count);
  int64_t end = 0;
  for (int64_t c = 0; c < count; ++c) {
    const int64_t key = keys[c], begin = end;
    names[2 * c] = row_name(shape, 2 * m, key / colors);
    names[2 * c + 1] = row_name(shape, 2 * m + 1, key % colors);
    numbers_[key] = static_cast<uint16_t>(8 * (first + c));
    end += key == both_gaps ? 0 : counts_[key];
    ends[c] = static_cast<uint16_t>(end);
    counts_[key] = static_cast<uint16_t>(begin);
  }
  uint16_t *lists = lists_.data() + p * list_columns() * shape.piece();
  uint16_t *list = lists + m * shape.piece(), *codes = lists + (shape.tiles() + t) * kDensePairs * shape.piece() + m % kDensePairs;
  for (int64_t n = 0; n < shape.size(p); ++n) {
    const int64_t key = pair_key(shape, from + n * shape.sites, m, colors);
    codes[n * kDensePairs] = numbers_[key];
    if (key != both_gaps) list[counts_[key]++] = static_cast<uint16_t>(8 * n);
  }
  for (int64_t side = 0; side < 2 && 2 * m + side < shape.sites; ++side) sort_side(p, m, side, keys, first, count);
}

// The classes of a pair by the colour of one of its sites.
void DenseData::sort_side(int64_t p, int64_t m, int64_t side, const uint16_t *keys, int64_t first, int64_t count) {
  const int64_t colors = shape.data_colors(), first_color = shape.gaps_ignored ? 1 : 0, most = shape.tile_classes();
  uint16_t *sorted = class_sides_.data() + ((p * shape.tiles() + m / kDensePairs) * 2 + side) * most + first;
  uint16_t *ends = ends_.data() + (p * shape.sites + 2 * m + side) * shape.colors;
  const auto color_of = [&](int64_t c) { return side == 0 ? keys[c] / colors : keys[c] % colors; };
  int64_t places[256] = {};  // as in sort_sites()
  for (int64_t c = 0; c < count; ++c) ++places[color_of(c)];
  for (int64_t b = 0, end = 0; b < shape.colors; ++b) {
    int64_t &place = places[b + first_color];
    end += place;
    ends[b] = static_cast<uint16_t>(end);
    place = end - place;
  }
  for (int64_t c = 0; c < count; ++c)
    if (color_of(c) >= first_color) sorted[places[color_of(c)]++] = static_cast<uint16_t>(8 * c);
}

void DenseData::init_weights(const uint8_t *sequences) {
  const int64_t first_color = shape.gaps_ignored ? 1 : 0;
  for (double &x : site_weights_) x = 0;
  for (int64_t n = 0; n < shape.count; ++n)
    for (int64_t i = 0; i < shape.sites; ++i)
      if (sequences[n * shape.sites + i] >= first_color) site_weights_[i] += weights[n];
  predicted_weight = 0;
  for (double x : site_weights_) predicted_weight += x;
}

}  // namespace atp
