// SPDX-License-Identifier: MIT
#include "math/optim/epoch_order.hpp"

#include "base/philox.hpp"

#include <utility>

namespace atp {

// Fisher and Yates from the end: position k changes places with one of 0..k. Two words make a draw, so that its bias is below n / 2^52.
void shuffle(uint64_t seed, uint64_t epoch, Span<int64_t> order) {
  const int64_t n = order.size();
  for (int64_t k = 0; k < n; ++k) order[k] = k;
  PhiloxBlock words{};
  for (int64_t draw = 0; draw + 1 < n; ++draw) {
    if (draw % 2 == 0) words = philox(seed, counter(Stream::batch, 0, epoch, static_cast<uint64_t>(draw / 2)));
    const double uniform = draw % 2 == 0 ? uniform_f64(words[0], words[1]) : uniform_f64(words[2], words[3]);
    const int64_t k = n - 1 - draw, other = static_cast<int64_t>(uniform * static_cast<double>(k + 1));
    std::swap(order[k], order[other]);
  }
}

// One word makes a draw: sites are few, and the bias is below sites / 2^32.
void draw_masks(uint64_t seed, uint64_t epoch, int64_t sites, Span<int64_t> masks) {
  PhiloxBlock words{};
  for (int64_t n = 0; n < masks.size(); ++n) {
    if (n % 4 == 0) words = philox(seed, counter(Stream::mask, 0, epoch, static_cast<uint64_t>(n / 4)));
    masks[n] = static_cast<int64_t>(words[static_cast<std::size_t>(n % 4)] * static_cast<uint64_t>(sites) >> 32);
  }
}

// A word for each site, after those of the sequences before; the number 1 keeps them apart from draw_masks().
void draw_mask(uint64_t seed, uint64_t epoch, int64_t sequence, double probability, Span<uint8_t> masked) {
  const int64_t blocks = (masked.size() + 3) / 4;
  PhiloxBlock words{};
  for (int64_t i = 0; i < masked.size(); ++i) {
    if (i % 4 == 0) words = philox(seed, counter(Stream::mask, 1, epoch, static_cast<uint64_t>(sequence * blocks + i / 4)));
    masked[i] = static_cast<double>(words[static_cast<std::size_t>(i % 4)]) < probability * 0x1p32 ? 1 : 0;
  }
}

}  // namespace atp
