// SPDX-License-Identifier: MIT
// Conditionals, energies and losses of given sequences, in float64. [R24 eq. 3-5] Sites that are kMissing are
// not predicted and enter no sum. They use the threads of the model's context, on whose number the bits do not depend.
#pragma once

#include "alignment/alignment.hpp"
#include "base/estimate.hpp"
#include "potts/model.hpp"

namespace atp {

// -log softmax(beta field)[color] = (max - x_color) + log(1 + sum over the others of exp(x - max)): exact also where p is close to 1.
double negative_log_softmax(const double *field, int64_t colors, double beta, int64_t color);
// p(s_i = a | rest), [n][L][q], also of missing sites.
void conditionals(const Model &model, const uint8_t *sequences, int64_t n, double *out);
// H(s), [n]. Asymmetric couplings enter with their symmetric part.
void energies(const Model &model, const uint8_t *sequences, int64_t n, double *out);
// sum_i log p(s_i | rest), [n].
void log_pseudolikelihoods(const Model &model, const uint8_t *sequences, int64_t n, double *out);
// sum_n w_n sum_i -log p(s_ni | rest) / (sum_n w_n L_n), L_n the sites of s_n that are not missing.
double mean_loss(const Model &model, const uint8_t *sequences, const double *weights, int64_t n);
// The same of an alignment. Where it has a colour more than the model, its first is a gap, which is missing.
double mean_loss(Context &context, const Model &model, const Alignment &data);

// The weighted mean of log P(s) / L over the sequences without missing sites, in nats, and its standard error, of both kinds:
//   error^2 = [sum_n w_n (log P(s_n) - mean)^2 sum_n w_n^2 / (sum w)^3 + (error of log Z)^2] / L^2.
// Gaps as above; NaN where no sequence is whole. An autoregressive model has log Z = 0.
Estimate mean_log_p(Context &context, const Model &model, const Alignment &data, const Estimate &log_z);

}  // namespace atp
