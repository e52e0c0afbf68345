// SPDX-License-Identifier: MIT
// Gibbs kernels within limits, that is allowed colours, a colour that stays and a greatest distance from a reference: draw by draw against
// the definition in float64, and against the scalar reference bit for bit where the target has fused multiply-add.
#include "gibbs_world.hpp"
#include "support.h"

#include "kernel_main.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

using namespace atp;

namespace {

enum Kind { kMask = 0, kKept = 1, kNear = 2, kAll = 3 };

// Random limits: every fifth site has one colour, the next all of them, others about half.
struct LimitedWorld : World {
  LimitedWorld(const Problem &p, int64_t groups, Kind what)
      : World(p, groups, true),
        lists(static_cast<std::size_t>(p.sites * p.colors)),
        counts(static_cast<std::size_t>(p.sites)),
        opens(counts),
        references(static_cast<std::size_t>(groups * p.sites * kGibbsLanes)),
        distances(static_cast<std::size_t>(groups * kGibbsLanes)) {
    limits.kept = what == kKept || what == kAll ? 0 : -1;
    limits.most = what == kNear || what == kAll ? 2 : -1;
    const RandomView random(5, Stream::model, 0, 0);
    int64_t four = -1;
    for (int64_t i = 0; i < p.sites; ++i) {
      uint8_t *list = lists.data() + i * p.colors, &count = counts[static_cast<std::size_t>(i)];
      for (int64_t c = limits.kept + 1; c < p.colors; ++c)
        if (i % 5 == 1 || random.below(static_cast<uint64_t>(i * 256 + c), 2) == 0) list[count++] = static_cast<uint8_t>(c);
      if (count == 0) list[count++] = static_cast<uint8_t>(p.colors - 1);
      if (i % 5 == 0) count = 1;
      opens[static_cast<std::size_t>(i)] = count > 1 && four != i / 4;
      if (count > 1) four = i / 4;
    }
    for (int64_t k = 0; k < groups * kGibbsLanes; ++k) start(k, random);
    limits.allowed = lists.data();
    limits.counts = counts.data();
    limits.opens = opens.data();
    tables.limits = &limits;
    chains.references = references.data();
    chains.distances = distances.data();
  }
  int64_t place(int64_t k, int64_t i) const { return (k / kGibbsLanes * tables.shape.sites + i) * kGibbsLanes + k % kGibbsLanes; }
  // A reference within the limits, and a state that differs from it at up to `most` sites.
  void start(int64_t k, const RandomView &random) {
    int64_t changes = limits.most < 0 ? tables.shape.sites : k % (limits.most + 1);
    for (int64_t i = 0; i < tables.shape.sites; ++i) {
      const uint8_t *list = lists.data() + i * tables.shape.colors;
      const uint64_t number = 65536 + static_cast<uint64_t>(k * 1024 + i * 3);
      const auto any = [&](uint64_t n) { return list[random.below(number + n, counts[static_cast<std::size_t>(i)])]; };
      uint8_t &color = chains.colors[place(k, i)], &reference = references[static_cast<std::size_t>(place(k, i))];
      color = reference = limits.kept >= 0 && counts[static_cast<std::size_t>(i)] > 1 && random.below(number + 2, 4) == 0
                              ? static_cast<uint8_t>(limits.kept)
                              : any(0);
      if (changes > 0 && color != limits.kept) color = any(1);
      if (color != reference && limits.most >= 0) ++distances[static_cast<std::size_t>(k)], --changes;
    }
  }
  // The model would almost always draw a colour that is not allowed.
  void favour_forbidden_colors() {
    float *fields = const_cast<float *>(tables.fields);
    for (int64_t i = 0; i < tables.shape.sites; ++i) {
      const uint8_t *list = lists.data() + i * tables.shape.colors, *end = list + counts[static_cast<std::size_t>(i)];
      for (int64_t c = 0; c < tables.shape.colors; ++c)
        if (std::find(list, end, static_cast<uint8_t>(c)) == end) fields[tables.shape.field_index(i, c)] += 1e4f;
    }
  }
  int64_t distance(int64_t k) const {
    int64_t n = 0;
    for (int64_t i = 0; i < tables.shape.sites; ++i) n += chains.colors[place(k, i)] != references[static_cast<std::size_t>(place(k, i))];
    return n;
  }

