// SPDX-License-Identifier: MIT
// Rungs of a small model by sums over its states, in the columns of what chains measure.
#include "potts/enumerate.hpp"
#include "sample/rungs.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

// <o> and <o^2> of the overlap of two independent states, from the probabilities of pairs [L][L][q][q].
struct Overlap {
  double mean, square;
};

Overlap overlap_of(const Model &model, Span<const double> pairs) {
  const int64_t L = model.sites(), q = model.colors();
  const double n = static_cast<double>(L), colors = static_cast<double>(q);
  double equal = 0, squares = 0;  // of the fraction of equal sites
  for (int64_t i = 0; i < L; ++i)
    for (int64_t j = 0; j < L; ++j)
      for (int64_t ab = 0; ab < q * q; ++ab) {
        const double p = pairs[(i * L + j) * q * q + ab];
        squares += p * p / (n * n);
        if (i == j) equal += p * p / n;
      }
  const double scale = 1 / (colors - 1);
  return {scale * (colors * equal - 1), scale * scale * (colors * colors * squares - 2 * colors * equal + 1)};
}

// The mean and the Binder cumulant of a magnetisation, two columns apart, from <m>, <m^2>, <m^4>.
void put_powers(const double *powers, double *row) {
  row[0] = powers[0];
  row[2] = 1 - powers[2] / (3 * powers[1] * powers[1]);
}

}  // namespace

void enumerate_rungs(Context &context, const Model &model, Span<const double> betas, const uint8_t *reference, Span<double> rows) {
  count_states(model);  // refuses too many
  const int64_t L = model.sites(), q = model.colors(), blocks = product_of(L, L, q, q);
  const Scratch scratch(context.allocator, Scratch::piece<double>(blocks));
  const Span<double> pairs = scratch.arena().take<double>(blocks);
  for (int64_t k = 0; k < betas.size(); ++k) {
    const Span<double> row = rows.sub(k * ATP_RUNGS_COLUMNS, ATP_RUNGS_COLUMNS);
    std::fill(row.begin(), row.end(), 0.0);
    StateMoments moments{};
    StateSums sums;
    sums.log_z = &row[ATP_RUNGS_LOG_Z];
    sums.energy = &row[ATP_RUNGS_ENERGY];
    sums.pairs = pairs.data();
    sums.moments = &moments;
    sums.beta = betas[k];
    sums.reference = reference;
    enumerate_states(model, sums);
    const Overlap overlap = overlap_of(model, pairs);
    const double beta = betas[k], log_z = row[ATP_RUNGS_LOG_Z];
    row[ATP_RUNGS_BETA] = beta;
    row[ATP_RUNGS_SPECIFIC_HEAT] = beta * beta * moments.energy_variance / static_cast<double>(L);
    put_powers(moments.order, row.data() + ATP_RUNGS_MAGNETISATION);
    if (reference != nullptr)
      put_powers(moments.reference, row.data() + ATP_RUNGS_REFERENCE);
    else
      std::fill_n(row.data() + ATP_RUNGS_REFERENCE, 4, std::nan(""));
    row[ATP_RUNGS_OVERLAP] = overlap.mean;
    row[ATP_RUNGS_OVERLAP_SQUARE] = overlap.square;
    row[ATP_RUNGS_LOG_Z_INTEGRAL] = log_z;
    row[ATP_RUNGS_ENTROPY] = log_z + beta * row[ATP_RUNGS_ENERGY];
    row[ATP_RUNGS_RHAT] = row[ATP_RUNGS_RHAT_LIMIT] = 1;
    row[ATP_RUNGS_OUTCOME] = ATP_OUTCOME_CONVERGED;
    for (const int unknown : {ATP_RUNGS_OVERLAP_BINDER, ATP_RUNGS_OVERLAP_BINDER_ERROR, ATP_RUNGS_EXCHANGE, ATP_RUNGS_EXCHANGE_ERROR})
      row[unknown] = std::nan("");
    row[ATP_RUNGS_FREE_ENERGY] = beta > 0 ? -log_z / beta : std::nan("");
    if (!(beta > 0)) row[ATP_RUNGS_FREE_ENERGY_ERROR] = std::nan("");
  }
}

}  // namespace atp
