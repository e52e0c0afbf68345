// SPDX-License-Identifier: MIT
// The attention of an encoder of one block, where x_j is the embedding of a colour plus that of a site.
// Queries, keys and values are then sums of a colour term and a site term. The masked token is always the same,
// so there is one query for each site, and
//
//     score_kj = table[k][s_j] + table[k][q + 1 + j],
//     c = sum_a acc(a) value_a + sum_j A_j value_{q + 1 + j},   acc(a) = sum_{j: s_j = a} A_j.
//
// The tables are computed once for all pairs of an evaluation. A pair then costs L look-ups and (q + 1 + L) d
// multiply-adds instead of 2 L d^2. At the end the sums of the derivatives of tables and values are converted
// once to derivatives of weights and tokens.
//
// Columns of the tables: tokens 0..q, then sites, then zeros up to a multiple of 16.
#pragma once

#include "learn/network/encoder_job.hpp"

namespace atp {

class EncoderTables {
 public:
  explicit EncoderTables(const EncoderShape &s) : shape_(s) {}
  void lay_out(Arena &arena, const EncoderWeights &weights);
  void make(const EncoderTools &tools);
  // Computes the derivatives of elements (added) and tokens (overwritten) that follow from the derivatives of
  // the tables. The inputs are the sums of the pieces besides the elements, in the order of vector_sums and
  // plain_sums.
  void pull_back(const EncoderTools &tools, const double *vectors, const double *plain, double *elements, double *tokens);

  int64_t rows() const { return shape_.colors + 1 + shape_.sites; }  // of the sums
  int64_t columns() const { return round_up(rows()); }
  int64_t padded_sites() const { return round_up(shape_.sites); }
  int64_t vector_sums() const { return round_up((rows() + 1) * shape_.width); }  // of values [rows][d], then of x at the masked sites [d]
  int64_t plain_sums() const { return shape_.sites * columns(); }                // of scores

  // Elements that pieces do not change, a multiple of 4: those of queries, keys and values.
  int64_t idle_elements() const { return (shape_.width + 1) * 3 * shape_.width / 4 * 4; }

  const float *scores() const { return scores_.data(); }                                // [padded sites][columns]
  const float *values() const { return key_value_.data() + shape_.width * columns(); }  // [d][columns]
  const float *values_turned() const { return values_turned_.data(); }                  // [columns][d]
  const float *masked() const {
    return masked_.data();
  }  // [d + 1][padded sites]: E_q + P_i, then a row
     // of ones

 private:
  static int64_t round_up(int64_t n) { return (n + kEncoderLanes - 1) / kEncoderLanes * kEncoderLanes; }

  EncoderShape shape_;
  Span<float> terms_;  // [d + 1][columns]: tokens, sites. The last row is 1 at sites, which carry the biases.
  Span<float> masked_;
  Span<float> key_value_, values_turned_, keys_turned_;  // [2 d][columns]; [columns][d] twice
  Span<float> query_, query_turned_;                     // [d][padded sites], [padded sites][d]
  Span<float> scores_;
  // Used by pull_back().
  Span<float> dscores_, dscores_turned_;  // [padded sites][columns], [columns][padded sites]
  Span<float> dkey_value_, dquery_, dterms_, dmasked_;
  Span<float> sums_;  // [(d + 1) 3 d][16]
};

}  // namespace atp
