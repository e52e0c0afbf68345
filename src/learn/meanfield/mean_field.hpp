// SPDX-License-Identifier: MIT
// Mean-field couplings and fields of an alignment. F. Morcos et al., PNAS 108, E1293 (2011).
#pragma once

#include "learn/meanfield/inverse.hpp"
#include "potts/model.hpp"

namespace atp {

struct MeanFieldSettings {
  double pseudocount;
  int64_t precision;  // 32 or 64
};

std::size_t mean_field_bytes(const InverseShape &shape, int64_t precision, int threads);

// A model in the zero-sum gauge, of the alignment's alphabet and sites.
Model *mean_field_model(Context &context, const Alignment &alignment, const MeanFieldSettings &settings);

}  // namespace atp
