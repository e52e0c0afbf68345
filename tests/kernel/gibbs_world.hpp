// SPDX-License-Identifier: MIT
// Random tables and chains for tests of the Gibbs kernels, with the definition of their local fields.
#pragma once

#include "simd_target.hpp"

#include "base/philox.hpp"
#include "simd/gibbs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace atp {

inline constexpr uint64_t kSeed = 0x123456789abcdef0u;
inline constexpr int64_t kFirstSweep = (int64_t{1} << 32) - 1;  // sweep numbers beyond 32 bits

struct Problem {
  GibbsMethod method;
  int64_t sites, colors, heads;
  bool fields;
  bool of_list() const { return method == GibbsMethod::listed || method == GibbsMethod::scaled; }
};

// The pairs of the methods of a list: a chain that is cut between sites 2 and 3, and some pairs far apart.
inline bool is_listed(int64_t i, int64_t j) {
  const int64_t low = std::min(i, j), high = std::max(i, j);
  return low != high && ((high == low + 1 && low != 2) || (low + 2 * high) % 11 == 4);
}

// Memory that starts at a multiple of 64 bytes and ends where it must not be overrun: AddressSanitizer sees the end.
template <class T>
T *aligned(int64_t n) {
  const std::size_t bytes = static_cast<std::size_t>(round_up(n * static_cast<int64_t>(sizeof(T)) + 1, 64));
  T *memory = static_cast<T *>(std::aligned_alloc(64, bytes));
  std::memset(static_cast<void *>(memory), 0, bytes);
  return memory;
}

// Numbers of a pool whose length is prime, so that no row or column repeats another; drawing each anew took half of the test.
inline float *random_floats(int64_t n, uint64_t array, double scale) {
  static const std::vector<double> pool = [] {
    std::vector<double> drawn(65537);
    const RandomView random(3, Stream::model, 0, 0);
    for (std::size_t k = 0; k < drawn.size(); ++k) drawn[k] = random.normal(k);
    return drawn;
  }();
  float *x = aligned<float>(n);
  for (std::size_t k = 0, at = array * 10007; k < static_cast<std::size_t>(n); ++k, ++at)
    x[k] = static_cast<float>(scale * pool[at % pool.size()]);
  return x;
}

