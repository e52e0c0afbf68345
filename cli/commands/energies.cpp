// SPDX-License-Identifier: MIT
// attopotts energies: energy and log pseudo-likelihood of each sequence.
#include "commands/commands.hpp"

#include "run/model_sequences.hpp"
#include "run/csv_table.hpp"
#include "flags/validators.hpp"

#include <algorithm>

namespace cli {

namespace {

struct EnergiesFlags {
  std::string model, data, csv = "-";
  Rows rows;
  DataFlags input;
};

int run_energies(Session &session, const EnergiesFlags &flags) {
  const Model model = read_model(session, "MODEL", flags.model);
  const ModelSequences data = read_model_sequences(session, "DATA", flags.data, flags.input, flags.rows, model.get());
  const int64_t n = data.count();
  const std::vector<double> values = labelled(flags.data, [&] { return model.log_pseudolikelihoods(data.values); });
  std::vector<double> energies(values.size());
  if (model.is_ordered())
    std::transform(values.begin(), values.end(), energies.begin(), [](double log_p) { return -log_p; });
  else
    energies = labelled(flags.data, [&] { return model.energies(data.values); });
  Table table(session, {"sequence", "name", "energy", "log_pseudolikelihood"});
  if (model.is_ordered())
    table.note("the model is autoregressive: energy is -log P, log_pseudolikelihood is log P, in nats");
  else if (!model.is_symmetric())
    table.note("the couplings are not symmetric: energies are those of their symmetric part");
  if (data.missing > 0) table.note(fmt::format("the model has no gap: {} sequences have missing sites, which enter no sum", data.missing));
  for (int64_t k = 0; k < n; ++k) {
    const auto at = static_cast<std::size_t>(k);
    table.row({cell(flags.rows.first + k), data.data.name(k), cell(energies[at]), cell(values[at])});
  }
  table.write(session, flags.csv);
  return kDone;
}

void add_energies(CLI::App *app, EnergiesFlags *flags) {
  app->add_option("MODEL", flags->model, "the model")->check(input_file())->required();
  app->add_option("DATA", flags->data, "the sequences; if the model has no gap, gaps are missing sites")->check(input_file())->required();
  add_rows(app, "--rows", flags->rows, "use only COUNT sequences, starting at FIRST (0-based)");
  add_csv(app, flags->csv);
  flags->input.add(app);
}

}  // namespace

const Command kEnergiesCommand = {"energies",
                                  "compute energy (without beta) and log pseudo-likelihood (in nats) of each sequence",
                                  kOfModels,
                                  "attopotts energies model.h5 family.fasta --csv energies.csv",
                                  "--rows --csv --alphabet",
                                  with_flags<EnergiesFlags, add_energies, run_energies>,
                                  {{ATP_OWNER_ALIGNMENT}}};

}  // namespace cli
