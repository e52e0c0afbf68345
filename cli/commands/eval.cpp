// SPDX-License-Identifier: MIT
// attopotts eval: losses of a model on sequences.
#include "commands/commands.hpp"

#include "support/files.hpp"
#include "support/csv_table.hpp"

#include <cmath>

namespace cli {

namespace {

struct EvalFlags {
  std::string model, data, truth, independent, csv = "-";
  Rows rows, independent_rows;
  std::optional<AutoFraction> pseudocount;
  DataFlags input;
  const CLI::App *app = nullptr;
};

// Returns the loss on `data` of the site-independent model with the frequencies of `reference`.
double independent_loss(const atp_alignment *data, const atp_alignment *reference, double pseudocount) {
  const int64_t size = atp_alignment_sites(reference) * atp_alignment_colors(reference);
  std::vector<double> frequencies(static_cast<std::size_t>(size));
  check(atp_alignment_frequencies(reference, pseudocount, frequencies.data(), size));
  double loss = 0;
  check(atp_alignment_independent_loss(data, frequencies.data(), size, &loss), "--independent");
  return loss;
}

int run_eval(Session &session, const EvalFlags &flags) {
  check_writable("--csv", flags.csv);
  needs(flags.app, "--independent-rows", !flags.independent.empty(), "with --independent");
  const Model model = read_model(session, "MODEL", flags.model);
  const Alignment data = read_data(session, "DATA", flags.data, flags.input, flags.rows, model.get());
  double loss = 0, optimal = std::nan(""), error = std::nan(""), independent = std::nan("");
  check(atp_model_loss(session.context.get(), model.get(), data.get(), &loss), flags.data);
  if (!flags.truth.empty()) {
    const Model truth = read_model(session, "--truth", flags.truth);
    check(atp_model_loss(session.context.get(), truth.get(), data.get(), &optimal), "--truth " + flags.truth);
    check(atp_model_coupling_error(session.context.get(), model.get(), truth.get(), &error), "--truth " + flags.truth);
  }
  if (!flags.independent.empty()) {
    const Alignment reference =
        read_data(session, "--independent", flags.independent, flags.input.for_test(), flags.independent_rows, model.get());
    // One count of the uniform distribution gives a probability to colours that the reference lacks.
    const AutoFraction asked = flags.pseudocount.value_or(AutoFraction());
    const double pseudocount = asked.automatic ? 1 / (1 + atp_alignment_effective_count(reference.get())) : asked.value;
    independent = independent_loss(data.get(), reference.get(), pseudocount);
  }
  std::vector<std::string> columns = {"sequences", "sites", "loss", "optimal_loss", "coupling_error"};
  std::vector<std::string> cells = {cell(atp_alignment_count(data.get())), cell(atp_alignment_sites(data.get())), cell(loss), cell(optimal),
                                    cell(error)};
  if (!flags.independent.empty()) {
    columns.push_back("independent_loss");
    cells.push_back(cell(independent));
  }
  Table table(session, columns);
  table.row(cells);
  table.write(session, flags.csv);
  return kDone;
}

}  // namespace

void add_eval(Program &program) {
  auto flags = std::make_shared<EvalFlags>();
  CLI::App *app = program.add("eval", "compute the loss of a model on sequences, in nats per site",
                              "attopotts eval learned.h5 data.h5 --rows 3000:3000 --truth truth.h5",
                              [flags](Session &session) { return run_eval(session, *flags); });
  flags->app = app;
  app->add_option("MODEL", flags->model, "the model")->required();
  app->add_option("DATA", flags->data, "sequences, in HDF5, as an alignment or as integers")->required();
  app->add_option("--truth", flags->truth, "model that generated the data; fills optimal_loss and coupling_error")->type_name("MODEL");
  add_rows(app, "--rows", flags->rows, "use only COUNT sequences, starting at FIRST (0-based)");
  app->add_option("--independent", flags->independent,
                  "adds independent_loss: the loss of the site-independent model with the frequencies of these sequences")
      ->type_name("DATA");
  add_rows(app, "--independent-rows", flags->independent_rows, "use only COUNT sequences of --independent, starting at FIRST");
  add_auto_fraction(app, "--pseudocount", flags->pseudocount,
                    "share of the uniform distribution in the site-independent model, 0..1; auto: the weight of one sequence")
      ->type_name("C")
      ->default_str("auto");
  app->add_option("--csv", flags->csv, "output file of the table; -: standard output")->type_name("FILE")->capture_default_str();
  flags->input.add(app);
}

}  // namespace cli
