// SPDX-License-Identifier: MIT
// attopotts convert: sequences, models and scores between formats, and models into another gauge.
#include "commands/commands.hpp"

#include "run/memory.hpp"
#include "run/model_formats.hpp"
#include "run/model_tables.hpp"
#include "run/model_sequences.hpp"
#include "run/signals.hpp"
#include "run/csv_table.hpp"
#include "flags/validators.hpp"

#include <algorithm>
#include <array>

namespace cli {

namespace {

// Gauges into which models are converted; none leaves the couplings as they are.
constexpr int kNoGauge = -1;

struct ConvertFlags {
  std::string in, out, alignment, test_output;
  std::optional<double> test_split, max_identity;
  FileFormat from = FileFormat::none, to = FileFormat::none;
  int gauge = kNoGauge;
  Rows rows;
  DataFlags input;
  const CLI::App *app = nullptr;
};

// The pairs of a list in both directions, (i, j, place in the list), ascending.
std::vector<std::array<int64_t, 3>> directed_pairs(const atp_model *model) {
  const int64_t n = atp_model_pair_count(model);
  std::vector<int64_t> list(static_cast<std::size_t>(2 * n));
  check(atp_model_pairs(model, list.data(), 2 * n));
  std::vector<std::array<int64_t, 3>> directed;
  for (std::size_t k = 0; k < list.size(); k += 2)
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}})
      directed.push_back({list[k + side], list[k + 1 - side], static_cast<int64_t>(k / 2)});
  std::sort(directed.begin(), directed.end());
  return directed;
}

