// SPDX-License-Identifier: MIT
// Reads and writes the files that flags name: data sets, models, matrices and text.
#pragma once

#include "run/named_files.hpp"
#include "text/csv.hpp"
#include "text/parse.hpp"
#include "run/ranks.hpp"
#include "run/session.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cli {

// Whether a name has this ending; false for an empty ending.
bool ends_with(const std::string &text, const std::string &end);
// Whether writing to `path` replaces a file; otherwise each write adds to a stream. Fails where that cannot be found out.
bool is_replaced(const std::string &path);

// An opened file; `label` names its argument in messages.
struct InputFile {
  std::string label, path;
  std::unique_ptr<SharedFile> source;
  Input handle;
  std::string kind() const { return atp_input_kind(handle.get()); }
};
// Opens a file that an argument names and claims it: the only way to what a user's file has.
InputFile open_input(const Session &session, const std::string &label, const std::string &path);
// A small table of text as other programs write it; the rules are with atp_input_table().
struct SideTable {
  std::vector<std::string> columns;  // empty where the file has no names of columns
  std::vector<std::vector<std::string>> rows;
  std::vector<int64_t> lines;  // the line of each row, from 1
  std::string source;          // flag and file, for messages
  // The column with the first of these names that the file has; -1 if it has none of them. Fails if it has that name twice.
  int64_t find(const std::vector<std::string> &names) const;
};
// They fail with the line where something is wrong. `names`: for ATP_CELLS_LIST.
SideTable side_table_in(const InputFile &file, atp_cells form, const std::vector<std::string> &names = {});
// The same row by row, for tables as large as models.
class SideRows {
 public:
  SideRows(const InputFile &file, atp_cells form, const std::vector<std::string> &names = {});
  // Reads the next row; false at the end.
  bool next();
  const SideTable &head() const { return head_; }  // without rows
  const std::vector<std::string> &cells() const { return cells_; }
  int64_t line() const { return line_; }
  int64_t lines() const { return std::count(text_.begin(), text_.end(), '\n'); }  // at least as many as rows

 private:
  bool read();
  SideTable head_;
  std::string text_;
  RowReader reader_;
  std::vector<std::string> cells_;
  int64_t line_ = 0;
  bool waiting_ = false;  // a row was read that next() did not give yet
};
SideTable read_side_table(const Session &session, const std::string &label, const std::string &path, atp_cells form,
                          const std::vector<std::string> &names = {});
// Distances [L][L] between sites, NaN where none is known, and the numbers of pairs in the file and of those of two sites.
struct DistanceSites {
  int64_t count;
  const int64_t *numbers;
  int64_t total;  // columns before any were removed, of which these are the sites:
  const int64_t *columns;
};
struct Distances {
  std::vector<double> values;
  int64_t pairs = 0, used = 0;
};
Distances read_distances(const Session &session, const std::string &flag, const std::string &path, const DistanceSites &sites);
// The extents and the numbers of a .npy file, slowest index first; these may be infinite or NaN.
std::vector<int64_t> npy_shape(const InputFile &file);
std::vector<double> npy_numbers(const InputFile &file);
std::string shape_text(const std::vector<int64_t> &shape);
// Whether INPUT is a model, of this library or of another tool; else it should be sequences.
bool is_model(const InputFile &input);
// Fails where a flag of sequences is given and INPUT is a model.
void refuse_for_model(const std::vector<const CLI::Option *> &of_sequences, const std::string &input);
// Whole text files. For write_text(), "-" or "" is standard output; read_own() reads what a flag of this command writes, too.
void write_text(const Session &session, const std::string &path, const std::string &text);
std::string read_own(const Session &session, const std::string &path);

// Whether a format has symbols, which needs an alphabet.
bool has_symbols(atp_format format);
// The format of an output file: --format if it was given, else from the file's name, without .gz.
atp_format output_format(const std::string &path, std::optional<atp_format> format);

// --weights: where the weights of sequences come from.
struct WeightSource {
  enum class From { data, none, automatic, theta, file } from = From::data;
  double theta = 0;
  std::string text;  // as it was given
};

