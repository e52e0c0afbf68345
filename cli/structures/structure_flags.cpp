// SPDX-License-Identifier: MIT
#include "structures/structure_flags.hpp"

#include "structures/sequence_alignment.hpp"
#include "run/files.hpp"
#include "run/memory.hpp"
#include "run/signals.hpp"
#include "run/model_sequences.hpp"
#include "flags/validators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

namespace cli {

namespace {

constexpr double kLeastIdentity = 0.3;
// Chains are copies of one another where this share of their aligned residues are equal, at least half of the shorter one.
constexpr double kSameSequence = 0.95, kSameLength = 0.5;

int64_t observed(const StructureChain &chain) {
  return std::count_if(chain.residues.begin(), chain.residues.end(), [](const StructureResidue &r) { return !r.atoms.empty(); });
}

std::string residues_text(int64_t count) { return fmt::format("{} residue{}", count, count == 1 ? "" : "s"); }

// "A (87 residues), B (103 residues)": the chains that there are.
std::string list_of(const Structure &structure) {
  std::string text;
  for (const StructureChain &chain : structure.chains)
    if (!chain.residues.empty()) text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", chain.name, residues_text(observed(chain)));
  return text;
}

const StructureChain &find_chain(const Structure &structure, const std::string &name) {
  const auto found =
      std::find_if(structure.chains.begin(), structure.chains.end(), [&](const StructureChain &c) { return c.name == name; });
  if (found == structure.chains.end())
    wrong_use("--chains: {} has no chain \"{}\", expected of {}", structure.path, name, list_of(structure));
  if (found->residues.empty())
    wrong_use("--chains: chain \"{}\" of {} is empty: it has no residues of a protein or nucleic acid; expected of {}", name,
              structure.path, list_of(structure));
  return *found;
}

AlignedSequence sequence_of(const StructureChain &chain) {
  AlignedSequence made{chain.sequence(), {}};
  for (const StructureResidue &residue : chain.residues) made.interrupted.push_back(residue.interrupted);
  return made;
}

// The sites of one protein: those first..last - 1 that have a residue.
struct SiteSequence {
  AlignedSequence sequence;
  std::vector<int64_t> places;  // of the letters among the sites
};

SiteSequence sequence_of(const Sites &sites, int64_t first, int64_t last) {
  SiteSequence made;
  for (int64_t i = first; i < last; ++i) {
    const char letter = sites.residues[static_cast<std::size_t>(i)];
    if (std::isalpha(static_cast<unsigned char>(letter)) == 0) continue;
    // Columns that were left out may have residues in the structure.
    if (!made.places.empty())
      made.sequence.interrupted.push_back(sites.numbers[static_cast<std::size_t>(i)] !=
                                          sites.numbers[static_cast<std::size_t>(made.places.back())] + 1);
    made.sequence.letters += static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    made.places.push_back(i);
  }
  made.sequence.interrupted.push_back(false);
  return made;
}

// The alignment with a chain; refused where it does not fit into the memory.
SequenceAlignment align(const Session &session, const AlignedSequence &sequence, const StructureChain &chain) {
  const auto cells = static_cast<double>(sequence.letters.size() + 1) * static_cast<double>(chain.residues.size() + 1);
  require_memory(session, cells,
                 fmt::format("--structure: the alignment of {} residues with the {} of chain {}", sequence.letters.size(),
                             chain.residues.size(), chain.name));
  return align_sequences(sequence, sequence_of(chain), chain.protein);
}

bool are_copies(const Session &session, const StructureChain &a, const StructureChain &b) {
  if (a.residues.empty() || b.residues.empty() || a.protein != b.protein) return false;
  const SequenceAlignment made = align(session, sequence_of(a), b);
  return static_cast<double>(made.identical) >= kSameSequence * static_cast<double>(made.aligned) &&
         static_cast<double>(made.aligned) >= kSameLength * static_cast<double>(made.shorter);
}

// The borders between two proteins that explain as many sites, and the likeliest of them.
struct BorderRange {
  int64_t first, last, likeliest;
};

// Two chains along the sites of a pair of proteins.
class TwoChains {
 public:
  TwoChains(const Session &session, const Sites &sites, const StructureChain &first, const StructureChain &second)
      : count_(static_cast<int64_t>(sites.residues.size())), tracks_{track_of(session, sites, first), track_of(session, sites, second)} {}
  // The sites that are residues of the first chain before a border, and of the second behind it.
  int64_t explained(int64_t border) const { return at(0, border) + at(1, count_) - at(1, border); }
  // The borders that explain most of them. Where the ends of the chains are not resolved there are several; the likeliest is then the one
  // that gives the residues of the second protein the numbers of its chain, else the first.
  BorderRange best() const {
    BorderRange best{1, 1, 1};
    for (int64_t border = 2; border < count_; ++border) {
      if (explained(border) > explained(best.first)) best.first = border;
      if (explained(border) == explained(best.first)) best.last = border;
    }
    const int64_t numbered = tracks_[1].numbered;
    best.likeliest = numbered >= best.first && numbered <= best.last ? numbered : best.first;
    return best;
  }
  // Whether a border explains far more than one of the chains does alone, as it does not where both are chains of one protein.
  bool are_two(int64_t border) const {
    constexpr int64_t kLeast = 10;
    const int64_t alone = std::max(at(0, count_), at(1, count_)), gain = explained(border) - alone;
    return gain >= kLeast && 10 * gain >= explained(border);
  }

