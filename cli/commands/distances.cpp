// SPDX-License-Identifier: MIT
// attopotts distances: distances between sites in a structure, as a file for --distances.
#include "commands/commands.hpp"

#include "structures/structure_flags.hpp"
#include "text/csv.hpp"
#include "run/files.hpp"
#include "run/memory.hpp"
#include "flags/validators.hpp"

#include <algorithm>
#include <cmath>

namespace cli {

namespace {

struct DistancesFlags {
  CLI::App *app = nullptr;
  std::string input, output = "-";
  StructureFlags structure;
  DataFlags data;
  std::vector<const CLI::Option *> of_sequences;  // the flags that need sequences
};

std::string text_of(const Session &session, const DistancesFlags &flags, const SiteDistances &distances, const Sites &sites) {
  const std::string columns = "i j chains distance";
  std::string text = columns + "\n";
  if (session.comments)
    text = csv_note(fmt::format("attopotts {}", atp_version_string())) + csv_note("command: " + session.command_line) +
           csv_note("structure: " + flags.structure.file) + csv_note("distances in angstrom") + csv_note(columns);
  const auto number = [&](int64_t i) { return sites.numbers[static_cast<std::size_t>(i)]; };
  for (int64_t i = 0; i < distances.sites; ++i)
    for (int64_t j = i + 1; j < distances.sites; ++j) {
      const double distance = distances.values[static_cast<std::size_t>(i * distances.sites + j)];
      if (std::isnan(distance)) continue;
      text += fmt::format("{} {} {} {}\n", number(i), number(j), distances.chains(i, j), cell(distance));
    }
  return text;
}

int run_distances(const Session &session, const DistancesFlags &flags) {
  flags.structure.check_values(flags.app);
  const Structure structure = read_structure(session, flags.structure);
  InputFile input = open_input(session, "INPUT", flags.input);
  const bool model = is_model(input);
  if (model) refuse_for_model(flags.of_sequences, flags.input);
  const Sites sites = model ? sites_of(session, flags.structure, read_model(session, input).get())
                            : sites_of(session, flags.structure, read_data(session, std::move(input), flags.data).get());
  constexpr double kText = 25;  // a line for each two cells, in a string that grows by doubling
  require_pair_tables(session, static_cast<int64_t>(sites.numbers.size()), kStructureBytes + kText);
  const SiteDistances distances = measure_structure(session, flags.structure, structure, sites);
  stop_if_interrupted();
  write_text(session, flags.output, text_of(session, flags, distances, sites));
  return kDone;
}

void add_distances(CLI::App *app, DistancesFlags *flags) {
  flags->app = app;
  app->add_option("INPUT", flags->input, "the sites: a model, or sequences; -: standard input")->check(input_file())->required();
  flags->structure.add(app);
  app->get_option("--structure")->required();
  app->add_option("-o,--output", flags->output, "output file, lines `i j chains distance`; -: standard output")
      ->check(output_file())
      ->type_name("FILE")
      ->capture_default_str();
  const std::vector<CLI::Option *> before = app->get_options();
  flags->data.add(app);
  for (const CLI::Option *option : app->get_options())
    if (std::find(before.begin(), before.end(), option) == before.end()) flags->of_sequences.push_back(option);
}

}  // namespace

const Command kDistancesCommand = {
    "distances",
    "write the distances between sites in a structure, for --distances of contacts",
    kOfSequences,
    "attopotts distances family.fasta --alphabet protein --structure 1abc.cif.gz --chains A -o distances.txt",
    "--structure --chains --paired --output --alphabet --focus",
    with_flags<DistancesFlags, add_distances, run_distances>,
    {{ATP_OWNER_ALIGNMENT}}};

}  // namespace cli
