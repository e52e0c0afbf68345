// SPDX-License-Identifier: MIT
// The C++ header in a second file of the program, by its pieces: each finds what it needs, in an order that helps none of them.
#include <attopotts/trainer.hpp>
#include <attopotts/sampler.hpp>
#include <attopotts/io.hpp>
#include <attopotts/diagnostics.hpp>
#include <attopotts/model.hpp>

int sites_seen_by_another_file(const attopotts::Model &model);
int sites_seen_by_another_file(const attopotts::Model &model) { return static_cast<int>(model.sites()); }
