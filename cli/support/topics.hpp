// SPDX-License-Identifier: MIT
// What concerns all subcommands, in a few lines each: `attopotts help TOPIC`.
#pragma once

#include <string>
#include <vector>

namespace cli {

struct Topic {
  std::string name, title, text;
};

const std::vector<Topic> &topics();

}  // namespace cli
