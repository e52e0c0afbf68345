// SPDX-License-Identifier: MIT
#include "io/model_files.hpp"

#include "io/foreign.hpp"
#include "io/hdf5_files.hpp"
#include "io/npy.hpp"

#include <algorithm>
#include <cstring>

namespace atp {

namespace {

// Whether there are bytes that do not occur in text, as in a damaged plmc file.
bool is_binary(Span<const char> bytes) {
  return std::any_of(bytes.begin(), bytes.begin() + std::min<int64_t>(bytes.size(), 8),
                     [](char c) { return static_cast<unsigned char>(c) < '\t'; });
}

// A model of CCMpred in msgpack, which CCMgen packs by gzip as well.
Model *model_from_braw(const Source &source) {
  if (source.foreign() == Foreign::ccmpred_braw) return parse_braw(source.context(), source.text());
  if (source.content() != Content::gzip || std::strcmp(source.kind(), foreign_name(Foreign::ccmpred_braw)) != 0)
    fail(ATP_E_FORMAT, "%s: no map of msgpack, expected a model of CCMpred", source.label());
  const Unpacked unpacked(source.context(), source.text(), 0);
  return parse_braw(source.context(), {unpacked.bytes(), source.label()});
}

struct KnownFormat {
  atp_model_format format;
  Foreign content;
};
constexpr KnownFormat kFormats[] = {{ATP_MODEL_PLMC, Foreign::plmc_model},     {ATP_MODEL_CCMPRED, Foreign::ccmpred_raw},
                                    {ATP_MODEL_ADABM, Foreign::adabm_letters}, {ATP_MODEL_BMDCA, Foreign::adabm_integers},
                                    {ATP_MODEL_GREMLIN, Foreign::gremlin},     {ATP_MODEL_BRAW, Foreign::ccmpred_braw}};

const char *word_of(atp_model_format format) {
  for (const KnownFormat &known : kFormats)
    if (known.format == format) return foreign_name(known.content);
  return "hdf5";
}

// Completes the message of a reader that was asked for, where the content is known to be something else.
void fail_with_content(const Error &e, const Source &source, atp_model_format format) {
  const char *kind = source.kind();
  if (format == ATP_MODEL_AUTO || e.status() != ATP_E_FORMAT || std::strcmp(kind, word_of(format)) == 0) return;
  if (std::strcmp(kind, "unknown") == 0 || (format == ATP_MODEL_HDF5 && source.content() == Content::hdf5)) return;
  const char *shown = std::strcmp(kind, "model") == 0 || std::strcmp(kind, "alignment") == 0 ? "hdf5" : kind;
  fail(ATP_E_FORMAT, "%s; the format asked for is %s, the content is %s", e.what(), word_of(format), shown);
}

Model *parse_model(const Source &source, atp_model_format format, const char *alphabet);

// The format is what the content is.
Model *found_model(const Source &source, const char *alphabet) {
  const Text file = source.text();
  const Foreign foreign = source.foreign();
  for (const KnownFormat &known : kFormats)
    if (known.content == foreign) return parse_model(source, known.format, alphabet);
  if (foreign != Foreign::none) fail(ATP_E_FORMAT, "%s: scores of pairs, expected a model", file.label);
  switch (source.content()) {
    case Content::hdf5: return model_from_hdf5(source.context(), file);
    case Content::npy: return model_from_npy(source.context(), file, source.size());
    case Content::empty: fail(ATP_E_FORMAT, "%s: the file is empty, expected a model", file.label);
    case Content::state: fail(ATP_E_FORMAT, "%s: the saved state of a sampler or trainer, expected a model", file.label);
    case Content::gzip:
      if (std::strcmp(source.kind(), foreign_name(Foreign::ccmpred_braw)) == 0) return model_from_braw(source);
      fail(ATP_E_FORMAT, "%s: packed by gzip, expected the unpacked file of a model", file.label);
    case Content::fasta: fail(ATP_E_FORMAT, "%s: sequences, expected a model", file.label);
    default: break;
  }
  if (is_binary(file.bytes)) fail_plmc(file, source.size());
  fail(ATP_E_FORMAT, "%s: not a model, expected HDF5, plmc's or CCMpred's raw format, lines 'J i j a b value' or 'V[i] fields'",
       file.label);
}

Model *parse_model(const Source &source, atp_model_format format, const char *alphabet) {
  Context &context = source.context();
  const auto text = [&source] { return source.loaded("a model in a format of text"); };
  switch (format) {
    case ATP_MODEL_PLMC:
      if (!source.whole()) fail_plmc(source.text(), source.size());
      return parse_plmc(context, source.text());
    case ATP_MODEL_CCMPRED: return parse_ccmpred_raw(context, text());
    case ATP_MODEL_ADABM: return parse_adabm(context, text(), AdabmSymbols::letters, alphabet);
    case ATP_MODEL_BMDCA: return parse_adabm(context, text(), AdabmSymbols::integers, alphabet);
    case ATP_MODEL_GREMLIN: return parse_gremlin(context, text(), alphabet);
    case ATP_MODEL_BRAW: return model_from_braw(source);
    case ATP_MODEL_HDF5:
      if (source.content() != Content::hdf5) fail(ATP_E_FORMAT, "%s: not an HDF5 file, expected a model", source.label());
      return model_from_hdf5(context, source.text());
    default: return found_model(source, alphabet);
  }
}

ScoreFormat score_format(const Source &source) {
  switch (source.foreign()) {
    case Foreign::ccmpred_matrix: return ScoreFormat::ccmpred;
    case Foreign::plmc_couplings: return ScoreFormat::plmc;
    case Foreign::evcouplings: return ScoreFormat::evcouplings;
    default:
      fail(ATP_E_FORMAT, "%s: no scores of pairs, expected a matrix of reals, lines 'i A j B 0 score' or EVcouplings' CSV", source.label());
  }
}

}  // namespace

Model *read_model(const Source &source, atp_model_format format, const char *alphabet) {
  if ((format == ATP_MODEL_AUTO || format == ATP_MODEL_HDF5) && source.on_disk()) return read_model_hdf5(source.context(), source.path());
  try {
    return parse_model(source, format, alphabet);
  } catch (const Error &e) {
    fail_with_content(e, source, format);
    throw;
  }
}

void write_model(Context &context, const Model &model, const Alignment *alignment, atp_model_format format, const char *path) {
  if (model.shape.ordered && format != ATP_MODEL_HDF5)
    fail(ATP_E_CONFLICT,
         "%s: the model is autoregressive, and the format %s is for Potts models, whose energy it does not have: write HDF5",
         ShownPath(path).text, word_of(format));
  switch (format) {
    case ATP_MODEL_PLMC:
      if (alignment == nullptr)
        fail(ATP_E_CONFLICT, "%s: alignment is NULL, must be given: plmc's format holds its frequencies and weights", ShownPath(path).text);
      return write_plmc(context, model, *alignment, path);
    case ATP_MODEL_CCMPRED: return write_ccmpred_raw(context, model, path);
    case ATP_MODEL_ADABM: return write_adabm(context, model, AdabmSymbols::letters, path);
    case ATP_MODEL_BMDCA: return write_adabm(context, model, AdabmSymbols::integers, path);
    case ATP_MODEL_GREMLIN: return write_gremlin(context, model, path);
    case ATP_MODEL_BRAW: return write_braw(context, model, path);
    default: return write_model_hdf5(context, model, path);
  }
}

ScoreFile::ScoreFile(const Source &source)
    : text_(source.text()), format_(score_format(source)), sites_(count_score_sites(text_, format_)) {}

}  // namespace atp
