// SPDX-License-Identifier: MIT
#include "support/named_files.hpp"

#include "support/errors.hpp"

#include <sys/stat.h>

#include <map>

namespace cli {

namespace {

// Of the command that runs: the flag of each file.
std::map<std::string, std::string> outputs, inputs;

[[noreturn]] void fail_read(const std::string &flag, const std::string &path, const std::string &label) {
  wrong_use("{} is \"{}\", which {} reads, expected another file", flag, path, label);
}

}  // namespace

void claim_output(const std::string &flag, const std::string &path) {
  const std::string target = target_of(path);
  const auto [other, is_new] = outputs.emplace(target, flag);
  if (!is_new && other->second != flag) wrong_use("{} and {} are both \"{}\", expected two files", other->second, flag, path);
  if (const auto read = inputs.find(target); read != inputs.end() && flag != "OUT") fail_read(flag, path, read->second);
}

void claim_input(const std::string &label, const std::string &path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  const std::string target = target_of(path);
  inputs.emplace(target, label);
  if (const auto written = outputs.find(target); written != outputs.end() && written->second != "OUT")
    fail_read(written->second, path, label);
}

void forget_named_files() {
  outputs.clear();
  inputs.clear();
}

}  // namespace cli
