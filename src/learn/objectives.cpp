// SPDX-License-Identifier: MIT
#include "learn/objectives.hpp"

#include <algorithm>
#include <iterator>

namespace atp {

namespace {

constexpr TrainingDefaults kExact = {};                                               // L-BFGS on all sites
constexpr TrainingDefaults kExactDense = {ATP_OPTIMIZER_LBFGS, false, 0.5, 0.01, 5};  // a shorter history: it is most of the memory
constexpr TrainingDefaults kStochastic = {ATP_OPTIMIZER_SGD, true, 0.1, 0.001, 8};    // masked tokens, as [R24] trains networks

// Options of optimisers and batches: all objectives read them.
constexpr OptionKeys kCommon = {{ATP_OPT_FAMILY, ATP_OPT_OPTIMIZER, ATP_OPT_RATE, ATP_OPT_BATCH, ATP_OPT_EPOCHS, ATP_OPT_TOLERANCE,
                                 ATP_OPT_HISTORY, ATP_OPT_PRECISION, ATP_OPT_MOMENTUM, ATP_OPT_SCHEDULE}};
constexpr OptionKeys kFactoredReads = {{ATP_OPT_HEADS, ATP_OPT_MAP, ATP_OPT_RANK, ATP_OPT_FIELDS, ATP_OPT_COLORS_FIXED, ATP_OPT_OBJECTIVE,
                                        ATP_OPT_MASK_PROBABILITY, ATP_OPT_L2_COUPLINGS, ATP_OPT_L2_COLORS, ATP_OPT_L2_FIELDS,
                                        ATP_OPT_L2_PAIRS, ATP_OPT_NORM_PAIRS, ATP_OPT_NORM_FIELDS, ATP_OPT_INIT_SCALE, ATP_OPT_INITIAL,
                                        ATP_OPT_GAPS, ATP_OPT_DIAGONAL, ATP_OPT_SCORES_SCALED, ATP_OPT_SYMMETRIZED}};
constexpr OptionKeys kDenseReads = {
    {ATP_OPT_ASYMMETRIC, ATP_OPT_GAPS, ATP_OPT_L2_COUPLINGS, ATP_OPT_L2_FIELDS, ATP_OPT_L2_SCALE, ATP_OPT_FIELDS}};
constexpr OptionKeys kDenseRefuses = {{ATP_OPT_HEADS, ATP_OPT_MAP, ATP_OPT_COLORS_FIXED, ATP_OPT_OBJECTIVE}};

constexpr ObjectiveRow kRows[] = {
    {"factored",
     ATP_FAMILY_FACTORED,
     false,
     kHasColorMatrices | kHasMaskedLosses | kHasWideStart,
     kExact,
     kFactoredReads,
     {{ATP_OPT_ASYMMETRIC}},
     false,
     make_factored},
    {"dense", ATP_FAMILY_DENSE, false, kHasReduction | kHasPairLists, kExactDense, kDenseReads, kDenseRefuses, false, make_dense},
    {"dense", ATP_FAMILY_DENSE, true, kHasPairLists, kExact, kDenseReads, kDenseRefuses, false, make_dense_sites},
    {"encoder",
     ATP_FAMILY_ENCODER,
     false,
     kHasMaskedLosses | kHasNetwork,
     kStochastic,
     {{ATP_OPT_OBJECTIVE, ATP_OPT_INIT_SCALE, ATP_OPT_BLOCKS, ATP_OPT_WIDTH, ATP_OPT_HIDDEN, ATP_OPT_POSITIONS}},
     {},
     true,
     make_encoder},
    {"dial",
     ATP_FAMILY_DIAL,
     false,
     kHasMaskedLosses | kHasNetwork,
     kStochastic,
     {{ATP_OPT_OBJECTIVE, ATP_OPT_INIT_SCALE, ATP_OPT_MAP, ATP_OPT_WIDTH, ATP_OPT_DIAL}},
     {},
     true,
     make_dial},
};

struct CapabilityText {
  Capability bit;
  const char *text;
};
constexpr CapabilityText kTexts[] = {
    {kHasColorMatrices, "there is no V to set"},
    {kHasMaskedLosses, "there are no losses of single masked sites"},
    {kHasWideStart, "there is no start from more heads"},
    {kHasReduction, "training data in several processes need symmetric dense couplings by lbfgs; for the others see ranks.h"},
    {kHasPairLists, "only dense couplings (family dense) can have a list of pairs"},
    {kHasNetwork, "only networks (family encoder or dial) have attention maps and conditionals"},
};

}  // namespace

bool OptionKeys::has(int key) const { return std::find(std::begin(keys), std::end(keys), key) != std::end(keys); }

bool reads_option(const ObjectiveRow &row, int key) { return kCommon.has(key) || row.reads.has(key); }

bool says_nothing(int key, double value) {
  return (key == ATP_OPT_OBJECTIVE && value == double{ATP_OBJECTIVE_PSEUDOLIKELIHOOD}) ||
         (key == ATP_OPT_MAP && value == double{ATP_MAP_FREE});
}

const ObjectiveRow &objective_row(const Options &options) {
  const int64_t family = options.integer(ATP_OPT_FAMILY);
  const bool sites = family == ATP_FAMILY_DENSE && options.flag(ATP_OPT_ASYMMETRIC);
  for (const ObjectiveRow &row : kRows)
    if (row.family == family && row.site_by_site == sites) return row;
  fail(ATP_E_INTERNAL, "family %lld has no objective", static_cast<long long>(family));
}

void require_capability(const ObjectiveRow &row, Capability capability) {
  if ((row.capabilities & capability) != 0) return;
  for (const CapabilityText &known : kTexts)
    if (known.bit == capability) fail(ATP_E_UNSUPPORTED, "family is %s: %s", row.name, known.text);
}

void warn_of_unused(const Context &context, const ObjectiveRow &row, const Options &options) {
  const int64_t optimizer = options.integer(ATP_OPT_OPTIMIZER);
  const bool lbfgs = (optimizer == 0 ? int64_t{row.defaults.optimizer} : optimizer) == ATP_OPTIMIZER_LBFGS;
  const bool lowrank = options.integer(ATP_OPT_MAP) == ATP_MAP_LOWRANK;
  for (int k = 0; k < options.table().count; ++k) {
    const OptionInfo &info = options.table().rows[k];
    const bool training = info.key >= ATP_OPT_HEADS && info.key < ATP_OPT_FOLDS;
    if (!training || options.real(info.key) == info.initial) continue;
    const bool stochastic = info.key == ATP_OPT_RATE || info.key == ATP_OPT_BATCH || info.key == ATP_OPT_SCHEDULE;
    const char *why = nullptr;
    if (!reads_option(row, info.key) && !says_nothing(info.key, options.real(info.key))) why = "another family reads it";
    if (stochastic && lbfgs) why = "optimizer is lbfgs, which uses all sequences and searches its step";
    if (info.key == ATP_OPT_HISTORY && !lbfgs) why = "only lbfgs has a history";
    if (info.key == ATP_OPT_RANK && row.reads.has(ATP_OPT_RANK) && !lowrank) why = "it belongs to maps of low rank";
    if (why != nullptr)
      context.message(ATP_LOG_WARNING, "option %s is %g and has no effect: %s (family is %s)", info.name, options.real(info.key), why,
                      row.name);
  }
}

}  // namespace atp
