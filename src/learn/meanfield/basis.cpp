// SPDX-License-Identifier: MIT
#include "learn/meanfield/basis.hpp"

namespace atp {

void ColorBases::find(const Alignment &x) {
  const int64_t L = x.sites(), q = x.colors();
  for (int64_t n = 0; n < x.count(); ++n) {
    const uint8_t *s = x.sequence(n);
    for (int64_t i = 0; i < L; ++i) order_[i * q + s[i]] = 1;
  }
  for (int64_t i = 0; i < L; ++i) {
    int32_t *order = order_.data() + i * q, absent[256];
    int32_t found = 0, missing = 0;
    for (int32_t a = 0; a < q; ++a) {
      const bool present = order[a] != 0;
      (present ? order[found] : absent[missing]) = a;
      (present ? found : missing) += 1;
    }
    std::copy_n(absent, missing, order + found);
    present_[i] = found;
    first_[i + 1] = first_[i] + at(i).dimension();
  }
}

FoundBases::FoundBases(Context &context, const Alignment &x)
    : scratch_(context.allocator, bytes(x.sites(), x.colors())), arena_(scratch_.arena()), bases_(x.sites(), x.colors(), arena_) {
  bases_.find(x);
}

std::size_t FoundBases::bytes(int64_t sites, int64_t colors) {
  Arena measure;
  ColorBases bases(sites, colors, measure);
  return measure.bytes();
}

}  // namespace atp
