// SPDX-License-Identifier: MIT
// The table of options, and a set of their values.
#pragma once

#include "base/for_io.hpp"

#include <attopotts/dotattn.h>
#include <attopotts/dotattn_simulate.h>
#include <attopotts/options.h>
#include <attopotts/replica.h>
#include <attopotts/task.h>

#include <cstddef>
#include <cstdint>

namespace atp {

struct OptionInfo {
  atp_option key;
  const char *name;
  bool integer;
  double lowest, highest, initial;
  uint32_t readers;  // bits reader_bit() of those that read it
};

// The bit of an atp_option_reader or an atp_task_kind.
constexpr uint32_t reader_bit(int reader) {
  // All readers together are fewer than 32.
  // cppcheck-suppress shiftTooManyBits
  return uint32_t{1} << (reader < ATP_READER_SAMPLER ? reader : reader - ATP_READER_SAMPLER + ATP_TASK_DOTATTN_TRAJECTORY + 1);
}

template <class... Readers>
constexpr uint32_t readers(Readers... all) {
  return (reader_bit(all) | ...);
}

// Sets of readers, for kOptions.
namespace reads {

inline constexpr uint32_t kSamplers = readers(ATP_READER_SAMPLER, ATP_READER_SAMPLING),
                          kLadders = kSamplers | reader_bit(ATP_READER_TUNING), kRuns = reader_bit(ATP_READER_SAMPLING),
                          kTrainers = readers(ATP_READER_TRAINER, ATP_READER_SELECTION), kNetworks = reader_bit(ATP_READER_TRAINER),
                          kSelection = reader_bit(ATP_READER_SELECTION), kFolds = readers(ATP_READER_SELECTION, ATP_READER_FOLDS),
                          kAlignments = reader_bit(ATP_READER_ALIGNMENT), kFilters = reader_bit(ATP_READER_FILTER),
                          kInverses = reader_bit(ATP_READER_INVERSE);
// Tasks.
inline constexpr uint32_t kLattices = readers(ATP_TASK_DOTATTN_TOKENS, ATP_TASK_REPLICA_POTTS, ATP_TASK_DOTATTN_DYNAMICS),
                          kDescents = readers(ATP_TASK_DOTATTN_SIMULATION, ATP_TASK_DOTATTN_TRAJECTORY),
                          kDraws = kLattices | kDescents | readers(ATP_TASK_REPLICA_SIMULATION, ATP_TASK_REPLICA_POTTS_SIMULATION),
                          kStarts = readers(ATP_TASK_DOTATTN_TOKENS, ATP_TASK_DOTATTN_SIMULATION),
                          kTimes = readers(ATP_TASK_DOTATTN_DYNAMICS, ATP_TASK_DOTATTN_TRAJECTORY), kScales = kDescents | kTimes,
                          kOmegas = kScales | readers(ATP_TASK_DOTATTN_CURVE, ATP_TASK_DOTATTN_TOKENS),
                          kSigmas = kOmegas | reader_bit(ATP_TASK_DOTATTN_TRANSITION),
                          kCurves = readers(ATP_TASK_DOTATTN_CURVE, ATP_TASK_DOTATTN_TRANSITION),
                          kSquares = readers(ATP_TASK_REPLICA_SQUARE, ATP_TASK_REPLICA_SADDLE),
                          kConvex = reader_bit(ATP_TASK_REPLICA_CONVEX), kLimit = reader_bit(ATP_TASK_REPLICA_LIMIT),
                          kLambdas = kSigmas | kSquares | kConvex | kLimit | kDraws,
                          kIterations = kLattices | kCurves | kConvex | reader_bit(ATP_TASK_REPLICA_SADDLE);

}  // namespace reads

inline constexpr double kAnyCount = 9.007199254740992e15;  // 2^53: a double holds every integer below exactly

inline constexpr OptionInfo kOptions[] = {
    {ATP_OPT_SEED, "seed", true, 0, 9223372036854774784.0, 1, reads::kLadders | reads::kTrainers | reads::kDraws},
    {ATP_OPT_CHAINS, "chains", true, 1, 1 << 24, 16, reads::kLadders},
    {ATP_OPT_BETA, "beta", false, 0, 1e6, 0, reads::kSamplers},
    {ATP_OPT_TEMPERATURES, "temperatures", true, 1, 1024, 1, reads::kLadders},
    {ATP_OPT_BETA_HOT, "beta-hot", false, 0, 1e6, 0, reads::kSamplers},
    {ATP_OPT_SWAP_INTERVAL, "swap-interval", true, 1, 1e9, 1, reads::kSamplers},
    {ATP_OPT_FIRST_CHAIN, "first-chain", true, 0, 1LL << 31, 0, reads::kSamplers},
    {ATP_OPT_HEADS, "heads", true, 1, 1024, 1, reads::kTrainers},
    {ATP_OPT_MAP, "map", true, ATP_MAP_FREE, ATP_MAP_LOWRANK, ATP_MAP_FREE, reads::kTrainers},
    {ATP_OPT_RANK, "rank", true, 1, 4096, 16, reads::kTrainers},
    {ATP_OPT_FIELDS, "fields", true, 0, 1, 0, reads::kTrainers},
    {ATP_OPT_COLORS_FIXED, "colors-fixed", true, 0, 1, 0, reads::kTrainers},
    {ATP_OPT_OBJECTIVE, "objective", true, ATP_OBJECTIVE_PSEUDOLIKELIHOOD, ATP_OBJECTIVE_MLM, ATP_OBJECTIVE_PSEUDOLIKELIHOOD,
     reads::kTrainers},
    {ATP_OPT_OPTIMIZER, "optimizer", true, ATP_OPTIMIZER_LBFGS, ATP_OPTIMIZER_ADAM, ATP_OPTIMIZER_LBFGS,
     reads::kTrainers | reader_bit(ATP_TASK_DOTATTN_SIMULATION)},
    {ATP_OPT_RATE, "rate", false, 0, 1e6, 0, reads::kTrainers | reads::kScales},
    {ATP_OPT_BATCH, "batch", true, 1, kAnyCount, 100, reads::kTrainers},
    {ATP_OPT_EPOCHS, "epochs", true, 1, 1e9, 200, reads::kTrainers},
    {ATP_OPT_TOLERANCE, "tolerance", false, -1, 1, -1, reads::kTrainers | reads::kStarts | reader_bit(ATP_TASK_DOTATTN_DYNAMICS)},
    {ATP_OPT_L2_COUPLINGS, "l2-couplings", false, -1, 1e12, -1, reads::kTrainers},
    {ATP_OPT_L2_COLORS, "l2-colors", false, 0, 1e12, 0, reads::kTrainers},
    {ATP_OPT_L2_FIELDS, "l2-fields", false, -1, 1e12, -1, reads::kTrainers},
    {ATP_OPT_HISTORY, "history", true, 0, 100, 0, reads::kTrainers},
    {ATP_OPT_PRECISION, "precision", true, 32, 64, 32, reads::kTrainers | reads::kInverses},
    {ATP_OPT_MOMENTUM, "momentum", false, 0, 0.9999, 0, reads::kTrainers},
    {ATP_OPT_INIT_SCALE, "init-scale", false, 0, 1e3, 0.1, reads::kTrainers},
    {ATP_OPT_FAMILY, "family", true, ATP_FAMILY_FACTORED, ATP_FAMILY_DIAL, ATP_FAMILY_FACTORED, reads::kTrainers},
    {ATP_OPT_ASYMMETRIC, "asymmetric", true, 0, 1, 0, reads::kTrainers},
    {ATP_OPT_GAPS, "gaps", true, ATP_GAPS_STATE, ATP_GAPS_IGNORE, ATP_GAPS_STATE, reads::kTrainers},
    {ATP_OPT_L2_SCALE, "l2-scale", true, ATP_L2_ABSOLUTE, ATP_L2_WEIGHT, ATP_L2_ABSOLUTE, reads::kTrainers},
    {ATP_OPT_MASK_PROBABILITY, "mask-probability", false, 0, 1, 0, reads::kTrainers},
    {ATP_OPT_DIAGONAL, "diagonal", true, ATP_DIAGONAL_BEFORE, ATP_DIAGONAL_AFTER, ATP_DIAGONAL_BEFORE, reads::kTrainers},
    {ATP_OPT_SCORES_SCALED, "scores-scaled", true, 0, 1, 1, reads::kTrainers},
    {ATP_OPT_SYMMETRIZED, "symmetrized", true, 0, 1, 0, reads::kTrainers},
    {ATP_OPT_L2_PAIRS, "l2-pairs", false, 0, 1e12, 0, reads::kTrainers},
    {ATP_OPT_NORM_PAIRS, "norm-pairs", false, 0, 1e12, 0, reads::kTrainers},
    {ATP_OPT_NORM_FIELDS, "norm-fields", false, 0, 1e12, 0, reads::kTrainers},
    {ATP_OPT_INITIAL, "initial", true, ATP_INITIAL_NORMAL, ATP_INITIAL_XAVIER, ATP_INITIAL_NORMAL, reads::kTrainers},
    {ATP_OPT_SCHEDULE, "schedule", true, ATP_SCHEDULE_COSINE, ATP_SCHEDULE_CONSTANT, ATP_SCHEDULE_COSINE, reads::kTrainers},
    {ATP_OPT_BLOCKS, "blocks", true, 1, 16, 1, reads::kNetworks},
    {ATP_OPT_WIDTH, "width", true, 1, 4096, 20, reads::kNetworks},
    {ATP_OPT_HIDDEN, "hidden", true, 0, 65536, 0, reads::kNetworks},
    {ATP_OPT_POSITIONS, "positions", true, ATP_POSITIONS_NONE, ATP_POSITIONS_SINUSOIDAL, ATP_POSITIONS_SINUSOIDAL, reads::kNetworks},
    {ATP_OPT_DIAL, "dial", false, 0, 1, 0, reads::kNetworks},
    {ATP_OPT_FOLDS, "folds", true, 2, 1000, 4, reads::kFolds},
    {ATP_OPT_FOLD_DISTANCE, "fold-distance", false, 0, 1, 0.2, reads::kFolds},
    {ATP_OPT_SELECT, "select", true, ATP_SELECT_COUPLINGS, ATP_SELECT_HEADS, ATP_SELECT_COUPLINGS, reads::kSelection},
    {ATP_OPT_SELECT_FIELDS, "select-fields", true, 0, 1, 1, reads::kSelection},
    {ATP_OPT_SELECTION_RULE, "selection-rule", true, ATP_SELECTION_MINIMUM, ATP_SELECTION_ONE_ERROR, ATP_SELECTION_ONE_ERROR,
     reads::kSelection},
    {ATP_OPT_STRENGTHS, "strengths", true, 1, 100, 7, reads::kSelection},
    {ATP_OPT_STRENGTH_RATIO, "strength-ratio", false, 1.01, 1e6, 5, reads::kSelection},
    {ATP_OPT_STRONGEST, "strongest", false, 0, 1e12, 0, reads::kSelection},
    {ATP_OPT_CRITERION, "criterion", true, ATP_CRITERION_PSEUDOLIKELIHOOD, ATP_CRITERION_SUBSTITUTIONS, ATP_CRITERION_PSEUDOLIKELIHOOD,
     reads::kSelection},
    {ATP_OPT_UNKNOWN, "unknown", true, ATP_UNKNOWN_GAP, ATP_UNKNOWN_ERROR, ATP_UNKNOWN_GAP, reads::kAlignments},
    {ATP_OPT_COLORS, "colors", true, 0, 255, 0, reads::kAlignments},
    {ATP_OPT_FORMAT, "format", true, ATP_FORMAT_AUTO, ATP_FORMAT_PAIRED, ATP_FORMAT_AUTO, reads::kAlignments},
    {ATP_OPT_MAX_GAPS_SEQUENCE, "max-gaps-sequence", false, 0, 1, 1, reads::kFilters},
    {ATP_OPT_MAX_GAPS_COLUMN, "max-gaps-column", false, 0, 1, 1, reads::kFilters},
    {ATP_OPT_REMOVE_DUPLICATES, "remove-duplicates", true, 0, 1, 0, reads::kFilters},
    {ATP_OPT_MAX_UNPACKED, "max-unpacked", true, 0, kAnyCount, 0, reads::kAlignments},
    {ATP_OPT_PSEUDOCOUNT, "pseudocount", false, -1, 1, -1, reads::kInverses | reader_bit(ATP_READER_MUTUAL_INFORMATION)},
    {ATP_OPT_OMEGA, "omega", false, 0, 1, 0.3, reads::kOmegas},
    {ATP_OPT_SIGMA, "sigma", false, 1e-12, 1e6, 0.5, reads::kSigmas},
    {ATP_OPT_LAMBDA, "lambda", false, -1, 1e12, -1, reads::kLambdas},
    {ATP_OPT_BRANCH, "branch", true, ATP_DOTATTN_SEMANTIC, ATP_DOTATTN_UNINFORMED, ATP_DOTATTN_SEMANTIC,
     reader_bit(ATP_TASK_DOTATTN_CURVE)},
    {ATP_OPT_ACCURACY, "accuracy", false, 1e-7, 1, 1e-3, reads::kCurves},
    {ATP_OPT_MAX_ITER, "max-iter", true, 0, 1e9, 0, reads::kIterations},
    {ATP_OPT_DIMENSION, "dimension", true, 2, 1e6, 1000, reads::kDescents},
    {ATP_OPT_STEPS, "steps", true, 1, 1e9, 10000, reader_bit(ATP_TASK_DOTATTN_SIMULATION)},
    {ATP_OPT_TEST_SAMPLES, "test-samples", true, 1, 1e9, 1000, reads::kDescents | reader_bit(ATP_TASK_REPLICA_POTTS_SIMULATION)},
    {ATP_OPT_RUNS, "runs", true, 1, 1e6, 10, reads::kDescents},
    {ATP_OPT_START, "start", true, ATP_DOTATTN_START_SEMANTIC, ATP_DOTATTN_START_MIXED, ATP_DOTATTN_START_SEMANTIC, reads::kStarts},
    {ATP_OPT_STUDENT_RANK, "student-rank", true, 1, 2, 1, reads::kStarts},
    {ATP_OPT_POINTS, "points", true, 16, 1 << 24, 4096, reads::kLattices},
    {ATP_OPT_SHIFTS, "shifts", true, 2, 1024, 8, reads::kLattices},
    {ATP_OPT_NOISE, "noise", false, 0, 1e300, 0, reads::kSquares | reads::kConvex | reader_bit(ATP_TASK_REPLICA_SIMULATION)},
    {ATP_OPT_TEMPERATURE, "temperature", false, 0, 1e12, 0, reads::kSquares | reads::kLimit},
    {ATP_OPT_LOSS, "loss", true, ATP_REPLICA_LOSS_SQUARE, ATP_REPLICA_LOSS_LOGISTIC, ATP_REPLICA_LOSS_SQUARE, reads::kConvex},
    {ATP_OPT_DELTA, "delta", false, 1e-12, 1e12, 1, reads::kConvex},
    {ATP_OPT_REALISATIONS, "realisations", true, 1, 1e6, 30, readers(ATP_TASK_REPLICA_SIMULATION, ATP_TASK_REPLICA_POTTS_SIMULATION)},
    {ATP_OPT_SHIFT, "shift", false, 2, 1e6, 2.5, reads::kLimit},
    {ATP_OPT_RESTARTS, "restarts", true, 0, 1e6, 0, reader_bit(ATP_TASK_DOTATTN_SIMULATION)},
    {ATP_OPT_PERTURBATION, "perturbation", false, 0, 1e6, 0.3, reader_bit(ATP_TASK_DOTATTN_SIMULATION)},
    {ATP_OPT_START_SCALE, "start-scale", false, 1e-12, 1e6, 1, reads::kScales},
    {ATP_OPT_BREAKING, "breaking", true, 0, 1, 0, reader_bit(ATP_TASK_DOTATTN_CURVE)},
    {ATP_OPT_INPUTS, "inputs", true, ATP_REPLICA_INPUTS_NORMAL, ATP_REPLICA_INPUTS_CAVITY, ATP_REPLICA_INPUTS_NORMAL,
     reads::kConvex | readers(ATP_TASK_REPLICA_POTTS, ATP_TASK_REPLICA_POTTS_SIMULATION)},
    {ATP_OPT_ALPHA, "alpha", false, 0, 1e12, 0, reader_bit(ATP_TASK_DOTATTN_TRAJECTORY)},
    {ATP_OPT_START_THETA, "start-theta", false, -1, 1, 0, reads::kTimes},
    {ATP_OPT_START_M, "start-m", false, -1, 1, 0, reads::kTimes},
    {ATP_OPT_FLOW, "flow", true, 0, 1, 0, reader_bit(ATP_TASK_DOTATTN_DYNAMICS)},
    {ATP_OPT_BEST_LAMBDA, "best-lambda", true, 0, 1, 0, reads::kSquares | reads::kLimit},
    {ATP_OPT_PARAMETERS, "parameters", true, 0, kAnyCount, 0,
     reads::kSquares | reads::kConvex | reads::kLimit | reader_bit(ATP_TASK_REPLICA_POTTS)},
    {ATP_OPT_PROTOCOL, "protocol", true, ATP_PROTOCOL_EQUILIBRIUM, ATP_PROTOCOL_CHAIN, ATP_PROTOCOL_EQUILIBRIUM, reads::kRuns},
    {ATP_OPT_BURN_IN, "burn-in", true, -1, 1LL << 48, -1, reads::kRuns},
    {ATP_OPT_THIN, "thin", true, 0, 1LL << 48, 0, reads::kRuns},
};
inline constexpr int kOptionCount = static_cast<int>(sizeof kOptions / sizeof *kOptions);

// The index of a key in kOptions, or -1.
int option_index(int key);

inline bool read_by(const OptionInfo &info, int reader) { return (info.readers & reader_bit(reader)) != 0; }

class Options {
 public:
  Options() { reset(); }
  ATP_FOR_IO void reset();
  // Throws ATP_E_OPTION, ATP_E_OPTION_RANGE or ATP_E_NOT_FINITE, and then changes nothing.
  void set(int key, double value);
  void set(int key, int64_t value);
  double real(atp_option key) const;
  ATP_FOR_IO int64_t integer(atp_option key) const;
  bool flag(atp_option key) const { return integer(key) != 0; }
  // Whether the option was set since the last reset, even to its default.
  bool is_set(atp_option key) const { return set_[option_index(key)]; }
  // Throws ATP_E_CONFLICT if an option is set that the reader, an atp_option_reader or atp_task_kind, does not read.
  void check(int reader) const;

 private:
  // Integers are stored as integers: a seed may need all 63 bits.
  union Value {
    double real;
    int64_t integer;
  };
  Value values_[kOptionCount];
  bool set_[kOptionCount];
};

}  // namespace atp
