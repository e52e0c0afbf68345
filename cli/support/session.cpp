// SPDX-License-Identifier: MIT
#include "support/session.hpp"

#include "support/config_file.hpp"
#include "support/files.hpp"
#include "support/launcher.hpp"
#include "support/memory.hpp"
#include "support/named_files.hpp"
#include "support/signals.hpp"
#include "support/system.hpp"
#include "support/validators.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>

namespace cli {

namespace {

constexpr const char *kOfOneRank[] = {"--threads", "--memory", "--progress", "--quiet"};

// The arguments without those that may be different on each rank.
std::string words_of_all_ranks(const std::vector<std::string> &arguments) {
  std::string words;
  for (std::size_t k = 1; k < arguments.size(); ++k) {
    const std::string &word = arguments[k];
    const bool own = std::any_of(std::begin(kOfOneRank), std::end(kOfOneRank), [&](const std::string &flag) {
      return word == flag || word.compare(0, flag.size() + 1, flag + "=") == 0;
    });
    if (!own) words += shell_word(word) + " ";
    if (own && word != "--quiet" && word.find('=') == std::string::npos) ++k;  // the value
  }
  return words;
}

void log_line(atp_log_level level, const char *text, void *user) {
  static_cast<const Session *>(user)->message(fmt::format("{}{}", level == ATP_LOG_WARNING ? "warning: " : "", text));
}

// --save-config replaces a file of flags, which begins with a comment that names the program, and no other file.
void check_save_config(const std::string &path) {
  struct stat status;
  const std::string begin = "# attopotts ";
  if (path != "-" && stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    std::ifstream file(path, std::ios::binary);
    std::string found(begin.size(), '\0');
    if (!file.read(found.data(), static_cast<std::streamsize>(found.size())) || found != begin)
      wrong_use("--save-config is \"{}\", which holds something else than flags; expected a new name, or a file that --save-config wrote",
                path);
  }
}

}  // namespace

std::string shell_word(const std::string &argument) {
  if (!argument.empty() &&
      argument.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%") == std::string::npos)
    return argument;
  std::string text = "'";
  for (char c : argument) text += c == '\'' ? std::string("'\\''") : std::string(1, c == '\n' ? ' ' : c);
  return text + "'";
}

std::string json_string(const std::string &text) {
  std::string quoted_text = "\"";
  for (std::size_t k = 0; k < text.size();) {
    const Character c = character_at(text, k);
    if (!c.is_utf8 || c.is_control())
      quoted_text += fmt::format("\\u{:04x}", static_cast<uint32_t>(c.code));
    else if (c.code == '"' || c.code == '\\')
      quoted_text += {'\\', text[k]};
    else
      quoted_text += text.substr(k, c.length);
    k += c.length;
  }
  return quoted_text + "\"";
}

void Session::message(const std::string &text) const {
  said.push_back(text);
  if (quiet) return;
  if (progress == ProgressMode::json)
    to_stderr(fmt::format("{{\"message\":{}}}\n", json_string(text)));
  else
    to_stderr(fmt::format("{}{}\n", progress == ProgressMode::bar ? "\r\x1b[K" : "", printable(text)));
}

void Program::set_arguments(const std::vector<std::string> &words) {
  shared_words_ = words_of_all_ranks(words);
  command_line_ = "attopotts";
  for (std::size_t k = 1; k < words.size(); ++k) command_line_ += " " + shell_word(words[k]);
}

Program::Program(CLI::App &app, const std::vector<const Command *> &commands) : app_(app) {
  app.formatter(formatter_);
  app.get_formatter()->column_width(34);
  app.set_help_all_flag("--help-all", "Print the help of all flags and exit");
  for (const Command *command : commands) add(*command);
}

void Program::add(const Command &command) {
  CLI::App *sub = app_.add_subcommand(command.name, command.help)->group(command.group);
  add_common_flags(sub);
  std::function<int(Session &)> run = command.add_flags(sub);
  jobs_[sub] = command.keeps == Keeps::state ? std::move(run) : [run = std::move(run)](Session &session) {
    const EndAtOnce nothing_to_save;
    return run(session);
  };
  std::string footer = fmt::format("Example:\n  {}\n\n", command.examples);
  if (*command.note != '\0') footer += fmt::format("{}\n\n", command.note);
  sub->footer(footer + "Columns of the tables, with units: docs/tables.md");
  formatter_->show(*sub, command.usual);
}

void Program::add_common_flags(CLI::App *sub) {
  static const Words<ProgressFlag> words = {
      {"auto", ProgressFlag::automatic}, {"bar", ProgressFlag::bar}, {"json", ProgressFlag::json}, {"none", ProgressFlag::none}};
  const auto common = [](CLI::Option *option, const char *type) { option->type_name(type)->capture_default_str()->group(kCommonGroup); };
  common(sub->add_option("--threads", threads_, "number of threads; 0: one per core")->transform(count(0, 1024)), "N");
  common(sub->add_option("--memory", memory_,
                         "memory limit, for example 500M, 2G or 1.5GiB; 0: as much as the machine, its control groups and ulimit allow")
             ->transform(size_in_bytes()),
         "SIZE");
  common(sub->add_option("--seed", seed_, "seed of all random numbers")->transform(value_of(ATP_OPT_SEED, 0)), "S");
  sub->add_flag("--quiet", quiet_, "print nothing on stderr except errors")->group(kCommonGroup);
  add_choice(sub, "--progress", progress_, words, "auto (a bar on a terminal), bar, json (one JSON object per step, on stderr) or none")
      ->type_name("MODE")
      ->group(kCommonGroup);
  sub->add_flag("--json", json_, "print tables on standard output, and what info and verdict say, as a JSON object")->group(kCommonGroup);
  sub->add_option("--config", config_, "read flags from a TOML file: heads = 2, fields = true; those of the command line win")
      ->check(input_file())
      ->type_name("FILE")
      ->group(kCommonGroup);
  sub->add_option("--save-config", save_config_,
                  "after the run, write the flags that were given to a file that --config reads; -: standard output")
      ->check(output_file())
      ->type_name("FILE")
      ->group(kCommonGroup);
  static const Words<bool> joins = {{"auto", true}, {"off", false}};
  add_choice(sub, "--mpi", joins_, joins, "auto: the processes that mpirun or srun starts share the work; off: each runs on its own")
      ->type_name("WHICH")
      ->group(kCommonGroup);
}

void Program::share_machine(const Session &session, const RankWorld &ranks) const {
  atp_context *context = session.context.get();
  check(atp_context_set_threads(context, threads_), "--threads");
  check(atp_context_set_memory_limit(context, memory_), "--memory");
  const int64_t here = ranks.on_this_node();
  if (ranks.size() == 1) return;
  if (const double left = available_memory(session); memory_ == 0 && left > 0)
    check(atp_context_set_memory_limit(context, static_cast<int64_t>(left) / here));
  Context unlimited;
  check(atp_context_create(nullptr, nullptr, nullptr, out(unlimited)));
  const int64_t cores = cores_of_rank(atp_context_threads(unlimited.get()), here);
  if (threads_ == 0) check(atp_context_set_threads(context, cores));
  const int64_t threads = atp_context_threads(context);
  session.say("{} ranks, {} on this machine, {} threads each", ranks.size(), here, threads);
  if (any_rank(threads > cores))
    session.say("warning: ranks times threads exceed the cores of a machine: {} ranks of {} threads here, expected --threads {}", here,
                threads, cores);
}

int Program::run() {
  const CLI::App *chosen = app_.get_subcommands().front();
  return run_job([&](Session &session, const RankWorld &ranks) {
    require_same("the arguments", shared_words_);
    share_machine(session, ranks);
    claim_files(*chosen);
    const bool saves = !save_config_.empty() && is_first_rank();
    const std::string config = saves ? config_text(*chosen, command_line_) : "";
    if (saves) check_save_config(save_config_);
    const int status = jobs_.at(chosen)(session);
    if (saves) write_text(session, save_config_, config);  // flags that the command refuses are not saved
    return status;
  });
}

int Program::refuse(const std::string &text) {
  return run_job([&](Session &, const RankWorld &) -> int { throw Failure(kWrongUse, text); });
}

int Program::run_job(const std::function<int(Session &, const RankWorld &)> &job) {
  RankWorld ranks(joins_);
  Session session;
  session.command_line = command_line_;
  session.seed = seed_;
  session.json = json_;
  session.quiet = quiet_ || !is_first_rank();
  const bool bar = progress_ == ProgressFlag::bar || (progress_ == ProgressFlag::automatic && is_terminal(2) && !session.quiet);
  session.progress = !is_first_rank()                  ? ProgressMode::none
                     : progress_ == ProgressFlag::json ? ProgressMode::json
                     : bar                             ? ProgressMode::bar
                                                       : ProgressMode::none;
  check(atp_context_create(nullptr, nullptr, nullptr, out(session.context)));
  check(atp_context_set_log(session.context.get(), log_line, &session));
  ranks.connect(session.context.get());
  return ranks.run([&] { return job(session, ranks); });
}

}  // namespace cli
