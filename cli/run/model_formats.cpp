// SPDX-License-Identifier: MIT
#include "run/model_formats.hpp"

#include "run/files.hpp"
#include "run/memory.hpp"
#include "run/model_sequences.hpp"
#include "run/signals.hpp"

#include <algorithm>

namespace cli {

namespace {

struct Known {
  FileFormat format;
  const char *word;  // value of --from and --to
  const char *kind;  // as atp_input_kind() returns it
  const char *end;   // end of the names of output files; "": none
};

constexpr Known kKnown[] = {
    {FileFormat::hdf5, "hdf5", "model", ".h5"},
    {FileFormat::fasta, "fasta", "", ""},
    {FileFormat::integers, "integers", "", ""},
    {FileFormat::a2m, "a2m", "", ""},
    {FileFormat::a3m, "a3m", "", ""},
    {FileFormat::stockholm, "stockholm", "", ""},
    {FileFormat::plmc_model, "plmc", "plmc-model", ".model"},
    {FileFormat::ccmpred_raw, "ccmpred-raw", "ccmpred-raw", ".raw"},
    {FileFormat::ccmpred_braw, "ccmpred-braw", "ccmpred-braw", ".braw"},
    {FileFormat::adabm, "adabm", "adabm", ""},
    {FileFormat::bmdca, "bmdca", "bmdca", ""},
    {FileFormat::gremlin_mrf, "gremlin-mrf", "gremlin-mrf", ".mrf"},
    {FileFormat::ccmpred_matrix, "ccmpred-matrix", "ccmpred-matrix", ".mat"},
    {FileFormat::plmc_couplings, "plmc-couplings", "plmc-couplings", ".couplings"},
    {FileFormat::evcouplings_scores, "evcouplings-scores", "evcouplings-scores", "_CouplingScores.csv"},
    {FileFormat::csv, "csv", "", ".csv"},
    {FileFormat::npy, "npy", "npy", ""},
};

atp_score_format score_format(FileFormat format) {
  switch (format) {
    case FileFormat::ccmpred_matrix: return ATP_SCORES_CCMPRED;
    case FileFormat::evcouplings_scores: return ATP_SCORES_EVCOUPLINGS;
    default: return ATP_SCORES_PLMC;
  }
}

bool of_sequences(FileFormat format) {
  return format == FileFormat::fasta || format == FileFormat::integers || format == FileFormat::a2m || format == FileFormat::a3m ||
         format == FileFormat::stockholm;
}

Words<FileFormat> known_words() {
  Words<FileFormat> words;
  for (const Known &known : kKnown) words.emplace_back(known.word, known.format);
  return words;
}

}  // namespace

bool is_scores(FileFormat format) {
  return format == FileFormat::ccmpred_matrix || format == FileFormat::plmc_couplings || format == FileFormat::evcouplings_scores;
}

atp_model_format model_format(FileFormat format) {
  switch (format) {
    case FileFormat::plmc_model: return ATP_MODEL_PLMC;
    case FileFormat::ccmpred_raw: return ATP_MODEL_CCMPRED;
    case FileFormat::ccmpred_braw: return ATP_MODEL_BRAW;
    case FileFormat::adabm: return ATP_MODEL_ADABM;
    case FileFormat::bmdca: return ATP_MODEL_BMDCA;
    case FileFormat::gremlin_mrf: return ATP_MODEL_GREMLIN;
    case FileFormat::npy: return ATP_MODEL_AUTO;  // which knows it by its first bytes
    default: return ATP_MODEL_HDF5;
  }
}

std::string format_word(FileFormat format) { return word_of(output_words(), format); }

Words<FileFormat> input_words() {
  Words<FileFormat> words = known_words();
  const auto no_input = [](const auto &word) { return of_sequences(word.second) || word.second == FileFormat::csv; };
  words.erase(std::remove_if(words.begin(), words.end(), no_input), words.end());
  return words;
}

Words<FileFormat> output_words() {
  Words<FileFormat> words = known_words();
  words.pop_back();  // npy, which is only read
  return words;
}

std::string joined(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

FileFormat format_of_kind(const std::string &kind) {
  for (const Known &known : kKnown)
    if (*known.kind != '\0' && kind == known.kind) return known.format;
  return FileFormat::none;
}

FileFormat output_file_format(const std::string &path, FileFormat to, const std::string &in) {
  FileFormat format = to;
  if (of_sequences(format))
    wrong_use("--to is \"{}\" but {} is a model or scores, expected a format of models or scores", format_word(format), in);
  if (format == FileFormat::none) {
    for (const Known &known : kKnown)
      if (format == FileFormat::none && *known.end != '\0' && ends_with(path, known.end)) format = known.format;
    if (ends_with(path, ".hdf5")) format = FileFormat::hdf5;
    if (path == "-") format = FileFormat::csv;
  }
  if (format == FileFormat::none)
    wrong_use(
        "OUT is \"{}\" but {} is a model or scores, expected a name that ends in .h5, .csv, .model, .raw, .braw, .mrf, .mat or .couplings, "
        "or "
        "--to",
        path, in);
  if (format == FileFormat::hdf5 && path == "-") wrong_use("OUT is standard output, expected a format of text, not hdf5");
  return format;
}

atp_format sequence_format(const std::string &path, FileFormat to, const std::string &in) {
  switch (to) {
    case FileFormat::none: return output_format(path, {});
    case FileFormat::hdf5: return output_format(path, ATP_FORMAT_HDF5);
    case FileFormat::fasta: return output_format(path, ATP_FORMAT_FASTA);
    case FileFormat::integers: return output_format(path, ATP_FORMAT_INTEGERS);
    case FileFormat::a2m: return output_format(path, ATP_FORMAT_A2M);
    case FileFormat::a3m: return output_format(path, ATP_FORMAT_A3M);
    case FileFormat::stockholm: return output_format(path, ATP_FORMAT_STOCKHOLM);
    default: wrong_use("--to is \"{}\" but {} holds sequences, expected hdf5, fasta, integers, a2m, a3m or stockholm", format_word(to), in);
  }
}

bool only_for_models(const std::string &path) {
  for (const Known &known : kKnown)
    if (known.format != FileFormat::hdf5 && ends_with(path, known.end)) return true;
  return false;
}

Model read_model_as(const InputFile &file, FileFormat from, const std::string &alphabet) {
  const atp_model_format format = from == FileFormat::none ? ATP_MODEL_AUTO : model_format(from);
  Model model;
  const atp_status status = atp_input_model(file.handle.get(), format, alphabet.empty() ? nullptr : alphabet.c_str(), out(model));
  if (status == ATP_E_CONFLICT && alphabet.empty())
    wrong_use("{} {} uses its own alphabet, expected --alphabet with the symbols, the gap first", file.label, file.path);
  check(status, file.path);
  if (alphabet.empty() || names_data_alphabet(alphabet, model.get())) return model;
  labelled("--alphabet", [&] { model.set_alphabet(alphabet); });
  return model;
}

void write_model_scores(const Session &session, const atp_model *model, FileFormat format, const std::string &path) {
  const int64_t sites = atp_model_sites(model), size = sites * sites;
  require_pair_tables(session, sites, sizeof(double), "a model of fewer sites takes less");
  std::vector<double> scores(static_cast<std::size_t>(size));
  check(atp_model_frobenius(session.context.get(), model, ATP_SCORE_ZERO_SUM, atp_model_gap_color(model), scores.data(), size));
  check(atp_scores_apc(scores.data(), sites, scores.data(), size));
  const auto at = [&](int64_t i, int64_t j) -> double & { return scores[static_cast<std::size_t>(i * sites + j)]; };
  for (int64_t i = 0; i < sites; ++i)
    for (int64_t j = 0; j <= i; ++j) at(i, j) = i == j ? 0 : at(j, i);  // the same bits on both sides
  if (!is_first_rank()) return;
  const FinishFirst finish_first;
  check(atp_scores_write(session.context.get(), scores.data(), sites, atp_model_site_numbers_view(model), atp_model_site_residues(model),
                         score_format(format), path.c_str()),
        path);
}

void copy_scores(const Session &session, const InputFile &in, FileFormat format, const std::string &path) {
  int64_t sites = 0;
  check(atp_input_scores_sites(in.handle.get(), &sites), in.path);
  require_pair_tables(session, sites, sizeof(double), "scores of fewer sites take less");
  const attopotts::ScoreFile file = labelled(in.path, [&] { return in.handle.scores(); });
  if (!is_first_rank()) return;
  const FinishFirst finish_first;
  labelled(path,
           [&] { attopotts::write_scores(session.context, file.scores, sites, score_format(format), path, file.numbers, file.residues); });
}

}  // namespace cli
