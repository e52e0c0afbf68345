// SPDX-License-Identifier: MIT
// One pass over the data: the loss of factored attention with given A, V, b, and its derivatives with respect to them. [R24 eq. 3-5]
//
// With acc_h(b) = sum_{j != i: s_j = b} A_h,ij the logits of site i are b_i(a) + sum_h sum_b V_h(a, b) acc_h(b): a sequence costs L
// additions and q^2 multiply-adds per site and head, and with D(a) = w (p(a) - [a = s_i]) the derivatives are
//     db_i(a) += D(a),   dV_h(a, b) += D(a) acc_h(b),   dA_h,ij += sum_a V_h(a, s_j) D(a).
// Sums are divided by the sum of the weights and the number of predicted sites per sequence, or where gaps are ignored by the weight of all
// predicted sites.
#pragma once

#include "base/arena.hpp"
#include "base/ranks.hpp"
#include "base/team.hpp"
#include "learn/objective.hpp"
#include "simd/attention.hpp"

#include <algorithm>

namespace atp {

// The input of a pass.
struct AttentionInput {
  int64_t sites = 0, colors = 0, heads = 0;
  const double *maps = nullptr;    // [H][L][L], diagonal 0
  const double *values = nullptr;  // [H][q][q]
  const double *fields = nullptr;  // [L][q], or NULL: zero
  bool gaps_ignored = false;       // sites of colour 0 are not predicted; V and fields see to the rest
};

// The rows of dA_h and db that belong to sites: where a task puts its sums.
struct SiteRows {
  double *maps, *fields;  // of site 0
  int64_t head, site, field_site;

  double *map(int64_t h, int64_t i) const { return maps + h * head + i * site; }
  double *field(int64_t i) const { return fields + i * field_site; }
};

// The output of a pass: sums, overwritten. All are NULL if there is no gradient; `fields` and `values` are NULL if they are not wanted.
struct AttentionSums {
  double *maps = nullptr;    // [H][L][L]; the diagonal comes out as 0
  double *values = nullptr;  // [H][q][q]
  double *fields = nullptr;  // [L][q]
  bool gradient() const { return maps != nullptr; }
  SiteRows rows(const AttentionInput &input) const { return {maps, fields, input.sites * input.sites, input.sites, input.colors}; }
  // x -> factor x; clear: x -> 0.
  void scale(const AttentionInput &input, double factor) const {
    for_all(input, [factor](double &x) { x *= factor; });
  }
  void clear(const AttentionInput &input) const {
    for_all(input, [](double &x) { x = 0; });
  }

 private:
  template <class Function>
  void for_all(const AttentionInput &input, Function &&function) const {
    if (maps != nullptr)
      for (int64_t k = 0; k < input.heads * input.sites * input.sites; ++k) function(maps[k]);
    if (values != nullptr)
      for (int64_t k = 0; k < input.heads * input.colors * input.colors; ++k) function(values[k]);
    if (fields != nullptr)
      for (int64_t k = 0; k < input.sites * input.colors; ++k) function(fields[k]);
  }
};

// An area: rows of sites apart from AttentionSums, where several tasks add to the same site or several ranks share the sites.
// All rows of a site lie together, so that an area is one range of bytes:
//     [block][split][site of the block][H L, then q where the fields are wanted]
struct SiteAreas {
  double *data = nullptr;
  int64_t block = 0, splits = 1;  // sites per block; areas per block
  int64_t sites = 0, heads = 0, colors = 0;
  bool fields = false;

  int64_t row() const { return heads * sites + (fields ? colors : 0); }
  SiteRows rows(int64_t block_index, int64_t split) const {
    double *first = data + (block_index * (splits - 1) + split) * block * row();
    return {first, fields ? first + heads * sites : nullptr, sites, row(), row()};
  }
  // The sums over the splits, in their order.
  void add_up(const AttentionSums &sums) const;
};

// Several ranks share the tasks of a pass. They gather the losses and sums of all tasks and the areas of all sites, and add them in
// the order that one rank does: T (l + v H) + S L (H L + q) float64 numbers per gradient, for T tasks of l losses and v H sums of dV, and
// S areas per site. Float32: l = 16, v = q (q - 1); float64: l = 1, v = q^2, S = 1. Passes that are too small for that, see
// Ranks::worth(), are made by every rank.

// The multiply-adds of a pass with so many predicted sites.
double pass_operations(const AttentionInput &input, int64_t predicted, bool gradient);

// The tasks of a pass that are blocks of sites with all sequences, so that the rows of dA have one owner: their losses, and sums of dV.
class SiteBlocks {
 public:
  explicit SiteBlocks(Ranks &ranks) : ranks_(ranks) {}
  void lay_out(Arena &arena, const AttentionInput &shape, int64_t block);
  int64_t count() const { return count_; }
  int64_t first(int64_t block, int64_t sites) const { return std::min(block * block_, sites); }
  double *value_sums(int64_t block) const { return value_sums_.data() + block * value_size_; }  // [H][q][q]
  double &loss(int64_t block) const { return losses_[block]; }
  // Before the tasks: the ranks that share them, or NULL, and where their rows of dA and db go.
  Ranks *sharing(const AttentionInput &input, const MaskedData &data, const AttentionSums &sums) const;
  SiteRows rows(const Ranks *sharing, const AttentionInput &input, const AttentionSums &sums) const;
  // After them: the loss; the sums of all tasks, divided as the loss is.
  double add_up(Ranks *sharing, const AttentionInput &input, const MaskedData &data, double total_weight, const AttentionSums &sums) const;

