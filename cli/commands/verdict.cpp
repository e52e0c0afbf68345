// SPDX-License-Identifier: MIT
// attopotts verdict: what an alignment can teach, before training.
#include "commands/commands.hpp"

#include "run/files.hpp"
#include "flags/validators.hpp"

#include <algorithm>

namespace cli {

namespace {

struct VerdictFlags {
  std::string data;
  Rows rows;
  DataFlags input;
};

struct Facts {
  int64_t count = 0, sites = 0, colors = 0, duplicates = 0, columns_90 = 0, columns_50 = 0, sequences_50 = 0, clusters = 0;
  double effective = 0, gaps = 0, per_site = 0, per_root = 0;
  atp_level contacts = ATP_LEVEL_NONE, mutations = ATP_LEVEL_NONE;
  bool folds = false;  // cross-validation is possible
  std::string folds_problem;
};

Facts facts_of(const Session &session, const atp_alignment *data) {
  Facts facts;
  facts.count = atp_alignment_count(data);
  facts.sites = atp_alignment_sites(data);
  facts.colors = atp_alignment_colors(data);
  facts.effective = atp_alignment_effective_count(data);
  double numbers[ATP_SUMMARY_NUMBERS];
  check(atp_alignment_summary(data, numbers, ATP_SUMMARY_NUMBERS));
  facts.gaps = numbers[ATP_SUMMARY_GAPS];
  facts.duplicates = static_cast<int64_t>(numbers[ATP_SUMMARY_DUPLICATES]);
  facts.columns_90 = static_cast<int64_t>(numbers[ATP_SUMMARY_COLUMNS_90]);
  facts.columns_50 = static_cast<int64_t>(numbers[ATP_SUMMARY_COLUMNS_50]);
  facts.sequences_50 = static_cast<int64_t>(numbers[ATP_SUMMARY_SEQUENCES_50]);
  facts.per_site = numbers[ATP_SUMMARY_PER_SITE];
  facts.per_root = numbers[ATP_SUMMARY_PER_ROOT];
  facts.contacts = static_cast<atp_level>(numbers[ATP_SUMMARY_CONTACTS]);
  facts.mutations = static_cast<atp_level>(numbers[ATP_SUMMARY_MUTATIONS]);
  std::vector<int64_t> folds(static_cast<std::size_t>(facts.count)), clusters(folds.size());
  const atp_status status = atp_select_folds(session.context.get(), data, nullptr, folds.data(), clusters.data(), facts.count);
  facts.folds = status == ATP_OK;
  if (status == ATP_E_VALUE)
    facts.folds_problem = last_error(status);
  else
    check(status);
  if (facts.folds) facts.clusters = 1 + *std::max_element(clusters.begin(), clusters.end());
  return facts;
}

// What to expect, by atp_level.
constexpr const char *kContacts[] = {"too few different sequences: expect no better than chance, except by neighbours in the chain",
                                     "expect only some of the strongest pairs to be contacts; check them against a structure",
                                     "expect the best L/5 to L/2 pairs to be mostly contacts",
                                     "expect most of the best L pairs to be contacts"};
constexpr const char *kMutations[] = {
    "", "use the site-independent part: with so few sequences couplings learn ancestry, not function",
    ("couplings may add nothing to the site-independent model: choose the penalty with --l2-couplings auto --l2-fields auto "
     "--set criterion=mutations, and compare the two"),
    "couplings can add to the site-independent model"};

std::string text_of(const Facts &f, const std::string &path) {
  std::string text = fmt::format("{}\n", printable(path));
  text += fmt::format("sequences       {} of {} sites, {} colours; {} equal an earlier one\n", f.count, f.sites, f.colors, f.duplicates);
  text += fmt::format("effective       N_eff {:.1f}, N_eff / L {:.2f}, N_eff / sqrt(L) {:.1f}\n", f.effective, f.per_site, f.per_root);
  text += fmt::format("gaps            {:.1f} % of all symbols; {} columns above 90 %, {} above 50 %; {} sequences above 50 %\n",
                      100 * f.gaps, f.columns_90, f.columns_50, f.sequences_50);
  text += f.folds ? fmt::format("relatives       {} clusters; penalties can be chosen by the data (auto)\n", f.clusters)
                  : fmt::format("relatives       penalties cannot be chosen by the data (auto): {}\n", f.folds_problem);
  text += fmt::format("contacts        {}: {}\n", atp_level_name(f.contacts), kContacts[f.contacts]);
  text += fmt::format("mutations       {}: {}\n", atp_level_name(f.mutations), kMutations[f.mutations]);
  if (f.columns_90 > 0) text += "advice          --max-gaps-column 0.9 leaves out columns that are nearly all gaps\n";
  if (f.sequences_50 > 0) text += "advice          --max-gaps-sequence 0.5 leaves out fragments\n";
  return text;
}

std::string json_of_facts(const Facts &f, const std::string &path) {
  return fmt::format(
      "{{\"data\":{},\"sequences\":{},\"sites\":{},\"colors\":{},\"duplicates\":{},\"effective\":{},\"effective_per_site\":{},"
      "\"effective_per_root_of_sites\":{},\"gaps\":{},\"columns_above_90_percent_gaps\":{},\"columns_above_50_percent_gaps\":{},"
      "\"sequences_above_50_percent_gaps\":{},\"clusters\":{},\"selection_possible\":{},\"contacts\":{{\"level\":{},\"text\":{}}},"
      "\"mutations\":{{\"level\":{},\"text\":{}}}}}\n",
      json_string(path), f.count, f.sites, f.colors, f.duplicates, f.effective, f.per_site, f.per_root, f.gaps, f.columns_90, f.columns_50,
      f.sequences_50, f.folds ? fmt::format("{}", f.clusters) : "null", f.folds, json_string(atp_level_name(f.contacts)),
      json_string(kContacts[f.contacts]), json_string(atp_level_name(f.mutations)), json_string(kMutations[f.mutations]));
}

int run_verdict(Session &session, const VerdictFlags &flags) {
  DataFlags input = flags.input;
  // Numbers of sequences mean little if relatives count fully.
  if (!input.weighs_by_identity() && input.weights.from == WeightSource::From::data) {
    input.theta.emplace();
    input.theta->automatic = false;
    input.theta->value = 0.2;
  }
  const Alignment data = read_data(session, "DATA", flags.data, input, flags.rows);
  const Facts facts = facts_of(session, data.get());
  write_text(session, "-", session.json ? json_of_facts(facts, flags.data) : text_of(facts, flags.data));
  return kDone;
}

void add_verdict(CLI::App *app, VerdictFlags *flags) {
  app->add_option("DATA", flags->data, "sequences; weights are by identity with theta 0.2 unless --weights or --theta is given")
      ->check(input_file())
      ->required();
  add_rows(app, "--rows", flags->rows, "use only COUNT sequences, starting at FIRST (0-based)");
  flags->input.add(app);
}

}  // namespace

const Command kVerdictCommand = {"verdict",
                                 "say what an alignment can teach before training: sequences, gaps, contacts, effects of mutations",
                                 kOfSequences,
                                 "attopotts verdict family.fasta --alphabet protein",
                                 "--rows --alphabet --theta --weights --focus --max-gaps-sequence --max-gaps-column",
                                 with_flags<VerdictFlags, add_verdict, run_verdict>,
                                 {{ATP_OWNER_ALIGNMENT}}};

}  // namespace cli
