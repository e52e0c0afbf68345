// SPDX-License-Identifier: MIT
#include "flags/set_flag.hpp"

#include "flags/validators.hpp"
#include "run/errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <unordered_set>

namespace cli {

namespace {

constexpr char kSet[] = "--set";

// Options that are sizes in bytes take units: 500M, 4G.
bool is_in_bytes(atp_option key) { return key == ATP_OPT_MAX_UNPACKED; }

// Rewrites 4G as 4000000000; leaves a number without a unit to the option's own reader. Returns "", or what is wrong.
std::string bytes_in_digits(std::string &text) { return is_number(text) ? "" : size_in_bytes()(text); }

// Reads the value of an option in the bounds of one of its owners: a number, or a word.
std::string read_value(const SettableOption &option, const std::string &text, double &value) {
  const Words<int64_t> words = words_of_option(option.owners.front(), option.key);
  for (const auto &[word, number] : words)
    if (word == text) {
      value = static_cast<double>(number);
      return "";
    }
  std::string problem;
  for (const int owner : option.owners) {
    std::string exact = text;
    problem = is_in_bytes(option.key) ? bytes_in_digits(exact) : "";
    if (problem.empty()) problem = value_of(owner, option.key)(exact);
    value = problem.empty() ? static_cast<double>(std::strtold(exact.c_str(), nullptr)) : 0;
    if (problem.empty()) return "";
  }
  return words.empty() ? problem : not_one_of(text, names_of(words));
}

// Reads KEY=VALUE.
std::string read_setting(const CLI::App &sub, const std::vector<SettableOption> &options, const std::string &text, atp_option &key,
                         double &value) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals >= text.size() - 1) return fmt::format("is \"{}\", expected KEY=VALUE", text);
  const std::string name = text.substr(0, equals);
  for (const SettableOption &option : options)
    if (name == option.name()) {
      key = option.key;
      const std::string problem = read_value(option, text.substr(equals + 1), value);
      return problem.empty() ? "" : fmt::format("is \"{}\": {} {}", text, name, problem);
    }
  if (sub.get_option_no_throw("--" + name) != nullptr)
    return fmt::format("is \"{}\", expected the flag --{} {}", text, name, text.substr(equals + 1));
  std::vector<std::string> names;
  for (const SettableOption &option : options) names.emplace_back(option.name());
  const std::string near = did_you_mean(name, names);
  return fmt::format("is \"{}\", expected an option of {}: {}", text, sub.get_name(),
                     near.empty() ? fmt::format("{}", fmt::join(names, ", ")) : name + " is none" + near);
}

}  // namespace

std::string SettableOption::text() const {
  const Words<int64_t> words = words_of_option(owners.front(), key);
  double lowest = 0, highest = 0, initial = 0;
  std::vector<std::string> defaults;
  for (const int owner : owners) {
    check(atp_option_bounds(owner, key, &lowest, &highest, &initial, nullptr));
    const std::string word = word_of(words, static_cast<int64_t>(initial)), text = word.empty() ? fmt::format("{:g}", initial) : word;
    if (std::find(defaults.begin(), defaults.end(), text) == defaults.end()) defaults.push_back(text);
  }
  check(atp_option_bounds(owners.front(), key, &lowest, &highest, nullptr, nullptr));
  const std::string values = is_in_bytes(key) ? "a size like 500M or 4G"
                             : words.empty()  ? fmt::format("{:g}..{:g}", lowest, highest)
                                              : fmt::format("{}", fmt::join(names_of(words), " or "));
  return fmt::format("{} ({}; default {})", atp_option_text(owners.front(), key), values, fmt::join(defaults, " or "));
}

std::vector<SettableOption> settable_options(const CLI::App &sub, const Settable &of) {
  const std::vector<std::string> without = CLI::detail::split(of.without, ' ');
  // The search of CLI11 builds each name of each flag anew.
  std::unordered_set<std::string> taken(without.begin(), without.end());
  for (const CLI::Option *flag : sub.get_options()) taken.insert(flag->get_lnames().begin(), flag->get_lnames().end());
  for (const std::string &name : CLI::detail::split(of.also, ' ')) taken.erase(name);
  std::vector<SettableOption> options;
  for (const int owner : of.owners)
    for (int64_t k = 0; k < atp_option_count(owner); ++k) {
      const auto key = static_cast<atp_option>(atp_option_at(owner, k));
      if (taken.count(atp_option_name(key)) > 0) continue;
      const auto known = std::find_if(options.begin(), options.end(), [key](const SettableOption &option) { return option.key == key; });
      if (known == options.end())
        options.push_back({key, {owner}});
      else
        known->owners.push_back(owner);
    }
  return options;
}

void add_settings(CLI::App *sub, const Settable &of) {
  const std::vector<SettableOption> options = settable_options(*sub, of);
  if (options.empty()) return;
  std::vector<std::string> words;
  for (const SettableOption &option : options) words.push_back(std::string(option.name()) + "=");
  const auto check = [sub, options](const std::string &text) {
    atp_option key{};
    double value = 0;
    return read_setting(*sub, options, text, key, value);
  };
  const auto kept = [](const std::vector<std::string> &) {};  // settings_of() reads them
  sub->add_option_function<std::vector<std::string>>(
         kSet, kept, "set an option of the library that has no flag of its own; may be repeated. --help-all lists them at its end")
      ->check(choice(words, check))
      ->type_name("KEY=VALUE")
      ->take_all()
      ->allow_extra_args(false);
}

std::string instead_of(const CLI::App &sub, const std::string &flag) {
  std::vector<std::string> known = flags_of(sub);
  const std::size_t flags = known.size();
  const CLI::Option *set = sub.get_option_no_throw(kSet);
  if (set != nullptr)
    for (const std::string &word : choices_of(*set)) known.push_back("--" + word.substr(0, word.size() - 1));
  const std::string near = nearest(flag, known);
  if (std::find(known.begin() + static_cast<std::ptrdiff_t>(flags), known.end(), near) == known.end()) return did_you_mean(flag, known);
  return fmt::format("; use {} {}=VALUE", kSet, near.substr(2));
}

double read_option(int owner, atp_option key, const std::string &text) {
  double value = 0;
  read_value({key, {owner}}, text, value);
  return value;
}

Settings settings_of(const CLI::App &sub, const Settable &of) {
  const CLI::Option *set = sub.get_option_no_throw(kSet);
  if (set == nullptr) return {};
  const std::vector<SettableOption> options = settable_options(sub, of);
  std::vector<Settings::Setting> given;
  for (const std::string &text : set->results()) {
    Settings::Setting setting{};
    read_setting(sub, options, text, setting.key, setting.value);
    if (Settings({}, given).has(setting.key)) wrong_use("{} {} is given twice, expected once", kSet, atp_option_name(setting.key));
    given.push_back(setting);
  }
  return {of.owners, given};
}

}  // namespace cli
