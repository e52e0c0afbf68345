// SPDX-License-Identifier: MIT
#include "commands/site_weights.hpp"

#include "flags/validators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace cli {

namespace {

std::size_t count_of(const atp_model *model) { return static_cast<std::size_t>(atp_model_sites(model)); }

// Weights of a table by the numbers of the sites; 1 where it has none.
SiteWeights weights_of_table(const WildType &wild, const SiteWeightFlags &flags) {
  const SideTable table = read_side_table(wild.session, "--site-weights", flags.file, ATP_CELLS_NAMED);
  const int64_t number = table.find({"number", "position", "pos", "site"}), weight = table.find({flags.column});
  if (number < 0 || weight < 0)
    wrong_use("--site-weights {} has the columns {}, expected number, position, pos or site, and {}", flags.file,
              printable(fmt::format("{}", fmt::join(table.columns, ", "))), flags.column);
  if (table.rows.empty()) wrong_use("--site-weights {} has no rows, expected the weight of at least one site", flags.file);
  const std::size_t sites = count_of(wild.model);
  const int64_t *numbers = atp_model_site_numbers_view(wild.model);
  std::vector<double> found(sites, std::nan(""));
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const std::string &name = table.rows[r][static_cast<std::size_t>(number)], &text = table.rows[r][static_cast<std::size_t>(weight)];
    const double at = number_in(name), value = number_in(text);
    const auto place =
        static_cast<std::size_t>(std::find_if(numbers, numbers + sites, [&](int64_t n) { return static_cast<double>(n) == at; }) - numbers);
    if (place == sites)
      wrong_use("--site-weights {}: line {} has site \"{}\", which the model does not have", flags.file, table.lines[r], printable(name));
    if (!std::isfinite(value) || value < 0)
      wrong_use("--site-weights {}: line {} has {} \"{}\", expected a number of at least 0", flags.file, table.lines[r], flags.column,
                printable(text));
    if (!std::isnan(found[place])) wrong_use("--site-weights {}: line {} has site {} again", flags.file, table.lines[r], name);
    found[place] = value;
  }
  const auto without = std::count_if(found.begin(), found.end(), [](double x) { return std::isnan(x); });
  for (double &value : found)
    if (std::isnan(value)) value = 1;
  return {found, fmt::format("site weights: column {} of {}; {} sites without a row have weight 1", flags.column, flags.file, without)};
}

Sites sites_of_sequence(const WildType &wild) {
  const int64_t sites = atp_model_sites(wild.model), *numbers = atp_model_site_numbers_view(wild.model);
  Sites made{"the sites of the sequence", "", {numbers, numbers + sites}, border_of(wild.model)};
  for (int64_t i = 0; i < sites; ++i) made.residues += wild.sequence[i] == ATP_MISSING ? '-' : color_name(wild.model, wild.sequence[i])[0];
  return made;
}

void write_accessibility(const WildType &wild, const SiteWeightFlags &flags, const Sites &sites, const SiteAccessibility (&found)[2],
                         const std::vector<double> &weights) {
  Table table(wild.session, {"site", "number", "residue", "area", "rsa", "area_chain", "rsa_chain", "weight"});
  table.note(
      fmt::format("accessible areas in {}, square Angstrom, by Shrake and Rupley (1973): 960 points, a probe of 1.4 Angstrom, radii "
                  "of DSSP; area: with all chains, area_chain: of the chain alone",
                  flags.structure.file));
  table.note("rsa: relative to the largest area of the residue, Tien et al. (2013), theoretical; empty: not observed");
  const auto shown = [](double value) { return std::isnan(value) ? std::string() : cell(value); };
  for (std::size_t i = 0; i < weights.size(); ++i)
    table.row({cell(static_cast<int64_t>(i)), cell(sites.numbers[i]), std::string(1, sites.residues[i]), shown(found[0].areas[i]),
               shown(found[0].relative[i]), shown(found[1].areas[i]), shown(found[1].relative[i]), cell(weights[i])});
  table.write(wild.session, flags.accessibility);
}

