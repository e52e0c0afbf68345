// SPDX-License-Identifier: MIT
#include "run/files.hpp"

#include "run/memory.hpp"
#include "run/model_tables.hpp"
#include "run/model_sequences.hpp"
#include "run/named_files.hpp"
#include "run/signals.hpp"
#include "text/csv.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace cli {

namespace {

InputFile opened(const Session &session, const std::string &label, const std::string &path) {
  InputFile file{label, path, std::make_unique<SharedFile>(session.context.get(), label, path), {}};
  file.handle = labelled(label + " " + path, [&] { return Input(session.context, file.source->name()); });
  return file;
}

}  // namespace

bool ends_with(const std::string &text, const std::string &end) {
  return !end.empty() && text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool is_replaced(const std::string &path) {
  if (path.empty() || path == "-" || !is_first_rank()) return false;
  return attopotts::check_writable(path);
}

InputFile open_input(const Session &session, const std::string &label, const std::string &path) {
  const EndAtOnce reading(fmt::format("interrupted while reading {}; nothing was kept", path));
  claim_input(label, path);
  return opened(session, label, path);
}

bool is_model(const InputFile &input) {
  const std::string kind = input.kind();
  if (kind == "state") wrong_use("INPUT {} is a checkpoint, expected a model or sequences", input.path);
  if (kind == "plmc-couplings" || kind == "ccmpred-matrix" || kind == "evcouplings-scores")
    wrong_use("INPUT {} holds scores, expected a model or sequences", input.path);
  return kind == "model" || kind == "plmc-model" || kind == "ccmpred-raw" || kind == "adabm" || kind == "bmdca" || kind == "npy" ||
         is_model_table(input);
}

void refuse_for_model(const std::vector<const CLI::Option *> &of_sequences, const std::string &input) {
  for (const CLI::Option *option : of_sequences)
    if (option->count() > 0) wrong_use("{} is given but INPUT {} is a model, expected sequences", option->get_name(false, true), input);
}

void write_text(const Session &session, const std::string &path, const std::string &text) {
  if (!is_first_rank()) return;
  if (!path.empty() && path != "-") {
    require_not_read(path);
    const FinishFirst finish_first;
    labelled(path, [&] { attopotts::write_file(session.context, path, text); });
    return;
  }
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    failed("standard output: {}", std::strerror(errno));
}

std::string read_own(const Session &session, const std::string &path) {
  const InputFile input = opened(session, path, path);
  if (const auto text = input.handle.bytes(); text.data() != nullptr) return {text.begin(), text.end()};
  // For a saved state, the input has only the first bytes.
  const std::vector<char> bytes = labelled(path, [&] { return attopotts::read_file(session.context, input.source->name()); });
  return {bytes.begin(), bytes.end()};
}

atp_format output_format(const std::string &path, std::optional<atp_format> format) {
  if (format == ATP_FORMAT_HDF5 && path == "-") wrong_use("--to is hdf5 for standard output, expected fasta or integers");
  if (format) return *format;
  static const Words<atp_format> ends = {
      {".fasta", ATP_FORMAT_FASTA},  {".fa", ATP_FORMAT_FASTA},      {".afa", ATP_FORMAT_FASTA},     {".a2m", ATP_FORMAT_A2M},
      {".a3m", ATP_FORMAT_A3M},      {".sto", ATP_FORMAT_STOCKHOLM}, {".stk", ATP_FORMAT_STOCKHOLM}, {".stockholm", ATP_FORMAT_STOCKHOLM},
      {".txt", ATP_FORMAT_INTEGERS}, {".dat", ATP_FORMAT_INTEGERS}};
  for (const char *end : {".h5", ".hdf5"})
    if (ends_with(path, end)) return ATP_FORMAT_HDF5;
  const std::string name = ends_with(path, ".gz") ? path.substr(0, path.size() - 3) : path;
  for (const auto &[end, of_name] : ends)
    if (ends_with(name, end)) return of_name;
  if (path == "-") return ATP_FORMAT_INTEGERS;
  wrong_use(
      "output is \"{}\", expected a name that ends in .h5, .fasta, .a2m, .a3m, .sto or .txt, of text also with .gz, or --to with hdf5, "
      "fasta, a2m, a3m, stockholm or integers",
      path);
}

bool has_symbols(atp_format format) { return format != ATP_FORMAT_HDF5 && format != ATP_FORMAT_INTEGERS; }

namespace {

// The named alphabet that has every symbol of a sequence, else "": that of the base, U or T, which occurs more often. For a run that ends:
// messages about the file are off from here on.
std::string fitting_alphabet(const Session &session, const InputFile &file, atp_options *options) {
  check(atp_context_set_log(session.context.get(), nullptr, nullptr));
  check(atp_options_set_i64(options, ATP_OPT_UNKNOWN, ATP_UNKNOWN_DROP));
  Alignment read;
  if (atp_input_alignment(file.handle.get(), "-ACGUT", options, out(read)) != ATP_OK)
    return atp_input_alignment(file.handle.get(), "protein", options, out(read)) == ATP_OK ? "protein" : "";
  const attopotts::Sequences all = read.sequences();
  return std::count(all.begin(), all.end(), 4) >= std::count(all.begin(), all.end(), 5) ? "rna" : "dna";
}

}  // namespace

Alignment read_data(const Session &session, const std::string &label, const std::string &path, const DataFlags &flags, const Rows &rows,
                    const atp_model *like) {
  const EndAtOnce reading(fmt::format("interrupted while reading {}; nothing was kept", path));
  return read_data(session, open_input(session, label, path), flags, rows, like);
}

Alignment read_data(const Session &session, InputFile file, const DataFlags &flags, const Rows &rows, const atp_model *like) {
  const std::string &label = file.label, &path = file.path;
  const EndAtOnce reading(fmt::format("interrupted while reading {}; nothing was kept", path));
  Options options = options_of(session, ATP_OWNER_ALIGNMENT);
  options.set(ATP_OPT_UNKNOWN, flags.unknown);
  if (flags.colors || like != nullptr) options.set(ATP_OPT_COLORS, flags.colors ? *flags.colors : atp_model_colors(like));
  if (flags.format) options.set(ATP_OPT_FORMAT, *flags.format);
  std::string alphabet = flags.alphabet;
  if (alphabet.empty() && like != nullptr) alphabet = atp_model_alphabet(like);
  Alignment alignment;
  const atp_status status =
      atp_input_alignment(file.handle.get(), alphabet.empty() ? nullptr : alphabet.c_str(), options.get(), out(alignment));
  if (status == ATP_E_CONFLICT && alphabet.empty()) {
    const std::string fitting = fitting_alphabet(session, file, options.get());
    wrong_use("{} {} holds symbols, expected --alphabet protein, rna, dna or the symbols themselves{}", label, path,
              fitting.empty() ? "" : fmt::format("; --alphabet {} fits", fitting));
  }
  check(status, path);
  file.handle = Input();  // the file's bytes
  alignment = prepare(session, label, path, std::move(alignment), flags, rows);
  if (like != nullptr) alignment = onto_model(session, label, path, std::move(alignment), like);
  if (like != nullptr &&
      (atp_alignment_sites(alignment.get()) != atp_model_sites(like) || atp_alignment_colors(alignment.get()) != atp_model_colors(like)))
    wrong_use("{} {} has {} sites and {} colours, expected {} and {} as in the model{}{}", label, path,
              atp_alignment_sites(alignment.get()), atp_alignment_colors(alignment.get()), atp_model_sites(like), atp_model_colors(like),
              columns_hint(like), flags.focus_hint(atp_model_sites(like)));
  return alignment;
}

Model read_model(const Session &session, const std::string &label, const std::string &path, const std::string &alphabet) {
  const EndAtOnce reading(fmt::format("interrupted while reading {}; nothing was kept", path));
  return read_model(session, open_input(session, label, path), alphabet);
}

Model read_model(const Session &session, const InputFile &file, const std::string &alphabet) {
  const EndAtOnce reading(fmt::format("interrupted while reading {}; nothing was kept", file.path));
  if (is_model_table(file)) return read_model_table(session, file);
  const std::string symbols = file.kind() == "adabm" ? alphabet : "";
  Model model = labelled(file.label + " " + file.path, [&] { return file.handle.model(ATP_MODEL_AUTO, symbols); });
  if (const std::string origin = model.origin(); !origin.empty()) session.say("{} {}: {}", file.label, file.path, origin);
  return model;
}

void write_data(const Session &session, const atp_alignment *alignment, atp_format format, const std::string &path) {
  if (has_symbols(format) && *atp_alignment_alphabet(alignment) == '\0')
    wrong_use("{}: {} needs symbols for the {} colours, expected --alphabet", path, format == ATP_FORMAT_FASTA ? "FASTA" : "the format",
              atp_alignment_colors(alignment));
  if (!is_first_rank()) return;
  require_not_read(path);
  const FinishFirst finish_first;
  check(atp_alignment_write(session.context.get(), alignment, format, path.c_str()), path);
}

void write_model(const Session &session, const atp_model *model, const std::string &path, const std::string &what) {
  if (!is_first_rank()) return;
  require_not_read(path);
  const FinishFirst finish_first;
  check(atp_model_write(session.context.get(), model, path.c_str()), what);
}

int64_t SideTable::find(const std::vector<std::string> &names) const {
  for (const std::string &name : names)
    if (const auto found = std::find(columns.begin(), columns.end(), name); found != columns.end()) {
      if (const int64_t n = std::count(found, columns.end(), name); n > 1)
        wrong_use("{} has {} columns with the name \"{}\", expected one", source, n, printable(name));
      return found - columns.begin();
    }
  return -1;
}

SideRows::SideRows(const InputFile &file, atp_cells form, const std::vector<std::string> &names) : reader_(text_) {
  head_.source = file.label + " " + file.path;
  const std::string known = fmt::format("{}", fmt::join(names, ","));
  int64_t size = 0;
  check(atp_input_table(file.handle.get(), form, known.c_str(), nullptr, 0, &size), head_.source);
  text_.resize(static_cast<std::size_t>(size));
  check(atp_input_table(file.handle.get(), form, known.c_str(), text_.data(), size, &size), head_.source);
  waiting_ = read();
  if (!waiting_ || line_ > 0) return;  // line 0: names of columns
  head_.columns = cells_;
  waiting_ = false;
}

bool SideRows::read() {
  if (!reader_.next(cells_)) return false;
  line_ = std::strtoll(cells_[0].c_str(), nullptr, 10);
  cells_.erase(cells_.begin());
  return true;
}

bool SideRows::next() {
  if (!waiting_) return read();
  waiting_ = false;
  return true;
}

SideTable side_table_in(const InputFile &file, atp_cells form, const std::vector<std::string> &names) {
  SideRows rows(file, form, names);
  SideTable table = rows.head();
  while (rows.next()) {
    table.lines.push_back(rows.line());
    table.rows.push_back(rows.cells());
  }
  return table;
}

SideTable read_side_table(const Session &session, const std::string &label, const std::string &path, atp_cells form,
                          const std::vector<std::string> &names) {
  return side_table_in(open_input(session, label, path), form, names);
}

Distances read_distances(const Session &session, const std::string &flag, const std::string &path, const DistanceSites &sites) {
  const InputFile file = open_input(session, flag, path);
  if (file.kind() == "npy" && sites.total != sites.count && npy_shape(file) == std::vector<int64_t>{sites.total, sites.total})
    session.say("distances: takes the {} columns of the model, of {}", sites.count, sites.total);
  Distances read;
  read.values.resize(static_cast<std::size_t>(sites.count * sites.count));
  int64_t counts[2] = {};
  check(atp_input_distances(file.handle.get(), sites.numbers, sites.columns, sites.total, sites.count, read.values.data(), counts),
        flag + " " + path);
  read.pairs = counts[0];
  read.used = counts[1];
  return read;
}

std::vector<int64_t> npy_shape(const InputFile &file) {
  int64_t shape[ATP_ARRAY_DIMENSIONS], dimensions = 0;
  check(atp_input_array_shape(file.handle.get(), shape, ATP_ARRAY_DIMENSIONS, &dimensions), file.label + " " + file.path);
  return {shape, shape + dimensions};
}

std::string shape_text(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t extent : shape) text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return text.empty() ? "one number" : text;
}

