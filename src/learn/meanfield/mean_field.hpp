// SPDX-License-Identifier: MIT
// Couplings and scores of pairs of sites that need no training.
#pragma once

#include "learn/meanfield/inverse.hpp"
#include "potts/model.hpp"

#include <attopotts/baselines.h>

namespace atp {

// Mean-field couplings and fields of an alignment. F. Morcos et al., PNAS 108, E1293 (2011).
std::size_t mean_field_bytes(const InverseShape &shape, int64_t precision, int threads);
std::size_t gaussian_bytes(const InverseShape &shape, int64_t precision, int threads);

// A model in the zero-sum gauge, of the alignment's alphabet and sites.
Model *mean_field_model(Context &context, const Alignment &alignment, const MeanFieldSettings &settings);

// Scores of the Gaussian model of one-hot sequences, [L][L]. C. Baldassi et al., PLoS ONE 9, e92721 (2014). `gap` is left out of the norm,
// -1: none.
void gaussian_scores(Context &context, const Alignment &alignment, const MeanFieldSettings &settings, atp_pair_score score, int64_t gap,
                     double *out);

// Elements of work space for direct_information().
constexpr int64_t direct_information_scratch(int64_t colors, int threads) { return threads * 3 * colors * (colors + 1); }

// Direct information, the mutual information of two sites alone: scores [L][L] of a model for frequencies [L][q]. M. Weigt et al., PNAS
// 106, 67 (2009). Throws ATP_E_VALUE where the fields of a pair are not found.
void direct_information(const Model &model, const double *frequencies, const Threads &threads, Span<double> scratch, double *out);

// Mutual information of pairs of columns, in nats, [L][L].
void mutual_information(Context &context, const Alignment &alignment, double pseudocount, double *out);

}  // namespace atp
