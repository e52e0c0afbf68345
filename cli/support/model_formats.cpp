// SPDX-License-Identifier: MIT
#include "support/model_formats.hpp"

#include "support/files.hpp"
#include "support/model_sequences.hpp"

namespace cli {

namespace {

struct Known {
  FileFormat format;
  const char *word;  // of --from and --to
  const char *kind;  // of atp_input_kind()
  const char *end;   // of names of files to write
};

constexpr Known kKnown[] = {
    {FileFormat::hdf5, "hdf5", "model", ".h5"},
    {FileFormat::plmc_model, "plmc", "plmc-model", ".model"},
    {FileFormat::ccmpred_raw, "ccmpred-raw", "ccmpred-raw", ".raw"},
    {FileFormat::adabm, "adabm", "adabm", ""},
    {FileFormat::bmdca, "bmdca", "bmdca", ""},
    {FileFormat::ccmpred_matrix, "ccmpred-matrix", "ccmpred-matrix", ".mat"},
    {FileFormat::plmc_couplings, "plmc-couplings", "plmc-couplings", ".couplings"},
    {FileFormat::csv, "csv", "", ".csv"},
};

std::vector<std::string> words(bool output) {
  std::vector<std::string> out;
  for (const Known &known : kKnown)
    if (output || known.format != FileFormat::csv) out.push_back(known.word);
  return out;
}

std::string joined(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

atp_score_format score_format(FileFormat format) { return format == FileFormat::ccmpred_matrix ? ATP_SCORES_CCMPRED : ATP_SCORES_PLMC; }

}  // namespace

bool is_scores(FileFormat format) { return format == FileFormat::ccmpred_matrix || format == FileFormat::plmc_couplings; }

atp_model_format model_format(FileFormat format) {
  switch (format) {
    case FileFormat::plmc_model: return ATP_MODEL_PLMC;
    case FileFormat::ccmpred_raw: return ATP_MODEL_CCMPRED;
    case FileFormat::adabm: return ATP_MODEL_ADABM;
    case FileFormat::bmdca: return ATP_MODEL_BMDCA;
    default: return ATP_MODEL_HDF5;
  }
}

std::string input_words() { return joined(words(false)); }
std::string output_words() { return joined(words(true)); }

FileFormat input_file_format(const std::string &from, const std::string &kind) {
  if (!from.empty()) return kKnown[parse_word("--from", from, words(false))].format;
  for (const Known &known : kKnown)
    if (*known.kind != '\0' && kind == known.kind) return known.format;
  return FileFormat::none;
}

FileFormat output_file_format(const std::string &path, const std::string &word, const std::string &in) {
  FileFormat format = FileFormat::none;
  if (!word.empty()) {
    format = kKnown[parse_word("--to or --format", word, words(true))].format;
  } else {
    for (const Known &known : kKnown)
      if (ends_with(path, known.end)) format = known.format;
    if (ends_with(path, ".hdf5")) format = FileFormat::hdf5;
    if (path == "-") format = FileFormat::csv;
  }
  if (format == FileFormat::none)
    wrong_use(
        "OUT is \"{}\" but {} is a model or scores, expected a name that ends in .h5, .csv, .model, .raw, .mat or .couplings, or --to {}",
        path, in, output_words());
  if (format == FileFormat::hdf5 && path == "-") wrong_use("OUT is standard output, expected a format of text, not hdf5");
  return format;
}

bool only_for_models(const std::string &path) {
  for (const Known &known : kKnown)
    if (known.format != FileFormat::hdf5 && ends_with(path, known.end)) return true;
  return false;
}

Model read_model_as(const InputFile &file, const std::string &from, const std::string &alphabet) {
  if (!alphabet.empty()) check_alphabet("--alphabet", alphabet);
  const atp_model_format format = from.empty() ? ATP_MODEL_AUTO : model_format(input_file_format(from, ""));
  Model model;
  const atp_status status = atp_input_model(file.handle.get(), format, alphabet.empty() ? nullptr : alphabet.c_str(), out(model));
  if (status == ATP_E_CONFLICT && alphabet.empty())
    wrong_use("{} {} has letters of an alphabet of its own, expected --alphabet with the symbols, first the gap", file.label, file.path);
  check(status, file.path);
  if (!alphabet.empty()) check(atp_model_set_alphabet(model.get(), alphabet.c_str()), "--alphabet");
  return model;
}

void write_model_scores(const Session &session, const atp_model *model, FileFormat format, const std::string &path) {
  const int64_t sites = atp_model_sites(model), size = sites * sites;
  std::vector<double> scores(static_cast<std::size_t>(size));
  check(atp_model_frobenius(session.context.get(), model, ATP_SCORE_ZERO_SUM, gap_color(model), scores.data(), size));
  check(atp_scores_apc(scores.data(), sites, scores.data(), size));
  const auto at = [&](int64_t i, int64_t j) -> double & { return scores[static_cast<std::size_t>(i * sites + j)]; };
  for (int64_t i = 0; i < sites; ++i)
    for (int64_t j = 0; j <= i; ++j) at(i, j) = i == j ? 0 : at(j, i);  // the same bits on both sides
  check(atp_scores_write(session.context.get(), scores.data(), sites, size, atp_model_site_numbers_view(model),
                         atp_model_site_residues(model), score_format(format), path.c_str()),
        path);
}

void copy_scores(const Session &session, const InputFile &in, FileFormat format, const std::string &out) {
  int64_t sites = 0;
  check(atp_input_scores_sites(in.handle.get(), &sites), in.path);
  std::vector<double> scores(static_cast<std::size_t>(sites * sites));
  std::vector<int64_t> numbers(static_cast<std::size_t>(sites));
  std::string residues(static_cast<std::size_t>(sites + 1), '\0');
  check(atp_input_scores(in.handle.get(), scores.data(), sites * sites, numbers.data(), residues.data()), in.path);
  check(atp_scores_write(session.context.get(), scores.data(), sites, sites * sites, numbers.data(), residues.c_str(), score_format(format),
                         out.c_str()),
        out);
}

}  // namespace cli
