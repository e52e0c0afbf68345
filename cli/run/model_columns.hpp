// SPDX-License-Identifier: MIT
// Sequences with more columns than a model: the columns that the model stands for.
#pragma once

#include "run/session.hpp"

#include <string>

namespace cli {

// The sequences with the model's sites, if they can be found among their columns (atp_alignment_for_model()); a message says so. Other
// sequences are returned as they are: the caller compares their number of sites with the model's.
Alignment onto_model(const Session &session, const std::string &label, const std::string &path, Alignment data, const atp_model *model);
// The same with the sites of another alignment.
Alignment onto_alignment(const Session &session, const std::string &label, const std::string &path, Alignment data,
                         const atp_alignment *other);

// The end of a message on a wrong number of sites: " (or 66, ...)" if columns were removed before the model was learned, else "".
std::string columns_hint(const atp_model *model);

}  // namespace cli
