// SPDX-License-Identifier: MIT
// attopotts convert: sequences between formats, models to text or into another gauge.
#include "files.hpp"
#include "table.hpp"

#include <cstring>

namespace cli {

namespace {

struct ConvertFlags {
  std::string in, out, format, gauge, rows;
  DataFlags input;
};

bool is_csv(const std::string &path) { return path == "-" || (path.size() > 4 && path.compare(path.size() - 4, 4, ".csv") == 0); }

// The numbers of a model as a table: maps (head, i, j), values (head, a, b), fields (i, a), dense couplings (i, j, a, b), beta.
Table model_table(const Session &session, const atp_model *model) {
  Table table(session, {"part", "head", "i", "j", "a", "b", "value"});
  const int64_t sites = atp_model_sites(model), colors = atp_model_colors(model), heads = atp_model_heads(model);
  if (*atp_model_alphabet(model) != '\0') table.note(fmt::format("alphabet: {}", atp_model_alphabet(model)));
  table.row({"beta", "", "", "", "", "", fmt::format("{:.17g}", atp_model_beta(model))});
  std::vector<double> numbers;
  const auto load = [&](int64_t size, atp_status (*get)(const atp_model *, double *, int64_t)) {
    numbers.assign(static_cast<std::size_t>(size), 0);
    check(get(model, numbers.data(), size));
  };
  const auto number = [&](int64_t at) { return fmt::format("{:.17g}", numbers[static_cast<std::size_t>(at)]); };
  if (heads > 0) {
    load(heads * sites * sites, atp_model_maps);
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t i = 0; i < sites; ++i)
        for (int64_t j = 0; j < sites; ++j)
          if (i != j) table.row({"map", cell(h), cell(i), cell(j), "", "", number((h * sites + i) * sites + j)});
    load(heads * colors * colors, atp_model_values);
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t a = 0; a < colors; ++a)
        for (int64_t b = 0; b < colors; ++b) table.row({"value", cell(h), "", "", cell(a), cell(b), number((h * colors + a) * colors + b)});
  } else {
    load(sites * sites * colors * colors, atp_model_couplings_f64);
    for (int64_t i = 0; i < sites; ++i)
      for (int64_t j = 0; j < sites; ++j)
        for (int64_t a = 0; a < colors && i != j; ++a)
          for (int64_t b = 0; b < colors; ++b)
            table.row({"coupling", "", cell(i), cell(j), cell(a), cell(b), number(((i * sites + j) * colors + a) * colors + b)});
  }
  if (atp_model_has_fields(model) != 0) {
    load(sites * colors, atp_model_fields);
    for (int64_t i = 0; i < sites; ++i)
      for (int64_t a = 0; a < colors; ++a) table.row({"field", "", cell(i), "", cell(a), "", number(i * colors + a)});
  }
  return table;
}

void convert_model(const Session &session, const ConvertFlags &flags) {
  if (!flags.format.empty() && flags.format != "hdf5")
    wrong_use("--format is \"{}\" but {} is a model, expected OUT to end in .h5 or .csv", flags.format, flags.in);
  if (!flags.rows.empty()) wrong_use("--rows is \"{}\" but {} is a model, expected sequences", flags.rows, flags.in);
  if (!is_csv(flags.out)) output_format(flags.out, flags.format.empty() ? "" : "hdf5");
  Model model = read_model(session, "IN", flags.in);
  if (!flags.gauge.empty()) {
    static const atp_gauge gauges[] = {ATP_GAUGE_COLORS, ATP_GAUGE_ZERO_SUM};
    Model rewritten;
    check(atp_model_gauge(session.context.get(), model.get(), gauges[parse_word("--gauge", flags.gauge, {"colors", "zero-sum"})],
                          out(rewritten)),
          "--gauge");
    model = std::move(rewritten);
  }
  if (is_csv(flags.out)) {
    model_table(session, model.get()).write(session, flags.out);
  } else {
    if (output_format(flags.out, flags.format) != ATP_FORMAT_HDF5)
      wrong_use("OUT is \"{}\" but {} is a model, expected a name that ends in .h5 or .csv", flags.out, flags.in);
    check(atp_model_write(session.context.get(), model.get(), flags.out.c_str()), flags.out);
  }
}

void convert_data(const Session &session, const ConvertFlags &flags) {
  if (!flags.gauge.empty()) wrong_use("--gauge is \"{}\" but {} holds sequences, expected a model", flags.gauge, flags.in);
  const atp_format format = output_format(flags.out, flags.format);
  const Alignment data = read_data(session, "IN", flags.in, flags.input, parse_rows("--rows", flags.rows));
  if (!flags.input.alphabet.empty() && *atp_alignment_alphabet(data.get()) == '\0')
    check(atp_alignment_set_alphabet(data.get(), flags.input.alphabet.c_str()), "--alphabet");
  write_data(session, data.get(), format, flags.out);
}

int run_convert(Session &session, const ConvertFlags &flags) {
  check_writable("OUT", flags.out);
  const char *kind = "fasta";
  if (flags.in != "-") check(atp_file_kind(session.context.get(), flags.in.c_str(), &kind), flags.in);
  if (std::strcmp(kind, "model") == 0)
    convert_model(session, flags);
  else if (std::strcmp(kind, "state") == 0)
    wrong_use("IN {} is a checkpoint, expected sequences or a model", flags.in);
  else
    convert_data(session, flags);
  return kDone;
}

}  // namespace

void add_convert(Program &program) {
  auto flags = std::make_shared<ConvertFlags>();
  CLI::App *app = program.add("convert", "sequences between HDF5, FASTA and integer matrices; models to CSV or another gauge",
                              "attopotts convert family.fasta family.h5 --alphabet protein",
                              [flags](Session &session) { return run_convert(session, *flags); });
  app->add_option("IN", flags->in, "a file of sequences or a model; its content decides; -: standard input")->required();
  app->add_option("OUT", flags->out, "name that ends in .h5, .fasta, .txt (integers) or .csv (a model as text)")->required();
  app->add_option("--format", flags->format, "of OUT whatever its name: hdf5, fasta or integers")->type_name("FORMAT");
  app->add_option("--rows", flags->rows, "take COUNT sequences from FIRST (0-based) on")->type_name("FIRST:COUNT");
  app->add_option("--gauge", flags->gauge, "of models: colors or zero-sum (dense couplings)")->type_name("GAUGE");
  flags->input.add(app);
}

}  // namespace cli