std::vector<double> npy_numbers(const InputFile &file) {
  int64_t count = 1;
  for (int64_t extent : npy_shape(file)) count *= extent;
  std::vector<double> values(static_cast<std::size_t>(count));
  if (count > 0) check(atp_input_array(file.handle.get(), values.data(), count), file.label + " " + file.path);
  return values;
}

namespace {

std::vector<double> finite_npy_numbers(const InputFile &file) {
  std::vector<double> values = npy_numbers(file);
  const auto bad = std::find_if(values.begin(), values.end(), [](double x) { return !std::isfinite(x); });
  if (bad != values.end())
    wrong_use("{} {}: number {} (0-based, C order) is {:g}, expected a finite number", file.label, file.path, bad - values.begin(), *bad);
  return values;
}

std::vector<double> text_numbers(const InputFile &file) {
  const SideTable table = side_table_in(file, ATP_CELLS_NUMBERS);
  std::vector<double> values;
  for (std::size_t r = 0; r < table.rows.size(); ++r)
    for (const std::string &cell : table.rows[r]) {
      values.push_back(number_in(cell));
      if (!std::isfinite(values.back()))
        wrong_use("{} {} line {}: \"{}\", expected a finite number, with a point before its decimals", file.label, file.path,
                  table.lines[r], printable(cell.substr(0, 40)));
    }
  return values;
}

std::vector<double> numbers_in(const InputFile &file) { return file.kind() == "npy" ? finite_npy_numbers(file) : text_numbers(file); }

}  // namespace

