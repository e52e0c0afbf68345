// SPDX-License-Identifier: MIT
#include "program.hpp"

#include "commands/commands.hpp"
#include "flags/config_file.hpp"
#include "run/files.hpp"
#include "flags/help_pages.hpp"
#include "run/ranks.hpp"
#include "run/memory.hpp"
#include "run/named_files.hpp"
#include "run/session.hpp"
#include "run/signals.hpp"
#include "flags/validators.hpp"
#include "run/system.hpp"

#include <fmt/format.h>

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <new>

namespace cli {

namespace {

#if (defined(__x86_64__) || defined(__i386__)) && (defined(ATP_BLIS_SKX) || defined(ATP_BLIS_HASWELL))

// BLIS uses its generic kernels, five times slower, on CPUs that it does not know. Names the right kernels in the environment unless the
// user did. Must run before the first call of BLIS. The numbers are those of the header of BLIS in this build.
void choose_blis_kernels() {
  __builtin_cpu_init();
  int kernels = -1;
#ifdef ATP_BLIS_HASWELL
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) kernels = ATP_BLIS_HASWELL;
#endif
#ifdef ATP_BLIS_SKX
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl"))
    kernels = ATP_BLIS_SKX;
#endif
  if (kernels < 0) return;
  char text[16];
  std::snprintf(text, sizeof text, "%d", kernels);
  set_default_variable("BLIS_ARCH_TYPE", text);
}

#else

void choose_blis_kernels() {}

#endif

// The values of --progress.
enum class ProgressFlag { automatic, bar, lines, json, none };

ProgressMode progress_mode(ProgressFlag flag, bool quiet) {
  switch (flag) {
    case ProgressFlag::bar: return ProgressMode::bar;
    case ProgressFlag::lines: return ProgressMode::lines;
    case ProgressFlag::json: return ProgressMode::json;
    case ProgressFlag::none: return ProgressMode::none;
    default: return quiet ? ProgressMode::none : is_terminal(2) ? ProgressMode::bar : ProgressMode::lines;
  }
}

// The common flags, and the subcommands with the functions that run them.
class Program {
 public:
  Program(CLI::App &app, const std::vector<const Command *> &commands);
  // The words of the command line, those of --config included; to be called before parsing.
  void set_arguments(const std::vector<std::string> &words);
  // Runs the subcommand that was parsed; returns the exit status.
  int run();
  // Ends with this text, on all ranks, where the arguments are wrong.
  int refuse(const std::string &text);

 private:
  void add(const Command &command);
  void add_common_flags(CLI::App *sub);

  CLI::App &app_;
  std::shared_ptr<HelpFormatter> formatter_ = std::make_shared<HelpFormatter>();
  std::map<const CLI::App *, std::function<int(Session &)>> jobs_;
  std::map<const CLI::App *, const Command *> commands_;
  std::string command_line_, shared_words_;  // shared: without flags in which ranks may differ
  // Makes the session, and runs the job on all ranks.
  int run_job(const std::function<int(Session &, const RankWorld &)> &job);
  // Gives the context its threads and memory, and says what this machine has too little of.
  void share_machine(const Session &session, const RankWorld &ranks) const;

  int64_t threads_ = 0, memory_ = 0, seed_ = 1;
  bool joins_ = true;
  ProgressFlag progress_ = ProgressFlag::automatic;
  bool quiet_ = false, json_ = false, no_comments_ = false;
  std::string config_, save_config_;
};

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
  add_settings(sub, command.settable);
  commands_[sub] = &command;
  jobs_[sub] = command.keeps == Keeps::state ? std::move(run) : [run = std::move(run)](Session &session) {
    const EndAtOnce nothing_to_save;
    return run(session);
  };
  std::string footer = fmt::format("Example:\n  {}\n\n", command.examples);
  if (*command.note != '\0') footer += fmt::format("{}\n\n", command.note);
  sub->footer(footer + "Columns of the tables, with units: docs/tables.md");
  formatter_->show(*sub, command);
}

