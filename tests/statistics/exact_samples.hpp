// SPDX-License-Identifier: MIT
// Samples of an exact model through the C API: chains from random starts, read out at equal distances after a burn-in.
#pragma once

#include "exact_model.hpp"

struct Samples {
  std::vector<uint8_t> sequences;  // [read_outs * chains][L]
  std::vector<double> energies;    // [read_outs * chains]
};

struct Reading {
  int64_t chains, burn_in, thin, read_outs;  // the first read-out is after burn_in sweeps, the others follow at thin
};

inline Samples draw(const ExactModel &m, const Reading &r, int64_t seed) {
  atp_context *context = nullptr;
  atp_options *options = nullptr;
  atp_sampler *sampler = nullptr;
  MUST(atp_context_create(nullptr, nullptr, nullptr, &context));
  MUST(atp_options_create(context, ATP_OWNER_SAMPLER, &options));
  MUST(atp_options_set_i64(options, ATP_OPT_SEED, seed));
  MUST(atp_options_set_i64(options, ATP_OPT_CHAINS, r.chains));
  atp_model *model = m.create(context);
  MUST(atp_sampler_create(context, model, options, &sampler));
  const int64_t n = r.read_outs * r.chains;
  Samples s{std::vector<uint8_t>(index_of(n * m.sites)), std::vector<double>(index_of(n))};
  MUST(atp_sampler_sweep(sampler, r.burn_in - r.thin, nullptr, nullptr, nullptr));
  MUST(atp_sampler_sample(sampler, r.thin, s.sequences.data(), n * m.sites, nullptr, nullptr, nullptr));
  MUST(atp_sampler_sequence_energies(sampler, s.sequences.data(), n, s.energies.data(), n));
  atp_sampler_destroy(sampler);
  atp_options_destroy(options);
  atp_model_destroy(model);
  atp_context_destroy(context);
  return s;
}
