// SPDX-License-Identifier: MIT
#include "commands/contact_methods.hpp"

#include "run/memory.hpp"
#include "run/signals.hpp"
#include "flags/validators.hpp"

namespace cli {

const Words<Method> kMethods = {{"plm", Method::plm},
                                {"dense", Method::plm},
                                {"asymmetric", Method::asymmetric},
                                {"factored", Method::factored},
                                {"mean-field", Method::mean_field},
                                {"gaussian", Method::gaussian},
                                {"mi", Method::mutual_information}};

bool is_trained(Method method) { return method == Method::plm || method == Method::asymmetric || method == Method::factored; }

void MethodFlags::add(CLI::App *app) {
  static const Words<atp_pair_score> scores = {{"fn", ATP_PAIR_SCORE_FN}, {"di", ATP_PAIR_SCORE_DI}};
  add_choice(app, "--method,--family", method, kMethods,
             "how pairs are scored: plm (or dense: dense couplings by pseudo-likelihood), asymmetric (one regression per site), factored "
             "(factored attention with fields), or without training: mean-field, gaussian, mi (mutual information)")
      ->type_name("WHAT");
  add_choice(app, "--score", score, scores,
             "score of a pair: fn (Frobenius norm of the couplings; default) or di (direct information, from sequences)")
      ->type_name("SCORE");
  app->add_option("--pseudocount", pseudocount,
                  "share of the uniform distribution in the frequencies, 0..1; default 0.5, with gaussian 0.8, with mi 0")
      ->transform(value_of(ATP_OWNER_GAUSSIAN, ATP_OPT_PSEUDOCOUNT, 0))
      ->type_name("C");
}

void MethodFlags::check_values(const CLI::App *app, bool sequences) const {
  const bool information = wants_information(), mutual = method == Method::mutual_information;
  if (method == Method::factored) needs(app, "--asymmetric", false, "with --method dense");
  needs(app, "--heads", method == Method::factored, "with --method factored");
  needs(app, "--score", sequences && !mutual, "with couplings that are made from sequences");
  needs(app, "--pseudocount", sequences && (information || !is_trained(method)), "with mean-field, gaussian, mi or --score di");
  needs(app, "--gauge", !information && (!sequences || has_model(method)), "with Frobenius norms of the couplings of a model");
  needs(app, "--norm-gap", !information && !mutual, "with Frobenius norms");
  if (pseudocount && *pseudocount == 0 && sequences && (method == Method::mean_field || method == Method::gaussian))
    wrong_use("--pseudocount is \"{}\", expected a number above 0: without it the covariances may be singular",
              given(app, "--pseudocount"));
}

Options training_options(const Session &session, Method method, TrainingFlags training, std::optional<int64_t> heads) {
  training.asymmetric |= method == Method::asymmetric;
  if (method != Method::factored) return dense_options(session, training);
  session.settings.needs(ATP_OPT_L2_SCALE, false, "with dense couplings");
  check_init_scale(session.settings, ATP_MAP_FREE, false);
  Options options = options_of(session, ATP_OWNER_TRAINER);
  options.set(ATP_OPT_FIELDS, 1);
  set_if_given(options.get(), ATP_OPT_HEADS, heads);
  set_gaps(training, options.get());
  set_common_options(training, options.get());
  return options;
}

void add_heads(CLI::App *app, std::optional<int64_t> &heads, SelectionFlags &selection, const std::string &initial) {
  add_or_auto(app, "--heads", heads, selection.heads, ATP_OPT_HEADS,
              "number of attention heads of the method factored; default " + initial + "; auto: chosen by the data, 1 to 16")
      ->type_name("H");
}

namespace {

// The options of mean-field couplings, Gaussian scores or mutual information.
Options method_options(const Session &session, int owner, const MethodFlags &flags, std::optional<int64_t> precision) {
  Options options = options_of(session, owner);
  set_if_given(options.get(), ATP_OPT_PSEUDOCOUNT, flags.pseudocount);
  if (owner != ATP_OWNER_MUTUAL_INFORMATION) set_if_given(options.get(), ATP_OPT_PRECISION, precision);
  return options;
}

std::string pseudocount_text(const MethodFlags &flags, double automatic) {
  return fmt::format("pseudocount {:g}", flags.pseudocount.value_or(automatic));
}

// Tells how much memory the inverse takes. Fails before the work begins if it does not fit.
void require_inverse(const Session &session, const atp_alignment *data, const atp_options *options) {
  int64_t bytes = 0;
  check(atp_mean_field_bytes(session.context.get(), atp_alignment_count(data), atp_alignment_sites(data), atp_alignment_colors(data),
                             options, &bytes));
  require_memory(session, static_cast<double>(bytes), "the inverse of the covariances (fewer columns with --max-gaps-column)");
  session.say("{}", forecast_text(data, forecast_of(static_cast<double>(bytes)), available_memory(session), "the inverse"));
}

std::string mean_field_text(const MethodFlags &flags) { return ", mean-field couplings, " + pseudocount_text(flags, 0.5); }

// Of the Gaussian model, or norms of mean-field couplings, which are its couplings with another pseudocount.
PairValues gaussian_values(const Session &session, const atp_alignment *data, const MethodFlags &flags, std::optional<int64_t> precision,
                           const ScoreFlags &scoring) {
  const bool mean_field = flags.method == Method::mean_field;
  MethodFlags of = flags;
  if (mean_field) of.pseudocount = flags.pseudocount.value_or(0.5);
  const Options options = method_options(session, ATP_OWNER_GAUSSIAN, of, precision);
  require_inverse(session, data, options.get());
  const int64_t L = atp_alignment_sites(data);
  std::vector<double> scores(static_cast<std::size_t>(L * L));
  const std::string alphabet = atp_alignment_alphabet(data);
  const int64_t gap = left_out_of_norms(scoring, atp_alignment_gap_color(data));
  const atp_pair_score score = flags.score.value_or(ATP_PAIR_SCORE_FN);
  PairValues pairs;
  pairs.column = score == ATP_PAIR_SCORE_DI ? "di" : "fn";
  pairs.text = score == ATP_PAIR_SCORE_DI ? "direct information of the Gaussian model"
                                          : "Frobenius norm of the Gaussian model, zero-sum gauge, " + gap_text(gap, alphabet);
  pairs.text += ", " + pseudocount_text(flags, 0.8);
  if (mean_field) pairs.text = norm_text(scoring, gap, alphabet) + mean_field_text(flags);
  check(atp_gaussian_scores(session.context.get(), data, options.get(), score, gap, scores.data(), L * L),
        "--method " + word_of(kMethods, flags.method));
  pairs.values = {L, {}, std::move(scores)};
  return pairs;
}

PairValues mutual_values(const Session &session, const atp_alignment *data, const MethodFlags &flags, const atp_options *options) {
  const int64_t L = atp_alignment_sites(data);
  PairValues pairs;
  pairs.column = "mi";
  pairs.text = "mutual information, all colours, " + pseudocount_text(flags, 0);
  std::vector<double> scores(static_cast<std::size_t>(L * L));
  check(atp_mutual_information(session.context.get(), data, options, scores.data(), L * L), "--method mi");
  pairs.values = {L, {}, std::move(scores)};
  return pairs;
}

}  // namespace

Model mean_field_model(const Session &session, const atp_alignment *data, const MethodFlags &flags, std::optional<int64_t> precision) {
  const EndAtOnce nothing_to_save;
  const Options options = method_options(session, ATP_OWNER_MEAN_FIELD, flags, precision);
  require_inverse(session, data, options.get());
  Model model;
  check(atp_mean_field_model(session.context.get(), data, options.get(), out(model)), "--method mean-field");
  return model;
}

MethodResult apply_method(const Session &session, const atp_alignment *data, const MethodFlags &flags, std::optional<int64_t> precision,
                          const ScoreFlags &scoring, bool model_wanted) {
  MethodResult result;
  if (flags.method == Method::mean_field && (model_wanted || flags.wants_information())) {
    result.model = mean_field_model(session, data, flags, precision);
    result.pairs = model_values(session, result.model.get(), data, flags, scoring);
    return result;
  }
  const EndAtOnce nothing_to_save;
  result.pairs = flags.method == Method::mutual_information
                     ? mutual_values(session, data, flags, method_options(session, ATP_OWNER_MUTUAL_INFORMATION, flags, precision).get())
                     : gaussian_values(session, data, flags, precision, scoring);
  return result;
}

PairValues model_values(const Session &session, const atp_model *model, const atp_alignment *data, const MethodFlags &flags,
                        const ScoreFlags &scoring) {
  if (!flags.wants_information()) {
    PairValues norms = frobenius_values(session, model, scoring);
    if (flags.method == Method::mean_field) norms.text += mean_field_text(flags);
    return norms;
  }
  const int64_t L = atp_model_sites(model), size = L * atp_model_colors(model);
  if (atp_alignment_colors(data) != atp_model_colors(model))
    wrong_use("--score is \"di\" with --gaps ignore, expected gaps as a state: the frequencies of the gap are needed");
  std::vector<double> frequencies(static_cast<std::size_t>(size));
  check(atp_alignment_frequencies(data, flags.pseudocount.value_or(0.5), frequencies.data(), size));
  PairValues pairs;
  pairs.column = "di";
  pairs.text = "direct information" + (flags.method == Method::mean_field ? mean_field_text(flags) : ", " + pseudocount_text(flags, 0.5));
  std::vector<double> scores(static_cast<std::size_t>(L * L));
  check(atp_direct_information(session.context.get(), model, frequencies.data(), size, scores.data(), L * L), "--score di");
  pairs.values = {L, {}, std::move(scores)};
  const std::vector<int64_t> listed = sites_of(model).listed;
  if (!listed.empty()) pairs.values = pairs.values.only(listed);
  return pairs;
}

}  // namespace cli
