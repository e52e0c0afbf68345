// SPDX-License-Identifier: MIT
#include "sample/options.hpp"

namespace atp {

namespace {

constexpr const char *kProtocols[] = {"equilibrium", "chain"}, *kMethods[] = {"auto", "exact", "annealing", "ladder"};

constexpr OptionInfo
    kChains = {ATP_OPT_CHAINS, "chains", true, 1, 1 << 24, 16, "independent chains, or ladders with replica exchange"},
    kTemperatures = {ATP_OPT_TEMPERATURES, "temperatures", true, 1, kMaxRungs, 1, "rungs of the replica-exchange ladder; 1: no exchange"};

constexpr OptionInfo kBetaHot = {
    ATP_OPT_BETA_HOT, "beta-hot", false, 0, kMaxBeta, 0, "smallest beta of the ladder, or of annealing; 0: a tenth of beta"};

// Options that samplers and sampling runs have with the same defaults, after seed, beta and beta-hot.
constexpr auto kFirstRows =
    rows_of(seed_option(ATP_OPT_SEED), OptionInfo{ATP_OPT_BETA, "beta", false, 0, kMaxBeta, 0, "inverse temperature; 0: the model's own"});
constexpr auto kChainRows = rows_of(
    OptionInfo{ATP_OPT_SWAP_INTERVAL, "swap-interval", true, 1, 1e9, 1, "sweeps between attempted exchanges"},
    OptionInfo{ATP_OPT_FIRST_CHAIN, "first-chain", true, 0, 1LL << 31, 0,
               "number of the first chain: samplers with one seed and chains 0..9 and 10..29 make together the chains of one with 30"},
    OptionInfo{ATP_OPT_MAX_MUTATIONS, "max-mutations", true, 0, 1 << 30, 0,
               "greatest number of sites at which a chain may differ from its start; 0: any"},
    OptionInfo{ATP_OPT_KEPT_COLOR, "kept-color", true, -1, 254, -1,
               "colour, counted from 0, that a chain keeps where its start has it and draws nowhere else, as that of gaps; -1: none"});

constexpr auto kSamplerRows = joined(joined(joined(kFirstRows, rows_of(kBetaHot)), kChainRows), rows_of(kChains, kTemperatures));

constexpr auto kTuningRows = rows_of(seed_option(ATP_OPT_SEED), kChains.within(64, 256).starting_at(64).saying("independent ladders"),
                                     kTemperatures.within(4, 256).starting_at(48).saying("largest number of rungs of a ladder"));

constexpr auto kSamplingRows = joined(
    joined(joined(kFirstRows, rows_of(kBetaHot.within(-1, kMaxBeta)
                                          .saying("smallest beta of the ladder, or of annealing; 0: a tenth of beta; -1: the largest "
                                                  "at which pilot runs forget a cold start in 8 sweeps"))),
           kChainRows),
    rows_of(kChains.within(0, 1 << 24)
                .starting_at(0)
                .saying("independent chains, or ladders of the protocol equilibrium; 0: 64 ladders, one "
                        "chain, or 1024 of an autoregressive model"),
            kTemperatures.within(0, kMaxRungs)
                .starting_at(0)
                .saying("rungs of the ladders of the protocol equilibrium; 0: as many as pilot runs ask for"),
            OptionInfo{ATP_OPT_PROTOCOL, "protocol", true, ATP_PROTOCOL_EQUILIBRIUM, ATP_PROTOCOL_CHAIN, ATP_PROTOCOL_EQUILIBRIUM,
                       "replica exchange with tests of convergence, or independent chains"}
                .naming(ATP_PROTOCOL_EQUILIBRIUM, kProtocols),
            OptionInfo{ATP_OPT_BURN_IN, "burn-in", true, -1, 1LL << 48, -1,
                       "sweeps before the first sequence; -1: until tests find no difference, or as many as thin"},
            OptionInfo{ATP_OPT_THIN, "thin", true, 0, 1LL << 48, 0,
                       "sweeps between two sequences of a chain; 0: what a ladder needs to forget, or 10000"},
            OptionInfo{ATP_OPT_ANNEALING, "annealing", true, 0, 1LL << 32, 0,
                       "sweeps of the protocol chain before its burn-in, in which beta rises linearly from beta-hot"}));

constexpr auto kPartitionRows = rows_of(
    seed_option(ATP_OPT_SEED),
    OptionInfo{ATP_OPT_METHOD, "method", true, ATP_METHOD_AUTO, ATP_METHOD_LADDER, ATP_METHOD_AUTO,
               "the sum over all states, annealed importance sampling, or bridges along a ladder of replica exchange; auto: the sum "
               "where there are at most 2^22 states, otherwise annealing"}
        .naming(ATP_METHOD_AUTO, kMethods),
    kChains.within(0, 1 << 20).starting_at(0).saying("annealed chains (at least 16), or ladders (at least 8); 0: 1024, or 32"),
    OptionInfo{ATP_OPT_STEPS, "steps", true, 0, 1 << 20, 0,
               "distributions on the way of annealed chains; 0: as many as pilot runs ask for, 256..32768"},
    OptionInfo{ATP_OPT_SWEEPS, "sweeps", true, 0, 1 << 24, 0,
               "sweeps at each distribution of annealed chains, or of the ladders (at least 64), of which a quarter is burn-in; 0: 1, "
               "or 4096"},
    kTemperatures.within(0, kMaxRungs).starting_at(0).saying("rungs of the ladders, above 1; 0: as many as a pilot run asks for"));

}  // namespace

constexpr OptionTable kSamplerOptions = table_of(ATP_OWNER_SAMPLER, "a sampler", kSamplerRows);
constexpr OptionTable kTuningOptions = table_of(ATP_OWNER_TUNING, "the tuning of beta", kTuningRows);
constexpr OptionTable kSamplingOptions = table_of(ATP_OWNER_SAMPLING, "a sampling run", kSamplingRows);
constexpr OptionTable kPartitionOptions = table_of(ATP_OWNER_PARTITION, "log Z", kPartitionRows);

// --- columns: tests/symbols/check_columns.py compares them with the enums of the headers ---

namespace {

constexpr ColumnInfo kTuning[] = {
    {"beta", "", "inverse temperature that was found"},
    {"beta_error", "", "standard error of beta, jackknife over ladders; infinite if the target was not reached"},
    {"hamming", "", "mean Hamming distance at beta, a fraction of the sites, interpolated between rungs"},
    {"hamming_error", "", "standard error of the measured distance"},
    {"outcome", "atp_outcome", "an atp_outcome: CONVERGED, MAX_ITER or CANCELLED"},
};

constexpr ColumnInfo kSampling[] = {
    {"beta", "", "inverse temperature of the sequences"},
    {"hamming", "", "mean Hamming distance between independent chains, a fraction of the sites; of one chain between all its sequences"},
    {"hamming_error", "", "standard error of hamming, jackknife over chains; 0 for fewer than three chains"},
    {"tau", "sweeps", "integrated autocorrelation time of the energy, 1/2 + sum_t rho(t); 0: not measurable"},
    {"tau_error", "sweeps", "standard error of tau"},
    {"rhat", "", "R-hat of the energy, rank-normalised, split and folded, see atp_chain_mixing(); 0: not measurable"},
    {"burn_in", "sweeps", "sweeps of a chain before the first sequence"},
    {"thin", "sweeps", "sweeps between two sequences of a chain"},
    {"temperatures", "", "rungs of the ladder; 1: no replica exchange"},
    {"beta_hot", "", "smallest beta of the ladder"},
    {"swap_rate", "", "smallest exchange rate between neighbours in the last pilot run; 1 without pilot runs"},
    {"outcome", "atp_outcome",
     "an atp_outcome: CONVERGED (the two runs agree, or the model is autoregressive), MAX_ITER (they do not) or DONE (ATP_PROTOCOL_CHAIN)"},
    {"overlap_rhat", "", "R-hat of overlaps, see atp_overlap_rhat(); 0: not measurable (fewer than 5 sequences of a chain)"},
    {"entropy", "nats", "entropy of an autoregressive model, the mean of -log P over its sequences; NaN of others"},
    {"entropy_error", "nats", "standard error of entropy; NaN of other models"},
    {"rhat_limit", "", "the largest R-hat of the energy of chains that agree; 0: not measurable"},
    {"overlap_rhat_limit", "", "the largest R-hat of overlaps of chains that agree; 0: not measurable"},
    {"bulk_ess", "", "effective samples of the energy, bulk, see atp_chain_mixing(); 0: fewer than 16 of a chain"},
    {"tail_ess", "", "effective samples of the energy in the tails; 0: not measurable"},
};

constexpr ColumnInfo kTrajectory[] = {
    {"chain", "", "number of the chain, from ATP_OPT_FIRST_CHAIN on"},
    {"sweep", "sweeps", "sweeps of the chain since its start"},
    {"mutations", "", "sites at which the sequence differs from the start of its chain; NaN without atp_sampling_start_from()"},
    {"energy", "", "energy H(s) of the sequence, without beta; of an autoregressive model -log P(s)"},
};

constexpr ColumnInfo kForgetting[] = {
    {"sweep", "sweeps", "sweeps since the start"},
    {"overlap", "", "o, mean over chains of the fraction of sites that are equal to the start"},
    {"overlap_error", "", "standard error of overlap, from the scatter of chains; NaN of one chain"},
    {"fit", "", "p + (1 - p) exp(-(sweep / time)^exponent), p the plateau; NaN if the time is infinite"},
    {"plateau", "", "p, mean overlap of the starts with the independent sequences; this and the next columns are the same in all rows"},
    {"plateau_error", "", "standard error of plateau, from the scatter of the independent sequences; NaN of one"},
    {"time", "sweeps",
     "fitted sweeps after which 1/e of the excess over the plateau is left; infinite if more was left at the last sweep, or the plateau "
     "is 1"},
    {"time_error", "sweeps", "standard error of time: jackknife over 16 blocks of chains, and that of the plateau; NaN of one chain"},
    {"exponent", "",
     "fitted exponent; 1 is an exponential decay, also taken where less than 1/e was left at the first sweep; NaN if the time is infinite"},
    {"exponent_error", "", "standard error of exponent; NaN where it was not fitted"},
};

constexpr ColumnInfo kPartition[] = {
    {"method", "atp_partition_method", "the atp_partition_method that was used"},
    {"beta", "", "inverse temperature of the model; of an autoregressive one 1"},
    {"log_z", "nats", "log Z = log sum_s exp(-beta H(s))"},
    {"log_z_error", "nats", "standard error of log_z; 0 of EXACT"},
    {"energy", "", "mean energy <H>, without beta"},
    {"energy_error", "", "standard error of energy"},
    {"entropy", "nats", "S = log Z + beta <H>"},
    {"entropy_error", "nats", "standard error of entropy"},
    {"effective", "", "independent chains by their weights, (sum w)^2 / sum w^2; of LADDER the number of ladders, of EXACT 0"},
    {"rhat", "", "largest R-hat of the energy on the rungs of LADDER; otherwise 0"},
    {"distributions", "", "distributions between the start and the model, both included; of EXACT 0"},
    {"profile", "", "1: annealing started from the frequencies of the sites, otherwise 0"},
    {"outcome", "atp_outcome", "an atp_outcome: CONVERGED; MAX_ITER (the errors are not to be relied on); CANCELLED (numbers are NaN)"},
};

constexpr ColumnInfo kRungs[] = {
    {"beta", "", "inverse temperature"},
    {"energy", "", "mean of H, of all sites, without beta"},
    {"energy_error", "", "standard error of energy"},
    {"specific_heat", "", "beta^2 Var(H) / L"},
    {"specific_heat_error", "", "standard error of specific_heat"},
    {"magnetisation", "", "mean of m"},
    {"magnetisation_error", "", "standard error of magnetisation"},
    {"magnetisation_binder", "", "1 - <m^4> / (3 <m^2>^2)"},
    {"magnetisation_binder_error", "", "standard error of magnetisation_binder"},
    {"overlap", "", "mean of o"},
    {"overlap_error", "", "standard error of overlap"},
    {"overlap_square", "", "<o^2>; times L the spin-glass susceptibility of a model with a symmetry"},
    {"overlap_square_error", "", "standard error of overlap_square"},
    {"overlap_binder", "", "1 - <o^4> / (3 <o^2>^2); NaN of exact sums"},
    {"overlap_binder_error", "", "standard error of overlap_binder"},
    {"exchange", "", "mean probability of an exchange with the next rung; NaN of the last"},
    {"exchange_error", "", "standard error of exchange"},
    {"tau", "sweeps", "integrated autocorrelation time of H, 1/2 + sum_t rho(t), in sweeps; NaN of a constant"},
    {"overlap_tau", "sweeps", "the same of o"},
    {"rhat", "", "R-hat of H, m, o or r that lies highest above its limit, rank-normalised, split, folded"},
    {"rhat_limit", "", "the largest R-hat of chains that agree"},
    {"bulk_ess", "", "fewest effective samples of H, m, o or r, in the bulk"},
    {"tail_ess", "", "and in the tails"},
    {"log_z", "nats", "log Z; NaN if the first beta is not 0, colours are restricted, or neighbours below have no energies in common"},
    {"log_z_error", "nats", "standard error of log_z"},
    {"log_z_integral", "nats", "log Z by integration of the mean energy over beta"},
    {"log_z_integral_error", "nats", "standard error of log_z_integral"},
    {"free_energy", "", "-log Z / beta; NaN at beta = 0"},
    {"free_energy_error", "", "standard error of free_energy"},
    {"entropy", "nats", "log Z + beta times the mean of H"},
    {"entropy_error", "nats", "standard error of entropy"},
    {"outcome", "atp_outcome", "an atp_outcome: CONVERGED (chains agree and are worth enough) or MAX_ITER"},
    {"reference", "", "mean of r; NaN without a reference, as are the next three"},
    {"reference_error", "", "standard error of reference"},
    {"reference_binder", "", "1 - <r^4> / (3 <r^2>^2)"},
    {"reference_binder_error", "", "standard error of reference_binder"},
};

constexpr ColumnInfo kOverlaps[] = {
    {"beta", "", "inverse temperature"},
    {"overlap", "", "mean of the overlaps of the bin"},
    {"width", "", "of the bin"},
    {"density", "", "P(o): density times width sums to 1"},
    {"density_error", "", "standard error of density"},
};

}  // namespace

constexpr TableKind kTuningTable = kind_of(ATP_TABLE_TUNING, "ATP_TABLE_TUNING", kTuning);
constexpr TableKind kSamplingTable = kind_of(ATP_TABLE_SAMPLING, "ATP_TABLE_SAMPLING", kSampling);
constexpr TableKind kTrajectoryTable = kind_of(ATP_TABLE_TRAJECTORY, "ATP_TABLE_TRAJECTORY", kTrajectory);
constexpr TableKind kForgettingTable = kind_of(ATP_TABLE_FORGETTING, "ATP_TABLE_FORGETTING", kForgetting);
constexpr TableKind kPartitionTable = kind_of(ATP_TABLE_PARTITION, "ATP_TABLE_PARTITION", kPartition);
constexpr TableKind kRungsTable = kind_of(ATP_TABLE_RUNGS, "ATP_TABLE_RUNGS", kRungs);
constexpr TableKind kOverlapsTable = kind_of(ATP_TABLE_OVERLAPS, "ATP_TABLE_OVERLAPS", kOverlaps);

}  // namespace atp
