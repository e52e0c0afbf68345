// SPDX-License-Identifier: MIT
/** @file io.hpp
 *  Files; see io.h.
 *  Part of attopotts_io.hpp; attopotts.hpp describes the conventions. */
#ifndef ATTOPOTTS_IO_HPP
#define ATTOPOTTS_IO_HPP

#include <attopotts/io.h>
#include <attopotts/context.hpp>
#include <attopotts/model.hpp>
#include <attopotts/scores.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace attopotts {

inline Alignment Alignment::read(Borrowed<Context> context, const std::string &path, const std::string &alphabet, const Options *options) {
  atp_alignment *handle = nullptr;
  check(atp_alignment_read(context.get(), detail::text(path, "path"), detail::text_or_null(alphabet, "alphabet"),
                           detail::handle_of(options), &handle));
  return Alignment(handle);
}

inline Alignment Alignment::read_part(Borrowed<Context> context, const std::string &path, std::int64_t part, std::int64_t parts,
                                      const std::string &alphabet, const Options *options) {
  atp_alignment *handle = nullptr;
  check(atp_alignment_read_part(context.get(), detail::text(path, "path"), part, parts, detail::text_or_null(alphabet, "alphabet"),
                                detail::handle_of(options), &handle));
  return Alignment(handle);
}

inline void Alignment::write(const Context &context, atp_format format, const std::string &path) const {
  check(atp_alignment_write(context.get(), get(), format, detail::text(path, "path")));
}

inline Model Model::read(Borrowed<Context> context, const std::string &path) {
  atp_model *handle = nullptr;
  check(atp_model_read(context.get(), detail::text(path, "path"), &handle));
  return Model(handle);
}

inline Model Model::read_as(Borrowed<Context> context, const std::string &path, atp_model_format format, const std::string &alphabet) {
  atp_model *handle = nullptr;
  check(atp_model_read_as(context.get(), detail::text(path, "path"), format, detail::text_or_null(alphabet, "alphabet"), &handle));
  return Model(handle);
}

inline void Model::write(const Context &context, const std::string &path) const {
  check(atp_model_write(context.get(), get(), detail::text(path, "path")));
}

inline void Model::write_as(const Context &context, atp_model_format format, const std::string &path, const Alignment *alignment) const {
  check(atp_model_write_as(context.get(), get(), alignment == nullptr ? nullptr : alignment->get(), format, detail::text(path, "path")));
}

/** atp_file_kind(): "model", "alignment", "fasta", ..., or "unknown". */
inline std::string file_kind(const Context &context, const std::string &path) {
  const char *kind = "";
  return check(atp_file_kind(context.get(), detail::text(path, "path"), &kind)), kind;
}

/** Writes bytes, for example a saved state, to a file. The old file stays complete until the new one is. */
inline void write_file(const Context &context, const std::string &path, View<const char> bytes) {
  check(atp_file_write(context.get(), detail::text(path, "path"), bytes.data(), detail::size(bytes.size())));
}

/** Writes a file part by part, as they are needed. See atp_file_write_parts(). */
inline void write_file_parts(const Context &context, const std::string &path, atp_part_fn next, void *user = nullptr) {
  check(atp_file_write_parts(context.get(), detail::text(path, "path"), next, user));
}

/** Throws if a file cannot be written; returns whether a write would replace it. See atp_file_writable(). */
inline bool check_writable(const std::string &path) {
  int replaced = 0;
  return check(atp_file_writable(detail::text(path, "path"), &replaced)), replaced != 0;
}

/** Content of a score file: scores of shape [L][L], numbers and residues of the sites. */
struct ScoreFile {
  std::vector<double> scores;
  std::vector<std::int64_t> numbers;
  std::string residues;
};

/** See atp_scores_read(). */
inline ScoreFile read_scores(const Context &context, const std::string &path) {
  std::int64_t sites = 0;
  check(atp_scores_sites(context.get(), detail::text(path, "path"), &sites));
  const std::size_t n = static_cast<std::size_t>(sites);
  ScoreFile file{std::vector<double>(n * n), std::vector<std::int64_t>(n), std::string(n + 1, '\0')};
  check(atp_scores_read(context.get(), detail::text(path, "path"), file.scores.data(), sites * sites, file.numbers.data(),
                        file.residues.data()));
  return file.residues.resize(file.residues.find('\0')), file;
}

/** See atp_scores_write(); scores have shape [sites][sites]. Empty numbers: 1..L. */
inline void write_scores(const Context &context, Reals scores, std::int64_t sites, atp_score_format format, const std::string &path,
                         View<const std::int64_t> numbers = {}, const std::string &residues = "") {
  if (!numbers.empty() && detail::size(numbers.size()) != sites)
    throw error(ATP_E_SHAPE, "numbers has " + std::to_string(numbers.size()) + " elements, must have " + std::to_string(sites));
  if (sites < 1 || detail::size(scores.size()) != sites * sites)
    throw error(ATP_E_SHAPE, "scores has " + std::to_string(scores.size()) + " elements, must have sites * sites");
  check(atp_scores_write(context.get(), scores.data(), sites, numbers.data(), detail::text(residues, "residues"), format,
                         detail::text(path, "path")));
}

/** atp_distances_read(): shape [sites][sites], NaN for pairs that are not in the file. */
inline std::vector<double> read_distances(const Context &context, const std::string &path, std::int64_t sites,
                                          View<const std::int64_t> numbers = {}) {
  if (!numbers.empty() && detail::size(numbers.size()) != sites)
    throw error(ATP_E_SHAPE, "numbers has " + std::to_string(numbers.size()) + " elements, must have " + std::to_string(sites));
  std::vector<double> out(static_cast<std::size_t>(sites > 0 && sites <= 65536 ? sites * sites : 1));
  check(
      atp_distances_read(context.get(), detail::text(path, "path"), numbers.data(), sites, out.data(), detail::size(out.size()), nullptr));
  return out;
}

/** Reads a whole file. */
inline std::vector<char> read_file(const Context &context, const std::string &path) {
  std::int64_t size = 0;
  check(atp_file_size(context.get(), detail::text(path, "path"), &size));
  std::vector<char> out(static_cast<std::size_t>(size > 0 ? size : 1));
  check(atp_file_read(context.get(), detail::text(path, "path"), out.data(), size));
  return out.resize(static_cast<std::size_t>(size)), out;
}

}  // namespace attopotts

#endif
