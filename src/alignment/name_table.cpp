// SPDX-License-Identifier: MIT
#include "alignment/name_table.hpp"

#include "base/system.hpp"

#include <chrono>

namespace atp {

HashKey HashKey::secret() {
  HashKey key;
  if (random_bytes(&key, sizeof key)) return key;
  // Without a system random generator: time and stack address are hard to guess, though not secret.
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  key.low = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()) * 0x9E3779B97F4A7C15ull;
  key.high = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(&key)) ^ static_cast<uint64_t>(process_number()) << 40;
  return key;
}

}  // namespace atp
