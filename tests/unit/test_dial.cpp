// SPDX-License-Identifier: MIT
// The dial layer: loss, maps and conditionals against the definition in plain loops, gradients against differences, its limits (factored
// attention at a = 0, no order of the sites at a = 1 without positions), threads, starts and options.
#include "attention_slopes.hpp"
#include "dial_problem.hpp"
#include "learn/options.hpp"

#include "support.h"  // last: cmocka has a macro fail()

using namespace atp;

namespace {

using Vector = std::vector<double>;

struct Kind {
  double dial;
  atp_map map;
};
constexpr Kind kKinds[] = {{0, ATP_MAP_LOWRANK}, {0, ATP_MAP_SOFTMAX}, {0, ATP_MAP_FREE}, {0.3, ATP_MAP_LOWRANK}, {1, ATP_MAP_LOWRANK}};

double norm(const Vector &x) {
  double sum = 0;
  for (double value : x) sum += value * value;
  return sqrt(sum);
}
double distance(const Vector &x, const Vector &y) {
  Vector z = x;
  for (size_t k = 0; k < z.size(); ++k) z[k] -= y[k];
  return norm(z);
}

void definition(void **) {
  for (const Kind &kind : kKinds)
    for (bool one_site : {false, true}) {
      DialProblem p(dial_shape(7, 5, kind.dial, kind.map), 12, Target::scalar, 3, 0.7);
      const MaskedData pairs = p.view(one_site);
      const double expected = p.defined_loss(p.parameters, pairs);
      assert_close(p.loss(p.parameters, pairs), expected, 1e-13, 0);
      Vector off = p.parameters;
      off[off.size() - 8] += 1e-6;
      assert_true(fabs(p.loss(off, pairs) - expected) > 1e-11);

      Vector conditionals(static_cast<size_t>(pairs.pairs() * 5), NAN), maps(49, NAN), expected_maps(49, 0.0);
      p.dial->conditionals(DialProblem::span(p.parameters), pairs, conditionals.data(), Team(1));
      const MaskedData all = p.view(false);
      p.dial->maps(DialProblem::span(p.parameters), all, maps.data(), Team(1));
      std::vector<long double> probability, attention;
      for (int64_t pair = 0; pair < pairs.pairs(); ++pair) {
        p.define(p.parameters, pairs.sequence_of(pair), pairs.site(pair), probability, attention);
        for (size_t c = 0; c < 5; ++c)
          assert_close(conditionals[static_cast<size_t>(pair) * 5 + c], static_cast<double>(probability[c]), 1e-13, 0);
      }
      for (int64_t pair = 0; pair < all.pairs(); ++pair) {
        p.define(p.parameters, all.sequence_of(pair), all.site(pair), probability, attention);
        for (size_t j = 0; j < 7; ++j)
          expected_maps[static_cast<size_t>(all.site(pair)) * 7 + j] +=
              static_cast<double>(all.weight_of(pair) * attention[j] / all.total_weight());
      }
      for (size_t k = 0; k < 49; ++k) assert_close(maps[k], expected_maps[k], 1e-12, 1e-15);
    }
}

void gradient_against_differences(void **) {
  for (const Kind &kind : kKinds)
    for (bool one_site : {false, true}) {
      DialProblem p(dial_shape(6, 4, kind.dial, kind.map), 9, Target::scalar, 7);
      const MaskedData pairs = p.view(one_site);
      const auto loss = [&](const Vector &at) { return p.loss(at, pairs); };
      double value = 0;
      Vector g = p.gradient(p.parameters, pairs, &value);
      assert_true(value == p.loss(p.parameters, pairs));
      const double worst = worst_slope(loss, p.parameters, g);
      if (!(worst < 1e-6)) print_error("dial %g, map %d, one site %d: %.3g\n", kind.dial, kind.map, one_site, worst);
      assert_true(worst < 1e-6);
      // The check sees one element that is wrong by some millionths.
      size_t largest = 0;
      for (size_t k = 0; k < g.size(); ++k) largest = fabs(g[k]) > fabs(g[largest]) ? k : largest;
      g[largest] *= 1 + 4e-6;
      assert_true(worst_slope(loss, p.parameters, g) > 2e-6);
      // Every part takes part.
      for (int64_t k = 0; k < p.dial->part_count(); ++k) {
        double sum = 0;
        for (int64_t m = 0; m < p.dial->part(k).size; ++m) sum += fabs(p.part(g, k)[m]);
        assert_true(sum > 1e-6);
      }
    }
}

// Factored attention with the same maps and values.
void dial_0_is_factored_attention(void **) {
  const int64_t sites = 8, q = 5;
  for (atp_map map : {ATP_MAP_FREE, ATP_MAP_SOFTMAX, ATP_MAP_LOWRANK})
    for (bool one_site : {false, true}) {
      DialProblem p(dial_shape(sites, q, 0, map), 20, Target::scalar, 5);
      AttentionShape shape;
      shape.sites = sites;
      shape.colors = q;
      shape.map = map;
      shape.rank = map == ATP_MAP_LOWRANK ? q : 0;
      shape.diagonal = ATP_DIAGONAL_AFTER;
      shape.scores_scaled = false;
      AttentionProblem factored(shape, p.count, {}, 64, Target::scalar);
      factored.data = p.data;
      factored.weights = p.weights;
      factored.masked = p.masked;
      Vector at = p.parameters;
      if (map == ATP_MAP_LOWRANK) {
        // Q_i = Q p_i, K_i = K p_i.
        at.assign(static_cast<size_t>(shape.parameters()), 0.0);
        for (size_t i = 0; i < 8; ++i)
          for (size_t r = 0; r < 5; ++r)
            for (size_t b = 0; b < 5; ++b) {
              at[i * 5 + r] += p.part(p.parameters, 1)[r * 5 + b] * p.part(p.parameters, 0)[i * 5 + b];
              at[(8 + i) * 5 + r] += p.part(p.parameters, 2)[r * 5 + b] * p.part(p.parameters, 0)[i * 5 + b];
            }
        for (size_t k = 0; k < 25; ++k) at[80 + k] = p.part(p.parameters, 3)[k];
      }
      double loss = 0, expected = 0;
      const Vector g = p.gradient(p.parameters, p.view(one_site), &loss);
      const Vector h = factored.gradient(at, factored.view(one_site), &expected);
      assert_close(loss, expected, 1e-12, 0);
      const size_t values = map == ATP_MAP_LOWRANK ? 80 : 64,
                   own = static_cast<size_t>(p.dial->part(map == ATP_MAP_LOWRANK ? 3 : 1).offset);
      for (size_t k = 0; k < 25; ++k) assert_close(g[own + k], h[values + k], 1e-12, 1e-15);
      if (map != ATP_MAP_LOWRANK) {
        for (size_t k = 0; k < g.size(); ++k) assert_close(g[k], h[k], 1e-12, 1e-15);
      } else {
        // dL/dQ(r, b) = sum_i dL/dQ_i(r) p_i(b)
        for (size_t r = 0; r < 5; ++r)
          for (size_t b = 0; b < 5; ++b) {
            double sum = 0;
            for (size_t i = 0; i < 8; ++i) sum += h[i * 5 + r] * p.part(p.parameters, 0)[i * 5 + b];
            assert_close(p.part(g, 1)[r * 5 + b], sum, 1e-12, 1e-15);
          }
      }
      // With the diagonal left out before the softmax it is another function.
      if (map == ATP_MAP_FREE) continue;
      shape.diagonal = ATP_DIAGONAL_BEFORE;
      AttentionProblem other(shape, p.count, {}, 64, Target::scalar);
      other.data = p.data;
      other.weights = p.weights;
      other.masked = p.masked;
      assert_true(fabs(other.loss(at, other.view(one_site)) - loss) > 1e-4);
    }
}

void head_is_the_couplings(void **) {
  for (atp_map map : {ATP_MAP_FREE, ATP_MAP_SOFTMAX, ATP_MAP_LOWRANK}) {
    DialProblem p(dial_shape(6, 4, 0, map), 5, Target::scalar, 9);
    Vector a(36, NAN), v(16, NAN), free(52);
    p.dial->head(DialProblem::span(p.parameters), a.data(), v.data(), Team(1));
    for (size_t i = 0; i < 6; ++i) assert_true(a[i * 7] == 0);
    std::copy(a.begin(), a.end(), free.begin());
    std::copy(v.begin(), v.end(), free.begin() + 36);
    DialProblem other(dial_shape(6, 4, 0, ATP_MAP_FREE), 5, Target::scalar, 9);
    assert_close(other.loss(free, other.view(false)), p.loss(p.parameters, p.view(false)), 1e-14, 0);
  }
}

// Without a masked vector the layer becomes factored attention as a -> 0.
void continuous_at_0(void **) {
  DialProblem factored(dial_shape(7, 5, 0), 15, Target::scalar, 11);
  const double expected = factored.loss(factored.parameters, factored.view(false));
  double before = 0;
  for (double a : {1e-2, 1e-3, 1e-4}) {
    DialProblem p(dial_shape(7, 5, a), 15, Target::scalar, 11);
    Vector at = factored.parameters;
    at.resize(p.parameters.size(), 0.0);  // m = 0
    const double gap = fabs(p.loss(at, p.view(false)) - expected);
    assert_true(gap < 2 * a && gap > 1e-3 * a);
    if (before > 0) assert_close(gap / before, 0.1, 0.1, 0);
    before = gap;
    // A masked vector is seen by the values however small a is.
    for (size_t b = 0; b < 5; ++b) at[at.size() - 1 - b] = 2;
    assert_true(fabs(p.loss(at, p.view(false)) - expected) > 1e-2);
  }
}

// Plain attention without positions does not depend on the order of the sites.
void no_order_without_positions(void **) {
  const int64_t sites = 7, q = 5;
  for (bool positions : {false, true}) {
    DialProblem p(dial_shape(sites, q, 1), 10, Target::scalar, 13);
    if (!positions) std::fill_n(p.parameters.begin(), sites * q, 0.0);
    const Vector at = p.parameters;
    const double loss = p.loss(at, p.view(true));
    // Sites i -> 3 i + 2 mod 7, masked ones with them.
    std::vector<uint8_t> moved(p.data.size());
    for (int64_t n = 0; n < p.count; ++n) {
      for (int64_t i = 0; i < sites; ++i)
        moved[static_cast<size_t>(n * sites + (3 * i + 2) % sites)] = p.data[static_cast<size_t>(n * sites + i)];
      p.masked[static_cast<size_t>(n)] = (3 * p.masked[static_cast<size_t>(n)] + 2) % sites;
    }
    p.data = moved;
    const double other = p.loss(at, p.view(true));
    if (positions)
      assert_true(fabs(other - loss) > 1e-4);
    else
      assert_close(other, loss, 1e-13, 0);
  }
}

void rows_choose_sequences(void **) {
  for (int precision : {64, 32})
    for (const Kind &kind : kKinds)
      for (bool one_site : {false, true}) {
        DialProblem p(dial_shape(6, 4, kind.dial, kind.map, precision), 12, Target::scalar, 3);
        const int64_t rows[] = {7, 2, 11, 2};
        int64_t sites[4];
        for (int k = 0; k < 4; ++k) sites[k] = (3 * k + 1) % 6;
        MaskedData d = p.view(one_site);
        d.rows = rows;
        d.count = 4;
        if (one_site) d.masked = sites;
        double sum = 0, total = 0, loss = 0;
        Vector expected(p.parameters.size(), 0.0);
        for (int k = 0; k < 4; ++k) {
          MaskedData one = d;
          one.rows = rows + k;
          one.masked = one_site ? sites + k : nullptr;
          one.count = 1;
          const double w = p.weights[static_cast<size_t>(rows[k])];
          const Vector g = p.gradient(p.parameters, one, &loss);
          sum += w * loss;
          total += w;
          for (size_t m = 0; m < g.size(); ++m) expected[m] += w * g[m];
        }
        for (double &x : expected) x /= total;
        const Vector g = p.gradient(p.parameters, d, &loss);
        assert_close(loss, sum / total, precision == 64 ? 1e-13 : 1e-6, 0);
        assert_true(distance(g, expected) < (precision == 64 ? 1e-13 : 1e-6) * norm(g));
      }
}

void weightless_batch(void **) {
  for (int precision : {64, 32}) {
    DialProblem p(dial_shape(5, 3, 0.5, ATP_MAP_LOWRANK, precision), 9, Target::scalar, 3);
    const int64_t rows[] = {3, 8};  // both of weight 0
    MaskedData d = p.view(false);
    d.rows = rows;
    d.count = 2;
    double loss = NAN;
    for (double x : p.gradient(p.parameters, d, &loss)) assert_true(x == 0);
    assert_true(loss == 0);
  }
}

void threads_do_not_matter(void **) {
  for (int precision : {64, 32})
    for (const Kind &kind : kKinds)
      for (bool one_site : {false, true}) {
        // 70 sites of 21 colours: products of matrices are shared out, too.
        DialProblem p(dial_shape(70, 21, kind.dial, kind.map, precision), one_site ? 600 : 40, Target::scalar, 13, 0.3);
        const MaskedData pairs = p.view(one_site), all = p.view(false);
        double loss = 0;
        const Vector g = p.gradient(p.parameters, pairs, &loss);
        Vector maps(70 * 70), conditionals(static_cast<size_t>(pairs.pairs() * 21));
        p.dial->maps(DialProblem::span(p.parameters), all, maps.data(), Team(1));
        p.dial->conditionals(DialProblem::span(p.parameters), pairs, conditionals.data(), Team(1));
        for (int threads : {2, 3}) {
          double other = 0;
          const Vector h = p.gradient(p.parameters, pairs, &other, threads);
          assert_true(other == loss);
          assert_true(h == g);
          assert_true(p.loss(p.parameters, pairs, threads) == loss);
          Vector other_maps(maps.size()), other_conditionals(conditionals.size());
          p.dial->maps(DialProblem::span(p.parameters), all, other_maps.data(), Team(threads));
          p.dial->conditionals(DialProblem::span(p.parameters), pairs, other_conditionals.data(), Team(threads));
          assert_true(other_maps == maps && other_conditionals == conditionals);
        }
      }
}

void starts_know_nothing(void **) {
  for (const Kind &kind : kKinds)
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      DialProblem p(dial_shape(20, 20, kind.dial, kind.map, 32), 100, Target::scalar, seed);
      Vector at(p.parameters.size(), NAN);
      p.dial->init(seed, 0.1, {at.data(), static_cast<int64_t>(at.size())});
      const double loss = p.loss(at, p.view(false));
      assert_close(loss, log(20.0), 0.05, 0);
      double sum = 0;
      for (double x : p.gradient(at, p.view(false))) sum += x * x;
      assert_true(sqrt(sum) > 1e-3);  // and no saddle
      Vector other(at.size());
      p.dial->init(seed + 1, 0.1, {other.data(), static_cast<int64_t>(other.size())});
      assert_true(distance(at, other) > 0.5 * norm(at));
    }
}

