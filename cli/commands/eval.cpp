// SPDX-License-Identifier: MIT
// attopotts eval: losses of a model on sequences.
#include "commands/commands.hpp"

#include "run/log_z.hpp"
#include "run/model_sequences.hpp"
#include "run/csv_table.hpp"
#include "flags/validators.hpp"

#include <cmath>

namespace cli {

namespace {

struct EvalFlags {
  std::string model, data, truth, independent, csv = "-";
  Rows rows, independent_rows;
  std::optional<AutoFraction> pseudocount;
  DataFlags input;
  bool log_likelihood = false;
  const CLI::App *app = nullptr;
};

// Returns the loss on `data` of the site-independent model with the frequencies of `reference`.
double independent_loss(const Alignment &data, const Alignment &reference, double pseudocount) {
  const std::vector<double> frequencies = reference.frequencies(pseudocount);
  return labelled("--independent", [&] { return data.independent_loss(frequencies); });
}

double loss_on(const Session &session, const Model &model, const ModelSequences &data, const std::string &what) {
  return labelled(what, [&] { return model.loss(session.context, data.data); });
}

// The loss of the site-independent model of --independent. One count of the uniform distribution gives a probability to colours that the
// reference lacks.
double independent_of(const Session &session, const EvalFlags &flags, const ModelSequences &data, const Model &model) {
  const ModelSequences reference = read_model_sequences(session, "--independent", flags.independent, flags.input.for_test(),
                                                        flags.independent_rows, model.get(), SequenceUse::sums);
  const AutoFraction asked = flags.pseudocount.value_or(AutoFraction());
  const double pseudocount = asked.automatic ? 1 / (1 + reference.data.effective_count()) : asked.value;
  if (!data.gaps_missing) return independent_loss(data.data, reference.data, pseudocount);
  Model independent;
  check(atp_model_create_independent(session.context.get(), reference.data.get(), ATP_GAPS_IGNORE, pseudocount, out(independent)),
        "--independent");
  return loss_on(session, independent, data, "--independent");
}

// The mean log P of the sequences without missing sites, by their weights and per site, and what the model has. Returns a note.
std::string add_likelihood(const Session &session, const Model &model, const ModelSequences &data, const std::string &path,
                           std::vector<std::string> &columns, std::vector<std::string> &cells) {
  const LogZ log_z = estimate_log_z(session, model);
  const attopotts::Partition &found = log_z.of_model;
  const attopotts::MeanLogP log_p =
      labelled(path, [&] { return attopotts::mean_log_p(session.context, model, data.data, found.log_z, found.log_z_error); });
  for (const char *name : {"log_p", "log_z", "log_z_error", "entropy", "entropy_error", "log_p_error"}) columns.emplace_back(name);
  for (double value : {log_p.value, found.log_z, found.log_z_error, found.entropy, found.entropy_error, log_p.error})
    cells.push_back(cell(value));
  return log_z.text;
}

int run_eval(Session &session, const EvalFlags &flags) {
  needs(flags.app, "--test-rows", !flags.independent.empty(), "with --independent");
  needs_log_likelihood(session, flags.log_likelihood, "eval");
  const Model model = read_model(session, "MODEL", flags.model, flags.input.alphabet);
  const ModelSequences data = read_model_sequences(session, "DATA", flags.data, flags.input, flags.rows, model.get(), SequenceUse::sums);
  const double loss = loss_on(session, model, data, flags.data);
  bool incomparable = false;
  double optimal = std::nan(""), error = std::nan(""), independent = std::nan("");
  if (!flags.truth.empty()) {
    const Model truth = read_model(session, "--truth", flags.truth);
    if (truth.is_ordered() == model.is_ordered()) optimal = loss_on(session, truth, data, "--truth " + flags.truth);
    incomparable = atp_model_coupling_error(session.context.get(), model.get(), truth.get(), &error) == ATP_E_CONFLICT;
    if (!incomparable) error = labelled("--truth " + flags.truth, [&] { return model.coupling_error(session.context, truth); });
  }
  if (!flags.independent.empty()) independent = independent_of(session, flags, data, model);
  std::vector<std::string> columns = {"sequences", "sites", "loss", "optimal_loss", "coupling_error"};
  std::vector<std::string> cells = {cell(data.count()), cell(data.data.sites()), cell(loss), cell(optimal), cell(error)};
  if (!flags.independent.empty()) {
    columns.push_back("independent_loss");
    cells.push_back(cell(independent));
  }
  std::string likelihood;
  if (flags.log_likelihood) likelihood = add_likelihood(session, model, data, flags.data, columns, cells);
  Table table(session, columns);
  if (flags.log_likelihood) table.note(likelihood);
  if (data.gaps_missing) table.note("the model has no gap: gaps are missing, and losses are means over the other sites");
  if (model.is_ordered()) table.note("the model is autoregressive: the loss is -log P per site, in nats");
  if (incomparable)
    table.note(
        "optimal_loss and coupling_error are empty: losses and couplings of Potts models and of autoregressive ones mean other things");
  table.row(cells);
  table.write(session, flags.csv);
  return kDone;
}

void add_eval(CLI::App *app, EvalFlags *flags) {
  flags->app = app;
  app->add_option("MODEL", flags->model, "the model")->check(input_file())->required();
  app->add_option("DATA", flags->data, "sequences, in HDF5, as an alignment or as integers")->check(input_file())->required();
  app->add_option("--truth", flags->truth, "model that generated the data; fills optimal_loss and coupling_error")
      ->check(input_file())
      ->type_name("MODEL");
  add_rows(app, "--rows", flags->rows, "use only COUNT sequences, starting at FIRST (0-based)");
  app->add_option("--independent", flags->independent,
                  "adds independent_loss: the loss of the site-independent model with the frequencies of these sequences")
      ->check(input_file())
      ->type_name("DATA");
  add_rows(app, "--test-rows", flags->independent_rows, "use only COUNT sequences of --independent, starting at FIRST");
  add_auto_fraction(app, "--pseudocount", flags->pseudocount,
                    "share of the uniform distribution in the site-independent model, 0..1; auto: the weight of one sequence")
      ->type_name("C")
      ->default_str("auto");
  add_log_likelihood(app, flags->log_likelihood,
                     "adds log_p, the mean log P of the sequences in nats per site, its error, log Z and entropy");
  add_csv(app, flags->csv);
  flags->input.add(app);
}

}  // namespace

const Command kEvalCommand = {"eval",
                              "compute the loss of a model on sequences, in nats per site",
                              kOfModels,
                              "attopotts eval learned.h5 data.h5 --rows 3000:3000 --truth truth.h5",
                              "--truth --rows --independent --pseudocount --log-likelihood --csv --alphabet --theta",
                              with_flags<EvalFlags, add_eval, run_eval>,
                              {{ATP_OWNER_ALIGNMENT, ATP_OWNER_PARTITION}}};

}  // namespace cli
