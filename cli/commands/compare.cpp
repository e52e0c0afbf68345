// SPDX-License-Identifier: MIT
// attopotts compare: statistics of samples against those of data.
#include "commands/commands.hpp"

#include "commands/sample_quality.hpp"
#include "report/pages.hpp"
#include "run/files.hpp"
#include "run/csv_table.hpp"
#include "run/model_sequences.hpp"
#include "run/signals.hpp"
#include "run/system.hpp"
#include "flags/validators.hpp"

#include <algorithm>

namespace cli {

namespace {

struct CompareFlags {
  std::string data, samples, report, picture, measures, histograms, components, csv = "-";
  Rows rows, samples_rows;
  std::optional<atp_gaps> gaps;  // of the samples
  int64_t splits = 10;
  DataFlags input;
};

int64_t times(const atp_alignment *sequences, int64_t color) {
  const uint8_t *values = atp_alignment_sequences_view(sequences);
  return std::count(values, values + atp_alignment_count(sequences) * atp_alignment_sites(sequences), static_cast<uint8_t>(color));
}

// The same sequences with one colour less: in their alphabet without its first symbol, or, as whole numbers, with the same numbers.
Alignment without_gap(const Session &session, const atp_alignment *samples, bool symbols) {
  const int64_t n = atp_alignment_count(samples), sites = atp_alignment_sites(samples);
  const uint8_t *from = atp_alignment_sequences_view(samples);
  std::vector<uint8_t> values(from, from + n * sites);
  for (uint8_t &value : values) value = static_cast<uint8_t>(value - (symbols ? 1 : 0));
  Alignment made;
  check(atp_alignment_create(session.context.get(), values.data(), n, sites, atp_alignment_colors(samples) - 1,
                             atp_alignment_weights_view(samples), out(made)));
  if (symbols) check(atp_alignment_set_alphabet(made.get(), atp_alignment_alphabet(samples) + 1));
  check(atp_alignment_set_sites(made.get(), atp_alignment_site_numbers_view(samples), sites, atp_alignment_site_residues(samples)));
  check(atp_alignment_set_columns(made.get(), atp_alignment_columns_view(samples), sites, atp_alignment_total_columns(samples)));
  return made;
}

// Decides whether samples are of a model without a gap, which their text does not say. Read in the colours of the data, such samples never
// have the gap, or as whole numbers the last colour. This is taken as evidence if samples with the frequencies of the data would have at
// least ten.
Alignment as_their_model(const Session &session, const CompareFlags &flags, const atp_alignment *data, Alignment samples) {
  constexpr double kExpected = 10;
  const bool symbols = *atp_alignment_alphabet(samples.get()) != '\0';
  const int64_t color = symbols ? 0 : atp_alignment_colors(data) - 1;
  const auto size = [](const atp_alignment *of) { return static_cast<double>(atp_alignment_count(of) * atp_alignment_sites(of)); };
  const double expected = static_cast<double>(times(data, color)) * size(samples.get()) / size(data);
  if (atp_alignment_colors(data) < 3 || expected < kExpected || times(samples.get(), color) > 0) return samples;
  session.message(
      fmt::format("{} never has {}, as samples of a model without a gap: they are compared without gaps (--gaps state counts the gap as a "
                  "colour)",
                  flags.samples, symbols ? fmt::format("the gap {:.1}", atp_alignment_alphabet(data)) : fmt::format("colour {}", color)));
  return without_gap(session, samples.get(), symbols);
}

// Reads SAMPLES in the colours of the data, or in one colour less.
Alignment read_samples(const Session &session, const CompareFlags &flags, const atp_alignment *data) {
  DataFlags sampled = flags.input.as_they_are();
  const int64_t fewer = flags.gaps == ATP_GAPS_IGNORE ? 1 : 0;
  if (sampled.alphabet.empty()) sampled.alphabet = atp_alignment_alphabet(data);
  if (fewer > 0 && !sampled.alphabet.empty()) sampled.alphabet = std::string(atp_alignment_alphabet(data)).substr(1);
  sampled.colors = atp_alignment_colors(data) - fewer;
  InputFile file = open_input(session, "SAMPLES", flags.samples);
  const std::string kind = file.kind();
  Alignment samples = read_data(session, std::move(file), sampled, flags.samples_rows);
  const bool told = kind == "alignment" || flags.gaps;
  return told || atp_alignment_colors(samples.get()) != atp_alignment_colors(data)
             ? std::move(samples)
             : as_their_model(session, flags, data, std::move(samples));
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

void add_notes(Table &table, const atp_alignment *data, const atp_alignment *samples, int64_t splits) {
  const bool gapless = atp_alignment_colors(samples) != atp_alignment_colors(data);
  const double weight = atp_alignment_effective_count(data), of_samples = atp_alignment_effective_count(samples);
  table.note("slope: of the samples over the data; rms and largest: of their differences");
  table.note(fmt::format("data: {} sequences of summed weight {:.10g}; samples: {}", atp_alignment_count(data), weight,
                         atp_alignment_count(samples)));
  if (gapless) table.note("the samples have no gap: gaps of the data are missing, each pair of sites counts the sequences that have both");
  if (splits < 1) return;
  table.note(fmt::format(
      "_parts: what independent samples of these sizes would give: mean and standard deviation (_sd) over {} random splits of "
      "the data into a part of summed weight {:.4g} and the rest; rms and largest are extended to these sizes as errors, which go as "
      "the root of 1/n, pearson and slope as those of true values with such errors{}",
      splits, std::min(of_samples, weight / 2), gapless ? "; the gap is a colour in them, not in those of C_ijk" : ""));
}

constexpr int kComparisonShown[] = {ATP_COMPARISON_PEARSON, ATP_COMPARISON_SLOPE, ATP_COMPARISON_RMS, ATP_COMPARISON_LARGEST};

std::vector<double> covariances_of(const atp_alignment *data) {
  const int64_t block = atp_alignment_sites(data) * atp_alignment_colors(data), size = block * block;
  std::vector<double> covariances(static_cast<std::size_t>(size));
  check(atp_alignment_covariances(data, 0, covariances.data(), size));
  return covariances;
}

void report_comparison(const Session &session, const CompareFlags &flags, const Alignment &whole, const Alignment &drawn,
                       const SampleQuality &quality, const Table &table) {
  if (flags.report.empty() || !is_first_rank()) return;
  const atp_alignment *data = whole.get(), *samples = drawn.get();
  const int64_t sites = atp_alignment_sites(samples), q = atp_alignment_colors(samples), gap = atp_alignment_colors(data) - q;
  CompareReport report;
  report.data = without_folder(flags.data);
  report.samples = without_folder(flags.samples);
  report.facts = {{"Data", fmt::format("{}: {} sequences of summed weight {:.6g}", report.data, atp_alignment_count(data),
                                       atp_alignment_effective_count(data))},
                  {"Samples", fmt::format("{}: {} sequences", report.samples, atp_alignment_count(samples))},
                  {"Sites and colours", fmt::format("{}, {}{}", sites, q, gap > 0 ? ", gaps of the data are missing" : "")}};
  report.table = parse_table(table.text());
  report.colors = q;
  const int64_t *numbers = atp_alignment_site_numbers_view(data);
  report.numbers.assign(numbers, numbers + sites);
  const std::string alphabet = atp_alignment_alphabet(data);
  for (int64_t a = gap; a < q + gap; ++a)
    report.symbols.push_back(alphabet.empty() ? fmt::format("colour {}", a) : alphabet.substr(static_cast<std::size_t>(a), 1));
  report.in_data = frequencies_of(whole, gap > 0);
  report.in_samples = frequencies_of(drawn, false);
  if (gap == 0 && sites * sites * q * q <= kMostCovariances) {
    report.c_data = covariances_of(data);
    report.c_samples = covariances_of(samples);
  }
  report.components = quality.components_chart();
  report.distances = quality.distance_charts();
  report.measures = parse_table(quality.measures(session).text());
  write_compare_page(session, flags.report, report);
}

Table comparison_table(const Session &session, const SampleQuality &quality) {
  std::vector<std::string> columns = {"statistic", "pearson", "slope", "rms", "largest", "count"};
  for (const char *name : {"pearson", "slope", "rms", "largest"}) {
    columns.push_back(std::string(name) + "_parts");
    columns.push_back(std::string(name) + "_parts_sd");
  }
  Table table(session, columns);
  for (const auto &[name, row] : {std::pair{"f_i", ATP_QUALITY_SITES}, std::pair{"f_ij", ATP_QUALITY_PAIRS},
                                  std::pair{"C_ij", ATP_QUALITY_COVARIANCES}, std::pair{"C_ijk", ATP_QUALITY_TRIPLES}}) {
    std::vector<std::string> cells = {name};
    for (int column : kComparisonShown) cells.push_back(cell(quality.number(row + column, ATP_QUALITY_SAMPLES)));
    cells.push_back(cell(quality.number(static_cast<int>(row) + ATP_COMPARISON_COUNT, ATP_QUALITY_SAMPLES)));
    for (int column : kComparisonShown)
      for (const atp_quality_column of : {ATP_QUALITY_PARTS, ATP_QUALITY_PARTS_SD}) cells.push_back(cell(quality.number(row + column, of)));
    table.row(cells);
  }
  return table;
}

void write_tables(const Session &session, const CompareFlags &flags, const SampleQuality &quality, const Table &table) {
  table.write(session, flags.csv);
  if (!flags.measures.empty()) quality.measures(session).write(session, flags.measures);
  if (!flags.histograms.empty()) quality.histograms(session).write(session, flags.histograms);
  if (!flags.components.empty()) quality.components(session).write(session, flags.components);
  if (flags.picture.empty()) return;
  std::vector<Chart> charts = {quality.components_chart()};
  for (Chart &chart : quality.distance_charts()) charts.push_back(std::move(chart));
  write_picture(session, flags.picture, {fmt::format("{} against {}", without_folder(flags.samples), without_folder(flags.data))}, charts);
}

int run_compare(Session &session, const CompareFlags &flags) {
  check_report(flags.report);
  check_picture(flags.picture);
  Alignment data = read_data(session, "DATA", flags.data, flags.input, flags.rows);
  const Alignment samples = read_samples(session, flags, data.get());
  data = onto_alignment(session, "DATA", flags.data, std::move(data), samples.get());
  require_same_sites(flags, data.get(), samples.get());
  const EndAtOnce comparing;
  const SampleQuality quality(session, data, samples, flags.splits);
  for (const std::string &fault : quality.faults()) session.say("warning: {}", fault);
  Table table = comparison_table(session, quality);
  add_notes(table, data.get(), samples.get(), flags.splits);
  write_tables(session, flags, quality, table);
  report_comparison(session, flags, data, samples, quality, table);
  return quality.cannot_tell() ? kNotConverged : kDone;
}

void add_compare(CLI::App *app, CompareFlags *flags) {
  app->add_option("DATA", flags->data, "sequences from which the model was learned")->check(input_file())->required();
  app->add_option("SAMPLES", flags->samples, "samples of the model; if they have one colour less, gaps in DATA are missing data")
      ->check(input_file())
      ->required();
  add_rows(app, "--rows", flags->rows, "use only COUNT sequences of DATA, starting at FIRST (0-based)");
  add_rows(app, "--test-rows", flags->samples_rows, "use only COUNT sequences of SAMPLES, starting at FIRST");
  add_choice(app, "--gaps", flags->gaps, words_of_option<atp_gaps>(ATP_OWNER_TRAINER, ATP_OPT_GAPS),
             "the gap in SAMPLES: a colour (state), or there is none (ignore); default: none if samples as text never have it")
      ->type_name("WHAT");
  app->add_option("--runs", flags->splits,
                  "number of random splits of DATA whose parts are compared with each other, as independent samples would be; 0: none")
      ->transform(count(0, 100000))
      ->type_name("N")
      ->capture_default_str();
  const auto add_table_file = [app](const char *flag, std::string &path, const char *what) {
    app->add_option(flag, path, fmt::format("write a table of {}", what))->check(output_file())->type_name("FILE");
  };
  add_table_file("--measures", flags->measures, "all numbers, also those of principal components and distances, with limits");
  add_table_file("--histograms", flags->histograms,
                 "the distributions of the distance to the nearest sequence of DATA, and of the distance of two sequences");
  add_table_file("--components", flags->components, "the coordinates of data and samples along the first two principal components of DATA");
  add_picture(app, flags->picture, "the principal components and the distributions of distances");
  add_report(app, flags->report);
  add_csv(app, flags->csv);
  flags->input.add(app);
}

}  // namespace

const Command kCompareCommand = {
    "compare",
    "compare samples with data: frequencies, correlations of two and three sites, principal components, distances",
    kOfSequences,
    "attopotts compare family.fasta samples.h5 --alphabet protein",
    "--rows --measures --histograms --components --picture --report --csv --alphabet --theta --focus",
    with_flags<CompareFlags, add_compare, run_compare>,
    {{ATP_OWNER_ALIGNMENT, ATP_OWNER_QUALITY}, "runs"}};

}  // namespace cli