void parts(void **) {
  const struct {
    Kind kind;
    std::vector<const char *> names;
  } cases[] = {{{0.5, ATP_MAP_LOWRANK}, {"positions", "queries", "keys", "values", "mask"}},
               {{0, ATP_MAP_LOWRANK}, {"positions", "queries", "keys", "values"}},
               {{0, ATP_MAP_SOFTMAX}, {"scores", "values"}},
               {{0, ATP_MAP_FREE}, {"map", "values"}}};
  for (const auto &c : cases) {
    DialProblem p(dial_shape(6, 4, c.kind.dial, c.kind.map), 2, Target::scalar, 1);
    assert_int_equal(p.dial->part_count(), c.names.size());
    int64_t next = 0;
    for (int64_t k = 0; k < p.dial->part_count(); ++k) {
      const Part part = p.dial->part(k);
      assert_string_equal(part.name, c.names[static_cast<size_t>(k)]);
      assert_int_equal(part.offset, next);
      next += part.size;
    }
    assert_int_equal(next, p.dial->parameter_count());
  }
}

Options options_of(std::initializer_list<std::pair<atp_option, double>> pairs) {
  Options options(kTrainerOptions);
  for (const auto &p : pairs) options.set(p.first, p.second);
  return options;
}

void options(void **) {
  assert_true(dial_settings(Options(kTrainerOptions), 6, 4).map == ATP_MAP_LOWRANK);
  assert_true(dial_settings(Options(kTrainerOptions), 6, 4).dial == 0);
  assert_true(dial_settings(options_of({{ATP_OPT_MAP, ATP_MAP_FREE}}), 6, 4).map == ATP_MAP_FREE);
  assert_true(dial_settings(options_of({{ATP_OPT_MAP, ATP_MAP_LOWRANK}, {ATP_OPT_DIAL, 0.5}}), 6, 4).content());
  assert_true(dial_settings(options_of({{ATP_OPT_WIDTH, 4}}), 6, 4).colors == 4);
  const struct {
    Options options;
    const char *words;
  } wrong[] = {{options_of({{ATP_OPT_MAP, ATP_MAP_FREE}, {ATP_OPT_DIAL, 0.5}}), "map is free and dial is 0.5"},
               {options_of({{ATP_OPT_MAP, ATP_MAP_SOFTMAX}, {ATP_OPT_DIAL, 1}}), "map is softmax and dial is 1"},
               {options_of({{ATP_OPT_WIDTH, 20}}), "width is 20 and the data have 4 colours"}};
  for (const auto &w : wrong) {
    bool caught = false;
    try {
      dial_settings(w.options, 6, 4);
    } catch (const Error &e) {
      caught = e.status() == ATP_E_CONFLICT && strstr(e.what(), w.words) != nullptr;
    }
    assert_true(caught);
  }
  for (double dial : {-0.1, 1.1, static_cast<double>(NAN)}) {
    Options o(kTrainerOptions);
    bool caught = false;
    try {
      o.set(ATP_OPT_DIAL, dial);
    } catch (const Error &) {
      caught = true;
    }
    assert_true(caught);
  }
}

}  // namespace

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(definition),
    cmocka_unit_test(gradient_against_differences),
    cmocka_unit_test(dial_0_is_factored_attention),
    cmocka_unit_test(head_is_the_couplings),
    cmocka_unit_test(continuous_at_0),
    cmocka_unit_test(no_order_without_positions),
    cmocka_unit_test(rows_choose_sequences),
    cmocka_unit_test(weightless_batch),
    cmocka_unit_test(threads_do_not_matter),
    cmocka_unit_test(starts_know_nothing),
    cmocka_unit_test(parts),
    cmocka_unit_test(options),
};

int main(void) {
  where_races_are_sought("threads_do_not_matter");
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
