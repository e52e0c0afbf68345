// SPDX-License-Identifier: MIT
#include "commands/learn_flags.hpp"
#include "flags/validators.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cli {

namespace {

// Starts of a training: random, or wide (by way of 4 H heads).
const Words<Start> kStarts = {{"random", Start::random}, {"wide", Start::wide}};

// The default of L-BFGS: several heads need hundreds of iterations to converge, and a run that converges ends by itself.
constexpr int64_t kIterations = 2000;

// Refuses flags that the family does not have; the message names the families that do.
void check_family(const LearnFlags &flags) {
  const struct {
    std::vector<const char *> flags;
    std::vector<atp_family> families;
  } kOwners[] = {{{"--heads", "--rank", "--colors-from", "--start"}, {ATP_FAMILY_FACTORED}},
                 {{"--map"}, {ATP_FAMILY_FACTORED, ATP_FAMILY_DIAL}},
                 {{"--polish", "--maps"}, {ATP_FAMILY_FACTORED, ATP_FAMILY_ENCODER, ATP_FAMILY_DIAL}},
                 {{"--fields", "--l2-couplings", "--l2-fields", "--gaps"}, {ATP_FAMILY_FACTORED, ATP_FAMILY_DENSE}},
                 {{"--asymmetric"}, {ATP_FAMILY_DENSE}}};
  for (const auto &owner : kOwners) {
    const bool has = std::find(owner.families.begin(), owner.families.end(), flags.family) != owner.families.end();
    const std::string names =
        fmt::format("{}", fmt::join(names_of(words_of_option(ATP_OWNER_TRAINER, ATP_OPT_FAMILY, owner.families)), " or "));
    for (const char *flag : owner.flags) needs(flags.app, flag, has, "with --family " + names);
  }
  needs(flags.app, "--objective", !flags.is_dense() || flags.objective != ATP_OBJECTIVE_MLM, "with --family factored or encoder or dial");
}

constexpr int64_t kLikelihoodSteps = 1000;  // of the likelihood

constexpr atp_optimizer kAutomatic = {};

// The optimiser that --optimizer names, or the default; of the likelihood the library chooses it.
atp_optimizer optimizer_of(const LearnFlags &flags) {
  if (flags.optimizer) return *flags.optimizer;
  if (flags.is_likelihood()) return kAutomatic;
  return flags.objective == ATP_OBJECTIVE_MLM ? ATP_OPTIMIZER_SGD : ATP_OPTIMIZER_LBFGS;
}

// Chains and target of the likelihood.
void set_chains(const LearnFlags &flags, atp_options *options) {
  for (const char *flag : {"--sweeps", "--target", "--start-model", "--start-chains", "--chains-out", "--sparsify", "--reintegrate"})
    needs(flags.app, flag, flags.is_likelihood(), "with --objective likelihood");
  needs(flags.app, "--sparsify", flags.is_dense(), "with --family dense");
  needs(flags.app, "--density", flags.sparsify.value_or(ATP_SPARSIFY_NONE) != ATP_SPARSIFY_NONE, "with --sparsify activate or decimate");
  for (const char *flag : {"--adjustments", "--reintegrate-strength"})
    needs(flags.app, flag, !flags.reintegrate.empty(), "with --reintegrate");
  needs(flags.app, "--start-model", flags.is_dense() || flags.family == ATP_FAMILY_FACTORED, "with --family factored or dense");
  if (!flags.is_likelihood()) return;
  if (!flags.training.epochs) check(atp_options_set_i64(options, ATP_OPT_EPOCHS, kLikelihoodSteps));
  set_if_given(options, ATP_OPT_SWEEPS, flags.sweeps);
  set_if_given(options, ATP_OPT_TARGET, flags.target);
  if (flags.sparsify) check(atp_options_set_i64(options, ATP_OPT_SPARSIFY, *flags.sparsify));
  set_if_given(options, ATP_OPT_DENSITY, flags.density);
}

void check_optimizer(const CLI::App *app, atp_optimizer optimizer) {
  const bool lbfgs = optimizer == ATP_OPTIMIZER_LBFGS;
  needs(app, "--rate", !lbfgs, "with --optimizer sgd or adam");
  needs(app, "--batch", !lbfgs, "with --optimizer sgd or adam");
}

void set_optimizer(const LearnFlags &flags, atp_optimizer optimizer, atp_options *options) {
  check(atp_options_set_i64(options, ATP_OPT_OPTIMIZER, optimizer));
  set_if_given(options, ATP_OPT_RATE, flags.rate);
  set_if_given(options, ATP_OPT_BATCH, flags.batch);
}

// Refuses flags of factored attention that another flag rules out.
void check_factored(const Settings &settings, const LearnFlags &flags, atp_map map, atp_objective objective, atp_optimizer optimizer) {
  const CLI::App *app = flags.app;
  const bool lbfgs = optimizer == ATP_OPTIMIZER_LBFGS;
  settings.needs(ATP_OPT_L2_SCALE, false, "with --family dense");
  if (lbfgs && objective == ATP_OBJECTIVE_MLM) wrong_use("--optimizer is \"lbfgs\" with --objective mlm, expected sgd or adam");
  needs(app, "--rank", map == ATP_MAP_LOWRANK, "with --map lowrank");
  check_optimizer(app, optimizer);
  needs(app, "--l2-fields", flags.fields, "with --fields");
  settings.needs(ATP_OPT_NORM_FIELDS, flags.fields, "with --fields");
  settings.needs(ATP_OPT_L2_PAIRS, !flags.training.selection.couplings, "without --l2-couplings auto");
  settings.needs(ATP_OPT_L2_COLORS, flags.colors_from.empty(), "without --colors-from");
  settings.needs(ATP_OPT_DIAGONAL, map != ATP_MAP_FREE, "with --map softmax or lowrank");
  settings.needs(ATP_OPT_SCORES_SCALED, map == ATP_MAP_LOWRANK, "with --map lowrank");
  check_init_scale(settings, map, !flags.colors_from.empty());
}

// The start that --start names, or the default.
Start choose_start(const Settings &settings, const LearnFlags &flags, atp_map map, bool lbfgs, const atp_options *options) {
  int64_t heads = 1;
  check(atp_options_get_i64(options, ATP_OPT_HEADS, &heads));
  const bool own_terms = settings.value(ATP_OPT_SYMMETRIZED).value_or(0) == 0 && settings.value(ATP_OPT_VALUES_SHARED).value_or(0) == 0;
  const bool bilinear = map == ATP_MAP_FREE && flags.colors_from.empty() && own_terms;
  const Start start = flags.start.value_or(lbfgs && bilinear && heads < kWideBelow ? Start::wide : Start::random);
  if (start == Start::wide && !bilinear)
    wrong_use("--start is \"wide\", expected random with --map {} or --colors-from, --set symmetrized=1 or values-shared=1",
              atp_option_word(ATP_OWNER_TRAINER, ATP_OPT_MAP, map));
  if (start == Start::wide && heads == kMostHeads) wrong_use("--start is \"wide\", expected random with {} heads", heads);
  return start;
}

Choice factored_options(const Session &session, const LearnFlags &flags) {
  const atp_map map = flags.map.value_or(ATP_MAP_FREE);
  const atp_objective objective = flags.objective.value_or(ATP_OBJECTIVE_PSEUDOLIKELIHOOD);
  const atp_optimizer optimizer = optimizer_of(flags);
  check_factored(session.settings, flags, map, objective, optimizer);
  Choice choice;
  choice.lbfgs = optimizer == ATP_OPTIMIZER_LBFGS;
  needs(flags.app, "--polish", !choice.lbfgs, "with --optimizer sgd or adam");
  choice.options = options_of(session, ATP_OWNER_TRAINER);
  atp_options *o = choice.options.get();
  check(atp_options_set_i64(o, ATP_OPT_MAP, map));
  check(atp_options_set_i64(o, ATP_OPT_OBJECTIVE, objective));
  set_optimizer(flags, optimizer, o);
  check(atp_options_set_i64(o, ATP_OPT_FIELDS, flags.fields ? 1 : 0));
  check(atp_options_set_i64(o, ATP_OPT_COLORS_FIXED, flags.colors_from.empty() ? 0 : 1));
  set_gaps(flags.training, o);
  set_if_given(o, ATP_OPT_HEADS, flags.heads);
  set_if_given(o, ATP_OPT_RANK, flags.rank);
  set_common_options(flags.training, o);
  if (choice.lbfgs && !flags.training.epochs) check(atp_options_set_i64(o, ATP_OPT_EPOCHS, kIterations));
  choice.start = choose_start(session.settings, flags, map, choice.lbfgs, o);
  return choice;
}

}  // namespace

