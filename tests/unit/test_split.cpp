// SPDX-License-Identifier: MIT
// Splits into training and test sets: thresholds and which sequences are left out against all pairs, one by one; sizes, threads, seeds, and
// what is refused.
#include "relatives.hpp"

#include "alignment/options.hpp"
#include "alignment/split.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "support.h"  // last: cmocka has a macro fail()

using namespace atp;

namespace {

using Parts = std::vector<int64_t>;

Options rules(double identity, double within_training, double within_test) {
  Options o(kSplitOptions);
  o.set(ATP_OPT_IDENTITY, identity);
  o.set(ATP_OPT_IDENTITY_TRAINING, within_training);
  o.set(ATP_OPT_IDENTITY_TEST, within_test);
  o.set(ATP_OPT_RUNS, int64_t{3});
  return o;
}

Parts split(Family &f, const Options &options) {
  Parts parts(static_cast<size_t>(f.all->count()), -1);
  split_sequences(f.context, *f.all, options, Span<int64_t>(parts.data(), f.all->count()));
  return parts;
}

// The fraction of equal columns, or of equal residues among the columns where both have one.
double identity_of(const Alignment &a, int64_t n, int64_t m, bool residues) {
  int64_t equal = 0, compared = 0;
  for (int64_t i = 0; i < a.sites(); ++i) {
    const uint8_t x = a.sequence(n)[i], y = a.sequence(m)[i];
    if (residues && (x == 0 || y == 0)) continue;
    ++compared;
    equal += x == y ? 1 : 0;
  }
  return compared == 0 ? 0 : static_cast<double>(equal) / static_cast<double>(compared);
}

// The largest identity of a sequence of each pair of parts.
struct Largest {
  Largest(const Alignment &a, const Parts &parts, bool residues) {
    for (int64_t n = 0; n < a.count(); ++n)
      for (int64_t m = 0; m < n; ++m) {
        const int64_t p = parts[static_cast<size_t>(n)], q = parts[static_cast<size_t>(m)];
        if (p == 0 || q == 0) continue;
        double &largest = p != q ? between : p == ATP_PART_TEST ? test : training;
        largest = std::max(largest, identity_of(a, n, m, residues));
      }
  }
  double between = 0, training = 0, test = 0;
};

int64_t count(const Parts &parts, int64_t part) { return std::count(parts.begin(), parts.end(), part); }

// 1100 sequences are five blocks, the last of which is compared with two tiles. 70 sites are two pieces. A set has another number of
// sequences than the alignment.
void no_pair_exceeds_its_threshold(void **) {
  for (const bool residues : {false, true})
    for (const double identity : {0.4, 0.6}) {
      Family f(1100, 70, 4, 3);
      Options o = rules(identity, 0.95, 0.9);
      o.set(ATP_OPT_GAPS, int64_t{residues ? ATP_GAPS_IGNORE : ATP_GAPS_STATE});
      const Parts parts = split(f, o);
      const Largest found(*f.all, parts, residues);
      assert_true(found.between <= identity + 1e-12);
      assert_true(found.training <= 0.95 + 1e-12);
      assert_true(found.test <= 0.9 + 1e-12);
      assert_true(count(parts, ATP_PART_TEST) > 0 && count(parts, ATP_PART_TRAINING) > 0);
    }
}

// Thresholds count: an identity that equals one is allowed. 70 * 0.7 = 49 equal columns.
void an_identity_at_the_threshold_is_allowed(void **) {
  Family f(2, 70, 4, 1);
  for (const int64_t equal : {49, 50}) {
    for (int64_t i = 0; i < 70; ++i) {
      f.all->own_sequences[i] = 1;
      f.all->own_sequences[70 + i] = i < equal ? 1 : 2;
    }
    bool divided = true;
    Parts parts(2);
    try {
      split_sequences(f.context, *f.all, rules(0.7, 1, 1), Span<int64_t>(parts.data(), 2));
    } catch (const Error &e) {
      divided = false;
      assert_int_equal(e.status(), ATP_E_VALUE);
      assert_non_null(std::strstr(e.what(), "identity is 0.7"));
      assert_non_null(std::strstr(e.what(), "at least 0.72, which leaves 1 training and 1 test"));
    }
    assert_int_equal(divided, equal == 49);
  }
}

// A sequence that is not used has neighbours in both sets, where sets are not thinned out.
void only_sequences_near_both_sets_are_unused(void **) {
  Family f(700, 70, 4, 3);
  const Parts parts = split(f, rules(0.4, 1, 1));
  int64_t unused = 0;
  for (int64_t n = 0; n < 700; ++n) {
    if (parts[static_cast<size_t>(n)] != ATP_PART_UNUSED) continue;
    ++unused;
    bool near[3] = {};
    for (int64_t m = 0; m < 700; ++m)
      if (m != n && identity_of(*f.all, n, m, false) > 0.4) near[parts[static_cast<size_t>(m)]] = true;
    assert_true(near[ATP_PART_TRAINING] && near[ATP_PART_TEST]);
  }
  assert_true(unused > 0);
}

// With identity 1 there are no edges: parts are binomial. 5 standard deviations: a false alarm in 1.7 million.
void without_edges_the_fraction_is_that_of_a_coin(void **) {
  Family f(3000, 5, 4, 9);
  for (const double fraction : {0.1, 0.5}) {
    Options o = rules(1, 1, 1);
    o.set(ATP_OPT_TEST_FRACTION, fraction);
    o.set(ATP_OPT_RUNS, int64_t{1});
    const Parts parts = split(f, o);
    assert_int_equal(count(parts, ATP_PART_UNUSED), 0);
    const double test = static_cast<double>(count(parts, ATP_PART_TEST));
    assert_true(std::fabs(test - 3000 * fraction) < 5 * std::sqrt(3000 * fraction * (1 - fraction)));
  }
}

void sizes_have_limits_and_more_runs_are_not_worse(void **) {
  Family f(400, 30, 4, 5);
  Options o = rules(0.5, 1, 0.9);
  double before = 0;
  for (const int64_t runs : {1, 4, 16}) {
    o.set(ATP_OPT_RUNS, runs);
    const Parts parts = split(f, o);
    const double product = static_cast<double>(count(parts, ATP_PART_TRAINING) * count(parts, ATP_PART_TEST));
    assert_true(product >= before);
    before = product;
  }
  o.set(ATP_OPT_MAX_TRAINING, int64_t{20});
  o.set(ATP_OPT_MAX_TEST, int64_t{7});
  const Parts parts = split(f, o);
  assert_int_equal(count(parts, ATP_PART_TRAINING), 20);
  assert_int_equal(count(parts, ATP_PART_TEST), 7);
}

void threads_do_not_change_parts_and_seeds_do(void **) {
  Family one(700, 70, 4, 3, 1), three(700, 70, 4, 3, 3);
  Options o = rules(0.5, 0.95, 0.9);
  const Parts parts = split(one, o);
  assert_true(parts == split(three, o));
  assert_true(parts == split(one, o));
  o.set(ATP_OPT_SEED, int64_t{2});
  assert_false(parts == split(one, o));
}

void what_cannot_be_split_is_refused(void **) {
  Family one(1, 10, 3, 1), same(20, 10, 3, 1);
  std::memset(same.all->own_sequences.data(), 1, 200);
  const auto refuses = [](Family &f, double identity, const char *text) {
    Parts parts(static_cast<size_t>(f.all->count()), -7);
    try {
      split_sequences(f.context, *f.all, rules(identity, 1, 1), Span<int64_t>(parts.data(), f.all->count()));
    } catch (const Error &e) {
      assert_int_equal(e.status(), ATP_E_VALUE);
      assert_non_null(std::strstr(e.what(), text));
      assert_int_equal(count(parts, -7), f.all->count());
      return true;
    }
    return false;
  };
  assert_true(refuses(one, 0.5, "one sequence"));
  assert_true(refuses(same, 0.99, "must be at least 1, which leaves"));
  assert_false(refuses(same, 1, ""));
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(no_pair_exceeds_its_threshold),
                              cmocka_unit_test(an_identity_at_the_threshold_is_allowed),
                              cmocka_unit_test(only_sequences_near_both_sets_are_unused),
                              cmocka_unit_test(without_edges_the_fraction_is_that_of_a_coin),
                              cmocka_unit_test(sizes_have_limits_and_more_runs_are_not_worse),
                              cmocka_unit_test(threads_do_not_change_parts_and_seeds_do),
                              cmocka_unit_test(what_cannot_be_split_is_refused)};
  where_races_are_sought("*threads*");
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
