// SPDX-License-Identifier: MIT
#include "support/jobs.hpp"

#include "support/command_words.hpp"
#include "support/files.hpp"
#include "support/system.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>

namespace cli {

namespace {

constexpr std::size_t kLongestName = 200;  // bytes; names of files have some more
constexpr double kLargestCost = 1e300;

void check_columns(const std::string &path, const SideTable &table, const std::string &command) {
  if (table.columns.empty()) wrong_use("JOBS {} is empty, expected a line with the names of the columns, and rows", path);
  std::vector<std::string> sorted = table.columns;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) wrong_use("JOBS {} has two columns \"{}\", expected different names", path, *twice);
  const bool has_command = std::binary_search(sorted.begin(), sorted.end(), "command");
  if (!has_command && command.empty())
    wrong_use("JOBS {} has no column \"command\", expected one, or --command with the command of all rows; its columns: {}", path,
              fmt::join(table.columns, ", "));
  if (has_command && !command.empty())
    wrong_use("--command is given and JOBS {} has a column \"command\", expected only one of them", path);
  if (table.rows.empty()) wrong_use("JOBS {} has no rows, expected at least one job", path);
}

// What is wrong with a name that begins names of files; "" if nothing.
std::string wrong_name(const std::string &name) {
  const bool bad = without_folder(name) != name || name[0] == '.' || name.size() > kLongestName ||
                   std::any_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; });
  return bad ? fmt::format("name is \"{}\", expected at most {} characters, without /, not beginning with a point", printable(name),
                           kLongestName)
             : "";
}

// Sets words from the command and the values of the row. Returns "", or what is wrong.
std::string read_command(const std::string &command, const std::map<std::string, std::string> &values, std::vector<std::string> &words) {
  std::string problem = read_words(command, words);
  for (std::string &word : words)
    if (problem.empty()) problem = fill_places(word, values);
  if (!problem.empty()) return "command " + problem;
  if (!words.empty() && words[0] == "attopotts") words.erase(words.begin());
  return words.empty() ? "command is empty, expected a subcommand and its arguments" : "";
}

Job read_job(const std::string &path, std::size_t row, const std::map<std::string, std::string> &values, const std::string &command) {
  const auto value = [&](const char *column) {
    const auto found = values.find(column);
    return found == values.end() ? "" : found->second;
  };
  Job job;
  job.row = row;
  job.name = value("name").empty() ? fmt::format("{}", row) : value("name");
  std::string problem = wrong_name(job.name);
  if (problem.empty()) problem = read_command(command.empty() ? value("command") : command, values, job.words);
  if (const std::string cost = value("cost"); problem.empty() && !cost.empty()) {
    problem = read_number(cost, 0, kLargestCost, job.cost);
    if (problem.empty() && job.cost <= 0) problem = fmt::format("is \"{}\", expected a number > 0", cost);
    if (!problem.empty()) problem = "cost " + problem;
  }
  job.folder = value("folder");
  struct stat status;
  if (problem.empty() && !job.folder.empty() && (stat(job.folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)))
    problem = fmt::format("folder is \"{}\", expected a folder", job.folder);
  if (!problem.empty()) wrong_use("JOBS {} row {}: {}", path, row, problem);
  return job;
}

void check_names(const std::string &path, const std::vector<Job> &jobs) {
  std::map<std::string, std::size_t> rows;
  for (const Job &job : jobs) {
    const auto [other, is_new] = rows.emplace(job.name, job.row);
    if (!is_new)
      wrong_use("JOBS {} row {}: name is \"{}\", as in row {}; expected different names", path, job.row, job.name, other->second);
  }
}

}  // namespace

std::string Job::line() const {
  std::string text = folder.empty() ? "attopotts" : "cd " + shell_word(folder) + " && attopotts";
  for (const std::string &word : words) text += " " + shell_word(word);
  return printable(text);
}

std::string place_of(const std::string &path, const Job &job) { return fmt::format("JOBS {} row {} ({})", path, job.row, job.name); }

bool has_flag(const std::vector<std::string> &words, const std::string &flag) {
  return std::any_of(words.begin(), words.end(), [&](const std::string &word) { return word.substr(0, word.find('=')) == flag; });
}

void add_flag(std::vector<std::string> &words, const std::vector<std::string> &flag) {
  words.insert(words.begin() + 1, flag.begin(), flag.end());
}

std::vector<Job> read_jobs(const Session &session, const std::string &path, const std::string &command,
                           const std::vector<std::pair<std::string, std::string>> &common) {
  SideForm form;
  form.header = SideForm::Names::first;
  form.blanks = form.comments = false;
  const SideTable table = read_side_table(session, "JOBS", path, form);
  check_columns(path, table, command);
  std::vector<Job> jobs;
  for (const std::vector<std::string> &cells : table.rows) {
    const std::size_t row = jobs.size() + 1;
    std::map<std::string, std::string> values;
    for (std::size_t k = 0; k < cells.size(); ++k) values[table.columns[k]] = cells[k];
    if (values["name"].empty()) values["name"] = fmt::format("{}", row);
    jobs.push_back(read_job(path, row, values, command));
    for (const auto &[flag, value] : common)
      if (!has_flag(jobs.back().words, flag)) add_flag(jobs.back().words, {flag, value});
  }
  check_names(path, jobs);
  return jobs;
}

}  // namespace cli
