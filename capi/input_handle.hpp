// SPDX-License-Identifier: MIT
#pragma once

#include "handles.hpp"

#include "io/source.hpp"

#include <attopotts/input.h>

namespace atp {

// A source and what it is, in a block of the context.
struct Input {
  Input(Context &owner, const char *path) : context(&owner), source(owner, path), kind(source.kind()) {}
  Context *context;
  Source source;
  const char *kind;
};

ATP_HANDLE(atp_input, Input)

// What atp_scores_read() and atp_input_scores() share.
void read_scores(const Source &source, double *scores, int64_t size, int64_t *numbers, char *residues);

}  // namespace atp
