// SPDX-License-Identifier: MIT
#include "flags/model_source.hpp"

#include "run/files.hpp"
#include "flags/validators.hpp"

#include <cmath>

namespace cli {

namespace {

constexpr int64_t kMostSites = 1 << 16;

// The size that a flag or a matrix file gives; both must agree.
int64_t size_of(const char *flag, std::optional<int64_t> given, const Matrix &matrix, int64_t highest) {
  if (given) return *given;
  if (matrix.size == 0) wrong_use("{} is missing, expected --model FILE or --sites, --colors, --couplings and --color-matrix", flag);
  if (matrix.size < 2 || matrix.size > highest)
    wrong_use("{} from the size of the matrix is {}, expected 2..{}", flag, matrix.size, highest);
  return matrix.size;
}

Model random_model(const Session &session, const ModelFlags &flags) {
  const std::string couplings_name = flags.couplings.empty() ? "gaussian" : flags.couplings;
  const bool couplings_file = couplings_name != "gaussian" && couplings_name != "contacts";
  // One's own J goes with a colour matrix that draws nothing.
  const std::string colors_name = !flags.color_matrix.empty() ? flags.color_matrix : couplings_file ? "identity" : "gaussian";
  const bool colors_file = colors_name != "gaussian" && colors_name != "identity";
  Matrix maps, values;
  if (couplings_file) maps = read_symmetric_matrix(session, "--couplings", couplings_name, flags.sites.value_or(0));
  if (colors_file) values = read_symmetric_matrix(session, "--color-matrix", colors_name, flags.colors.value_or(0));
  const int64_t sites = size_of("--sites", flags.sites, maps, kMostSites), colors = size_of("--colors", flags.colors, values, 255);
  for (int64_t i = 0; i < maps.size; ++i)
    if (maps.values[static_cast<std::size_t>(i * (sites + 1))] != 0)
      wrong_use("--couplings {} has {:g} at row {}, column {}, expected a zero diagonal", couplings_name,
                maps.values[static_cast<std::size_t>(i * (sites + 1))], i, i);
  const auto source_text = [](const std::string &name, bool file) { return file ? "from " + name : name; };
  if (couplings_file || colors_file)
    session.say("{} sites, couplings J: {}; {} colours, colour matrix U: {}{}", sites, source_text(couplings_name, couplings_file), colors,
                source_text(colors_name, colors_file),
                couplings_file && flags.color_matrix.empty() ? " (the default with a file of J)" : "");
  Model model =
      Model::random(session.context, sites, colors, couplings_name == "contacts" ? ATP_COUPLINGS_CONTACTS : ATP_COUPLINGS_GAUSSIAN,
                    colors_name == "identity" ? ATP_COLOR_MATRIX_IDENTITY : ATP_COLOR_MATRIX_GAUSSIAN, session.seed);
  if (!couplings_file && !colors_file) return model;
  return Model::heads(session.context, sites, colors, 1, couplings_file ? maps.values : model.maps(),
                      colors_file ? values.values : model.values());
}

// The model of --model. A matrix in a .npy file is a J without a U, which --couplings reads.
Model stored_model(const Session &session, const std::string &path) {
  const InputFile file = open_input(session, "--model", path);
  int64_t shape[ATP_ARRAY_DIMENSIONS], dimensions = 0;
  if (file.kind() == "npy" && atp_input_array_shape(file.handle.get(), shape, ATP_ARRAY_DIMENSIONS, &dimensions) == ATP_OK &&
      dimensions == 2)
    wrong_use(
        "--model {} is a matrix of {} x {}, expected a model. For couplings J_ij use --couplings {} --colors Q; for couplings C_ij(a, b) "
        "save an array of shape (L, L, q, q)",
        path, shape[0], shape[1], path);
  return read_model(session, file);
}

}  // namespace

void ModelFlags::add(CLI::App *command) {
  app = command;
  command->add_option("--model", model, "sample from the model in FILE instead of a random model")->check(input_file())->type_name("FILE");
  command->add_option("--sites", sites, "number of sites of a random model")->transform(count(2, kMostSites))->type_name("L");
  command->add_option("--colors", colors, "number of colours of a random model")->transform(count(2, 255))->type_name("Q");
  command
      ->add_option("--couplings", couplings,
                   fmt::format("couplings J_ij of a random model: gaussian (default), contacts (few pairs, positive), or a file with a "
                               "symmetric L x L matrix: {}",
                               kNumbersText))
      ->check(input_file({"gaussian", "contacts"}))
      ->type_name("WHAT");
  command
      ->add_option("--color-matrix", color_matrix,
                   fmt::format("colour matrix U_ab: gaussian (default), identity (default with a file of --couplings), or a file with a "
                               "symmetric q x q matrix: {}",
                               kNumbersText))
      ->check(input_file({"gaussian", "identity"}))
      ->type_name("WHAT");
  command->add_option("--alphabet", alphabet, "symbols of the colours: protein, rna, dna, or q symbols. FASTA output needs an alphabet")
      ->check(alphabet_name())
      ->type_name("NAME");
}

Model make_model(const Session &session, const ModelFlags &flags) {
  Model model;
  if (!flags.model.empty()) {
    for (const char *flag : {"--sites", "--colors", "--couplings", "--color-matrix"})
      if (const std::string value = given(flags.app, flag); !value.empty())
        wrong_use("{} is \"{}\" together with --model, expected only one of them", flag, value);
    model = stored_model(session, flags.model);
  } else {
    model = random_model(session, flags);
  }
  if (!flags.alphabet.empty()) labelled("--alphabet", [&] { model.set_alphabet(flags.alphabet); });
  return model;
}

}  // namespace cli
