// SPDX-License-Identifier: MIT
// A number that was estimated, and its standard error.
#pragma once

#include <cmath>

namespace atp {

struct Estimate {
  double value = std::nan(""), error = std::nan("");
};

}  // namespace atp
