// SPDX-License-Identifier: MIT
#include "handles.hpp"

#include "base/arena.hpp"
#include "math/agreement.hpp"
#include "math/mean_error.hpp"
#include "sample/diagnostics.hpp"
#include "sample/convergence.hpp"
#include "sample/mixing.hpp"

#include <attopotts/diagnostics.h>

#include <cmath>
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

atp_status atp_chain_mixing(atp_context *context, const double *series, int64_t chains, int64_t n, double *numbers) noexcept {
  return guarded(context, "context", [&] {
    require(numbers, "numbers");
    require_series(series, chains, n, kMixingTimes);
    MixingWork work;
    const Scratch scratch(core(context)->allocator, bytes_laid_out(work, chains, n));
    Arena arena = scratch.arena();
    work.lay_out(arena, chains, n);
    const Mixing found = mixing_of(series, chains, n, work);
    numbers[ATP_MIXING_RHAT] = found.rhat;
    numbers[ATP_MIXING_RHAT_LIMIT] = found.limit;
    numbers[ATP_MIXING_BULK_ESS] = found.bulk;
    numbers[ATP_MIXING_TAIL_ESS] = found.tail;
    numbers[ATP_MIXING_OUTCOME] = found.outcome();
  });
}

atp_status atp_overlap_rhat(atp_context *context, const uint8_t *sequences, int64_t n, int64_t sites, int64_t chains,
                            double *rhat) noexcept {
  return guarded(context, "context", [&] {
    require(sequences, "sequences");
    require(rhat, "rhat");
    require_range(chains, 1, kMost, "chains");
    require_range(sites, 1, kMost, "sites");
    require_range(n, product_of(kOverlapTimes, chains), std::numeric_limits<int64_t>::max(), "n");
    const int64_t times = n / chains;
    OverlapWork work;
    const Scratch scratch(core(context)->allocator, bytes_laid_out(work, times, chains, sites));
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

atp_status atp_bootstrap_errors(atp_context *context, const double *values, int64_t samples, int64_t numbers, double *errors) noexcept {
  return guarded(core(context), [&] {
    require(context, "context");
    require(values, "values");
    require(errors, "errors");
    require_range(samples, 1, kMost, "samples");
    require_range(numbers, 1, kMost, "numbers");
    const int64_t n = product_of(samples, numbers);
    for (int64_t k = 0; k < n; ++k)
      if (std::isinf(values[k]))
        fail(ATP_E_NOT_FINITE, "values" ATP_AT2 " is %g, must be finite or NaN", llong{k / numbers}, llong{k % numbers}, values[k]);
    const Scratch scratch(core(context)->allocator, Scratch::piece<double>(samples));
    bootstrap_errors({values, n}, numbers, scratch.arena().take<double>(samples), errors);
  });
}

atp_status atp_count_within_errors(const double *expected, const double *values, const double *errors, int64_t n, double factor,
                                   int64_t *count) noexcept {
  return guarded(nullptr, [&] {
    require(expected, "expected");
    require(values, "values");
    require(errors, "errors");
    require(count, "count");
    require_range(n, 1, std::numeric_limits<int64_t>::max(), "n");
    require_real(factor, 0, std::numeric_limits<double>::max(), "factor");
    *count = count_within_errors(expected, values, errors, n, factor);
  });
}
