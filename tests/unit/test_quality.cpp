// SPDX-License-Identifier: MIT
// The quality of samples: correlations of three sites, principal components and distances from their definitions over lists; samples with
// planted faults, and samples without.
#include "counting.h"
#include "support.h"

#include "alignment/components.hpp"
#include "alignment/distances.hpp"
#include "alignment/plane.hpp"
#include "alignment/quality.hpp"
#include "alignment/triples.hpp"
#include "base/philox.hpp"
#include "math/small_linear.hpp"

#include <attopotts/scores.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using namespace atp;

namespace {

// Independent sequences of two classes: at each site the consensus of the class (probability 0.5), the left neighbour's colour (0.2), or
// any colour. Colour 0 is a gap in a part of them.
class Planted {
 public:
  Planted(int64_t n, int64_t sites, int64_t colors, uint64_t seed, double gaps = 0) : context(counting_alloc, counting_free, nullptr) {
    AlignmentShape shape;
    shape.count = n;
    shape.sites = sites;
    shape.colors = colors;
    all = create_in_block<Alignment>(context.allocator, &context, shape);
    const RandomView random(seed, Stream::start, 0, 0), consensus(7, Stream::start, 1, 0);
    uint64_t at = 0;
    const auto color = [&](double u) { return static_cast<uint8_t>(u * static_cast<double>(colors)); };
    for (int64_t m = 0; m < n; ++m) {
      uint8_t *s = all->own_sequences.data() + m * sites;
      const uint64_t type = random.uniform(at++) < 0.4 ? 1 : 0;
      for (int64_t i = 0; i < sites; ++i) {
        const double u = random.uniform(at++), v = random.uniform(at++);
        s[i] = u < 0.5 ? color(consensus.uniform(2 * static_cast<uint64_t>(i) + type)) : u < 0.7 && i > 0 ? s[i - 1] : color(v);
        if (random.uniform(at++) < gaps) s[i] = 0;
      }
      all->weights[m] = 0.5 + random.uniform(at++);
    }
  }
  ~Planted() { destroy_block(context.allocator, all); }
  Planted(const Planted &) = delete;
  Planted &operator=(const Planted &) = delete;
  uint8_t *sequence(int64_t n) { return all->own_sequences.data() + n * all->sites(); }

  Context context;
  Alignment *all;
};

// Memory for one object that takes what it needs of an arena.
template <class T, class... Arguments>
class InArena {
 public:
  explicit InArena(Arguments... arguments)
      : memory_(bytes_taken([&](Arena &arena) { T(arena, arguments...); })),
        arena_(memory_.data(), memory_.size()),
        it(arena_, arguments...) {}

 private:
  std::vector<char> memory_;
  Arena arena_;

