// SPDX-License-Identifier: MIT
// The flags of a table and of a checkpoint.
#include "run/checkpoint.hpp"
#include "run/csv_table.hpp"
#include "flags/validators.hpp"

namespace cli {

void add_csv(CLI::App *app, std::string &path, const std::string &more) {
  app->add_option("--csv", path, "output file of the table; -: standard output" + more)
      ->check(output_file())
      ->type_name("FILE")
      ->capture_default_str();
}

void CheckpointFlags::add(CLI::App *app) {
  app->add_option("--checkpoint", path, "save the state of the run in FILE at intervals and at the end; FILE.lock marks it as in use")
      ->check(output_file())
      ->type_name("FILE");
  app->add_option("--checkpoint-interval", interval, "time between checkpoints: seconds, or 500ms, 10min, 2h")
      ->transform(duration(0, 1e9))
      ->type_name("TIME")
      ->capture_default_str();
  app->add_flag("--resume", resume, "continue the run in --checkpoint; the result is the same as without the interruption");
  app->add_flag("--restart", restart, "start again and overwrite the run in --checkpoint");
}

}  // namespace cli
