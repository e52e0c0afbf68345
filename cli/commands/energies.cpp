// SPDX-License-Identifier: MIT
// attopotts energies: energy, log pseudo-likelihood and log-likelihood of each sequence.
#include "commands/commands.hpp"

#include "run/log_z.hpp"
#include "run/model_sequences.hpp"
#include "run/csv_table.hpp"
#include "flags/validators.hpp"

#include <cmath>

namespace cli {

namespace {

struct EnergiesFlags {
  std::string model, data, csv = "-";
  Rows rows;
  DataFlags input;
  bool log_likelihood = false;
};

int run_energies(Session &session, const EnergiesFlags &flags) {
  needs_log_likelihood(session, flags.log_likelihood, "energies");
  const Model model = read_model(session, "MODEL", flags.model, flags.input.alphabet);
  const ModelSequences data = read_model_sequences(session, "DATA", flags.data, flags.input, flags.rows, model.get());
  const int64_t n = data.count();
  const std::vector<double> energies = labelled(flags.data, [&] { return model.energies(data.values); });
  const std::vector<double> values = labelled(flags.data, [&] { return model.log_pseudolikelihoods(data.values); });
  std::vector<std::string> columns = {"sequence", "name", "energy", "log_pseudolikelihood"};
  LogZ log_z;
  std::vector<double> log_p;
  if (flags.log_likelihood) {
    log_z = estimate_log_z(session, model);
    log_p = log_probabilities(log_z, data, energies);
    columns.push_back("log_p");
  }
  Table table(session, columns);
  if (flags.log_likelihood) table.note(log_z.text);
  const auto above = std::count_if(log_p.begin(), log_p.end(), [&](double p) { return p > 4 * log_z.of_model.log_z_error; });
  if (flags.log_likelihood) {  // which warns where log P is above 0
    const attopotts::MeanLogP mean = labelled(flags.data, [&] {
      return attopotts::mean_log_p(session.context, model, data.data, log_z.of_model.log_z, log_z.of_model.log_z_error);
    });
    if (std::isfinite(mean.value))
      table.note(fmt::format("mean log P {:.6g} +- {:.2g} nats per site{}", mean.value, mean.error,
                             above > 0 ? fmt::format("; WRONG: that of {} is above 0", counted(above, "sequence")) : ""));
  }
  if (model.is_ordered())
    table.note("the model is autoregressive: energy is -log P, log_pseudolikelihood is log P, in nats");
  else if (!model.is_symmetric())
    table.note("the couplings are not symmetric: energies are those of their symmetric part");
  if (data.missing > 0) table.note(fmt::format("the model has no gap: {} sequences have missing sites, which enter no sum", data.missing));
  for (int64_t k = 0; k < n; ++k) {
    const auto at = static_cast<std::size_t>(k);
    std::vector<std::string> row = {cell(flags.rows.first + k), data.data.name(k), cell(energies[at]), cell(values[at])};
    if (flags.log_likelihood) row.push_back(cell(log_p[at]));
    table.row(row);
  }
  table.write(session, flags.csv);
  return above > 0 ? kNotConverged : kDone;
}

void add_energies(CLI::App *app, EnergiesFlags *flags) {
  app->add_option("MODEL", flags->model, "the model")->check(input_file())->required();
  app->add_option("DATA", flags->data, "the sequences; if the model has no gap, gaps are missing sites")->check(input_file())->required();
  add_rows(app, "--rows", flags->rows, "use only COUNT sequences, starting at FIRST (0-based)");
  add_log_likelihood(app, flags->log_likelihood, "adds log_p, log P of each sequence in nats");
  add_csv(app, flags->csv);
  flags->input.add(app);
}

}  // namespace

const Command kEnergiesCommand = {"energies",
                                  "compute energy (without beta) and log pseudo-likelihood (in nats) of each sequence",
                                  kOfModels,
                                  "attopotts energies model.h5 family.fasta --csv energies.csv",
                                  "--rows --log-likelihood --csv --alphabet",
                                  with_flags<EnergiesFlags, add_energies, run_energies>,
                                  {{ATP_OWNER_ALIGNMENT, ATP_OWNER_PARTITION}}};

}  // namespace cli
