// SPDX-License-Identifier: MIT
// Neighbours of sequences: every target against counts of equal bytes, all tile borders, all numbers of allowed differences.
#include "simd/identity.hpp"
#include "simd_target.hpp"

#include <array>
#include <random>
#include <vector>

#include "support.h"  // last: cmocka has a macro fail()

using namespace atp;

namespace {

// Sequences of a family: copies of one with changes at a rate of their own, so that all distances occur.
std::vector<uint8_t> family(int64_t n, int64_t sites, int colors, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> s(static_cast<std::size_t>(n * sites));
  for (int64_t k = 0; k < n; ++k) {
    const unsigned rate = random() % 101;
    for (int64_t i = 0; i < sites; ++i)
      s[static_cast<std::size_t>(k * sites + i)] =
          static_cast<uint8_t>(k > 0 && random() % 100 >= rate ? s[static_cast<std::size_t>(i)] : random() % static_cast<unsigned>(colors));
  }
  return s;
}

void check(int64_t n, int64_t sites, int colors, int64_t first, int64_t split, unsigned seed) {
  const std::vector<uint8_t> s = family(n, sites, colors, seed);
  const int64_t pieces = (sites + kIdentityPiece - 1) / kIdentityPiece;
  std::vector<uint8_t> packed(static_cast<std::size_t>(n * pieces * kIdentityPiece), 0);
  for (int64_t k = 0; k < n; ++k)
    for (int64_t i = 0; i < sites; ++i)
      packed[static_cast<std::size_t>((i / kIdentityPiece * n + k) * kIdentityPiece + i % kIdentityPiece)] =
          s[static_cast<std::size_t>(k * sites + i)];
  const IdentityKernels &kernels = identity_kernels(tested_target());
  int64_t pairs = 0;
  for (int64_t allowed = 0; allowed <= sites; allowed += 1 + sites / 12) {
    std::vector<int32_t> expected(static_cast<std::size_t>(n), 7), found = expected, scalar = expected;
    for (int64_t a = first; a < n; ++a)
      for (int64_t b = a + 1; b < n; ++b) {
        int64_t different = 0;
        for (int64_t i = 0; i < sites; ++i)
          different += s[static_cast<std::size_t>(a * sites + i)] != s[static_cast<std::size_t>(b * sites + i)];
        if (different > allowed) continue;
        ++expected[static_cast<std::size_t>(a)];
        ++expected[static_cast<std::size_t>(b)];
        ++pairs;
      }
    const int32_t most = static_cast<int32_t>(allowed);
    const IdentityLimits limits = {&most, nullptr, 1, 0};
    const auto run = [&](const IdentityKernels &k, int32_t *out) {  // two tiles, and the pairs between them
      k.count({packed.data(), n, pieces, first, split, first, split}, limits, out);
      k.count({packed.data(), n, pieces, first, split, split, n}, limits, out);
      k.count({packed.data(), n, pieces, split, n, split, n}, limits, out);
    };
    run(kernels, found.data());
    run(identity_scalar_kernels, scalar.data());
    assert_memory_equal(found.data(), expected.data(), expected.size() * 4);
    assert_memory_equal(scalar.data(), expected.data(), expected.size() * 4);
  }
  if (n > 4 && n > first + 1) assert_true(pairs > 0);
}

// The rule of columns where both have a residue: colour 0 is a gap.
void check_residues(int64_t n, int64_t sites, int colors, int64_t first, int64_t split, double theta, unsigned seed) {
  const std::vector<uint8_t> s = family(n, sites, colors, seed);
  const int64_t pieces = (sites + kIdentityPiece - 1) / kIdentityPiece;
  std::vector<uint8_t> packed(static_cast<std::size_t>(n * pieces * kIdentityPiece), 0);
  std::vector<int32_t> residues(static_cast<std::size_t>(n), 0), allowed(static_cast<std::size_t>(pieces * kIdentityPiece + 1), -1);
  for (std::size_t c = 1; c < allowed.size(); ++c) allowed[c] = static_cast<int32_t>(theta * static_cast<double>(c) + 1e-9);
  for (int64_t k = 0; k < n; ++k)
    for (int64_t i = 0; i < sites; ++i) {
      const uint8_t color = s[static_cast<std::size_t>(k * sites + i)];
      packed[static_cast<std::size_t>((i / kIdentityPiece * n + k) * kIdentityPiece + i % kIdentityPiece)] = color;
      residues[static_cast<std::size_t>(k)] += color != 0;
    }
  std::vector<int32_t> expected(static_cast<std::size_t>(n), 3), found = expected, scalar = expected;
  for (int64_t a = first; a < n; ++a)
    for (int64_t b = a + 1; b < n; ++b) {
      std::size_t shared = 0;
      int32_t different = 0;
      for (int64_t i = 0; i < sites; ++i) {
        const uint8_t x = s[static_cast<std::size_t>(a * sites + i)], y = s[static_cast<std::size_t>(b * sites + i)];
        if (x == 0 || y == 0) continue;
        ++shared;
        different += x != y;
      }
      if (different > allowed[shared]) continue;
      ++expected[static_cast<std::size_t>(a)];
      ++expected[static_cast<std::size_t>(b)];
    }
  const IdentityLimits limits = {allowed.data(), nullptr, 1, pieces * kIdentityPiece};
  const auto run = [&](const IdentityKernels &k, int32_t *out) {
    for (const auto &[n_end, m_first, m_end] : {std::array{split, first, split}, std::array{split, split, n}})
      k.count_residues({packed.data(), n, pieces, first, n_end, m_first, m_end}, limits, residues.data(), out);
    k.count_residues({packed.data(), n, pieces, split, n, split, n}, limits, residues.data(), out);
  };
  run(identity_kernels(tested_target()), found.data());
  run(identity_scalar_kernels, scalar.data());
  assert_memory_equal(found.data(), expected.data(), expected.size() * 4);
  assert_memory_equal(scalar.data(), expected.data(), expected.size() * 4);
}

// Several levels at once: their counts, added up, are those of each level alone.
void check_levels(int64_t n, int64_t sites, bool residues_only, unsigned seed) {
  const std::vector<uint8_t> s = family(n, sites, 4, seed);
  const int64_t pieces = (sites + kIdentityPiece - 1) / kIdentityPiece, row = sites + 1;
  std::vector<uint8_t> packed(static_cast<std::size_t>(n * pieces * kIdentityPiece), 0);
  std::vector<int32_t> residues(static_cast<std::size_t>(n), 0);
  for (int64_t k = 0; k < n; ++k)
    for (int64_t i = 0; i < sites; ++i) {
      const uint8_t color = s[static_cast<std::size_t>(k * sites + i)];
      packed[static_cast<std::size_t>((i / kIdentityPiece * n + k) * kIdentityPiece + i % kIdentityPiece)] = color;
      residues[static_cast<std::size_t>(k)] += color != 0;
    }
  const double thetas[] = {0, 0.1, 0.1, 0.3, 0.55, 0.9};
  constexpr int64_t kLevels = 6;
  std::vector<int32_t> allowed, level_of;
  for (double theta : thetas)
    for (int64_t c = 0; c < row; ++c) allowed.push_back(c == 0 ? -1 : static_cast<int32_t>(theta * static_cast<double>(c) + 1e-9));
  for (int64_t d = 0; d < row; ++d) {
    int32_t level = 0;
    while (level + 1 < kLevels && d > allowed[static_cast<std::size_t>((level + 1) * row - 1)]) ++level;
    level_of.push_back(level);
  }
  const IdentityBlock block = {packed.data(), n, pieces, 0, n, 0, n};
  const auto count = [&](const IdentityKernels &k, const IdentityLimits &limits, int32_t *out) {
    if (residues_only)
      k.count_residues(block, limits, residues.data(), out);
    else
      k.count(block, limits, out);
  };
  std::vector<int32_t> found(static_cast<std::size_t>(n * kLevels), 0), scalar = found, sums(static_cast<std::size_t>(n), 0);
  count(identity_kernels(tested_target()), {allowed.data(), level_of.data(), kLevels, sites}, found.data());
  count(identity_scalar_kernels, {allowed.data(), level_of.data(), kLevels, sites}, scalar.data());
  assert_memory_equal(found.data(), scalar.data(), found.size() * 4);
  for (int64_t l = 0; l < kLevels; ++l) {
    std::vector<int32_t> alone(static_cast<std::size_t>(n), 0);
    count(identity_scalar_kernels, {allowed.data() + l * row, nullptr, 1, sites}, alone.data());
    for (int64_t k = 0; k < n; ++k) sums[static_cast<std::size_t>(k)] += found[static_cast<std::size_t>(k * kLevels + l)];
    assert_memory_equal(sums.data(), alone.data(), alone.size() * 4);
  }
}

void levels(void **) {
  for (bool residues_only : {false, true})
    for (int64_t sites : {5, 64, 130, 193}) check_levels(41, sites, residues_only, static_cast<unsigned>(sites));
}

void residues(void **) {
  for (double theta : {0.0, 0.2, 0.45, 1.0}) {
    for (int64_t sites : {2, 5, 63, 64, 65, 130, 193}) check_residues(21, sites, 4, 1, 9, theta, static_cast<unsigned>(sites));
    check_residues(60, 40, 255, 0, 31, theta, 2);
    check_residues(30, 90, 2, 0, 15, theta, 4);  // half gaps
  }
}

void lengths(void **) {
  for (int64_t sites = 2; sites <= 3 * kIdentityPiece + 1; sites += sites < 8 ? 1 : 13)
    check(9, sites, 21, 0, 4, static_cast<unsigned>(sites));
  for (int64_t sites : {kIdentityPiece - 1, kIdentityPiece, kIdentityPiece + 1, 2 * kIdentityPiece}) check(13, sites, 3, 0, 8, 5);
}
void tiles(void **) {
  for (int64_t n = 1; n <= 26; ++n)
    for (int64_t first = 0; first < 3 && first < n; ++first)
      for (int64_t split : {first, first + 1, n / 2, n - 1, n})
        if (split >= first && split <= n) check(n, 70, 5, first, split, static_cast<unsigned>(n));
}
void many(void **) { check(300, 200, 21, 1, 129, 3); }
void all_colors(void **) { check(40, 130, 255, 0, 17, 9); }

}  // namespace

int main() {
  tested_target();
  const CMUnitTest tests[] = {cmocka_unit_test(lengths),    cmocka_unit_test(tiles),    cmocka_unit_test(many),
                              cmocka_unit_test(all_colors), cmocka_unit_test(residues), cmocka_unit_test(levels)};
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
