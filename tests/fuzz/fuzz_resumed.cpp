// SPDX-License-Identifier: MIT
// What the program reads again of an earlier run: tables that grow, logs of training, checkpoints. The first
// byte says as what the other bytes are read.
#include "scratch.hpp"

#include "run/checkpoint.hpp"
#include "text/csv.hpp"
#include "run/csv_table.hpp"
#include "run/named_files.hpp"
#include "run/training.hpp"

using atp_fuzz::check;

namespace {

struct Quiet {
  Quiet() { session.quiet = true; }
  cli::Session session;
};

// What the writer writes of a table, the reader reads. The writer leaves out control characters.
void table(const std::string &text) {
  cli::StoredTable stored = cli::parse_table(text);
  const auto clean = [](std::vector<std::string> &cells) {
    for (std::string &cell : cells) cell = cli::shown_cell(cell);
  };
  clean(stored.columns);
  for (auto &row : stored.rows) clean(row);
  std::string again;
  for (const std::string &note : stored.notes) again += cli::csv_note(note);
  if (!stored.columns.empty()) again += cli::csv_line(stored.columns);
  for (const auto &row : stored.rows) again += cli::csv_line(row);
  const cli::StoredTable second = cli::parse_table(again);
  check(second.columns == stored.columns && second.rows == stored.rows, "a table is read as it is written");
  check(second.notes.size() == stored.notes.size(), "notes are read as they are written");
}

void growing(const cli::Session &session, cli::Earlier earlier) {
  cli::GrowingTable table(session, "table", {"alpha", "omega", "loss"}, 2, "omega=0.3", earlier);
  const std::vector<std::string> key = {"1", "0.3"}, *row = table.stored(key);
  check(row == nullptr || row->size() == 3, "a row has a cell for each column");
  table.order({key, {"2", "0.3"}});
  if (row != nullptr) table.row(*row);
  table.row({"2", "0.3", "0.5"});
  table.save();
  table.finish({"outcome: done"});
  check(cli::read_table(session, "table").rows.size() == (row == nullptr ? 1u : 2u), "the table has the rows of both runs");
}

void checkpoint(const cli::Session &session) {
  cli::CheckpointFlags flags;
  flags.path = "table";
  flags.resume = true;
  cli::Checkpoint found(session, "learn", flags);
  found.read();
  check(found.resumed(), "what was read is resumed");
  found.part("state");
  found.part("log");
}

void read(const cli::Session &session, int what, const std::string &text) {
  switch (what) {
    case 0:
    case 1:
    case 4:
    case 5: return table(text);
    case 2: return growing(session, cli::Earlier::resume);
    case 3: return growing(session, cli::Earlier::refuse);
    case 6: return checkpoint(session);
    default:
      for (const cli::EpochRow &row : cli::log_of(cli::parse_table(text), "log", 100)) check(row.epoch <= 100, "epochs up to the last one");
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const atp_fuzz::Scratch scratch;
  static const Quiet quiet;
  if (size < 1) return 0;
  const int what = data[0] % 8;
  const std::string text(reinterpret_cast<const char *>(data) + 1, size - 1);
  const bool of_file = what == 2 || what == 3 || what == 6;
  if (of_file) scratch.write("table", text);
  cli::forget_named_files();
  try {
    read(quiet.session, what, text);
    atp_fuzz::accepted = true;
  } catch (const cli::Failure &failure) {
    check(*failure.what() != '\0' && failure.status() != 0, "a failure has a text and a status");
  }
  if (of_file) scratch.clear();
  return 0;
}
