// SPDX-License-Identifier: MIT
// Formats of models and of scores of pairs, by word, name or content.
#pragma once

#include "support/files.hpp"

namespace cli {

enum class FileFormat { none, hdf5, plmc_model, ccmpred_raw, adabm, bmdca, ccmpred_matrix, plmc_couplings, csv };

bool is_scores(FileFormat format);
atp_model_format model_format(FileFormat format);  // of models but csv

// The words of --from and --to, for the help.
std::string input_words();
std::string output_words();

// What IN is: --from where it is given, else what atp_input_kind() says; none for sequences and the like.
FileFormat input_file_format(const std::string &from, const std::string &kind);
// What OUT is to be, for a model or scores: the word of --to or --format where it is given, else by the name. `in` is named in messages.
FileFormat output_file_format(const std::string &path, const std::string &word, const std::string &in);

// Whether a name is one of models or scores and none of sequences.
bool only_for_models(const std::string &path);

// --from may be empty; an alphabet, where it is given, is what text is read with and what the model has then.
Model read_model_as(const InputFile &file, const std::string &from, const std::string &alphabet);

// Frobenius norms with average product correction, as `contacts` has them.
void write_model_scores(const Session &session, const atp_model *model, FileFormat format, const std::string &path);
void copy_scores(const Session &session, const InputFile &in, FileFormat format, const std::string &out);

}  // namespace cli
