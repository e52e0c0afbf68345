// SPDX-License-Identifier: MIT
// The single-precision copy of a model that the Gibbs kernels read.
#pragma once

#include "potts/model.hpp"
#include "simd/gibbs.hpp"

namespace atp {

// Fields H(c) and their sums stay far below the largest float. No difference of two can then become infinite or
// NaN.
inline constexpr double kLargestField = 1e36;

class GibbsModel {
 public:
  GibbsModel(const ModelShape &shape, Target target);
  void lay_out(Arena &arena);
  // Site i of the tables is model.site_at(i), so that a sweep draws the sites of an autoregressive model in its order. Throws ATP_E_VALUE
  // if local fields could exceed the range of single precision.
  void fill(const Model &model);
  // Field b_i(a), and the couplings C_ij(a, b) = block[a * stride_a + b * stride_b]: of the method dense, or of listed, where j is
  // neighbour k of site i. The caller knows that they are in range.
  void put_field(int64_t i, int64_t a, double value) { fields[shape.field_index(i, a)] = static_cast<float>(value); }
  void put_block(int64_t i, int64_t j, const double *block, int64_t stride_a, int64_t stride_b);
  void put_neighbor(int64_t i, int64_t k, const double *block, int64_t stride_a, int64_t stride_b);
  // Of a list: the neighbours of site i, ascending, after those of the sites before it.
  void set_neighbors(int64_t i, Span<const int32_t> sites);
  GibbsTables tables() const {
    return {shape, fields.data(), maps.data(), values.data(), columns.data(), couplings.data(), begins.data(), neighbors.data()};
  }

  GibbsShape shape;

 private:
  void fill_list(const Model &model);
  Span<float> fields, maps, values, columns, couplings;
  Span<int64_t> begins;
  Span<int32_t> neighbors;
};

}  // namespace atp
