// SPDX-License-Identifier: MIT
// One planted fault, chosen by name; run_planted.py expects the report of a sanitizer or an assertion. "none" has none and must pass.
#include "base/arena.hpp"
#include "base/span.hpp"
#include "base/team.hpp"

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

volatile int sink;

// Both tasks write to the same place without a lock.
int race() {
  int64_t shared = 0;
  atp::parallel_for(atp::Team(2), 1000, [&](int64_t task, int) { shared += task; });
  return static_cast<int>(shared & 1);
}

// Every task writes to a place of its own.
int no_race() {
  int64_t own[1000];
  atp::parallel_for(atp::Team(2), 1000, [&](int64_t task, int) { own[task] = task; });
  return own[999] == 999 ? 0 : 1;
}

int heap_overflow() {
  char *volatile p = static_cast<char *>(std::malloc(10));
  sink = p[10];
  std::free(p);
  return 0;
}

// One element past an array that lives in the middle of a handle's block: only the red zones of the arena can see it.
int arena_overflow() {
  static char block[1024] __attribute__((aligned(64)));
  atp::Arena arena(block, sizeof block);
  const atp::Span<double> a = arena.take<double>(8), b = arena.take<double>(8);
  volatile double *p = a.data();
  p[8] = 1;
  return b[0] == 0 ? 0 : 1;
}

int leak() {
  void *volatile p = std::malloc(1000);
  p = nullptr;
  sink = p == nullptr;
  return 0;
}

int signed_overflow() {
  volatile int x = INT_MAX;
  sink = x + 1;
  return 0;
}

int shift() {
  volatile int by = 40;
  sink = 1 << by;
  return 0;
}

// Both spans end inside an array that is larger: only assertions can see that they are left.
int span() {
  static double room[16];
  const atp::Span<double> half(room, 8);
  volatile int64_t i = 8;
  half[i] = 1;
  return 0;
}

int sub_span() {
  static double room[16];
  const atp::Span<double> half(room, 8);
  volatile int64_t first = 4;
  return half.sub(first, 5).size() == 5 ? 0 : 1;
}

// Below its capacity: no sanitizer's red zone is touched.
int vector() {
  std::vector<int> numbers;
  numbers.reserve(8);
  volatile size_t i = 0;
  sink = numbers[i];
  return 0;
}

}  // namespace

int main(int argc, char **argv) {
  struct {
    const char *name;
    int (*run)();
  } const faults[] = {{"none", no_race},
                      {"race", race},
                      {"heap-overflow", heap_overflow},
                      {"arena-overflow", arena_overflow},
                      {"leak", leak},
                      {"signed-overflow", signed_overflow},
                      {"shift", shift},
                      {"span", span},
                      {"sub-span", sub_span},
                      {"vector", vector}};
  for (const auto &fault : faults)
    if (argc == 2 && std::strcmp(argv[1], fault.name) == 0) return fault.run();
  std::fprintf(stderr, "usage: planted FAULT\n");
  return 3;
}