 private:
  // A chain along the sites.
  struct Track {
    std::vector<int64_t> before;  // [sites + 1]: how many of the sites before each are residues of the chain
    int64_t numbered = 0;         // the border behind which the last residue has the number of its chain, 0: none
  };
  static Track track_of(const Session &session, const Sites &sites, const StructureChain &chain) {
    const SiteSequence own = sequence_of(sites, 0, static_cast<int64_t>(sites.residues.size()));
    const SequenceAlignment made = align(session, own.sequence, chain);
    Track track{std::vector<int64_t>(sites.residues.size() + 1, 0), 0};
    for (std::size_t k = 0; k < own.places.size(); ++k) {
      if (made.partner[k] < 0) continue;
      const StructureResidue &residue = chain.residues[static_cast<std::size_t>(made.partner[k])];
      if (!same_residue(own.sequence.letters[k], residue.letter)) continue;
      const auto site = static_cast<std::size_t>(own.places[k]);
      track.before[site + 1] = 1;
      if (residue.number.empty()) continue;
      const int64_t last = sites.numbers[site] - std::strtoll(residue.number.c_str(), nullptr, 10);
      track.numbered = std::count_if(sites.numbers.begin(), sites.numbers.end(), [last](int64_t n) { return n <= last; });
    }
    for (std::size_t i = 1; i < track.before.size(); ++i) track.before[i] += track.before[i - 1];
    return track;
  }
  int64_t at(int chain, int64_t site) const { return tracks_[chain].before[static_cast<std::size_t>(site)]; }

