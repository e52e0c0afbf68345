// SPDX-License-Identifier: MIT
// A generalised Potts model: heads or dense couplings, fields, beta. [R24 eq. 1, 5]
#pragma once

#include "alignment/alphabet.hpp"
#include "alignment/site_labels.hpp"
#include "base/context.hpp"
#include "base/span.hpp"

#include <attopotts/model.h>

#include <cstdint>
#include <cstring>

namespace atp {

// --- lists of pairs of sites: their checks and their order ---

struct SitePair {
  int64_t first, second;  // first < second
};
static_assert(sizeof(SitePair) == 2 * sizeof(int64_t));

constexpr int64_t all_pairs(int64_t sites) { return sites * (sites - 1) / 2; }
// The place of the pair i < j among all pairs in the order (0, 1), (0, 2), ...
constexpr int64_t pair_place(int64_t sites, int64_t i, int64_t j) { return i * (2 * sites - i - 1) / 2 + j - i - 1; }

// Writes pairs [count][2], each in any order of its two sites, as sorted.size() = count pairs in the order above. Throws ATP_E_VALUE where
// a site is out of range, a pair is a site and itself, or a pair is there twice; `name` is what the text calls the list.
void sort_pairs(const int64_t *pairs, int64_t sites, const char *name, Span<SitePair> sorted);
// Throws ATP_E_VALUE unless 1 <= count <= L (L - 1) / 2.
void check_pair_count(int64_t count, int64_t sites, const char *name);

// Throws ATP_E_VALUE unless `order` has every site 0..size - 1 once.
void check_permutation(Span<const int64_t> order);

// --- the model ---

// Marks a missing site in input sequences. Colours are below 255.
inline constexpr uint8_t kMissing = ATP_MISSING;

inline constexpr int64_t kMaxSites = 65536, kMaxColors = 255, kMaxHeads = 1 << 20;
inline constexpr int64_t kMaxListSites = 1 << 20;  // of a model with a list of pairs, which has nothing of size L^2

// The largest magnitude of any number of a model, so that no sum of products overflows.
inline constexpr double kLargestModelNumber = 1e100;

// Couplings count as symmetric within this times the largest of them.
inline constexpr double kSymmetryTolerance = 1e-12;

struct ModelShape {
  int64_t sites = 0, colors = 0;
  int64_t heads = 0;  // 0: dense couplings
  bool fields = false;
  int64_t pairs = 0;     // couplings of a list of so many pairs, stored as blocks of the list; 0: of all
  bool ordered = false;  // an autoregressive model: each site sees only those before it in Model::order
  bool scaled = false;   // couplings of a list that are known to be J_ij U(a, b) with numbers U of -1, 0 and 1
  bool dense() const { return heads == 0; }
};

// Throws ATP_E_VALUE unless 2 <= sites <= kMaxSites (kMaxListSites with a list), 2 <= colors <= kMaxColors and 0 <= heads <= kMaxHeads.
// Products of sizes then fit into int64.
ATP_FOR_IO void check_shape(const ModelShape &shape);

class Model {
 public:
  Model(Context *owner, const ModelShape &model_shape) : context(owner), shape(model_shape) {}
  ATP_FOR_IO void lay_out(Arena &arena);

  int64_t sites() const { return shape.sites; }
  int64_t colors() const { return shape.colors; }

