// SPDX-License-Identifier: MIT
// Gibbs kernels of a target against the definition in float64, draw by draw, and against the scalar reference: colours and followed
// energies bit for bit where the target has fused multiply-add.
#include "gibbs_world.hpp"
#include "support.h"

#include "kernel_main.hpp"

#include <cmath>
#include <cstring>
#include <initializer_list>
#include <vector>

using namespace atp;

namespace {

// The fraction of draws of one sweep, made with the numbers of sweep kFirstSweep, that are not those of sweep `numbers`. Sites go in
// ascending order: a site sees the new colours of those before it and the old ones of those after it. Followed energies are checked.
double wrong_draws(const Problem &p, int64_t groups, int64_t numbers) {
  World w(p, groups, true);
  const int64_t L = p.sites, q = p.colors;
  const std::vector<uint8_t> old(w.chains.colors, w.chains.colors + groups * L * kGibbsLanes);
  w.run(gibbs_kernels(tested_target()), kFirstSweep, 1);
  std::vector<double> h(static_cast<std::size_t>(q)), weights(h);
  int64_t wrong = 0;
  for (int64_t k = 0; k < groups * kGibbsLanes; ++k) {
    const int64_t start = k / kGibbsLanes * L * kGibbsLanes + k % kGibbsLanes;
    double energy = 0;
    for (int64_t i = 0; i < L; ++i) {
      const auto before = [&](int64_t j) { return old[static_cast<std::size_t>(start + j * kGibbsLanes)]; };
      const auto after = [&](int64_t j) { return w.chains.colors[start + j * kGibbsLanes]; };
      for (int64_t c = 0; c < q; ++c) {
        h[static_cast<std::size_t>(c)] = w.field(i, c, [&](int64_t j) { return j < i ? after(j) : before(j); });
        weights[static_cast<std::size_t>(c)] = std::exp2(static_cast<double>(w.chains.scaled_betas[k]) * h[static_cast<std::size_t>(c)]);
      }
      wrong += !is_drawn(weights, after(i), w.chains.first_chain + static_cast<uint64_t>(k), numbers, i);
      energy += h[before(i)] - h[after(i)];
    }
    assert_close(w.chains.energies[k], energy, 1e-5, 1e-3);
  }
  return static_cast<double>(wrong) / static_cast<double>(groups * kGibbsLanes * L);
}

// Fraction of colours, and with fused multiply-add of energies, that differ after some sweeps.
double difference(const Problem &p, int64_t groups, bool energies) {
  World scalar(p, groups, energies), vector(p, groups, energies);
  scalar.run(gibbs_scalar_kernels, kFirstSweep, 3);
  vector.run(gibbs_kernels(tested_target()), kFirstSweep, 2);
  vector.run(gibbs_kernels(tested_target()), kFirstSweep + 2, 1);
  int64_t n = groups * p.sites * kGibbsLanes, unequal = 0;
  for (int64_t k = 0; k < n; ++k) unequal += scalar.chains.colors[k] != vector.chains.colors[k];
  if (energies && has_fma(tested_target()))
    for (int64_t k = 0; k < groups * kGibbsLanes; ++k, ++n) unequal += scalar.chains.energies[k] != vector.chains.energies[k];
  return static_cast<double>(unequal) / static_cast<double>(n);
}

void check(const Problem &p, int64_t groups, bool energies) {
  const double d = difference(p, groups, energies);
  // Without fused multiply-add a rare draw differs, and what follows it in its chain; the definition has seen its energies.
  if (has_fma(tested_target()) ? d != 0 : d > 0.05) {
    print_error("method %d, L = %d, q = %d, heads = %d, fields = %d: a fraction of %g differs\n", static_cast<int>(p.method),
                static_cast<int>(p.sites), static_cast<int>(p.colors), static_cast<int>(p.heads), p.fields, d);
    fail_msg("a kernel differs from its reference");
  }
}

int64_t heads_of(GibbsMethod method) { return method == GibbsMethod::cached || method == GibbsMethod::blocked ? 1 : 0; }

void sizes_of(GibbsMethod method) {
  const int64_t heads = heads_of(method);
  for (int64_t sites = 2; sites <= 40; sites += sites < 20 ? 1 : 5)
    for (int64_t colors : {3, 20}) check({method, sites, colors, heads, sites % 2 == 0}, 1, false);
  for (int64_t colors = 2; colors <= 70; colors += colors < 34 ? 1 : 5)
    check({method, 3 + colors % 7, colors, heads, colors % 2 == 0}, 1, false);
  for (int64_t colors : {47, 48, 65, 128, 255}) check({method, 6, colors, heads, true}, 1, true);
  check({method, 37, 21, heads, true}, 6, true);
}

// Methods, colours around register tiles, one and several heads, several groups.
void definition(void **) {
  const Problem problems[] = {
      {GibbsMethod::cached, 2, 2, 1, true},    {GibbsMethod::cached, 7, 20, 1, false},  {GibbsMethod::cached, 20, 5, 3, true},
      {GibbsMethod::cached, 21, 33, 1, true},  {GibbsMethod::cached, 6, 255, 1, true},  {GibbsMethod::blocked, 16, 3, 1, true},
      {GibbsMethod::blocked, 37, 21, 1, true}, {GibbsMethod::blocked, 33, 7, 2, false}, {GibbsMethod::blocked, 6, 255, 1, true},
      {GibbsMethod::blocked, 18, 48, 1, true}, {GibbsMethod::dense, 2, 2, 0, true},     {GibbsMethod::dense, 9, 20, 0, true},
      {GibbsMethod::dense, 40, 6, 0, false},   {GibbsMethod::dense, 300, 5, 0, true},   {GibbsMethod::dense, 6, 33, 0, true},
      {GibbsMethod::dense, 5, 255, 0, true},   {GibbsMethod::listed, 2, 2, 0, true},    {GibbsMethod::listed, 40, 5, 0, false},
      {GibbsMethod::listed, 21, 21, 0, true},  {GibbsMethod::listed, 9, 48, 0, true},   {GibbsMethod::listed, 6, 255, 0, true},
      {GibbsMethod::scaled, 2, 2, 0, true},    {GibbsMethod::scaled, 40, 5, 0, false},  {GibbsMethod::scaled, 21, 21, 0, true},
      {GibbsMethod::scaled, 9, 48, 0, true},   {GibbsMethod::scaled, 6, 255, 0, true},
  };
  for (const Problem &p : problems) {
    const double wrong = wrong_draws(p, 2, kFirstSweep);
    if (wrong > 0) {
      print_error("method %d, L = %d, q = %d, heads = %d, fields = %d: a fraction of %g of the draws is wrong\n",
                  static_cast<int>(p.method), static_cast<int>(p.sites), static_cast<int>(p.colors), static_cast<int>(p.heads), p.fields,
                  wrong);
      fail_msg("a kernel draws other colours than the definition");
    }
    // The numbers of the next sweep would have drawn others: two of q equally likely colours differ with probability 1 - 1 / q.
    assert_true(wrong_draws(p, 2, kFirstSweep + 1) > 0.2);
  }
}

void cached_sizes(void **) { sizes_of(GibbsMethod::cached); }
void blocked_sizes(void **) { sizes_of(GibbsMethod::blocked); }
void dense_sizes(void **) {
  sizes_of(GibbsMethod::dense);
  check({GibbsMethod::dense, 300, 5, 0, true}, 5, false);
}
void listed_sizes(void **) { sizes_of(GibbsMethod::listed); }
void scaled_sizes(void **) { sizes_of(GibbsMethod::scaled); }

// The sums of a list are those of a dense model that has zeros for the other pairs, and products by -1, 0 and 1 are exact.
void same_bits_as_dense(void **) {
  for (const int64_t colors : {2, 3, 5, 17, 40})
    for (const bool scaled : {false, true}) {
      World list({scaled ? GibbsMethod::scaled : GibbsMethod::listed, 33, colors, 0, true}, 3, true);
      World dense({GibbsMethod::dense, 33, colors, 0, true}, 3, true);
      const GibbsShape &s = dense.tables.shape;
      float *couplings = const_cast<float *>(dense.tables.couplings);
      std::fill_n(couplings, s.coupling_floats(), 0.0f);
      for (int64_t i = 0; i < s.sites; ++i)
        for (int64_t k = list.tables.begins[i]; k < list.tables.begins[i + 1]; ++k)
          for (int64_t a = 0; a < colors; ++a)
            for (int64_t b = 0; b < colors; ++b)
              couplings[s.coupling_index(i, list.tables.neighbors[k], a, b)] =
                  scaled ? list.tables.couplings[k] * list.tables.values[a * s.value_row() + b]
                         : list.tables.couplings[(k * colors + a) * colors + b];
      for (World *w : {&list, &dense}) w->run(gibbs_kernels(tested_target()), 0, 3);
      const auto bytes = static_cast<std::size_t>(3 * s.sites * kGibbsLanes);
      assert_memory_equal(list.chains.colors, dense.chains.colors, bytes);
      for (int64_t k = 0; k < 3 * kGibbsLanes; ++k) assert_true(list.chains.energies[k] == dense.chains.energies[k]);
      list.run(gibbs_kernels(tested_target()), 4, 1);
      dense.run(gibbs_kernels(tested_target()), 3, 1);
      assert_true(std::memcmp(list.chains.colors, dense.chains.colors, bytes) != 0);
    }
}

void several_heads(void **) {
  for (GibbsMethod method : {GibbsMethod::cached, GibbsMethod::blocked})
    for (int64_t heads : {2, 3, 5}) {
      check({method, 21, 7, heads, true}, 2, true);
      check({method, 18, 12, heads, false}, 1, false);
    }
}

// The comparison sees a wrong draw: other sweeps give other colours.
void planted_fault(void **) {
  for (GibbsMethod method : {GibbsMethod::cached, GibbsMethod::blocked, GibbsMethod::dense, GibbsMethod::listed, GibbsMethod::scaled}) {
    const Problem p{method, 20, 20, heads_of(method), false};
    World a(p, 1, false), b(p, 1, false);
    a.run(gibbs_scalar_kernels, 1, 1);
    b.run(gibbs_kernels(tested_target()), 2, 1);
    assert_true(std::memcmp(a.chains.colors, b.chains.colors, static_cast<std::size_t>(p.sites * kGibbsLanes)) != 0);
  }
}

void target_has_kernels_of_its_own(void **) {
  assert_true(gibbs_kernels(tested_target()).cached != gibbs_scalar_kernels.cached);
  assert_true(gibbs_kernels(tested_target()).blocked != gibbs_scalar_kernels.blocked);
  assert_true(gibbs_kernels(tested_target()).dense != gibbs_scalar_kernels.dense);
  assert_true(gibbs_kernels(tested_target()).listed != gibbs_scalar_kernels.listed);
  assert_true(gibbs_kernels(tested_target()).scaled != gibbs_scalar_kernels.scaled);
}

}  // namespace

int main() {
  tested_target();
  const CMUnitTest definitions[] = {cmocka_unit_test(definition), cmocka_unit_test(planted_fault)};
  const CMUnitTest against_scalar[] = {cmocka_unit_test(cached_sizes),  cmocka_unit_test(blocked_sizes),
                                       cmocka_unit_test(dense_sizes),   cmocka_unit_test(listed_sizes),
                                       cmocka_unit_test(scaled_sizes),  cmocka_unit_test(same_bits_as_dense),
                                       cmocka_unit_test(several_heads), cmocka_unit_test(target_has_kernels_of_its_own)};
  return run_kernel_tests(definitions, against_scalar);
}