// The numbers of a model as a table: maps (head, i, j), values (head, a, b), fields (i, a), dense couplings (i, j, a, b), beta, order (the
// site at place i).
Table model_table(const Session &session, const atp_model *model) {
  Table table(session, {"part", "head", "i", "j", "a", "b", "value"});
  const int64_t sites = atp_model_sites(model), colors = atp_model_colors(model), heads = atp_model_heads(model);
  constexpr double kRow = 110;  // the number, and its line in a string that is copied
  if (atp_model_pair_count(model) == 0)
    require_pair_tables(session, sites, kRow * static_cast<double>(heads > 0 ? heads : colors * colors), "--to hdf5 takes less");
  if (*atp_model_alphabet(model) != '\0') table.note(fmt::format("alphabet: {}", atp_model_alphabet(model)));
  table.row({"beta", "", "", "", "", "", fmt::format("{:.17g}", atp_model_beta(model))});
  if (atp_model_is_ordered(model) != 0) {
    std::vector<int64_t> order(static_cast<std::size_t>(sites));
    check(atp_model_order(model, order.data(), sites));
    for (int64_t k = 0; k < sites; ++k) table.row({"order", "", cell(k), "", "", "", cell(order[static_cast<std::size_t>(k)])});
  }
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
  } else if (const int64_t pairs = atp_model_pair_count(model); pairs > 0 && atp_model_is_symmetric(model) != 0) {
    load(pairs * colors * colors, atp_model_pair_couplings);
    for (const auto &[i, j, k] : directed_pairs(model))
      for (int64_t a = 0; a < colors; ++a)
        for (int64_t b = 0; b < colors; ++b)
          table.row(
              {"coupling", "", cell(i), cell(j), cell(a), cell(b), number((k * colors + (i < j ? a : b)) * colors + (i < j ? b : a))});
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

// The sequences from which the frequencies in plmc's format are computed.
Alignment alignment_of(const Session &session, const ConvertFlags &flags, const atp_model *model) {
  if (flags.alignment.empty()) return {};
  DataFlags input = flags.input;
  if (input.alphabet.empty()) input.alphabet = data_alphabet(model);
  return read_data(session, "--alignment", flags.alignment, input);
}

void convert_model(const Session &session, const ConvertFlags &flags, InputFile in) {
  for (const char *flag : {"--rows", "--test-split", "--max-identity"})
    if (const std::string value = given(flags.app, flag); !value.empty())
      wrong_use("{} is \"{}\" but {} is a model, expected sequences", flag, value, flags.in);
  const FileFormat to = output_file_format(flags.out, flags.to, flags.in);
  if (to == FileFormat::plmc_model && flags.alignment.empty())
    wrong_use("OUT {} is in plmc's format, which contains frequencies and weights, expected --alignment DATA to compute them", flags.out);
  if (to != FileFormat::plmc_model && !flags.alignment.empty())
    wrong_use("--alignment is \"{}\", expected only with plmc's format, which contains frequencies", flags.alignment);
  Model model = is_model_table(in) ? read_model_table(session, in) : read_model_as(in, flags.from, flags.input.alphabet);
  in.handle = Input();
  if (flags.gauge != kNoGauge)
    model = labelled("--gauge", [&] { return model.gauge(session.context, static_cast<atp_gauge>(flags.gauge)); });
  if (to == FileFormat::csv) return model_table(session, model.get()).write(session, flags.out);
  if (is_scores(to)) return write_model_scores(session, model.get(), to, flags.out);
  const Alignment alignment = alignment_of(session, flags, model.get());
  const FinishFirst finish_first;
  if (is_first_rank())
    labelled(flags.out, [&] { model.write_as(session.context, model_format(to), flags.out, alignment ? &alignment : nullptr); });
}

void convert_scores(const Session &session, const ConvertFlags &flags, const InputFile &in) {
  for (const char *flag : {"--rows", "--gauge", "--alignment", "--alphabet", "--test-split", "--max-identity"})
    if (const std::string value = given(flags.app, flag); !value.empty())
      wrong_use("{} is \"{}\" but {} holds scores of pairs, expected no such flag", flag, value, flags.in);
  const FileFormat to = output_file_format(flags.out, flags.to, flags.in);
  if (!is_scores(to))
    wrong_use("OUT is \"{}\" but {} holds scores, expected --to ccmpred-matrix, plmc-couplings or evcouplings-scores", flags.out, flags.in);
  copy_scores(session, in, to, flags.out);
}

// The sequences without those of --max-identity.
Alignment without_similar(const Session &session, const ConvertFlags &flags, Alignment data) {
  if (!flags.max_identity) return data;
  Alignment kept = labelled("--max-identity", [&] { return data.filter_identity(session.context, *flags.max_identity); });
  session.say(
      "{}: {} of {} sequences are left out: more than {:g} per cent identical to one that is kept. To learn a model, weights (--theta) are "
      "the better way: they keep all sequences and count similar ones less",
      flags.in, data.count() - kept.count(), data.count(), 100 * *flags.max_identity);
  return kept;
}

void convert_data(const Session &session, const ConvertFlags &flags, InputFile in) {
  for (const char *flag : {"--gauge", "--from", "--alignment"})
    if (const std::string value = given(flags.app, flag); !value.empty())
      wrong_use("{} is \"{}\" but {} holds sequences, expected a model", flag, value, flags.in);
  const atp_format format = sequence_format(flags.out, flags.to, flags.in);
  const auto write = [&](Alignment data, atp_format as, const std::string &path) {
    if (!flags.input.alphabet.empty() && data.alphabet().empty()) labelled("--alphabet", [&] { data.set_alphabet(flags.input.alphabet); });
    write_data(session, data.get(), as, path);
  };
  if (!flags.test_split) {
    Alignment data = read_data(session, std::move(in), flags.input, flags.rows);
    return write(without_similar(session, flags, std::move(data)), format, flags.out);
  }
  const atp_format test_format = sequence_format(flags.test_output, flags.to, flags.in);
  TrainingAndTest sets = read_split(session, std::move(in), flags.input, flags.rows, nullptr, *flags.test_split);
  write(std::move(sets.training), format, flags.out);
  write(std::move(sets.test), test_format, flags.test_output);
}

// Scores and arrays are read as what their content shows.
void require_from(const ConvertFlags &flags, const std::string &kind) {
  const bool by_content = is_scores(flags.from) || flags.from == FileFormat::npy;
  if (by_content && format_of_kind(kind) != flags.from)
    wrong_use("--from is \"{}\" but the content of {} is {}", given(flags.app, "--from"), flags.in, kind);
}

int run_convert(Session &session, const ConvertFlags &flags) {
  needs(flags.app, "--test-output", flags.test_split.has_value(), "with --test-split");
  needs(flags.app, "--max-identity", !flags.test_split, "without --test-split, which keeps similar sequences together");
  needs(flags.app, "--test-split", !flags.test_output.empty(), "with --test-output FILE");
  if (!flags.test_split) session.settings.require_owners({ATP_OWNER_ALIGNMENT}, "convert without --test-split");
  InputFile in = open_input(session, "IN", flags.in);
  const std::string kind = in.kind();
  require_from(flags, kind);
  // An unknown file may be a damaged model: where OUT can only be a model, the reader of models reports what is wrong.
  const bool unknown = kind == "unknown" && only_for_models(flags.out);
  const FileFormat from = is_model_table(in)               ? FileFormat::csv
                          : unknown                        ? FileFormat::plmc_model
                          : flags.from != FileFormat::none ? flags.from
                                                           : format_of_kind(kind);
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

void add_convert(CLI::App *app, ConvertFlags *flags) {
  flags->app = app;
  static const Words<int> gauges = {{"colors", ATP_GAUGE_COLORS}, {"zero-sum", ATP_GAUGE_ZERO_SUM}, {"none", kNoGauge}};
  const auto kind_of = [](CLI::Option *option, const char *type) { option->type_name(type)->default_str(""); };
  app->add_option(
         "IN", flags->in,
         "input file of sequences, a model (also an array C[L, L, q, q] in .npy) or scores; its content decides; -: standard input")
      ->check(input_file())
      ->required();
  app->add_option("OUT", flags->out,
                  "output file. Sequences: .h5, .fasta, .a2m, .a3m, .sto or .txt (integers), of text also with .gz. Models: .h5, .csv, "
                  ".model (plmc) or .raw (CCMpred). Scores: .mat "
                  "(CCMpred) or .couplings (plmc)")
      ->check(output_file())
      ->required();
  kind_of(add_choice(app, "--from", flags->from, input_words(), "format of IN, a model or scores: " + joined(names_of(input_words()))),
          "FORMAT");
  kind_of(add_choice(app, "--to", flags->to, output_words(), "format of OUT; default: from its name: " + joined(names_of(output_words()))),
          "FORMAT");
  app->add_option("--alignment", flags->alignment, "sequences from which the frequencies and weights in plmc's format are computed")
      ->check(input_file())
      ->type_name("DATA");
  add_rows(app, "--rows", flags->rows, "convert only COUNT sequences, starting at FIRST (0-based)");
  app->add_option(
         "--max-identity", flags->max_identity,
         "leave out sequences with a larger share of residues identical to a kept one, where both have one (hhfilter -id); the first "
         "and longer ones are kept")
      ->transform(fraction())
      ->type_name("X");
  add_test_split(app, flags->test_split);
  app->add_option("--test-output", flags->test_output, "output file of the test set of --test-split; OUT has the training set")
      ->check(output_file())
      ->type_name("FILE");
  kind_of(add_choice(app, "--gauge", flags->gauge, gauges,
                     "gauge of the converted model: none (unchanged; default), colors, or zero-sum (dense couplings)"),
          "GAUGE");
  flags->input.add(app);
}

}  // namespace

const Command kConvertCommand = {
    "convert",
    "convert sequences, models and pair scores between formats, including those of other programs",
    kOfSequences,
    "attopotts convert model.h5 model.raw --gauge zero-sum",
    "--format --from --to --alignment --rows --max-identity --test-split --test-output --gauge --alphabet --focus --max-gaps-column",
    with_flags<ConvertFlags, add_convert, run_convert>,
    {{ATP_OWNER_ALIGNMENT, ATP_OWNER_SPLIT}, "identity"}};

}  // namespace cli
