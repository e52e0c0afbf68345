// SPDX-License-Identifier: MIT
// Texts that go into files of lines: names of sequences, origins.
#pragma once

#include <cstdint>

namespace atp {

// Throws ATP_E_VALUE where a text has a control character (codes 0..31 and 127): a line end in a name would be the end of its record. Other
// bytes are free: blanks, UTF-8. `what` begins the error's text.
void check_one_line(const char *text, int64_t bytes, const char *what);

}  // namespace atp
