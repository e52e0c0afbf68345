// SPDX-License-Identifier: MIT
// attopotts compare: one- and two-point statistics of samples against those of data.
#include "commands/commands.hpp"

#include "commands/compare_parts.hpp"
#include "support/files.hpp"
#include "support/model_columns.hpp"
#include "support/csv_table.hpp"

namespace cli {

namespace {

struct CompareFlags {
  std::string data, samples, samples_alphabet, csv = "-";
  Rows rows, samples_rows;
  std::optional<int64_t> samples_colors;
  int64_t splits = 10;
  DataFlags input;
};

// Reads SAMPLES in the colours of the data, or in one colour less.
Alignment read_samples(const Session &session, const CompareFlags &flags, const atp_alignment *data) {
  DataFlags sampled = flags.input.as_they_are();
  if (!flags.samples_alphabet.empty()) sampled.alphabet = flags.samples_alphabet;
  if (sampled.alphabet.empty()) sampled.alphabet = atp_alignment_alphabet(data);
  sampled.colors = flags.samples_colors;
  if (!sampled.colors && flags.samples_alphabet.empty()) sampled.colors = atp_alignment_colors(data);
  Alignment samples = read_data(session, "SAMPLES", flags.samples, sampled, flags.samples_rows);
  return samples;
}

void require_same_sites(const CompareFlags &flags, const atp_alignment *data, const atp_alignment *samples) {
  const int64_t q = atp_alignment_colors(data), other = atp_alignment_colors(samples);
  if (atp_alignment_sites(samples) != atp_alignment_sites(data) || (other != q && other != q - 1))
    wrong_use("SAMPLES {} has {} sites and {} colours, expected {} and {} as in DATA, or one colour less: no gap", flags.samples,
              atp_alignment_sites(samples), other, atp_alignment_sites(data), q);
  const std::string theirs = atp_alignment_alphabet(samples), own = atp_alignment_alphabet(data);
  if (!own.empty() && !theirs.empty() && own.substr(other == q ? 0 : 1) != theirs)
    wrong_use("SAMPLES {} has the alphabet {}, expected {} as in DATA, or that without its first symbol", flags.samples, theirs, own);
}

void add_notes(Table &table, const atp_alignment *data, const atp_alignment *samples, const PartsComparison &parts, int64_t splits) {
  const bool gapless = atp_alignment_colors(samples) != atp_alignment_colors(data);
  table.note("slope: of the samples over the data; rms and largest: of their differences");
  table.note(fmt::format("data: {} sequences of summed weight {:.10g}; samples: {}", atp_alignment_count(data),
                         atp_alignment_effective_count(data), atp_alignment_count(samples)));
  if (gapless) table.note("the samples have no gap: gaps of the data are missing, each pair of sites counts the sequences that have both");
  if (splits < 1) return;
  table.note(fmt::format(
      "_parts: what independent samples of these sizes would give: mean and standard deviation (_sd) over {} random splits of "
      "the data into parts of summed weight {:.4g} and {:.4g}; rms and largest are extended to these sizes as errors, which go as "
      "the root of 1/n, pearson and slope as those of true values with such errors{}",
      splits, parts.small, parts.rest, gapless ? "; the gap is a colour in them" : ""));
}

constexpr int kComparisonShown[] = {ATP_COMPARISON_PEARSON, ATP_COMPARISON_SLOPE, ATP_COMPARISON_RMS, ATP_COMPARISON_LARGEST};

int run_compare(Session &session, const CompareFlags &flags) {
  check_writable("--csv", flags.csv);
  Alignment data = read_data(session, "DATA", flags.data, flags.input, flags.rows);
  const Alignment samples = read_samples(session, flags, data.get());
  data = onto_alignment(session, "DATA", flags.data, std::move(data), samples.get());
  require_same_sites(flags, data.get(), samples.get());
  const Comparison numbers = compare_statistics(session, data.get(), samples.get());
  const PartsComparison parts = compare_parts(session, data.get(), atp_alignment_effective_count(samples.get()), flags.splits);
  std::vector<std::string> columns = {"statistic", "pearson", "slope", "rms", "largest", "count"};
  for (const char *name : {"pearson", "slope", "rms", "largest"}) {
    columns.push_back(std::string(name) + "_parts");
    columns.push_back(std::string(name) + "_parts_sd");
  }
  Table table(session, columns);
  add_notes(table, data.get(), samples.get(), parts, flags.splits);
  static const char *const names[] = {"f_i", "f_ij", "C_ij"};
  for (std::size_t r = 0; r < ATP_COMPARISON_ROWS; ++r) {
    std::vector<std::string> cells = {names[r]};
    for (int column : kComparisonShown) cells.push_back(cell(numbers[r][static_cast<std::size_t>(column)]));
    cells.push_back(cell(numbers[r][ATP_COMPARISON_COUNT]));
    for (int column : kComparisonShown)
      for (const Comparison *of : {&parts.mean, &parts.deviation}) cells.push_back(cell((*of)[r][static_cast<std::size_t>(column)]));
    table.row(cells);
  }
  table.write(session, flags.csv);
  return kDone;
}

}  // namespace

void add_compare(Program &program) {
  auto flags = std::make_shared<CompareFlags>();
  CLI::App *app = program.add("compare", "compare frequencies, pair frequencies and covariances of samples with those of data",
                              "attopotts compare family.fasta samples.h5 --alphabet protein",
                              [flags](Session &session) { return run_compare(session, *flags); });
  app->add_option("DATA", flags->data, "sequences from which the model was learned")->required();
  app->add_option("SAMPLES", flags->samples, "samples of the model; if they have one colour less, gaps in DATA are missing data")
      ->required();
  add_rows(app, "--rows", flags->rows, "use only COUNT sequences of DATA, starting at FIRST (0-based)");
  add_rows(app, "--samples-rows", flags->samples_rows, "use only COUNT sequences of SAMPLES, starting at FIRST");
  app->add_option("--samples-alphabet", flags->samples_alphabet, "symbols of SAMPLES; default: those of DATA")
      ->check(alphabet_name())
      ->type_name("NAME");
  app->add_option("--samples-colors", flags->samples_colors, "number of colours of SAMPLES in a file of integers; default: that of DATA")
      ->transform(count(2, 255))
      ->type_name("Q");
  app->add_option("--splits", flags->splits,
                  "number of random splits of DATA whose parts are compared with each other, as independent samples would be; 0: none")
      ->transform(count(0, 100000))
      ->type_name("N")
      ->capture_default_str();
  app->add_option("--csv", flags->csv, "output file of the table; -: standard output")->type_name("FILE")->capture_default_str();
  flags->input.add(app);
}

}  // namespace cli
