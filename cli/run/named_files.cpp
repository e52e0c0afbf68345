// SPDX-License-Identifier: MIT
#include "run/named_files.hpp"

#include "run/errors.hpp"
#include "run/ranks.hpp"

#include <sys/stat.h>

#include <map>
#include <set>

namespace cli {

namespace {

// Of the command that runs: the flag that writes each file, and the arguments that read it. Standard input is the file "-".
std::map<std::string, std::string> outputs;
std::map<std::string, std::set<std::string>> inputs;

bool is_regular_file(const std::string &path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// Fails if any of the arguments that read a file may not share it with the flag that writes it.
void check_shared(const std::string &flag, const std::string &path, const std::set<std::string> &readers) {
  for (const std::string &label : readers)
    if (flag != "OUT" || label != "IN") wrong_use("{} is \"{}\", which {} reads, expected another file", flag, path, label);
}

}  // namespace

void check_writable(const std::string &flag, const std::string &path) {
  if (path.empty() || path == "-" || !is_first_rank()) return;
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
    wrong_use("{} is \"{}\", a directory; expected the name of a file", flag, path);
  int replaced = 0;
  if (atp_file_writable(path.c_str(), &replaced) != ATP_OK) {
    char text[512];
    atp_last_error(text, sizeof text);
    wrong_use("{} is \"{}\", expected a file that can be written: {}", flag, path, text);
  }
  if (replaced != 0) claim_output(flag, path);
}

void claim_output(const std::string &flag, const std::string &path) {
  const std::string target = target_of(path);
  const auto [other, is_new] = outputs.emplace(target, flag);
  if (!is_new && other->second != flag) wrong_use("{} and {} are both \"{}\", expected two files", other->second, flag, path);
  if (const auto read = inputs.find(target); read != inputs.end()) check_shared(flag, path, read->second);
}

void claim_input(const std::string &label, const std::string &path) {
  if (path == "-") {
    for (const std::string &reader : inputs[path])
      if (reader != label) wrong_use("{} is -, standard input, which {} has read already; expected a file", label, reader);
  } else if (!is_regular_file(path)) {
    return;
  }
  const std::string target = path == "-" ? path : target_of(path);
  inputs[target].insert(label);
  if (const auto written = outputs.find(target); written != outputs.end()) check_shared(written->second, path, {label});
}

void require_not_read(const std::string &path) {
  if (path.empty() || path == "-" || !is_regular_file(path)) return;
  const std::string target = target_of(path);
  const auto read = inputs.find(target);
  if (outputs.count(target) == 0 && read != inputs.end()) check_shared("an output", path, read->second);
}

void forget_named_files() {
  outputs.clear();
  inputs.clear();
}

}  // namespace cli
