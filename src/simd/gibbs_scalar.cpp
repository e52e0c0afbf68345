// SPDX-License-Identifier: MIT
// Gibbs sweeps, chain by chain: the specification of the kernels in gibbs.cpp.
#include "simd/gibbs.hpp"

#include "base/philox.hpp"
#include "simd/exp.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

constexpr int kMaxColors = 256;

// Draw a colour from the local fields h.
int select(const float *h, int64_t colors, float scaled_beta, float uniform) {
  float highest = h[0];
  for (int64_t c = 1; c < colors; ++c) highest = std::max(highest, h[c]);
  float cumulative[kMaxColors], sum = 0;
  for (int64_t c = 0; c < colors; ++c) {
    sum += exp2_f32(std::max((h[c] - highest) * scaled_beta, kExp2Lowest));
    cumulative[c] = sum;
  }
  const float threshold = uniform * sum;
  int color = 0;
  for (int64_t c = 0; c < colors - 1; ++c) color += cumulative[c] <= threshold;
  return color;
}

// Lane `lane` of group `group`: a chain.
struct Chain {
  const GibbsTables &tables;
  const GibbsChains &chains;
  uint64_t seed;
  int64_t group, lane;

  uint8_t &color(int64_t site) const { return chains.colors[(group * tables.shape.sites + site) * kGibbsLanes + lane]; }

  void draw(int64_t site, int64_t sweep, const float *h) const {
    const uint64_t chain = chains.first_chain + static_cast<uint64_t>(group * kGibbsLanes + lane);
    const PhiloxBlock bits =
        philox(seed, counter(Stream::gibbs, chain, static_cast<uint64_t>(sweep), static_cast<uint64_t>(site / 4)));
    const int64_t k = group * kGibbsLanes + lane;
    const int drawn = select(h, tables.shape.colors, chains.scaled_betas[k], uniform_f32(bits[static_cast<std::size_t>(site % 4)]));
    if (chains.energies != nullptr) chains.energies[k] += static_cast<double>(h[color(site)]) - static_cast<double>(h[drawn]);
    color(site) = static_cast<uint8_t>(drawn);
  }
};

template <class SweepOfChain>
void for_each_chain(const GibbsTables &tables, const GibbsChains &chains, const GibbsSweeps &sweeps, SweepOfChain &&sweep_of_chain) {
  for (int64_t group = 0; group < chains.groups; ++group)
    for (int64_t lane = 0; lane < kGibbsLanes; ++lane)
      for (int64_t sweep = sweeps.first; sweep < sweeps.first + sweeps.count; ++sweep)
        sweep_of_chain(Chain{tables, chains, sweeps.seed, group, lane}, sweep);
}

void cached(const GibbsTables &tables, const GibbsChains &chains, const GibbsSweeps &sweeps, float *) {
  const GibbsShape &s = tables.shape;
  for_each_chain(tables, chains, sweeps, [&](const Chain &chain, int64_t sweep) {
    for (int64_t i = 0; i < s.sites; ++i) {
      float h[kMaxColors];
      for (int64_t c = 0; c < s.colors; ++c) {
        h[c] = tables.fields[i * s.row() + c];
        // From the site after i round to the site before it: the latest draw comes last.
        for (int64_t head = 0; head < s.heads; ++head)
          for (int64_t step = 1; step < s.sites; ++step) {
            const int64_t j = (i + step) % s.sites;
            h[c] = std::fma(tables.maps[(head * s.sites + i) * s.sites + j],
                            tables.values[(head * s.colors + c) * s.value_row() + chain.color(j)], h[c]);
          }
      }
      chain.draw(i, sweep, h);
    }
  });
}

void blocked(const GibbsTables &tables, const GibbsChains &chains, const GibbsSweeps &sweeps, float *) {
  const GibbsShape &s = tables.shape;
  const auto map = [&](int64_t head, int64_t i, int64_t j) {
    return tables.maps[((head * s.blocks() + i / kGibbsLanes) * s.sites + j) * kGibbsLanes + i % kGibbsLanes];
  };
  const auto value = [&](int64_t head, int64_t a, int64_t b) { return tables.values[(head * s.colors + a) * s.value_row() + b]; };
  for_each_chain(tables, chains, sweeps, [&](const Chain &chain, int64_t sweep) {
    for (int64_t first = 0; first < s.sites; first += kGibbsLanes) {
      const int64_t end = std::min(first + kGibbsLanes, s.sites);
      float f[kGibbsLanes][kMaxColors];
      uint8_t old[kGibbsLanes];
      for (int64_t i = first; i < end; ++i) {
        float *h = f[i - first];
        std::copy_n(tables.fields + i * s.row(), s.colors, h);
        for (int64_t head = 0; head < s.heads; ++head) {
          float sums[kMaxColors] = {};
          for (int64_t j = 0; j < s.sites; ++j) sums[chain.color(j)] += map(head, i, j);
          for (int64_t c = 0; c < s.colors; ++c)
            for (int64_t b = 0; b < s.colors; ++b) h[c] = std::fma(value(head, c, b), sums[b], h[c]);
        }
      }
      for (int64_t i = first; i < end; ++i) {
        float *h = f[i - first];
        for (int64_t c = 0; c < s.colors; ++c)
          for (int64_t head = 0; head < s.heads; ++head)
            for (int64_t k = first; k < i; ++k)
              h[c] = std::fma(map(head, i, k), value(head, c, chain.color(k)) - value(head, c, old[k - first]), h[c]);
        old[i - first] = chain.color(i);
        chain.draw(i, sweep, h);
      }
    }
  });
}

void dense(const GibbsTables &tables, const GibbsChains &chains, const GibbsSweeps &sweeps, float *) {
  const GibbsShape &s = tables.shape;
  for_each_chain(tables, chains, sweeps, [&](const Chain &chain, int64_t sweep) {
    for (int64_t i = 0; i < s.sites; ++i) {
      float h[kMaxColors];
      std::copy_n(tables.fields + i * s.row(), s.colors, h);
      for (int64_t j = 0; j < s.sites; ++j) {
        if (j == i) continue;
        const float *row = tables.couplings + ((i * s.sites + j) * s.colors + chain.color(j)) * s.row();
        for (int64_t c = 0; c < s.colors; ++c) h[c] += row[c];
      }
      chain.draw(i, sweep, h);
    }
  });
}

}  // namespace

const GibbsKernels gibbs_scalar_kernels = {&cached, &blocked, &dense};

}  // namespace atp
