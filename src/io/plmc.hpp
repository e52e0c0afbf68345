// SPDX-License-Identifier: MIT
// Models in plmc's binary format; docs/formats.md has the layout. The file has no signature. It is detected by
// its size, which must match its first numbers to the byte.
#pragma once

#include "alignment/alignment.hpp"
#include "alignment/text.hpp"
#include "potts/model.hpp"

namespace atp {

enum class PlmcVersion { none, v1, v2 };
constexpr int64_t kPlmcHead = 40 + kMaxColors;  // bytes that suffice to detect the format

// The version of a file of `size` bytes, from its first kPlmcHead bytes (or all of them).
PlmcVersion plmc_version(Span<const char> head, int64_t size);

// The largest size of a file with this head; 0 if no plmc file begins like this.
int64_t longest_plmc(Span<const char> head);

// Throws ATP_E_FORMAT with the reason why a file of `size` bytes with this head is not a plmc file.
[[noreturn]] void fail_plmc(const Text &head, int64_t size);

// Throws ATP_E_FORMAT with sizes or a byte position, or ATP_E_NOT_FINITE.
Model *parse_plmc(Context &context, const Text &file);

// Writes version 2. The alignment gives frequencies and weights. It has the model's sites, and its colours or
// one more at the beginning, the gap. Throws ATP_E_CONFLICT (no alphabet, or different ones), ATP_E_SHAPE,
// ATP_E_VALUE (a number that does not fit into float32 or int32).
void write_plmc(Context &context, const Model &model, const Alignment &alignment, const char *path);

}  // namespace atp
