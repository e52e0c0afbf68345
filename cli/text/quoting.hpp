// SPDX-License-Identifier: MIT
// Text as a word of a shell and as a string of JSON.
#pragma once

#include <string>

namespace cli {

// Quotes an argument for a shell.
std::string shell_word(const std::string &argument);

// Returns the text as a JSON string, with quotes. Control characters are escaped; bytes that are no UTF-8 become the replacement character.
std::string json_string(const std::string &text);

}  // namespace cli
