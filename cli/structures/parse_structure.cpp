// SPDX-License-Identifier: MIT
// The only file that sees gemmi's reader.
#include "structures/structure.hpp"

#include "structures/strict_text.hpp"
#include "run/errors.hpp"
#include "run/memory.hpp"
#include "text/utf8.hpp"
#include "structures/sequence_alignment.hpp"

#include <gemmi/align.hpp>
#include <gemmi/cif.hpp>
#include <gemmi/mmread.hpp>
#include <gemmi/pdb.hpp>
#include <gemmi/resinfo.hpp>
#include <gemmi/seqalign.hpp>

#if ATP_HAS_ZLIB
#include <zlib.h>
#endif

#include <algorithm>
#include <cctype>
#include <cmath>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <unordered_map>

namespace cli {

namespace {

#if ATP_HAS_ZLIB

constexpr std::size_t kUnpackedPiece = std::size_t{1} << 16;
constexpr double kLeastLimit = 1 << 30, kMostRatio = 100;

// Hands over the unpacked text in pieces.
template <class Sink>
void inflate_pieces(const std::string &bytes, const std::string &what, Sink &&sink) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream *)> owner(&stream, inflateEnd);
  std::string piece(kUnpackedPiece, '\0');
  std::size_t taken = 0, unpacked = 0;
  int status = Z_OK;
  while (taken < bytes.size() || status == Z_OK) {
    if (status == Z_STREAM_END) inflateReset(&stream);  // files of several members are their texts, one after the other
    const std::size_t given = std::min(bytes.size() - taken, kUnpackedPiece);
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(bytes.data() + taken));
    stream.avail_in = static_cast<uInt>(given);
    stream.next_out = reinterpret_cast<Bytef *>(piece.data());
    stream.avail_out = static_cast<uInt>(kUnpackedPiece);
    status = inflate(&stream, Z_NO_FLUSH);
    taken += given - stream.avail_in;
    unpacked += kUnpackedPiece - stream.avail_out;
    if (status != Z_OK && status != Z_STREAM_END)
      wrong_use("{} is packed by gzip and damaged, or ends too early, after {} bytes of text", what, unpacked);
    sink(piece.data(), kUnpackedPiece - stream.avail_out);
  }
}

// Unpacks what gzip has packed, in place; other bytes stay as they are. Fails with status 2 for a damaged file, above a limit and without
// zlib; `what` begins the message.
void unpack(std::string &bytes, const std::string &what, const UnpackLimits &limits) {
  if (bytes.compare(0, 2, "\x1f\x8b") != 0) return;
  const auto packed = static_cast<double>(bytes.size());
  const double most = limits.unpacked > 0 ? static_cast<double>(limits.unpacked) : std::max(kLeastLimit, kMostRatio * packed);
  // The size first: a text that grows takes three times its size.
  double size = 0;
  inflate_pieces(bytes, what, [&](const char *, std::size_t more) {
    size += static_cast<double>(more);
    if (size > most)
      wrong_use(
          "{}: {} unpack to more than {}, the limit; expected a file that is not packed, or for structures a larger --set max-unpacked",
          what, memory_text(packed), memory_text(most));
    if (limits.memory >= 0 && size > limits.memory)
      wrong_use("{}: {} unpack to more than the {} that the memory limit leaves; expected a smaller file, or a larger --memory", what,
                memory_text(packed), memory_text(limits.memory));
  });
  std::string text;
  text.reserve(static_cast<std::size_t>(size));
  inflate_pieces(bytes, what, [&](const char *piece, std::size_t more) { text.append(piece, more); });
  bytes = std::move(text);
}

#else

void unpack(std::string &bytes, const std::string &what, const UnpackLimits &) {
  if (bytes.compare(0, 2, "\x1f\x8b") == 0)
    wrong_use("{} is packed by gzip, and this build has no zlib; expected a file that is not packed", what);
}

#endif

char letter_of(const std::string &name) {
  const char code = gemmi::find_tabulated_residue(name).one_letter_code;
  return code == ' ' ? 'X' : static_cast<char>(std::toupper(static_cast<unsigned char>(code)));
}

// Whether an atom's location, or a residue's, counts before another.
bool comes_before(const gemmi::Atom &a, const gemmi::Atom &b) { return a.occ > b.occ || (a.occ == b.occ && a.altloc < b.altloc); }

// Files may have no column of elements: in common residues no other atom has a name that begins like a hydrogen's.
bool is_hydrogen(const gemmi::Atom &atom, const gemmi::Residue &residue) {
  if (atom.is_hydrogen()) return true;
  const std::size_t first = atom.name.find_first_not_of("0123456789");
  return gemmi::find_tabulated_residue(residue.name).is_standard() && first != std::string::npos &&
         (atom.name[first] == 'H' || atom.name[first] == 'D');
}