 public:
  T it;
};

int64_t color_of(const Colored &of, int64_t n, int64_t i) { return of.alignment.sequence(n)[i] - of.missing; }

// <(x_i - f_i) (x_j - f_j) (x_k - f_k)> over the sequences that have all three.
double connected(const Colored &of, const int64_t *sites, const int64_t *colors) {
  double total = 0, f[3] = {}, sum = 0;
  const auto each = [&](const auto &visit) {
    for (int64_t n = 0; n < of.alignment.count(); ++n) {
      bool has = true;
      for (int r = 0; r < 3; ++r) has = has && color_of(of, n, sites[r]) >= 0;
      if (has) visit(n, of.alignment.weights[n]);
    }
  };
  each([&](int64_t n, double w) {
    total += w;
    for (int r = 0; r < 3; ++r) f[r] += color_of(of, n, sites[r]) == colors[r] ? w : 0;
  });
  each([&](int64_t n, double w) {
    double product = w / total;
    for (int r = 0; r < 3; ++r) product *= (color_of(of, n, sites[r]) == colors[r] ? 1 : 0) - f[r] / total;
    sum += product;
  });
  return sum;
}

void check_triples(const Colored &data, const Colored &samples, size_t most) {
  const int64_t L = data.alignment.sites(), q = data.q();
  std::vector<std::pair<double, double>> all;
  for (int64_t i = 0; i < L; ++i)
    for (int64_t j = i + 1; j < L; ++j)
      for (int64_t k = j + 1; k < L; ++k)
        for (int64_t c = 0; c < q * q * q; ++c) {
          const int64_t sites[] = {i, j, k}, colors[] = {c / q / q, c / q % q, c % q};
          all.emplace_back(connected(data, sites, colors), connected(samples, sites, colors));
        }
  std::stable_sort(all.begin(), all.end(), [](const auto &a, const auto &b) { return std::fabs(a.first) > std::fabs(b.first); });
  all.resize(std::min(most, all.size()));
  const double n = static_cast<double>(all.size());
  double x = 0, y = 0, xx = 0, xy = 0, yy = 0, dd = 0;
  for (const auto &[u, v] : all) x += u / n, y += v / n;
  for (const auto &[u, v] : all) xx += (u - x) * (u - x), xy += (u - x) * (v - y), yy += (v - y) * (v - y), dd += (u - v) * (u - v);
  double first[ATP_COMPARISON_COLUMNS];
  for (int threads = 1; threads <= 3; ++threads) {
    const Team team(threads);
    InArena<Triples, int64_t, int64_t, int64_t, int64_t, int> triples(std::max(data.alignment.count(), samples.alignment.count()), L, q,
                                                                      static_cast<int64_t>(most), threads);
    double row[ATP_COMPARISON_COLUMNS];
    triples.it.choose(data, team);
    triples.it.compare(samples, team, threads == 1 ? first : row);
    if (threads > 1) assert_memory_equal(row, first, sizeof row);
  }
  assert_true(first[ATP_COMPARISON_COUNT] == n);
  assert_close(first[ATP_COMPARISON_PEARSON], xy / std::sqrt(xx * yy), 1e-9, 0);
  assert_close(first[ATP_COMPARISON_SLOPE], xy / xx, 1e-9, 0);
  assert_close(first[ATP_COMPARISON_RMS], std::sqrt(dd / n), 1e-9, 0);
}

void triples_by_definition(void **) {
  const Planted data(60, 6, 4, 1), samples(50, 6, 4, 2), gappy(80, 6, 5, 3, 0.1);
  check_triples({*data.all, 0}, {*samples.all, 0}, 40);
  check_triples({*data.all, 0}, {*samples.all, 0}, 100000);  // all that there are
  check_triples({*gappy.all, 1}, {*samples.all, 0}, 60);
}

// Coordinates and variances against Jacobi's method on the whole covariance matrix.
void check_components(const Colored &data, const Colored &samples) {
  const int64_t L = data.alignment.sites(), q = data.q(), size = L * q, N = data.alignment.count(), M = samples.alignment.count();
  std::vector<double> f(static_cast<size_t>(size)), present(static_cast<size_t>(L));
  double total = 0;
  for (int64_t n = 0; n < N; ++n) {
    total += data.alignment.weights[n];
    for (int64_t i = 0; i < L; ++i)
      if (const int64_t a = color_of(data, n, i); a >= 0) {
        f[static_cast<size_t>(i * q + a)] += data.alignment.weights[n];
        present[static_cast<size_t>(i)] += data.alignment.weights[n];
      }
  }
  for (int64_t k = 0; k < size; ++k) f[static_cast<size_t>(k)] /= present[static_cast<size_t>(k / q)];
  const auto centred = [&](const Colored &of, int64_t n, int64_t k) {
    const int64_t a = color_of(of, n, k / q);
    return a < 0 ? 0 : (a == k % q ? 1 : 0) - f[static_cast<size_t>(k)];
  };
  std::vector<double> c(static_cast<size_t>(size * size)), values(static_cast<size_t>(size)), rows(c.size());
  for (int64_t n = 0; n < N; ++n)
    for (int64_t k = 0; k < size; ++k)
      for (int64_t l = 0; l < size; ++l)
        c[static_cast<size_t>(k * size + l)] += data.alignment.weights[n] / total * centred(data, n, k) * centred(data, n, l);
  jacobi_svd(size, size, c.data(), values.data(), rows.data());
  InArena<Components, int64_t, int64_t, int64_t> found(std::max(N, M), L, q);
  found.it.find(data, 2, Team(2));
  std::vector<double> y(static_cast<size_t>(2 * M));
  found.it.project(samples, 2, Team(2), y.data());
  for (int64_t k = 0; k < 2; ++k) {
    assert_close(found.it.variance(k), values[static_cast<size_t>(k)], 1e-9, 0);
    const double *v = rows.data() + k * size;
    const double sign = *std::max_element(v, v + size, [](double a, double b) { return std::fabs(a) < std::fabs(b); }) < 0 ? -1 : 1;
    for (int64_t n = 0; n < M; ++n) {
      double expected = 0;
      for (int64_t e = 0; e < size; ++e) expected += sign * v[e] * centred(samples, n, e);
      assert_close(y[static_cast<size_t>(2 * n + k)], expected, 0, 1e-5);
    }
  }
}

void components_by_definition(void **) {
  const Planted data(300, 8, 4, 1), samples(50, 8, 4, 2), gappy(200, 8, 5, 3, 0.1);
  check_components({*data.all, 0}, {*samples.all, 0});
  check_components({*data.all, 0}, {*data.all, 0});
  check_components({*gappy.all, 1}, {*samples.all, 0});
}

// d of two sequences, by the definition; -1: they share less than half of the sites.
int64_t distance(const Colored &x, int64_t n, const Colored &y, int64_t m) {
  int64_t common = 0, different = 0;
  for (int64_t i = 0; i < x.alignment.sites(); ++i) {
    const int64_t a = color_of(x, n, i), b = color_of(y, m, i);
    if (a < 0 || b < 0) continue;
    ++common;
    different += a != b ? 1 : 0;
  }
  const double L = static_cast<double>(x.alignment.sites());
  if (2 * common < x.alignment.sites()) return -1;
  return static_cast<int64_t>(std::floor(L * static_cast<double>(different) / static_cast<double>(common) + 0.5));
}

void check_distances(const Colored &x, const Colored &y) {
  const int64_t L = x.alignment.sites();
  std::vector<double> nearest(static_cast<size_t>(L + 1)), pairs(nearest), found(nearest);
  const bool same = &x.alignment == &y.alignment;
  double total = 0, pair_total = 0;
  for (int64_t n = 0; n < x.alignment.count(); ++n) {
    int64_t least = L + 1;
    for (int64_t m = 0; m < y.alignment.count(); ++m)
      if (const int64_t d = distance(x, n, y, m); d >= 0 && !(same && n == m)) least = std::min(least, d);
    if (least <= L) nearest[static_cast<size_t>(least)] += x.alignment.weights[n], total += x.alignment.weights[n];
    for (int64_t m = 0; m < n; ++m)
      if (const int64_t d = distance(x, n, x, m); d >= 0) {
        const double w = x.alignment.weights[n] * x.alignment.weights[m];
        pairs[static_cast<size_t>(d)] += w, pair_total += w;
      }
  }
  InArena<Distances, int64_t, int64_t> distances(std::max(x.alignment.count(), y.alignment.count()), L);
  if (same)
    distances.it.nearest_other(x, Team(2), found.data());
  else
    distances.it.nearest(x, y, Team(2), found.data());
  for (size_t d = 0; d < found.size(); ++d) assert_close(found[d], nearest[d] / total, 1e-12, 1e-15);
  distances.it.pairs(x, Team(2), found.data());
  for (size_t d = 0; d < found.size(); ++d) assert_close(found[d], pairs[d] / pair_total, 1e-12, 1e-15);
}

void distances_by_definition(void **) {
  const Planted data(90, 40, 4, 1), samples(70, 40, 4, 2), gappy(80, 40, 5, 3, 0.3), wide(12, 5000, 3, 4), other(9, 5000, 3, 5);
  check_distances({*data.all, 0}, {*samples.all, 0});
  check_distances({*data.all, 0}, {*data.all, 0});
  check_distances({*samples.all, 0}, {*gappy.all, 1});
  check_distances({*gappy.all, 1}, {*gappy.all, 1});
  check_distances({*wide.all, 0}, {*other.all, 0});  // more differences than a byte counts
  const double shares[] = {0.25, 0, 0.5, 0.25, 0};
  assert_close(mean_distance({shares, 5}), (2 * 0.5 + 3 * 0.25) / 4, 1e-15, 0);
  assert_close(distance_quantile({shares, 5}, 0.25), 0, 0, 0);
  assert_close(distance_quantile({shares, 5}, 0.5), 0.5, 1e-15, 0);
  assert_close(distance_quantile({shares, 5}, 0.95), 0.75, 1e-15, 0);
}

void energy_in_closed_form(void **) {
  const double origin[] = {0, 0, 0, 0}, ends[] = {0, 0, 1, 0}, away[] = {1, 0, 1, 0};
  double weights[] = {1, 1};
  const Span<double> w(weights, 2);
  InArena<Plane> plane;
  assert_close(plane.it.energy({origin, w}, {away, w}), 1, 1e-14, 0);
  assert_close(plane.it.energy({ends, w}, {ends, w}), 0, 0, 1e-15);
  assert_close(plane.it.energy({origin, w}, {ends, w}), 0.5, 1e-14, 0);  // (2 / 2 - 1 / 2) / (2 / 2)
  assert_close(variance_along({ends, w}, 0), 0.25, 1e-15, 0);
  weights[0] = 3;
  assert_close(variance_along({ends, w}, 0), 3.0 / 16, 1e-15, 0);
  assert_close(variance_along({ends, w}, 1), 0, 0, 0);
}

// The table of samples against data.
class Judged {
 public:
  Judged(Context &context, const Alignment &data, const Alignment &samples, uint64_t seed = 1, int64_t splits = 10)
      : memory_(bytes_laid_out(Table(nullptr, &kQualityTable, ATP_QUALITY_ROWS))), table_(nullptr, &kQualityTable, ATP_QUALITY_ROWS) {
    Arena arena(memory_.data(), memory_.size());
    table_.lay_out(arena);
    measure_quality(context, data, samples, {{splits, seed}, 200}, table_, nullptr);
  }
  double operator()(int measure, int column) const { return table_.value(measure, column); }
  double verdict(int measure) const { return table_.value(measure, ATP_QUALITY_VERDICT); }
  int faults() const {
    int count = 0;
    for (int measure = 0; measure < ATP_QUALITY_ROWS; ++measure) count += std::fabs(verdict(measure)) == 1 ? 1 : 0;
    return count;
  }
  const Table &table() const { return table_; }

