// SPDX-License-Identifier: MIT
#include "commands/sample_model.hpp"

#include "flags/set_flag.hpp"
#include "flags/validators.hpp"
#include "run/errors.hpp"
#include "run/model_tables.hpp"

#include <algorithm>

namespace cli {

namespace {

// The numbers of "32", "32x32" or "8x8x8"; none where it is something else.
std::vector<int64_t> extents_of(const std::string &text) {
  std::vector<int64_t> extents;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('x', at), text.size());
    int64_t extent = 0;
    if (extents.size() == 3 || !read_count(text.substr(at, end - at), 1, 1 << 20, extent).empty()) return {};
    extents.push_back(extent);
    at = end + 1;
  }
  return extents;
}

bool is_word(atp_option key, const std::string &text) {
  for (const auto &[word, value] : words_of_option<int64_t>(ATP_OWNER_LATTICE, key))
    if (word == text) return true;
  return false;
}

int64_t word_value(atp_option key, const std::string &word) { return static_cast<int64_t>(read_option(ATP_OWNER_LATTICE, key, word)); }

Options options_of_lattice(const Session &session, const ListFlags &flags) {
  Options options = options_of(session, ATP_OWNER_LATTICE);
  options.set(ATP_OPT_LATTICE, word_value(ATP_OPT_LATTICE, flags.lattice));
  if (!flags.size.empty()) {
    const std::vector<int64_t> extents = extents_of(flags.size);
    const atp_option keys[] = {ATP_OPT_SIZE_X, ATP_OPT_SIZE_Y, ATP_OPT_SIZE_Z};
    for (std::size_t k = 0; k < extents.size(); ++k) options.set(keys[k], extents[k]);
  }
  if (flags.colors) options.set(ATP_OPT_COLORS, *flags.colors);
  if (!flags.couplings.empty()) {
    if (!is_word(ATP_OPT_BONDS, flags.couplings))
      wrong_use("--couplings is \"{}\" with --lattice, expected {}", flags.couplings, fmt::join(bond_words(), ", "));
    options.set(ATP_OPT_BONDS, word_value(ATP_OPT_BONDS, flags.couplings));
  }
  if (is_word(ATP_OPT_COLOR_MATRIX, flags.color_matrix))
    options.set(ATP_OPT_COLOR_MATRIX, word_value(ATP_OPT_COLOR_MATRIX, flags.color_matrix));
  return options;
}

// The matrix of --color-matrix: a word or a file.
std::vector<double> color_matrix(const Session &session, const std::string &what, int64_t colors) {
  if (!what.empty() && !is_word(ATP_OPT_COLOR_MATRIX, what)) return read_symmetric_matrix(session, "--color-matrix", what, colors).values;
  // Of two sites: the couplings of a random model are J_12 U, those of a lattice U.
  Options options = options_of(session, ATP_OWNER_LATTICE);
  options.set(ATP_OPT_LATTICE, int64_t{ATP_LATTICE_SQUARE}).set(ATP_OPT_SIZE_X, int64_t{2}).set(ATP_OPT_SIZE_Y, int64_t{1});
  options.set(ATP_OPT_COLORS, colors);
  if (!what.empty()) options.set(ATP_OPT_COLOR_MATRIX, word_value(ATP_OPT_COLOR_MATRIX, what));
  return Model::lattice(session.context, options).pair_couplings();
}

// That --sites or --colors has room for what --couplings has.
void check_size(const ListFlags &flags, const char *flag, const std::optional<int64_t> &given, const char *what, int64_t found) {
  if (given && *given < found)
    wrong_use("{} is \"{}\" but --couplings {} has {} {}, expected more: {}s count from 0", flag, *given, flags.couplings, what, found - 1,
              what);
}

Model model_of_edges(const Session &session, const ListFlags &flags, const Edges &edges) {
  const int64_t colors = flags.colors.value_or(2), sites = flags.sites.value_or(edges.sites);
  check_size(flags, "--sites", flags.sites, "site", edges.sites);
  const std::vector<double> matrix = color_matrix(session, flags.color_matrix, colors);
  return labelled("--couplings " + flags.couplings,
                  [&] { return Model::of_pairs(session.context, sites, colors, edges.pairs, edges.strengths, matrix); });
}

