// SPDX-License-Identifier: MIT
#include "data/keyed_hash.hpp"

#include <ctime>
#include <unistd.h>
#if defined(__APPLE__)
#include <sys/random.h>
#endif

namespace atp {

HashKey HashKey::secret() {
  HashKey key;
  if (getentropy(&key, sizeof key) == 0) return key;
  // Without a system random generator: time and stack address are hard to guess, though not secret.
  struct timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  key.low = static_cast<uint64_t>(now.tv_nsec) * 0x9E3779B97F4A7C15ull ^ static_cast<uint64_t>(now.tv_sec);
  key.high = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(&key)) ^ static_cast<uint64_t>(getpid()) << 40;
  return key;
}

}  // namespace atp
