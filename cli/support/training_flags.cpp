// SPDX-License-Identifier: MIT
#include "support/training_flags.hpp"

#include "support/parse.hpp"

#include <tuple>

namespace cli {

void TrainingFlags::add(CLI::App *app) {
  const auto text = [app](const char *name, std::string &value, const char *description, const char *type) {
    return app->add_option(name, value, description)->type_name(type);
  };
  text("--epochs", epochs, "passes over the data, or L-BFGS iterations (200)", "N");
  text("--tolerance", tolerance, "converged when |gradient| <= X max(1, |parameters|) (1e-5; dense: times N_eff sqrt(L))", "X");
  text("--history", history, "pairs kept by L-BFGS (8; dense, not --asymmetric: 5)", "N");
  text("--precision", precision, "32 (default) or 64", "BITS");
  text("--l2-couplings", l2_couplings, "penalty on couplings (dense: 0.2 (L - 1)) or maps (0)", "X");
  text("--l2-fields", l2_fields, "penalty on the fields (dense: 0.01; else 0)", "X");
  app->add_flag("--asymmetric", asymmetric, "dense: a problem for every site, couplings averaged afterwards: little memory");
  text("--gaps", gaps, "state (default: a colour like the others) or ignore (missing: neither predicted nor seen)", "WHAT");
  text("--l2-scale", l2_scale, "dense: absolute (default), sites (x (L-1)), sites-colors (x (L-1)(q-1)) or weight (x effective sequences)",
       "WHAT");
}

void set_if_given(atp_options *options, atp_option key, const std::string &flag, const std::string &text) {
  if (!text.empty()) set_option(options, key, flag, text);
}

void set_common_options(const TrainingFlags &flags, atp_options *options) {
  set_if_given(options, ATP_OPT_EPOCHS, "--epochs", flags.epochs);
  set_if_given(options, ATP_OPT_HISTORY, "--history", flags.history);
  set_if_given(options, ATP_OPT_PRECISION, "--precision", flags.precision);
  // Below 0 an option is automatic; a flag that is given has a value.
  for (const auto &[key, flag, value] : {std::tuple(ATP_OPT_TOLERANCE, "--tolerance", &flags.tolerance),
                                         std::tuple(ATP_OPT_L2_COUPLINGS, "--l2-couplings", &flags.l2_couplings),
                                         std::tuple(ATP_OPT_L2_FIELDS, "--l2-fields", &flags.l2_fields)}) {
    if (value->empty()) continue;
    double highest = 0;
    check(atp_option_bounds(key, nullptr, &highest, nullptr, nullptr));
    check(atp_options_set_f64(options, key, parse_number(flag, *value, 0, highest)), flag);
  }
}

void set_gaps(const TrainingFlags &flags, atp_options *options) {
  static const atp_gaps gaps[] = {ATP_GAPS_STATE, ATP_GAPS_IGNORE};
  if (flags.gaps.empty()) return;
  check(atp_options_set_i64(options, ATP_OPT_GAPS, gaps[parse_word("--gaps", flags.gaps, {"state", "ignore"})]));
}

Options dense_options(const Session &session, const TrainingFlags &flags) {
  Options options;
  check(atp_options_create(session.context.get(), out(options)));
  atp_options *o = options.get();
  check(atp_options_set_i64(o, ATP_OPT_SEED, session.seed));
  check(atp_options_set_i64(o, ATP_OPT_FAMILY, ATP_FAMILY_DENSE));
  check(atp_options_set_i64(o, ATP_OPT_ASYMMETRIC, flags.asymmetric ? 1 : 0));
  set_gaps(flags, o);
  static const atp_l2_scale scales[] = {ATP_L2_ABSOLUTE, ATP_L2_SITES, ATP_L2_SITES_COLORS, ATP_L2_WEIGHT};
  if (!flags.l2_scale.empty()) {
    if (flags.l2_couplings.empty() && flags.l2_fields.empty())
      wrong_use("--l2-scale is \"{}\", expected only with --l2-couplings or --l2-fields: automatic penalties are absolute", flags.l2_scale);
    const std::size_t word = parse_word("--l2-scale", flags.l2_scale, {"absolute", "sites", "sites-colors", "weight"});
    check(atp_options_set_i64(o, ATP_OPT_L2_SCALE, scales[word]));
  }
  set_common_options(flags, o);
  return options;
}

int64_t epochs_of(const atp_options *options, const atp_alignment *data) {
  int64_t epochs = 0, asymmetric = 0;
  check(atp_options_get_i64(options, ATP_OPT_EPOCHS, &epochs));
  check(atp_options_get_i64(options, ATP_OPT_ASYMMETRIC, &asymmetric));
  return asymmetric != 0 ? atp_alignment_sites(data) : epochs;
}

Options copy_options(const Session &session, const atp_options *options) {
  Options copy;
  check(atp_options_create(session.context.get(), out(copy)));
  for (int64_t k = 0; k < atp_option_count(); ++k) {
    const auto key = static_cast<atp_option>(atp_option_at(k));
    int64_t integer = 0;
    double real = 0;
    if (atp_options_get_i64(options, key, &integer) == ATP_OK)
      check(atp_options_set_i64(copy.get(), key, integer));
    else if (atp_options_get_f64(options, key, &real) == ATP_OK)
      check(atp_options_set_f64(copy.get(), key, real));
  }
  return copy;
}

}  // namespace cli