 private:
  std::vector<char> memory_;
  Table table_;
};

constexpr int kPearson = int{ATP_QUALITY_COVARIANCES} + ATP_COMPARISON_PEARSON,
              kSlope = int{ATP_QUALITY_COVARIANCES} + ATP_COMPARISON_SLOPE;

// Independent samples of the distribution of the data are no fault. Of 1000 such pairs 6 were blamed: for one choice of 20 seeds in 9 this
// would fail.
void independent_samples_are_good(void **) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Planted data(400, 12, 5, 2 * seed), samples(600, 12, 5, 2 * seed + 1);
    const Judged judged(data.context, *data.all, *samples.all, seed);
    for (int measure = 0; measure < ATP_QUALITY_ROWS; ++measure)
      if (std::fabs(judged.verdict(measure)) == 1) print_message("seed %d measure %d\n", static_cast<int>(seed), measure);
    assert_int_equal(judged.faults(), 0);
  }
}

void shuffled_columns(void **) {
  Planted data(400, 12, 5, 1), samples(600, 12, 5, 2);
  const RandomView random(3, Stream::start, 0, 0);
  for (int64_t i = 0; i < 12; ++i)
    for (int64_t n = 600; n > 1; --n)
      std::swap(samples.sequence(n - 1)[i], samples.sequence(random.below(static_cast<uint64_t>(n * 12 + i), static_cast<uint32_t>(n)))[i]);
  const Judged judged(data.context, *data.all, *samples.all);
  // Covariances of independent sites: errors of 960 values, of which those of one pair depend on each other.
  assert_close(judged(kPearson, ATP_QUALITY_SAMPLES), 0, 0, 0.2);
  assert_true(judged.verdict(kPearson) == -1);
  assert_true(judged.verdict(kSlope) == -1);
  assert_true(judged.verdict(int{ATP_QUALITY_TRIPLES} + ATP_COMPARISON_SLOPE) == -1);
  assert_true(judged.verdict(ATP_QUALITY_VARIANCE_1) == -1);
  assert_true(judged.verdict(int{ATP_QUALITY_SITES} + ATP_COMPARISON_RMS) == 0);
  assert_true(judged.verdict(ATP_QUALITY_SPREAD) == 0);
}

