// SPDX-License-Identifier: MIT
// Where a model to sample comes from: a file, or random and given parts.
#pragma once

#include "support/session.hpp"

#include <string>

namespace cli {

struct ModelFlags {
  std::string model, sites, colors, couplings, color_matrix, alphabet;
  void add(CLI::App *app);
};

Model make_model(const Session &session, const ModelFlags &flags);

}  // namespace cli