  int64_t count_;
  Track tracks_[2];
};

// The border that two named chains of different proteins show; 0: none.
int64_t border_of_chains(const Session &session, const StructureFlags &flags, const Structure &structure, const Sites &sites) {
  if (flags.chains.size() != 2 || sites.residues.size() < 3) return 0;
  const StructureChain &first = find_chain(structure, flags.chains[0]), &second = find_chain(structure, flags.chains[1]);
  if (are_copies(session, first, second)) return 0;
  const TwoChains chains(session, sites, first, second);
  const int64_t border = chains.best().likeliest;
  if (!chains.are_two(border)) return 0;
  session.say("structure: two proteins: the sites up to {} are those of chain {}, the others those of chain {}",
              sites.numbers[static_cast<std::size_t>(border - 1)], first.name, second.name);
  return border;
}

// Fails where --paired lies inside one of two proteins.
void require_border(const Session &session, const StructureFlags &flags, const Sites &sites, int64_t border,
                    const std::vector<PlacedChain> &placed) {
  const auto second = std::find_if(placed.begin(), placed.end(), [](const PlacedChain &chain) { return chain.protein == 1; });
  const StructureChain &a = *placed.front().chain, &b = *second->chain;
  if (!flags.paired || are_copies(session, a, b)) return;
  constexpr int64_t kFewest = 5;  // a few residues at the ends may be alike
  const TwoChains chains(session, sites, a, b);
  const BorderRange best = chains.best();
  const auto number = [&](int64_t site) { return sites.numbers[static_cast<std::size_t>(site)]; };
  if (chains.explained(best.first) - chains.explained(border) < kFewest) return;
  const bool low = border < best.first;
  wrong_use("--paired is \"{}\", inside a protein: the sites {}..{} are those of chain {}; expected --paired {}", *flags.paired,
            number(low ? border : best.last), number((low ? best.first : border) - 1), low ? a.name : b.name, number(best.likeliest - 1));
}

// Places the chains of one protein: those of the names, and their copies.
class Placement {
 public:
  Placement(const Session &session, const StructureFlags &flags, const Structure &structure, const Sites &sites)
      : session_(session), flags_(flags), structure_(structure), sites_(sites) {}

  void place(int64_t protein, int64_t first, int64_t last, const std::vector<std::string> &names) {
    const SiteSequence own = sequence_of(sites_, first, last);
    if (own.places.empty()) wrong_use("--structure: {} have no residues from {} to {}", sites_.what, first + 1, last);
    std::vector<const StructureChain *> chosen;
    for (const std::string &name : names) chosen.push_back(&find_chain(structure_, name));
    if (names.empty()) chosen.push_back(&best_chain(own));
    for (const StructureChain *chain : chosen) add(*chain, own, protein, true);
    if (flags_.copies == Copies::none) return;
    std::string copies;
    const std::vector<const StructureChain *> named = chosen;
    for (const StructureChain &chain : structure_.chains) {
      const auto is_copy = [&](const StructureChain *other) { return are_copies(session_, *other, chain); };
      if (std::find(named.begin(), named.end(), &chain) != named.end() || std::none_of(named.begin(), named.end(), is_copy)) continue;
      add(chain, own, protein, false);
      copies += (copies.empty() ? "" : ", ") + chain.name;
    }
    if (!copies.empty()) session_.say("structure: chains of the same sequence: {}", copies);
  }

  std::vector<PlacedChain> placed;

 private:
  const StructureChain &best_chain(const SiteSequence &own) const {
    const StructureChain *best = nullptr;
    int64_t most = -1;
    for (const StructureChain &chain : structure_.chains) {
      if (chain.residues.empty()) continue;
      const int64_t identical = align(session_, own.sequence, chain).identical;
      if (identical <= most) continue;
      best = &chain;
      most = identical;
    }
    return *best;
  }

  void add(const StructureChain &chain, const SiteSequence &own, int64_t protein, bool named) {
    if (flags_.atoms != AtomChoice::heavy && !chain.protein)
      wrong_use("--atoms is given, but chain {} of {} is a nucleic acid, expected heavy", chain.name, structure_.path);
    const SequenceAlignment made = align(session_, own.sequence, chain);
    PlacedChain placed_chain{&chain, protein, std::vector<int64_t>(sites_.residues.size(), -1)};
    int64_t resolved = 0;
    for (std::size_t k = 0; k < own.places.size(); ++k) {
      const int64_t partner = made.partner[k];
      placed_chain.of_site[static_cast<std::size_t>(own.places[k])] = partner;
      resolved += partner >= 0 && !chain.residues[static_cast<std::size_t>(partner)].atoms.empty();
    }
    if (named) report(chain, own, made, resolved);
    placed.push_back(std::move(placed_chain));
  }