// Of a few sequences even shuffled columns may be samples: there is no verdict, where many have one.
void few_sequences_have_no_verdict(void **) {
  Planted data(8, 12, 5, 1), samples(600, 12, 5, 2);
  const Judged judged(data.context, *data.all, *samples.all);
  assert_true(judged(kPearson, ATP_QUALITY_LOW) <= 0);
  assert_true(judged(kPearson, ATP_QUALITY_SAMPLES) > judged(kPearson, ATP_QUALITY_LOW));
  assert_true(std::isnan(judged.verdict(kPearson)));
}

void other_faults(void **) {
  Planted data(400, 12, 5, 1), samples(600, 12, 5, 2);
  // Copies.
  const Judged copied(data.context, *data.all, *data.all);
  assert_true(copied.verdict(ATP_QUALITY_COPIES) == 1);
  assert_true(copied(ATP_QUALITY_COPIES, ATP_QUALITY_SAMPLES) == 1);
  assert_true(copied.verdict(ATP_QUALITY_NEAREST) == -1);
  assert_int_equal(copied.faults(), 2);
  // One class: the samples have not reached the other.
  for (int64_t n = 0; n < 600; ++n)
    for (int64_t i = 0; i < 12; ++i)
      if (n % 10 > 0 && i % 3 > 0) samples.sequence(n)[i] = samples.sequence(0)[i];
  const Judged narrow(data.context, *data.all, *samples.all);
  assert_true(narrow.verdict(ATP_QUALITY_SPREAD) == -1);
  assert_true(narrow.verdict(ATP_QUALITY_VARIANCE_1) == -1);
  assert_true(narrow.verdict(int{ATP_QUALITY_SITES} + ATP_COMPARISON_RMS) == 1);
  // Samples that are all equal have no correlations.
  for (int64_t n = 0; n < 600; ++n) std::copy_n(data.sequence(0), 12, samples.sequence(n));
  const Judged constant(data.context, *data.all, *samples.all);
  assert_true(std::isnan(constant(kPearson, ATP_QUALITY_SAMPLES)));
  assert_true(std::isnan(constant.verdict(kPearson)) && constant.verdict(kSlope) == -1);
  // Without splits nothing is judged.
  const Judged unjudged(data.context, *data.all, *samples.all, 1, 0);
  for (int measure = 0; measure < ATP_QUALITY_ROWS; ++measure) assert_true(std::isnan(unjudged.verdict(measure)));
}

