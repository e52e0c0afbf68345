// SPDX-License-Identifier: MIT
// Takes the place of the files that need gemmi, in a build without it.
#include "structures/accessibility.hpp"
#include "structures/structure.hpp"
#include "structures/sequence_alignment.hpp"
#include "run/errors.hpp"

namespace cli {

bool has_structures() { return false; }

Structure parse_structure(std::string, const std::string &path, const UnpackLimits &) {
  wrong_use(
      "--structure is \"{}\", but this build of attopotts reads no structures: build it with gemmi and PEGTL (Debian: gemmi-dev and "
      "tao-pegtl-dev), or give --distances",
      path);
}

std::vector<std::vector<double>> accessible_areas(const Structure &, Surface) { return {}; }

Substitutions::Substitutions(bool) : scores_() {}

}  // namespace cli
