// SPDX-License-Identifier: MIT
#include "flags/validators.hpp"

#include "run/errors.hpp"
#include "run/named_files.hpp"
#include "text/parse.hpp"

#include <algorithm>
#include <cstdlib>

namespace cli {

namespace {

// Names of validators, which CLI11 does not show, begin with these: then come the words of a choice, or the use of a file and the words
// that are no files.
constexpr char kWords[] = "words: ", kFile[] = "file: ";

// The rest of the name of a validator that begins with `head`; "" if the option has none.
std::string named_validator(const CLI::Option &option, const std::string &head) {
  try {
    for (int k = 0;; ++k) {
      // Not changed: CLI11 gives no constant validator.
      const std::string name = const_cast<CLI::Option &>(option).get_validator(k)->get_name();
      if (name.compare(0, head.size(), head) == 0) return name.substr(head.size());
    }
  } catch (const CLI::OptionNotFound &) {  // there are k validators
    return "";
  }
}

CLI::Validator file_validator(const std::string &use, const std::vector<std::string> &words) {
  std::string name = kFile + use;
  for (const std::string &word : words) name += " " + word;
  return CLI::Validator([](std::string &) { return std::string(); }, "", name);
}

CLI::Validator validator(std::function<std::string(std::string &)> check) { return CLI::Validator(std::move(check), ""); }

// The shortest text from which CLI11, which reads a long double and rounds it, gets this number.
std::string exact(double value) {
  const std::string text = fmt::format("{}", value);
  return static_cast<double>(std::strtold(text.c_str(), nullptr)) == value ? text : fmt::format("{:.17g}", value);
}

std::string read_rows(const std::string &text, Rows &rows) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return fmt::format("is \"{}\", expected FIRST:COUNT, for example 0:3000", text);
  const std::string problem = read_count(text.substr(0, colon), 0, kMostCount, rows.first);
  return problem.empty() ? read_count(text.substr(colon + 1), 1, kMostCount, rows.count) : problem;
}

CLI::Validator list(double lowest, double highest) {
  return validator([lowest, highest](const std::string &text) {
    std::vector<double> unused;
    return read_list(text, lowest, highest, unused);
  });
}

// Writes a value that `read` reads as a plain number.
template <class Value, class Read>
CLI::Validator rewritten(Read read) {
  return validator([read](std::string &text) {
    Value value = 0;
    const std::string problem = read(text, value);
    if (problem.empty()) text = fmt::format("{}", value);
    return problem;
  });
}

}  // namespace

CLI::Validator count(int64_t lowest, int64_t highest) {
  return rewritten<int64_t>(
      [lowest, highest](const std::string &text, int64_t &value) { return read_count(text, lowest, highest, value); });
}

CLI::Validator number(double lowest, double highest) {
  return validator([lowest, highest](std::string &text) {
    double value = 0;
    const std::string problem = read_number(text, lowest, highest, value);
    if (problem.empty()) text = exact(value);
    return problem;
  });
}

CLI::Validator size_in_bytes() { return rewritten<int64_t>(read_bytes); }

CLI::Validator duration(double lowest, double highest) {
  return rewritten<double>(
      [lowest, highest](const std::string &text, double &value) { return read_seconds(text, lowest, highest, value); });
}

CLI::Validator alphabet_name() {
  return validator([](const std::string &text) -> std::string {
    if (text == "protein" || text == "rna" || text == "dna") return "";
    bool good = text.size() >= 2;
    for (std::size_t k = 0; k < text.size(); ++k)
      good = good && text[k] > ' ' && text[k] < 127 && text[k] != '>' && text.find(text[k], k + 1) == std::string::npos;
    if (good) return "";
    return fmt::format("is \"{}\", expected protein, rna, dna, or different printable symbols with the gap first", text);
  });
}

CLI::Validator value_of(int owner, atp_option key, std::optional<double> lowest) {
  double low = 0, high = 0;
  int integer = 0;
  check(atp_option_bounds(owner, key, &low, &high, nullptr, &integer));
  low = lowest.value_or(low);
  return integer != 0 ? count(static_cast<int64_t>(low), static_cast<int64_t>(high)) : number(low, high);
}

std::vector<int64_t> values_with_words(int owner, atp_option key) {
  double highest = 0;
  int integer = 0;
  check(atp_option_bounds(owner, key, nullptr, &highest, nullptr, &integer));
  std::vector<int64_t> values;
  if (integer == 0) return values;
  for (auto value = static_cast<int64_t>(highest); atp_option_word(owner, key, value) != nullptr; --value)
    values.insert(values.begin(), value);
  return values;
}

std::string text_of_option(int owner, atp_option key) {
  double initial = 0;
  check(atp_option_bounds(owner, key, nullptr, nullptr, &initial, nullptr));
  return fmt::format("{}; default {:g}", atp_option_text(owner, key), initial);
}

CLI::Option *add_checked(CLI::App *app, const std::string &name, const std::string &description, const CLI::Validator &check,
                         const std::function<void(const std::string &)> &store) {
  return app->add_option_function<std::string>(name, store, description)->check(check);
}

