// SPDX-License-Identifier: MIT
// The distance between learned and true couplings. [R24 fig. 2c]; the formulas are with
// atp_model_coupling_error().
#pragma once

#include "potts/model.hpp"

namespace atp {

// A view of couplings of either kind, wherever they are stored.
struct CouplingView {
  int64_t sites = 0, colors = 0;
  int64_t heads = 0;  // 0: dense
  double beta = 1;
  const double *maps = nullptr, *values = nullptr;  // [H][L][L] and [H][q][q]; the diagonals of the maps are not read
  const double *couplings = nullptr;                // [L][L][q][q], or NULL: add(source, i, j, factor, block) makes block += factor C_ij
  Span<const int64_t> order;                        // of an autoregressive model
  const void *source = nullptr;
  void (*add)(const void *source, int64_t i, int64_t j, double factor, double *block) = nullptr;
  Span<const int32_t> (*near)(const void *source, int64_t i) = nullptr;  // the only sites with couplings to i, ascending; NULL: all
};

CouplingView couplings_of(const Model &model);

// Elements of work space that coupling_error() needs for models of q colours.
constexpr int64_t coupling_error_scratch(int64_t colors) { return 2 * colors * colors; }

// Throws ATP_E_CONFLICT unless both are Potts models, or autoregressive in the same order.
void require_comparable(const CouplingView &model, const CouplingView &truth);

// Shapes must agree. NaN for models that are not comparable. Never allocates.
double coupling_error(const CouplingView &model, const CouplingView &truth, Span<double> scratch);

// u^2 of the general formula. `by_map`: whether maps of one head are compared instead, where the model has one head, too. scratch as above.
double coupling_unit(const CouplingView &truth, Span<double> scratch, bool *by_map);

// The map of a model of one head in the gauge of the truth, [L][L], times beta. Throws ATP_E_CONFLICT where one of them has another number
// of heads, or where the truth's matrix of colours is 0 less its means.
void map_like(const CouplingView &model, const CouplingView &truth, Span<double> scratch, double *map);

}  // namespace atp