  const double *map(int64_t head) const { return maps.data() + head * sites() * sites(); }        // [L][L]
  const double *value(int64_t head) const { return values.data() + head * colors() * colors(); }  // [q][q]
  // The block C_ij of a dense model, [q][q]; zeros where the list has no such pair.
  const double *block(int64_t i, int64_t j) const {
    const int64_t place = block_place(i, j);
    return place < 0 ? zeros_.data() : couplings.data() + place * colors() * colors();
  }
  // The block of a pair that is not in the list, [q][q].
  const double *zeros() const { return zeros_.data(); }
  // The same to write to. The pair is in the list.
  double *room(int64_t i, int64_t j) const { return couplings.data() + block_place(i, j) * colors() * colors(); }
  // Sets the list, which is sorted, and makes the neighbours from it; blocks are written afterwards. Its own list is fine.
  ATP_FOR_IO void set_pairs(Span<const SitePair> sorted);
  // Sets shape.scaled, once the couplings of a list are there.
  ATP_FOR_IO void find_scaled();
  // With a list of pairs: the sites with couplings to i, ascending, and the block of the first of them; the others follow.
  Span<const int32_t> neighbors(int64_t i) const { return {neighbors_.data() + begins_[i], begins_[i + 1] - begins_[i]}; }
  int64_t first_block(int64_t i) const { return begins_[i]; }
  Span<const int64_t> pair_sites() const { return {&pairs.data()->first, 2 * shape.pairs}; }  // [P][2]
  // Calls use(j) for all sites j that may have couplings to i, ascending.
  template <class Use>
  void for_neighbors(int64_t i, Use &&use) const {
    if (shape.pairs > 0) {
      for (const int32_t j : neighbors(i)) use(int64_t{j});
    } else {
      for (int64_t j = 0; j < sites(); ++j)
        if (j != i) use(j);
    }
  }
  // The k-th site that is drawn.
  int64_t site_at(int64_t place) const { return order.empty() ? place : order[place]; }
  int64_t place_of(int64_t site) const { return order.empty() ? site : places_[site]; }
  // C_ij(a, b), for heads and dense couplings.
  ATP_FOR_IO double coupling(int64_t i, int64_t j, int64_t a, int64_t b) const;
  // out[a] = b_i(a) + sum_{j != i} C_ij(a, s_j) over the sites that are not kMissing, without beta. out has q
  // elements.
  void local_field(const uint8_t *sequence, int64_t i, double *out) const { local_fields(sequence, 1, i, out); }
  // The same for several sequences [count][L], out [count][q]. A dense block is then read once for all of
  // them.
  void local_fields(const uint8_t *sequences, int64_t count, int64_t i, double *out) const;
  // Makes the model autoregressive: its sites in the order in which they are drawn, a permutation [L]. Empty: a Potts model again. Throws
  // ATP_E_VALUE, and changes nothing, where this is no permutation or a site has couplings to one that is not before it.
  ATP_FOR_IO void set_order(Span<const int64_t> sites_in_order);
  // The order 0, 1, ... of a model without couplings.
  void set_natural_order();
  // The order of another model, none if it has none, with couplings for it.
  void copy_order(const Model &source) { take_order(source.order); }
  // Whether the conditional of site i may depend on site j.
  bool sees(int64_t i, int64_t j) const { return order.empty() ? i != j : places_[j] < places_[i]; }
  // Whether C_ij(a, b) = C_ji(b, a) within `tolerance` times the largest coupling.
  ATP_FOR_IO bool symmetric(double tolerance = kSymmetryTolerance) const;

  Context *context;
  std::size_t block_bytes = 0;
  ModelShape shape;
  double beta = 1;
  AlphabetText alphabet = "";
  Span<double> maps;       // [H][L][L], diagonal 0
  Span<double> values;     // [H][q][q]
  Span<double> couplings;  // of a dense model [L][L][q][q], diagonal blocks 0; of a list [2 P][q][q], see neighbors()
  Span<double> fields;     // [L][q], empty if there are none
  Span<SitePair> pairs;    // sorted, the pairs that may have couplings. Empty: all pairs
  SiteLabels labels;
  Span<const int64_t> order;  // the sites in the order in which an autoregressive model draws them, [L]; empty: a Potts model
  static constexpr std::size_t kOriginSize = 1024;
  char origin[kOriginSize] = "";  // one line on where the model comes from