// Tables of random numbers in the layout of the kernels: nothing is 0 that a kernel may use, padding included.
struct World {
  World(const Problem &p, int64_t groups, bool energies) {
    GibbsShape &s = tables.shape;
    s = {p.method, p.sites, p.colors, p.heads, dense_by_lookup(tested_target(), p.colors)};
    const int64_t L = p.sites, q = p.colors;
    if (p.of_list()) make_list();
    float *maps = random_floats(s.map_floats(), 1, 0.3);
    for (int64_t h = 0; h < p.heads; ++h)
      for (int64_t i = 0; i < L; ++i) {
        if (p.method == GibbsMethod::cached) maps[(h * L + i) * L + i] = 0;
        if (p.method == GibbsMethod::blocked) maps[((h * s.blocks() + i / kGibbsLanes) * L + i) * kGibbsLanes + i % kGibbsLanes] = 0;
      }
    tables.fields = random_floats(s.field_floats(), 2, p.fields ? 0.5 : 0.0);
    tables.maps = maps;
    float *values = random_floats(s.value_floats(), 3, 1);
    for (int64_t k = 0; k < s.value_floats() && p.method == GibbsMethod::scaled; ++k) values[k] = static_cast<float>(k % 7 % 3 - 1);
    tables.values = values;
    float *columns = aligned<float>(s.column_floats());
    for (int64_t h = 0; h < p.heads && s.column_floats() > 0; ++h)
      for (int64_t a = 0; a < q; ++a)
        for (int64_t b = 0; b < q; ++b) columns[(h * q + b) * s.value_row() + a] = tables.values[(h * q + a) * s.value_row() + b];
    tables.columns = columns;
    float *couplings = random_floats(s.coupling_floats(), 4, 0.3);
    for (int64_t i = 0; i < L && p.method == GibbsMethod::dense; ++i)
      for (int64_t a = 0; a < q; ++a)
        for (int64_t b = 0; b < q; ++b) couplings[s.coupling_index(i, i, a, b)] = 0;
    tables.couplings = couplings;
    chains.groups = groups;
    chains.first_chain = 1000000;
    chains.colors = aligned<uint8_t>(groups * L * kGibbsLanes);
    const RandomView random(3, Stream::start, 0, 0);
    for (int64_t k = 0; k < groups * L * kGibbsLanes; ++k)
      chains.colors[k] = static_cast<uint8_t>(random.below(static_cast<uint64_t>(k), static_cast<uint32_t>(q)));
    float *betas = aligned<float>(groups * kGibbsLanes);
    for (int64_t k = 0; k < groups * kGibbsLanes; ++k) betas[k] = 0.05f * static_cast<float>(k % 61);  // 0 is one of them
    chains.scaled_betas = betas;
    chains.energies = energies ? aligned<double>(groups * kGibbsLanes) : nullptr;
  }
  ~World() {
    for (const void *p :
         {static_cast<const void *>(tables.fields), static_cast<const void *>(tables.maps), static_cast<const void *>(tables.values),
          static_cast<const void *>(tables.columns), static_cast<const void *>(tables.couplings), static_cast<const void *>(tables.begins),
          static_cast<const void *>(tables.neighbors), static_cast<const void *>(chains.scaled_betas),
          static_cast<const void *>(chains.colors), static_cast<const void *>(chains.energies)})
      std::free(const_cast<void *>(p));
  }
  void make_list() {
    GibbsShape &s = tables.shape;
    int64_t *begins = aligned<int64_t>(s.sites + 1);
    for (int64_t i = 0; i < s.sites; ++i) {
      begins[i + 1] = begins[i];
      for (int64_t j = 0; j < s.sites; ++j) begins[i + 1] += is_listed(i, j);
    }
    s.pairs = begins[s.sites] / 2;
    int32_t *neighbors = aligned<int32_t>(2 * s.pairs), *next = neighbors;
    for (int64_t i = 0; i < s.sites; ++i)
      for (int64_t j = 0; j < s.sites; ++j)
        if (is_listed(i, j)) *next++ = static_cast<int32_t>(j);
    tables.begins = begins;
    tables.neighbors = neighbors;
  }
  void run(const GibbsKernels &kernels, int64_t first, int64_t count) {
    float *work = aligned<float>(tables.shape.work_floats(chains.groups));
    kernels.of(tables.shape.method)(tables, chains, {kSeed, first, count}, work);
    std::free(work);
  }
  // H(c) of site i of a chain whose colours are color(j), from the definition.
  template <class Color>
  double field(int64_t i, int64_t c, Color &&color) const {
    const GibbsShape &s = tables.shape;
    const bool blocked = s.method == GibbsMethod::blocked;
    double h = static_cast<double>(blocked ? tables.fields[(i / kGibbsLanes * s.colors + c) * kGibbsLanes + i % kGibbsLanes]
                                           : tables.fields[i * s.row() + c]);
    for (int64_t k = s.of_list() ? tables.begins[i] : 0, end = s.of_list() ? tables.begins[i + 1] : 0; k < end; ++k) {
      const int64_t b = color(tables.neighbors[k]);
      h += s.method == GibbsMethod::listed
               ? static_cast<double>(tables.couplings[(k * s.colors + c) * s.colors + b])
               : static_cast<double>(tables.couplings[k]) * static_cast<double>(tables.values[c * s.value_row() + b]);
    }
    for (int64_t j = 0; j < s.sites; ++j) {
      if (j == i) continue;
      if (s.method == GibbsMethod::dense) h += static_cast<double>(tables.couplings[s.coupling_index(i, j, c, color(j))]);
      for (int64_t head = 0; head < s.heads; ++head) {
        const int64_t place = blocked ? ((head * s.blocks() + i / kGibbsLanes) * s.sites + j) * kGibbsLanes + i % kGibbsLanes
                                      : (head * s.sites + i) * s.sites + j;
        h += static_cast<double>(tables.maps[place]) * static_cast<double>(tables.values[(head * s.colors + c) * s.value_row() + color(j)]);
      }
    }
    return h;
  }

  GibbsTables tables;
  GibbsChains chains;
};

// Whether a colour is the one that the number of this place in `sweep` draws with these weights; a ten-thousandth is left to rounding.
inline bool is_drawn(const std::vector<double> &weights, int64_t drawn, uint64_t chain, int64_t sweep, int64_t site) {
  const PhiloxBlock words = philox(kSeed, counter(Stream::gibbs, chain, static_cast<uint64_t>(sweep), static_cast<uint64_t>(site) / 4));
  const double uniform = (static_cast<double>(words[static_cast<std::size_t>(site) % 4] >> 9) + 0.5) / (1 << 23);
  double total = 0, below = 0;
  for (std::size_t c = 0; c < weights.size(); ++c) {
    total += weights[c];
    if (static_cast<int64_t>(c) < drawn) below += weights[c];
  }
  const double at = uniform * total, rounding = 1e-4 * total;
  return at >= below - rounding && at <= below + weights[static_cast<std::size_t>(drawn)] + rounding;
}

}  // namespace atp
