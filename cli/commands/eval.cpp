// SPDX-License-Identifier: MIT
// attopotts eval: how good a model is on data.
#include "commands/commands.hpp"

#include "support/files.hpp"
#include "support/table.hpp"

#include <cmath>

namespace cli {

namespace {

struct EvalFlags {
  std::string model, data, truth, independent, rows, independent_rows, csv = "-";
  std::string pseudocount = "auto";
  DataFlags input;
};

// The loss on `data` of the site-independent model with the frequencies of `reference`.
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
  if (flags.independent.empty() && !flags.independent_rows.empty())
    wrong_use("--independent-rows is \"{}\" without --independent, expected both", flags.independent_rows);
  const Rows rows = parse_rows("--rows", flags.rows), independent_rows = parse_rows("--independent-rows", flags.independent_rows);
  const Model model = read_model(session, "MODEL", flags.model);
  const Alignment data = read_data(session, "DATA", flags.data, flags.input, rows, model.get());
  double loss = 0, optimal = std::nan(""), error = std::nan(""), independent = std::nan("");
  check(atp_model_loss(session.context.get(), model.get(), data.get(), &loss), flags.data);
  if (!flags.truth.empty()) {
    const Model truth = read_model(session, "--truth", flags.truth);
    check(atp_model_loss(session.context.get(), truth.get(), data.get(), &optimal), "--truth " + flags.truth);
    check(atp_model_coupling_error(session.context.get(), model.get(), truth.get(), &error), "--truth " + flags.truth);
  }
  if (!flags.independent.empty()) {
    const Alignment reference =
        read_data(session, "--independent", flags.independent, flags.input.for_test(), independent_rows, model.get());
    // One count of the uniform distribution keeps colours that the reference lacks possible.
    const double pseudocount = flags.pseudocount == "auto" ? 1 / (1 + atp_alignment_effective_count(reference.get()))
                                                           : parse_number("--pseudocount", flags.pseudocount, 0, 1);
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
  CLI::App *app = program.add("eval", "how good a model is on data: losses in nats per site",
                              "attopotts eval learned.h5 data.h5 --rows 3000:3000 --truth truth.h5",
                              [flags](Session &session) { return run_eval(session, *flags); });
  app->add_option("MODEL", flags->model, "the model")->required();
  app->add_option("DATA", flags->data, "the sequences: HDF5, FASTA or integers")->required();
  app->add_option("--truth", flags->truth, "the model that made the data: adds optimal_loss and coupling_error")->type_name("MODEL");
  app->add_option("--rows", flags->rows, "use COUNT sequences from FIRST (0-based) on")->type_name("FIRST:COUNT");
  app->add_option("--independent", flags->independent, "adds independent_loss: of the site-independent model of these sequences")
      ->type_name("DATA");
  app->add_option("--independent-rows", flags->independent_rows, "use these sequences of them")->type_name("FIRST:COUNT");
  app->add_option("--pseudocount", flags->pseudocount, "of the site-independent model, 0..1; auto: one sequence's worth")
      ->type_name("C")
      ->capture_default_str();
  app->add_option("--csv", flags->csv, "where the table goes; -: standard output")->type_name("FILE")->capture_default_str();
  flags->input.add(app);
}

}  // namespace cli