namespace {

// The encoder and the layer with a dial: SGD on masked tokens, if nothing else is asked for.
Choice network_options(const Session &session, const LearnFlags &flags) {
  const double dial = session.settings.value_in(ATP_OWNER_TRAINER, ATP_OPT_DIAL);
  const bool is_dial = flags.family == ATP_FAMILY_DIAL;
  needs(flags.app, "--map", dial == 0, "with --set dial=0");
  if (is_dial && flags.map == ATP_MAP_FREE) check_init_scale(session.settings, ATP_MAP_FREE, false);
  const bool pseudo = flags.objective == ATP_OBJECTIVE_PSEUDOLIKELIHOOD;
  const atp_optimizer optimizer = flags.optimizer.value_or(ATP_OPTIMIZER_SGD);
  check_optimizer(flags.app, optimizer);
  Choice choice;
  choice.lbfgs = optimizer == ATP_OPTIMIZER_LBFGS;
  choice.has_model = is_dial && dial == 0;
  if (choice.lbfgs && !pseudo) wrong_use("--optimizer is \"lbfgs\", expected it with --objective pseudolikelihood");
  needs(flags.app, "--polish", !choice.lbfgs, "with --optimizer sgd or adam");
  needs(flags.app, "--output", choice.has_model, "with a family that has couplings: factored, dense, or dial with dial 0");
  choice.options = options_of(session, ATP_OWNER_TRAINER);
  atp_options *o = choice.options.get();
  check(atp_options_set_i64(o, ATP_OPT_FAMILY, flags.family));
  if (flags.map) check(atp_options_set_i64(o, ATP_OPT_MAP, *flags.map));
  if (flags.objective) check(atp_options_set_i64(o, ATP_OPT_OBJECTIVE, *flags.objective));
  set_optimizer(flags, optimizer, o);
  set_common_options(flags.training, o);
  return choice;
}

}  // namespace

