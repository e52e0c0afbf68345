// SPDX-License-Identifier: MIT
#pragma once

#include "handles.hpp"

#include "io/source.hpp"

#include <attopotts/input.h>

namespace atp {

// A source and what it is, in a block of the context.
struct Input {
  Input(Context &context, const char *path) : source(context, path), kind(source.kind()) {}
  Source source;
  const char *kind;
};

ATP_HANDLE(atp_input, Input)

// The context of a handle that may be NULL.
inline Context *context_of(const atp_input *input) { return input == nullptr ? nullptr : &core(input)->source.context(); }

// What atp_scores_read() and atp_input_scores() share.
void read_scores(const Source &source, double *scores, int64_t size, int64_t *numbers, char *residues);

}  // namespace atp
