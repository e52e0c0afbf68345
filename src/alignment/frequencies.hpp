// SPDX-License-Identifier: MIT
// Weighted one- and two-point statistics of an alignment. Sums run over the sequences in order, in float64.
#pragma once

#include "alignment/alignment.hpp"

namespace atp {

// out [q]: summed weights of the sequences with each colour at site i, without the first `missing` colours.
ATP_FOR_IO void count_colors(const Alignment &alignment, int64_t i, int64_t missing, int64_t q, double *out);

// The sequences in the order of their colours at site i; those of one colour remain in order.
void order_by_color(const Alignment &alignment, int64_t i, int64_t *order);

// One row of blocks, q^2 L numbers for any number of sequences: out[j][a][b], j >= i, [L][q][q]: summed weights of the sequences with
// colour a at site i and b at site j, without the first `missing` colours. An order (NULL: that of the alignment) by the colours at site i
// leaves the sums as they are, but keeps the part of `out` in use small.
ATP_FOR_IO void count_pairs(const Alignment &alignment, int64_t i, int64_t missing, int64_t q, const int64_t *order, double *out);

// (1 - c) f_i(a) + c / q, [L][q].
void frequencies(const Alignment &alignment, double pseudocount, double *out);
// f_i(a) without pseudocount and without colour 0, the others divided by their sum, [L][q - 1]; NaN where a site has no other.
void residue_frequencies(const Alignment &alignment, double *out);
// log((1 - c) f_i(a) + c / q), [L][q], the logarithm of 1 / q where a site has no colour. gaps_ignored: colour 0 is left out of sums and
// output, and q is one less. c < 0: log((n_i(a) + 1) / (n_i + q)) instead, with n_i(a) the sums of
// weights (Laplace). Throws ATP_E_VALUE where a frequency is 0.
void log_frequencies(const Alignment &alignment, bool gaps_ignored, double pseudocount, double *out);
// (1 - c) f_ij(a, b) + c / q^2 for i != j; diagonal blocks hold the one-point frequencies. [L][L][q][q].
void pair_frequencies(const Alignment &alignment, double pseudocount, double *out);
// f_ij(a, b) - f_i(a) f_j(b) of the two above. [L][L][q][q].
void covariances(const Alignment &alignment, double pseudocount, double *out);
// 1 - S_i / log q, [L], S_i the entropy of the frequencies f_i(a) without pseudocount. gaps_ignored: as above; NaN where a site has no
// colour.
void conservation(const Alignment &alignment, bool gaps_ignored, double *out);
// The weighted mean of -log f_i(s_ni), in nats per site. Throws ATP_E_VALUE if a sequence of positive weight has a colour of frequency 0.
double independent_loss(const Alignment &alignment, const double *frequencies);

}  // namespace atp
