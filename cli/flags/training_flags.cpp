// SPDX-License-Identifier: MIT
#include "flags/training_flags.hpp"

#include "flags/validators.hpp"

namespace cli {

void TrainingFlags::add(CLI::App *app) {
  static const Words<int64_t> precisions = {{"32", 32}, {"64", 64}};
  static const Words<atp_gaps> both = {{"state", ATP_GAPS_STATE}, {"ignore", ATP_GAPS_IGNORE}};
  app->add_option("--epochs", epochs,
                  "number of passes over the data, or largest number of L-BFGS iterations; default 200, for learn of factored attention "
                  "with lbfgs 2000")
      ->transform(value_of(ATP_OWNER_TRAINER, ATP_OPT_EPOCHS))
      ->type_name("N");
  app->add_option("--tolerance", tolerance,
                  "converged when |gradient| <= X max(1, |parameters|); default 1e-5, for dense couplings times N_eff sqrt(L)")
      ->transform(value_of(ATP_OWNER_TRAINER, ATP_OPT_TOLERANCE, 0))
      ->type_name("X");
  add_choice(app, "--precision", precision, precisions, "bits of a number in training: 32 (default) or 64")->type_name("BITS");
  add_or_auto(app, "--l2-couplings", l2_couplings, selection.couplings, ATP_OPT_L2_COUPLINGS,
              "penalty on dense couplings (default 0.2 (L - 1)) or on attention maps (default 0); auto: chosen by the data (of factored "
              "attention the option l2-pairs)")
      ->type_name("X");
  add_or_auto(app, "--l2-fields", l2_fields, selection.fields, ATP_OPT_L2_FIELDS,
              "penalty on the fields; default 0.01 with dense couplings, else 0; auto: chosen by the data")
      ->type_name("X");
  app->add_flag("--asymmetric", asymmetric,
                "dense couplings only: solve one problem per site, then average the couplings; needs less memory");
  add_choice(app, "--gaps", gaps, both, "gaps are a colour like the others (state; default) or missing data (ignore)")->type_name("WHAT");
  selection.add(app);
}

void set_if_given(atp_options *options, atp_option key, std::optional<int64_t> value) {
  if (value) check(atp_options_set_i64(options, key, *value));
}

void set_if_given(atp_options *options, atp_option key, std::optional<double> value) {
  if (value) check(atp_options_set_f64(options, key, *value));
}

void set_common_options(const TrainingFlags &flags, atp_options *options) {
  set_if_given(options, ATP_OPT_EPOCHS, flags.epochs);
  set_if_given(options, ATP_OPT_PRECISION, flags.precision);
  set_if_given(options, ATP_OPT_TOLERANCE, flags.tolerance);
  set_if_given(options, ATP_OPT_L2_COUPLINGS, flags.l2_couplings);
  set_if_given(options, ATP_OPT_L2_FIELDS, flags.l2_fields);
}

void set_gaps(const TrainingFlags &flags, atp_options *options) {
  if (flags.gaps) check(atp_options_set_i64(options, ATP_OPT_GAPS, *flags.gaps));
}

Options dense_options(const Session &session, const TrainingFlags &flags) {
  Options options = options_of(session, ATP_OWNER_TRAINER);
  atp_options *o = options.get();
  check(atp_options_set_i64(o, ATP_OPT_FAMILY, ATP_FAMILY_DENSE));
  check(atp_options_set_i64(o, ATP_OPT_ASYMMETRIC, flags.asymmetric ? 1 : 0));
  set_gaps(flags, o);
  session.settings.needs(ATP_OPT_L2_SCALE, flags.l2_couplings || flags.l2_fields || flags.selection.wanted(),
                         "with --l2-couplings or --l2-fields: automatic penalties are absolute");
  set_common_options(flags, o);
  return options;
}

std::string training_ways_out(atp_outcome outcome, const TrainingFlags &flags, bool stochastic) {
  const std::string exact = flags.precision == 64 ? "" : "train with --precision 64 or ";
  return ways_out(atp_outcome_name(outcome),
                  {{ATP_OUTCOME_MAX_ITER, "raise --epochs or loosen --tolerance"},
                   {ATP_OUTCOME_STALLED, exact + "loosen --tolerance: no further descent was possible with these numbers"},
                   {ATP_OUTCOME_DIVERGED, stochastic ? "lower --rate" : exact + "raise the penalties"}});
}

Options copy_options(const Session &session, const atp_options *options, int owner) {
  const int from = atp_options_owner(options);
  Options copy;
  check(atp_options_create(session.context.get(), owner == 0 ? from : owner, out(copy)));
  for (int64_t k = 0; k < atp_option_count(from); ++k) {
    const auto key = static_cast<atp_option>(atp_option_at(from, k));
    int64_t integer = 0;
    double real = 0;
    if (atp_options_get_i64(options, key, &integer) == ATP_OK) {
      check(atp_options_set_i64(copy.get(), key, integer));
    } else {
      check(atp_options_get_f64(options, key, &real));
      check(atp_options_set_f64(copy.get(), key, real));
    }
  }
  return copy;
}

}  // namespace cli
