// SPDX-License-Identifier: MIT
#include "support/config_file.hpp"

#include "support/errors.hpp"
#include "support/suggestions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

namespace cli {

namespace {

constexpr char kFlag[] = "--config";

// Takes `--config FILE` out of the arguments; "" without it.
std::string take_config(std::vector<std::string> &arguments) {
  const std::string flag = kFlag, with_value = flag + "=";
  for (auto it = arguments.begin(); it != arguments.end() && *it != "--"; ++it) {
    std::string file;
    auto end = it + 1;
    if (it->compare(0, with_value.size(), with_value) == 0)
      file = it->substr(with_value.size());
    else if (*it != flag)
      continue;
    else if (end != arguments.end())
      file = *end++;
    if (file.empty()) wrong_use("--config has no value, expected the name of a file");
    arguments.erase(it, end);
    return file;
  }
  return "";
}

bool is_given(const CLI::Option &option, const std::vector<std::string> &arguments) {
  const auto begins = [&arguments](const std::string &name, bool is_long) {
    return std::any_of(arguments.begin(), arguments.end(), [&](const std::string &word) {
      return word == name || word.compare(0, name.size() + 1, name + "=") == 0 ||
             (!is_long && word.size() > 2 && word.compare(0, 2, name) == 0);
    });
  };
  const auto &names = option.get_lnames(), &letters = option.get_snames();
  return std::any_of(names.begin(), names.end(), [&](const std::string &name) { return begins("--" + name, true); }) ||
         std::any_of(letters.begin(), letters.end(), [&](const std::string &name) { return begins("-" + name, false); });
}

// The arguments that a line of the file stands for.
void append(const CLI::App &sub, const CLI::ConfigItem &item, const std::string &file, const std::vector<std::string> &given,
            std::vector<std::string> &to) {
  const std::string flag = "--" + item.name;
  const CLI::Option *option = sub.get_option_no_throw(flag);
  if (option == nullptr || item.name == "config" || item.name == "help")
    wrong_use("--config {}: \"{}\" is not a flag of {}{}", file, item.name, sub.get_name(), did_you_mean(flag, flags_of(sub)));
  if (is_given(*option, given)) return;
  if (option->get_items_expected_max() == 0) {
    if (item.inputs != std::vector<std::string>{"true"} && item.inputs != std::vector<std::string>{"false"})
      wrong_use("--config {}: {} is \"{}\", expected true or false", file, item.name, fmt::join(item.inputs, ", "));
    if (item.inputs[0] == "true") to.push_back(flag);
    return;
  }
  if (item.inputs.empty()) wrong_use("--config {}: {} has no value", file, item.name);
  for (const std::string &value : item.inputs) to.push_back(flag + "=" + value);
}

std::string in_quotes(const std::string &value) {
  std::string text = "\"";
  for (const char c : value) text += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return text + "\"";
}

}  // namespace

std::vector<std::string> with_config(const CLI::App &app, const std::vector<std::string> &arguments) {
  std::vector<std::string> result = arguments;
  const std::string file = take_config(result);
  if (file.empty()) return arguments;
  const CLI::App *sub = nullptr;
  std::vector<std::string> names;
  for (const CLI::App *each : app.get_subcommands([](const CLI::App *) { return true; })) {
    names.push_back(each->get_name());
    if (result.size() > 1 && result[1] == each->get_name()) sub = each;
  }
  if (sub == nullptr) return result;  // the parser says so
  std::ifstream in(file);
  if (!in) wrong_use("--config {} cannot be read", file);
  std::vector<std::string> more;
  for (const CLI::ConfigItem &item : CLI::ConfigTOML().from_config(in)) {
    if (item.parents.size() > 1 || (!item.parents.empty() && std::find(names.begin(), names.end(), item.parents[0]) == names.end()))
      wrong_use("--config {}: [{}] is not a subcommand{}", file, fmt::join(item.parents, "."), did_you_mean(item.parents[0], names));
    const bool mine = item.parents.empty() || item.parents[0] == sub->get_name();
    if (mine && item.name != "++" && item.name != "--") append(*sub, item, file, result, more);
  }
  result.insert(result.begin() + 2, more.begin(), more.end());
  return result;
}

std::string config_text(const CLI::App &sub, const std::string &command) {
  std::string line = command;
  std::replace(line.begin(), line.end(), '\n', ' ');
  std::string text = fmt::format("# {}\n[{}]\n", line, sub.get_name());
  for (const CLI::Option *option : sub.get_options()) {
    if (option->count() == 0 || option->get_lnames().empty()) continue;
    const std::string &name = option->get_lnames()[0];
    if (name == "help" || name == "config" || name == "save-config") continue;
    std::vector<std::string> values;
    for (const std::string &value : option->results()) values.push_back(in_quotes(value));
    if (option->get_items_expected_max() == 0)
      text += name + " = true\n";
    else if (values.size() == 1)
      text += fmt::format("{} = {}\n", name, values[0]);
    else
      text += fmt::format("{} = [{}]\n", name, fmt::join(values, ", "));
  }
  return text;
}

}  // namespace cli