  void report(const StructureChain &chain, const SiteSequence &own, const SequenceAlignment &made, int64_t resolved) const {
    const std::string text =
        fmt::format("chain {} of {}, {}: {} of {} aligned are identical, {:.1f} per cent of the shorter sequence", chain.name,
                    structure_.path, residues_text(observed(chain)), made.identical, made.aligned, 100 * made.identity());
    if (made.identity() < kLeastIdentity && !flags_.force)
      wrong_use("--structure: {}; expected at least {:g} per cent, or --force-structure", text, 100 * kLeastIdentity);
    session_.say("structure: {}; {} of {} sites resolved", text, resolved, own.places.size());
    if (!flags_.show) return;
    std::string letters;
    for (const StructureResidue &residue : chain.residues)
      letters += residue.atoms.empty() ? static_cast<char>(std::tolower(static_cast<unsigned char>(residue.letter))) : residue.letter;
    for (const std::string &line : alignment_lines("sites", own.sequence.letters, "chain " + chain.name, letters, made))
      session_.say("{}", line);
  }

  const Session &session_;
  const StructureFlags &flags_;
  const Structure &structure_;
  const Sites &sites_;
};

std::vector<std::string> words_of(const std::string &text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == ',')
      words.emplace_back();
    else
      words.back() += c;
  }
  return words;
}

// The letters of the first sequence; gaps are no letters.
std::string first_sequence(const atp_alignment *data) {
  const std::string alphabet = atp_alignment_alphabet(data);
  if (alphabet.empty()) wrong_use("--structure: the sequences have no letters, expected --alphabet protein or rna");
  const uint8_t *colors = atp_alignment_sequences_view(data);
  std::string letters;
  for (int64_t i = 0; i < atp_alignment_sites(data); ++i) letters += colors[i] < alphabet.size() ? alphabet[colors[i]] : '-';
  return letters;
}

// The first sequence of the file of --sequence.
void take_sequence(const Session &session, const StructureFlags &flags, const std::string &alphabet, Sites &sites) {
  DataFlags as_is;
  as_is.alphabet = alphabet.empty() ? "protein" : alphabet;
  const Alignment data = read_data(session, "--sequence", flags.sequence, as_is);
  sites.residues = first_sequence(data.get());
  if (sites.residues.size() != sites.numbers.size())
    wrong_use("--sequence {} has {} columns, expected one for each of the {} sites", flags.sequence, sites.residues.size(),
              sites.numbers.size());
}

}  // namespace

Sites sites_of(const Session &session, const StructureFlags &flags, const atp_model *model) {
  const int64_t *numbers = atp_model_site_numbers_view(model);
  Sites sites{"the sites of the model", atp_model_site_residues(model), {numbers, numbers + atp_model_sites(model)}, border_of(model)};
  if (!flags.sequence.empty()) take_sequence(session, flags, data_alphabet(model), sites);
  if (sites.residues.empty())
    wrong_use(
        "--structure: the model does not know the residues of its sites, expected one learned with --focus, --sequence, or "
        "sequences as INPUT");
  return sites;
}

Sites sites_of(const Session &session, const StructureFlags &flags, const atp_alignment *data) {
  const int64_t *numbers = atp_alignment_site_numbers_view(data);
  Sites sites{"the sites", atp_alignment_site_residues(data), {numbers, numbers + atp_alignment_sites(data)}, border_of(data)};
  if (!flags.sequence.empty())
    take_sequence(session, flags, atp_alignment_alphabet(data), sites);
  else if (sites.residues.empty())
    sites.residues = first_sequence(data);
  return sites;
}

void StructureFlags::add(CLI::App *app) {
  app->add_option(
         "--structure", file,
         "structure, PDB or mmCIF, plain or packed by gzip: its distances between the residues of the sites. It is aligned with the "
         "--focus, else with the first sequence")
      ->check(input_file())
      ->type_name("FILE");
  add_choices(app);
}