namespace {

// The value of ATP_OPT_ORDER that --order names; 0: it names a file.
int64_t order_word(const std::string &text) {
  for (const auto &[word, order] : words_of_option<atp_order>(ATP_OWNER_TRAINER, ATP_OPT_ORDER))
    if (word == text) return order;
  return 0;
}

Choice options_of_family(const Session &session, const LearnFlags &flags) {
  if (flags.is_network()) return network_options(session, flags);
  if (flags.output.empty()) wrong_use("--output is missing, expected the name of an HDF5 file, for example model.h5");
  if (!flags.is_dense()) return factored_options(session, flags);
  const atp_optimizer optimizer = optimizer_of(flags);
  check_optimizer(flags.app, optimizer);
  needs(flags.app, "--asymmetric", optimizer == ATP_OPTIMIZER_LBFGS, "with --optimizer lbfgs");
  Choice choice;
  choice.lbfgs = optimizer == ATP_OPTIMIZER_LBFGS;
  choice.options = dense_options(session, flags.training);
  set_optimizer(flags, optimizer, choice.options.get());
  if (flags.objective) check(atp_options_set_i64(choice.options.get(), ATP_OPT_OBJECTIVE, *flags.objective));
  return choice;
}

}  // namespace

Choice make_options(const Session &session, const LearnFlags &flags) {
  check_family(flags);
  needs(flags.app, "--order", flags.objective == ATP_OBJECTIVE_AUTOREGRESSIVE, "with --objective autoregressive");
  Choice choice = options_of_family(session, flags);
  set_chains(flags, choice.options.get());
  if (const int64_t order = order_word(flags.order); order != 0) check(atp_options_set_i64(choice.options.get(), ATP_OPT_ORDER, order));
  return choice;
}

std::vector<int64_t> read_order(const Session &session, const LearnFlags &flags, const atp_alignment *data) {
  if (flags.order.empty() || order_word(flags.order) != 0) return {};
  const std::map<int64_t, int64_t> sites = sites_by_number(data);
  std::vector<int64_t> order;
  for (const double number : read_numbers(session, "--order", flags.order)) {
    const auto site = sites.find(static_cast<int64_t>(number));
    if (site == sites.end() || static_cast<double>(site->first) != number)
      wrong_use("--order {} has site {:g}, which DATA does not have, expected site numbers within {}..{}", flags.order, number,
                sites.begin()->first, sites.rbegin()->first);
    order.push_back(site->second);
  }
  if (order.size() != sites.size())
    wrong_use("--order {} has {} sites, expected each of the {} sites of DATA once", flags.order, order.size(), sites.size());
  return order;
}

void add_model_flags(CLI::App *app, LearnFlags &flags) {
  add_choice(app, "--family", flags.family, words_of_option<atp_family>(ATP_OWNER_TRAINER, ATP_OPT_FAMILY),
             "model to learn: factored (factored attention), dense (couplings of every pair of sites, and fields), encoder (transformer "
             "encoder), or dial (an attention layer between factored, --set dial=0, and plain, dial=1)")
      ->type_name("WHAT");
  add_or_auto(app, "--heads", flags.heads, flags.training.selection.heads, ATP_OPT_HEADS,
              "number of attention heads of --family factored; default 1; auto: chosen by the data, 1 to 16")
      ->type_name("H");
  add_choice(app, "--map", flags.map, words_of_option<atp_map>(ATP_OWNER_TRAINER, ATP_OPT_MAP),
             "attention map of --family factored: free (default), softmax or lowrank; of a dial at 0 "
             "lowrank (default)")
      ->type_name("WHAT");
  add_option_of(app, "--rank", flags.rank, ATP_OWNER_TRAINER, ATP_OPT_RANK)->type_name("R");
  app->add_flag("--fields", flags.fields, "learn fields b_i(a) as well; dense couplings always have them");
  app->add_option("--colors-from", flags.colors_from, "fix the value matrices V to those of this model")
      ->check(input_file())
      ->type_name("MODEL");
}

