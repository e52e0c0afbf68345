// SPDX-License-Identifier: MIT
// Statistics of two alignments against each other, from textbook formulas over lists; files of distances.
#include "counting.h"
#include "support.h"

#include "base/philox.hpp"
#include "alignment/comparison.hpp"

#include <attopotts/scores.h>

#include <cmath>
#include <string>
#include <vector>

using namespace atp;

namespace {

// Random sequences in which sites resemble their left neighbour, and random weights.
class RandomAlignment {
 public:
  RandomAlignment(int64_t n, int64_t sites, int64_t colors, uint64_t seed) : context_(counting_alloc, counting_free, nullptr) {
    AlignmentShape shape;
    shape.count = n;
    shape.sites = sites;
    shape.colors = colors;
    data = create_in_block<Alignment>(context_.allocator, &context_, shape);
    const RandomView random(seed, Stream::start, 0, 0);
    for (int64_t k = 0; k < n * sites; ++k) {
      const bool copy = k % sites > 0 && random.uniform(static_cast<uint64_t>(2 * k)) < 0.6;
      data->own_sequences[k] = copy ? data->sequences[k - 1]
                                    : static_cast<uint8_t>(random.below(static_cast<uint64_t>(2 * k + 1), static_cast<uint32_t>(colors)));
    }
    for (int64_t k = 0; k < n; ++k) data->weights[k] = 0.5 + random.uniform(static_cast<uint64_t>(1000000 + k));
  }
  ~RandomAlignment() { destroy_block(context_.allocator, data); }
  RandomAlignment(const RandomAlignment &) = delete;
  RandomAlignment &operator=(const RandomAlignment &) = delete;
  Alignment *data;

 private:
  Context context_;
};

// f_ij(a, b) over the sequences that have both sites; the first `missing` colours are no data. Negative where there are none.
double pair(const Alignment &a, int64_t i, int64_t j, int64_t x, int64_t y, int64_t missing) {
  double sum = 0, total = 0;
  for (int64_t n = 0; n < a.count(); ++n) {
    const int64_t u = a.sequence(n)[i] - missing, v = a.sequence(n)[j] - missing;
    if (u < 0 || v < 0) continue;
    total += a.weights[n];
    if (u == x && v == y) sum += a.weights[n];
  }
  return total > 0 ? sum / total : -1;
}

double covariance(const Alignment &a, int64_t i, int64_t j, int64_t x, int64_t y, int64_t missing) {
  const int64_t q = a.colors() - missing;
  double fi = 0, fj = 0;
  for (int64_t b = 0; b < q; ++b) {
    fi += pair(a, i, j, x, b, missing);
    fj += pair(a, i, j, b, y, missing);
  }
  return pair(a, i, j, x, y, missing) - fi * fj;
}

struct List {
  std::vector<double> x, y;
  void check(const double *row) const {
    const double n = static_cast<double>(x.size());
    double mx = 0, my = 0, xx = 0, yy = 0, xy = 0, dd = 0, largest = 0;
    for (size_t k = 0; k < x.size(); ++k) mx += x[k] / n, my += y[k] / n;
    for (size_t k = 0; k < x.size(); ++k) {
      xx += (x[k] - mx) * (x[k] - mx);
      yy += (y[k] - my) * (y[k] - my);
      xy += (x[k] - mx) * (y[k] - my);
      dd += (y[k] - x[k]) * (y[k] - x[k]);
      largest = std::fmax(largest, std::fabs(y[k] - x[k]));
    }
    assert_true(row[ATP_COMPARISON_COUNT] == n);
    assert_close(row[ATP_COMPARISON_PEARSON], xy / std::sqrt(xx * yy), 1e-12, 0);
    assert_close(row[ATP_COMPARISON_SLOPE], xy / xx, 1e-12, 0);
    assert_close(row[ATP_COMPARISON_RMS], std::sqrt(dd / n), 1e-12, 0);
    assert_close(row[ATP_COMPARISON_LARGEST], largest, 1e-12, 0);
  }
};

void compare(const Alignment &data, const Alignment &samples) {
  const int64_t L = data.sites(), q = samples.colors(), missing = data.colors() - q;
  List sites, pairs, covariances;
  for (int64_t i = 0; i < L; ++i)
    for (int64_t a = 0; a < q; ++a) {
      if (pair(data, i, i, a, a, missing) < 0) continue;
      sites.x.push_back(pair(data, i, i, a, a, missing));
      sites.y.push_back(pair(samples, i, i, a, a, 0));
    }
  for (int64_t i = 0; i < L; ++i)
    for (int64_t j = i + 1; j < L; ++j)
      for (int64_t a = 0; a < q; ++a)
        for (int64_t b = 0; b < q; ++b) {
          if (pair(data, i, j, a, b, missing) < 0) continue;
          pairs.x.push_back(pair(data, i, j, a, b, missing));
          pairs.y.push_back(pair(samples, i, j, a, b, 0));
          covariances.x.push_back(covariance(data, i, j, a, b, missing));
          covariances.y.push_back(covariance(samples, i, j, a, b, 0));
        }
  double out[ATP_COMPARISON_ROWS * ATP_COMPARISON_COLUMNS], again[ATP_COMPARISON_ROWS * ATP_COMPARISON_COLUMNS];
  for (int threads = 1; threads <= 3; ++threads) {
    const int64_t size = comparison_scratch(samples, threads);
    std::vector<double> scratch(static_cast<size_t>(size));
    compare_statistics(data, samples, Team(threads), {scratch.data(), size}, threads == 1 ? out : again);
    if (threads > 1) assert_memory_equal(out, again, sizeof out);
  }
  sites.check(out + ATP_COMPARISON_SITES * ATP_COMPARISON_COLUMNS);
  pairs.check(out + ATP_COMPARISON_PAIRS * ATP_COMPARISON_COLUMNS);
  covariances.check(out + ATP_COMPARISON_COVARIANCES * ATP_COMPARISON_COLUMNS);
}

void statistics_by_definition(void **) {
  const RandomAlignment data(40, 6, 4, 1), samples(60, 6, 4, 2), gapless(50, 6, 3, 3);
  compare(*data.data, *samples.data);
  compare(*data.data, *gapless.data);
  // A column of gaps alone says nothing.
  for (int64_t n = 0; n < data.data->count(); ++n) data.data->own_sequences[n * 6 + 2] = 0;
  compare(*data.data, *gapless.data);
}

void an_alignment_is_itself(void **) {
  const RandomAlignment data(200, 5, 3, 4);
  double out[ATP_COMPARISON_ROWS][ATP_COMPARISON_COLUMNS];
  const int64_t size = comparison_scratch(*data.data, 1);
  std::vector<double> scratch(static_cast<size_t>(size));
  compare_statistics(*data.data, *data.data, Team(1), {scratch.data(), size}, out[0]);
  for (const double *row : out) {
    assert_close(row[ATP_COMPARISON_PEARSON], 1, 1e-14, 0);
    assert_close(row[ATP_COMPARISON_SLOPE], 1, 1e-14, 0);
    assert_true(row[ATP_COMPARISON_RMS] == 0 && row[ATP_COMPARISON_LARGEST] == 0);
  }
}

const CMUnitTest tests[] = {
    cmocka_unit_test(statistics_by_definition),
    cmocka_unit_test(an_alignment_is_itself),
};

}  // namespace

ATP_TEST_MAIN(tests)
