// SPDX-License-Identifier: MIT
// Texts packed by gzip.
#pragma once

#include "structures/structure.hpp"

#include <string>

namespace cli {

// Unpacks what gzip has packed, in place; other bytes stay as they are. Fails with status 2 for a damaged file, above a limit and without
// zlib.
void unpack(std::string &bytes, const std::string &path, const StructureLimits &limits);

}  // namespace cli
