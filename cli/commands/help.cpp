// SPDX-License-Identifier: MIT
// attopotts help: subcommands and topics, manual pages, completion of shells.
#include "commands/commands.hpp"

#include "flags/help_pages.hpp"
#include "run/files.hpp"
#include "flags/validators.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cli {

namespace {

struct HelpFlags {
  std::string word;
  std::optional<std::string (*)(const std::vector<Page> &)> completion;
  bool man = false;
  CLI::App *app = nullptr;  // of the whole program
};

std::string list_of_topics() {
  std::string text = "\nTopics of `attopotts help TOPIC`:\n";
  for (const Topic &topic : topics()) text += fmt::format("  {:<32}{}\n", topic.name, topic.title);
  return text;
}

// Returns the help of a subcommand or a topic.
std::string explained(const HelpFlags &flags, const std::vector<Page> &pages) {
  // CLI::App::help() would give that of the subcommand that was called, which is this one.
  if (flags.word.empty())
    return flags.app->get_formatter()->make_help(flags.app, flags.app->get_name(), CLI::AppFormatMode::Normal) + list_of_topics();
  std::vector<std::string> words;
  for (const Page &page : pages) words.push_back(page.name);
  if (std::find(words.begin(), words.end(), flags.word) != words.end())
    return flags.app->get_subcommand(flags.word)->help(flags.app->get_name());
  for (const Topic &topic : topics()) {
    if (topic.name == flags.word) return topic.title + "\n\n" + topic.text + "\n";
    words.push_back(topic.name);
  }
  wrong_use("WORD is \"{}\", expected a subcommand or a topic: {}{}", flags.word, fmt::join(words, ", "), did_you_mean(flags.word, words));
}

int run_help(Session &session, const HelpFlags &flags) {
  const std::vector<Page> pages = pages_of(*flags.app, commands());
  std::string text;
  if (flags.completion) {
    text = (*flags.completion)(pages);
  } else if (flags.man && !flags.word.empty()) {
    const auto page = std::find_if(pages.begin(), pages.end(), [&](const Page &p) { return p.name == flags.word; });
    if (page == pages.end()) wrong_use("WORD is \"{}\", expected a subcommand with --man", flags.word);
    text = subcommand_page(*page);
  } else {
    text = flags.man ? program_page(pages) : explained(flags, pages);
  }
  write_text(session, "-", text);
  return kDone;
}

void add_help(CLI::App *app, HelpFlags *flags) {
  static const Words<std::string (*)(const std::vector<Page> &)> shells = {
      {"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}};
  flags->app = app->get_parent();
  app->add_option("WORD", flags->word, "a subcommand or a topic; without: the list of both");
  CLI::Option *completion = add_choice(app, "--completion", flags->completion, shells,
                                       "write what completes subcommands, flags and their words in this shell: bash, zsh or fish")
                                ->type_name("SHELL");
  app->add_flag("--man", flags->man, "write the manual page, of the program or of the subcommand WORD, for man(1)")->excludes(completion);
}

}  // namespace

const Command kHelpCommand = {"help",     "explain a subcommand or a topic; write manual pages and completion for shells",
                              kOfProgram, "attopotts help family",
                              nullptr,    with_flags<HelpFlags, add_help, run_help>};

}  // namespace cli
