// SPDX-License-Identifier: MIT
// Checks flag values, for CLI11. A bad value ends the program with one line: the flag, the value and what was expected.
//
// A validator that rewrites a value (1e4 as 10000, 2G as 2000000000) is set with Option::transform().
#pragma once

#include "text/parse.hpp"

#include <CLI/CLI.hpp>
#include <attopotts.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cli {

inline constexpr int64_t kMostCount = INT64_MAX / 2;

// A whole number in lowest..highest, written as 12000 or as 1e4.
CLI::Validator count(int64_t lowest, int64_t highest = kMostCount);
// A finite number in lowest..highest.
CLI::Validator number(double lowest, double highest);
inline CLI::Validator fraction() { return number(0, 1); }
// A size in bytes: 500M, 2G, 1.5GiB or 65536.
CLI::Validator size_in_bytes();
// A time in seconds: 30, 500ms, 90s, 10min, 2h or 1d.
CLI::Validator duration(double lowest, double highest);
// protein, rna, dna, or at least two different printable symbols without '>'.
CLI::Validator alphabet_name();
// A value of an option of the library's `owner`, within the option's own bounds; `lowest` replaces the lower bound, which for some options
// means "automatic".
CLI::Validator value_of(int owner, atp_option key, std::optional<double> lowest = {});
// The words that the library has for these values of an option.
template <class T>
Words<T> words_of_option(int owner, atp_option key, const std::vector<T> &values) {
  Words<T> words;
  for (const T value : values) words.emplace_back(atp_option_word(owner, key, value), value);
  return words;
}
// The same for all values that have one, in ascending order; none for an option that is a number.
std::vector<int64_t> values_with_words(int owner, atp_option key);
template <class T = int64_t>
Words<T> words_of_option(int owner, atp_option key) {
  std::vector<T> values;
  for (const int64_t value : values_with_words(owner, key)) values.push_back(static_cast<T>(value));
  return words_of_option(owner, key, values);
}
// What the library says of the option, with its default.
std::string text_of_option(int owner, atp_option key);

// A flag of such an option: its text, bounds and default are the library's. `when` goes before the text.
template <class Value>
CLI::Option *add_option_of(CLI::App *app, const std::string &flag, Value &value, int owner, atp_option key, const std::string &when = "") {
  return app->add_option(flag, value, when + text_of_option(owner, key))->transform(value_of(owner, key));
}

// Flags whose value is not one number. Each function adds the flag with its check and its conversion.

CLI::Option *add_checked(CLI::App *app, const std::string &name, const std::string &description, const CLI::Validator &check,
                         const std::function<void(const std::string &)> &store);
CLI::Validator one_of(const std::vector<std::string> &words);
// A check of which the completion of shells offers these words.
CLI::Validator choice(const std::vector<std::string> &words, std::function<std::string(std::string &)> check);
// The words that the completion offers for a flag; none of flags without choice() or one_of().
std::vector<std::string> choices_of(const CLI::Option &option);

// A flag that is one of some words. `value` may be an optional; else the help shows the word of its present value as default.
template <class Value, class T>
CLI::Option *add_choice(CLI::App *app, const std::string &name, Value &value, const Words<T> &words, const std::string &description) {
  CLI::Option *option = add_checked(app, name, description, one_of(names_of(words)), [&value, words](const std::string &text) {
    for (const auto &[word, meaning] : words)
      if (word == text) value = meaning;
  });
  if constexpr (std::is_same_v<Value, T>) option->default_str(word_of(words, value));
  return option;
}

// Rows of a data set: FIRST:COUNT.
CLI::Option *add_rows(CLI::App *app, const std::string &name, Rows &rows, const std::string &description);

// A list of numbers: "0.5,1,2", or "LO:HI:COUNT" for evenly spaced numbers with both ends.
CLI::Option *add_list(CLI::App *app, const std::string &name, std::vector<double> &values, double lowest, double highest,
                      const std::string &description);
// The same for a flag that may be repeated: one list each time.
CLI::Option *add_lists(CLI::App *app, const std::string &name, std::vector<std::vector<double>> &values, double lowest, double highest,
                       const std::string &description);

// How a command uses the file that a flag names. One of these checks every flag that names a file; the help, the completion of shells and
// claim_files() read which.
enum class FileUse { none, input, output, folder };
CLI::Validator input_file(const std::vector<std::string> &words = {});  // with words, a value that is one of them or a number is no file
CLI::Validator output_file();
CLI::Validator output_folder();
FileUse file_use(const CLI::Option &option);
// The same of one of its values: none for a word or a number in place of a file.
FileUse file_use(const CLI::Option &option, const std::string &value);
// Claims the files of all flags that were given, by their FileUse, before the command reads or writes anything.
void claim_files(const CLI::App &sub);
// The name of a flag or an argument in messages.
std::string name_of(const CLI::Option &option);

// A number in lowest..highest, or a word, which sets `chosen`.
CLI::Option *add_or_word(CLI::App *app, const std::string &name, double &value, double lowest, double highest, const std::string &word,
                         bool &chosen, const std::string &description);

// A fraction, or the word auto.
CLI::Option *add_auto_fraction(CLI::App *app, const std::string &name, std::optional<AutoFraction> &fraction,
                               const std::string &description);

// The value that a flag was given on the command line; "" where it was not given. A flag without a value gives "true".
std::string given(const CLI::App *app, const std::string &flag);
// Whether a file is a structure by its name: .pdb, .ent, .cif or .mmcif, also with .gz.
bool is_structure_name(const std::string &path);
// Fail where a flag is given although `met` is false: "--rank is "4", expected only with --map lowrank".
void needs(const CLI::App *app, const std::string &flag, bool met, const std::string &condition);

// Suggestions for misspelt flags and subcommands.

// The number of letters to insert, delete, replace or exchange with their neighbour that turns one word into the other.
std::size_t edit_distance(const std::string &one, const std::string &other);
// The nearest of some words, if it is near: at most a third of the letters differ; "" else.
std::string nearest(const std::string &word, const std::vector<std::string> &words);
// `; did you mean --alphabet?`, or "".
std::string did_you_mean(const std::string &word, const std::vector<std::string> &words);

// The first argument that looks like a flag and is none of this subcommand; "" where all are known.
std::string unknown_flag(const CLI::App &sub, const std::vector<std::string> &arguments);
std::vector<std::string> flags_of(const CLI::App &sub);

}  // namespace cli
