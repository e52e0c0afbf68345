// SPDX-License-Identifier: MIT
// Sequences as the kernels of dense couplings want them: in pieces of a few thousand sequences, in tiles of 16 sites, and for every site
// the sequences of a piece sorted by colour. Made once for the training data. With a list of pairs every site has a column of its own
// instead of a place in a tile, so that a site reads the columns of its neighbours only.
//
// Where sequences agree on pairs of neighbouring sites (2 m, 2 m + 1), they share sums: the classes of a pair are the pairs of colours that
// occur in a piece, the most frequent first. A row of couplings for each class, and a sum of derivatives for each class, halve what is done
// for each sequence.
//
// How many sequences a piece has depends on the shape alone, and every sum over sequences is made piece by piece: the numbers are the same
// for any number of threads.
#pragma once

#include "base/arena.hpp"
#include "potts/model.hpp"
#include "simd/dense.hpp"

#include <algorithm>

namespace atp {

// For training on some pairs of sites only: the neighbours of every site, that is, the sites that it is coupled to. Made once, in a
// block of its own; a trainer keeps it. Directed lists are those of an autoregressive model: a site is coupled to those before it in an
// order of the sites, and of each pair the later site alone has a neighbour.
class PairLists {
 public:
  PairLists(int64_t sites, int64_t count, bool directed) : sites_(sites), count_(count), directed_(directed) {}
  void lay_out(Arena &arena);
  // pairs [count][2] as sort_pairs() takes them; NULL: all pairs. The order of directed lists is that of the sites' numbers.
  void init(const int64_t *pairs);
  // Of directed lists: a permutation of the sites. Changes neighbours, not pairs.
  void set_order(Span<const int64_t> order);

  bool directed() const { return directed_; }
  Span<const int64_t> order() const { return order_; }  // the site at each place; empty: not directed
  bool all() const { return all_; }                     // no list was given
  int64_t count() const { return count_; }
  Span<const SitePair> pairs() const { return pairs_; }
  int64_t most_neighbors() const { return most_; }  // in any order

  int64_t degree(int64_t i) const { return begins_[i + 1] - begins_[i]; }
  int64_t below(int64_t i) const { return below_[i]; }  // neighbours j < i
  // Neighbour k of site i, in ascending order, and the number of their pair.
  int64_t neighbor(int64_t i, int64_t k) const { return neighbors_[begins_[i] + k]; }
  Span<const int32_t> neighbors(int64_t i) const { return neighbors_.sub(begins_[i], degree(i)); }
  int64_t pair(int64_t i, int64_t k) const { return places_[begins_[i] + k]; }
  // Returns which neighbour of i site j is; they must be a pair.
  int64_t place(int64_t i, int64_t j) const;
  // Neighbours of the sites j < i, and pairs whose first site is below i; i may be L.
  int64_t first_neighbor(int64_t i) const { return begins_[i]; }
  int64_t first_pair(int64_t i) const { return firsts_[i]; }

  std::size_t block_bytes = 0;

 private:
  // visit(site, neighbour) for the sites of a pair that have the other as a neighbour.
  template <class Visit>
  void each_side(const SitePair &pair, Visit &&visit) const;
  void fill();

  int64_t sites_, count_;
  bool directed_, all_ = false;
  int64_t most_ = 0;
  Span<SitePair> pairs_;
  Span<int64_t> begins_, firsts_, below_;  // [L + 1], [L + 1], [L]
  Span<int32_t> neighbors_, places_;       // [2 count], of directed lists [count]
  Span<int64_t> order_, site_places_;      // [L] of directed lists
};

struct DenseShape {
  int64_t count = 0, sites = 0;
  int64_t colors = 0;         // of the model
  bool gaps_ignored = false;  // colour 0 of the data is a gap, which is neither predicted nor adds to the logits; colour c of the model is
                              // c + 1 of the data

  const PairLists *lists = nullptr;  // the pairs that have couplings; NULL: all

  bool directed() const { return lists != nullptr && lists->directed(); }
  int64_t data_colors() const { return colors + (gaps_ignored ? 1 : 0); }
  int64_t width() const { return dense_width(colors); }
  // A site's couplings lie in slots, one for each neighbour; with all pairs the slots are the sites, its own is empty.
  int64_t slots() const { return lists == nullptr ? sites : lists->most_neighbors(); }
  int64_t slot(int64_t i, int64_t k) const { return lists == nullptr ? neighbor(i, k) : k; }
  int64_t tiles() const { return (slots() + kDenseTile - 1) / kDenseTile; }
  // Rows of a slot and of a tile. With all pairs the last two of a tile are zero, and the first of them is the gap's; with a list the last
  // of each slot is.
  int64_t slot_rows() const { return lists == nullptr ? colors : colors + 1; }
  int64_t panel_rows() const { return kDenseTile * slot_rows() + (lists == nullptr ? 2 : 0); }
  int64_t code_columns() const { return lists == nullptr ? tiles() * kDenseTile : sites; }

