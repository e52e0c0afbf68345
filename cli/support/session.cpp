// SPDX-License-Identifier: MIT
#include "support/session.hpp"

#include "support/parse.hpp"

#include <unistd.h>

#include <cstdio>

namespace cli {

namespace {

// Quote an argument the way a shell would need it.
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
  CLI::App *sub = app_.add_subcommand(name, description);
  sub->add_option("--threads", threads_, "threads; 0: all cores")->type_name("N")->capture_default_str()->group("Common");
  sub->add_option("--memory", memory_, "memory limit, 500M, 2G or 1.5GiB say; 0: what the machine, its control groups and ulimit leave")
      ->type_name("SIZE")
      ->capture_default_str()
      ->group("Common");
  sub->add_option("--seed", seed_, "key of all random numbers")->type_name("S")->capture_default_str()->group("Common");
  sub->add_flag("--quiet", quiet_, "no messages on stderr but errors")->group("Common");
  sub->add_option("--progress", progress_, "auto, bar, json (an object per step on stderr) or none")
      ->type_name("MODE")
      ->capture_default_str()
      ->group("Common");
  sub->footer("Example:\n  " + example);
  jobs_[sub] = std::move(run);
  return sub;
}

int Program::run() {
  const CLI::App *chosen = app_.get_subcommands().front();
  Session session;
  session.command_line = command_line_;
  double highest_seed = 0;
  check(atp_option_bounds(ATP_OPT_SEED, nullptr, &highest_seed, nullptr, nullptr));
  session.seed = parse_count("--seed", seed_, 0, static_cast<int64_t>(highest_seed));
  session.quiet = quiet_;
  const std::size_t mode = parse_word("--progress", progress_, {"auto", "bar", "json", "none"});
  session.progress = mode == 2                                          ? ProgressMode::json
                     : mode == 1 || (mode == 0 && isatty(2) && !quiet_) ? ProgressMode::bar
                                                                        : ProgressMode::none;
  const int64_t threads = parse_count("--threads", threads_, 0, 1024);
  const int64_t memory = parse_bytes("--memory", memory_);
  check(atp_context_create(nullptr, nullptr, nullptr, out(session.context)));
  check(atp_context_set_threads(session.context.get(), threads), "--threads");
  check(atp_context_set_memory_limit(session.context.get(), memory), "--memory");
  check(atp_context_set_log(session.context.get(), log_line, &session));
  return jobs_.at(chosen)(session);
}

}  // namespace cli
