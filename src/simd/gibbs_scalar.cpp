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

// Draws a colour from the local fields h.
int select(const float *h, int64_t colors, float scaled_beta, float uniform) {
  float highest = h[0];
  for (int64_t c = 1; c < colors; ++c) highest = std::max(highest, h[c]);
  // 2^y, y = (h - highest) * scaled_beta, at least -125. y is never rounded: y - n comes from one fused
  // operation.
  const float floor = kExp2Lowest / scaled_beta;
  float weight[kMaxColors];
  for (int64_t c = 0; c < colors; ++c) {
    const float difference = std::max(h[c] - highest, floor);
    const float shift = std::fma(difference, scaled_beta, kRoundingShift);
    weight[c] = exp2_scaled_f32(shift, std::fma(difference, scaled_beta, -(shift - kRoundingShift)));
  }
  // Sums of complete fours, then of the remaining colours.
  float total = 0, rest = 0;
  const int64_t fours = colors / 4 * 4;
  for (int64_t c = 0; c < fours; c += 4) total += ((weight[c] + weight[c + 1]) + weight[c + 2]) + weight[c + 3];
  for (int64_t c = fours; c < colors; ++c) rest += weight[c];
  const float threshold = uniform * (total + rest);
  int64_t color = 0;
  float below = 0;  // the sum of the earlier fours
  for (int64_t first = 0; first < colors; first += 4) {
    float sum = 0;
    for (int64_t c = first; c < std::min(first + 4, colors); ++c) {
      sum += weight[c];
      if (c - first < 3)
        color += sum <= threshold - below;
      else
        color += (below += sum) <= threshold;
    }
  }
  return static_cast<int>(std::min(color, colors - 1));
}

// The chain in lane `lane` of group `group`.
struct Chain {
  const GibbsTables &tables;
  const GibbsChains &chains;
  uint64_t seed;
  int64_t group, lane;

  uint8_t &color(int64_t site) const { return chains.colors[(group * tables.shape.sites + site) * kGibbsLanes + lane]; }

  void draw(int64_t site, int64_t sweep, const float *h) const {
    const GibbsLimits *limits = tables.limits;
    if (limits != nullptr && !limits->draws(site)) return;
    const uint64_t chain = chains.first_chain + static_cast<uint64_t>(group * kGibbsLanes + lane);
    const PhiloxBlock bits = philox(seed, counter(Stream::gibbs, chain, static_cast<uint64_t>(sweep), static_cast<uint64_t>(site / 4)));
    const int64_t k = group * kGibbsLanes + lane;
    const float uniform = uniform_f32(bits[static_cast<std::size_t>(site % 4)]);
    const uint8_t drawn = limits == nullptr ? static_cast<uint8_t>(select(h, tables.shape.colors, chains.scaled_betas[k], uniform))
                                            : limits->settle(chains, &color(site) - chains.colors, k, allowed(site, k, uniform, h));
    if (chains.energies != nullptr) chains.energies[k] += static_cast<double>(h[color(site)]) - static_cast<double>(h[drawn]);
    color(site) = drawn;
  }
  // Draws from the allowed colours alone.
  uint8_t allowed(int64_t site, int64_t k, float uniform, const float *h) const {
    const uint8_t *colors = tables.limits->allowed + site * tables.shape.colors;
    const int64_t count = tables.limits->counts[site];
    float of_allowed[kMaxColors];
    for (int64_t c = 0; c < count; ++c) of_allowed[c] = h[colors[c]];
    return colors[select(of_allowed, count, chains.scaled_betas[k], uniform)];
  }
};

template <class SweepOfChain>
void for_each_chain(const GibbsTables &tables, const GibbsChains &chains, const GibbsSweeps &sweeps, SweepOfChain &&sweep_of_chain) {
  for (int64_t group = 0; group < chains.groups; ++group)
    for (int64_t lane = 0; lane < kGibbsLanes; ++lane)
      for (int64_t sweep = sweeps.first; sweep < sweeps.first + sweeps.count; ++sweep)
        sweep_of_chain(Chain{tables, chains, sweeps.seed, group, lane}, sweep);
}

}  // namespace

