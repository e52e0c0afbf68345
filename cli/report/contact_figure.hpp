// SPDX-License-Identifier: MIT
// The contact map of a page: scores above the diagonal; contacts of the structure, and the best pairs before them, below it.
#pragma once

#include "figures/contact_map.hpp"

#include <string>

namespace cli {

std::string contact_figure(const ContactMap &map, const std::string &id);

// The class of a marked pair: a contact, too far, or of unknown distance; in words.
std::string verdict_on(const ContactMap &map, int64_t i, int64_t j);

}  // namespace cli
