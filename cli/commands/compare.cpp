// SPDX-License-Identifier: MIT
// attopotts compare: one- and two-point statistics of samples against those of data.
#include "commands/commands.hpp"

#include "support/files.hpp"
#include "support/csv_table.hpp"

namespace cli {

namespace {

struct CompareFlags {
  std::string data, samples, samples_alphabet, csv = "-";
  Rows rows, samples_rows;
  std::optional<int64_t> samples_colors;
  DataFlags input;
};

int run_compare(Session &session, const CompareFlags &flags) {
  check_writable("--csv", flags.csv);
  const Alignment data = read_data(session, "DATA", flags.data, flags.input, flags.rows);
  DataFlags sampled = flags.input.as_they_are();
  if (!flags.samples_alphabet.empty()) sampled.alphabet = flags.samples_alphabet;
  if (sampled.alphabet.empty()) sampled.alphabet = atp_alignment_alphabet(data.get());
  sampled.colors = flags.samples_colors;
  if (!sampled.colors && flags.samples_alphabet.empty()) sampled.colors = atp_alignment_colors(data.get());
  const Alignment samples = read_data(session, "SAMPLES", flags.samples, sampled, flags.samples_rows);
  const int64_t q = atp_alignment_colors(data.get()), other = atp_alignment_colors(samples.get());
  if (atp_alignment_sites(samples.get()) != atp_alignment_sites(data.get()) || (other != q && other != q - 1))
    wrong_use("SAMPLES {} has {} sites and {} colours, expected {} and {} as in DATA, or one colour less: no gap", flags.samples,
              atp_alignment_sites(samples.get()), other, atp_alignment_sites(data.get()), q);
  const std::string theirs = atp_alignment_alphabet(samples.get()), own = atp_alignment_alphabet(data.get());
  if (!own.empty() && !theirs.empty() && own.substr(other == q ? 0 : 1) != theirs)
    wrong_use("SAMPLES {} has the alphabet {}, expected {} as in DATA, or that without its first symbol", flags.samples, theirs, own);
  double numbers[ATP_COMPARISON_ROWS][ATP_COMPARISON_COLUMNS];
  check(atp_statistics_compare(session.context.get(), data.get(), samples.get(), numbers[0], ATP_COMPARISON_ROWS * ATP_COMPARISON_COLUMNS));
  Table table(session, {"statistic", "pearson", "slope", "rms", "largest", "count"});
  table.note("slope: of the samples over the data; rms and largest: of their differences");
  table.note(fmt::format("data: {} sequences of summed weight {:.10g}; samples: {}", atp_alignment_count(data.get()),
                         atp_alignment_effective_count(data.get()), atp_alignment_count(samples.get())));
  if (other != q)
    table.note("the samples have no gap: gaps of the data are missing, each pair of sites counts the sequences that have both");
  static const char *names[] = {"f_i", "f_ij", "C_ij"};
  for (int r = 0; r < ATP_COMPARISON_ROWS; ++r) {
    const double *n = numbers[r];
    table.row({names[r], cell(n[ATP_COMPARISON_PEARSON]), cell(n[ATP_COMPARISON_SLOPE]), cell(n[ATP_COMPARISON_RMS]),
               cell(n[ATP_COMPARISON_LARGEST]), cell(n[ATP_COMPARISON_COUNT])});
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
  app->add_option("--csv", flags->csv, "output file of the table; -: standard output")->type_name("FILE")->capture_default_str();
  flags->input.add(app);
}

}  // namespace cli
