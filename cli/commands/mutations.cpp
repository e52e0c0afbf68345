// SPDX-License-Identifier: MIT
#include "commands/mutations.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

namespace cli {

bool WildType::missing_sites() const {
  return std::count(sequence, sequence + atp_model_sites(model), static_cast<uint8_t>(ATP_MISSING)) > 0;
}

const std::vector<std::string> &mutant_columns() {
  static const std::vector<std::string> names = {"mutant", "mutation", "mutations", "mutants", "variant"};
  return names;
}

int64_t mutant_column(const SideTable &table) {
  if (const int64_t found = table.find(mutant_columns()); found >= 0) return found;
  SideTable lower{table.columns, {}, {}, table.source};
  for (std::string &name : lower.columns)
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower.find(mutant_columns());
}

namespace {

// Adds a mutant. Returns "", or what is wrong with its text; then nothing is added. `status` tells why.
std::string add_mutant(const WildType &wild, const std::string &text, MutantList &list, atp_status &status) {
  std::vector<int64_t> found(3 * (text.size() / 3 + 1));
  const auto capacity = static_cast<int64_t>(found.size() / 3);
  int64_t count = 0;
  status = atp_mutations_parse(wild.model, wild.sequence, atp_model_sites(wild.model), text.c_str(), found.data(), capacity, &count);
  if (status == ATP_E_FORMAT || status == ATP_E_MISMATCH) {
    const std::string prefix = "line 1: ", why = last_error(status);
    return why.compare(0, prefix.size(), prefix) == 0 ? why.substr(prefix.size()) : why;
  }
  check(status);
  for (int64_t k = 0; k < count; ++k) found[static_cast<std::size_t>(3 * k)] = list.count();
  list.changes.insert(list.changes.end(), found.begin(), found.begin() + 3 * count);
  list.names.push_back(text);
  list.sizes.push_back(count);
  return "";
}

// "; 64 of its 66 residues would agree with 24 added to their numbers, 5 agree now", where that is so: the names of most of the residues
// of a list have other numbers than the sites.
std::string offset_hint(const WildType &wild, const SideTable &table, std::size_t column) {
  constexpr int64_t kLeast = 5;
  std::string text;
  for (const std::vector<std::string> &row : table.rows) text += row[column] + "\n";
  int64_t found[4] = {};
  check(atp_mutations_offset(wild.session.context.get(), wild.model, wild.sequence, atp_model_sites(wild.model), text.c_str(), found));
  const auto [residues, agreeing, offset, fitting] = found;
  if (fitting < kLeast || 4 * fitting < 3 * residues || offset == 0) return "";
  return fmt::format("; of the {} residues of the list {} agree with the sequence, {} would if their numbers were {} {}", residues,
                     agreeing, fitting, std::abs(offset), offset > 0 ? "larger" : "smaller");
}

}  // namespace

void require_alphabet(const atp_model *model, const std::string &flag, const std::string &path) {
  if (*atp_model_alphabet(model) != '\0') return;
  wrong_use(
      "{} is \"{}\" but the model has no alphabet, expected one that names the colours: attopotts convert MODEL NEW.h5 --alphabet ABC",
      flag, path);
}

std::vector<std::size_t> add_mutants_of(const WildType &wild, const SideTable &table, std::size_t column, bool skip_unscored,
                                        MutantList &list) {
  std::vector<std::size_t> kept;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const std::string &text = table.rows[r][column];
    atp_status status = ATP_OK;
    const std::string wrong = add_mutant(wild, text, list, status);
    if (wrong.empty()) {
      kept.push_back(r);
      continue;
    }
    if (status != ATP_E_FORMAT || !skip_unscored)
      wrong_use("{}, line {}: {}{}{}", table.source, table.lines[r], wrong, offset_hint(wild, table, column),
                status == ATP_E_FORMAT ? " (--skip-unscored leaves out mutants that the model cannot score)" : "");
    list.skipped.push_back(text);
  }
  if (list.names.empty() && !table.rows.empty())
    wrong_use("{}: the model can score none of its {} mutants{}", table.source, table.rows.size(), offset_hint(wild, table, column));
  return kept;
}

