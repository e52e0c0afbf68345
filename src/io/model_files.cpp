// SPDX-License-Identifier: MIT
#include "io/model_files.hpp"

#include "io/adabm.hpp"
#include "io/ccmpred.hpp"
#include "io/hdf5_files.hpp"
#include "io/plmc.hpp"
#include "io/read_write.hpp"

#include <algorithm>

namespace atp {

namespace {

constexpr int64_t kHead = 1 << 16;  // bytes that tell what a file is

const char *label_of(const char *path) { return is_standard_stream(path) ? "standard input" : path; }

bool is_hdf5(Span<const char> head) { return content_of(head) == Content::hdf5; }

// Whether HDF5 can open the file itself.
bool is_hdf5_on_disk(InputFile &file, const char *path) {
  if (!file.regular() || is_standard_stream(path)) return false;
  char head[16];
  return is_hdf5({head, file.read_at(0, head, sizeof head)});
}

Foreign foreign_of(Span<const char> bytes) { return foreign_content(bytes.sub(0, std::min(bytes.size(), kHead)), bytes.size()); }

// Bytes that no text has: a damaged file of plmc's, then.
bool is_binary(Span<const char> bytes) {
  return std::any_of(bytes.begin(), bytes.begin() + std::min<int64_t>(bytes.size(), 8), [](char c) { return c >= 0 && c < '\t'; });
}

Model *found_model(Context &context, const Text &file, const char *alphabet) {
  switch (foreign_of(file.bytes)) {
    case Foreign::plmc_model: return parse_plmc(context, file);
    case Foreign::ccmpred_raw: return parse_ccmpred_raw(context, file);
    case Foreign::adabm_letters: return parse_adabm(context, file, AdabmSymbols::letters, alphabet);
    case Foreign::adabm_integers: return parse_adabm(context, file, AdabmSymbols::integers, alphabet);
    case Foreign::ccmpred_matrix:
    case Foreign::plmc_couplings: fail(ATP_E_FORMAT, "%s: scores of pairs, expected a model", file.label);
    default: break;
  }
  switch (content_of(file.bytes)) {
    case Content::hdf5: return model_from_hdf5(context, file);
    case Content::empty: fail(ATP_E_FORMAT, "%s: the file is empty, expected a model", file.label);
    case Content::state: fail(ATP_E_FORMAT, "%s: the saved state of a sampler or trainer, expected a model", file.label);
    case Content::gzip: fail(ATP_E_FORMAT, "%s: packed by gzip, expected the unpacked file of a model", file.label);
    case Content::fasta: fail(ATP_E_FORMAT, "%s: sequences, expected a model", file.label);
    default: break;
  }
  if (is_binary(file.bytes)) return parse_plmc(context, file);
  fail(ATP_E_FORMAT, "%s: not a model, expected HDF5, plmc's or CCMpred's raw format, or lines 'J i j a b value'", file.label);
}

Model *parse_model(Context &context, const Text &file, atp_model_format format, const char *alphabet) {
  switch (format) {
    case ATP_MODEL_PLMC: return parse_plmc(context, file);
    case ATP_MODEL_CCMPRED: return parse_ccmpred_raw(context, file);
    case ATP_MODEL_ADABM: return parse_adabm(context, file, AdabmSymbols::letters, alphabet);
    case ATP_MODEL_BMDCA: return parse_adabm(context, file, AdabmSymbols::integers, alphabet);
    case ATP_MODEL_HDF5:
      if (!is_hdf5(file.bytes)) fail(ATP_E_FORMAT, "%s: not an HDF5 file, expected a model", file.label);
      return model_from_hdf5(context, file);
    default: return found_model(context, file, alphabet);
  }
}

ScoreFormat score_format(Span<const char> bytes, const char *label) {
  switch (foreign_of(bytes)) {
    case Foreign::ccmpred_matrix: return ScoreFormat::ccmpred;
    case Foreign::plmc_couplings: return ScoreFormat::plmc;
    default: fail(ATP_E_FORMAT, "%s: no scores of pairs, expected a matrix of reals or lines 'i A j B 0 score'", label);
  }
}

}  // namespace

Foreign foreign_content(Context &context, InputFile &file) {
  if (!file.regular()) return Foreign::none;
  const Scratch memory(context.allocator, Scratch::piece<char>(kHead));
  const Span<char> head = memory.arena().take<char>(kHead);
  return foreign_content(head.sub(0, file.read_at(0, head.data(), kHead)), file.size());
}

Model *read_model(Context &context, const char *path, atp_model_format format, const char *alphabet) {
  const ShownPath label(label_of(path));
  InputFile file(path);
  if ((format == ATP_MODEL_AUTO || format == ATP_MODEL_HDF5) && is_hdf5_on_disk(file, path)) return read_model_hdf5(context, path);
  const FileBytes bytes(context, file);
  return parse_model(context, {bytes.bytes(), label.text}, format, alphabet);
}

Model *read_model(Context &context, const char *path) { return read_model(context, path, ATP_MODEL_AUTO, nullptr); }

void write_model(Context &context, const Model &model, const Alignment *alignment, atp_model_format format, const char *path) {
  switch (format) {
    case ATP_MODEL_PLMC:
      if (alignment == nullptr)
        fail(ATP_E_CONFLICT, "%s: alignment is NULL, must be given: plmc's format holds its frequencies and weights", ShownPath(path).text);
      return write_plmc(context, model, *alignment, path);
    case ATP_MODEL_CCMPRED: return write_ccmpred_raw(context, model, path);
    case ATP_MODEL_ADABM: return write_adabm(context, model, AdabmSymbols::letters, path);
    case ATP_MODEL_BMDCA: return write_adabm(context, model, AdabmSymbols::integers, path);
    default: return write_model_hdf5(context, model, path);
  }
}

ScoreFile::ScoreFile(Context &context, const char *path)
    : label_(label_of(path)),
      file_(path),
      bytes_(context, file_),
      format_(score_format(bytes_.bytes(), label_.text)),
      sites_(count_score_sites({bytes_.bytes(), label_.text}, format_)) {}

}  // namespace atp
