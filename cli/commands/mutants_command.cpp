// SPDX-License-Identifier: MIT
// attopotts mutants: all single mutants of one sequence.
#include "commands/commands.hpp"

#include "support/model_sequences.hpp"
#include "support/csv_table.hpp"

#include <algorithm>

namespace cli {

namespace {

struct MutantsFlags {
  std::string model, data, sequence, csv = "-";
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

int run_mutants(Session &session, const MutantsFlags &flags) {
  check_writable("--csv", flags.csv);
  if (flags.row && !flags.sequence.empty())
    wrong_use("--row is \"{}\" and --sequence is \"{}\", expected only one of them", *flags.row, flags.sequence);
  int64_t row = flags.row.value_or(0);
  const Model model = read_model(session, "MODEL", flags.model);
  const ModelSequences data = read_model_sequences(session, "DATA", flags.data, flags.input, {}, model.get());
  if (!flags.sequence.empty()) row = find_sequence(data, flags.sequence, flags.data);
  if (row >= data.count()) wrong_use("--row is \"{}\", expected one of the {} sequences of {}, 0-based", row, data.count(), flags.data);

  const int64_t sites = atp_model_sites(model.get()), colors = atp_model_colors(model.get());
  const uint8_t *sequence = data.row(row);
  std::vector<double> energies(static_cast<std::size_t>(sites * colors)), values(energies.size());
  check(atp_model_mutants(session.context.get(), model.get(), sequence, sites, energies.data(), values.data(), sites * colors), flags.data);
  const std::string name = atp_alignment_name(data.data.get(), row);
  const int64_t *numbers = atp_model_site_numbers_view(model.get());
  Table table(session, {"site", "number", "from", "to", "energy", "log_pseudolikelihood"});
  table.note(fmt::format("single mutants of sequence {}{}", row, name.empty() ? "" : ", " + name));
  table.note("energy: H(mutant) - H(sequence), without beta; negative: the mutant is more probable");
  table.note("log_pseudolikelihood: of the mutant less that of the sequence, in nats; positive: the mutant is more probable");
  if (atp_model_is_symmetric(model.get()) == 0) table.note("the couplings are not symmetric: energies are those of their symmetric part");
  const int64_t missing = std::count(sequence, sequence + sites, static_cast<uint8_t>(ATP_MISSING));
  if (missing > 0)
    table.note(fmt::format("the model has no gap: {} sites are missing, \"from\" is empty, a mutant fills the site in", missing));
  for (int64_t i = 0; i < sites; ++i)
    for (int64_t a = 0; a < colors; ++a) {
      if (a == sequence[i]) continue;
      const auto at = static_cast<std::size_t>(i * colors + a);
      table.row({cell(i), cell(numbers[i]), sequence[i] == ATP_MISSING ? "" : color_name(model.get(), sequence[i]),
                 color_name(model.get(), a), cell(energies[at]), cell(values[at])});
    }
  table.write(session, flags.csv);
  return kDone;
}

}  // namespace

void add_mutants(Program &program) {
  auto flags = std::make_shared<MutantsFlags>();
  CLI::App *app = program.add("mutants", "compute the change of energy and log pseudo-likelihood for each single mutant of a sequence",
                              "attopotts mutants model.h5 family.fasta --sequence DYR_ECOLI --csv mutants.csv",
                              [flags](Session &session) { return run_mutants(session, *flags); });
  app->add_option("MODEL", flags->model, "the model")->required();
  app->add_option("DATA", flags->data, "file with the sequence to mutate; if the model has no gap, gaps are missing sites")->required();
  app->add_option("--row", flags->row, "number of the sequence, 0-based; default 0")->transform(count(0))->type_name("N");
  app->add_option("--sequence", flags->sequence, "name of the sequence")->type_name("NAME");
  app->add_option("--csv", flags->csv, "output file of the table; -: standard output")->type_name("FILE")->capture_default_str();
  flags->input.add(app);
}

}  // namespace cli
