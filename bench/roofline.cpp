// SPDX-License-Identifier: MIT
// What one thread of this machine can do at most: vector instructions per second for every SIMD target, as CSV: target,resource,rate.
// Usage: roofline [SECONDS], the seconds of one repeat. Rates are the best of 25 repeats, per second of processor time: other
// programs slow a repeat down, nothing makes it faster.
//
//   lanes           floats of a vector (no rate)
//   multiply_adds   x = a x + b, float32 (SSE4: a multiplication and an addition)
//   operations      exclusive or in registers, the cheapest operation
//   look_ups        floats of two vectors chosen by an index (AVX-512), of one vector (AVX2), bytes of one vector (SSE4, NEON)
//   loads_LEVEL     vectors read in order from an array of a fourth of the first level, half the second, four times the second, twice the
//                   third
//   stores_l1       vectors written to the first of these
#include "simd/targets.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

// Highway includes this file once per target.
#ifndef ATP_BENCH_ROOFLINE
#define ATP_BENCH_ROOFLINE
// A kernel makes `count` of its instructions; the loads and stores go through an array of n floats again and again.
struct RooflineKernels {
  int lanes;
  float (*multiply_add)(int64_t count);
  float (*operate)(int64_t count);
  float (*look_up)(int64_t count);
  float (*load)(const float *x, int64_t n, int64_t count);
  void (*store)(float *x, int64_t n, int64_t count);
};
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "roofline.cpp"
#include "simd/highway.hpp"

#include "simd/dispatch.hpp"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace atp::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
// Independent chains of instructions: enough to hide latencies, few enough for 16 registers.
constexpr int kChains = 12;

// The sum of all lanes, so that no result is unused.
HWY_INLINE float sum_of(const V *x) {
  V sum = x[0];
#pragma GCC unroll 12
  for (int k = 1; k < kChains; ++k) sum = hn::Add(sum, x[k]);
  HWY_ALIGN float lanes[kLanes];
  hn::Store(sum, D(), lanes);
  float total = 0;
  for (const float lane : lanes) total += lane;
  return total;
}

HWY_INLINE void start(V *x) {
#pragma GCC unroll 12
  for (int k = 0; k < kChains; ++k) x[k] = hn::Set(D(), 1.0f + static_cast<float>(k));
}

float multiply_add(int64_t count) {
  const V factor = hn::Set(D(), 0.5f), term = hn::Set(D(), 1.0f);
  V x[kChains];
  start(x);
  for (int64_t done = 0; done < count; done += kChains) {
#pragma GCC unroll 12
    for (int k = 0; k < kChains; ++k) x[k] = hn::MulAdd(x[k], factor, term);
  }
  return sum_of(x);
}

float operate(int64_t count) {
  const hn::RebindToUnsigned<D> du;
  const auto term = hn::Set(du, 1u);
  V x[kChains];
  start(x);
  for (int64_t done = 0; done < count; done += kChains) {
#pragma GCC unroll 12
    for (int k = 0; k < kChains; ++k) x[k] = hn::BitCast(D(), hn::Xor(hn::BitCast(du, x[k]), term));
  }
  return sum_of(x);
}

float look_up(int64_t count) {
  V x[kChains];
  start(x);
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  const hn::RebindToSigned<D> di;
  const auto index = hn::Xor(hn::Iota(di, 0), hn::Set(di, 1));
#else
  const hn::Repartition<uint8_t, D> d8;
  const auto index = hn::Xor(hn::Iota(d8, 0), hn::Set(d8, uint8_t{4}));
#endif
  for (int64_t done = 0; done < count; done += kChains) {
#pragma GCC unroll 12
    for (int k = 0; k < kChains; ++k) {
#if HWY_TARGET == HWY_AVX3
      x[k] = V{_mm512_permutex2var_ps(x[k].raw, index.raw, x[k].raw)};
#elif HWY_TARGET == HWY_AVX2
      x[k] = V{_mm256_permutevar8x32_ps(x[k].raw, index.raw)};
#else
      x[k] = hn::BitCast(D(), hn::TableLookupBytes(hn::BitCast(d8, x[k]), index));
#endif
    }
  }
  return sum_of(x);
}

float load(const float *x, int64_t n, int64_t count) {
  const hn::RebindToUnsigned<D> du;
  const uint32_t *from = reinterpret_cast<const uint32_t *>(x);
  V sum[kChains];
  start(sum);
  constexpr int64_t kStep = int64_t{kChains} * kLanes;
  for (int64_t done = 0; done < count; done += n / kLanes) {
    // The array is read again each time.
    asm volatile("" ::: "memory");
    for (int64_t k = 0; k < n; k += kStep) {
#pragma GCC unroll 12
      for (int v = 0; v < kChains; ++v) sum[v] = hn::BitCast(D(), hn::Xor(hn::BitCast(du, sum[v]), hn::Load(du, from + k + v * kLanes)));
    }
  }
  return sum_of(sum);
}

