// SPDX-License-Identifier: MIT
#include "commands/mutations.hpp"

#include <algorithm>
#include <cmath>

namespace cli {

bool WildType::missing_sites() const {
  return std::count(sequence, sequence + atp_model_sites(model), static_cast<uint8_t>(ATP_MISSING)) > 0;
}

const std::vector<std::string> &mutant_columns() {
  static const std::vector<std::string> names = {"mutant", "mutation", "mutations", "mutants", "variant"};
  return names;
}

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

void require_alphabet(const atp_model *model, const std::string &flag, const std::string &path) {
  if (*atp_model_alphabet(model) != '\0') return;
  wrong_use(
      "{} is \"{}\" but the model has no alphabet, expected one that names the colours: attopotts convert MODEL NEW.h5 --alphabet ABC",
      flag, path);
}

MutantList read_mutants(const WildType &wild, const std::string &path) {
  require_alphabet(wild.model, "--mutations", path);
  MutantList list;
  const SideTable table = read_side_table(wild.session, "--mutations", path, ATP_CELLS_LIST, mutant_columns());
  const int64_t column = std::max<int64_t>(0, table.find(mutant_columns()));
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    atp_status status = ATP_OK;
    if (const std::string wrong = add_mutant(wild, table.rows[r][static_cast<std::size_t>(column)], list, status); !wrong.empty())
      wrong_use("--mutations {}:{}: {}", path, table.lines[r], wrong);
  }
  if (list.names.empty()) wrong_use("--mutations {} has no mutant, expected one on each line", path);
  return list;
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
