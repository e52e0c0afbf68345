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
  const int64_t slots = coded_ ? shape.pieces() * shape.piece() : 0;
  codes_ = arena.take<uint16_t>(slots, shape.code_columns());
  lists_ = arena.take<uint16_t>(slots, shape.sites);
  ends_ = arena.take<uint16_t>(coded_ ? shape.pieces() : 0, shape.sites, shape.colors);
  site_weights_ = arena.take<double>(shape.sites);
}

void DenseData::init(const uint8_t *sequences, const double *sequence_weights) {
  const int64_t piece = shape.piece(), sites = shape.sites, first_color = shape.gaps_ignored ? 1 : 0;
  weights = sequence_weights;
  init_weights(sequences);
  if (!coded_) return;
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
