// SPDX-License-Identifier: MIT
// Counts pairs of colours: n_ij(a, b) = the number of sequences with s_i = a and s_j = b. Counts are integers, so all targets, threads
// and orders give the same.
#pragma once

#include "base/arena.hpp"
#include "simd/targets.hpp"

namespace atp {

struct PairCountShape {
  int64_t sequences = 0, sites = 0;  // sequences < 2^26
  int colors = 0;                    // 2 .. 255
};

// The sequences in two layouts: columns, and rows in pieces of 64 sites. Sites are aligned at the end of the last piece, so that the sites
// after i take the fewest pieces: site i is byte (first_byte() + i) % 64 of piece (first_byte() + i) / 64. Bytes without a site are 0.
struct PairCountData {
  static constexpr int64_t kPiece = 64, kBlock = 16, kAhead = 48;

  explicit PairCountData(const PairCountShape &of) : shape(of) {}
  void lay_out(Arena &arena, bool with_rows);

  int64_t pieces() const { return (shape.sites + kPiece - 1) / kPiece; }
  int64_t first_byte() const { return pieces() * kPiece - shape.sites; }
  int64_t column_stride() const { return (shape.sequences + kPiece - 1) / kPiece * kPiece; }
  int64_t piece_rows() const { return shape.sequences + 1; }  // the last is 0
  // Numbers of work space of a count: the sequences by colour, each colour filled up to whole blocks, and what is read ahead.
  int64_t order_size() const { return shape.sequences + shape.colors * (kBlock - 1) + kAhead; }

  PairCountShape shape;
  Span<uint8_t> columns;  // [L][column_stride]
  Span<uint8_t> rows;     // [pieces][piece_rows][64], or empty
};

struct PairCountKernels {
  // Writes n_ij(a, b) for all j > i, [L - 1 - i][q][q]. order: data.order_size() numbers of work space.
  void (*count_site)(const PairCountData &data, int64_t i, uint32_t *order, uint32_t *counts);
};

extern const PairCountKernels pair_count_scalar_kernels;
const PairCountKernels &pair_count_kernels(Target target);

// Which pairs are counted: those of a site with all later sites, or single pairs of a list.
enum class PairCountMethod { sites, listed };
// The quicker one for a list of so many pairs.
PairCountMethod pair_count_method(int64_t sites, int64_t pairs);

// The sequences, and work space for `threads` threads. Set the sequences, then count the sites. Threads may share both: each sets sequences
// or groups of its own, then each counts sites of its own. Low sites cost more. No call allocates.
class PairCounter {
 public:
  PairCounter(const PairCountShape &shape, int64_t threads, PairCountMethod method = PairCountMethod::sites)
      : data_(shape), threads_(threads), method_(method) {}
  void lay_out(Arena &arena);

  const PairCountShape &shape() const { return data_.shape; }
  // Fewer sequences than it was made for, before any is set.
  void set_count(int64_t sequences) {
    data_.shape.sequences = sequences;
    assert(shape().sites * data_.column_stride() <= data_.columns.size());
  }
  // Sets the sequences first .. first + n - 1 from [n][L]. Every sequence must be set before the first count.
  void set_sequences(int64_t first, int64_t n, const uint8_t *sequences);
  // Sets the sequences 16 group .. 16 group + 15, those that there are, from colours as the Gibbs kernels keep them, [L][16].
  void set_group(int64_t group, const uint8_t *colors);
  // The colours of site i, [sequences].
  const uint8_t *column(int64_t i) const { return data_.columns.data() + i * data_.column_stride(); }

  // The numbers that count_site writes for site i.
  int64_t count_size(int64_t i) const { return (shape().sites - 1 - i) * shape().colors * shape().colors; }
  // Writes n_ij(a, b) for all j > i, [L - 1 - i][q][q]. Calls at the same time have different `thread`, 0 .. threads - 1.
  void count_site(Target target, int64_t i, int64_t thread, uint32_t *counts) const;
  // Of the method listed: writes n_ij(a, b) of one pair, [q][q], on every target by the same code.
  void count_pair(int64_t i, int64_t j, int64_t thread, uint32_t *counts) const;

 private:
  void set_row(int64_t site, int64_t sequence, uint8_t color);
  // Counts of a pair that are added to in turn, so that sequences of the same colours need not wait for each other.
  static constexpr int64_t kTables = 4;
  int64_t work_size() const {
    const int64_t q = shape().colors;
    return method_ == PairCountMethod::listed ? (kTables - 1) * q * q : data_.order_size();
  }

  PairCountData data_;
  int64_t threads_;
  PairCountMethod method_;
  Span<uint32_t> work_;  // [threads][work_size]: the order of sequences, or the tables after the first
};

}  // namespace atp