// Heavy atoms, each at the location that counts, in the order of the file.
std::vector<const gemmi::Atom *> atoms_of(const gemmi::Residue &residue) {
  std::vector<const gemmi::Atom *> atoms;
  std::unordered_map<std::string, std::size_t> places;
  for (const gemmi::Atom &atom : residue.atoms) {
    if (is_hydrogen(atom, residue)) continue;
    const auto [same, is_new] = places.emplace(atom.name, atoms.size());
    if (is_new)
      atoms.push_back(&atom);
    else if (comes_before(atom, *atoms[same->second]))
      atoms[same->second] = &atom;
  }
  return atoms;
}

// 0: backbone, 1: C-alpha, 2: side chain. Nucleic acids have no such atoms but in the last part.
int part_of(const gemmi::Atom *atom) {
  if (atom->name == "CA") return 1;
  return atom->name == "N" || atom->name == "C" || atom->name == "O" || atom->name == "OXT" ? 0 : 2;
}

double radius_of(const gemmi::Atom &atom) {
  if (atom.name == "N") return 1.65;
  if (atom.name == "CA") return 1.87;
  if (atom.name == "C") return 1.76;
  return atom.name == "O" || atom.name == "OXT" ? 1.4 : 1.8;
}

StructureResidue residue_of(const gemmi::Residue &residue) {
  StructureResidue made;
  made.letter = letter_of(residue.name);
  made.number = residue.seqid.str();
  std::vector<const gemmi::Atom *> atoms = atoms_of(residue);
  std::stable_sort(atoms.begin(), atoms.end(), [](const auto *a, const auto *b) { return part_of(a) < part_of(b); });
  if (!atoms.empty()) made.confidence = static_cast<double>(atoms.front()->b_iso);
  for (const gemmi::Atom *atom : atoms) {
    const auto place = static_cast<int64_t>(made.atoms.size());
    if (part_of(atom) < 2) made.side = part_of(atom) == 0 ? place + 1 : place;
    if (part_of(atom) == 1) made.confidence = static_cast<double>(atom->b_iso);
    if (atom->name == "CA") made.alpha = place;
    if (atom->name == "CB") made.beta = place;
    for (const char *name : {"CA", "C1'", "P"})
      if (atom->name == name && (made.marker.empty() || made.marker == "P")) made.marker = name;
    if (!std::isfinite(atom->pos.x) || !std::isfinite(atom->pos.y) || !std::isfinite(atom->pos.z))
      throw std::runtime_error(fmt::format("atom {} of {} {} has no place", atom->name, residue.name, made.number));
    made.atoms.push_back({atom->pos.x, atom->pos.y, atom->pos.z, radius_of(*atom)});
  }
  if (!atoms.empty() && part_of(atoms.back()) == 2)
    made.side = std::count_if(atoms.begin(), atoms.end(), [](const auto *atom) { return part_of(atom) < 2; });
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

// Whether a residue has the backbone of a chain. Programs of dynamics write HETATM for residues that they do not know.
bool has_backbone(const gemmi::Residue &residue) {
  const auto has = [&](const char *name) { return residue.find_atom(name, '*') != nullptr; };
  return (has("N") && has("CA") && has("C")) || has("C1'");
}

// Gives residues with the names of force fields their common names.
void rename_residues(gemmi::Structure &file) {
  for (gemmi::Chain &chain : file.models[0].chains)
    for (gemmi::Residue &residue : chain.residues) {
      const std::string name = common_residue_name(residue.name);
      if (name.empty() || (residue.het_flag == 'H' && !has_backbone(residue))) continue;
      residue.name = name;
      residue.het_flag = 'A';
    }
  for (gemmi::Entity &entity : file.entities)
    for (std::string &word : entity.full_sequence)
      if (const std::string name = common_residue_name(word); !name.empty()) word = name;
}

// Names go into files and onto terminals: they have no characters that do more than be seen.
void check_names(const gemmi::Structure &file) {
  for (const gemmi::Chain &chain : file.models[0].chains) {
    if (printable(chain.name) != chain.name)
      throw std::runtime_error(fmt::format(
          "the name of a chain is \"{}\" with a control character or no UTF-8, expected a name in plain text", printable(chain.name)));
    for (const gemmi::Residue &residue : chain.residues)
      if (residue.seqid.icode != ' ' && std::isalnum(static_cast<unsigned char>(residue.seqid.icode)) == 0)
        throw std::runtime_error(fmt::format("the insertion code of residue {} in chain {} is \"{}\", expected a letter or a blank",
                                             residue.seqid.num.str(), chain.name, residue.seqid.icode));
  }
}

// A bound on the memory that reading takes: gemmi keeps each value of mmCIF as a string, and makes an atom, at worst a residue, of a line.
double bytes_to_read(const std::string &text, bool is_cif) {
  constexpr double kValue = 96, kLine = 560;
  int64_t values = 0, lines = 0;
  bool inside = false;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\t';
    values += !blank && !inside ? 1 : 0;
    lines += c == '\n' ? 1 : 0;
    inside = !blank;
  }
  return 2 * static_cast<double>(text.size()) + kLine * static_cast<double>(lines) + (is_cif ? kValue * static_cast<double>(values) : 0);
}

