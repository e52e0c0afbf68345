// SPDX-License-Identifier: MIT
#include "sample/options.hpp"

namespace atp {

namespace {

constexpr OptionInfo
    kChains = {ATP_OPT_CHAINS, "chains", true, 1, 1 << 24, 16, "independent chains, or ladders with replica exchange"},
    kTemperatures = {ATP_OPT_TEMPERATURES, "temperatures", true, 1, kMaxRungs, 1, "rungs of the replica-exchange ladder; 1: no exchange"};

// What samplers and sampling runs have with the same defaults.
constexpr auto kChainRows = rows_of(
    seed_option(ATP_OPT_SEED), OptionInfo{ATP_OPT_BETA, "beta", false, 0, kMaxBeta, 0, "inverse temperature; 0: the model's own"},
    OptionInfo{ATP_OPT_BETA_HOT, "beta-hot", false, 0, kMaxBeta, 0, "smallest beta of the ladder; 0: a tenth of beta"},
    OptionInfo{ATP_OPT_SWAP_INTERVAL, "swap-interval", true, 1, 1e9, 1, "sweeps between attempted exchanges"},
    OptionInfo{ATP_OPT_FIRST_CHAIN, "first-chain", true, 0, 1LL << 31, 0,
               "number of the first chain: samplers with one seed and chains 0..9 and 10..29 make together the chains of one with 30"});

constexpr auto kSamplerRows = joined(kChainRows, rows_of(kChains, kTemperatures));

constexpr auto kTuningRows = rows_of(seed_option(ATP_OPT_SEED), kChains.within(64, 256).starting_at(64).saying("independent ladders"),
                                     kTemperatures.within(4, 256).starting_at(48).saying("largest number of rungs of a ladder"));

constexpr auto kSamplingRows =
    joined(kChainRows,
           rows_of(kChains.within(0, 1 << 24)
                       .starting_at(0)
                       .saying("independent chains, or ladders of the protocol equilibrium; 0: 64 ladders, or "
                               "one chain"),
                   kTemperatures.within(0, kMaxRungs)
                       .starting_at(0)
                       .saying("rungs of the ladders of the protocol equilibrium; 0: as many as pilot runs ask for"),
                   OptionInfo{ATP_OPT_PROTOCOL, "protocol", true, ATP_PROTOCOL_EQUILIBRIUM, ATP_PROTOCOL_CHAIN, ATP_PROTOCOL_EQUILIBRIUM,
                              "an atp_protocol: replica exchange with tests of convergence, or independent chains"},
                   OptionInfo{ATP_OPT_BURN_IN, "burn-in", true, -1, 1LL << 48, -1,
                              "sweeps before the first sequence; -1: until tests find no difference, or as many as thin"},
                   OptionInfo{ATP_OPT_THIN, "thin", true, 0, 1LL << 48, 0,
                              "sweeps between two sequences of a chain; 0: what a ladder needs to forget, or 10000"}));

}  // namespace

constexpr OptionTable kSamplerOptions = table_of(ATP_OWNER_SAMPLER, "a sampler", kSamplerRows);
constexpr OptionTable kTuningOptions = table_of(ATP_OWNER_TUNING, "the tuning of beta", kTuningRows);
constexpr OptionTable kSamplingOptions = table_of(ATP_OWNER_SAMPLING, "a sampling run", kSamplingRows);

}  // namespace atp