// The columns that --focus chose in the first file, for a second one with the same columns.
struct FocusColumns {
  int64_t width = 0;  // of the first file before; 0: nothing was chosen
  std::vector<int64_t> columns, numbers;
  std::string residues;
};

// The flags of an input data set.
struct DataFlags {
  std::string alphabet;
  atp_unknown unknown = ATP_UNKNOWN_GAP;
  std::optional<int64_t> colors;
  std::optional<atp_format> format;
  std::string focus, save_weights;
  std::optional<double> max_gaps_sequence, max_gaps_column;
  bool remove_duplicates = false;
  bool follows = false;  // a second file: --focus takes the columns of the first where the widths agree
  std::shared_ptr<FocusColumns> focused = std::make_shared<FocusColumns>();
  std::shared_ptr<std::string> weighing = std::make_shared<std::string>();  // how the last data were weighed, "": as their file says
  WeightSource weights;
  std::optional<AutoFraction> theta;
  std::optional<atp_weight_rule> weight_rule;
  void add(CLI::App *app);
  bool weighs_by_identity() const;
  bool prepares() const;  // whether anything happens to the sequences after reading
  // The flags for a second set of sequences: the same columns, nothing saved, no weights from a file.
  DataFlags for_test() const;
  // The flags for sequences with DATA's columns, before or after --focus: only alphabet, colours and unknown symbols.
  DataFlags as_they_are() const;
  // The flags for sequences that are then split, and for each set: weights by identity are of a set alone.
  DataFlags before_split() const;
  DataFlags after_split() const;
  // Fails if a flag selects sequences, or weighs them unless they may be `weighed`.
  void require_all_rows(bool weighed = false) const;
  // The end of a message on a wrong number of sites: " (...)" if the number would be right without --focus, else "".
  std::string focus_hint(int64_t expected_sites) const;

 private:
  void add_selection(CLI::App *app);
  void add_weights(CLI::App *app);
};

// Reads sequences, then applies focus, rows, filters and weights, in this order, and reports how many sequences remain. The model `like`
// gives alphabet and number of colours unless flags do. `label` names the argument in messages.
Alignment read_data(const Session &session, const std::string &label, const std::string &path, const DataFlags &flags,
                    const Rows &rows = {}, const atp_model *like = nullptr);
Alignment read_data(const Session &session, InputFile file, const DataFlags &flags, const Rows &rows = {}, const atp_model *like = nullptr);
Alignment prepare(const Session &session, const std::string &label, const std::string &path, Alignment data, const DataFlags &flags,
                  const Rows &rows);
// --test-split: a training set and a test set, of which no two sequences are more identical than `identity`.
struct TrainingAndTest {
  Alignment training, test;
};
void add_test_split(CLI::App *app, std::optional<double> &identity);
// As read_data(), then splits; both sets are weighed as the flags say.
TrainingAndTest read_split(const Session &session, InputFile file, const DataFlags &flags, const Rows &rows, const atp_model *like,
                           double identity);
// alphabet: that of a file of adabmDCA whose symbols are those of no named alphabet.
Model read_model(const Session &session, const std::string &label, const std::string &path, const std::string &alphabet = "");
// Also prints the model's origin line, if it has one.
Model read_model(const Session &session, const InputFile &file, const std::string &alphabet = "");
void write_data(const Session &session, const atp_alignment *alignment, atp_format format, const std::string &path);

// `what` precedes the text of a failure.
void write_model(const Session &session, const atp_model *model, const std::string &path, const std::string &what);

// How help describes files of numbers.
inline constexpr const char *kNumbersText = "text as numpy.savetxt writes it (blanks or commas), or .npy";

// Finite numbers: text, separated by blanks, commas or line ends, `#` starts a comment; or a .npy file.
std::vector<double> read_numbers(const Session &session, const std::string &flag, const std::string &path);

// A square matrix of such numbers: `size` rows and columns, or any number where size is 0.
struct Matrix {
  int64_t size = 0;
  std::vector<double> values;
};
Matrix symmetric_matrix_in(const InputFile &file, int64_t size);  // of an opened file
Matrix read_symmetric_matrix(const Session &session, const std::string &flag, const std::string &path, int64_t size);

}  // namespace cli
