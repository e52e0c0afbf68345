// SPDX-License-Identifier: MIT
// The program: arguments, one a line, and up to four files 0 to 3, after lines "%%" each. The command runs in this process, in an empty
// folder. Whatever it is given it ends with one of its statuses, and leaves no part of a file.
//
// Left out are commands that start processes (demo), paths, and numbers with more than two digits.
#include "scratch.hpp"

#include "program.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>

using atp_fuzz::check;

namespace {

constexpr const char *kCommands[] = {"sample",  "learn",   "eval",      "contacts", "energies", "mutants",        "compare",
                                     "weights", "convert", "distances", "info",     "verdict",  "compare-methods"};
// Bounds of what takes long, for commands that are not given them.
struct Bound {
  const char *command, *flag, *value;
};
constexpr Bound kBounds[] = {{"sample", "--samples", "3"},      {"sample", "--burn-in", "2"}, {"sample", "--thin", "1"},
                             {"sample", "--protocol", "chain"}, {"sample", "--sites", "5"},   {"learn", "--epochs", "3"}};
constexpr std::size_t kMostArguments = 20, kMostFiles = 4;

bool takes_long(const std::string &argument) {
  int digits = 0;
  for (const char c : argument) {
    digits = std::isdigit(static_cast<unsigned char>(c)) != 0 ? digits + 1 : 0;
    if (digits > 2) return true;
  }
  for (std::size_t k = 1; k + 1 < argument.size(); ++k)  // 1e9
    if ((argument[k] == 'e' || argument[k] == 'E') && std::isdigit(static_cast<unsigned char>(argument[k - 1])) != 0 &&
        argument[k + 1] != '-')
      return true;
  return false;
}

bool is_allowed(const std::vector<std::string> &words) {
  if (words.empty() || words.size() > kMostArguments) return false;
  if (std::find(std::begin(kCommands), std::end(kCommands), words[0]) == std::end(kCommands))
    return words[0].size() > 1 && words[0][0] == '-';
  return std::none_of(words.begin(), words.end(), [](const std::string &word) {
    return word == "-" || word.find("=-") != std::string::npos || word.find_first_of("/~") != std::string::npos || takes_long(word);
  });
}

bool has(const std::vector<std::string> &words, const std::string &flag) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string &word) { return word == flag || word.compare(0, flag.size() + 1, flag + "=") == 0; });
}

// Files that a command begins and replaces as a whole are gone or complete.
void check_files() {
  for (const auto &entry : std::filesystem::directory_iterator("."))
    check(entry.path().filename().string().find(".part") == std::string::npos, "no part of a file is left");
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const atp_fuzz::Scratch scratch;
  const std::vector<std::string_view> parts = atp_fuzz::split({reinterpret_cast<const char *>(data), size}, "\n%%\n");
  if (parts.size() > kMostFiles + 1) return 0;
  std::vector<std::string> words;
  for (const std::string_view word : atp_fuzz::split(parts[0], "\n"))
    if (word.find('\0') == std::string_view::npos) words.emplace_back(word);
  if (!is_allowed(words)) return 0;
  for (const Bound &bound : kBounds)
    if (words[0] == bound.command && !has(words, bound.flag) && (std::strcmp(bound.flag, "--sites") != 0 || !has(words, "--model")))
      words.insert(words.end(), {bound.flag, bound.value});
  for (std::size_t k = 1; k < parts.size(); ++k) scratch.write(std::to_string(k - 1), parts[k]);
  words.insert(words.begin(), "attopotts");
  std::vector<char *> arguments;
  for (std::string &word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const int status = cli::run_program(static_cast<int>(words.size()), arguments.data());
  check(status == 0 || status == 1 || status == 2 || status == 3, "a status of the program");
  atp_fuzz::accepted = status == 0 || status == 3;
  check_files();
  scratch.clear();
  return 0;
}
