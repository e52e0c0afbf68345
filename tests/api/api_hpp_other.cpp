// SPDX-License-Identifier: MIT
#include <attopotts.hpp>

int sites_seen_by_another_file(const attopotts::Model &model);
int sites_seen_by_another_file(const attopotts::Model &model) { return static_cast<int>(model.sites()); }