  GibbsLimits limits;
  std::vector<uint8_t> lists, counts, opens, references;
  std::vector<int32_t> distances;
};

// Draws of one sweep, made with the numbers of sweep kFirstSweep, that are not those of the definition with the numbers of `numbers`.
struct Seen {
  int64_t draws = 0, wrong = 0, bound = 0;  // bound: sites that the distance holds at their reference
};
Seen compare(const Problem &p, Kind what, int64_t numbers, bool favoured = false) {
  constexpr int64_t kGroups = 2;
  LimitedWorld w(p, kGroups, what);
  if (favoured) w.favour_forbidden_colors();
  const int64_t L = p.sites;
  const std::vector<uint8_t> old(w.chains.colors, w.chains.colors + kGroups * L * kGibbsLanes);
  w.run(gibbs_kernels(tested_target()), kFirstSweep, 1);
  Seen seen;
  for (int64_t k = 0; k < kGroups * kGibbsLanes; ++k) {
    double energy = 0;
    for (int64_t i = 0; i < L; ++i) {
      const auto before = [&](int64_t j) { return old[static_cast<std::size_t>(w.place(k, j))]; };
      const auto after = [&](int64_t j) { return w.chains.colors[w.place(k, j)]; };
      const auto color = [&](int64_t j) { return j < i ? after(j) : before(j); };
      std::vector<double> h(static_cast<std::size_t>(p.colors)), weights(h);
      for (int64_t c = 0; c < p.colors; ++c) h[static_cast<std::size_t>(c)] = w.field(i, c, color);
      bool allowed = false;
      for (int64_t n = 0; n < w.counts[static_cast<std::size_t>(i)]; ++n) {
        const uint8_t c = w.lists[static_cast<std::size_t>(i * p.colors + n)];
        weights[c] = std::exp2(static_cast<double>(w.chains.scaled_betas[k]) * h[c]);
        allowed = allowed || c == after(i);
      }
      int64_t others = 0;
      for (int64_t j = 0; j < L; ++j) others += j != i && color(j) != w.references[static_cast<std::size_t>(w.place(k, j))];
      const bool bound = w.limits.most >= 0 && others == w.limits.most;
      const bool stays = w.counts[static_cast<std::size_t>(i)] == 1 || before(i) == w.limits.kept || bound;
      if (stays)
        assert_int_equal(after(i), before(i));
      else
        assert_true(allowed);
      if (bound) assert_int_equal(after(i), w.references[static_cast<std::size_t>(w.place(k, i))]);
      seen.bound += bound;
      seen.draws += !stays;
      seen.wrong += !stays && !is_drawn(weights, after(i), w.chains.first_chain + static_cast<uint64_t>(k), numbers, i);
      energy += h[before(i)] - h[after(i)];
    }
    if (w.limits.most >= 0) {
      assert_int_equal(w.distances[static_cast<std::size_t>(k)], w.distance(k));
      assert_true(w.distance(k) <= w.limits.most);
    }
    assert_close(w.chains.energies[k], energy, 1e-5, 1e-3);
  }
  return seen;
}

const Problem kProblems[] = {
    {GibbsMethod::cached, 7, 20, 1, false},  {GibbsMethod::cached, 20, 5, 3, true},   {GibbsMethod::cached, 21, 33, 1, true},
    {GibbsMethod::blocked, 37, 21, 1, true}, {GibbsMethod::blocked, 33, 7, 2, false}, {GibbsMethod::blocked, 18, 48, 1, true},
    {GibbsMethod::dense, 9, 20, 0, true},    {GibbsMethod::dense, 40, 6, 0, false},   {GibbsMethod::dense, 6, 33, 0, true},
    {GibbsMethod::dense, 5, 255, 0, true},   {GibbsMethod::listed, 40, 6, 0, false},  {GibbsMethod::listed, 9, 20, 0, true},
    {GibbsMethod::scaled, 37, 5, 0, true},   {GibbsMethod::scaled, 6, 33, 0, false},
};

void definition(void **) {
  for (const Problem &p : kProblems)
    for (const Kind what : {kMask, kKept, kNear, kAll}) {
      const Seen right = compare(p, what, kFirstSweep);
      assert_true(right.draws > 0);
      assert_true(right.wrong == 0);
      assert_true((right.bound > 0) == (what == kNear || what == kAll));
      // The numbers of the next sweep would have drawn others.
      assert_true(static_cast<double>(compare(p, what, kFirstSweep + 1).wrong) > 0.1 * static_cast<double>(right.draws));
    }
}

// Forbidden colours that the model would almost always draw, and chains that see nothing else from sweep to sweep.
void strong_forbidden_colors(void **) {
  for (const Problem &p : kProblems) {
    assert_true(compare(p, kMask, kFirstSweep, true).wrong == 0);
    LimitedWorld w(p, 1, kMask);
    w.favour_forbidden_colors();
    w.run(gibbs_kernels(tested_target()), 0, 50);
    int64_t colors = 0;
    for (int64_t i = 0; i < p.sites; ++i) {
      std::vector<bool> seen(static_cast<std::size_t>(p.colors));
      for (int64_t k = 0; k < kGibbsLanes; ++k) seen[w.chains.colors[w.place(k, i)]] = true;
      for (int64_t n = 0; n < w.counts[static_cast<std::size_t>(i)]; ++n) {
        colors += seen[w.lists[static_cast<std::size_t>(i * p.colors + n)]];
        seen[w.lists[static_cast<std::size_t>(i * p.colors + n)]] = false;
      }
      for (const bool forbidden : seen) assert_false(forbidden);
    }
    assert_true(colors > p.sites);  // the allowed ones are drawn, not just the highest
  }
}

void equal_bits(void **) {
  for (const Problem &p : kProblems)
    for (const Kind what : {kMask, kKept, kNear, kAll}) {
      LimitedWorld scalar(p, 2, what), vector(p, 2, what);
      scalar.run(gibbs_scalar_kernels, kFirstSweep, 3);
      vector.run(gibbs_kernels(tested_target()), kFirstSweep, 2);
      vector.run(gibbs_kernels(tested_target()), kFirstSweep + 2, 1);
      const int64_t n = 2 * p.sites * kGibbsLanes;
      int64_t unequal = 0;
      for (int64_t k = 0; k < n; ++k) unequal += scalar.chains.colors[k] != vector.chains.colors[k];
      if (!has_fma(tested_target())) {  // a rare draw differs, and what follows it in its chain
        assert_true(static_cast<double>(unequal) < 0.05 * static_cast<double>(n));
        continue;
      }
      assert_true(unequal == 0);
      assert_memory_equal(scalar.chains.energies, vector.chains.energies, 2 * kGibbsLanes * sizeof(double));
      assert_true(scalar.distances == vector.distances);
    }
}

// With limits that allow everything a chain is that without limits.
void no_limit(void **) {
  for (const Problem &p : kProblems) {
    World plain(p, 1, true), limited(p, 1, true);
    const auto L = static_cast<std::size_t>(p.sites);
    std::vector<uint8_t> lists, counts(L, static_cast<uint8_t>(p.colors)), opens(L);
    for (std::size_t i = 0; i < L; ++i) {
      opens[i] = i % 4 == 0;
      for (int64_t c = 0; c < p.colors; ++c) lists.push_back(static_cast<uint8_t>(c));
    }
    GibbsLimits limits;
    limits.allowed = lists.data();
    limits.counts = counts.data();
    limits.opens = opens.data();
    limited.tables.limits = &limits;
    plain.run(gibbs_kernels(tested_target()), 0, 3);
    limited.run(gibbs_kernels(tested_target()), 0, 3);
    assert_memory_equal(plain.chains.colors, limited.chains.colors, L * kGibbsLanes);
    assert_memory_equal(plain.chains.energies, limited.chains.energies, kGibbsLanes * sizeof(double));
  }
}

}  // namespace

int main() {
  tested_target();
  const CMUnitTest definitions[] = {cmocka_unit_test(definition), cmocka_unit_test(strong_forbidden_colors)};
  const CMUnitTest against_scalar[] = {cmocka_unit_test(equal_bits), cmocka_unit_test(no_limit)};
  return run_kernel_tests(definitions, against_scalar);
}
