// SPDX-License-Identifier: MIT
#include "base/arena.hpp"

#include "base/callback.hpp"

namespace atp {

void give_to_host(atp_free_fn release, void *memory, std::size_t bytes, void *user) noexcept {
  try {
    release(memory, bytes, user);
  } catch (...) {  // destroying cannot fail
  }
}

void *Allocator::allocate(std::size_t bytes) {
  void *memory = call_host("alloc", [&] { return alloc_(bytes, kAlignment, user_); });
  if (memory == nullptr) fail(ATP_E_MEMORY, "the allocator returned NULL for %zu bytes", bytes);
  if (reinterpret_cast<std::uintptr_t>(memory) % kAlignment != 0) {
    give_to_host(release_, memory, bytes, user_);
    fail(ATP_E_MEMORY, "the allocator returned memory that is not aligned to %zu bytes", kAlignment);
  }
  ++count_;
  bytes_ += static_cast<int64_t>(bytes);
  return memory;
}

void Allocator::release(void *memory, std::size_t bytes) noexcept {
  if (memory == nullptr) return;
#if ATP_HAS_ASAN
  ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
#endif
  bytes_ -= static_cast<int64_t>(bytes);
  give_to_host(release_, memory, bytes, user_);
}

void *Arena::cut(std::size_t bytes) {
  constexpr std::size_t red_zone = ATP_HAS_ASAN ? kAlignment : 0;
  const std::size_t padded = (bytes + kAlignment - 1) / kAlignment * kAlignment + red_zone;
  if (base_ == nullptr) {
    if (padded > static_cast<std::size_t>(INT64_MAX) - used_) fail(ATP_E_TOO_LARGE, "arrays of more than 2^63 bytes do not fit into memory");
    used_ += padded;
    return nullptr;
  }
  if (padded > size_ - used_) fail(ATP_E_INTERNAL, "an arena of %zu bytes is too small", size_);
  char *piece = base_ + used_;
  used_ += padded;
  std::memset(piece, 0, bytes);
#if ATP_HAS_ASAN
  ASAN_POISON_MEMORY_REGION(piece + bytes, padded - bytes);
#endif
  return piece;
}

}  // namespace atp
