// SPDX-License-Identifier: MIT
// The model to sample from: a file, or a random model, of which couplings or colour matrix may come from files.
#pragma once

#include "run/session.hpp"

#include <optional>
#include <string>

namespace cli {

struct ModelFlags {
  std::string model, couplings, color_matrix, alphabet;
  std::optional<int64_t> sites, colors;
  const CLI::App *app = nullptr;
  void add(CLI::App *command);
};

Model make_model(const Session &session, const ModelFlags &flags);

}  // namespace cli
