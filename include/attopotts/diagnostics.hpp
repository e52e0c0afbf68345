// SPDX-License-Identifier: MIT
/** @file diagnostics.hpp
 *  Convergence diagnostics of Markov chains, errors by the bootstrap; see diagnostics.h.
 *  Part of attopotts.hpp, which describes the conventions. */
#ifndef ATTOPOTTS_DIAGNOSTICS_HPP
#define ATTOPOTTS_DIAGNOSTICS_HPP

#include <attopotts/diagnostics.h>
#include <attopotts/context.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace attopotts {

/** An estimate and its standard error. */
struct Estimate {
  double value, standard_error;
};

/** atp_autocorrelation_time() of a series of shape [chains][n]. */
inline Estimate autocorrelation_time(Reals series, std::int64_t chains = 1) {
  if (chains < 1) throw error(ATP_E_VALUE, "chains is " + std::to_string(chains) + ", must be >= 1");
  Estimate out{};
  return check(atp_autocorrelation_time(series.data(), chains, detail::size(series.size()) / chains, &out.value, &out.standard_error)), out;
}

/** atp_split_rhat() of a series of shape [chains][n]. */
inline double split_rhat(Reals series, std::int64_t chains) {
  if (chains < 1) throw error(ATP_E_VALUE, "chains is " + std::to_string(chains) + ", must be >= 1");
  double rhat = 0;
  return check(atp_split_rhat(series.data(), chains, detail::size(series.size()) / chains, &rhat)), rhat;
}

/** Numbers of atp_chain_mixing(). */
struct Mixing {
  double rhat, rhat_limit, bulk_ess, tail_ess;
  atp_outcome outcome;
};

/** atp_chain_mixing() of a series of shape [chains][n]. */
inline Mixing mixing(Borrowed<Context> context, Reals series, std::int64_t chains) {
  if (chains < 1) throw error(ATP_E_VALUE, "chains is " + std::to_string(chains) + ", must be >= 1");
  double x[ATP_MIXING_COLUMNS];
  check(atp_chain_mixing(context.get(), series.data(), chains, detail::size(series.size()) / chains, x));
  return {x[ATP_MIXING_RHAT], x[ATP_MIXING_RHAT_LIMIT], x[ATP_MIXING_BULK_ESS], x[ATP_MIXING_TAIL_ESS],
          static_cast<atp_outcome>(x[ATP_MIXING_OUTCOME])};
}

/** atp_overlap_rhat() of sequences of shape [n][sites], sequence m of chain m mod chains. */
inline double overlap_rhat(const Context &context, Sequences sequences, std::int64_t sites, std::int64_t chains) {
  if (sites < 1) throw error(ATP_E_VALUE, "sites is " + std::to_string(sites) + ", must be >= 1");
  double rhat = 0;
  return check(atp_overlap_rhat(context.get(), sequences.data(), detail::size(sequences.size()) / sites, sites, chains, &rhat)), rhat;
}

/** atp_hamming_histogram() of sequences of shape [n][sites]: pairs at each distance, shape [sites + 1], and the mean fraction. */
inline std::vector<std::int64_t> hamming_histogram(Sequences sequences, std::int64_t sites, double *mean = nullptr) {
  if (sites < 1) throw error(ATP_E_VALUE, "sites is " + std::to_string(sites) + ", must be >= 1");
  std::vector<std::int64_t> out(static_cast<std::size_t>(sites + 1));
  return check(atp_hamming_histogram(sequences.data(), detail::size(sequences.size()) / sites, sites, out.data(), sites + 1, mean)), out;
}

/** atp_count_within_errors() of as many values and errors as are expected. */
inline std::int64_t count_within_errors(Reals expected, Reals values, Reals errors, double factor) {
  const std::size_t n = expected.size();
  if (values.size() != n || errors.size() != n)
    throw error(ATP_E_SHAPE, "values has " + std::to_string(values.size()) + " elements and errors " + std::to_string(errors.size()) +
                                 ", must have " + std::to_string(n));
  std::int64_t count = 0;
  return check(atp_count_within_errors(expected.data(), values.data(), errors.data(), detail::size(n), factor, &count)), count;
}

/** atp_bootstrap_errors() of values of shape [samples][numbers]: a row by atp_bootstrap_column for each number. */
using BootstrapErrors = std::array<double, ATP_BOOTSTRAP_COLUMNS>;
inline std::vector<BootstrapErrors> bootstrap_errors(const Context &context, Reals values, std::int64_t numbers) {
  if (numbers < 1) throw error(ATP_E_VALUE, "numbers is " + std::to_string(numbers) + ", must be >= 1");
  std::vector<BootstrapErrors> out(static_cast<std::size_t>(numbers));
  return check(atp_bootstrap_errors(context.get(), values.data(), detail::size(values.size()) / numbers, numbers, out[0].data())), out;
}

}  // namespace attopotts

#endif