Model model_of_lattice(const Session &session, const ListFlags &flags) {
  if (flags.sites) wrong_use("--sites is \"{}\" together with --lattice, expected --size", *flags.sites);
  const Options options = options_of_lattice(session, flags);
  Model model = labelled("--lattice " + flags.lattice, [&] { return Model::lattice(session.context, options); });
  if (flags.color_matrix.empty() || is_word(ATP_OPT_COLOR_MATRIX, flags.color_matrix)) return model;
  // Blocks are J_ij times the identity.
  const auto q = static_cast<std::size_t>(model.colors());
  const std::vector<double> blocks = model.pair_couplings();
  std::vector<double> strengths;
  for (std::size_t k = 0; k < blocks.size(); k += q * q) strengths.push_back(blocks[k]);
  return Model::of_pairs(session.context, model.sites(), model.colors(), model.pairs(), strengths,
                         color_matrix(session, flags.color_matrix, model.colors()));
}

// The model, and whether site 0 is alone in a list.
Model model_of(const Session &session, const InputFile &file, const ListFlags &flags, bool &alone) {
  if (!flags.lattice.empty()) return model_of_lattice(session, flags);
  if (!is_edge_list(file)) {
    Model model = read_model_table(session, file, flags.sites.value_or(0), flags.colors.value_or(0));
    check_size(flags, "--sites", flags.sites, "site", model.sites());
    check_size(flags, "--colors", flags.colors, "colour", model.colors());
    return model;
  }
  const Edges edges = read_edges(file);
  alone = std::none_of(edges.pairs.begin(), edges.pairs.end(), [](const auto &pair) { return pair[0] == 0 || pair[1] == 0; });
  return model_of_edges(session, flags, edges);
}

}  // namespace

CLI::Validator lattice_size() {
  return CLI::Validator(
      [](std::string &text) {
        if (!extents_of(text).empty()) return std::string();
        return fmt::format("is \"{}\", expected one to three whole numbers with x between, as 32x32", printable(text));
      },
      "");
}

std::vector<std::string> bond_words() { return names_of(words_of_option<int64_t>(ATP_OWNER_LATTICE, ATP_OPT_BONDS)); }

InputFile open_couplings(const Session &session, const std::string &couplings) {
  if (couplings.empty() || couplings == "contacts" || is_word(ATP_OPT_BONDS, couplings)) return {};
  return open_input(session, "--couplings", couplings);
}

Model model_of_list(const Session &session, const InputFile &file, const ListFlags &flags) {
  bool alone = false;
  Model model = model_of(session, file, flags, alone);
  if (!flags.fields.empty()) model = with_fields(session, std::move(model), flags.fields);
  session.say("{} sites, {} pairs with couplings, {} colours", model.sites(), model.pairs().size(), model.colors());
  if (alone) session.say("warning: {} has no pair of site 0, which is then alone: sites count from 0", flags.couplings);
  return model;
}

Model with_fields(const Session &session, Model model, const std::string &path) {
  const std::vector<double> fields = read_numbers(session, "--fields", path);
  if (static_cast<int64_t>(fields.size()) != model.sites() * model.colors())
    wrong_use("--fields {} has {} numbers, expected {} x {} of sites and colours", path, fields.size(), model.sites(), model.colors());
  return labelled("--fields " + path, [&] {
    if (model.heads() > 0)
      return Model::heads(session.context, model.sites(), model.colors(), model.heads(), model.maps(), model.values(), fields);
    if (!model.pairs().empty())
      return Model::of_pairs(session.context, model.sites(), model.colors(), model.pairs(), model.pair_couplings(), {}, fields);
    return Model::dense(session.context, model.sites(), model.colors(), model.couplings(), fields);
  });
}

}  // namespace cli
