// SPDX-License-Identifier: MIT
#include "support/model_source.hpp"

#include "support/files.hpp"

#include <cmath>

namespace cli {

namespace {

constexpr int64_t kMostSites = 1 << 16;

void conflict(const char *flag, const std::string &value) {
  if (!value.empty()) wrong_use("{} is \"{}\" together with --model, expected only one of them", flag, value);
}

int64_t required_count(const char *flag, const std::string &text, int64_t lowest, int64_t highest) {
  if (text.empty()) wrong_use("{} is missing, expected --model FILE or --sites, --colors, --couplings and --color-matrix", flag);
  return parse_count(flag, text, lowest, highest);
}

// The size that a flag or a matrix file gives; both must agree.
int64_t size_of(const char *flag, const std::string &text, const Matrix &matrix, int64_t highest) {
  if (matrix.size == 0 || !text.empty()) return required_count(flag, text, 2, highest);
  if (matrix.size < 2 || matrix.size > highest) wrong_use("{} would be {}, expected 2..{}", flag, matrix.size, highest);
  return matrix.size;
}

Model random_model(const Session &session, const ModelFlags &flags) {
  const std::string couplings_name = flags.couplings.empty() ? "gaussian" : flags.couplings;
  const std::string colors_name = flags.color_matrix.empty() ? "gaussian" : flags.color_matrix;
  const bool couplings_file = couplings_name != "gaussian" && couplings_name != "contacts";
  const bool colors_file = colors_name != "gaussian" && colors_name != "identity";
  const int64_t given_sites = flags.sites.empty() ? 0 : parse_count("--sites", flags.sites, 2, kMostSites);
  const int64_t given_colors = flags.colors.empty() ? 0 : parse_count("--colors", flags.colors, 2, 255);
  Matrix maps, values;
  if (couplings_file) maps = read_symmetric_matrix(session, "--couplings", couplings_name, given_sites);
  if (colors_file) values = read_symmetric_matrix(session, "--color-matrix", colors_name, given_colors);
  const int64_t sites = size_of("--sites", flags.sites, maps, kMostSites), colors = size_of("--colors", flags.colors, values, 255);
  for (int64_t i = 0; i < maps.size; ++i)
    if (maps.values[static_cast<std::size_t>(i * (sites + 1))] != 0)
      wrong_use("--couplings {} has {:g} at row {}, column {}, expected a zero diagonal", couplings_name,
                maps.values[static_cast<std::size_t>(i * (sites + 1))], i, i);
  Model model;
  check(atp_model_create_random(
      session.context.get(), sites, colors, couplings_name == "contacts" ? ATP_COUPLINGS_CONTACTS : ATP_COUPLINGS_GAUSSIAN,
      colors_name == "identity" ? ATP_COLOR_MATRIX_IDENTITY : ATP_COLOR_MATRIX_GAUSSIAN, session.seed, out(model)));
  if (!couplings_file && !colors_file) return model;
  if (!couplings_file) {
    maps.values.resize(static_cast<std::size_t>(sites * sites));
    check(atp_model_maps(model.get(), maps.values.data(), sites * sites));
  }
  if (!colors_file) {
    values.values.resize(static_cast<std::size_t>(colors * colors));
    check(atp_model_values(model.get(), values.values.data(), colors * colors));
  }
  check(atp_model_create_heads(session.context.get(), sites, colors, 1, maps.values.data(), values.values.data(), nullptr, out(model)));
  return model;
}

}  // namespace

void ModelFlags::add(CLI::App *app) {
  app->add_option("--model", model, "a stored model")->type_name("FILE");
  app->add_option("--sites", sites, "sites L of a random model")->type_name("L");
  app->add_option("--colors", colors, "colours q of a random model")->type_name("Q");
  app->add_option("--couplings", couplings, "gaussian (default), contacts, or a file with a symmetric L x L matrix J")->type_name("WHAT");
  app->add_option("--color-matrix", color_matrix, "gaussian (default), identity, or a file with a symmetric q x q matrix U")
      ->type_name("WHAT");
  app->add_option("--alphabet", alphabet, "symbols of the colours: protein, rna, dna or q symbols; FASTA output needs them")
      ->type_name("NAME");
}

Model make_model(const Session &session, const ModelFlags &flags) {
  Model model;
  if (!flags.alphabet.empty()) check_alphabet("--alphabet", flags.alphabet);
  if (!flags.model.empty()) {
    conflict("--sites", flags.sites);
    conflict("--colors", flags.colors);
    conflict("--couplings", flags.couplings);
    conflict("--color-matrix", flags.color_matrix);
    model = read_model(session, "--model", flags.model);
  } else {
    model = random_model(session, flags);
  }
  if (!flags.alphabet.empty()) check(atp_model_set_alphabet(model.get(), flags.alphabet.c_str()), "--alphabet");
  return model;
}

}  // namespace cli