void StructureFlags::add_choices(CLI::App *app) {
  static const Words<AtomChoice> choices = {
      {"heavy", AtomChoice::heavy}, {"side-chain", AtomChoice::side_chain}, {"cb", AtomChoice::beta}, {"ca", AtomChoice::alpha}};
  static const Words<Copies> words = {{"none", Copies::none}, {"intra", Copies::intra}, {"inter", Copies::inter}};
  app->add_option("--sequence", sequence,
                  "the first sequence of this file, with a column for each site, is aligned with the structure instead")
      ->check(input_file())
      ->type_name("FILE");
  add_chains(app);
  add_choice(
      app, "--atoms", atoms, choices,
      "distances between: the nearest heavy atoms, those of side chains (C-alpha of glycine), C-beta (C-alpha of glycine) or C-alpha")
      ->type_name("ATOMS");
  add_choice(app, "--copies", copies, words,
             "chains with the sequence of a chosen one: none: leave them out; intra: the smallest distance within one of them; inter: also "
             "between two of them")
      ->type_name("WHAT");
}

void StructureFlags::add_chains(CLI::App *app) {
  add_checked(app, "--chains",
              "chains of the structure, by the authors' names: A, or A,B; default: the one most like the sites, and its copies",
              CLI::Validator(), [this](const std::string &text) { chains = words_of(text); })
      ->type_name("NAMES");
  app->add_option("--paired", paired,
                  "the sites up to number N are one protein, the others a second one; with --chains A,B: A the first, B the second. "
                  "Sequences of --format paired know N themselves, and two chains of different proteins show it")
      ->transform(count(1))
      ->type_name("N");
  app->add_option("--min-plddt", confidence,
                  "leave out residues whose B-factor, in predicted structures the pLDDT, is below X, as if they were not observed")
      ->transform(number(0, 1e6))
      ->type_name("X");
  app->add_flag("--details", show, "print the alignment of the sites with the structure");
  app->add_flag("--force-structure", force, "take a structure with less than 30 per cent of identical residues");
}

void StructureFlags::check_values(const CLI::App *app) const {
  const bool met = !file.empty() || is_structure_name(given(app, "--pairs-from"));
  const bool own = app->get_option_no_throw("--structure") != nullptr;
  for (const char *flag : {"--sequence", "--chains", "--atoms", "--copies", "--min-plddt", "--details", "--force-structure"})
    needs(app, flag, met, own ? "with --structure" : "with a structure as --pairs-from");
  if (!own) needs(app, "--paired", met, "with a structure as --pairs-from");
  if (std::any_of(chains.begin(), chains.end(), [](const std::string &name) { return name.empty(); }))
    wrong_use("--chains is \"{}\", expected names like A or A,B", given(app, "--chains"));
}

std::optional<std::vector<double>> structure_for_pairs(const Session &session, StructureFlags flags, const atp_alignment *data,
                                                       const std::string &path) {
  if (!is_structure_name(path)) return std::nullopt;
  flags.file = path;
  const Sites sites = sites_of(session, flags, data);
  require_pair_tables(session, static_cast<int64_t>(sites.numbers.size()), kStructureBytes);
  return measure_structure(session, flags, read_structure(session, flags), sites).values;
}

Structure read_structure(const Session &session, const StructureFlags &flags) {
  if (!has_structures()) return parse_structure("", flags.file);  // says what is missing
  const EndAtOnce reading(fmt::format("interrupted while reading {}; nothing was kept", flags.file));
  const InputFile input = open_input(session, "--structure", flags.file);
  const auto *bytes = static_cast<const char *>(atp_input_bytes_view(input.handle.get()));
  if (bytes == nullptr) wrong_use("--structure {} holds {}, expected PDB or mmCIF", flags.file, input.kind());
  const auto size = static_cast<std::size_t>(atp_input_size(input.handle.get()));
  require_memory(session, static_cast<double>(size), fmt::format("--structure {}: its bytes", flags.file));
  Structure structure = parse_structure(
      std::string(bytes, size), flags.file,
      {static_cast<int64_t>(session.settings.value_in(ATP_OWNER_ALIGNMENT, ATP_OPT_MAX_UNPACKED)), available_memory(session)});
  if (std::all_of(structure.chains.begin(), structure.chains.end(), [](const StructureChain &chain) { return chain.residues.empty(); }))
    wrong_use("--structure {} has no chain of a protein or nucleic acid, expected PDB or mmCIF", flags.file);
  for (const std::string &name : flags.chains) find_chain(structure, name);
  if (flags.confidence)
    for (StructureChain &chain : structure.chains) chain.forget(*flags.confidence);
  return structure;
}

