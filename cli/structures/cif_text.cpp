// SPDX-License-Identifier: MIT
#include "structures/strict_text.hpp"

#include <gemmi/cifdoc.hpp>
#include <gemmi/numb.hpp>
#include <gemmi/resinfo.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <stdexcept>

namespace cli {

namespace {

enum Column {
  kX,
  kY,
  kZ,
  kOccupancy,
  kFactor,
  kSymbol,
  kSerial,
  kAlternative,
  kGroup,
  kAuthors,
  kLabel = kAuthors + 4,
  kColumns = kLabel + 4
};
enum Name { kAtom, kResidue, kChain, kNumber };  // after kAuthors and kLabel
constexpr const char *kNames[kColumns] = {"Cartn_x",       "Cartn_y",      "Cartn_z",      "occupancy",     "B_iso_or_equiv",
                                          "type_symbol",   "id",           "label_alt_id", "group_PDB",     "auth_atom_id",
                                          "auth_comp_id",  "auth_asym_id", "auth_seq_id",  "label_atom_id", "label_comp_id",
                                          "label_asym_id", "label_seq_id"};

constexpr int authors(Name name) { return static_cast<int>(kAuthors) + static_cast<int>(name); }
constexpr int label(Name name) { return static_cast<int>(kLabel) + static_cast<int>(name); }

// The table of atoms.
class AtomTable {
 public:
  explicit AtomTable(gemmi::cif::Loop &loop) : loop_(loop) {}

  void complete() {
    for (const int column : {kX, kY, kZ}) require(column, column);
    for (const Name name : {kAtom, kResidue, kNumber}) require(authors(name), label(name));
    add({kOccupancy, kFactor, kSymbol, kSerial, kAlternative, label(kChain), authors(kAtom), authors(kResidue), authors(kChain),
         authors(kNumber)});
    for (int k = 0; k < kColumns; ++k) places_[k] = find(k);
    for (std::size_t row = 0; row < loop_.length(); ++row) complete(row);
  }

 private:
  int find(int column) const { return loop_.find_tag(std::string("_atom_site.") + kNames[column]); }

  // One of two columns must be there.
  void require(int one, int other) const {
    if (find(one) >= 0 || find(other) >= 0) return;
    throw std::runtime_error(fmt::format("the table of atoms (_atom_site) has no column {}{}", kNames[one],
                                         one == other ? "" : fmt::format(", and no {}", kNames[other])));
  }

  // Adds those of the columns that are missing, without values.
  void add(const std::vector<int> &columns) {
    const std::size_t width = loop_.width(), rows = loop_.length();
    for (const int column : columns)
      if (find(column) < 0) loop_.tags.push_back(std::string("_atom_site.") + kNames[column]);
    const std::size_t wider = loop_.width();
    if (wider == width) return;
    loop_.values.resize(rows * wider);
    for (std::size_t row = rows; row-- > 0;)
      for (std::size_t k = wider; k-- > 0;) {
        std::string text = k < width ? std::move(loop_.values[row * width + k]) : ".";
        loop_.values[row * wider + k] = std::move(text);
      }
  }

  std::string &value(std::size_t row, int column) { return loop_.values[row * loop_.width() + static_cast<std::size_t>(places_[column])]; }
  bool has(std::size_t row, int column) { return places_[column] >= 0 && !gemmi::cif::is_null(value(row, column)); }
  std::string text(std::size_t row, int column) { return has(row, column) ? gemmi::cif::as_string(value(row, column)) : ""; }
  std::string name(std::size_t row, Name of) { return text(row, authors(of)); }

  [[noreturn]] void refuse(std::size_t row, int column, const std::string &expected) {
    throw std::runtime_error(fmt::format("atom {} ({} of {} {}): {} is \"{}\", expected {}", row + 1, name(row, kAtom), name(row, kResidue),
                                         name(row, kNumber), kNames[column], value(row, column), expected));
  }
  void check_number(std::size_t row, int column) {
    if (!(std::fabs(gemmi::cif::as_number(value(row, column))) <= kMostCoordinate))
      refuse(row, column, fmt::format("a number in -{0:.0f}..{0:.0f}", kMostCoordinate));
  }
  // A whole number; in old files the authors' insertion code is behind it.
  void check_residue_number(std::size_t row, int column) {
    if (!has(row, column)) return;
    constexpr std::size_t kMostDigits = 9;
    std::string digits = text(row, column);
    if (!digits.empty() && (digits[0] == '-' || digits[0] == '+')) digits.erase(0, 1);
    if (column == authors(kNumber) && !digits.empty() && std::isalpha(static_cast<unsigned char>(digits.back())) != 0) digits.pop_back();
    if (digits.empty() || digits.size() > kMostDigits || digits.find_first_not_of("0123456789") != std::string::npos)
      refuse(row, column, fmt::format("a whole number of at most {} digits", kMostDigits));
  }

  // The element of an atom by its name: an ion has the name of its residue, all other elements that count here have one letter.
  std::string element(std::size_t row) {
    const std::string atom = name(row, kAtom);
    if (atom == name(row, kResidue)) return atom;
    const std::size_t first = atom.find_first_not_of("0123456789'\"");
    return first == std::string::npos ? "X" : atom.substr(first, 1);
  }

  void complete(std::size_t row) {
    for (const Name of : {kAtom, kResidue, kChain, kNumber})
      if (!has(row, authors(of)) && has(row, label(of))) value(row, authors(of)) = value(row, label(of));
    if (!has(row, kSymbol)) value(row, kSymbol) = element(row);
    for (const int column : {kX, kY, kZ}) check_number(row, column);
    for (const int column : {kOccupancy, kFactor})
      if (has(row, column)) check_number(row, column);
    for (const int column : {authors(kNumber), label(kNumber)}) check_residue_number(row, column);
    const gemmi::ResidueInfo residue = gemmi::find_tabulated_residue(name(row, kResidue));
    if (!has(row, authors(kNumber)) && text(row, kGroup) != "HETATM" && (residue.is_amino_acid() || residue.is_nucleic_acid()))
      refuse(row, authors(kNumber), "the number of the residue, there or in label_seq_id");
  }

  gemmi::cif::Loop &loop_;
  int places_[kColumns] = {};
};

// gemmi takes the tags of atoms from any loop, also behind others.
bool has_atoms(const gemmi::cif::Loop &loop) {
  return std::any_of(loop.tags.begin(), loop.tags.end(), [](const std::string &tag) { return gemmi::istarts_with(tag, "_atom_site."); });
}

}  // namespace

void complete_cif(gemmi::cif::Document &document) {
  for (gemmi::cif::Block &block : document.blocks)
    for (gemmi::cif::Item &item : block.items)
      if (item.type == gemmi::cif::ItemType::Loop && has_atoms(item.loop)) AtomTable(item.loop).complete();
}

}  // namespace cli
