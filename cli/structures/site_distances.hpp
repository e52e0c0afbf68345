// SPDX-License-Identifier: MIT
// Distances between the sites of a model in a structure.
#pragma once

#include "structures/structure.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace cli {

enum class AtomChoice { heavy, side_chain, alpha, beta };  // between which atoms of two residues the distance is
enum class Copies {
  none,   // the named chains alone
  intra,  // within a chain, the smallest over chains of the same sequence
  inter,  // the same, and between two such chains
};

// A chain with its residue at each site; -1: none.
struct PlacedChain {
  const StructureChain *chain = nullptr;
  int64_t protein = 0;           // of a pair of proteins, 0 or 1
  std::vector<int64_t> of_site;  // [sites]
};

// Chains with their places, and the first site of a second protein; 0: there is one protein.
struct PlacedChains {
  std::vector<PlacedChain> chains;
  int64_t border;
};

// The residue of a chain at a site, by the names of its atoms in the file.
struct SiteResidue {
  std::string chain, number, marker;
  char letter = '\0';  // \0: the chain has no residue there
};

inline constexpr double kStructureBytes = 12;  // of SiteDistances, for each i and j

struct SiteDistances {
  int64_t sites = 0;
  std::vector<double> values;      // [sites][sites], symmetric; NaN: not known; empty: no structure
  std::vector<int32_t> origins;    // [sites][sites], place in `pairs` of the two chains; -1: not known
  std::vector<std::string> pairs;  // two chains: A-A, A-B; without blanks, commas and quotes
  std::vector<char> resolved;      // [sites], whether a chain shows the site
  int64_t border = 0;              // the sites of the first of two proteins, where the chains tell; 0: they do not
  bool empty() const { return values.empty(); }
  // The two chains between which the distance is the smallest, the one of the first site first; "" if it is not known.
  std::string chains(int64_t i, int64_t j) const;
  // The residues of two sites whose distance is known.
  std::pair<SiteResidue, SiteResidue> residues(int64_t i, int64_t j) const;
  // The letter of the residue of a site in the first chain that has one; "" where none has.
  std::string letter(int64_t i) const;
  // Whether these are two chains.
  bool between_chains(int64_t i, int64_t j) const;

  std::vector<std::vector<SiteResidue>> of_chains;  // [chains][sites]

 private:
  int64_t chain_count() const { return static_cast<int64_t>(of_chains.size()); }
  int32_t origin(int64_t i, int64_t j) const { return origins[static_cast<std::size_t>(i * sites + j)]; }
};

// The smallest distances over the chains, and over pairs of chains where `copies` says so, or where the chains are different proteins.
SiteDistances site_distances(const std::vector<PlacedChain> &chains, int64_t sites, AtomChoice atoms, Copies copies);

}  // namespace cli
