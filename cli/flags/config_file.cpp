// SPDX-License-Identifier: MIT
#include "flags/config_file.hpp"

#include "flags/set_flag.hpp"
#include "run/errors.hpp"
#include "run/named_files.hpp"
#include "flags/set_flag.hpp"
#include "flags/validators.hpp"
#include "text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

// The headers alone, also where pkg-config names a library.
#undef TOML_HEADER_ONLY
#undef TOML_SHARED_LIB
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

namespace cli {

namespace {

constexpr char kFlag[] = "--config", kSetFlag[] = "--set";

// Takes `--config FILE` out of the arguments; "" without it.
std::string take_config(std::vector<std::string> &arguments) {
  const std::string flag = kFlag, with_value = flag + "=";
  std::string file;
  for (auto it = arguments.begin(); it != arguments.end() && *it != "--";) {
    const bool joined = it->compare(0, with_value.size(), with_value) == 0;
    if (!joined && *it != flag) {
      ++it;
      continue;
    }
    if (!file.empty()) wrong_use("--config is given twice, expected one file");
    const auto end = it + (joined || it + 1 == arguments.end() ? 1 : 2);
    if (joined || end - it == 2) file = joined ? it->substr(with_value.size()) : *(it + 1);
    if (file.empty()) wrong_use("--config has no value, expected the name of a file");
    it = arguments.erase(it, end);
  }
  return file;
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

// "--config FILE line N", where a message is about a line.
std::string place_in_file(const std::string &file, const toml::source_region &source) {
  return fmt::format("--config {} line {}", file, source.begin.line);
}

// The whole file, which may be a pipe.
std::string text_of(const std::string &file) {
  constexpr std::size_t kMost = 1 << 24;  // far more than all flags take, and less than a device without an end gives
  std::string text(kMost + 1, '\0');
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (in) in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!in.is_open() || in.bad()) wrong_use("--config {} cannot be read: {}", file, std::strerror(errno));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > kMost) wrong_use("--config {} is larger than {} bytes, expected a file of flags", file, kMost);
  return text;
}

toml::table table_of(const std::string &file) {
  try {
    return toml::parse(text_of(file));
  } catch (const toml::parse_error &error) {
    wrong_use("{}: {}, expected TOML: key = 3, key = true or key = \"text\"", place_in_file(file, error.source()), error.description());
  }
}

// A value as the command line has it.
std::string text_of(const toml::node &node, const std::string &key, const std::string &file) {
  if (const auto *text = node.as_string()) {
    if ((*text)->empty()) wrong_use("{}: {} is empty, expected a value", place_in_file(file, node.source()), key);
    if ((*text)->find('\0') != std::string::npos) wrong_use("{}: {} has a character 0", place_in_file(file, node.source()), key);
    return **text;
  }
  if (const auto *integer = node.as_integer()) return fmt::format("{}", **integer);
  if (const auto *real = node.as_floating_point()) return fmt::format("{}", **real);
  if (const auto *yes = node.as_boolean()) return **yes ? "true" : "false";
  std::ostringstream kind;
  kind << node.type();
  wrong_use("{}: {} is a value of TOML's type {}, expected text in quotes, a number, true or false, or an array of these",
            place_in_file(file, node.source()), key, kind.str());
}

// The table of --set: the options that the command line does not set.
void append_settings(const CLI::App &sub, const toml::table &table, const std::string &file, const std::vector<std::string> &given,
                     std::vector<std::string> &to) {
  if (sub.get_option_no_throw(kSetFlag) == nullptr)
    wrong_use("{}: [set] has no meaning, {} takes no options of the library", place_in_file(file, table.source()), sub.get_name());
  for (const auto &[key, node] : table) {
    const std::string name = std::string(key.str()) + "=";
    const auto sets = [&name](const std::string &word) {
      return word.compare(0, name.size(), name) == 0 || word.compare(0, name.size() + sizeof kSetFlag, kSetFlag + ("=" + name)) == 0;
    };
    if (std::none_of(given.begin(), given.end(), sets)) to.push_back(kSetFlag + ("=" + name) + text_of(node, name, file));
  }
}

// The arguments that an entry of the file stands for.
void append(const CLI::App &sub, const std::string &key, const toml::node &node, const std::string &file,
            const std::vector<std::string> &given, std::vector<std::string> &to) {
  const std::string flag = "--" + key, place = place_in_file(file, node.source());
  if (node.is_table() && flag == kSetFlag) return append_settings(sub, *node.as_table(), file, given, to);
  const CLI::Option *option = sub.get_option_no_throw(flag);
  if (option == nullptr || key == "config" || key == "help")
    wrong_use("{}: \"{}\" is not a flag of {}{}", place, key, sub.get_name(), instead_of(sub, flag));
  std::vector<std::string> values;
  if (const toml::array *array = node.as_array())
    for (const toml::node &each : *array) values.push_back(text_of(each, key, file));
  else
    values.push_back(text_of(node, key, file));
  if (values.empty()) wrong_use("{}: {} has no value", place, key);
  const bool is_switch = option->get_items_expected_max() == 0;
  if (is_switch && (values.size() > 1 || (values[0] != "true" && values[0] != "false")))
    wrong_use("{}: {} is \"{}\", expected true or false", place, key, fmt::join(values, ", "));
  if (is_given(*option, given)) return;
  for (const std::string &value : values)
    if (!is_switch || value == "true") to.push_back(is_switch ? flag : flag + "=" + value);
}

void require_utf8(const std::string &flag, const std::string &text) {
  for (std::size_t k = 0; k < text.size(); k += character_at(text, k).length)
    if (!character_at(text, k).is_utf8)
      wrong_use("--save-config: {} is no UTF-8, which a TOML file cannot hold, expected another name", flag);
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
  claim_input(kFlag, file);
  std::vector<std::string> more;
  const toml::table root = table_of(file);
  for (const auto &[key, node] : root) {
    const std::string name(key.str());
    const toml::table *section = node.as_table();
    if (section == nullptr || "--" + name == kSetFlag) {
      append(*sub, name, node, file, result, more);
    } else if (std::find(names.begin(), names.end(), name) == names.end()) {
      wrong_use("{}: [{}] is not a subcommand{}", place_in_file(file, node.source()), name, did_you_mean(name, names));
    } else if (name == sub->get_name()) {
      for (const auto &[inner, value] : *section) append(*sub, std::string(inner.str()), value, file, result, more);
    }
  }
  result.insert(result.begin() + 2, more.begin(), more.end());
  return result;
}

void refuse_empty(const CLI::App &app, const std::vector<std::string> &arguments) {
  constexpr char kExpected[] = "is empty, expected a value (an unset variable of the shell?)";
  // CLI11 gives `--flag=` the next argument.
  for (const std::string &word : arguments) {
    if (word == "--") break;
    if (word.compare(0, 2, "--") == 0 && word.find('=') == word.size() - 1) wrong_use("{} {}", word.substr(0, word.size() - 1), kExpected);
  }
  for (const CLI::App *sub : app.get_subcommands())
    for (const CLI::Option *option : sub->get_options())
      for (const std::string &value : option->results())
        if (value.empty()) wrong_use("{} {}", option->get_name(), kExpected);
}

std::string config_text(const CLI::App &sub, const std::string &command) {
  toml::table flags;
  for (const CLI::Option *option : sub.get_options()) {
    if (option->count() == 0 || option->get_lnames().empty()) continue;
    const std::string &name = option->get_lnames()[0];
    if (name == "help" || name == "config" || name == "save-config") continue;
    toml::array values;
    toml::table settings;
    for (const std::string &value : option->results()) {
      require_utf8("--" + name, value);
      values.push_back(value);
      if (const std::size_t equals = value.find('='); equals != std::string::npos)
        settings.insert(value.substr(0, equals), value.substr(equals + 1));
    }
    if ("--" + name == kSetFlag)
      flags.insert(name, settings);
    else if (option->get_items_expected_max() == 0)
      flags.insert(name, true);
    else if (values.size() == 1)
      flags.insert(name, *values[0].as_string());
    else
      flags.insert(name, values);
  }
  const toml::table root{{sub.get_name(), flags}};
  std::ostringstream text;
  // Text in double quotes, with escapes, on one line.
  text << "# " << printable(command) << '\n' << toml::toml_formatter(root, toml::format_flags::allow_unicode_strings) << '\n';
  return text.str();
}

}  // namespace cli
