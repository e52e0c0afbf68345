// SPDX-License-Identifier: MIT
#include "flags/help_pages.hpp"

#include "flags/validators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace cli {

namespace {

// Of the common flags, those that --help shows.
constexpr const char *kUsualCommon[] = {"--help", "--help-all", "--threads", "--seed", "--quiet"};

FlagEntry entry_of(const CLI::Option &option) {
  FlagEntry entry;
  for (const std::string &name : option.get_lnames()) entry.names.push_back("--" + name);
  for (const std::string &name : option.get_snames()) entry.names.push_back("-" + name);
  if (entry.names.empty()) entry.names.push_back(option.get_name());
  if (option.get_items_expected_max() > 0) entry.value = option.get_type_name();
  entry.initial = option.get_default_str();
  entry.text = option.get_description();
  entry.group = option.get_group();
  entry.words = choices_of(option);
  entry.names_file = file_use(option) != FileUse::none;
  entry.required = option.get_required();
  return entry;
}

}  // namespace

void HelpFormatter::show(const CLI::App &sub, const Command &command) {
  const char *usual = command.usual;
  std::set<const CLI::Option *> shown;
  for (const char *name : kUsualCommon) shown.insert(sub.get_option(name));
  std::istringstream names(usual == nullptr ? "" : usual);
  for (std::string name; names >> name;) shown.insert(sub.get_option(name));
  for (const CLI::Option *option : sub.get_options()) {
    const bool is_usual = usual == nullptr && option->get_group() != kCommonGroup;
    if (!is_usual && !option->get_required() && shown.count(option) == 0) rare_.insert(option);
  }
  std::string &list = settable_[&sub];
  for (const SettableOption &option : settable_options(sub, command.settable))
    list += fmt::format("  {:<31} {}\n", option.name() + std::string("=VALUE"), option.text());
}

std::string HelpFormatter::make_help(const CLI::App *app, std::string name, CLI::AppFormatMode mode) const {
  HelpFormatter formatter = *this;
  formatter.all_ = mode != CLI::AppFormatMode::Normal;
  std::string text = formatter.CLI::Formatter::make_help(app, std::move(name), mode);
  const auto settable = settable_.find(app);
  if (formatter.all_ && settable != settable_.end() && !settable->second.empty()) text += "\nOptions of --set:\n" + settable->second;
  // Groups of which nothing is shown leave their empty lines.
  for (std::size_t at; (at = text.find("\n\n\n")) != std::string::npos;) text.erase(at, 1);
  const std::vector<const CLI::Option *> options = app->get_options({});
  const auto hidden = std::count_if(options.begin(), options.end(), [&](const CLI::Option *option) { return rare_.count(option) > 0; });
  if (hidden > 0 && !formatter.all_) text += fmt::format("{} more flags: attopotts {} --help-all\n", hidden, app->get_name());
  return text;
}

std::string HelpFormatter::make_group(std::string group, bool is_positional, std::vector<const CLI::Option *> options) const {
  const auto hidden = [this](const CLI::Option *option) { return !all_ && rare_.count(option) > 0; };
  if (!is_positional) options.erase(std::remove_if(options.begin(), options.end(), hidden), options.end());
  return options.empty() ? "" : Formatter::make_group(std::move(group), is_positional, std::move(options));
}

std::vector<Page> pages_of(CLI::App &app, const std::vector<const Command *> &commands) {
  std::vector<Page> pages;
  for (const Command *command : commands) {
    CLI::App *sub = app.get_subcommand(command->name);
    Page page{command->name, command->help, command->group, command->examples, {}, {}, {}};
    for (const CLI::Option *option : sub->get_options())
      (option->get_positional() && option->get_lnames().empty() ? page.positionals : page.flags).push_back(entry_of(*option));
    std::stable_partition(page.flags.begin(), page.flags.end(), [](const FlagEntry &flag) { return flag.group != kCommonGroup; });
    for (const SettableOption &option : settable_options(*sub, command->settable)) page.settable.emplace_back(option.name(), option.text());
    pages.push_back(std::move(page));
  }
  return pages;
}

}  // namespace cli