 private:
  // The place of C_ij among the blocks, -1 where the list has no such pair.
  int64_t block_place(int64_t i, int64_t j) const { return shape.pairs > 0 ? listed_place(i, j) : i * sites() + j; }
  int64_t listed_place(int64_t i, int64_t j) const;
  void take_order(Span<const int64_t> sites_in_order);
  Span<int64_t> begins_;               // [L + 1], of each site the place of its first block
  Span<int32_t> neighbors_;            // [2 P]
  Span<double> zeros_;                 // [q][q], the block of a pair that is not in the list
  Span<int64_t> order_room_, places_;  // [L] each, so that an order can be set without memory: it and the place of each site in it
};

// Creates a model of this shape with all parameters 0, in the natural order if it is ordered.
ATP_FOR_IO Model *make_model(Context &context, const ModelShape &shape);
// The same model without the couplings of all other pairs; pairs [count][2] as sort_pairs() takes them, which may be any of its pairs.
Model *keep_pairs(Context &context, const Model &source, const int64_t *pairs, int64_t count);
// Copies parameters, beta, alphabet, origin and site labels into a model of another owner.
Model *copy_model(Context &context, const Model &source);
// The model of the symmetric part of the couplings, (C_ij(a, b) + C_ji(b, a)) / 2, which has the same energies. Of H heads it has 2 H,
// first all (A_h / 2, V_h), then all (A_h^T / 2, V_h^T). Throws ATP_E_TOO_LARGE.
Model *symmetric_part(Context &context, const Model &source);
// Writes the couplings C_ij(a, b), [L][L][q][q], of heads or dense couplings.
void write_couplings(const Model &model, double *out);
void write_couplings(const Model &model, float *out);  // which must hold them all
// Throws ATP_E_VALUE where float32 cannot hold a coupling.
void require_float32(const Model &model);
// Throws ATP_E_VALUE where a parameter is not a number of at most kLargestModelNumber: such a model could be saved, but not be read again.
void require_numbers(const Model &model);

// --- random models of one head (J, U), as functions of a seed ---

// Fills the maps and values of a model of one head. See atp_couplings and atp_color_matrix for the
// distributions.
// values [q][q].
void fill_color_matrix(Span<double> values, int64_t colors, atp_color_matrix color_matrix, uint64_t seed);
void fill_random(Model &model, atp_couplings couplings, atp_color_matrix color_matrix, uint64_t seed);

// --- couplings of which only one triangle was filled: legal, and most often a mistake ---

// "i < j" or "j < i" if values[stack][sites][sites][block] are 0 for all pairs but those, and not 0 for some of them; NULL otherwise. Ends
// at the first two pairs that show that both triangles are filled.
template <class Real>
const char *one_triangle(const Real *values, int64_t stack, int64_t sites, int64_t block) {
  bool filled[2] = {};  // i > j, i < j
  for (int64_t h = 0; h < stack; ++h)
    for (int64_t i = 0; i < sites; ++i)
      for (int64_t j = 0; j < sites; ++j) {
        const Real *at = values + ((h * sites + i) * sites + j) * block;
        for (int64_t k = 0; i != j && !filled[i < j] && k < block; ++k) filled[i < j] = at[k] != 0;
        if (filled[0] && filled[1]) return nullptr;
      }
  return filled[1] ? "i < j" : filled[0] ? "j < i" : nullptr;
}

// Logs a warning if only one triangle is filled; returns whether it did.
template <class Real>
bool warn_of_triangle(const Context &context, const char *name, const Real *values, int64_t stack, int64_t sites, int64_t block) {
  const char *triangle = one_triangle(values, stack, sites, block);
  if (triangle == nullptr) return false;
  context.message(
      ATP_LOG_WARNING,
      "%s: only the pairs with %s are filled, the others are 0. Of each pair one site does not see the other, and energies have "
      "half of each coupling. Fill both triangles: C_ji(b, a) = C_ij(a, b); or set the order of an autoregressive model",
      name, triangle);
  return true;
}

}  // namespace atp
