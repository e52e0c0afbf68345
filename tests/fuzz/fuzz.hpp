// SPDX-License-Identifier: MIT
// Shared by the fuzz targets: a context that counts memory, and checks that hold for every input.
//
// A target is one LLVMFuzzerTestOneInput. With -Dfuzzing=true (clang) it becomes a libFuzzer program fuzzer_NAME; in every build replay.cpp
// runs it on the committed corpus and on all cuts of it, as the test fuzz-NAME.
#pragma once

#include "../support/counting.h"

#include "base/context.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

namespace atp_fuzz {

// Whether the last input was accepted, wholly or as one of the things it may be: replay.cpp compares that with the names of the corpus.
inline bool accepted = false;

// Stop with a crash that the fuzzer reports.
inline void check(bool holds, const char *what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

// The allocator of tests with a limit: a small input must not ask for much.
struct Memory {
  struct ::counter used = {};
  int64_t limit = INT64_MAX;
  static void *take(std::size_t bytes, std::size_t alignment, void *user) {
    Memory *memory = static_cast<Memory *>(user);
    check(bytes <= static_cast<std::size_t>(memory->limit - memory->used.bytes), "memory in proportion to the input");
    return counting_alloc(bytes, alignment, &memory->used);
  }
  static void give(void *block, std::size_t bytes, void *user) { counting_free(block, bytes, &static_cast<Memory *>(user)->used); }
};

// Run a parser in a context of its own. What it throws is a status with a text; whatever it makes is given to `inspect` and destroyed;
// nothing is left.
template <class Parse, class Inspect>
void run(int64_t limit, Parse &&parse, Inspect &&inspect) {
  Memory memory;
  memory.limit = limit;
  atp::Context context(Memory::take, Memory::give, &memory);
  context.log = [](atp_log_level, const char *text, void *) { check(text[0] != 0, "messages have a text"); };
  try {
    auto *made = parse(context);
    inspect(*made);
    accepted = true;
    atp::destroy_block(context.allocator, made);
  } catch (const atp::Error &e) {
    check(e.status() != ATP_E_INTERNAL && e.what()[0] != 0, "a failure has a status and a text");
  }
  check(memory.used.bytes == 0 && memory.used.bad == 0, "nothing stays allocated");
}

template <class Alignment>
void inspect_alignment(const Alignment &a) {
  check(a.count() >= 1 && a.sites() >= 2 && a.colors() >= 2 && a.colors() <= 255, "the shape is legal");
  for (uint8_t s : a.sequences) check(s < a.colors(), "colours are below q");
  for (double w : a.weights) check(w >= 0 && w < 1e300 * 1e300, "weights are legal");
  for (int64_t n = 0; n < a.count(); ++n) check(a.name(n) != nullptr, "names are there");
}

}  // namespace atp_fuzz
