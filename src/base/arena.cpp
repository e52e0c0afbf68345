// SPDX-License-Identifier: MIT
#include "base/arena.hpp"

#include "base/system.hpp"
#include "base/running.hpp"
#include "base/error.hpp"

#include <algorithm>
#include <limits>

namespace atp {

namespace {

// A number of bytes for messages, such as "12.5 GB".
struct BytesText {
  explicit BytesText(double bytes) {
    const double giga = 999.5e6, mega = 999.5e3;
    const double unit = bytes >= giga ? 1e9 : bytes >= mega ? 1e6 : 1e3;
    format_text(text, sizeof text, "%.3g %s", bytes / unit, bytes >= giga ? "GB" : bytes >= mega ? "MB" : "kB");
  }
  char text[40];
};

}  // namespace

int64_t Allocator::available() const {
  if (limit_ > 0) return std::max<int64_t>(0, limit_ - bytes_);
  return of_machine_ ? available_memory() : kUnlimited;
}

void Allocator::check_limit(std::size_t bytes) {
  const int64_t needed = bytes > static_cast<std::size_t>(kUnlimited) ? kUnlimited : static_cast<int64_t>(bytes);
  if (limit_ == 0) {
    if (unchecked_ < kChecked) unchecked_ += std::min(needed, kChecked);
    if (unchecked_ < kChecked) return;
    unchecked_ = 0;
  }
  const int64_t left = available();
  if (needed <= left && needed < kUnlimited) return;
  unchecked_ = kChecked;  // the next block is checked, too
  fail(ATP_E_MEMORY, "this needs %s, the %smemory limit leaves %s (atp_context_set_memory_limit sets it)",
       BytesText(static_cast<double>(bytes)).text, limit_ == 0 ? "automatic " : "", BytesText(static_cast<double>(left)).text);
}

void give_to_host(atp_free_fn release, void *memory, std::size_t bytes, void *user) noexcept {
  try {
    release(memory, bytes, user);
  } catch (...) {  // destroying cannot fail
  }
}

void *Allocator::allocate(std::size_t bytes) {
  check_limit(bytes);
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
    constexpr std::size_t most = std::numeric_limits<std::ptrdiff_t>::max();
    if (padded > most || used_ > most - padded)
      fail(ATP_E_TOO_LARGE, "arrays of more than %zu bytes do not fit into the memory of a machine of %zu bits", most, 8 * sizeof(void *));
    used_ += padded;
    return nullptr;
  }
  // Sizes of several arrays are added up without a check: on 32 bits the sum may have lost its highest bit.
  if (padded > size_ - used_)
    fail(sizeof(std::size_t) < 8 ? ATP_E_TOO_LARGE : ATP_E_INTERNAL, "a block of %zu bytes is too small for its arrays", size_);
  char *piece = base_ + used_;
  used_ += padded;
  std::memset(piece, 0, bytes);
#if ATP_HAS_ASAN
  ASAN_POISON_MEMORY_REGION(piece + bytes, padded - bytes);
#endif
  return piece;
}

}  // namespace atp
