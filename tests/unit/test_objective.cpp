// SPDX-License-Identifier: MIT
// The objective of factored attention in float64: gradients against differences, the loss against the pseudo-likelihood of the equivalent
// dense couplings written from its definition, gauges, and the relation of the two modes.
#include "attention_slopes.hpp"

#include "support.h"  // last: cmocka has a macro fail()

using namespace atp;

namespace {

using Vector = std::vector<double>;

AttentionShape shape_of(int64_t sites, int64_t colors, int64_t heads, atp_map map, bool fields, bool fixed) {
  AttentionShape s;
  s.sites = sites;
  s.colors = colors;
  s.heads = heads;
  s.rank = 3;
  s.map = map;
  s.fields = fields;
  s.colors_fixed = fixed;
  return s;
}

constexpr atp_map kMaps[] = {ATP_MAP_FREE, ATP_MAP_SOFTMAX, ATP_MAP_LOWRANK};

void gradient_against_differences(void **) {
  Penalties penalties;
  penalties.couplings = 0.03;
  penalties.colors = 0.02;
  penalties.fields = 0.05;
  for (atp_map map : kMaps)
    for (int64_t heads : {1, 3})
      for (int flags = 0; flags < 4; ++flags)
        for (bool one_site : {false, true}) {
          AttentionProblem p(shape_of(5, 3, heads, map, (flags & 1) != 0, (flags & 2) != 0), 9, penalties, 64, Target::scalar, 7);
          const MaskedData d = p.view(one_site);
          Vector g = p.gradient(p.parameters, d);
          const double worst = worst_slope(p, d, g);
          if (!(worst < 1e-7))
            print_error("map %d, heads %d, flags %d, one site %d: %.3g\n", map, static_cast<int>(heads), flags, one_site, worst);
          assert_true(worst < 1e-7);
          // The check sees one element that is wrong by a millionth.
          size_t largest = 0;
          for (size_t k = 0; k < g.size(); ++k) largest = fabs(g[k]) > fabs(g[largest]) ? k : largest;
          g[largest] *= 1 + 1e-6;
          assert_true(worst_slope(p, d, g) > 0.5e-6);
        }
}

void rows_choose_sequences(void **) {
  AttentionProblem p(shape_of(6, 4, 2, ATP_MAP_FREE, true, false), 12, {}, 64, Target::scalar, 3);
  const int64_t rows[] = {7, 2, 11, 2};
  int64_t sites[4];
  for (bool one_site : {false, true}) {
    MaskedData d = p.view(one_site);
    d.rows = rows;
    d.count = 4;
    for (int k = 0; k < 4; ++k) sites[k] = (3 * k + 1) % 6;
    if (one_site) d.masked = sites;
    double sum = 0, total = 0;
    Vector expected(p.parameters.size(), 0.0);
    for (int k = 0; k < 4; ++k) {
      MaskedData one = d;
      one.rows = rows + k;
      one.masked = one_site ? sites + k : nullptr;
      one.count = 1;
      const double w = p.weights[static_cast<size_t>(rows[k])];
      double loss = 0;
      const Vector g = p.gradient(p.parameters, one, &loss);
      sum += w * loss;
      total += w;
      for (size_t m = 0; m < g.size(); ++m) expected[m] += w * g[m];
    }
    double loss = 0;
    const Vector g = p.gradient(p.parameters, d, &loss);
    assert_close(loss, sum / total, 1e-13, 0);
    for (size_t m = 0; m < g.size(); ++m) assert_close(g[m], expected[m] / total, 1e-12, 1e-14);
  }
}

void weightless_batch(void **) {
  Penalties penalties;
  penalties.couplings = 0.5;
  AttentionProblem p(shape_of(5, 3, 1, ATP_MAP_FREE, true, false), 9, penalties, 64, Target::scalar);
  const int64_t rows[] = {3, 8};  // both of weight 0
  MaskedData d = p.view(false);
  d.rows = rows;
  d.count = 2;
  double loss = NAN;
  const Vector g = p.gradient(p.parameters, d, &loss);
  assert_true(loss == 0);
  for (size_t k = 0; k < g.size(); ++k) assert_true(g[k] == (k < 25 && k / 5 != k % 5 ? p.parameters[k] : 0));
}

// The weighted mean over sequences and sites of -log p(s_i | rest) under dense couplings C_ij(a, b), from the definition.
double pseudolikelihood(const Vector &couplings, const Vector &fields, const AttentionProblem &p) {
  const int64_t sites = p.shape.sites, q = p.shape.colors;
  long double sum = 0, total = 0;
  for (int64_t n = 0; n < p.count; ++n) {
    const uint8_t *s = p.data.data() + n * sites;
    for (int64_t i = 0; i < sites; ++i) {
      long double z = 0, own = 0;
      for (int64_t a = 0; a < q; ++a) {
        long double logit = fields[static_cast<size_t>(i * q + a)];
        for (int64_t j = 0; j < sites; ++j)
          if (j != i) logit += couplings[static_cast<size_t>(((i * sites + j) * q + a) * q + s[j])];
        z += expl(logit);
        if (a == s[i]) own = logit;
      }
      sum += p.weights[static_cast<size_t>(n)] * (logl(z) - own);
    }
    total += p.weights[static_cast<size_t>(n)];
  }
  return static_cast<double>(sum / (total * sites));
}

void loss_is_the_pseudolikelihood(void **) {
  for (atp_map map : kMaps) {
    AttentionProblem p(shape_of(7, 5, 3, map, true, false), 40, {}, 64, Target::scalar, 11);
    const int64_t sites = 7, q = 5, heads = 3;
    Vector maps(static_cast<size_t>(heads * sites * sites)), values(static_cast<size_t>(heads * q * q)),
        fields(static_cast<size_t>(sites * q));
    p.objective->expand(p.span(p.parameters), {maps.data(), heads * sites * sites}, {values.data(), heads * q * q},
                        {fields.data(), sites * q});
    if (map != ATP_MAP_FREE)  // rows of attention sum to one
      for (int64_t row = 0; row < heads * sites; ++row) {
        double sum = 0;
        for (int64_t j = 0; j < sites; ++j) sum += maps[static_cast<size_t>(row * sites + j)];
        assert_close(sum, 1.0, 1e-14, 0);
        assert_true(maps[static_cast<size_t>(row * sites + row % sites)] == 0);
      }
    Vector couplings(static_cast<size_t>(sites * sites * q * q), 0.0);
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t pair = 0; pair < sites * sites; ++pair)
        for (int64_t ab = 0; ab < q * q; ++ab)
          couplings[static_cast<size_t>(pair * q * q + ab)] +=
              maps[static_cast<size_t>(h * sites * sites + pair)] * values[static_cast<size_t>(h * q * q + ab)];
    const double expected = pseudolikelihood(couplings, fields, p);
    assert_close(p.loss(p.parameters, p.view(false)), expected, 1e-12, 0);
    couplings[static_cast<size_t>((0 * sites + 1) * q * q)] += 1e-6;
    assert_true(fabs(pseudolikelihood(couplings, fields, p) - expected) > 1e-12 * expected);
  }
}