std::vector<double> read_numbers(const Session &session, const std::string &flag, const std::string &path) {
  return numbers_in(open_input(session, flag, path));
}

Matrix symmetric_matrix_in(const InputFile &file, int64_t size) {
  Matrix matrix;
  const std::string source = file.label + " " + file.path;
  if (file.kind() == "npy")
    if (const std::vector<int64_t> shape = npy_shape(file); shape.size() != 2 || shape[0] != shape[1])
      wrong_use("{} is an array of {}, expected a square matrix", source, shape_text(shape));
  matrix.values = numbers_in(file);
  const int64_t count = static_cast<int64_t>(matrix.values.size());
  matrix.size = size > 0 ? size : static_cast<int64_t>(std::llround(std::sqrt(static_cast<double>(count))));
  if (count == 0 || matrix.size * matrix.size != count)
    wrong_use("{} has {} numbers, expected a square matrix{}", source, count, size > 0 ? fmt::format(" of {} x {}", size, size) : "");
  check(atp_symmetric_check(matrix.values.data(), matrix.size, ATP_SYMMETRIC_COVARIANCE), source);
  return matrix;
}

Matrix read_symmetric_matrix(const Session &session, const std::string &flag, const std::string &path, int64_t size) {
  return symmetric_matrix_in(open_input(session, flag, path), size);
}

}  // namespace cli