  // Pairs and neighbours, as in PairLists.
  int64_t pairs() const { return lists == nullptr ? all_pairs(sites) : lists->count(); }
  int64_t degree(int64_t i) const { return lists == nullptr ? sites - 1 : lists->degree(i); }
  int64_t most_neighbors() const { return lists == nullptr ? sites - 1 : lists->most_neighbors(); }
  int64_t below(int64_t i) const { return lists == nullptr ? i : lists->below(i); }
  int64_t neighbor(int64_t i, int64_t k) const { return lists == nullptr ? k + (k >= i ? 1 : 0) : lists->neighbor(i, k); }
  int64_t pair(int64_t i, int64_t k) const {
    if (lists != nullptr) return lists->pair(i, k);
    return k < i ? pair_place(sites, k, i) : pair_place(sites, i, k + 1);
  }
  // Returns which neighbour of i site j is.
  int64_t place(int64_t i, int64_t j) const { return lists == nullptr ? j - (j > i ? 1 : 0) : lists->place(i, j); }
  int64_t block() const { return colors * colors; }
  int64_t first_neighbor(int64_t i) const { return lists == nullptr ? i * (sites - 1) : lists->first_neighbor(i); }
  int64_t first_pair(int64_t i) const { return lists == nullptr ? pair_place(sites, i, i + 1) : lists->first_pair(i); }
  int64_t pieces() const { return (count + kPiece - 1) / kPiece; }
  int64_t piece() const {  // sequences of a piece, a multiple of kDenseGroup
    const int64_t most = (count + pieces() - 1) / pieces();
    return (most + kDenseGroup - 1) / kDenseGroup * kDenseGroup;
  }
  int64_t first(int64_t p) const { return p * piece(); }
  int64_t size(int64_t p) const { return count - first(p) < piece() ? count - first(p) : piece(); }
  // Classes of a pair of sites, and of the pairs of a tile; their names have 16 bits.
  int64_t most_classes() const { return lists != nullptr ? 0 : std::min(data_colors() * data_colors(), piece() / 2); }
  int64_t tile_classes() const { return std::min<int64_t>(kDensePairs * most_classes(), 65535 / 8); }

  static constexpr int64_t kPiece = 4096;  // at most; eight times that must fit into 16 bits
};

// The names of panel rows of up to piece() sequences: codes [tiles][piece][16]. With a list of pairs names of rows of a slot, [L][piece].
void write_codes(const DenseShape &shape, const uint8_t *sequences, int64_t count, uint16_t *codes);

// The pairs of sites of a tile, in one piece of the sequences.
struct DenseTilePairs {
  const uint16_t *firsts;  // [kDensePairs + 1]: numbers of the first class of each pair among those of the tile
  const uint16_t *names;   // [classes of the tile][2]: the names of both sites' rows in the panel
  const uint16_t *codes;   // [piece][kDensePairs]: the names of the sequences' classes among those of the tile
  const uint16_t *ends;    // [classes of the tile]: as ends of backward(), for each pair
  const uint16_t *sides;   // [2][tile_classes()]: names of a pair's classes sorted by the colour of its first, and of its second site
};

class DenseData {
 public:
  // coded: for passes over the data; otherwise there are weights only.
  explicit DenseData(const DenseShape &data_shape, bool coded = true) : shape(data_shape), coded_(coded) {}
  void lay_out(Arena &arena);
  void init(const uint8_t *sequences, const double *sequence_weights);

  const uint16_t *codes(int64_t p) const { return codes_.data() + p * shape.code_columns() * shape.piece(); }
  const uint16_t *list(int64_t p, int64_t site) const { return lists_.data() + (p * list_columns() + site) * shape.piece(); }
  // Whether classes of pairs of sites pay in a piece. Then list() has the sequences of pair m sorted by class instead of those of site m,
  // both gaps left out, and ends() where the colours of a site end in the classes of its pair.
  bool paired(int64_t p) const { return !paired_.empty() && paired_[p] != 0; }
  DenseTilePairs tile_pairs(int64_t p, int64_t t) const;
  const uint16_t *ends(int64_t p, int64_t site) const { return ends_.data() + (p * shape.sites + site) * shape.colors; }

  DenseShape shape;
  const double *weights = nullptr;                                  // of the alignment
  double predicted_weight = 0;                                      // sum over sequences of weight times sites that are predicted
  double site_weight(int64_t i) const { return site_weights_[i]; }  // of the sequences in which site i is predicted

 private:
  void init_weights(const uint8_t *sequences);
  void sort_sites(const uint8_t *from, int64_t p);
  bool find_classes(const uint8_t *from, int64_t p);
  int64_t count_classes(const uint8_t *from, int64_t size, int64_t m, uint16_t *keys);
  void fill_classes(const uint8_t *from, int64_t p, int64_t m, const uint16_t *keys, int64_t first, int64_t count);
  void sort_side(int64_t p, int64_t m, int64_t side, const uint16_t *keys, int64_t first, int64_t count);
  // Lists of sites, or lists of pairs and then their codes.
  int64_t list_columns() const { return shape.lists == nullptr ? shape.tiles() * kDenseTile : shape.sites; }

  const bool coded_;
  Span<uint16_t> codes_, lists_, ends_;
  Span<uint8_t> paired_;                                                  // [pieces]; empty with a list of pairs of sites
  Span<uint16_t> class_firsts_, class_names_, class_ends_, class_sides_;  // [pieces][tiles] of those in DenseTilePairs
  Span<uint16_t> counts_, numbers_;                                       // [data colours][data colours], of one pair
  Span<double> site_weights_;
};

}  // namespace atp