 private:
  SiteAreas areas(const AttentionInput &input, const AttentionSums &sums) const {
    return {areas_.data(), block_, 1, input.sites, input.heads, input.colors, sums.fields != nullptr};
  }
  Ranks &ranks_;
  int64_t block_ = 1, count_ = 0, value_size_ = 0;
  Span<double> losses_;      // [count]
  Span<double> value_sums_;  // [count][H][q][q]
  Span<double> areas_;       // of several ranks, see SiteAreas
};

// float64 throughout: the reference of the fast kernels.
class DataPassF64 {
 public:
  explicit DataPassF64(Ranks &ranks) : blocks_(ranks) {}
  void lay_out(Arena &arena, int64_t sites, int64_t colors, int64_t heads);
  // The loss. total_weight is the predicted weight of the data, and not 0.
  double run(Threads threads, const AttentionInput &input, const MaskedData &data, double total_weight, const AttentionSums &sums);

 private:
  static constexpr int64_t kBlock = 4;  // sites per task
  void run_block(int64_t block, const AttentionInput &input, const MaskedData &data, const AttentionSums &sums, const SiteRows &rows);

  SiteBlocks blocks_;
  Span<double> work_;  // [blocks][2 H + 1][q]: acc, its derivative, logits
};

// float32 kernels with float64 sums.
//
// All sites: a batch is S sequences times a block of sites, one column per pair (see simd/attention.hpp). Chains of few sites are one
// block; long ones are cut into blocks of 16 sites, whose columns of A^T stay in the first-level cache. An item is a block with a share of
// the sequences, a task a fixed run of items. Where there are many blocks, the sites of each sequence are first sorted by colour, once for
// all blocks, in windows of the data of fixed size. One site per sequence: a batch is up to 128 sequences, one column each; a task owns a
// range of sites. Logits are relative to that of the last colour, which saves a row of every product: its derivative is minus the sum of
// the others. Sums are float32 within a chunk of 32 batches, then float64. How the work is cut depends on the shape and the number of
// sequences alone.
class DataPassF32 {
 public:
  explicit DataPassF32(Ranks &ranks) : ranks_(ranks) {}
  void lay_out(Arena &arena, int64_t sites, int64_t colors, int64_t heads);
  // As DataPassF64::run().
  double run(Threads threads, const AttentionKernels &kernels, const AttentionInput &input, const MaskedData &data, double total_weight,
             const AttentionSums &sums);

 private:
  // The work space of a task: pieces of the arrays below.
  struct Work {
    float *panel, *panel_sums;  // [H][L][width]: A^T of a block of sites, and sums of its derivative
    double *panel_totals;       // the same over chunks
    float *acc;                 // [H q][columns]; backward its derivative
    float *slopes;              // [q][columns]: logits, then D; the last row is 0
    float *start, *start_sums;  // [q - 1][columns]: fields of the columns, and their derivative
    float *weights;             // [columns]
    int32_t *own;               // [columns]: see AttentionKernels::softmax
    float *outer;               // [q - 1 or fewer][H q][16]: sums of dV
    uint16_t *offsets;          // [S][L]
    int64_t *members;           // [columns]: sequences of a masked batch
    double *loss;               // [16]
    double *value_sums;         // [q - 1][H q]
  };
  struct Call;  // everything of one run
  struct Item;
  Work work(int64_t task) const;
  void pack_values(const AttentionInput &input);
  void list_sites(const Call &call, int64_t batch);
  void plan(Call &call);
  void run_task(const Call &call, int64_t task) const;
  void gather(const Call &call);
  double add_tasks(const Call &call) const;
  void run_item(const Call &call, const Work &w, int64_t block, int64_t split) const;
  void start_item(const Call &call, const Work &w, const Item &x) const;
  void load_batch(const Call &call, const Work &w, const Item &x, int64_t batch) const;
  void accumulate(const Call &call, const Work &w, const Item &x, int64_t batch) const;
  void store_item(const Call &call, const Work &w, const Item &x, const SiteRows &to) const;
  void run_masked(const Call &call, const Work &w, int64_t first_site, int64_t last_site) const;
  void values_backward(const Call &call, const Work &w, int64_t columns) const;
  void flush_values(const Call &call, const Work &w) const;

  Ranks &ranks_;
  int64_t sites_ = 0, colors_ = 0, heads_ = 0;
  int64_t block_ = 0, blocks_ = 0;  // sites per block (the last may have fewer), blocks
  int64_t sequences_ = 0;           // S
  int64_t columns_ = 0;             // room for columns of a batch
  int64_t splits_ = 0, tasks_ = 0;  // at most
  int64_t band_ = 0;                // rows of `outer`: q - 1, or fewer where so many vectors are too large
  bool shareable_ = false;          // there is room for what several ranks gather
  int64_t window_ = 0;              // batches whose sites are listed at a time; 0: no lists, all batches at once

  Span<float> weights_forward_, weights_backward_;  // V_h(a, b) - V_h(q - 1, b) for a < q - 1, at [h q + b][a] and at [a][h q + b]
  Span<float> panels_, batches_, outer_;
  Span<int32_t> own_;
  Span<uint16_t> offsets_;
  Span<uint16_t> listed_sites_;  // [window][S L]: the sites of each sequence, by colour
  Span<ColorSites> lists_;       // [window][S q]: short lists first
  Span<int64_t> members_;
  Span<double> losses_, value_sums_, panel_totals_, areas_;
};

}  // namespace atp
