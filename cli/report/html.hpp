// SPDX-License-Identifier: MIT
// Texts in HTML and in the scripts of a page. Names of sequences and files may hold anything.
#pragma once

#include <string>

namespace cli {

// The text for HTML, also for values in double quotes. Bytes that are no UTF-8, and control characters, become the replacement character.
std::string html_text(const std::string &text);

// The text as a string of JSON that may stand within <script>.
std::string script_string(const std::string &text);

// A row of a list of facts.
struct Fact {
  std::string name, value;
};

}  // namespace cli
