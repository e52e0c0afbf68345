// SPDX-License-Identifier: MIT
// A library with every fault that the checks of this folder look for.
#include <cstdio>
#include <cstdlib>

#define EXPORT __attribute__((visibility("default")))

// A static initialiser.
static const char *volatile planted_home = std::getenv("HOME");

extern "C" EXPORT int atp_planted_extra(int x) {
  if (x < 0) std::abort();
  if (x == 7) std::exit(7);
  std::printf("%s %d\n", planted_home, x);
  return std::puts("planted");
}

// As of an OpenMP run time.
extern "C" __attribute__((weak)) int omp_planted();

extern "C" EXPORT int planted_stray() {
  if (omp_planted != nullptr) omp_planted();
  std::fputs("planted", stderr);
  return 0;
}
