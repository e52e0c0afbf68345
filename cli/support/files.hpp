// SPDX-License-Identifier: MIT
// Files that flags name: data sets, models, matrices, text, and whether an output can be written.
#pragma once

#include "support/parse.hpp"
#include "support/session.hpp"

#include <string>
#include <vector>

namespace cli {

// Fail early where `path` cannot be written: a file is made beside it and removed. "-" always can.
void check_writable(const std::string &flag, const std::string &path);
// Whether a name ends so; an empty end is none.
bool ends_with(const std::string &text, const std::string &end);
// Whether writing to `path` replaces a file, so that it may be written again and again; else each writing adds to a stream.
bool is_replaced(const std::string &path);
// A pipe by its own name; /dev/stdout and /dev/fd/N, which lead to an open descriptor, are none.
bool is_named_pipe(const std::string &path);
// Fail where `path` is standard input and another argument has read it.
void claim(const std::string &label, const std::string &path);

// A file that was opened once, and what it was called: `label` names the argument in messages.
struct InputFile {
  std::string label, path;
  Input handle;
  std::string kind() const { return atp_input_kind(handle.get()); }
};
InputFile open_input(const Session &session, const std::string &label, const std::string &path);
// Whole text files; "-" or "" is standard output.
void write_text(const Session &session, const std::string &path, const std::string &text);
std::string read_text(const Session &session, const std::string &path);

// The format of an output file: --format where it is given, else by the name's extension.
atp_format output_format(const std::string &path, const std::string &format);

// The flags of an input data set.
struct DataFlags {
  std::string alphabet, unknown = "gap", colors, format, format_flag = "--format", max_unpacked;
  std::string focus, max_gaps_sequence, max_gaps_column, weights, theta, weight_rule, weight_scale, save_weights;
  bool remove_duplicates = false;
  // Where the subcommand has a --format of its own, that of the input is --input-format.
  void add(CLI::App *app);
  bool weighs_by_identity() const;
  bool prepares() const;  // anything but reading
  // For other sequences beside DATA: the same columns, nothing saved, no weights from a file.
  DataFlags for_test() const;
  // For sequences that have DATA's columns already: alphabet and the like alone.
  DataFlags as_they_are() const;
  // Fail where a flag chooses or weighs sequences.
  void require_all_rows() const;
};

// Read sequences; then focus, rows, filters and weights, in this order, with a line on what is left. A model gives alphabet and number of
// colours where the flags do not. `label` names the argument in messages.
Alignment read_data(const Session &session, const std::string &label, const std::string &path, const DataFlags &flags,
                    const Rows &rows = {}, const atp_model *like = nullptr);
Alignment read_data(const Session &session, InputFile file, const DataFlags &flags, const Rows &rows = {}, const atp_model *like = nullptr);
Alignment prepare(const Session &session, const std::string &label, const std::string &path, Alignment data, const DataFlags &flags,
                  const Rows &rows);
Model read_model(const Session &session, const std::string &label, const std::string &path);
void write_data(const Session &session, const atp_alignment *alignment, atp_format format, const std::string &path);

// Numbers separated by blanks, commas or line ends; `#` starts a comment.
std::vector<double> read_numbers(const Session &session, const std::string &flag, const std::string &path);

// A square matrix of numbers separated by blanks, commas or line ends: `size` rows and columns, or any number where size is 0.
struct Matrix {
  int64_t size = 0;
  std::vector<double> values;
};
Matrix read_symmetric_matrix(const Session &session, const std::string &flag, const std::string &path, int64_t size);

}  // namespace cli
