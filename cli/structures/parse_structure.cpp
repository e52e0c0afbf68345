// SPDX-License-Identifier: MIT
// The only file that sees gemmi's reader.
#include "structures/structure.hpp"

#include "structures/unpack.hpp"
#include "support/errors.hpp"

#include <gemmi/align.hpp>
#include <gemmi/mmread.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <exception>
#include <new>
#include <stdexcept>

namespace cli {

namespace {

char letter_of(const std::string &name) {
  const char code = gemmi::find_tabulated_residue(name).one_letter_code;
  return code == ' ' ? 'X' : static_cast<char>(std::toupper(static_cast<unsigned char>(code)));
}

// Whether an atom's location, or a residue's, counts before another.
bool comes_before(const gemmi::Atom &a, const gemmi::Atom &b) { return a.occ > b.occ || (a.occ == b.occ && a.altloc < b.altloc); }

// Heavy atoms, each at the location that counts, in the order of the file.
std::vector<const gemmi::Atom *> atoms_of(const gemmi::Residue &residue) {
  std::vector<const gemmi::Atom *> atoms;
  for (const gemmi::Atom &atom : residue.atoms) {
    if (atom.is_hydrogen()) continue;
    const auto same = std::find_if(atoms.begin(), atoms.end(), [&](const gemmi::Atom *other) { return other->name == atom.name; });
    if (same == atoms.end())
      atoms.push_back(&atom);
    else if (comes_before(atom, **same))
      *same = &atom;
  }
  return atoms;
}

StructureResidue residue_of(const gemmi::Residue &residue) {
  StructureResidue made;
  made.letter = letter_of(residue.name);
  made.number = residue.seqid.str();
  for (const gemmi::Atom *atom : atoms_of(residue)) {
    const auto place = static_cast<int64_t>(made.atoms.size());
    if (atom->name == "CA" && atom->element == gemmi::El::C) made.alpha = place;
    if (atom->name == "CB" && atom->element == gemmi::El::C) made.beta = place;
    if (!std::isfinite(atom->pos.x) || !std::isfinite(atom->pos.y) || !std::isfinite(atom->pos.z))
      throw std::runtime_error(fmt::format("atom {} of {} {} has no place", atom->name, residue.name, made.number));
    made.atoms.push_back({atom->pos.x, atom->pos.y, atom->pos.z});
  }
  if (made.letter == 'G') made.beta = made.alpha;
  return made;
}

// One residue for each number: of several kinds at one place the one of highest occupancy, of equal ones the first label.
std::vector<const gemmi::Residue *> kinds_of(const gemmi::ConstResidueSpan &polymer) {
  std::vector<const gemmi::Residue *> residues;
  const auto best = [](const gemmi::Residue &residue) {
    return *std::min_element(residue.atoms.begin(), residue.atoms.end(), comes_before);
  };
  for (const gemmi::Residue &residue : polymer) {
    if (residue.atoms.empty()) continue;
    if (residues.empty() || residues.back()->seqid != residue.seqid)
      residues.push_back(&residue);
    else if (comes_before(best(residue), best(*residues.back())))
      residues.back() = &residue;
  }
  return residues;
}

// Whether every residue has a place of its own in the whole sequence.
bool are_placed(const std::vector<const gemmi::Residue *> &residues, std::size_t length) {
  int last = 0;
  for (const gemmi::Residue *residue : residues) {
    if (!residue->label_seq || *residue->label_seq <= last || static_cast<std::size_t>(*residue->label_seq) > length) return false;
    last = *residue->label_seq;
  }
  return true;
}

void add_residues(const gemmi::Structure &file, const gemmi::ConstResidueSpan &polymer, gemmi::PolymerType type, StructureChain &chain) {
  const std::vector<const gemmi::Residue *> residues = kinds_of(polymer);
  const gemmi::Entity *entity = file.get_entity_of(polymer);
  if (entity != nullptr && !entity->full_sequence.empty() && are_placed(residues, entity->full_sequence.size())) {
    chain.residues.resize(entity->full_sequence.size());
    for (std::size_t k = 0; k < chain.residues.size(); ++k)
      chain.residues[k].letter = letter_of(gemmi::Entity::first_mon(entity->full_sequence[k]));
    for (const gemmi::Residue *residue : residues) chain.residues[static_cast<std::size_t>(*residue->label_seq - 1)] = residue_of(*residue);
    return;
  }
  for (std::size_t k = 0; k < residues.size(); ++k) {
    chain.residues.push_back(residue_of(*residues[k]));
    if (k + 1 < residues.size()) chain.residues.back().interrupted = !gemmi::are_connected3(*residues[k], *residues[k + 1], type);
  }
}

StructureChain chain_of(const gemmi::Structure &file, const gemmi::Chain &chain) {
  StructureChain made;
  made.name = chain.name;
  const gemmi::ConstResidueSpan polymer = chain.get_polymer();
  const gemmi::PolymerType type = gemmi::check_polymer_type(polymer);
  made.protein = gemmi::is_polypeptide(type);
  if (made.protein || gemmi::is_polynucleotide(type)) add_residues(file, polymer, type, made);
  return made;
}

Structure convert(gemmi::Structure file, const std::string &path) {
  Structure made;
  made.path = path;
  if (file.models.empty()) return made;
  file.models.erase(file.models.begin() + 1, file.models.end());
  // PDB files have the ligands and water of all chains at their end.
  file.merge_chain_parts();
  std::vector<std::string> names;
  for (const gemmi::Chain &chain : file.models[0].chains) names.push_back(chain.name);
  // Water first: what most residues of a chain are decides which others are ligands.
  gemmi::remove_waters(file);
  file.remove_empty_chains();
  gemmi::remove_ligands_and_waters(file);
  file.remove_empty_chains();
  gemmi::setup_entities(file);
  gemmi::assign_label_seq_id(file, false);
  for (const std::string &name : names) {
    const gemmi::Chain *chain = file.models[0].find_chain(name);
    made.chains.push_back(chain != nullptr ? chain_of(file, *chain) : StructureChain{name, true, {}});
  }
  return made;
}

}  // namespace

bool has_structures() { return true; }

Structure parse_structure(std::string bytes, const std::string &path) {
  unpack(bytes, path);
  try {
    return convert(gemmi::read_structure_from_char_array(bytes.data(), bytes.size(), path), path);
  } catch (const std::bad_alloc &) {
    throw;
  } catch (const std::exception &error) {
    std::string text = error.what();
    std::replace(text.begin(), text.end(), '\n', ' ');
    wrong_use("--structure {} cannot be read as PDB or mmCIF: {}", path, text);
  }
}

}  // namespace cli