void gibbs_cached_scalar(const GibbsTables &tables, const GibbsChains &chains, const GibbsSweeps &sweeps, float *) {
  const GibbsShape &s = tables.shape;
  for_each_chain(tables, chains, sweeps, [&](const Chain &chain, int64_t sweep) {
    for (int64_t i = 0; i < s.sites; ++i) {
      float h[kMaxColors];
      for (int64_t c = 0; c < s.colors; ++c) {
        h[c] = tables.fields[i * s.row() + c];
        const auto add = [&](int64_t head, int64_t j) {
          h[c] = std::fma(tables.maps[(head * s.sites + i) * s.sites + j],
                          tables.values[(head * s.colors + c) * s.value_row() + chain.color(j)], h[c]);
        };
        // Sites are in pairs (0, 1), (2, 3), ..., the last perhaps single. The sum goes from the site
        // after the pair around to the site before it, then to the other site of the pair. For the
        // second site of a pair, the first has just been drawn.
        const int64_t begin = i / 2 * 2, size = std::min<int64_t>(2, s.sites - begin), other = i % 2 == 0 ? i + 1 : i - 1;
        for (int64_t head = 0; head < s.heads; ++head) {
          for (int64_t step = 0; step < s.sites - size; ++step) add(head, (begin + size + step) % s.sites);
          if (size == 2 && i == begin) add(head, other);
        }
        for (int64_t head = 0; head < s.heads && i != begin; ++head) add(head, other);
      }
      chain.draw(i, sweep, h);
    }
  });
}

void gibbs_blocked_scalar(const GibbsTables &tables, const GibbsChains &chains, const GibbsSweeps &sweeps, float *) {
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
        for (int64_t c = 0; c < s.colors; ++c) h[c] = tables.fields[(first / kGibbsLanes * s.colors + c) * kGibbsLanes + i - first];
        for (int64_t head = 0; head < s.heads; ++head) {
          float sums[kMaxColors] = {};
          for (int64_t j = 0; j < s.sites; ++j) sums[chain.color(j)] += map(head, i, j);
          for (int64_t c = 0; c < s.colors; ++c)
            for (int64_t b = 0; b < s.colors; ++b) h[c] = std::fma(value(head, c, b), sums[b], h[c]);
        }
      }
      for (int64_t i = first; i < end; ++i) {
        float *h = f[i - first];
        for (int64_t c = 0; c < s.colors; ++c) {
          const auto add = [&](int64_t head, int64_t k) {
            h[c] = std::fma(map(head, i, k), value(head, c, chain.color(k)) - value(head, c, old[k - first]), h[c]);
          };
          // Sites are in pairs here, too: first the sites before the pair, then for its second site
          // the first.
          const int64_t begin = i / 2 * 2;
          for (int64_t head = 0; head < s.heads; ++head)
            for (int64_t k = first; k < begin; ++k) add(head, k);
          for (int64_t head = 0; head < s.heads && i != begin; ++head) add(head, begin);
        }
        old[i - first] = chain.color(i);
        chain.draw(i, sweep, h);
      }
    }
  });
}

void gibbs_dense_scalar(const GibbsTables &tables, const GibbsChains &chains, const GibbsSweeps &sweeps, float *) {
  const GibbsShape &s = tables.shape;
  for_each_chain(tables, chains, sweeps, [&](const Chain &chain, int64_t sweep) {
    for (int64_t i = 0; i < s.sites; ++i) {
      float h[kMaxColors];
      std::copy_n(tables.fields + i * s.row(), s.colors, h);
      for (int64_t j = 0; j < s.sites; ++j) {
        if (j == i) continue;
        for (int64_t c = 0; c < s.colors; ++c) h[c] += tables.couplings[s.coupling_index(i, j, c, chain.color(j))];
      }
      chain.draw(i, sweep, h);
    }
  });
}

namespace {

// The fields of a site are its own and what add(h, k) adds for the k-th entry of the neighbours.
template <class Add>
void sweep_list(const GibbsTables &tables, const GibbsChains &chains, const GibbsSweeps &sweeps, Add &&add) {
  const GibbsShape &s = tables.shape;
  for_each_chain(tables, chains, sweeps, [&](const Chain &chain, int64_t sweep) {
    for (int64_t i = 0; i < s.sites; ++i) {
      float h[kMaxColors];
      std::copy_n(tables.fields + i * s.row(), s.colors, h);
      for (int64_t k = tables.begins[i]; k < tables.begins[i + 1]; ++k) add(h, k, chain.color(tables.neighbors[k]));
      chain.draw(i, sweep, h);
    }
  });
}

}  // namespace

void gibbs_listed_scalar(const GibbsTables &tables, const GibbsChains &chains, const GibbsSweeps &sweeps, float *) {
  const int64_t q = tables.shape.colors;
  sweep_list(tables, chains, sweeps, [&](float *h, int64_t k, int64_t other) {
    for (int64_t c = 0; c < q; ++c) h[c] += tables.couplings[(k * q + c) * q + other];
  });
}

void gibbs_scaled_scalar(const GibbsTables &tables, const GibbsChains &chains, const GibbsSweeps &sweeps, float *) {
  const int64_t q = tables.shape.colors, row = tables.shape.value_row();
  sweep_list(tables, chains, sweeps, [&](float *h, int64_t k, int64_t other) {
    for (int64_t c = 0; c < q; ++c) h[c] = std::fma(tables.couplings[k], tables.values[c * row + other], h[c]);
  });
}

}  // namespace atp
