// SPDX-License-Identifier: MIT
// Models in plmc's binary format; docs/formats.md has the layout. The file has no signature: it is known by its size, which its first
// numbers must give to the byte.
#pragma once

#include "data/alignment.hpp"
#include "data/text.hpp"
#include "model/model.hpp"

namespace atp {

enum class PlmcVersion { none, v1, v2 };
constexpr int64_t kPlmcHead = 40 + kMaxColors;  // bytes that tell

// What a file of `size` bytes is, from its first kPlmcHead bytes or all that it has.
PlmcVersion plmc_version(Span<const char> head, int64_t size);

// The bytes that a file with this head has at most; 0 where no file of plmc's begins like this.
int64_t longest_plmc(Span<const char> head);

// Throw ATP_E_FORMAT: why a file of `size` bytes with this head is none of plmc's.
[[noreturn]] void fail_plmc(const Text &head, int64_t size);

// Throws ATP_E_FORMAT with sizes or a place in bytes, ATP_E_NOT_FINITE.
Model *parse_plmc(Context &context, const Text &file);

// Version 2. The alignment gives frequencies and weights; it has the model's sites and its colours, or one more, the gap, at the
// beginning. Throws ATP_E_CONFLICT (no alphabet, or different ones), ATP_E_SHAPE, ATP_E_VALUE (a number that float32 or int32 cannot hold).
void write_plmc(Context &context, const Model &model, const Alignment &alignment, const char *path);

}  // namespace atp
