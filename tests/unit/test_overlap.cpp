// SPDX-License-Identifier: MIT
// R-hat of overlaps against its definition written down a second time: ranks from sorted copies, normal scores from bisection of erfc,
// variances of half-chains.
#include "support.h"

#include "base/arena.hpp"
#include "base/philox.hpp"
#include "sample/convergence.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace atp;

namespace {

using Reals = std::vector<double>;

std::size_t at(int64_t k) { return static_cast<std::size_t>(k); }

double quantile(double p) {
  double low = -10, high = 10;
  for (int step = 0; step < 200; ++step) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::sqrt(2.0)) / 2 < p ? low : high) = middle;
  }
  return (low + high) / 2;
}

Reals normal_scores(const Reals &x) {
  Reals sorted = x, out;
  std::sort(sorted.begin(), sorted.end());
  for (double v : x) {
    const auto first = std::lower_bound(sorted.begin(), sorted.end(), v) - sorted.begin();
    const auto last = std::upper_bound(sorted.begin(), sorted.end(), v) - sorted.begin();
    const double rank = static_cast<double>(first + 1 + last) / 2;
    out.push_back(quantile((rank - 3.0 / 8) / (static_cast<double>(x.size()) + 1.0 / 4)));
  }
  return out;
}

// Of x [chains][n].
double rhat(const Reals &x, int64_t chains, int64_t n) {
  if (std::count(x.begin(), x.end(), x[0]) == static_cast<std::ptrdiff_t>(x.size())) return 1;  // by definition
  Reals means, variances;
  for (int64_t c = 0; c < chains; ++c)
    for (int64_t begin : {int64_t{0}, n - n / 2}) {
      double mean = 0, variance = 0;
      for (int64_t t = 0; t < n / 2; ++t) mean += x[at(c * n + begin + t)] / static_cast<double>(n / 2);
      for (int64_t t = 0; t < n / 2; ++t) variance += std::pow(x[at(c * n + begin + t)] - mean, 2) / static_cast<double>(n / 2 - 1);
      means.push_back(mean);
      variances.push_back(variance);
    }
  double mean = 0, between = 0, within = 0;
  const auto m = static_cast<double>(means.size());
  for (double v : means) mean += v / m;
  for (double v : means) between += (v - mean) * (v - mean) / (m - 1);
  for (double v : variances) within += v / m;
  const double half = std::floor(static_cast<double>(n) / 2);
  return std::sqrt(((half - 1) / half * within + between) / within);
}

double expected(const Record &r) {
  const int64_t n = r.times - 1, references = std::min<int64_t>(16, r.chains);
  double largest = 0;
  for (int64_t k = 0; k < references; ++k) {
    const uint8_t *reference = r.state(n, k * r.chains / references);
    Reals q;
    for (int64_t c = 0; c < r.chains; ++c)
      for (int64_t t = 0; t < n; ++t) {
        double same = 0;
        for (int64_t i = 0; i < r.sites; ++i) same += r.state(t, c)[i] == reference[i];
        q.push_back(same / static_cast<double>(r.sites));
      }
    Reals sorted = q, folded;
    std::sort(sorted.begin(), sorted.end());
    const double median = (sorted[(q.size() - 1) / 2] + sorted[q.size() / 2]) / 2;
    // Rounding must not break ties.
    for (double v : q) folded.push_back(std::round(std::fabs(v - median) * 2 * static_cast<double>(r.sites)));
    largest = std::max({largest, rhat(normal_scores(q), r.chains, n), rhat(normal_scores(folded), r.chains, n)});
  }
  return largest;
}

double measured(const Record &r) {
  Arena measure;
  OverlapWork work;
  work.lay_out(measure, r.times, r.chains, r.sites);
  std::vector<char> memory(measure.bytes() + 2 * kAlignment);
  auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  address = (address + kAlignment - 1) / kAlignment * kAlignment;
  Arena arena(reinterpret_cast<void *>(address), measure.bytes());
  work.lay_out(arena, r.times, r.chains, r.sites);
  return overlap_rhat(r, work);
}

// Chain c keeps each site of a pattern of its own with the probability `kept`; otherwise colours are random.
std::vector<uint8_t> draw(int64_t times, int64_t chains, int64_t sites, uint32_t colors, double kept) {
  std::vector<uint8_t> s(at(times * chains * sites));
  const RandomView random(static_cast<uint64_t>(times), Stream::start, static_cast<uint64_t>(chains), static_cast<uint64_t>(sites));
  for (std::size_t k = 0; k < s.size(); ++k) {
    const auto pattern = static_cast<uint32_t>(k % at(chains * sites) * 7 % 11) % colors;
    s[k] = static_cast<uint8_t>(random.uniform(2 * k) < kept ? pattern : random.below(2 * k + 1, colors));
  }
  return s;
}

void against_the_definition(void **) {
  const int64_t shapes[][3] = {{5, 1, 1}, {6, 1, 3}, {9, 2, 7}, {10, 3, 20}, {33, 16, 5}, {20, 17, 12}, {12, 40, 9}, {201, 4, 30}};
  for (const auto &[times, chains, sites] : shapes)
    for (double kept : {0.0, 0.3, 0.7}) {
      const std::vector<uint8_t> s = draw(times, chains, sites, 3, kept);
      const Record record{s.data(), nullptr, times, chains, sites, 0, chains};
      const double want = expected(record), got = measured(record);
      if (std::isnan(want) || std::isinf(want)) continue;  // constant halves, below
      assert_close(got, want, 1e-9, 0);
      if (kept == 0.7 && chains > 1 && times > 30) assert_true(got > 1.2);
      if (kept == 0 && times > 100) assert_true(got < 1.05);
    }
}

// Some of the chains that are stored together: the others do not count.
void a_part_of_the_chains(void **) {
  const std::vector<uint8_t> all = draw(40, 6, 10, 4, 0.5);
  std::vector<uint8_t> part;
  for (std::size_t t = 0; t < 40; ++t)
    for (std::size_t k = 2 * 10; k < 5 * 10; ++k) part.push_back(all[t * 60 + k]);
  const double within = measured({all.data(), nullptr, 40, 3, 10, 2, 6}), alone = measured({part.data(), nullptr, 40, 3, 10, 0, 3});
  assert_true(within == alone && alone != measured({all.data(), nullptr, 40, 3, 10, 0, 6}));
}

void constant_chains(void **) {
  std::vector<uint8_t> s(at(8 * 2 * 3), 1);
  assert_true(measured({s.data(), nullptr, 8, 2, 3, 0, 2}) == 1);  // one state
  for (std::size_t t = 0; t < 8; ++t) s[t * 6 + 4] = 2;            // two chains, each in a state of its own
  assert_true(std::isinf(measured({s.data(), nullptr, 8, 2, 3, 0, 2})));
  assert_true(measured({s.data(), nullptr, 4, 2, 3, 0, 2}) == 0);  // too short
}

}  // namespace

int main(void) {
  const CMUnitTest tests[] = {
      cmocka_unit_test(against_the_definition),
      cmocka_unit_test(a_part_of_the_chains),
      cmocka_unit_test(constant_chains),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
