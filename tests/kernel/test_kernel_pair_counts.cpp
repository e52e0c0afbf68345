// SPDX-License-Identifier: MIT
// Pairs of colours: every target against counts from the sequences themselves.
#include "simd/pair_counts.hpp"
#include "simd_target.hpp"

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "support.h"  // last: cmocka has a macro fail()

using namespace atp;

namespace {

constexpr int64_t kThreads = 2;

// A counter in memory of its own.
class Owned {
 public:
  explicit Owned(const PairCountShape &shape, PairCountMethod method = PairCountMethod::sites) : counter(shape, kThreads, method) {
    const std::size_t bytes = bytes_laid_out(counter);
    memory_.reset(new (std::align_val_t{kAlignment}) char[bytes]());  // zeroed, as blocks of the allocator are
    Arena arena(memory_.get(), bytes);
    counter.lay_out(arena);
  }
  PairCounter counter;

 private:
  struct Free {
    void operator()(char *p) const { ::operator delete[](p, std::align_val_t{kAlignment}); }
  };
  std::unique_ptr<char[], Free> memory_;
};

// Columns differ: site i takes about 1 + i % q of the colours, and the first is the most frequent.
std::vector<uint8_t> sequences_of(const PairCountShape &shape, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> s(static_cast<std::size_t>(shape.sequences * shape.sites));
  for (std::size_t k = 0; k < s.size(); ++k) {
    const unsigned used = 1 + static_cast<unsigned>(k % static_cast<std::size_t>(shape.sites)) % static_cast<unsigned>(shape.colors);
    const unsigned color = std::min(random() % used, random() % used);
    s[k] = static_cast<uint8_t>((color + k % 3) % static_cast<unsigned>(shape.colors));
  }
  return s;
}

std::vector<uint32_t> expected_counts(const PairCountShape &shape, const std::vector<uint8_t> &s, int64_t i) {
  std::vector<uint32_t> counts;
  for (int64_t j = i + 1; j < shape.sites; ++j)
    for (int a = 0; a < shape.colors; ++a)
      for (int b = 0; b < shape.colors; ++b) counts.push_back(0);
  const int64_t q = shape.colors;
  for (int64_t n = 0; n < shape.sequences; ++n)
    for (int64_t j = i + 1; j < shape.sites; ++j) {
      const uint8_t a = s[static_cast<std::size_t>(n * shape.sites + i)], b = s[static_cast<std::size_t>(n * shape.sites + j)];
      ++counts[static_cast<std::size_t>(((j - i - 1) * q + a) * q + b)];
    }
  return counts;
}

// The counts of site i, between numbers that must stay.
std::vector<uint32_t> counted(const PairCounter &counter, Target target, int64_t i) {
  constexpr std::size_t kAround = 40;
  const std::size_t size = static_cast<std::size_t>(counter.count_size(i));
  std::vector<uint32_t> out(size + 2 * kAround, 77);
  counter.count_site(target, i, i % kThreads, out.data() + kAround);
  for (std::size_t k = 0; k < kAround; ++k) {
    assert_int_equal(out[k], 77);
    assert_int_equal(out[size + kAround + k], 77);
  }
  return {out.begin() + kAround, out.end() - kAround};
}

void check(const PairCountShape &shape, unsigned seed, const std::vector<uint8_t> &s) {
  Owned owned(shape);
  // In parts, and over other sequences, which must leave nothing behind.
  const std::vector<uint8_t> other = sequences_of(shape, seed + 1);
  owned.counter.set_sequences(0, shape.sequences, other.data());
  const int64_t half = shape.sequences / 2;
  owned.counter.set_sequences(0, half, s.data());
  owned.counter.set_sequences(half, shape.sequences - half, s.data() + half * shape.sites);
  for (int64_t i = 0; i < shape.sites; ++i) {
    const std::vector<uint32_t> expected = expected_counts(shape, s, i);
    assert_int_equal(owned.counter.count_size(i), expected.size());
    assert_true(counted(owned.counter, tested_target(), i) == expected);
    assert_true(counted(owned.counter, Target::scalar, i) == expected);
  }
}

void check(int64_t sequences, int64_t sites, int colors, unsigned seed) {
  const PairCountShape shape{sequences, sites, colors};
  check(shape, seed, sequences_of(shape, seed));
}

void colors(void **) {
  for (int q : {2, 3, 4, 5, 7, 8, 9, 16, 17, 21, 24, 25, 31, 32, 33, 40, 64, 65, 254, 255}) check(301, 7, q, static_cast<unsigned>(q));
}

void sites(void **) {
  for (int64_t l : {1, 2, 3, 15, 16, 17, 33, 63, 64, 65, 66, 127, 128, 129, 195}) check(67, l, 5, static_cast<unsigned>(l));
}

// All numbers of sequences of one colour up to three blocks of sixteen, and around the largest number of a byte.
void sequences(void **) {
  for (int64_t m = 1; m <= 49; ++m) check(m, 4, 2, static_cast<unsigned>(m));
  for (int64_t m : {239, 240, 241, 254, 255, 256, 257, 479, 480, 481, 511, 512, 513, 1000}) check(m, 3, 3, static_cast<unsigned>(m));
}

// Nothing overflows where all sequences are the same.
void conserved(void **) {
  for (int64_t m : {240, 255, 256, 4096, 70001}) {
    const PairCountShape shape{m, 3, 21};
    check(shape, 5, std::vector<uint8_t>(static_cast<std::size_t>(3 * m), 20));
  }
}

// One changed colour moves one sequence between two counts of every pair with that site, and changes no other: the comparisons above can
// fail.
void change(void **) {
  const PairCountShape shape{500, 70, 21};
  const int64_t site = 68, sequence = 499;
  std::vector<uint8_t> s = sequences_of(shape, 8);
  Owned owned(shape);
  owned.counter.set_sequences(0, shape.sequences, s.data());
  std::vector<std::vector<uint32_t>> before;
  for (int64_t i = 0; i < shape.sites; ++i) before.push_back(counted(owned.counter, tested_target(), i));
  uint8_t &color = s[static_cast<std::size_t>(sequence * shape.sites + site)];
  color = static_cast<uint8_t>((color + 1) % shape.colors);
  owned.counter.set_sequences(sequence, 1, s.data() + sequence * shape.sites);
  for (int64_t i = 0; i < shape.sites; ++i) {
    const std::vector<uint32_t> after = counted(owned.counter, tested_target(), i);
    int64_t different = 0;
    for (std::size_t k = 0; k < after.size(); ++k) different += after[k] != before[static_cast<std::size_t>(i)][k];
    assert_int_equal(different, i < site ? 2 : i == site ? 2 * (shape.sites - 1 - site) : 0);
  }
}

void groups(void **) {
  for (int64_t m : {1, 15, 16, 33}) {
    const PairCountShape shape{m, 67, 21};
    const std::vector<uint8_t> s = sequences_of(shape, 3);
    Owned rows(shape), grouped(shape);
    rows.counter.set_sequences(0, m, s.data());
    for (int64_t g = 0; 16 * g < m; ++g) {
      std::vector<uint8_t> colors(static_cast<std::size_t>(16 * shape.sites), 200);  // chains past the end: not read
      for (int64_t n = 16 * g; n < std::min(m, 16 * g + 16); ++n)
        for (int64_t i = 0; i < shape.sites; ++i)
          colors[static_cast<std::size_t>(16 * i + n - 16 * g)] = s[static_cast<std::size_t>(n * shape.sites + i)];
      grouped.counter.set_group(g, colors.data());
    }
    for (int64_t i = 0; i < shape.sites; ++i) {
      assert_true(counted(grouped.counter, tested_target(), i) == counted(rows.counter, tested_target(), i));
      for (int64_t n = 0; n < m; ++n) {
        assert_int_equal(rows.counter.column(i)[n], s[static_cast<std::size_t>(n * shape.sites + i)]);
        assert_int_equal(grouped.counter.column(i)[n], s[static_cast<std::size_t>(n * shape.sites + i)]);
      }
    }
  }
}

// Single pairs, from sequences or from groups of chains.
void single_pairs(void **) {
  for (const auto &[m, q] : {std::pair<int64_t, int>{1, 2}, {3, 3}, {64, 5}, {1001, 21}, {70, 255}}) {
    const PairCountShape shape{m, 5, q};
    const std::vector<uint8_t> s = sequences_of(shape, 6);
    Owned owned(shape, PairCountMethod::listed);
    owned.counter.set_sequences(0, m, s.data());
    for (int64_t i = 0; i < 5; ++i) {
      const std::vector<uint32_t> expected = expected_counts(shape, s, i);
      for (int64_t j = i + 1; j < 5; ++j) {
        const std::size_t size = static_cast<std::size_t>(q * q);
        std::vector<uint32_t> found(size + 1, 77);
        owned.counter.count_pair(i, j, i % kThreads, found.data());
        assert_true(std::equal(found.begin(), found.end() - 1, expected.begin() + static_cast<std::ptrdiff_t>(size) * (j - i - 1)));
        assert_int_equal(found[size], 77);
      }
    }
  }
  assert_true(pair_count_method(2025, 4050) == PairCountMethod::listed);
  assert_true(pair_count_method(100, 99 * 50) == PairCountMethod::sites);
}

}  // namespace

int main() {
  tested_target();
  const CMUnitTest tests[] = {cmocka_unit_test(colors),      cmocka_unit_test(sites),  cmocka_unit_test(sequences),
                              cmocka_unit_test(conserved),   cmocka_unit_test(change), cmocka_unit_test(groups),
                              cmocka_unit_test(single_pairs)};
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
