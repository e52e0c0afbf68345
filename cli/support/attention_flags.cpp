// SPDX-License-Identifier: MIT
#include "support/attention_flags.hpp"

#include "support/parse.hpp"

namespace cli {

namespace {

// What the two programs do where nothing else is asked for. Their penalties: AttentionDCA has 0.001 |J|^2 beside a sum over sites; that of
// mogwai is no square and is left out.
struct Convention {
  const char *name, *heads, *rank, *diagonal, *scores, *l2_pairs, *gaps;
  bool fields, symmetrize;
};
constexpr Convention kConventions[] = {
    {"attentiondca", "32", "23", "after", "plain", "0.001", "state", false, false},
    {"mogwai", "32", "16", "before", "scaled", "", "ignore", true, true},
};

void set_default(std::string &text, const char *value) {
  if (text.empty()) text = value;
}

}  // namespace

void AttentionFlags::add(CLI::App *app) {
  const auto text = [app](const char *name, std::string &value, const char *description, const char *type) {
    app->add_option(name, value, description)->type_name(type);
  };
  text("--attention-convention", convention,
       "attentiondca or mogwai: low-rank maps, heads, fields, penalty and gaps as there; other flags win", "NAME");
  text("--diagonal", diagonal, "mask the diagonal of softmax and lowrank maps before (default) or after the softmax", "WHEN");
  text("--scores", scores, "of --map lowrank: scaled (Q K / sqrt(d), default) or plain (Q K)", "WHAT");
  app->add_flag("--symmetrize", symmetrize, "couplings are the mean of C_ij(a, b) and C_ji(b, a)");
  text("--l2-pairs", l2_pairs, "penalty on the couplings themselves (0)", "X");
}

void AttentionFlags::fill_in(std::string &map, std::string &heads, std::string &rank, std::string &gaps, bool &fields) {
  if (convention.empty()) return;
  const Convention &c = kConventions[parse_word("--attention-convention", convention, {"attentiondca", "mogwai"})];
  set_default(map, "lowrank");
  set_default(heads, c.heads);
  if (map == "lowrank") {
    set_default(rank, c.rank);
    set_default(scores, c.scores);
  }
  if (map != "free") set_default(diagonal, c.diagonal);
  set_default(gaps, c.gaps);
  gaps_ = gaps;
  fields = fields || c.fields;
  symmetrize = symmetrize || c.symmetrize;
  per_site_ = l2_pairs.empty() && *c.l2_pairs != '\0';
  set_default(l2_pairs, c.l2_pairs);
}

void AttentionFlags::set(atp_options *options, atp_map map) const {
  if (!diagonal.empty() && map == ATP_MAP_FREE) wrong_use("--diagonal is \"{}\", expected only with --map softmax or lowrank", diagonal);
  if (!scores.empty() && map != ATP_MAP_LOWRANK) wrong_use("--scores is \"{}\", expected only with --map lowrank", scores);
  if (!diagonal.empty()) {
    static const atp_diagonal places[] = {ATP_DIAGONAL_BEFORE, ATP_DIAGONAL_AFTER};
    check(atp_options_set_i64(options, ATP_OPT_DIAGONAL, places[parse_word("--diagonal", diagonal, {"before", "after"})]));
  }
  if (!scores.empty())
    check(atp_options_set_i64(options, ATP_OPT_SCORES_SCALED, parse_word("--scores", scores, {"scaled", "plain"}) == 0 ? 1 : 0));
  check(atp_options_set_i64(options, ATP_OPT_SYMMETRIZED, symmetrize ? 1 : 0));
  if (!l2_pairs.empty()) set_option(options, ATP_OPT_L2_PAIRS, "--l2-pairs", l2_pairs);
}

void AttentionFlags::set_penalty(atp_options *options, int64_t sites) const {
  double strength = 0;
  if (!per_site_) return;
  check(atp_options_get_f64(options, ATP_OPT_L2_PAIRS, &strength));
  check(atp_options_set_f64(options, ATP_OPT_L2_PAIRS, strength / static_cast<double>(sites)));
}

std::string AttentionFlags::text() const {
  if (convention.empty()) return "";
  return fmt::format("convention {}: diagonal {}, scores {}, couplings {}, l2-pairs {}, gaps {}", convention,
                     diagonal.empty() ? "ignored" : diagonal, scores.empty() ? "none" : scores, symmetrize ? "symmetrised" : "as they are",
                     l2_pairs.empty() ? "0" : l2_pairs + (per_site_ ? " / L" : ""), gaps_);
}

}  // namespace cli
