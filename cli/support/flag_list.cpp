// SPDX-License-Identifier: MIT
#include "support/flag_list.hpp"

#include "support/validators.hpp"

#include <algorithm>

namespace cli {

namespace {

// Flags of every subcommand come last.
constexpr char kCommonGroup[] = "Common";

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

// The lines after "Example:".
std::string example_of(const std::string &footer) {
  const std::string head = "Example:\n";
  const std::size_t begin = footer.find(head), end = footer.find("\n\n");
  return begin == std::string::npos ? "" : footer.substr(begin + head.size(), end - begin - head.size());
}

}  // namespace

std::vector<Page> pages_of(CLI::App &app) {
  std::vector<Page> pages;
  for (CLI::App *sub : app.get_subcommands([](CLI::App *) { return true; })) {
    Page page{sub->get_name(), sub->get_description(), example_of(sub->get_footer()), {}, {}};
    for (const CLI::Option *option : sub->get_options())
      (option->get_positional() && option->get_lnames().empty() ? page.positionals : page.flags).push_back(entry_of(*option));
    std::stable_partition(page.flags.begin(), page.flags.end(), [](const FlagEntry &flag) { return flag.group != kCommonGroup; });
    pages.push_back(std::move(page));
  }
  return pages;
}

}  // namespace cli
