// SPDX-License-Identifier: MIT
// Checks of texts that are written as one line of a file: names of sequences, origins.
#pragma once

#include "base/for_io.hpp"

#include <cstdint>

namespace atp {

// Throws ATP_E_VALUE if a text has a control character (codes 0..31 and 127..159, as a byte or in UTF-8): a line end in
// a name would end its record, and a terminal obeys the others. All other bytes are allowed, also blanks and
// UTF-8. `what` begins the error text.
ATP_FOR_IO void check_one_line(const char *text, int64_t bytes, const char *what);

}  // namespace atp