MutantList read_mutants(const WildType &wild, const std::string &path, bool skip_unscored) {
  require_alphabet(wild.model, "--mutations", path);
  SideTable table = read_side_table(wild.session, "--mutations", path, ATP_CELLS_LIST, mutant_columns());
  const bool titled = table.columns.empty() && !table.rows.empty() && table.rows[0][0].find_first_of("0123456789") == std::string::npos;
  if (titled && table.rows.size() > 1) {
    table.rows.erase(table.rows.begin());
    table.lines.erase(table.lines.begin());
  }
  if (table.rows.empty()) wrong_use("--mutations {} has no mutant, expected one on each line", path);
  MutantList list;
  add_mutants_of(wild, table, static_cast<std::size_t>(std::max<int64_t>(0, mutant_column(table))), skip_unscored, list);
  return list;
}

void note_skipped(Table &table, const std::vector<std::string> &skipped) {
  if (skipped.empty()) return;
  table.note(fmt::format("{} mutants are left out, the model cannot score them; the first is {}", skipped.size(), printable(skipped[0])));
}

void say_skipped(const Session &session, const std::vector<std::string> &skipped) {
  if (!skipped.empty()) session.say("{} mutants are left out: the model cannot score them", skipped.size());
}

namespace {

// Scores by one model, [n][ATP_MUTANT_COLUMNS].
std::vector<double> scores_by(const WildType &wild, const atp_model *model, const std::vector<int64_t> &changes, int64_t count) {
  std::vector<double> scores(static_cast<std::size_t>(count * ATP_MUTANT_COLUMNS));
  check(atp_model_score_mutants(wild.session.context.get(), model, wild.sequence, changes.data(), static_cast<int64_t>(changes.size() / 3),
                                scores.data(), count));
  return scores;
}

}  // namespace

ScoredMutants score_mutants(const WildType &wild, const std::vector<int64_t> &changes, int64_t count) {
  const std::vector<double> own = scores_by(wild, wild.model, changes, count);
  std::vector<double> sites;
  if (wild.independent != nullptr) sites = scores_by(wild, wild.independent, changes, count);
  ScoredMutants scored;
  for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
    scored.energy.push_back(own[k * ATP_MUTANT_COLUMNS + ATP_MUTANT_ENERGY]);
    scored.log_pseudolikelihood.push_back(own[k * ATP_MUTANT_COLUMNS + ATP_MUTANT_LOG_PSEUDOLIKELIHOOD]);
    // The energy of independent sites is - sum_i log f_i.
    scored.independent.push_back(sites.empty() ? std::nan("") : -sites[k * ATP_MUTANT_COLUMNS + ATP_MUTANT_ENERGY]);
  }
  return scored;
}

void note_energies(Table &table, const atp_model *model) {
  if (atp_model_is_ordered(model) != 0) {
    table.note("the model is autoregressive: energy is log P(sequence) - log P(mutant), in nats; negative: the mutant is more probable");
    return;
  }
  table.note("energy: H(mutant) - H(sequence), without beta; negative: the mutant is more probable");
  if (atp_model_is_symmetric(model) == 0) table.note("the couplings are not symmetric: energies are those of their symmetric part");
}

SingleScores score_singles(const WildType &wild) {
  const int64_t sites = atp_model_sites(wild.model), size = sites * atp_model_colors(wild.model);
  SingleScores made;
  made.energies.resize(static_cast<std::size_t>(size));
  made.values.resize(made.energies.size());
  check(atp_model_mutants(wild.session.context.get(), wild.model, wild.sequence, sites, made.energies.data(), made.values.data(), size));
  made.independent.assign(made.energies.size(), std::nan(""));
  if (wild.independent == nullptr) return made;
  check(atp_model_mutants(wild.session.context.get(), wild.independent, wild.sequence, sites, made.independent.data(), nullptr, size));
  for (double &value : made.independent) value = 0 - value;  // no -0
  return made;
}

}  // namespace cli
