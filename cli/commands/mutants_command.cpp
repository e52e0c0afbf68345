// SPDX-License-Identifier: MIT
// attopotts mutants: all single mutants of one sequence, or the mutants of a list.
#include "commands/commands.hpp"

#include "commands/mutations.hpp"
#include "support/model_sequences.hpp"
#include "support/csv_table.hpp"

#include <algorithm>

namespace cli {

namespace {

struct MutantsFlags {
  std::string model, data, sequence, mutations, csv = "-";
  std::optional<int64_t> row;
  DataFlags input;
};

// Finds the only sequence with this name, or with this name and "/FROM-TO"; suggests a similar name.
int64_t find_sequence(const ModelSequences &data, const std::string &name, const std::string &path) {
  const auto search = [&](auto &&is_it) {
    std::pair<int64_t, int64_t> found = {-1, 0};  // index of the first, and number of matches
    for (int64_t n = 0; n < data.count(); ++n)
      if (is_it(std::string(atp_alignment_name(data.data.get(), n))) && found.second++ == 0) found.first = n;
    return found;
  };
  std::pair<int64_t, int64_t> found = search([&](const std::string &other) { return other == name; });
  if (found.second == 0) found = search([&](const std::string &other) { return other.substr(0, other.find('/')) == name; });
  if (found.second > 1)
    wrong_use("--sequence is \"{}\", the name of {} sequences of {}, expected a name that only one has, or --row", name, found.second,
              path);
  if (found.second == 1) return found.first;
  const int64_t near =
      search([&](const std::string &other) { return !other.empty() && (other.find(name) == 0 || name.find(other) == 0); }).first;
  wrong_use("--sequence is \"{}\", expected a name in {}{}", name, path,
            near < 0 ? "" : fmt::format(" (it has \"{}\")", atp_alignment_name(data.data.get(), near)));
}

void add_notes(Table &table, const atp_model *model, const std::string &of, bool missing_sites) {
  table.note(of);
  table.note("energy: H(mutant) - H(sequence), without beta; negative: the mutant is more probable");
  table.note("log_pseudolikelihood: of the mutant less that of the sequence, in nats; positive: the mutant is more probable");
  if (atp_model_is_symmetric(model) == 0) table.note("the couplings are not symmetric: energies are those of their symmetric part");
  if (missing_sites) table.note("the model has no gap: missing sites enter no sum");
}

// All single mutants.
Table single_mutants(const Session &session, const MutantsFlags &flags, const atp_model *model, const uint8_t *sequence,
                     const std::string &who) {
  const int64_t sites = atp_model_sites(model), colors = atp_model_colors(model);
  std::vector<double> energies(static_cast<std::size_t>(sites * colors)), values(energies.size());
  check(atp_model_mutants(session.context.get(), model, sequence, sites, energies.data(), values.data(), sites * colors), flags.data);
  const int64_t *numbers = atp_model_site_numbers_view(model);
  Table table(session, {"site", "number", "from", "to", "energy", "log_pseudolikelihood"});
  add_notes(table, model, "single mutants of " + who, false);
  const int64_t missing = std::count(sequence, sequence + sites, static_cast<uint8_t>(ATP_MISSING));
  if (missing > 0)
    table.note(fmt::format("the model has no gap: {} sites are missing, \"from\" is empty, a mutant fills the site in", missing));
  for (int64_t i = 0; i < sites; ++i)
    for (int64_t a = 0; a < colors; ++a) {
      if (a == sequence[i]) continue;
      const auto at = static_cast<std::size_t>(i * colors + a);
      table.row({cell(i), cell(numbers[i]), sequence[i] == ATP_MISSING ? "" : color_name(model, sequence[i]), color_name(model, a),
                 cell(energies[at]), cell(values[at])});
    }
  return table;
}

// The mutants of --mutations. All their sites change at once, so that their couplings with each other count.
Table listed_mutants(const Session &session, const MutantsFlags &flags, const atp_model *model, const uint8_t *sequence,
                     const std::string &who) {
  const std::vector<Mutant> mutants = read_mutants(session, flags.mutations, model, sequence);
  const auto sites = static_cast<std::size_t>(atp_model_sites(model)), n = mutants.size() + 1;
  std::vector<uint8_t> sequences(n * sites);
  for (std::size_t k = 0; k < n; ++k) {
    std::copy(sequence, sequence + sites, sequences.begin() + static_cast<std::ptrdiff_t>(k * sites));
    if (k == 0) continue;  // the sequence itself
    for (const auto &[site, color] : mutants[k - 1].changes)
      sequences[k * sites + static_cast<std::size_t>(site)] = static_cast<uint8_t>(color);
  }
  std::vector<double> energies(n), values(n);
  const auto count = static_cast<int64_t>(n);
  check(atp_model_energies(model, sequences.data(), count, energies.data(), count), flags.data);
  check(atp_model_log_pseudolikelihoods(model, sequences.data(), count, values.data(), count), flags.data);
  Table table(session, {"mutant", "mutations", "energy", "log_pseudolikelihood"});
  add_notes(table, model, fmt::format("{} mutants of {}, {}", n - 1, flags.mutations, who),
            std::count(sequence, sequence + sites, static_cast<uint8_t>(ATP_MISSING)) > 0);
  for (std::size_t k = 1; k < n; ++k)
    table.row({mutants[k - 1].name, cell(static_cast<int64_t>(mutants[k - 1].changes.size())), cell(energies[k] - energies[0]),
               cell(values[k] - values[0])});
  return table;
}

int run_mutants(Session &session, const MutantsFlags &flags) {
  check_writable("--csv", flags.csv);
  if (flags.row && !flags.sequence.empty())
    wrong_use("--row is \"{}\" and --sequence is \"{}\", expected only one of them", *flags.row, flags.sequence);
  int64_t row = flags.row.value_or(0);
  const Model model = read_model(session, "MODEL", flags.model);
  const ModelSequences data = read_model_sequences(session, "DATA", flags.data, flags.input, {}, model.get());
  if (!flags.sequence.empty()) row = find_sequence(data, flags.sequence, flags.data);
  if (row >= data.count()) wrong_use("--row is \"{}\", expected one of the {} sequences of {}, 0-based", row, data.count(), flags.data);
  const std::string name = atp_alignment_name(data.data.get(), row);
  const std::string who = fmt::format("sequence {}{}", row, name.empty() ? "" : ", " + name);
  const auto table_of = flags.mutations.empty() ? single_mutants : listed_mutants;
  table_of(session, flags, model.get(), data.row(row), who).write(session, flags.csv);
  return kDone;
}

}  // namespace

void add_mutants(Program &program) {
  auto flags = std::make_shared<MutantsFlags>();
  CLI::App *app = program.add("mutants", "compute the change of energy and log pseudo-likelihood for mutants of a sequence",
                              "attopotts mutants model.h5 family.fasta --sequence DYR_ECOLI --csv mutants.csv",
                              [flags](Session &session) { return run_mutants(session, *flags); });
  app->add_option("MODEL", flags->model, "the model")->required();
  app->add_option("DATA", flags->data, "file with the sequence to mutate; if the model has no gap, gaps are missing sites")->required();
  app->add_option("--row", flags->row, "number of the sequence, 0-based; default 0")->transform(count(0))->type_name("N");
  app->add_option("--sequence", flags->sequence, "name of the sequence")->type_name("NAME");
  app->add_option("--mutations", flags->mutations,
                  "file with a mutant on each line instead of all single mutants: A110D, or several mutations at once as A110D/N146D, "
                  "A110D:N146D or A110D,N146D; numbers are the model's site numbers")
      ->type_name("FILE");
  app->add_option("--csv", flags->csv, "output file of the table; -: standard output")->type_name("FILE")->capture_default_str();
  flags->input.add(app);
}

}  // namespace cli
