// SPDX-License-Identifier: MIT
// attopotts convert: sequences, models and scores between formats, models into another gauge.
#include "commands/commands.hpp"

#include "support/model_formats.hpp"
#include "support/model_sequences.hpp"
#include "support/table.hpp"

namespace cli {

namespace {

struct ConvertFlags {
  std::string in, out, format, from, to, gauge, rows, alignment;
  DataFlags input;
};

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

// The sequences that plmc's format takes its frequencies from.
Alignment alignment_of(const Session &session, const ConvertFlags &flags, const atp_model *model) {
  if (flags.alignment.empty()) return nullptr;
  DataFlags input = flags.input;
  if (input.alphabet.empty()) input.alphabet = data_alphabet(model);
  return read_data(session, "--alignment", flags.alignment, input);
}

void convert_model(const Session &session, const ConvertFlags &flags, InputFile in) {
  if (!flags.rows.empty()) wrong_use("--rows is \"{}\" but {} is a model, expected sequences", flags.rows, flags.in);
  const FileFormat to = output_file_format(flags.out, flags.to.empty() ? flags.format : flags.to, flags.in);
  if (to == FileFormat::plmc_model && flags.alignment.empty())
    wrong_use("OUT {} is in plmc's format, which holds frequencies and weights, expected --alignment DATA that gives them", flags.out);
  if (to != FileFormat::plmc_model && !flags.alignment.empty())
    wrong_use("--alignment is \"{}\", expected it with plmc's format alone, which holds its frequencies", flags.alignment);
  Model model = read_model_as(in, flags.from, flags.input.alphabet);
  in.handle.reset();
  if (!flags.gauge.empty() && flags.gauge != "none") {
    static const atp_gauge gauges[] = {ATP_GAUGE_COLORS, ATP_GAUGE_ZERO_SUM};
    Model rewritten;
    check(atp_model_gauge(session.context.get(), model.get(), gauges[parse_word("--gauge", flags.gauge, {"colors", "zero-sum", "none"})],
                          out(rewritten)),
          "--gauge");
    model = std::move(rewritten);
  }
  if (to == FileFormat::csv) return model_table(session, model.get()).write(session, flags.out);
  if (is_scores(to)) return write_model_scores(session, model.get(), to, flags.out);
  const Alignment alignment = alignment_of(session, flags, model.get());
  check(atp_model_write_as(session.context.get(), model.get(), alignment.get(), model_format(to), flags.out.c_str()), flags.out);
}

void convert_scores(const Session &session, const ConvertFlags &flags, const InputFile &in) {
  const std::pair<const char *, const std::string *> unused[] = {
      {"--rows", &flags.rows}, {"--gauge", &flags.gauge}, {"--alignment", &flags.alignment}, {"--alphabet", &flags.input.alphabet}};
  for (const auto &[name, value] : unused)
    if (!value->empty()) wrong_use("{} is \"{}\" but {} holds scores of pairs, expected no such flag", name, *value, flags.in);
  const FileFormat to = output_file_format(flags.out, flags.to.empty() ? flags.format : flags.to, flags.in);
  if (!is_scores(to)) wrong_use("OUT is \"{}\" but {} holds scores, expected --to ccmpred-matrix or plmc-couplings", flags.out, flags.in);
  copy_scores(session, in, to, flags.out);
}

void convert_data(const Session &session, const ConvertFlags &flags, InputFile in) {
  if (!flags.gauge.empty()) wrong_use("--gauge is \"{}\" but {} holds sequences, expected a model", flags.gauge, flags.in);
  if (!flags.from.empty()) wrong_use("--from is \"{}\" but {} holds sequences, expected a model or scores", flags.from, flags.in);
  if (!flags.alignment.empty()) wrong_use("--alignment is \"{}\" but {} holds sequences, expected a model", flags.alignment, flags.in);
  const atp_format format = output_format(flags.out, flags.to.empty() ? flags.format : flags.to);
  const Alignment data = read_data(session, std::move(in), flags.input, parse_rows("--rows", flags.rows));
  if (!flags.input.alphabet.empty() && *atp_alignment_alphabet(data.get()) == '\0')
    check(atp_alignment_set_alphabet(data.get(), flags.input.alphabet.c_str()), "--alphabet");
  write_data(session, data.get(), format, flags.out);
}

int run_convert(Session &session, const ConvertFlags &flags) {
  check_writable("OUT", flags.out);
  InputFile in = open_input(session, "IN", flags.in);
  const std::string kind = in.kind();
  // What is not known at all may be a damaged model: where OUT can only be one, the reader of models says what is wrong.
  const bool unknown = kind == "unknown" && only_for_models(flags.out);
  const FileFormat from = unknown ? FileFormat::plmc_model : input_file_format(flags.from, kind);
  if (from != FileFormat::none && is_scores(from))
    convert_scores(session, flags, in);
  else if (from != FileFormat::none)
    convert_model(session, flags, std::move(in));
  else if (kind == "state")
    wrong_use("IN {} is a checkpoint, expected sequences, a model or scores", flags.in);
  else
    convert_data(session, flags, std::move(in));
  return kDone;
}

}  // namespace

void add_convert(Program &program) {
  auto flags = std::make_shared<ConvertFlags>();
  CLI::App *app = program.add("convert", "sequences, models and scores of pairs between formats, those of other tools included",
                              "attopotts convert model.h5 model.raw --gauge zero-sum",
                              [flags](Session &session) { return run_convert(session, *flags); });
  app->add_option("IN", flags->in, "a file of sequences, a model or scores; its content decides; -: standard input")->required();
  app->add_option("OUT", flags->out,
                  "sequences: a name that ends in .h5, .fasta or .txt (integers); models: .h5, .csv, .model (plmc), .raw (CCMpred), .mat "
                  "or .couplings (scores of CCMpred, plmc)")
      ->required();
  app->add_option("--format", flags->format, "of OUT whatever its name: hdf5, fasta or integers")->type_name("FORMAT");
  app->add_option("--from", flags->from, "IN is a model or scores of this kind: " + input_words())->type_name("FORMAT");
  app->add_option("--to", flags->to, "OUT is of this kind, whatever its name: that of --format, or of models and scores " + output_words())
      ->type_name("FORMAT");
  app->add_option("--alignment", flags->alignment, "sequences whose frequencies and weights plmc's format holds")->type_name("DATA");
  app->add_option("--rows", flags->rows, "take COUNT sequences from FIRST (0-based) on")->type_name("FIRST:COUNT");
  app->add_option("--gauge", flags->gauge, "of models: none (as they are), colors, or zero-sum (dense couplings)")->type_name("GAUGE");
  flags->input.add(app);
}

}  // namespace cli
