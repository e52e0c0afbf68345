// SPDX-License-Identifier: MIT
// Memory of handles: one block per handle, divided into arrays when the handle is created.
//
// A class that lives in a block has a constructor that only stores its arguments, and a member
//     void lay_out(Arena &arena)     // every member array = arena.take<T>(n), nothing else
// Further set-up goes into a member init() that the owner calls. `bytes_of` runs lay_out on a measuring arena,
// `create_in_block` on a real one. Size queries and creation thus share the code:
//
//     block   | object | pad | array 0 | [red zone] | array 1 | [red zone] | ...
//
// Arrays start at multiples of 64 bytes and are zero. Under AddressSanitizer a red zone of 64 bytes follows each.
#pragma once

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/span.hpp"

#include <attopotts/context.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#define ATP_HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ATP_HAS_ASAN 1
#endif
#endif
#ifndef ATP_HAS_ASAN
#define ATP_HAS_ASAN 0
#endif
#if ATP_HAS_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace atp {

inline constexpr std::size_t kAlignment = 64;

// Calls the host's release function. Exceptions that it throws are dropped.
void give_to_host(atp_free_fn release, void *memory, std::size_t bytes, void *user) noexcept;

// The allocator of a context, with counters and a limit. Not thread-safe: one thread at a time creates handles.
//
// A limit of 0 is automatic: a block may take what the process can still get (base/system.hpp), if the memory comes from the
// machine. That number changes all the time. It is read again before a block of kChecked bytes or more, and when smaller blocks have added
// up to that. Reading it takes 0.1 ms; zeroing such a block takes longer. Blocks are zeroed when they are made, so earlier ones have their
// pages and count as used.
class Allocator {
 public:
  static constexpr int64_t kChecked = 4 << 20;

  Allocator(atp_alloc_fn alloc, atp_free_fn free_memory, void *user) : alloc_(alloc), release_(free_memory), user_(user) {}
  // Throws ATP_E_MEMORY if the block would exceed the limit (before asking for the memory), or if the allocator has none.
  ATP_FOR_IO void *allocate(std::size_t bytes);
  ATP_FOR_IO void release(void *memory, std::size_t bytes) noexcept;
  int64_t count() const { return count_; }
  int64_t bytes() const { return bytes_; }

  // Whether the memory comes from the machine. The automatic limit applies only then.
  void set_of_machine(bool of_machine) { of_machine_ = of_machine; }
  void set_limit(int64_t bytes) { limit_ = bytes; }
  int64_t limit() const { return limit_; }
  // Returns the bytes that allocate() can still give.
  int64_t available() const;

 private:
  atp_alloc_fn alloc_;
  atp_free_fn release_;
  void *user_;
  int64_t count_ = 0;
  int64_t bytes_ = 0;
  int64_t limit_ = 0;
  int64_t unchecked_ = 0;  // bytes since the automatic limit was read last
  bool of_machine_ = false;

  void check_limit(std::size_t bytes);
};

class Arena {
 public:
  Arena() = default;                                                                      // measures
  Arena(void *base, std::size_t size) : base_(static_cast<char *>(base)), size_(size) {}  // divides a block

  // Takes an array of T, zeroed; its size is the product of the counts. On a measuring arena the span is
  // without memory but has its size. Throws ATP_E_TOO_LARGE if the product or the bytes do not fit.
  template <class T, class... More>
  Span<T> take(int64_t first, More... more) {
    static_assert(std::is_trivially_destructible_v<T> && std::is_trivially_copyable_v<T>);
    static_assert(alignof(T) <= kAlignment);
    const int64_t n = product_of(first, more...);
    void *piece = cut(memory_size(n, sizeof(T)));
    return Span<T>(static_cast<T *>(piece), n);
  }

  bool measuring() const { return base_ == nullptr; }
  std::size_t bytes() const { return used_; }

 private:
  ATP_FOR_IO void *cut(std::size_t bytes);

  char *base_ = nullptr;
  std::size_t size_ = 0;
  std::size_t used_ = 0;
};

// The bytes that take(arena) takes.
template <class Take>
std::size_t bytes_taken(const Take &take) {
  Arena measure;
  take(measure);
  return measure.bytes();
}

// The bytes that memory.lay_out(arena, sizes...) takes.
template <class T, class... Sizes>
std::size_t bytes_laid_out(T &&memory, const Sizes &...sizes) {
  return bytes_taken([&](Arena &arena) { memory.lay_out(arena, sizes...); });
}

// The bytes that create_in_block<T>(allocator, arguments...) allocates.
template <class T, class... Arguments>
std::size_t bytes_of(Arguments &&...arguments) {
  T object(std::forward<Arguments>(arguments)...);
  return bytes_taken([&](Arena &arena) {
    arena.take<char>(static_cast<int64_t>(sizeof(T)));
    object.lay_out(arena);
  });
}

// Creates a T at the head of its own block. T must own no resources but its block.
template <class T, class... Arguments>
T *create_in_block(Allocator &allocator, const Arguments &...arguments) {
  static_assert(std::is_trivially_destructible_v<T>);
  const std::size_t bytes = bytes_of<T>(arguments...);
  void *memory = allocator.allocate(bytes);
  try {
    Arena arena(memory, bytes);
    T *object = new (arena.take<char>(static_cast<int64_t>(sizeof(T))).data()) T(arguments...);
    object->lay_out(arena);
    object->block_bytes = bytes;
    return object;
  } catch (...) {
    allocator.release(memory, bytes);
    throw;
  }
}

template <class T>
void destroy_block(Allocator &allocator, T *object) noexcept {
  if (object != nullptr) allocator.release(object, object->block_bytes);
}

// Owns an object in its own block that knows its context, and destroys it unless it is released to the caller.
struct DestroyBlock {
  template <class T>
  void operator()(T *object) const noexcept {
    destroy_block(object->context->allocator, object);
  }
};
template <class T>
using Owner = std::unique_ptr<T, DestroyBlock>;

// Work space of one call, released at its end.
class Scratch {
 public:
  Scratch(Allocator &allocator, std::size_t bytes) : allocator_(allocator), bytes_(bytes), memory_(allocator.allocate(bytes)) {}
  ~Scratch() { allocator_.release(memory_, bytes_); }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  Arena arena() const { return Arena(memory_, bytes_); }
  // The bytes of one array of n elements in a Scratch. Add them up for several arrays.
  template <class T>
  static std::size_t piece(int64_t n) {
    return bytes_taken([n](Arena &arena) { arena.take<T>(n); });
  }

 private:
  Allocator &allocator_;
  std::size_t bytes_;
  void *memory_;
};

}  // namespace atp
