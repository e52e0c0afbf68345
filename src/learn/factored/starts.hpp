// SPDX-License-Identifier: MIT
// Initial parameters of factored attention: random ones, those of a fit with more heads, and those closest to a model.
#pragma once

#include "learn/factored/attention.hpp"

namespace atp {

// N(0, scale^2) for maps (0 on their diagonal) and V, 0 for fields.
void random_parameters(const AttentionShape &shape, uint64_t seed, double scale, Span<double> parameters);

// The start of mogwai's factored attention: uniform numbers whose range follows from the shape, and fields from counts.
// Arrays of H matrices have the range +-sqrt(6 / (n (H + m))), with m rows and n columns; Q and K, [H][L][d], are [L][H][d] there:
// +-sqrt(6 / (d (L + H))). Fields are log(n_i(a) + 0.01 log N) minus their mean over a, with n_i(a) the weighted counts of N sequences.
// Source of the ranges: X. Glorot, Y. Bengio, AISTATS 2010, as PyTorch's xavier_uniform_ applies them to three dimensions.
void xavier_parameters(const AttentionShape &shape, uint64_t seed, const Alignment &train, Span<double> parameters);

// The wide start: initial parameters from a training with more heads.
//
// With few heads the loss of frozen data has local minima, in which a site or a colour keeps the wrong sign. With more heads descent leaves
// almost all of them. The wide start makes some iterations of L-BFGS with many heads. It then takes the closest couplings that the
// trainer's own heads can represent: the truncated singular value decomposition of sum_h A_h,ij V_h(a, b), as a matrix between pairs of
// sites and pairs of colours.

// out[k] = the k-th of `narrow` terms of the best approximation of sum_h maps_h x values_h, both factors of the norm sqrt(sigma_k).
// Small matrices and vectors of size wide are scratch: reduce_scratch(wide) elements.
constexpr int64_t reduce_scratch(int64_t wide) { return wide * (4 * wide + 4); }
void reduce_heads(int64_t wide, int64_t narrow, Span<const double> maps, Span<const double> values, Span<double> out_maps,
                  Span<double> out_values, Span<double> scratch);

// The closest parameters of shape `to` to parameters of shape `from`, which has more heads, in any gauge of the latter. Both have free maps
// and learned V. Takes memory of the context and gives it back; nothing is written before it has it.
void reduce_parameters(Context &context, const AttentionShape &from, const AttentionShape &to, Span<const double> parameters,
                       Span<double> out);

// The closest parameters to beta times the couplings of a model, symmetrised; with fields those of the model, too, and couplings in the
// zero-sum gauge. Free maps and learned V, one for each head. Takes memory of the context and gives it back; nothing is written before it
// has it.
void project_model(Context &context, const Model &model, const AttentionShape &shape, Span<double> out);

}  // namespace atp
