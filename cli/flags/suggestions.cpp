// SPDX-License-Identifier: MIT
#include "flags/suggestions.hpp"

#include <algorithm>

namespace cli {

std::size_t edit_distance(const std::string &one, const std::string &other) {
  const std::size_t n = one.size(), m = other.size(), width = m + 1;
  std::vector<std::size_t> d((n + 1) * width);
  for (std::size_t i = 0; i <= n; ++i) d[i * width] = i;
  for (std::size_t j = 0; j <= m; ++j) d[j] = j;
  for (std::size_t i = 1; i <= n; ++i)
    for (std::size_t j = 1; j <= m; ++j) {
      std::size_t &here = d[i * width + j];
      here = std::min(
          {d[(i - 1) * width + j] + 1, d[i * width + j - 1] + 1, d[(i - 1) * width + j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1]) here = std::min(here, d[(i - 2) * width + j - 2] + 1);
    }
  return d[n * width + m];
}

std::string nearest(const std::string &word, const std::vector<std::string> &words) {
  std::string best;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string &known : words)
    if (const std::size_t distance = edit_distance(word, known); distance < least) {
      least = distance;
      best = known;
    }
  return best;
}

std::string did_you_mean(const std::string &word, const std::vector<std::string> &words) {
  const std::string near = nearest(word, words);
  return near.empty() ? "" : "; did you mean " + near + "?";
}

std::vector<std::string> flags_of(const CLI::App &sub) {
  std::vector<std::string> flags;
  for (const CLI::Option *option : sub.get_options())
    for (const std::string &name : option->get_lnames()) flags.push_back("--" + name);
  return flags;
}

std::string unknown_flag(const CLI::App &sub, const std::vector<std::string> &arguments) {
  const std::vector<std::string> known = flags_of(sub);
  for (const std::string &argument : arguments) {
    const std::string flag = argument.substr(0, argument.find('='));
    if (argument == "--") break;
    if (flag.compare(0, 2, "--") == 0 && std::find(known.begin(), known.end(), flag) == known.end()) return flag;
  }
  return "";
}

}  // namespace cli
