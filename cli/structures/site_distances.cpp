// SPDX-License-Identifier: MIT
#include "structures/site_distances.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace cli {

namespace {

double squared(const AtomPosition &a, const AtomPosition &b) {
  const double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
  return x * x + y * y + z * z;
}

// The atoms that count, as a range.
struct Range {
  const AtomPosition *begin = nullptr;
  int64_t size = 0;
};

Range range_of(const StructureResidue &residue, AtomChoice atoms) {
  if (atoms == AtomChoice::heavy) return {residue.atoms.data(), static_cast<int64_t>(residue.atoms.size())};
  if (atoms == AtomChoice::side_chain)
    return {residue.atoms.data() + residue.side, static_cast<int64_t>(residue.atoms.size()) - residue.side};
  const int64_t place = atoms == AtomChoice::alpha ? residue.alpha : residue.beta;
  return place < 0 ? Range{} : Range{&residue.atoms[static_cast<std::size_t>(place)], 1};
}

// The ranges of a chain's residues at the sites.
std::vector<Range> ranges_of(const PlacedChain &placed, AtomChoice atoms) {
  std::vector<Range> ranges;
  for (const int64_t residue : placed.of_site)
    ranges.push_back(residue < 0 ? Range{} : range_of(placed.chain->residues[static_cast<std::size_t>(residue)], atoms));
  return ranges;
}

std::vector<SiteResidue> residues_of(const PlacedChain &placed) {
  std::vector<SiteResidue> residues;
  for (const int64_t place : placed.of_site) {
    if (place < 0) {
      residues.emplace_back();
      continue;
    }
    const StructureResidue &residue = placed.chain->residues[static_cast<std::size_t>(place)];
    residues.push_back({placed.chain->name, residue.number, residue.marker, residue.letter});
  }
  return residues;
}

double smallest_squared(const Range &a, const Range &b) {
  double smallest = HUGE_VAL;
  for (int64_t k = 0; k < a.size; ++k)
    for (int64_t l = 0; l < b.size; ++l) smallest = std::fmin(smallest, squared(a.begin[k], b.begin[l]));
  return smallest;
}

// The name of a chain as one word of a list: a percent sign and the code in place of what ends a word, a line or a cell.
std::string chain_word(const std::string &name) {
  std::string word;
  for (const char c : name) word += std::string(" #,;\"'%").find(c) == std::string::npos ? std::string(1, c) : fmt::format("%{:02X}", c);
  return word;
}

bool counts(const std::vector<PlacedChain> &chains, std::size_t a, std::size_t b, Copies copies) {
  return a == b || chains[a].protein != chains[b].protein || copies == Copies::inter;
}

}  // namespace

std::string SiteDistances::chains(int64_t i, int64_t j) const {
  return origin(i, j) < 0 ? "" : pairs[static_cast<std::size_t>(origin(i, j))];
}

std::string SiteDistances::letter(int64_t i) const {
  for (const std::vector<SiteResidue> &chain : of_chains)
    if (const char letter = chain[static_cast<std::size_t>(i)].letter; letter != '\0') return std::string(1, letter);
  return "";
}

bool SiteDistances::between_chains(int64_t i, int64_t j) const {
  if (origin(i, j) < 0) return false;
  return origin(i, j) / chain_count() != origin(i, j) % chain_count();
}

std::pair<SiteResidue, SiteResidue> SiteDistances::residues(int64_t i, int64_t j) const {
  const auto of = [&](int64_t chain, int64_t site) { return of_chains[static_cast<std::size_t>(chain)][static_cast<std::size_t>(site)]; };
  return {of(origin(i, j) / chain_count(), i), of(origin(i, j) % chain_count(), j)};
}

SiteDistances site_distances(const std::vector<PlacedChain> &chains, int64_t sites, AtomChoice atoms, Copies copies) {
  SiteDistances made;
  made.sites = sites;
  const auto size = static_cast<std::size_t>(sites * sites);
  made.values.assign(size, std::nan(""));
  made.origins.assign(size, -1);
  made.resolved.assign(static_cast<std::size_t>(sites), 0);
  std::vector<std::vector<Range>> ranges;
  for (const PlacedChain &chain : chains) {
    ranges.push_back(ranges_of(chain, atoms));
    made.of_chains.push_back(residues_of(chain));
  }
  for (std::size_t a = 0; a < chains.size(); ++a)
    for (std::size_t b = 0; b < chains.size(); ++b) {
      made.pairs.push_back(chain_word(chains[a].chain->name) + "-" + chain_word(chains[b].chain->name));
      if (!counts(chains, a, b, copies)) continue;
      for (int64_t i = 0; i < sites; ++i) {
        const Range &first = ranges[a][static_cast<std::size_t>(i)];
        if (first.size > 0) made.resolved[static_cast<std::size_t>(i)] = 1;
        for (int64_t j = i + 1; first.size > 0 && j < sites; ++j) {
          const Range &second = ranges[b][static_cast<std::size_t>(j)];
          if (second.size == 0) continue;
          const double distance = std::sqrt(smallest_squared(first, second));
          const auto place = static_cast<std::size_t>(i * sites + j), mirror = static_cast<std::size_t>(j * sites + i);
          if (distance >= made.values[place]) continue;
          made.values[place] = made.values[mirror] = distance;
          made.origins[place] = static_cast<int32_t>(a * chains.size() + b);
          made.origins[mirror] = static_cast<int32_t>(b * chains.size() + a);
        }
      }
    }
  for (int64_t i = 0; i < sites; ++i) made.values[static_cast<std::size_t>(i * (sites + 1))] = 0;
  return made;
}

}  // namespace cli
