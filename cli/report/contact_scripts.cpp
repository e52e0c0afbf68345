// SPDX-License-Identifier: MIT
#include "report/contact_map.hpp"

#include "text/csv.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace cli {

namespace {

// Of contacts, and of other pairs: visible to everyone, also on grey.
constexpr const char *kPairColors[] = {"0072b2", "d55e00"};
constexpr const char *kGroups[] = {"contact", "no_contact"};

bool is_plain(const std::string &name) {
  return std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0; });
}

// A comment. PyMOL runs what follows a semicolon in one.
std::string comment(std::string text) {
  std::replace(text.begin(), text.end(), ';', ',');
  return csv_note(text);
}

// Whether a script can name the atom: in PyMOL quotes have no escape.
bool has_name(const SiteResidue &residue) { return !residue.marker.empty() && residue.chain.find_first_of("\"\\") == std::string::npos; }

// The name of a chain: in quotes where it has other characters than letters and digits, or none.
std::string chain_text(const std::string &name) { return !name.empty() && is_plain(name) ? name : '"' + name + '"'; }

// The atom that stands for a residue. In PyMOL a number below zero needs a backslash, and of alternative locations the first counts.
std::string pymol_atom(const SiteResidue &residue) {
  const std::string number = residue.number[0] == '-' ? "\\" + residue.number : residue.number;
  return fmt::format("first (attopotts and chain {} and resi {} and name {})", chain_text(residue.chain), number, residue.marker);
}

std::string chimerax_atom(const SiteResidue &residue, const std::string &model) {
  const std::string chain = residue.chain.empty()     ? ""
                            : is_plain(residue.chain) ? "/" + residue.chain
                                                      : "//chain_id=" + chain_text(residue.chain);
  return fmt::format("{}{}:{}@{}", model, chain, residue.number, residue.marker);
}

// The beginning: the structure as a grey ribbon.
std::string opening(Viewer viewer, const std::string &path, const std::string &model) {
  const bool open = path != "-";
  if (viewer == Viewer::pymol)
    return (open ? fmt::format("/cmd.load({}, \"attopotts\")\n", json_string(path)) : "") +
           "hide everything, attopotts\nshow cartoon, attopotts\ncolor gray80, attopotts\n";
  return (open ? fmt::format("open {}\n", json_string(path)) : "") +
         fmt::format("hide {0} atoms\nshow {0} cartoons\ncolor {0} gray\n", model);
}

}  // namespace

std::string contact_script(const Session &session, Viewer viewer, const ContactMap &map, const Structure &structure) {
  const std::string model = structure.models > 1 ? "#1.1" : "#1";
  int64_t counts[] = {0, 0}, left_out = 0;
  std::string lines;
  for (std::size_t k = 0; k < map.ranks.size(); ++k) {
    const int64_t i = map.pairs[2 * k], j = map.pairs[2 * k + 1];
    const double distance = distance_of(map, i, j);
    const auto [one, other] = std::isnan(distance) ? std::pair<SiteResidue, SiteResidue>() : map.structure.residues(i, j);
    if (!has_name(one) || !has_name(other)) {
      ++left_out;
      continue;
    }
    const int group = distance < map.cutoff ? 0 : 1;
    ++counts[group];
    lines += fmt::format("# pair {}: sites {} and {}, distance {:.4g}\n", map.ranks[k], map.numbers[i], map.numbers[j], distance);
    lines += viewer == Viewer::pymol ? fmt::format("distance {}, {}, {}\n", kGroups[group], pymol_atom(one), pymol_atom(other))
                                     : fmt::format("pbond {} {} color #{} radius 0.2 dashes 0 name {}\n", chimerax_atom(one, model),
                                                   chimerax_atom(other, model), kPairColors[group], kGroups[group]);
  }
  for (const int group : {0, 1})
    if (viewer == Viewer::pymol && counts[group] > 0)
      lines += fmt::format("hide labels, {0}\nset dash_gap, 0, {0}\ncolor 0x{1}, {0}\n", kGroups[group], kPairColors[group]);
  return comment(fmt::format("attopotts {}", atp_version_string())) + comment("command: " + session.command_line) +
         comment(
             fmt::format("{} pairs nearer than {:g} in blue, {} others in orange, {} without both residues in the structure have no line",
                         counts[0], map.cutoff, counts[1], left_out)) +
         opening(viewer, structure.path, model) + lines;
}

}  // namespace cli
