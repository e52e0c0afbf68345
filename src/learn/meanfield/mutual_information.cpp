// SPDX-License-Identifier: MIT
// I = H_i + H_j - H_ij: the frequencies of a pair sum to those of its sites, with a pseudocount, too.
#include "learn/meanfield/mutual_information.hpp"

#include "alignment/frequencies.hpp"
#include "learn/meanfield/row_counts.hpp"

#include <cmath>

namespace atp {

namespace {

double entropy_term(double f) { return f > 0 ? -f * std::log(f) : 0; }

}  // namespace

void mutual_information(Context &context, const Alignment &alignment, double pseudocount, double *out) {
  const int64_t L = alignment.sites(), q = alignment.colors();
  const Threads threads = context.threads;
  const AlignmentShape shape{alignment.count(), L, q};
  const Scratch scratch(context.allocator, RowCounts::bytes(shape, threads) + Scratch::piece<double>(L * q) + Scratch::piece<double>(L));
  Arena arena = scratch.arena();
  const RowCounts rows(shape, threads, arena);
  const Span<double> single = arena.take<double>(L, q), entropies = arena.take<double>(L);
  frequencies(alignment, pseudocount, single.data());
  for (int64_t k = 0; k < L * q; ++k) entropies[k / q] += entropy_term(single[k]);
  const double scale = (1 - pseudocount) / alignment.effective_count(), shift = pseudocount / static_cast<double>(q * q);
  parallel_for(threads, L, [&](int64_t i, int thread) {
    const double *counts = rows.count(alignment, i, thread);
    out[i * L + i] = 0;
    for (int64_t j = i + 1; j < L; ++j) {
      double joint = 0;
      for (int64_t k = 0; k < q * q; ++k) joint += entropy_term(std::fma(counts[j * q * q + k], scale, shift));
      out[i * L + j] = out[j * L + i] = std::fmax(entropies[i] + entropies[j] - joint, 0);
    }
  });
}

}  // namespace atp