Structure convert(gemmi::Structure file, const std::string &path) {
  Structure made;
  made.path = path;
  if (file.models.empty()) return made;
  made.models = static_cast<int64_t>(file.models.size());
  file.models.erase(file.models.begin() + 1, file.models.end());
  check_names(file);
  rename_residues(file);
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

// Makes line ends LF, also the last, and drops a byte order mark.
void make_plain_text(std::string &text) {
  if (text.compare(0, 3, "\xef\xbb\xbf") == 0) text.erase(0, 3);
  if (const std::size_t zero = text.find('\0'); zero != std::string::npos)
    throw std::runtime_error(fmt::format("byte {} is 0, expected text", zero));
  std::size_t kept = 0;
  for (std::size_t k = 0; k < text.size(); ++k)
    if (text[k] != '\r' || k + 1 == text.size() || text[k + 1] != '\n') text[kept++] = text[k] == '\r' ? '\n' : text[k];
  text.resize(kept);
  if (kept > 0 && text.back() != '\n') text += '\n';
}

constexpr char kCifWord[] = "data_";

// The first word of a text, after comments and blank lines, up to 5 bytes.
std::string first_word(const std::string &text) {
  std::size_t at = 0;
  while ((at = text.find_first_not_of(" \t\n\v\f", at)) != std::string::npos && text[at] == '#') at = text.find('\n', at);
  return at == std::string::npos ? "" : gemmi::to_lower(text.substr(at, 5));
}

// `word` is the first one.
gemmi::Structure read_text(std::string &text, const std::string &word, const std::string &path) {
  if (word.empty()) throw std::runtime_error("it is empty");
  if (word.compare(0, 1, "{") == 0) throw std::runtime_error("it is JSON, perhaps mmJSON, which is not read");
  if (word != kCifWord) {
    check_pdb(text);
    return gemmi::read_pdb_from_memory(text.data(), text.size(), path);
  }
  gemmi::cif::Document document = gemmi::cif::read_memory(text.data(), text.size(), path.c_str());
  text = std::string();
  complete_cif(document);
  return gemmi::make_structure_from_doc(gemmi::cif::Document(std::move(document)), true);
}

}  // namespace

bool has_structures() { return true; }

Structure parse_structure(std::string bytes, const std::string &path, const UnpackLimits &limits) {
  unpack(bytes, "--structure " + path, limits);
  try {
    make_plain_text(bytes);
    const std::string word = first_word(bytes);
    if (const double needed = bytes_to_read(bytes, word == kCifWord); limits.memory >= 0 && needed > limits.memory)
      wrong_use("--structure {} needs {} to be read, the memory limit leaves {}, expected a smaller file or a larger --memory", path,
                memory_text(needed), memory_text(limits.memory));
    return convert(read_text(bytes, word, path), path);
  } catch (const std::bad_alloc &) {
    throw;
  } catch (const Failure &) {
    throw;
  } catch (const std::exception &error) {
    wrong_use("--structure {} cannot be read as PDB or mmCIF: {}", path, *error.what() == '\0' ? "no reason was given" : error.what());
  }
}

Substitutions::Substitutions(bool protein) {
  constexpr int8_t kSame = 5, kOther = -4, kUnknown = -1;
  for (std::array<int8_t, 256> &row : scores_) row.fill(protein ? kUnknown : kOther);
  if (!protein) {
    for (int a = 0; a < 256; ++a)
      for (int b = 0; b < 256; ++b)
        if (same_residue(static_cast<char>(a), static_cast<char>(b))) scores_[static_cast<uint8_t>(a)][static_cast<uint8_t>(b)] = kSame;
    return;
  }
  const gemmi::AlignmentScoring blosum = gemmi::prepare_blosum62_scoring();
  std::string letters;
  for (const std::string &name : blosum.matrix_encoding) letters += gemmi::find_tabulated_residue(name).one_letter_code;
  for (std::size_t a = 0; a < letters.size(); ++a)
    for (std::size_t b = 0; b < letters.size(); ++b)
      scores_[static_cast<uint8_t>(letters[a])][static_cast<uint8_t>(letters[b])] = blosum.score_matrix[a * letters.size() + b];
}

}  // namespace cli
