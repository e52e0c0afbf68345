// SPDX-License-Identifier: MIT
// attopotts network: one training on masked tokens, of factored attention, an encoder or a dial, and one row about it.
#include "commands/commands.hpp"

#include "commands/network_runs.hpp"
#include "run/sampling.hpp"
#include "run/csv_table.hpp"
#include "flags/validators.hpp"

#include <cmath>

namespace cli {

namespace {

struct NetworkFlags {
  NetworkJob job;
  std::string data, test, truth, maps, csv = "-";
  Rows rows, test_rows;
  DataFlags input;
  const CLI::App *app = nullptr;
};

void check_flags(const NetworkFlags &flags) {
  const NetworkKind kind = flags.job.kind;
  needs(flags.app, "--blocks", kind == NetworkKind::encoder, "with --architecture encoder");
  needs(flags.app, "--dial", kind == NetworkKind::dial, "with --architecture dial");
  needs(flags.app, "--map", kind == NetworkKind::dial && flags.job.dial == 0, "with --architecture dial --dial 0");
  for (const char *flag : {"--l2-maps", "--l2-colors"})
    needs(flags.app, flag, kind == NetworkKind::factored && flags.job.polish > 0, "with --architecture factored and --polish");
  needs(flags.app, "--polish-tolerance", flags.job.polish > 0, "with --polish");
  needs(flags.app, "--test-rows", !flags.test.empty(), "with --test");
  needs(flags.app, "--maps", !flags.test.empty() && !flags.truth.empty(), "with --test and --truth");
}

// The maps of the end of training and, where there is one, of the polished end.
void write_maps(const Session &session, const NetworkFlags &flags, const atp_model *truth, const NetworkEnds &ends) {
  const int64_t sites = atp_model_sites(truth);
  std::vector<std::string> columns = {"i", "j", "coupling"};
  std::vector<std::vector<double>> all = {ends.true_map};
  for (const NetworkEnd &end : ends.list)
    for (std::size_t k = 0; k < end.maps.size(); ++k) {
      columns.push_back(fmt::format("{}_{}", end.name, k + 1));
      all.push_back(end.maps[k]);
    }
  Table table(session, columns);
  table.note(
      "coupling: beta J_ij, the diagonal left out; factored attention and a free or softmax map at dial 0: A_ij in its units; others: "
      "attention of the blocks, averaged over the test sequences");
  for (int64_t k = 0; k < sites * sites; ++k) {
    if (k / sites == k % sites) continue;
    std::vector<std::string> row = {cell(k / sites), cell(k % sites)};
    for (const auto &map : all) row.push_back(cell(map[static_cast<std::size_t>(k)]));
    table.row(row);
  }
  table.write(session, flags.maps);
}

Table table_of(const Session &session, const NetworkJob &job, const NetworkEnds &ends) {
  Table table(session, {"end",       "architecture", "blocks",         "dial",          "map",        "seed",       "rate",
                        "momentum",  "epochs",       "parameters",     "l2_maps",       "l2_colors",  "train_loss", "objective",
                        "test_loss", "optimal_loss", "coupling_error", "gradient_norm", "iterations", "outcome",    "seconds"});
  table.note("losses in nats per masked site, each site masked in turn; objective: training loss and penalties");
  for (const NetworkEnd &end : ends.list)
    table.row({end.name,
               network_word(job.kind),
               cell(job.kind == NetworkKind::encoder ? job.blocks : 0),
               cell(job.dial_or_nan()),
               job.map_word(),
               cell(session.seed),
               cell(job.rate),
               cell(job.momentum),
               cell(job.epochs),
               cell(ends.parameters),
               cell(end.polished ? job.l2_maps : 0.0),
               cell(end.polished ? job.l2_colors : 0.0),
               cell(end.train_loss),
               cell(end.objective),
               cell(end.test_loss),
               cell(ends.optimal_loss),
               cell(end.coupling_error),
               cell(end.gradient_norm),
               cell(end.iterations),
               atp_outcome_name(end.outcome),
               cell(end.seconds)});
  return table;
}

int run_network(Session &session, const NetworkFlags &flags) {
  check_flags(flags);
  NetworkInputs in;
  if (!flags.truth.empty()) in.truth = read_model(session, "--truth", flags.truth);
  const DataFlags test_input = flags.input.for_test();
  in.train = read_data(session, "DATA", flags.data, flags.input, flags.rows, in.truth.get());
  if (!flags.test.empty()) in.test = read_data(session, "--test", flags.test, test_input, flags.test_rows, in.truth.get());
  const NetworkEnds ends = run_network_job(session, flags.job, in);
  if (!flags.maps.empty()) write_maps(session, flags, in.truth.get(), ends);
  table_of(session, flags.job, ends).write(session, flags.csv);
  // Without --polish there is no test of convergence.
  int status = kDone;
  for (const NetworkEnd &end : ends.list) {
    if (end.outcome != ATP_OUTCOME_DIVERGED && (!end.polished || end.outcome == ATP_OUTCOME_CONVERGED)) continue;
    session.say("warning: not converged: {} {} after {} {}{}", end.name, atp_outcome_name(end.outcome), end.iterations,
                end.polished ? "iterations" : "epochs",
                ways_out(atp_outcome_name(end.outcome),
                         {{ATP_OUTCOME_MAX_ITER, "raise --polish or --polish-tolerance"},
                          {ATP_OUTCOME_STALLED, "raise --polish-tolerance or train with --precision 64"},
                          {ATP_OUTCOME_DIVERGED, end.polished ? "raise --l2-maps and --l2-colors" : "lower --rate"}}));
    status = kNotConverged;
  }
  return status;
}

void add_training_flags(CLI::App *app, NetworkJob &job) {
  static const Words<NetworkKind> kinds = {
      {"factored", NetworkKind::factored}, {"encoder", NetworkKind::encoder}, {"dial", NetworkKind::dial}};
  static const Words<atp_map> maps = {{"lowrank", ATP_MAP_LOWRANK}, {"softmax", ATP_MAP_SOFTMAX}, {"free", ATP_MAP_FREE}};
  add_choice(app, "--architecture", job.kind, kinds, "factored attention, a transformer encoder, or an attention layer with a dial")
      ->type_name("WHAT");
  app->add_option("--blocks", job.blocks, "blocks of an encoder; default 1")
      ->transform(value_of(ATP_OWNER_TRAINER, ATP_OPT_BLOCKS))
      ->type_name("B");
  app->add_option("--dial", job.dial, "dial from factored (0) to plain (1) attention; default 0")
      ->transform(value_of(ATP_OWNER_TRAINER, ATP_OPT_DIAL))
      ->type_name("A");
  add_choice(app, "--map", job.map, maps, "map at dial 0: lowrank (default), softmax or free")->type_name("WHAT");
  app->add_option("--epochs", job.epochs, "passes over the data, one masked site per sequence; the rate falls along a cosine to 0")
      ->transform(value_of(ATP_OWNER_TRAINER, ATP_OPT_EPOCHS, 1))
      ->capture_default_str()
      ->type_name("N");
  app->add_option("--batch", job.batch, "sequences per step")
      ->transform(value_of(ATP_OWNER_TRAINER, ATP_OPT_BATCH))
      ->capture_default_str()
      ->type_name("N");
  app->add_option("--rate", job.rate, "initial learning rate")->check(number(1e-12, 1e6))->capture_default_str()->type_name("X");
  app->add_option("--momentum", job.momentum, "momentum")
      ->transform(value_of(ATP_OWNER_TRAINER, ATP_OPT_MOMENTUM))
      ->capture_default_str()
      ->type_name("X");
  app->add_option("--polish", job.polish, "continue by at most N iterations of L-BFGS on all sites; 0: none")
      ->transform(count(0))
      ->capture_default_str()
      ->type_name("N");
  app->add_option("--polish-tolerance", job.tolerance, "converged when |gradient| <= X max(1, |parameters|); default 1e-5")
      ->check(number(0, 1))
      ->type_name("X");
  app->add_option("--l2-maps", job.l2_maps, "penalty of --polish on the map; default 0")->check(number(0, 1e6))->type_name("X");
  app->add_option("--l2-colors", job.l2_colors, "penalty of --polish on V; default 0")->check(number(0, 1e6))->type_name("X");
  app->add_option("--precision", job.precision, "bits of a number in training: 32 or 64")
      ->transform(value_of(ATP_OWNER_TRAINER, ATP_OPT_PRECISION))
      ->capture_default_str()
      ->type_name("BITS");
}

void add_network(CLI::App *app, NetworkFlags *flags) {
  flags->app = app;
  app->add_option("DATA", flags->data, "training sequences, in HDF5, as an alignment or as integers")->check(input_file())->required();
  add_rows(app, "--rows", flags->rows, "learn only from COUNT sequences, starting at FIRST (0-based)");
  app->add_option("--test", flags->test, "held-out sequences; fills test_loss")->check(input_file())->type_name("DATA");
  add_rows(app, "--test-rows", flags->test_rows, "use only COUNT sequences of --test, starting at FIRST");
  app->add_option("--truth", flags->truth, "model that generated the data; fills optimal_loss and coupling_error")
      ->check(input_file())
      ->type_name("MODEL");
  app->add_option("--maps", flags->maps, "write a CSV table of the couplings and of the learned maps")
      ->check(output_file())
      ->type_name("FILE");
  add_csv(app, flags->csv);
  add_training_flags(app, flags->job);
  flags->input.add(app);
}

}  // namespace

const Command kNetworkCommand = {
    "network",
    "train factored attention, an encoder or a dial on masked tokens by SGD, and write its losses",
    kOfModels,
    "attopotts network data.h5 --rows 0:3000 --test data.h5 --test-rows 3000:3000 --truth truth.h5 \\\n"
    "    --architecture encoder --blocks 3 --epochs 2000 --rate 0.03 --momentum 0.9",
    "--rows --test --test-rows --truth --csv --architecture --blocks --dial --map --epochs --batch --rate --momentum "
    "--alphabet",
    with_flags<NetworkFlags, add_network, run_network>};

}  // namespace cli
