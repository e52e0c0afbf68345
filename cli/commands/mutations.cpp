// SPDX-License-Identifier: MIT
#include "commands/mutations.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace cli {

namespace {

constexpr const char *kSeparators = "/:,";

class MutationReader {
 public:
  MutationReader(const std::string &path, const atp_model *model, const uint8_t *sequence)
      : path_(path), model_(model), sequence_(sequence), alphabet_(atp_model_alphabet(model)) {
    if (alphabet_.empty())
      wrong_use(
          "--mutations is \"{}\" but the model has no alphabet, expected one that names the colours: attopotts convert MODEL NEW.h5 "
          "--alphabet ABC",
          path);
  }

  Mutant read(const std::string &text, int64_t line) {
    line_ = line;
    Mutant mutant;
    mutant.name = text;
    std::size_t begin = 0;
    while (begin <= text.size()) {
      const std::size_t end = std::min(text.find_first_of(kSeparators, begin), text.size());
      mutant.changes.push_back(change(text.substr(begin, end - begin)));
      for (std::size_t k = 0; k + 1 < mutant.changes.size(); ++k)
        if (mutant.changes[k].first == mutant.changes.back().first) bad(text, "each site once");
      begin = end + 1;
    }
    return mutant;
  }

 private:
  [[noreturn]] void bad(const std::string &text, const std::string &expected) const {
    wrong_use("--mutations {}:{} has \"{}\", expected {}", path_, line_, text, expected);
  }

  int64_t color(char symbol, const std::string &text) const {
    const std::size_t place = alphabet_.find(symbol);
    if (place == std::string::npos) bad(text, "symbols of " + alphabet_);
    return static_cast<int64_t>(place);
  }

  int64_t site(const std::string &digits, const std::string &text) const {
    const int64_t sites = atp_model_sites(model_), *numbers = atp_model_site_numbers_view(model_);
    const int64_t *found = std::find_if(numbers, numbers + sites, [&](int64_t number) { return std::to_string(number) == digits; });
    if (found == numbers + sites)
      bad(text, fmt::format("the number of a site of the model, within {}..{}", *std::min_element(numbers, numbers + sites),
                            *std::max_element(numbers, numbers + sites)));
    return found - numbers;
  }

  // A110D
  std::pair<int64_t, int64_t> change(const std::string &text) const {
    const bool form =
        text.size() >= 3 && std::all_of(text.begin() + 1, text.end() - 1, [](unsigned char c) { return std::isdigit(c) != 0; });
    if (!form) bad(text, "mutations like A110D, with / : or , between several");
    const int64_t at = site(text.substr(1, text.size() - 2), text);
    if (sequence_[at] == ATP_MISSING) bad(text, "a site that is not missing in the sequence");
    if (const int64_t from = color(text.front(), text); from != sequence_[at])
      bad(text, fmt::format("{} there as in the sequence", color_name(model_, sequence_[at])));
    return {at, color(text.back(), text)};
  }

  const std::string &path_;
  const atp_model *model_;
  const uint8_t *sequence_;
  const std::string alphabet_;
  int64_t line_ = 0;
};

}  // namespace

std::vector<Mutant> read_mutants(const Session &session, const std::string &path, const atp_model *model, const uint8_t *sequence) {
  MutationReader reader(path, model, sequence);
  std::vector<Mutant> mutants;
  claim("--mutations", path);
  std::istringstream text(read_text(session, path));
  int64_t number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    line.erase(line.find_last_not_of(" \t\r") + 1);
    line.erase(0, line.find_first_not_of(" \t"));
    if (!line.empty() && line[0] != '#') mutants.push_back(reader.read(line, number));
  }
  if (mutants.empty()) wrong_use("--mutations {} has no mutant, expected one on each line", path);
  return mutants;
}

}  // namespace cli