CLI::Validator one_of(const std::vector<std::string> &words) {
  return choice(words, [words](const std::string &text) {
    return std::find(words.begin(), words.end(), text) != words.end() ? std::string() : not_one_of(text, words);
  });
}

CLI::Validator choice(const std::vector<std::string> &words, std::function<std::string(std::string &)> check) {
  return validator(std::move(check)).name(kWords + CLI::detail::join(words, " "));
}

std::vector<std::string> choices_of(const CLI::Option &option) {
  const std::string words = named_validator(option, kWords);
  return words.empty() ? std::vector<std::string>() : CLI::detail::split(words, ' ');
}

CLI::Validator input_file(const std::vector<std::string> &words) { return file_validator("input", words); }
CLI::Validator output_file() { return file_validator("output", {}); }
CLI::Validator output_folder() { return file_validator("folder", {}); }

FileUse file_use(const CLI::Option &option) {
  const std::string use = named_validator(option, kFile);
  return use.empty() ? FileUse::none : use[0] == 'i' ? FileUse::input : use[0] == 'o' ? FileUse::output : FileUse::folder;
}

FileUse file_use(const CLI::Option &option, const std::string &value) {
  const std::vector<std::string> words = CLI::detail::split(named_validator(option, kFile), ' ');
  const bool is_word = words.size() > 1 && (is_number(value) || std::find(words.begin() + 1, words.end(), value) != words.end());
  return is_word ? FileUse::none : file_use(option);
}

std::string name_of(const CLI::Option &option) {
  return option.get_lnames().empty() ? option.get_name(true, false) : "--" + option.get_lnames().front();
}

CLI::Option *add_rows(CLI::App *app, const std::string &name, Rows &rows, const std::string &description) {
  const auto check = [](const std::string &text) {
    Rows unused;
    return read_rows(text, unused);
  };
  return add_checked(app, name, description, validator(check), [&rows](const std::string &text) { read_rows(text, rows); })
      ->type_name("FIRST:COUNT");
}

CLI::Option *add_list(CLI::App *app, const std::string &name, std::vector<double> &values, double lowest, double highest,
                      const std::string &description) {
  return add_checked(app, name, description, list(lowest, highest),
                     [&values, lowest, highest](const std::string &text) { read_list(text, lowest, highest, values); })
      ->type_name("LIST");
}

CLI::Option *add_lists(CLI::App *app, const std::string &name, std::vector<std::vector<double>> &values, double lowest, double highest,
                       const std::string &description) {
  const auto store = [&values, lowest, highest](const std::vector<std::string> &texts) {
    for (const std::string &text : texts) read_list(text, lowest, highest, values.emplace_back());
  };
  return app->add_option_function<std::vector<std::string>>(name, store, description)
      ->check(list(lowest, highest))
      ->type_name("LIST")
      ->take_all()
      ->allow_extra_args(false);
}

CLI::Option *add_or_word(CLI::App *app, const std::string &name, double &value, double lowest, double highest, const std::string &word,
                         bool &chosen, const std::string &description) {
  const auto check = [lowest, highest, word](const std::string &text) {
    double unused = 0;
    const std::string problem = text == word ? "" : read_number(text, lowest, highest, unused);
    return problem.empty() ? "" : problem + ", or " + word;
  };
  return add_checked(app, name, description, validator(check), [&value, &chosen, lowest, highest, word](const std::string &text) {
    chosen = text == word;
    if (!chosen) read_number(text, lowest, highest, value);
  });
}

CLI::Option *add_auto_fraction(CLI::App *app, const std::string &name, std::optional<AutoFraction> &fraction,
                               const std::string &description) {
  const auto read = [](const std::string &text, AutoFraction &value) -> std::string {
    value.automatic = text == "auto";
    const std::string problem = value.automatic ? "" : read_number(text, 0, 1, value.value);
    return problem.empty() ? "" : problem + ", or auto";
  };
  const auto check = [read](const std::string &text) {
    AutoFraction unused;
    return read(text, unused);
  };
  return add_checked(app, name, description, validator(check),
                     [&fraction, read](const std::string &text) { read(text, fraction.emplace()); });
}

std::string given(const CLI::App *app, const std::string &flag) {
  const CLI::Option *option = app->get_option_no_throw(flag);
  return option == nullptr || option->count() == 0 ? "" : option->results().front();
}

bool is_structure_name(const std::string &path) {
  std::string name = path;
  const auto ends = [&](const std::string &end) {
    return name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
  };
  if (ends(".gz")) name.resize(name.size() - 3);
  return ends(".pdb") || ends(".ent") || ends(".cif") || ends(".mmcif");
}

void needs(const CLI::App *app, const std::string &flag, bool met, const std::string &condition) {
  const std::string value = given(app, flag);
  if (!value.empty() && !met) wrong_use("{} is \"{}\", expected only {}", flag, value, condition);
}

void claim_files(const CLI::App &sub) {
  for (const CLI::Option *option : sub.get_options())
    for (const std::string &value : option->results()) {
      const FileUse use = file_use(*option, value);
      if (use == FileUse::input) claim_input(name_of(*option), value);
      if (use == FileUse::output) check_writable(name_of(*option), value);
    }
}

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