void store(float *x, int64_t n, int64_t count) {
  const V value = hn::Set(D(), 1.0f);
  constexpr int64_t kStep = int64_t{kChains} * kLanes;
  for (int64_t done = 0; done < count; done += n / kLanes) {
    asm volatile("" ::: "memory");
    for (int64_t k = 0; k < n; k += kStep) {
#pragma GCC unroll 12
      for (int v = 0; v < kChains; ++v) hn::Store(value, D(), x + k + v * kLanes);
    }
  }
}

}  // namespace

extern const RooflineKernels roofline_table;
const RooflineKernels roofline_table = {kLanes, multiply_add, operate, look_up, load, store};

}  // namespace atp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace atp {
namespace {

// Scalar code has no roofline here.
const RooflineKernels none = {};

const RooflineKernels &kernels_of(Target target) { ATP_DISPATCH(target, roofline_table, none) }

constexpr int kRepeats = 25;
// Floats that all vectors and all chains divide.
constexpr int64_t kMultiple = 12 * 16;

double processor_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Instructions per second of run(count).
template <class Run>
double rate(double seconds, int64_t least, Run &&run) {
  int64_t count = least;
  double taken = 0;
  while (true) {
    const double begin = processor_seconds();
    run(count);
    taken = processor_seconds() - begin;
    if (taken >= seconds) break;
    count *= 2;
  }
  double best = static_cast<double>(count) / taken;
  for (int k = 1; k < kRepeats; ++k) {
    const double begin = processor_seconds();
    run(count);
    best = std::max(best, static_cast<double>(count) / (processor_seconds() - begin));
  }
  return best;
}

struct Level {
  const char *name;
  int64_t floats;
};

int64_t cache_bytes(int level, int64_t usual) {
#ifdef _SC_LEVEL1_DCACHE_SIZE
  const int names[] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE};
  const long bytes = sysconf(names[level - 1]);
  if (bytes > 0) return bytes;
#endif
  (void)level;
  return usual;
}

std::vector<Level> levels() {
  const int64_t l1 = cache_bytes(1, 32 << 10), l2 = cache_bytes(2, 1 << 20), l3 = cache_bytes(3, 32 << 20);
  std::vector<Level> all = {{"l1", l1 / 4}, {"l2", l2 / 2}, {"l3", 4 * l2}, {"memory", 2 * l3}};
  for (Level &level : all) level.floats = level.floats / 4 / kMultiple * kMultiple;
  return all;
}

volatile float sink;

void print(Target target, const std::string &resource, double value) {
  std::printf("%s,%s,%.4g\n", target_name(target), resource.c_str(), value);
  std::fflush(stdout);
}

void measure(Target target, double seconds, const std::vector<Level> &all, float *x) {
  const RooflineKernels &kernels = kernels_of(target);
  print(target, "lanes", kernels.lanes);
  print(target, "multiply_adds", rate(seconds, kMultiple * 1000, [&](int64_t count) { sink = kernels.multiply_add(count); }));
  print(target, "operations", rate(seconds, kMultiple * 1000, [&](int64_t count) { sink = kernels.operate(count); }));
  print(target, "look_ups", rate(seconds, kMultiple * 1000, [&](int64_t count) { sink = kernels.look_up(count); }));
  for (const Level &level : all)
    print(target, std::string("loads_") + level.name,
          rate(seconds, level.floats / kernels.lanes, [&](int64_t count) { sink = kernels.load(x, level.floats, count); }));
  print(target, "stores_l1", rate(seconds, all[0].floats / kernels.lanes, [&](int64_t count) { kernels.store(x, all[0].floats, count); }));
}

}  // namespace
}  // namespace atp

int main(int argc, char **argv) {
  const double seconds = argc > 1 ? std::strtod(argv[1], nullptr) : 0.02;
  const std::vector<atp::Level> all = atp::levels();
  const int64_t floats = all.back().floats;
  float *x = static_cast<float *>(std::aligned_alloc(64, static_cast<std::size_t>(floats) * sizeof(float)));
  if (x == nullptr) return 1;
  std::fill_n(x, floats, 1.0f);
  for (const atp::Level &level : all) std::printf("# %s: an array of %lld kB\n", level.name, static_cast<long long>(level.floats / 256));
  std::printf("target,resource,rate\n");
  for (const atp::Target target : atp::kTargets)
    if (target != atp::Target::scalar && atp::target_available(target)) atp::measure(target, seconds, all, x);
  std::free(x);
  return 0;
}
#endif
