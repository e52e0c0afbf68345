// SPDX-License-Identifier: MIT
#include "support/attention_flags.hpp"

#include "support/validators.hpp"

namespace cli {

namespace {

// Settings of the two programs. Their penalties: AttentionDCA has 0.001 |J|^2 beside a sum over sites; that of mogwai is not a square and
// is left out.
struct ConventionSettings {
  int64_t heads, rank;
  atp_diagonal diagonal;
  bool scores_scaled;
  double l2_pairs;  // 0: none
  atp_gaps gaps;
  bool fields, symmetrize;
};
constexpr ConventionSettings kConventionSettings[] = {
    {32, 23, ATP_DIAGONAL_AFTER, false, 0.001, ATP_GAPS_STATE, false, false},
    {32, 16, ATP_DIAGONAL_BEFORE, true, 0, ATP_GAPS_IGNORE, true, true},
};

const Words<Convention> kConventions = {{"attentiondca", Convention::attentiondca}, {"mogwai", Convention::mogwai}};
const Words<atp_diagonal> kDiagonals = {{"before", ATP_DIAGONAL_BEFORE}, {"after", ATP_DIAGONAL_AFTER}};
const Words<bool> kScores = {{"scaled", true}, {"plain", false}};

template <class T>
void set_default(std::optional<T> &flag, T value) {
  if (!flag) flag = value;
}

}  // namespace

void AttentionFlags::add(CLI::App *app) {
  add_choice(app, "--attention-convention", convention, kConventions,
             "apply the settings of attentiondca or mogwai: low-rank maps, heads, fields, penalty and gaps. Explicit flags override them")
      ->type_name("NAME");
  add_choice(app, "--diagonal", diagonal, kDiagonals,
             "mask the diagonal of softmax and low-rank maps before (default) or after the softmax")
      ->type_name("WHEN");
  add_choice(app, "--scores", scores_scaled, kScores, "attention scores with --map lowrank: scaled (Q K / sqrt(d); default) or plain (Q K)")
      ->type_name("WHAT");
  app->add_flag("--symmetrize", symmetrize, "make the couplings symmetric: the mean of C_ij(a, b) and C_ji(b, a)");
  app->add_option("--l2-pairs", l2_pairs, "penalty on the couplings themselves; default 0")
      ->transform(value_of(ATP_OPT_L2_PAIRS))
      ->type_name("X");
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
}

void AttentionFlags::set_penalty(atp_options *options, int64_t sites) const {
  double strength = 0;
  if (!per_site_) return;
  check(atp_options_get_f64(options, ATP_OPT_L2_PAIRS, &strength));
  check(atp_options_set_f64(options, ATP_OPT_L2_PAIRS, strength / static_cast<double>(sites)));
}

std::string AttentionFlags::text() const {
  if (!convention) return "";
  return fmt::format("convention {}: diagonal {}, scores {}, couplings {}, l2-pairs {}{}, gaps {}", word_of(kConventions, *convention),
                     diagonal ? word_of(kDiagonals, *diagonal) : "ignored", scores_scaled ? word_of(kScores, *scores_scaled) : "none",
                     symmetrize ? "symmetrised" : "as they are", l2_pairs.value_or(0), per_site_ ? " / L" : "",
                     gaps_ == ATP_GAPS_IGNORE ? "ignore" : "state");
}

}  // namespace cli
