// SPDX-License-Identifier: MIT
// Formats of files of models and pair scores, chosen by flag, name or content.
#pragma once

#include "run/files.hpp"

namespace cli {

enum class FileFormat {
  none,
  hdf5,
  fasta,
  integers,
  a2m,
  a3m,
  stockholm,
  plmc_model,
  ccmpred_raw,
  ccmpred_braw,
  adabm,
  bmdca,
  gremlin_mrf,
  ccmpred_matrix,
  plmc_couplings,
  evcouplings_scores,
  csv,
  npy
};

bool is_scores(FileFormat format);
std::string format_word(FileFormat format);
atp_model_format model_format(FileFormat format);  // for models, csv excepted

// The words of --from and --to.
Words<FileFormat> input_words();
Words<FileFormat> output_words();
std::string joined(const std::vector<std::string> &words);

// The format of the file kind that atp_input_kind() returns; none for sequences and others.
FileFormat format_of_kind(const std::string &kind);
// The format of OUT for a model or scores: --to or --format where it was given, else by the file's name. Messages name `in`.
FileFormat output_file_format(const std::string &path, FileFormat to, const std::string &in);
// The same for sequences.
atp_format sequence_format(const std::string &path, FileFormat to, const std::string &in);

// Whether a file of this name can hold models or scores but not sequences.
bool only_for_models(const std::string &path);

// `from` may be none. A text file is read with `alphabet` where it is not empty, and the model gets it.
Model read_model_as(const InputFile &file, FileFormat from, const std::string &alphabet);

// Write Frobenius norms with average product correction, as `contacts` computes them.
void write_model_scores(const Session &session, const atp_model *model, FileFormat format, const std::string &path);
void copy_scores(const Session &session, const InputFile &in, FileFormat format, const std::string &path);

}  // namespace cli
