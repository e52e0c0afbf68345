// SPDX-License-Identifier: MIT
#include "flags/attention_flags.hpp"

#include "flags/validators.hpp"

namespace cli {

namespace {

// Settings of the two programs. Their penalties: AttentionDCA has 0.001 |J|^2 beside a sum over sites. mogwai has its own number times
// (L - 1) (q - 1) / N of the norm of the couplings, and times 1 / N of the norm of the fields, beside a mean over sites.
struct ConventionSettings {
  int64_t heads, rank;
  atp_diagonal diagonal;
  bool scores_scaled;
  double l2_pairs, norm;  // 0: none
  atp_gaps gaps;
  bool fields, symmetrize;
  bool adam;  // Adam as in mogwai-train, and its start
};
constexpr ConventionSettings kConventionSettings[] = {
    {32, 23, ATP_DIAGONAL_AFTER, false, 0.001, 0, ATP_GAPS_STATE, false, false, false},
    {32, 16, ATP_DIAGONAL_BEFORE, true, 0, 0.01, ATP_GAPS_IGNORE, true, true, true},
};
constexpr double kAdamRate = 1e-3;
constexpr int64_t kAdamBatch = 128, kAdamSteps = 1000;

const Words<Convention> kConventions = {{"attentiondca", Convention::attentiondca}, {"mogwai", Convention::mogwai}};
const Words<atp_diagonal> kDiagonals = {{"before", ATP_DIAGONAL_BEFORE}, {"after", ATP_DIAGONAL_AFTER}};
const Words<atp_initial> kInitials = {{"normal", ATP_INITIAL_NORMAL}, {"xavier", ATP_INITIAL_XAVIER}};
const Words<atp_schedule> kSchedules = {{"cosine", ATP_SCHEDULE_COSINE}, {"constant", ATP_SCHEDULE_CONSTANT}};
const Words<bool> kScores = {{"scaled", true}, {"plain", false}};

template <class T>
void set_default(std::optional<T> &flag, T value) {
  if (!flag) flag = value;
}

}  // namespace

void AttentionFlags::add(CLI::App *app) {
  add_choice(app, "--attention-convention", convention, kConventions,
             "apply the settings of attentiondca or mogwai: low-rank maps, heads, fields, penalty and gaps, with mogwai also Adam and "
             "its start. Explicit flags override them")
      ->type_name("NAME");
  add_choice(app, "--diagonal", diagonal, kDiagonals,
             "mask the diagonal of softmax and low-rank maps before (default) or after the softmax")
      ->type_name("WHEN");
  add_choice(app, "--scores", scores_scaled, kScores, "attention scores with --map lowrank: scaled (Q K / sqrt(d); default) or plain (Q K)")
      ->type_name("WHAT");
  app->add_flag("--symmetrize", symmetrize, "make the couplings symmetric: the mean of C_ij(a, b) and C_ji(b, a)");
  add_option_of(app, "--l2-pairs", l2_pairs, ATP_OWNER_TRAINER, ATP_OPT_L2_PAIRS)->type_name("X");
  add_option_of(app, "--norm-pairs", norm_pairs, ATP_OWNER_TRAINER, ATP_OPT_NORM_PAIRS)->type_name("X");
  add_option_of(app, "--norm-fields", norm_fields, ATP_OWNER_TRAINER, ATP_OPT_NORM_FIELDS)->type_name("X");
  add_choice(app, "--initial", initial, kInitials,
             "random start: normal numbers (default), or xavier, uniform numbers whose range follows from the shape and fields from counts")
      ->type_name("WHAT");
  add_choice(app, "--schedule", schedule, kSchedules, "learning rate of sgd and adam: cosine (falls to 0; default) or constant")
      ->type_name("WHAT");
}

void AttentionFlags::fill_in(ConventionFlags flags) {
  if (!convention) return;
  const ConventionSettings &c = kConventionSettings[static_cast<int>(*convention)];
  set_default(flags.map, ATP_MAP_LOWRANK);
  set_default(flags.heads, c.heads);
  if (flags.map == ATP_MAP_LOWRANK) {
    set_default(flags.rank, c.rank);
    set_default(scores_scaled, c.scores_scaled);
  }
  if (flags.map != ATP_MAP_FREE) set_default(diagonal, c.diagonal);
  set_default(flags.gaps, c.gaps);
  gaps_ = flags.gaps;
  flags.fields = flags.fields || c.fields;
  symmetrize = symmetrize || c.symmetrize;
  if (c.l2_pairs > 0) {
    per_site_ = !l2_pairs;
    set_default(l2_pairs, c.l2_pairs);
  }
  if (c.adam) fill_in_training(flags.training);
}

void AttentionFlags::fill_in_training(OptimizerFlags flags) {
  set_default(flags.optimizer, ATP_OPTIMIZER_ADAM);
  set_default(initial, ATP_INITIAL_XAVIER);
  if (flags.optimizer != ATP_OPTIMIZER_ADAM) return;
  steps_ = !flags.epochs;
  set_default(flags.rate, kAdamRate);
  set_default(flags.batch, kAdamBatch);
  set_default(schedule, ATP_SCHEDULE_CONSTANT);
}

void AttentionFlags::set(atp_options *options, atp_map map) const {
  if (diagonal && map == ATP_MAP_FREE)
    wrong_use("--diagonal is \"{}\", expected only with --map softmax or lowrank", word_of(kDiagonals, *diagonal));
  if (scores_scaled && map != ATP_MAP_LOWRANK)
    wrong_use("--scores is \"{}\", expected only with --map lowrank", word_of(kScores, *scores_scaled));
  if (diagonal) check(atp_options_set_i64(options, ATP_OPT_DIAGONAL, *diagonal));
  if (scores_scaled) check(atp_options_set_i64(options, ATP_OPT_SCORES_SCALED, *scores_scaled ? 1 : 0));
  check(atp_options_set_i64(options, ATP_OPT_SYMMETRIZED, symmetrize ? 1 : 0));
  if (l2_pairs) check(atp_options_set_f64(options, ATP_OPT_L2_PAIRS, *l2_pairs));
  if (norm_pairs) check(atp_options_set_f64(options, ATP_OPT_NORM_PAIRS, *norm_pairs));
  if (norm_fields) check(atp_options_set_f64(options, ATP_OPT_NORM_FIELDS, *norm_fields));
  if (initial) check(atp_options_set_i64(options, ATP_OPT_INITIAL, *initial));
  if (schedule) check(atp_options_set_i64(options, ATP_OPT_SCHEDULE, *schedule));
}

void AttentionFlags::set_for(atp_options *options, const atp_alignment *data) const {
  if (!convention) return;
  if (per_site_) {
    double strength = 0;
    check(atp_options_get_f64(options, ATP_OPT_L2_PAIRS, &strength));
    check(atp_options_set_f64(options, ATP_OPT_L2_PAIRS, strength / static_cast<double>(atp_alignment_sites(data))));
  }
  set_norms(options, data);
  if (!steps_) return;
  int64_t batch = 0;
  check(atp_options_get_i64(options, ATP_OPT_BATCH, &batch));
  const int64_t steps = (atp_alignment_count(data) + batch - 1) / batch;
  check(atp_options_set_i64(options, ATP_OPT_EPOCHS, (kAdamSteps + steps - 1) / steps));
}

void AttentionFlags::set_norms(atp_options *options, const atp_alignment *data) const {
  const double norm = kConventionSettings[static_cast<int>(*convention)].norm, count = static_cast<double>(atp_alignment_count(data));
  if (norm == 0) return;
  const int64_t colors = atp_alignment_colors(data) - (gaps_ == ATP_GAPS_IGNORE ? 1 : 0);
  const double pairs = static_cast<double>((atp_alignment_sites(data) - 1) * (colors - 1));
  if (!norm_pairs) check(atp_options_set_f64(options, ATP_OPT_NORM_PAIRS, norm * pairs / count));
  if (!norm_fields) check(atp_options_set_f64(options, ATP_OPT_NORM_FIELDS, norm / count));
}

std::string AttentionFlags::text(const atp_options *options) const {
  if (!convention) return "";
  const auto real = [options](atp_option key) {
    double value = 0;
    check(atp_options_get_f64(options, key, &value));
    return value;
  };
  std::string text = fmt::format("convention {}: diagonal {}, scores {}, couplings {}, l2-pairs {}{}, gaps {}",
                                 word_of(kConventions, *convention), diagonal ? word_of(kDiagonals, *diagonal) : "ignored",
                                 scores_scaled ? word_of(kScores, *scores_scaled) : "none", symmetrize ? "symmetrised" : "as they are",
                                 l2_pairs.value_or(0), per_site_ ? " / L" : "", gaps_ == ATP_GAPS_IGNORE ? "ignore" : "state");
  if (convention == Convention::mogwai)
    text += fmt::format(", norm-pairs {:.4g}, norm-fields {:.4g}, initial {}, schedule {}, {:g} epochs", real(ATP_OPT_NORM_PAIRS),
                        real(ATP_OPT_NORM_FIELDS), word_of(kInitials, initial.value_or(ATP_INITIAL_NORMAL)),
                        word_of(kSchedules, schedule.value_or(ATP_SCHEDULE_COSINE)), real(ATP_OPT_EPOCHS));
  return text;
}

}  // namespace cli
