// SPDX-License-Identifier: MIT
// State that all subcommands share: the context, the common flags, messages on stderr.
#pragma once

#include "support/command.hpp"
#include "support/errors.hpp"
#include "support/flag_list.hpp"
#include "support/handle_owners.hpp"
#include "support/ranks.hpp"
#include "support/utf8.hpp"

#include <CLI/CLI.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cli {

enum class ProgressMode { bar, json, none };

class Session {
 public:
  std::string command_line;
  int64_t seed = 1;
  bool quiet = false;
  bool json = false;               // tables on standard output are JSON
  std::vector<std::string> notes;  // extra `#` lines of every table: settings that the command line does not show
  ProgressMode progress = ProgressMode::none;
  Context context;
  std::chrono::system_clock::time_point begin = std::chrono::system_clock::now();  // of the run
  mutable std::vector<std::string> said;  // all messages so far, also those that --quiet keeps back

  // Prints a message on stderr unless --quiet was given; with --progress json as a JSON object.
  template <class... Args>
  void say(fmt::format_string<Args...> format, Args &&...args) const {
    message(fmt::format(format, std::forward<Args>(args)...));
  }
  void message(const std::string &text) const;
};

// Quotes an argument for a shell.
std::string shell_word(const std::string &argument);

// Returns the text as a JSON string, with quotes. Control characters are escaped; bytes that are no UTF-8 become the replacement character.
std::string json_string(const std::string &text);

// The values of --progress.
enum class ProgressFlag { automatic, bar, json, none };

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
  std::string command_line_, shared_words_;  // shared: without flags in which ranks may differ
  // Makes the session, and runs the job on all ranks.
  int run_job(const std::function<int(Session &, const RankWorld &)> &job);
  // Gives the context its threads and memory, and says what this machine has too little of.
  void share_machine(const Session &session, const RankWorld &ranks) const;

  int64_t threads_ = 0, memory_ = 0, seed_ = 1;
  bool joins_ = true;
  ProgressFlag progress_ = ProgressFlag::automatic;
  bool quiet_ = false, json_ = false;
  std::string config_, save_config_;
};

}  // namespace cli
