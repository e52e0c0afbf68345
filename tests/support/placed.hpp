// SPDX-License-Identifier: MIT
// Objects of the core that live in an arena, in tests.
#ifndef ATTOPOTTS_TESTS_PLACED_HPP
#define ATTOPOTTS_TESTS_PLACED_HPP

#include "base/arena.hpp"

#include <cstdint>
#include <memory>

// An object that lays out arrays, in memory of its own.
template <class T>
struct Placed {
  template <class... Arguments>
  explicit Placed(Arguments... arguments) : object(arguments...) {
    T measure(arguments...);
    atp::Arena measuring;
    measure.lay_out(measuring);
    memory = std::make_unique<unsigned char[]>(measuring.bytes() + atp::kAlignment);
    const std::size_t offset = atp::kAlignment - reinterpret_cast<std::uintptr_t>(memory.get()) % atp::kAlignment;
    atp::Arena arena(memory.get() + offset, measuring.bytes());
    object.lay_out(arena);
    object.reset();
  }
#if ATP_HAS_ASAN
  ~Placed() { ASAN_UNPOISON_MEMORY_REGION(memory.get(), 1); }
#endif
  T *operator->() { return &object; }
  T object;
  std::unique_ptr<unsigned char[]> memory;
};

#endif
