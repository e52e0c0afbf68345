// SPDX-License-Identifier: MIT
#include "support/session.hpp"

#include "support/validators.hpp"

#include <unistd.h>

#include <cstdio>

namespace cli {

namespace {

// Quotes an argument for a shell.
std::string quoted(const std::string &argument) {
  if (!argument.empty() &&
      argument.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%") == std::string::npos)
    return argument;
  std::string text = "'";
  for (char c : argument) text += c == '\'' ? std::string("'\\''") : std::string(1, c == '\n' ? ' ' : c);
  return text + "'";
}

void log_line(atp_log_level level, const char *text, void *user) {
  static_cast<const Session *>(user)->message(fmt::format("{}{}", level == ATP_LOG_WARNING ? "warning: " : "", text));
}

}  // namespace

std::string json_string(const std::string &text) {
  std::string quoted_text = "\"";
  for (unsigned char c : text) {
    if (c == '"' || c == '\\')
      quoted_text += {'\\', static_cast<char>(c)};
    else if (c < 0x20)
      quoted_text += fmt::format("\\u{:04x}", c);
    else
      quoted_text += static_cast<char>(c);
  }
  return quoted_text + "\"";
}

void Session::message(const std::string &text) const {
  if (quiet) return;
  if (progress == ProgressMode::json)
    fmt::print(stderr, "{{\"message\":{}}}\n", json_string(text));
  else
    fmt::print(stderr, "{}{}\n", progress == ProgressMode::bar ? "\r\x1b[K" : "", text);
}

Program::Program(CLI::App &app, int argc, char **argv) : app_(app) {
  for (int k = 0; k < argc; ++k) command_line_ += (k == 0 ? "" : " ") + (k == 0 ? std::string("attopotts") : quoted(argv[k]));
}

CLI::App *Program::add(const std::string &name, const std::string &description, const std::string &example,
                       std::function<int(Session &)> run) {
  static const Words<ProgressFlag> words = {
      {"auto", ProgressFlag::automatic}, {"bar", ProgressFlag::bar}, {"json", ProgressFlag::json}, {"none", ProgressFlag::none}};
  CLI::App *sub = app_.add_subcommand(name, description);
  const auto common = [](CLI::Option *option, const char *type) { option->type_name(type)->capture_default_str()->group("Common"); };
  common(sub->add_option("--threads", threads_, "number of threads; 0: one per core")->transform(count(0, 1024)), "N");
  common(sub->add_option("--memory", memory_,
                         "memory limit, for example 500M, 2G or 1.5GiB; 0: as much as the machine, its control groups and ulimit allow")
             ->transform(size_in_bytes()),
         "SIZE");
  common(sub->add_option("--seed", seed_, "seed of all random numbers")->transform(value_of(ATP_OPT_SEED, 0)), "S");
  sub->add_flag("--quiet", quiet_, "print nothing on stderr except errors")->group("Common");
  add_choice(sub, "--progress", progress_, words, "auto (a bar on a terminal), bar, json (one JSON object per step, on stderr) or none")
      ->type_name("MODE")
      ->group("Common");
  sub->footer("Example:\n  " + example + "\n\nColumns of the tables, with units: docs/tables.md");
  jobs_[sub] = std::move(run);
  return sub;
}

int Program::run() {
  const CLI::App *chosen = app_.get_subcommands().front();
  Session session;
  session.command_line = command_line_;
  session.seed = seed_;
  session.quiet = quiet_;
  const bool bar = progress_ == ProgressFlag::bar || (progress_ == ProgressFlag::automatic && isatty(2) && !quiet_);
  session.progress = progress_ == ProgressFlag::json ? ProgressMode::json : bar ? ProgressMode::bar : ProgressMode::none;
  check(atp_context_create(nullptr, nullptr, nullptr, out(session.context)));
  check(atp_context_set_threads(session.context.get(), threads_), "--threads");
  check(atp_context_set_memory_limit(session.context.get(), memory_), "--memory");
  check(atp_context_set_log(session.context.get(), log_line, &session));
  return jobs_.at(chosen)(session);
}

}  // namespace cli
