// SPDX-License-Identifier: MIT
#include "support/job_files.hpp"

#include "support/named_files.hpp"
#include "support/suggestions.hpp"
#include "support/system.hpp"
#include "support/validators.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace cli {

namespace {

struct Argument {
  std::string name, value;  // of the flag or positional argument
  FileUse use = FileUse::none;
  bool is_output() const { return use == FileUse::output || use == FileUse::folder; }
};

const CLI::App &subcommand(const CLI::App &program, const Job &job) { return *program.get_subcommand(job.words[0]); }

// The arguments as the parser will find them. A word that is no flag of the subcommand goes to `unknown`.
std::vector<Argument> arguments_of(const CLI::App &sub, const std::vector<std::string> &words, std::string &unknown) {
  const std::vector<const CLI::Option *> positionals = sub.get_options([](const CLI::Option *o) { return o->get_positional(); });
  const auto argument = [](const CLI::Option &option, const std::string &value) {
    return Argument{name_of(option), value, file_use(option, value)};
  };
  std::vector<Argument> arguments;
  std::size_t place = 0;
  for (std::size_t k = 1; k < words.size(); ++k) {
    const std::string &word = words[k];
    const bool is_long = word.compare(0, 2, "--") == 0 && word.size() > 2;
    const bool is_short = !is_long && word.size() > 1 && word[0] == '-' && std::isalpha(static_cast<unsigned char>(word[1])) != 0;
    if (!is_long && !is_short) {
      if (word == "--") continue;
      arguments.push_back(place < positionals.size() ? argument(*positionals[place], word) : Argument{"", word});
      ++place;
      continue;
    }
    const std::size_t length = is_long ? std::min(word.find('='), word.size()) : 2;
    const CLI::Option *option = sub.get_option_no_throw(word.substr(0, length));
    if (option == nullptr) {
      if (unknown.empty()) unknown = word.substr(0, length);
      continue;
    }
    if (option->get_items_expected_max() == 0) continue;
    const bool joined = length < word.size();
    if (joined)
      arguments.push_back(argument(*option, word.substr(length + (word[length] == '=' ? 1 : 0))));
    else if (k + 1 < words.size())
      arguments.push_back(argument(*option, words[++k]));
  }
  return arguments;
}

void check_words(const CLI::App &program, const std::string &path, const Job &job, const std::vector<std::string> &names) {
  const std::string &first = job.words[0];
  if (first == "batch") wrong_use("{}: the command is batch, expected another subcommand: a batch runs no batch", place_of(path, job));
  if (std::find(names.begin(), names.end(), first) == names.end())
    wrong_use("{}: \"{}\" is not a subcommand, expected one of {}{}", place_of(path, job), first, fmt::join(names, ", "),
              did_you_mean(first, names));
  const CLI::App &sub = subcommand(program, job);
  std::string unknown;
  arguments_of(sub, job.words, unknown);
  if (!unknown.empty())
    wrong_use("{}: {} is not a flag of {}{}", place_of(path, job), unknown, first, did_you_mean(unknown, flags_of(sub)));
}

// The file that an argument of a job names, with links followed; "" for streams and texts that are no names.
std::string file_of(const Job &job, const std::string &value) {
  const bool has_letter = std::any_of(value.begin(), value.end(), [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; });
  if (!has_letter || value.compare(0, 5, "/dev/") == 0) return "";
  return target_of(job.folder.empty() || is_absolute(value) ? value : job.folder + "/" + value);
}

// Only regular files: a pipe has no size, and many may write to it.
double size_of(const std::string &file) {
  struct stat status;
  return stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) ? static_cast<double>(status.st_size) : 0;
}

bool is_special(const std::string &file) {
  struct stat status;
  return stat(file.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

}  // namespace

void check_jobs(const CLI::App &program, const std::string &path, std::vector<Job> &jobs, const std::vector<std::string> &ours) {
  std::vector<std::string> names;
  for (const CLI::App *sub : program.get_subcommands([](const CLI::App *) { return true; })) names.push_back(sub->get_name());
  std::map<std::string, std::pair<const Job *, std::string>> outputs;  // file -> who writes it, with which flag
  std::vector<std::pair<Job *, Argument>> inputs;
  std::set<std::string> own;
  for (const std::string &file : ours) own.insert(target_of(file));
  for (Job &job : jobs) {
    check_words(program, path, job, names);
    std::string unknown;
    for (const Argument &argument : arguments_of(subcommand(program, job), job.words, unknown)) {
      const std::string &name = argument.name, &value = argument.value;
      const std::string file = argument.use == FileUse::none ? "" : file_of(job, value);
      if (file.empty()) continue;
      if (!argument.is_output()) {
        inputs.push_back({&job, {name, file}});
        continue;
      }
      if (own.count(file) != 0) wrong_use("{}: {} is \"{}\", a file of this batch, expected another", place_of(path, job), name, value);
      if (is_special(file)) continue;
      const auto [other, is_new] = outputs.emplace(file, std::make_pair(&job, name));
      if (!is_new && other->second.first != &job)
        wrong_use("{}: {} is \"{}\", which row {} ({}) writes, too; expected different files", place_of(path, job), name, value,
                  other->second.first->row, other->second.first->name);
    }
  }
  for (const auto &[job, argument] : inputs) {
    const auto writer = outputs.find(argument.value);
    if (writer != outputs.end() && writer->second.first != job)
      wrong_use("{}: reads {}, which row {} ({}) writes; expected jobs that do not depend on each other: make two batches of them",
                place_of(path, *job), argument.value, writer->second.first->row, writer->second.first->name);
  }
  std::set<const Job *> given_cost;
  for (const Job &job : jobs)
    if (job.cost > 0) given_cost.insert(&job);
  for (const auto &[job, argument] : inputs)
    if (given_cost.count(job) == 0) job->cost += size_of(argument.value);
  for (Job &job : jobs) job.cost = job.cost > 0 ? job.cost : 1;
}

std::vector<std::string> resumed_words(const CLI::App &program, const Job &job) {
  const CLI::App &sub = subcommand(program, job);
  std::vector<std::string> words = job.words;
  if (sub.get_option_no_throw("--resume") == nullptr || has_flag(words, "--resume") || has_flag(words, "--restart")) return words;
  const std::string flag = sub.get_option_no_throw("--checkpoint") == nullptr ? "--csv" : "--checkpoint";
  std::string unknown;
  for (const Argument &argument : arguments_of(sub, job.words, unknown))
    if (argument.name == flag && size_of(file_of(job, argument.value)) > 0) {
      add_flag(words, {"--resume"});
      break;
    }
  return words;
}

}  // namespace cli