void gauges(void **) {
  const int64_t sites = 6, q = 4, heads = 2;
  AttentionProblem p(shape_of(sites, q, heads, ATP_MAP_FREE, true, false), 30, {}, 64, Target::scalar, 5);
  const double loss = p.loss(p.parameters, p.view(false));
  const size_t map_size = static_cast<size_t>(heads * sites * sites), value_size = static_cast<size_t>(heads * q * q);
  Vector scaled = p.parameters;
  for (size_t k = 0; k < map_size; ++k) scaled[k] *= 3.7;
  for (size_t k = 0; k < value_size; ++k) scaled[map_size + k] /= 3.7;
  assert_close(p.loss(scaled, p.view(false)), loss, 1e-12, 0);
  Vector shifted = p.parameters;
  for (size_t k = 0; k < value_size; ++k) shifted[map_size + k] += 0.3 + 0.7 * static_cast<double>(k % q);
  assert_close(p.loss(shifted, p.view(false)), loss, 1e-12, 0);
  shifted[map_size] += 1e-3;  // no gauge
  assert_true(fabs(p.loss(shifted, p.view(false)) - loss) > 1e-9);
}

void masked_loss_averages_to_the_full_one(void **) {
  const int64_t sites = 6;
  for (int precision : {64, 32}) {
    AttentionProblem p(shape_of(sites, 4, 2, ATP_MAP_FREE, true, false), 20, {}, precision, Target::scalar, 9);
    double full = 0, sum = 0;
    const Vector g = p.gradient(p.parameters, p.view(false), &full);
    Vector mean(g.size(), 0.0);
    for (int64_t i = 0; i < sites; ++i) {
      std::vector<int64_t> site(static_cast<size_t>(p.count), i);
      MaskedData d = p.view(false);
      d.masked = site.data();
      double loss = 0;
      const Vector part = p.gradient(p.parameters, d, &loss);
      sum += loss / static_cast<double>(sites);
      for (size_t k = 0; k < g.size(); ++k) mean[k] += part[k] / static_cast<double>(sites);
    }
    const double tolerance = precision == 64 ? 1e-13 : 1e-6;
    assert_close(sum, full, tolerance, 0);
    for (size_t k = 0; k < g.size(); ++k) assert_close(mean[k], g[k], tolerance, tolerance);
  }
}

void threads_do_not_matter(void **) {
  for (bool one_site : {false, true}) {
    AttentionProblem p(shape_of(21, 5, 2, ATP_MAP_LOWRANK, true, false), 60, {}, 64, Target::scalar, 13);
    double loss = 0;
    const Vector g = p.gradient(p.parameters, p.view(one_site), &loss);
    for (int threads : {2, 3}) {
      p.set_threads(threads);
      double other = 0;
      const Vector h = p.gradient(p.parameters, p.view(one_site), &other);
      assert_true(other == loss);
      assert_true(h == g);
    }
  }
}

}  // namespace

int main(void) {
  const CMUnitTest tests[] = {
      cmocka_unit_test(gradient_against_differences),
      cmocka_unit_test(rows_choose_sequences),
      cmocka_unit_test(weightless_batch),
      cmocka_unit_test(loss_is_the_pseudolikelihood),
      cmocka_unit_test(gauges),
      cmocka_unit_test(masked_loss_averages_to_the_full_one),
      cmocka_unit_test(threads_do_not_matter),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