PlacedChains place_chains(const Session &session, const StructureFlags &flags, const Structure &structure, const Sites &sites) {
  const auto count = static_cast<int64_t>(sites.residues.size());
  Placement placement(session, flags, structure, sites);
  const int64_t known = border_of(flags.paired, sites.border, sites.numbers.data(), count);
  const int64_t border = known > 0 ? known : border_of_chains(session, flags, structure, sites);
  if (border > 0 && !flags.chains.empty() && flags.chains.size() != 2)
    wrong_use("--chains is \"{}\" with two proteins (--paired or --format paired), expected one chain of each, like A,B",
              fmt::join(flags.chains, ","));
  if (border == 0) {
    placement.place(0, 0, count, flags.chains);
  } else {
    for (const int64_t protein : {0, 1})
      placement.place(protein, protein == 0 ? 0 : border, protein == 0 ? border : count,
                      flags.chains.empty() ? flags.chains : std::vector<std::string>{flags.chains[static_cast<std::size_t>(protein)]});
    require_border(session, flags, sites, border, placement.placed);
  }
  return {std::move(placement.placed), border};
}

SiteDistances measure_structure(const Session &session, const StructureFlags &flags, const Structure &structure, const Sites &sites) {
  const EndAtOnce measuring(fmt::format("interrupted while measuring {}; nothing was kept", flags.file));
  const auto count = static_cast<int64_t>(sites.residues.size());
  // A distance and the place of its chains, for each pair of sites.
  require_memory(session, static_cast<double>(sizeof(double) + sizeof(int32_t)) * static_cast<double>(count) * static_cast<double>(count),
                 fmt::format("--structure {}: the distances of {} sites", flags.file, count));
  const PlacedChains placed = place_chains(session, flags, structure, sites);
  SiteDistances made = site_distances(placed.chains, count, flags.atoms, flags.copies);
  made.border = placed.border;
  return made;
}

namespace {

// The sites whose columns are below `first`, where that is the first of the second protein.
int64_t border_within(const int64_t *columns, int64_t sites, int64_t first) {
  if (first == 0) return 0;
  const int64_t border = std::count_if(columns, columns + sites, [&](int64_t column) { return column < first; });
  if (border == 0 || border == sites)
    wrong_use("--format paired: no site of the {} protein is left, expected sites of both", border == 0 ? "first" : "second");
  return border;
}

}  // namespace

int64_t border_of(const atp_alignment *data) {
  return border_within(atp_alignment_columns_view(data), atp_alignment_sites(data), atp_alignment_border(data));
}

int64_t border_of(const atp_model *model) {
  return border_within(atp_model_columns_view(model), atp_model_sites(model), atp_model_border(model));
}

int64_t border_of(std::optional<int64_t> paired, int64_t of_file, const int64_t *numbers, int64_t sites) {
  if (!paired) return of_file;
  const int64_t border = std::count_if(numbers, numbers + sites, [&](int64_t number) { return number <= *paired; });
  if (border == 0 || border == sites)
    wrong_use("--paired is \"{}\", expected a site number that leaves sites on both sides, within {}..{}", *paired,
              *std::min_element(numbers, numbers + sites), *std::max_element(numbers, numbers + sites) - 1);
  if (of_file > 0 && border != of_file)
    wrong_use("--paired is \"{}\", but the sequences know it, expected {}, where their first protein ends: leave --paired out", *paired,
              numbers[of_file - 1]);
  return border;
}

}  // namespace cli
