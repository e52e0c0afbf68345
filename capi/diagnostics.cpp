// SPDX-License-Identifier: MIT
#include "handles.hpp"

#include "base/arena.hpp"
#include "sample/diagnostics.hpp"
#include "sample/convergence.hpp"

#include <attopotts/diagnostics.h>

#include <limits>

using namespace atp;

namespace {

constexpr int64_t kMost = std::numeric_limits<int32_t>::max();  // counts of pairs then fit into 64 bits

void require_series(const double *series, int64_t chains, int64_t n, int64_t least) {
  require(series, "series");
  require_range(chains, 1, kMost, "chains");
  require_range(n, least, kMost, "n");
  require_finite(series, product_of(chains, n), "series");
}

}  // namespace

atp_status atp_autocorrelation_time(const double *series, int64_t chains, int64_t n, double *tau, double *tau_error) noexcept {
  return guarded(nullptr, [&] {
    require(tau, "tau");
    require_series(series, chains, n, 16);
    const AutocorrelationTime result = autocorrelation_time(series, chains, n);
    *tau = result.tau;
    if (tau_error != nullptr) *tau_error = result.error;
  });
}

atp_status atp_split_rhat(const double *series, int64_t chains, int64_t n, double *rhat) noexcept {
  return guarded(nullptr, [&] {
    require(rhat, "rhat");
    require_series(series, chains, n, 4);
    *rhat = split_rhat(series, chains, n);
  });
}

atp_status atp_overlap_rhat(atp_context *context, const uint8_t *sequences, int64_t n, int64_t sites, int64_t chains,
                            double *rhat) noexcept {
  return guarded(core(context), [&] {
    require(context, "context");
    require(sequences, "sequences");
    require(rhat, "rhat");
    require_range(chains, 1, kMost, "chains");
    require_range(sites, 1, kMost, "sites");
    require_range(n, product_of(kOverlapTimes, chains), std::numeric_limits<int64_t>::max(), "n");
    const int64_t times = n / chains;
    OverlapWork work;
    Arena measure;
    work.lay_out(measure, times, chains, sites);
    const Scratch scratch(core(context)->allocator, measure.bytes());
    Arena arena = scratch.arena();
    work.lay_out(arena, times, chains, sites);
    *rhat = overlap_rhat({sequences, nullptr, times, chains, sites, 0, chains}, work);
  });
}

atp_status atp_hamming_histogram(const uint8_t *sequences, int64_t n, int64_t sites, int64_t *counts, int64_t size, double *mean) noexcept {
  return guarded(nullptr, [&] {
    require(sequences, "sequences");
    require(counts, "counts");
    require_range(n, 2, kMost, "n");
    require_range(sites, 1, kMost, "sites");
    require_size(size, sites + 1, "size");
    const double fraction = hamming_histogram(sequences, n, sites, counts);
    if (mean != nullptr) *mean = fraction;
  });
}