// Where the samples have no gap, the gap of the data is no colour in components and triples.
void samples_without_a_gap(void **) {
  Planted data(300, 12, 5, 1, 0.1), samples(200, 12, 4, 2);
  const Judged judged(data.context, *data.all, *samples.all);
  const Colored gappy{*data.all, 1}, all{*samples.all, 0};
  InArena<Components, int64_t, int64_t, int64_t> components(300, 12, 4);
  std::vector<double> y(400);
  components.it.find(gappy, 2, Team(1));
  components.it.project(all, 2, Team(1), y.data());
  const double variance = variance_along({y.data(), samples.all->weights}, 1) / components.it.variance(1);
  assert_close(judged(ATP_QUALITY_VARIANCE_2, ATP_QUALITY_SAMPLES), variance, 1e-6, 0);
  InArena<Triples, int64_t, int64_t, int64_t, int64_t, int> triples(300, 12, 4, 200, 1);
  double row[ATP_COMPARISON_COLUMNS];
  triples.it.choose(gappy, Team(1));
  triples.it.compare(all, Team(1), row);
  assert_true(judged(int{ATP_QUALITY_TRIPLES} + ATP_COMPARISON_SLOPE, ATP_QUALITY_SAMPLES) == row[ATP_COMPARISON_SLOPE]);
}

// Parts of the data without any weight have no statistics, and nothing is judged by them.
void weights_of_zero(void **) {
  Planted data(40, 12, 5, 1), samples(50, 12, 5, 2);
  for (int64_t n = 1; n < 40; ++n) data.all->weights[n] = 0;
  const Judged judged(data.context, *data.all, *samples.all);
  assert_int_equal(judged.faults(), 0);
  assert_true(std::isnan(judged(int{ATP_QUALITY_SITES} + ATP_COMPARISON_RMS, ATP_QUALITY_PARTS)));
  assert_true(judged(ATP_QUALITY_NEAREST, ATP_QUALITY_SAMPLES) > 0);
}

void the_same_for_any_threads(void **) {
  Planted data(300, 12, 5, 1, 0.1), samples(200, 12, 4, 2);
  const Judged one(data.context, *data.all, *samples.all);
  data.context.threads = 3;
  const Judged three(data.context, *data.all, *samples.all);
  assert_memory_equal(one.table().values().data(), three.table().values().data(),
                      size_t{ATP_QUALITY_ROWS} * ATP_QUALITY_COLUMNS * sizeof(double));
}

const CMUnitTest tests[] = {
    cmocka_unit_test(triples_by_definition),         cmocka_unit_test(components_by_definition),
    cmocka_unit_test(distances_by_definition),       cmocka_unit_test(energy_in_closed_form),
    cmocka_unit_test(independent_samples_are_good),  cmocka_unit_test(shuffled_columns),
    cmocka_unit_test(few_sequences_have_no_verdict), cmocka_unit_test(other_faults),
    cmocka_unit_test(samples_without_a_gap),         cmocka_unit_test(weights_of_zero),
    cmocka_unit_test(the_same_for_any_threads),
};

}  // namespace

ATP_TEST_MAIN(tests)