void Program::add_common_flags(CLI::App *sub) {
  static const Words<ProgressFlag> words = {{"auto", ProgressFlag::automatic},
                                            {"bar", ProgressFlag::bar},
                                            {"lines", ProgressFlag::lines},
                                            {"json", ProgressFlag::json},
                                            {"none", ProgressFlag::none}};
  const auto common = [](CLI::Option *option, const char *type) { option->type_name(type)->capture_default_str()->group(kCommonGroup); };
  common(sub->add_option("--threads", threads_, "number of threads; 0: one per core")->transform(count(0, 1024)), "N");
  common(sub->add_option("--memory", memory_,
                         "memory limit, for example 500M, 2G or 1.5GiB; 0: as much as the machine, its control groups and ulimit allow")
             ->transform(size_in_bytes()),
         "SIZE");
  common(sub->add_option("--seed", seed_, "seed of all random numbers")->transform(value_of(ATP_OWNER_SAMPLER, ATP_OPT_SEED, 0)), "S");
  sub->add_flag("--quiet", quiet_, "print nothing on stderr except errors")->group(kCommonGroup);
  add_choice(
      sub, "--progress", progress_, words,
      "auto (a bar on a terminal, otherwise a line a minute), bar, lines (at once, then one a minute), json (one JSON object per step) or "
      "none; all on stderr")
      ->type_name("MODE")
      ->group(kCommonGroup);
  sub->add_flag("--json", json_, "print tables on standard output, and what info and verdict say, as a JSON object")->group(kCommonGroup);
  sub->add_flag("--no-comments", no_comments_,
                "tables without # lines, as pandas and spreadsheets read them; those of a file FILE go to FILE.json")
      ->group(kCommonGroup);
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
  const Context unlimited;
  const int64_t cores = cores_of_rank(unlimited.threads(), here);
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
    session.settings = settings_of(*chosen, commands_.at(chosen)->settable);
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
  session.comments = !no_comments_;
  session.quiet = quiet_ || !is_first_rank();
  session.progress = is_first_rank() ? progress_mode(progress_, quiet_) : ProgressMode::none;
  if (progress_ == ProgressFlag::lines) session.line_shown -= kLineInterval;
  session.context.set_log([&session](atp_log_level level, const char *text) {
    session.message(fmt::format("{}{}", level == ATP_LOG_WARNING ? "warning: " : "", text));
  });
  ranks.connect(session.context.get());
  return ranks.run([&] { return labelled("", [&] { return job(session, ranks); }); });
}

// The name of an option that has several as the user wrote it.
std::string written_name(const CLI::App &sub, const std::string &name, const std::vector<std::string> &arguments) {
  const CLI::Option *option = sub.get_option_no_throw(name);
  if (option == nullptr) return name;
  for (const std::string &other : option->get_lnames())
    for (const std::string &argument : arguments)
      if (argument.substr(0, argument.find('=')) == "--" + other) return "--" + other;
  return name;
}

// An error of the parser in one line, with the subcommand and the place of its help.
std::string explain(const CLI::App &app, const CLI::ParseError &error, const std::vector<std::string> &arguments) {
  const std::string first = arguments.size() > 1 ? arguments[1] : "-";
  const auto chosen = app.get_subcommands();
  if (chosen.empty() && (first.empty() || first[0] != '-')) {
    std::vector<std::string> names;
    for (const CLI::App *sub : app.get_subcommands([](const CLI::App *) { return true; })) names.push_back(sub->get_name());
    return fmt::format("\"{}\" is not a subcommand, expected one of {}{}", first, fmt::join(names, ", "), did_you_mean(first, names));
  }
  std::string text = error.what();
  std::replace(text.begin(), text.end(), '\n', ' ');
  // A validator's text follows the flag's name: `--samples: is "0", expected a whole number >= 1`.
  const CLI::App &sub = chosen.empty() ? app : *chosen.front();
  if (const std::size_t colon = text.find(": is "); error.get_name() == "ValidationError" && colon != std::string::npos)
    return written_name(sub, text.substr(0, colon), arguments) + text.substr(colon + 1);
  // A misspelt flag leaves a required one out, or its value behind as one argument too many.
  if (const std::string flag = unknown_flag(sub, arguments); !flag.empty())
    text = fmt::format("{} is not a flag of {}{}", flag, sub.get_name(), instead_of(sub, flag));
  const std::string name = chosen.empty() ? "attopotts" : "attopotts " + chosen.front()->get_name();
  return fmt::format("{} (expected: see {} --help)", text, name);
}

int run(int argc, char **argv) {
  choose_blis_kernels();
  CLI::App app("Potts models and factored attention: sample, learn and compare.", "attopotts");
  app.set_version_flag("--version", std::string("attopotts ") + atp_version_string());
  app.require_subcommand(1);
  app.footer(
      "attopotts SUBCOMMAND --help explains a subcommand and gives an example; --help-all shows all its flags.\n"
      "Exit status: 0 done, 1 failed, 2 wrong usage or bad input, 3 not converged (the result is written), 130 interrupted.");
  Program program(app, commands());
  std::vector<std::string> arguments(argv, argv + argc);
  program.set_arguments(arguments);
  try {
    arguments = with_config(app, arguments);
    program.set_arguments(arguments);
    refuse_empty(app, arguments);
    // CLI11 takes a list from its end.
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend() - (arguments.empty() ? 0 : 1));
    app.parse(reversed);
    refuse_empty(app, arguments);
  } catch (const Failure &failure) {
    return program.refuse(failure.what());
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      if (launched().rank > 0) return kDone;
      app.exit(error);
      if (std::cout.flush()) return kDone;
      failed("standard output: cannot be written");
    }
    return program.refuse(explain(app, error, arguments));
  }
  return program.run();
}

}  // namespace

int run_program(int argc, char **argv) {
  prepare_streams();
  install_terminate_handler();
  install_signal_handlers();
  forget_named_files();
  try {
    return run(argc, argv);
  } catch (const Failure &failure) {
    // Where ranks end together, one of them has the text.
    if (*failure.what() != '\0') to_stderr(fmt::format("attopotts: {}\n", printable(failure.what())));
    return failure.status();
  } catch (const std::bad_alloc &) {
    return out_of_memory();
  } catch (const std::exception &error) {
    to_stderr(fmt::format("attopotts: {}\n", printable(error.what())));
    return kFailed;
  }
}

}  // namespace cli
