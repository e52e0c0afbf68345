// SPDX-License-Identifier: MIT
// N sequences of L sites with weights.
#pragma once

#include "alignment/alphabet.hpp"
#include "base/context.hpp"
#include "base/running.hpp"
#include "alignment/site_labels.hpp"

#include <atomic>

namespace atp {

struct AlignmentShape {
  int64_t count = 0, sites = 0, colors = 0;
  int64_t name_bytes = 0;  // of all names with their final zeros; 0: no names
  int64_t insert_runs = 0;
};

// Residues of a sequence that are in no column, just before this column (or after the last): inserts, and
// letters that were read as gaps. Residue numbers count them.
struct InsertRun {
  uint32_t column, count;
};

inline constexpr int64_t kMaxElements = int64_t{1} << 56;  // products of two counts below stay in 64 bits

// Throws ATP_E_VALUE unless 1 <= count, 2 <= sites, count * sites <= 2^56 and 2 <= colors <= 255.
void check_shape(const AlignmentShape &shape);
// Throws ATP_E_NOT_FINITE or ATP_E_VALUE unless all weights are finite and >= 0, and their sum is positive and finite.
ATP_FOR_IO void check_weights(const double *weights, int64_t n, const char *argument);

class Alignment {
 public:
  // `borrowed`: sequences that live elsewhere, as long as the alignment; NULL: the alignment has room for its own.
  Alignment(Context *owner, const AlignmentShape &alignment_shape, const uint8_t *borrowed = nullptr)
      : context(owner), shape(alignment_shape), sequences(borrowed, borrowed == nullptr ? 0 : shape.count * shape.sites) {}
  void lay_out(Arena &arena) {
    if (sequences.data() == nullptr) sequences = own_sequences = arena.take<uint8_t>(shape.count, shape.sites);
    weights = arena.take<double>(shape.count);
    name_offsets = arena.take<int64_t>(shape.name_bytes > 0 ? shape.count : 0);
    names = arena.take<char>(shape.name_bytes);
    labels.lay_out(arena, shape.sites);
    insert_offsets = arena.take<int64_t>(shape.insert_runs > 0 ? shape.count + 1 : 0);
    insert_runs = arena.take<InsertRun>(shape.insert_runs);
  }
  int64_t count() const { return shape.count; }
  int64_t sites() const { return shape.sites; }
  int64_t colors() const { return shape.colors; }
  const uint8_t *sequence(int64_t n) const { return sequences.data() + n * shape.sites; }
  bool has_names() const { return !names.empty(); }
  const char *name(int64_t n) const { return has_names() ? names.data() + name_offsets[n] : ""; }
  bool has_inserts() const { return !insert_runs.empty(); }
  double effective_count() const {
    double sum = 0;
    for (double w : weights) sum += w;
    return sum;
  }
  // Truncates a long text. Throws ATP_E_VALUE if the text has more than one line.
  void set_origin(const char *text);

  Context *context;
  std::size_t block_bytes = 0;
  AlignmentShape shape;
  Span<const uint8_t> sequences;
  Span<uint8_t> own_sequences;  // the same to be written, unless they are borrowed
  Span<double> weights;
  Span<int64_t> name_offsets;
  Span<char> names;
  SiteLabels labels;
  Span<int64_t> insert_offsets;  // of the runs of a sequence, [count + 1]
  Span<InsertRun> insert_runs;   // in the order of columns
  AlphabetText alphabet = "";
  char origin[1024] = "";
  Running weighing;                           // a call that makes the weights
  mutable std::atomic<int64_t> borrowers{0};  // trainers that store sums of the weights, in any thread
};

// The weights of a borrowed alignment do not change. NULL: nothing to borrow.
inline void borrow(const Alignment *alignment) noexcept {
  if (alignment != nullptr) alignment->borrowers.fetch_add(1, std::memory_order_acq_rel);
}
inline void give_back(const Alignment *alignment) noexcept {
  if (alignment != nullptr) alignment->borrowers.fetch_sub(1, std::memory_order_acq_rel);
}

// Creates an alignment with these sequences and weights (NULL: all 1), without names. The arguments must have
// been checked. `copied`: the sequences are; otherwise the alignment reads them where they are.
Alignment *create_alignment(Context &context, const uint8_t *sequences, const AlignmentShape &shape, const double *weights,
                            bool copied = true);

}  // namespace atp
