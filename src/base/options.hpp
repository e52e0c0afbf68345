// SPDX-License-Identifier: MIT
// The table of options, and a set of their values.
#pragma once

#include "base/for_io.hpp"

#include <attopotts/dotattn.h>
#include <attopotts/dotattn_simulate.h>
#include <attopotts/options.h>
#include <attopotts/replica.h>

#include <cstddef>
#include <cstdint>

namespace atp {

struct OptionInfo {
  atp_option key;
  const char *name;
  bool integer;
  double lowest, highest, initial;
};

inline constexpr double kAnyCount = 9.007199254740992e15;  // 2^53: a double holds every integer below exactly

inline constexpr OptionInfo kOptions[] = {
    {ATP_OPT_SEED, "seed", true, 0, 9223372036854774784.0, 1},
    {ATP_OPT_CHAINS, "chains", true, 1, 1 << 24, 16},
    {ATP_OPT_BETA, "beta", false, 0, 1e6, 0},
    {ATP_OPT_TEMPERATURES, "temperatures", true, 1, 1024, 1},
    {ATP_OPT_BETA_HOT, "beta-hot", false, 0, 1e6, 0},
    {ATP_OPT_SWAP_INTERVAL, "swap-interval", true, 1, 1e9, 1},
    {ATP_OPT_FIRST_CHAIN, "first-chain", true, 0, 1LL << 31, 0},
    {ATP_OPT_HEADS, "heads", true, 1, 1024, 1},
    {ATP_OPT_MAP, "map", true, ATP_MAP_FREE, ATP_MAP_LOWRANK, ATP_MAP_FREE},
    {ATP_OPT_RANK, "rank", true, 1, 4096, 16},
    {ATP_OPT_FIELDS, "fields", true, 0, 1, 0},
    {ATP_OPT_COLORS_FIXED, "colors-fixed", true, 0, 1, 0},
    {ATP_OPT_OBJECTIVE, "objective", true, ATP_OBJECTIVE_PSEUDOLIKELIHOOD, ATP_OBJECTIVE_MLM, ATP_OBJECTIVE_PSEUDOLIKELIHOOD},
    {ATP_OPT_OPTIMIZER, "optimizer", true, ATP_OPTIMIZER_LBFGS, ATP_OPTIMIZER_ADAM, ATP_OPTIMIZER_LBFGS},
    {ATP_OPT_RATE, "rate", false, 0, 1e6, 0},
    {ATP_OPT_BATCH, "batch", true, 1, kAnyCount, 100},
    {ATP_OPT_EPOCHS, "epochs", true, 1, 1e9, 200},
    {ATP_OPT_TOLERANCE, "tolerance", false, -1, 1, -1},
    {ATP_OPT_L2_COUPLINGS, "l2-couplings", false, -1, 1e12, -1},
    {ATP_OPT_L2_COLORS, "l2-colors", false, 0, 1e12, 0},
    {ATP_OPT_L2_FIELDS, "l2-fields", false, -1, 1e12, -1},
    {ATP_OPT_HISTORY, "history", true, 0, 100, 0},
    {ATP_OPT_PRECISION, "precision", true, 32, 64, 32},
    {ATP_OPT_MOMENTUM, "momentum", false, 0, 0.9999, 0},
    {ATP_OPT_INIT_SCALE, "init-scale", false, 0, 1e3, 0.1},
    {ATP_OPT_FAMILY, "family", true, ATP_FAMILY_FACTORED, ATP_FAMILY_DENSE, ATP_FAMILY_FACTORED},
    {ATP_OPT_ASYMMETRIC, "asymmetric", true, 0, 1, 0},
    {ATP_OPT_GAPS, "gaps", true, ATP_GAPS_STATE, ATP_GAPS_IGNORE, ATP_GAPS_STATE},
    {ATP_OPT_L2_SCALE, "l2-scale", true, ATP_L2_ABSOLUTE, ATP_L2_WEIGHT, ATP_L2_ABSOLUTE},
    {ATP_OPT_MASK_PROBABILITY, "mask-probability", false, 0, 1, 0},
    {ATP_OPT_DIAGONAL, "diagonal", true, ATP_DIAGONAL_BEFORE, ATP_DIAGONAL_AFTER, ATP_DIAGONAL_BEFORE},
    {ATP_OPT_SCORES_SCALED, "scores-scaled", true, 0, 1, 1},
    {ATP_OPT_SYMMETRIZED, "symmetrized", true, 0, 1, 0},
    {ATP_OPT_L2_PAIRS, "l2-pairs", false, 0, 1e12, 0},
    {ATP_OPT_NORM_PAIRS, "norm-pairs", false, 0, 1e12, 0},
    {ATP_OPT_NORM_FIELDS, "norm-fields", false, 0, 1e12, 0},
    {ATP_OPT_INITIAL, "initial", true, ATP_INITIAL_NORMAL, ATP_INITIAL_XAVIER, ATP_INITIAL_NORMAL},
    {ATP_OPT_SCHEDULE, "schedule", true, ATP_SCHEDULE_COSINE, ATP_SCHEDULE_CONSTANT, ATP_SCHEDULE_COSINE},
    {ATP_OPT_ARCHITECTURE, "architecture", true, ATP_ARCHITECTURE_ENCODER, ATP_ARCHITECTURE_DIAL, ATP_ARCHITECTURE_ENCODER},
    {ATP_OPT_BLOCKS, "blocks", true, 1, 16, 1},
    {ATP_OPT_WIDTH, "width", true, 1, 4096, 20},
    {ATP_OPT_HIDDEN, "hidden", true, 0, 65536, 0},
    {ATP_OPT_POSITIONS, "positions", true, ATP_POSITIONS_NONE, ATP_POSITIONS_SINUSOIDAL, ATP_POSITIONS_SINUSOIDAL},
    {ATP_OPT_DIAL, "dial", false, 0, 1, 0},
    {ATP_OPT_FOLDS, "folds", true, 2, 1000, 4},
    {ATP_OPT_FOLD_DISTANCE, "fold-distance", false, 0, 1, 0.2},
    {ATP_OPT_SELECT, "select", true, ATP_SELECT_COUPLINGS, ATP_SELECT_HEADS, ATP_SELECT_COUPLINGS},
    {ATP_OPT_SELECT_FIELDS, "select-fields", true, 0, 1, 1},
    {ATP_OPT_SELECTION_RULE, "selection-rule", true, ATP_SELECTION_MINIMUM, ATP_SELECTION_ONE_ERROR, ATP_SELECTION_ONE_ERROR},
    {ATP_OPT_STRENGTHS, "strengths", true, 1, 100, 7},
    {ATP_OPT_STRENGTH_RATIO, "strength-ratio", false, 1.01, 1e6, 5},
    {ATP_OPT_STRONGEST, "strongest", false, 0, 1e12, 0},
    {ATP_OPT_CRITERION, "criterion", true, ATP_CRITERION_PSEUDOLIKELIHOOD, ATP_CRITERION_SUBSTITUTIONS, ATP_CRITERION_PSEUDOLIKELIHOOD},
    {ATP_OPT_UNKNOWN, "unknown", true, ATP_UNKNOWN_GAP, ATP_UNKNOWN_ERROR, ATP_UNKNOWN_GAP},
    {ATP_OPT_COLORS, "colors", true, 0, 255, 0},
    {ATP_OPT_FORMAT, "format", true, ATP_FORMAT_AUTO, ATP_FORMAT_NAMED, ATP_FORMAT_AUTO},
    {ATP_OPT_MAX_GAPS_SEQUENCE, "max-gaps-sequence", false, 0, 1, 1},
    {ATP_OPT_MAX_GAPS_COLUMN, "max-gaps-column", false, 0, 1, 1},
    {ATP_OPT_REMOVE_DUPLICATES, "remove-duplicates", true, 0, 1, 0},
    {ATP_OPT_MAX_UNPACKED, "max-unpacked", true, 0, kAnyCount, 0},
    {ATP_OPT_PSEUDOCOUNT, "pseudocount", false, -1, 1, -1},
    {ATP_OPT_OMEGA, "omega", false, 0, 1, 0.3},
    {ATP_OPT_SIGMA, "sigma", false, 1e-12, 1e6, 0.5},
    {ATP_OPT_LAMBDA, "lambda", false, -1, 1e12, -1},
    {ATP_OPT_BRANCH, "branch", true, ATP_DOTATTN_SEMANTIC, ATP_DOTATTN_UNINFORMED, ATP_DOTATTN_SEMANTIC},
    {ATP_OPT_ACCURACY, "accuracy", false, 1e-7, 1, 1e-3},
    {ATP_OPT_MAX_ITER, "max-iter", true, 0, 1e9, 0},
    {ATP_OPT_DIMENSION, "dimension", true, 2, 1e6, 1000},
    {ATP_OPT_STEPS, "steps", true, 1, 1e9, 10000},
    {ATP_OPT_TEST_SAMPLES, "test-samples", true, 1, 1e9, 1000},
    {ATP_OPT_RUNS, "runs", true, 1, 1e6, 10},
    {ATP_OPT_START, "start", true, ATP_DOTATTN_START_SEMANTIC, ATP_DOTATTN_START_MIXED, ATP_DOTATTN_START_SEMANTIC},
    {ATP_OPT_STUDENT_RANK, "student-rank", true, 1, 2, 1},
    {ATP_OPT_POINTS, "points", true, 16, 1 << 24, 4096},
    {ATP_OPT_SHIFTS, "shifts", true, 2, 1024, 8},
    {ATP_OPT_NOISE, "noise", false, 0, 1e300, 0},
    {ATP_OPT_TEMPERATURE, "temperature", false, 0, 1e12, 0},
    {ATP_OPT_LOSS, "loss", true, ATP_REPLICA_LOSS_SQUARE, ATP_REPLICA_LOSS_LOGISTIC, ATP_REPLICA_LOSS_SQUARE},
    {ATP_OPT_DELTA, "delta", false, 1e-12, 1e12, 1},
    {ATP_OPT_REALISATIONS, "realisations", true, 1, 1e6, 30},
    {ATP_OPT_SHIFT, "shift", false, 2, 1e6, 2.5},
    {ATP_OPT_RESTARTS, "restarts", true, 0, 1e6, 0},
    {ATP_OPT_PERTURBATION, "perturbation", false, 0, 1e6, 0.3},
    {ATP_OPT_START_SCALE, "start-scale", false, 1e-12, 1e6, 1},
    {ATP_OPT_BREAKING, "breaking", true, 0, 1, 0},
    {ATP_OPT_INPUTS, "inputs", true, ATP_REPLICA_INPUTS_NORMAL, ATP_REPLICA_INPUTS_CAVITY, ATP_REPLICA_INPUTS_NORMAL},
    {ATP_OPT_ALPHA, "alpha", false, 0, 1e12, 0},
    {ATP_OPT_START_THETA, "start-theta", false, -1, 1, 0},
    {ATP_OPT_START_M, "start-m", false, -1, 1, 0},
    {ATP_OPT_FLOW, "flow", true, 0, 1, 0},
    {ATP_OPT_PROTOCOL, "protocol", true, ATP_PROTOCOL_EQUILIBRIUM, ATP_PROTOCOL_CHAIN, ATP_PROTOCOL_EQUILIBRIUM},
    {ATP_OPT_BURN_IN, "burn-in", true, -1, 1LL << 48, -1},
    {ATP_OPT_THIN, "thin", true, 0, 1LL << 48, 0},
};
inline constexpr int kOptionCount = static_cast<int>(sizeof kOptions / sizeof *kOptions);

// The index of a key in kOptions, or -1.
int option_index(int key);

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
