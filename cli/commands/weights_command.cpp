// SPDX-License-Identifier: MIT
// attopotts weights: the effective number of sequences against the threshold of similarity.
#include "commands/commands.hpp"

#include "report/pages.hpp"
#include "run/csv_table.hpp"
#include "run/files.hpp"
#include "run/system.hpp"
#include "flags/validators.hpp"

#include <cmath>

namespace cli {

namespace {

struct WeightsFlags {
  std::string data, picture, csv = "-";
  std::vector<double> thetas;
  Rows rows;
  DataFlags input;
};

constexpr double kFirst = 0.02, kLast = 0.6;  // thetas without --thetas
constexpr int kCount = 30;

std::vector<double> usual_thetas() {
  std::vector<double> thetas;
  for (int k = 0; k < kCount; ++k) thetas.push_back(kFirst + (kLast - kFirst) * k / (kCount - 1));
  return thetas;
}

int run_weights(Session &session, const WeightsFlags &flags) {
  check_picture(flags.picture);
  DataFlags input = flags.input;
  const atp_weight_rule rule = input.weight_rule.value_or(ATP_WEIGHTS_INCLUSIVE);
  if (!input.weighs_by_identity()) input.weight_rule.reset();  // it is that of the table
  const Alignment data = read_data(session, "DATA", flags.data, input, flags.rows);
  std::vector<double> thetas = flags.thetas.empty() ? usual_thetas() : flags.thetas;
  const std::size_t asked = thetas.size();
  // That of --theta auto; all in one comparison of all pairs.
  const double automatic = data.count() < 2 ? std::nan("") : data.auto_theta();
  if (std::isfinite(automatic)) thetas.push_back(automatic);
  const ResultTable found = attopotts::scan_weights(session.context, data, thetas, rule);
  const double effective = std::isfinite(automatic) ? found(found.rows() - 1, ATP_WEIGHTS_EFFECTIVE) : std::nan("");
  Table table(session, {"theta", "effective", "effective_per_site", "alone", "largest"});
  const double sites = static_cast<double>(data.sites());
  for (int64_t row = 0; row < static_cast<int64_t>(asked); ++row) {
    const auto value = [&](int column) { return found(row, column); };
    table.row({cell(value(ATP_WEIGHTS_THETA)), cell(value(ATP_WEIGHTS_EFFECTIVE)), cell(value(ATP_WEIGHTS_EFFECTIVE) / sites),
               cell(value(ATP_WEIGHTS_ALONE)), cell(value(ATP_WEIGHTS_LARGEST))});
  }
  table.write(session, flags.csv);
  const int64_t count = data.count();
  if (std::isfinite(automatic)) session.say("automatic theta {:.6g}: effective number {:.1f} of {} sequences", automatic, effective, count);
  write_picture(session, flags.picture, {fmt::format("{}: {} sequences", without_folder(flags.data), count)},
                std::vector<Chart>{weights_chart(parse_table(table.text()), automatic, effective)});
  return kDone;
}

void add_weights(CLI::App *app, WeightsFlags *flags) {
  app->add_option("DATA", flags->data, "sequences, in HDF5, as an alignment or as integers; -: standard input")
      ->check(input_file())
      ->required();
  add_list(app, "--thetas", flags->thetas, 0, 1,
           "thresholds: fractions of the columns in which neighbours may differ; default 0.02:0.6:30");
  add_rows(app, "--rows", flags->rows, "use only COUNT sequences, starting at FIRST (0-based)");
  add_picture(app, flags->picture, "the effective number against theta");
  add_csv(app, flags->csv);
  flags->input.add(app);
}

}  // namespace

const Command kWeightsCommand = {"weights",
                                 "compute the effective number of sequences for many thresholds of similarity",
                                 kOfSequences,
                                 "attopotts weights family.fasta --alphabet protein --weight-rule residues --picture scan.svg",
                                 "--thetas --rows --picture --csv --alphabet --weight-rule --focus --max-gaps-sequence --max-gaps-column",
                                 with_flags<WeightsFlags, add_weights, run_weights>,
                                 {{ATP_OWNER_ALIGNMENT}}};

}  // namespace cli