// 1 - RSA, at least 0; sites that the structure does not show have the mean weight of the others.
SiteWeights weights_of_structure(const WildType &wild, const SiteWeightFlags &flags) {
  require_alphabet(wild.model, "--structure", flags.structure.file);
  const Structure structure = read_structure(wild.session, flags.structure);
  const Sites sites = sites_of_sequence(wild);
  const std::vector<PlacedChain> chains = place_chains(wild.session, flags.structure, structure, sites).chains;
  const SiteAccessibility found[] = {site_accessibility(structure, chains, Surface::complex),
                                     site_accessibility(structure, chains, Surface::chain)};
  SiteWeights made{found[flags.surface == Surface::complex ? 0 : 1].relative, ""};
  double sum = 0, known = 0;
  for (double &value : made.values) {
    if (std::isnan(value)) continue;
    value = 1 - std::min(1.0, value);
    sum += value;
    known += 1;
  }
  if (known == 0)
    wrong_use("--structure {} shows no residue of the sequence with a known largest area, expected a protein", flags.structure.file);
  for (double &value : made.values)
    if (std::isnan(value)) value = sum / known;
  made.note =
      fmt::format("site weights: 1 - relative solvent accessibility {} in {}, mean {:.3f}; {} sites that it does not show have the mean",
                  flags.surface == Surface::complex ? "in the complex" : "of the chain alone", flags.structure.file, sum / known,
                  static_cast<double>(made.values.size()) - known);
  if (!flags.accessibility.empty()) write_accessibility(wild, flags, sites, found, made.values);
  if (!flags.by_accessibility) made = {};
  return made;
}

}  // namespace

void SiteWeightFlags::add(CLI::App *app) {
  static const Words<Surface> surfaces = {{"complex", Surface::complex}, {"chain", Surface::chain}};
  structure.copies = Copies::none;
  app->add_option("--structure", structure.file,
                  "structure of the protein, PDB or mmCIF, plain or packed by gzip; aligned with the sequence")
      ->check(input_file())
      ->type_name("FILE");
  app->add_flag("--rsa", by_accessibility, "with --structure: sites count with 1 - their relative solvent accessibility");
  add_choice(app, "--surface", surface, surfaces, "with --rsa: covered by all chains of the structure, or by the own chain alone")
      ->type_name("WHAT");
  app->add_option("--accessibility", accessibility, "with --structure: write the accessibility of the sites, CSV")
      ->check(output_file())
      ->type_name("FILE");
  app->add_option("--site-weights", file, "table of weights with which sites count, as CSV with a column of site numbers")
      ->check(input_file())
      ->type_name("FILE");
  app->add_option("--weight-column", column, "its column of weights")->type_name("NAME")->capture_default_str();
  structure.add_chains(app);
}

void SiteWeightFlags::check_values(const CLI::App *app) const {
  for (const char *flag : {"--rsa", "--accessibility", "--chains", "--min-plddt", "--details", "--force-structure", "--paired"})
    needs(app, flag, !structure.file.empty(), "with --structure");
  needs(app, "--surface", by_accessibility, "with --rsa");
  needs(app, "--weight-column", !file.empty(), "with --site-weights");
  needs(app, "--structure", by_accessibility || !accessibility.empty(), "with --rsa or --accessibility");
  if (by_accessibility && !file.empty()) wrong_use("--rsa and --site-weights are both given, expected only one of them");
}

Model weigh_sites(const Session &session, const atp_model *model, const SiteWeights &weights) {
  Model made;
  check(atp_model_weigh_sites(session.context.get(), model, weights.values.data(), static_cast<int64_t>(weights.values.size()), out(made)),
        "site weights");
  return made;
}

SiteWeights site_weights(const WildType &wild, const SiteWeightFlags &flags) {
  SiteWeights made;
  if (!flags.structure.file.empty()) made = weights_of_structure(wild, flags);
  if (!flags.file.empty()) made = weights_of_table(wild, flags);
  return made;
}

}  // namespace cli
