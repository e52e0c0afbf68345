// SPDX-License-Identifier: MIT
// Epistasis: by how much the energy of a double mutant differs from the sum of the energies of its single mutants, all relative to one
// sequence. Of a Potts model it is a difference of couplings; of an autoregressive model, whose energy is -log P, all sites that come after
// the pair take part, because their conditionals are normalised.
#pragma once

#include "base/team.hpp"
#include "potts/model.hpp"

namespace atp {

// E_ij(a, b) - E_i(a) - E_j(b) of a Potts model, without beta.
double potts_epistasis(const Model &model, const uint8_t *sequence, int64_t i, int64_t a, int64_t j, int64_t b);

// shift[a][b] = C_ji(b, a), [q][q]: the contribution of colour a at site i to the field of site j.
void field_shifts(const Model &model, int64_t j, int64_t i, double *shift);

// log p(s_i = a | sites before i) of a sequence, [L][q].
void log_conditionals(const Model &model, const uint8_t *sequence, Threads threads, double *out);

// Elements of work space of pair_epistasis().
constexpr int64_t epistasis_scratch(int64_t colors) { return (2 * colors + 2) * colors; }
// out[a][b] = E_ij(a, b) - E_i(a) - E_j(b), [q][q], a at site i; of an autoregressive model
//   -D,  D = log P(a, b) - log P(a) - log P(b) + log P(sequence).
// log_p [L][q] are the log_conditionals() of the sequence, which are read of an autoregressive model only.
void pair_epistasis(const Model &model, const uint8_t *sequence, const double *log_p, int64_t i, int64_t j, double *work, double *out);

// Elements of work space of epistatic_scores() for n sequences.
int64_t epistatic_scratch(const Model &model, int64_t n, int threads);
// Frobenius norms [L][L] of the epistasis of all pairs, times beta of a Potts model: mean over the sequences [n][L], zero-sum gauge over
// all colours, without the rows and columns of the colour `left_out` (-1: none). A pair is one task, so the bits do not depend on the
// number of threads.
void epistatic_scores(const Model &model, Span<const uint8_t> sequences, int64_t left_out, Threads threads, Span<double> scratch,
                      double *out);

}  // namespace atp