void add_optimizer_flags(CLI::App *app, LearnFlags &flags) {
  add_choice(app, "--objective", flags.objective, words_of_option<atp_objective>(ATP_OWNER_TRAINER, ATP_OPT_OBJECTIVE),
             "pseudolikelihood (every site masked in turn; default), mlm (one random masked site per sequence and epoch), or "
             "autoregressive (every site from those before it in --order; factored and dense), or likelihood (Boltzmann learning: a model "
             "whose samples have the statistics of the family; factored and dense)")
      ->type_name("WHAT");
  app->add_option("--order", flags.order,
                  "order of the sites with --objective autoregressive: entropy (lowest first; default), entropy-descending, natural, or a "
                  "file with the numbers of all sites")
      ->check(input_file(names_of(words_of_option<atp_order>(ATP_OWNER_TRAINER, ATP_OPT_ORDER))))
      ->type_name("WHAT");
  add_option_of(app, "--sweeps", flags.sweeps, ATP_OWNER_TRAINER, ATP_OPT_SWEEPS)->type_name("N");
  add_option_of(app, "--target", flags.target, ATP_OWNER_TRAINER, ATP_OPT_TARGET)->type_name("X");
  add_choice(app, "--sparsify", flags.sparsify, words_of_option<atp_sparsify>(ATP_OWNER_TRAINER, ATP_OPT_SPARSIFY),
             "couplings J_ij(a, b) of --objective likelihood: none (all; default), activate (those where the likelihood gains most, until "
             "the target is reached), or decimate (those where it loses least are removed, down to --density)")
      ->type_name("WHAT");
  add_option_of(app, "--density", flags.density, ATP_OWNER_TRAINER, ATP_OPT_DENSITY)->type_name("X");
  app->add_option("--reintegrate", flags.reintegrate,
                  "tested sequences that --objective likelihood adds to the family, with --adjustments; in the columns of DATA")
      ->check(input_file())
      ->type_name("DATA");
  app->add_option("--adjustments", flags.adjustments,
                  "file with a number for each tested sequence: above 0 where it works, below 0 where it does not; default: all 1")
      ->check(input_file())
      ->type_name("FILE");
  app->add_option(
         "--reintegrate-strength", flags.reintegrate_strength,
         "weight of the tested sequences against the family: their adjustments times this, on average; default: 1 / max |adjustment|")
      ->check(number(0, 1e12))
      ->type_name("X");
  app->add_option("--start-model", flags.start_model,
                  "start of --objective likelihood: independent (sites; default), mean-field (couplings), or a model, for example of "
                  "pseudo-likelihood or an autoregressive one; of factored attention the closest that its heads can represent")
      ->check(input_file({kIndependentStart, kMeanFieldStart}))
      ->type_name("MODEL");
  app->add_option(
         "--start-chains", flags.start_chains,
         "start of the chains of --objective likelihood: these sequences, for example the chains of another run or of adabmDCA, in "
         "their order; default: training sequences")
      ->check(input_file())
      ->type_name("DATA");
  app->add_option("--chains-out", flags.chains_out, "write the chains of the last step of --objective likelihood, as sequences")
      ->check(output_file())
      ->type_name("FILE");
  add_choice(app, "--optimizer", flags.optimizer, words_of_option<atp_optimizer>(ATP_OWNER_TRAINER, ATP_OPT_OPTIMIZER),
             "lbfgs (default), sgd (default with --objective mlm), adam, or with --objective likelihood scaled (its default)")
      ->type_name("WHAT");
  add_option_of(app, "--rate", flags.rate, ATP_OWNER_TRAINER, ATP_OPT_RATE)->type_name("X");
  add_option_of(app, "--batch", flags.batch, ATP_OWNER_TRAINER, ATP_OPT_BATCH)->type_name("N");
  app->add_option("--polish", flags.polish, "after sgd or adam, at most N iterations of lbfgs on all sites; 0: none")
      ->transform(count(0))
      ->capture_default_str()
      ->type_name("N");
  add_choice(
      app, "--start", flags.start, kStarts,
      "start of training: random, or wide (train 4 H heads first, which avoids local minima; default with lbfgs, free maps and H < 4)")
      ->type_name("WHAT");
}

}  // namespace cli
