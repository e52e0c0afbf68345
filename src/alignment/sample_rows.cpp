// SPDX-License-Identifier: MIT
#include "alignment/sample_rows.hpp"

#include "base/philox.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace atp {

void sample_rows(Context &context, int64_t count, bool replace, uint64_t seed, Span<int64_t> rows) {
  constexpr int64_t most = std::numeric_limits<uint32_t>::max();
  if (count > most || rows.size() > most)
    fail(ATP_E_TOO_LARGE, "%lld of %lld sequences cannot be drawn, both must be below 2^32", llong{rows.size()}, llong{count});
  if (replace) {
    const RandomView random(seed, Stream::bootstrap, 0, 0);
    for (int64_t k = 0; k < rows.size(); ++k) rows[k] = random.below(static_cast<uint64_t>(k), static_cast<uint32_t>(count));
  } else {
    // The beginning of a shuffle of Fisher and Yates, in a step of the stream that resample_weights() leaves.
    const RandomView random(seed, Stream::bootstrap, 0, 1);
    const Scratch memory(context.allocator, Scratch::piece<int64_t>(count));
    const Span<int64_t> order = memory.arena().take<int64_t>(count);
    for (int64_t n = 0; n < count; ++n) order[n] = n;
    for (int64_t k = 0; k < rows.size(); ++k) {
      std::swap(order[k], order[k + random.below(static_cast<uint64_t>(k), static_cast<uint32_t>(count - k))]);
      rows[k] = order[k];
    }
  }
  std::sort(rows.begin(), rows.end());
}

}  // namespace atp
