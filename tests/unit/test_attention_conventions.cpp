// SPDX-License-Identifier: MIT
// The two published conventions of factored attention on alignments, each written from its definition in plain loops, and every combination
// of the switches against differences.
#include "attention_slopes.hpp"

#include <algorithm>

#include "support.h"  // last: cmocka has a macro fail()

using namespace atp;

namespace {

using Vector = std::vector<double>;
using Wide = std::vector<long double>;

size_t at(int64_t k) { return static_cast<size_t>(k); }

AttentionShape shape_of(atp_map map, atp_diagonal diagonal, bool scaled, bool symmetrized) {
  AttentionShape s;
  s.sites = 5;
  s.colors = 4;
  s.heads = 3;
  s.rank = 2;
  s.map = map;
  s.fields = true;
  s.diagonal = diagonal;
  s.scores_scaled = scaled;
  s.symmetrized = symmetrized;
  return s;
}

// Parameters of low-rank maps, taken apart.
struct Layer {
  int64_t L, q, H, d;
  const double *query, *key, *value, *field;  // field may be NULL
  Layer(const AttentionShape &s, const Vector &x) : L(s.sites), q(s.states()), H(s.heads), d(s.rank), query(x.data()) {
    key = query + H * L * d;
    value = key + H * L * d;
    field = s.fields ? value + H * q * q : nullptr;
  }
  long double score(int64_t h, int64_t i, int64_t j) const {
    long double sum = 0;
    for (int64_t r = 0; r < d; ++r) sum += static_cast<long double>(query[(h * L + i) * d + r]) * key[(h * L + j) * d + r];
    return sum;
  }
  size_t place(int64_t i, int64_t j, int64_t a, int64_t b) const { return at(((i * L + j) * q + a) * q + b); }
};

// AttentionDCA: softmax over all j of Q_i . K_j, the diagonal struck out afterwards; J_ij(a, b) = sum_h A_h,ij V_h(a, b).
Wide after_couplings(const Layer &p) {
  Wide J(at(p.L * p.L * p.q * p.q), 0);
  for (int64_t h = 0; h < p.H; ++h)
    for (int64_t i = 0; i < p.L; ++i) {
      long double z = 0;
      for (int64_t j = 0; j < p.L; ++j) z += expl(p.score(h, i, j));
      for (int64_t j = 0; j < p.L; ++j)
        for (int64_t a = 0; a < p.q; ++a)
          for (int64_t b = 0; b < p.q; ++b)
            if (i != j) J[p.place(i, j, a, b)] += expl(p.score(h, i, j)) / z * p.value[(h * p.q + a) * p.q + b];
    }
  return J;
}

// mogwai: the scores / sqrt(d), -10000 on the diagonal, softmax, couplings, and the mean of J_ij and J_ji^T.
Wide before_couplings(const Layer &p) {
  Wide J(at(p.L * p.L * p.q * p.q), 0), S(J.size(), 0);
  for (int64_t h = 0; h < p.H; ++h)
    for (int64_t i = 0; i < p.L; ++i) {
      const auto weight = [&](int64_t j) { return expl(p.score(h, i, j) / sqrtl(static_cast<long double>(p.d)) - (i == j ? 10000 : 0)); };
      long double z = 0;
      for (int64_t j = 0; j < p.L; ++j) z += weight(j);
      for (int64_t j = 0; j < p.L; ++j)
        for (int64_t a = 0; a < p.q; ++a)
          for (int64_t b = 0; b < p.q; ++b) J[p.place(i, j, a, b)] += weight(j) / z * p.value[(h * p.q + a) * p.q + b];
    }
  for (int64_t i = 0; i < p.L; ++i)
    for (int64_t j = 0; j < p.L; ++j)
      for (int64_t a = 0; a < p.q; ++a)
        for (int64_t b = 0; b < p.q; ++b) S[p.place(i, j, a, b)] = (J[p.place(i, j, a, b)] + J[p.place(j, i, b, a)]) / 2;
  return S;
}

// The weighted mean over sequences and sites of -log p(s_i | rest). Where gaps are ignored colours count from 1, and sites of colour 0 are
// neither predicted nor seen.
long double mean_loss(const Layer &p, const Wide &J, const AttentionProblem &data, bool one_site) {
  const int gap = data.shape.gaps_ignored ? 1 : 0;
  long double sum = 0, total = 0;
  for (int64_t n = 0; n < data.count; ++n) {
    const uint8_t *s = data.data.data() + n * p.L;
    for (int64_t i = 0; i < p.L; ++i) {
      if (s[i] < gap || (one_site && i != data.masked[at(n)])) continue;
      long double z = 0, own = 0;
      for (int64_t a = 0; a < p.q; ++a) {
        long double x = p.field == nullptr ? 0 : p.field[i * p.q + a];
        for (int64_t j = 0; j < p.L; ++j)
          if (s[j] >= gap) x += J[p.place(i, j, a, s[j] - gap)];
        z += expl(x);
        if (a == s[i] - gap) own = x;
      }
      sum += data.weights[at(n)] * (logl(z) - own);
      total += data.weights[at(n)];
    }
  }
  return sum / total;
}

long double square(const Wide &J) {
  long double sum = 0;
  for (long double x : J) sum += x * x;
  return sum;
}

// Loss, objective and gradient of a convention against its definition.
void against_definition(const AttentionShape &shape, Wide (*couplings)(const Layer &), double l2_pairs, bool one_site = false,
                        double norm = 0) {
  Penalties penalties;
  penalties.pairs = l2_pairs;
  penalties.norm_pairs = norm;
  penalties.norm_fields = norm / 3;
  AttentionProblem p(shape, 25, penalties, 64, Target::scalar, 21);
  const auto definition = [&](const Vector &x) {
    const Layer layer(shape, x);
    const Wide J = couplings(layer);
    long double fields = 0;
    for (int64_t k = 0; k < shape.field_parameters(); ++k) fields += static_cast<long double>(layer.field[k]) * layer.field[k];
    return static_cast<double>(mean_loss(layer, J, p, one_site) + l2_pairs * square(J) + norm * sqrtl(square(J)) +
                               norm / 3 * sqrtl(fields));
  };
  const MaskedData d = p.view(one_site);
  assert_close(p.objective_value(p.parameters, d), definition(p.parameters), 1e-14, 0);
  Vector g = p.gradient(p.parameters, d);
  const double worst = worst_slope(definition, p.parameters, g);
  if (!(worst < 1e-7)) print_error("worst slope %.3g\n", worst);
  assert_true(worst < 1e-7);
  // These are the couplings of the corresponding model.
  const int64_t H = shape.coupling_heads(), L = shape.sites, q = shape.states();
  Vector maps(at(H * L * L)), values(at(H * q * q));
  p.objective->expand(p.span(p.parameters), {maps.data(), H * L * L}, {values.data(), H * q * q}, {});
  const Layer layer(shape, p.parameters);
  const Wide J = couplings(layer);
  for (int64_t i = 0; i < L; ++i)
    for (int64_t j = 0; j < L; ++j)
      for (int64_t a = 0; a < q; ++a)
        for (int64_t b = 0; b < q && i != j; ++b) {
          double sum = 0;
          for (int64_t h = 0; h < H; ++h) sum += maps[at((h * L + i) * L + j)] * values[at((h * q + a) * q + b)];
          assert_close(sum, static_cast<double>(J[layer.place(i, j, a, b)]), 1e-14, 1e-14);
        }
}

void attentiondca(void **) {
  AttentionShape shape = shape_of(ATP_MAP_LOWRANK, ATP_DIAGONAL_AFTER, false, false);
  shape.fields = false;
  against_definition(shape, after_couplings, 0);
  against_definition(shape, after_couplings, 0.001 / static_cast<double>(shape.sites));
  // Rows of its attention do not sum to one.
  AttentionProblem p(shape, 5, {}, 64, Target::scalar, 21);
  Vector maps(at(shape.heads * 25));
  p.objective->expand(p.span(p.parameters), {maps.data(), shape.heads * 25}, {}, {});
  for (int64_t row = 0; row < shape.heads * 5; ++row) {
    double sum = 0;
    for (int64_t j = 0; j < 5; ++j) sum += maps[at(row * 5 + j)];
    assert_true(sum > 0.1 && sum < 0.99);
    assert_true(maps[at(row * 5 + row % 5)] == 0);
  }
}

void mogwai(void **) {
  AttentionShape shape = shape_of(ATP_MAP_LOWRANK, ATP_DIAGONAL_BEFORE, true, true);
  against_definition(shape, before_couplings, 0);
  against_definition(shape, before_couplings, 0.02);
  shape.gaps_ignored = true;
  against_definition(shape, before_couplings, 0);
  against_definition(shape, before_couplings, 0.02);
  against_definition(shape, before_couplings, 0.02, true);
  // Its own penalty, on norms.
  for (bool gaps : {true, false}) {
    shape.gaps_ignored = gaps;
    against_definition(shape, before_couplings, 0, false, 0.3);
    against_definition(shape, before_couplings, 0.02, true, 0.3);
  }
}

// At zero the norms have no derivative, and pull nowhere.
void norms_at_zero(void **) {
  Penalties penalties;
  penalties.norm_pairs = penalties.norm_fields = 5;
  AttentionProblem with(shape_of(ATP_MAP_FREE, ATP_DIAGONAL_BEFORE, true, false), 9, penalties, 64, Target::scalar);
  AttentionProblem without(shape_of(ATP_MAP_FREE, ATP_DIAGONAL_BEFORE, true, false), 9, {}, 64, Target::scalar);
  const Vector zero(with.parameters.size(), 0.0);
  assert_true(with.gradient(zero, with.view(false)) == without.gradient(zero, without.view(false)));
  assert_true(with.objective_value(zero, with.view(false)) == without.objective_value(zero, without.view(false)));
}

void gaps_ignored(void **) {
  AttentionShape shape = shape_of(ATP_MAP_LOWRANK, ATP_DIAGONAL_AFTER, false, false);
  shape.gaps_ignored = true;
  for (bool fields : {true, false})
    for (bool one_site : {false, true}) {
      shape.fields = fields;
      against_definition(shape, after_couplings, 0.02, one_site);
    }
}

// Nothing but gaps: nothing is predicted.
void only_gaps(void **) {
  for (int precision : {64, 32}) {
    AttentionShape shape = shape_of(ATP_MAP_FREE, ATP_DIAGONAL_BEFORE, true, false);
    shape.gaps_ignored = true;
    AttentionProblem p(shape, 9, {}, precision, Target::scalar);
    std::fill(p.data.begin(), p.data.end(), uint8_t{0});
    for (bool one_site : {false, true}) {
      double loss = NAN;
      for (double x : p.gradient(p.parameters, p.view(one_site), &loss)) assert_true(x == 0);
      assert_true(loss == 0);
    }
  }
}

// The definitions differ: each switch is seen.
void switches_are_seen(void **) {
  const AttentionShape base = shape_of(ATP_MAP_LOWRANK, ATP_DIAGONAL_BEFORE, true, false);
  AttentionShape other[4] = {base, base, base, base};
  other[0].diagonal = ATP_DIAGONAL_AFTER;
  other[1].scores_scaled = false;
  other[2].symmetrized = true;
  other[3].values_shared = true;
  AttentionProblem p(base, 25, {}, 64, Target::scalar, 21);
  const double loss = p.loss(p.parameters, p.view(false));
  for (const AttentionShape &shape : other) {
    AttentionProblem changed(shape, 25, {}, 64, Target::scalar, 21);
    assert_true(fabs(changed.loss(changed.parameters, changed.view(false)) - loss) > 1e-4);
  }
}

void gradients_of_all_combinations(void **) {
  Penalties penalties;
  penalties.couplings = 0.03;
  penalties.colors = 0.02;
  penalties.fields = 0.05;
  penalties.pairs = 0.04;
  penalties.norm_pairs = 0.3;
  penalties.norm_fields = 0.2;
  for (atp_map map : {ATP_MAP_FREE, ATP_MAP_SOFTMAX, ATP_MAP_LOWRANK})
    for (atp_diagonal diagonal : {ATP_DIAGONAL_BEFORE, ATP_DIAGONAL_AFTER})
      for (int flags = 0; flags < 64; ++flags) {
        const bool scaled = (flags & 1) != 0, symmetrized = (flags & 2) != 0, one_site = (flags & 8) != 0;
        AttentionShape shape = shape_of(map, diagonal, scaled, symmetrized);
        shape.colors_fixed = (flags & 4) != 0;
        shape.gaps_ignored = (flags & 16) != 0;
        shape.values_shared = (flags & 32) != 0;
        AttentionProblem p(shape, 9, penalties, 64, Target::scalar, 7);
        const MaskedData d = p.view(one_site);
        Vector g = p.gradient(p.parameters, d);
        const double worst = worst_slope(p, d, g);
        if (!(worst < 1e-7)) print_error("map %d, diagonal %d, flags %d: %.3g\n", map, diagonal, flags, worst);
        assert_true(worst < 1e-7);
        // The check sees one element that is wrong by a millionth.
        size_t largest = 0;
        for (size_t k = 0; k < g.size(); ++k) largest = fabs(g[k]) > fabs(g[largest]) ? k : largest;
        g[largest] *= 1 + 1e-6;
        assert_true(worst_slope(p, d, g) > 0.5e-6);
      }
}

// One V for all heads is as many equal ones, and its gradient is the sum of theirs.
void one_value_for_all_heads(void **) {
  for (bool gaps : {false, true}) {
    AttentionShape shape = shape_of(ATP_MAP_LOWRANK, ATP_DIAGONAL_BEFORE, true, gaps), shared = shape;
    shape.gaps_ignored = shared.gaps_ignored = gaps;
    shared.values_shared = true;
    AttentionProblem one(shared, 25, {}, 64, Target::scalar, 21), many(shape, 25, {}, 64, Target::scalar, 21);
    const auto maps = static_cast<std::ptrdiff_t>(shape.map_parameters()), size = static_cast<std::ptrdiff_t>(shared.value_count());
    const Vector &x = one.parameters;
    Vector y(x.begin(), x.begin() + maps);
    for (int64_t h = 0; h < shape.heads; ++h) y.insert(y.end(), x.begin() + maps, x.begin() + maps + size);
    y.insert(y.end(), x.begin() + maps + size, x.end());
    double loss = NAN, same = NAN;
    const Vector g = one.gradient(x, one.view(false), &loss), each = many.gradient(y, many.view(false), &same);
    assert_true(loss == same);
    for (std::ptrdiff_t k = 0; k < size; ++k) {
      double sum = 0;
      for (int64_t h = 0; h < shape.heads; ++h) sum += each[at(maps + h * size + k)];
      assert_close(g[at(maps + k)], sum, 1e-14, 1e-16);
    }
  }
}

void diagonals_that_change_nothing(void **) {
  // Neither loss nor penalties move with a diagonal that is ignored; the one that takes part in the softmax moves them.
  Penalties penalties;
  penalties.couplings = 0.5;
  for (atp_map map : {ATP_MAP_FREE, ATP_MAP_SOFTMAX})
    for (atp_diagonal diagonal : {ATP_DIAGONAL_BEFORE, ATP_DIAGONAL_AFTER}) {
      const AttentionShape shape = shape_of(map, diagonal, true, true);
      AttentionProblem p(shape, 9, penalties, 64, Target::scalar, 7);
      const double before = p.objective_value(p.parameters, p.view(false)), loss = p.loss(p.parameters, p.view(false));
      Vector x = p.parameters;
      x[6] += 1;
      const bool seen = map == ATP_MAP_SOFTMAX && diagonal == ATP_DIAGONAL_AFTER;
      assert_true((p.objective_value(x, p.view(false)) != before) == seen);
      assert_true((p.loss(x, p.view(false)) != loss) == seen);
    }
}

void pairs_pull_without_weights(void **) {
  Penalties penalties;
  penalties.pairs = 0.5;
  AttentionProblem p(shape_of(ATP_MAP_FREE, ATP_DIAGONAL_BEFORE, true, true), 9, penalties, 64, Target::scalar);
  const int64_t rows[] = {3, 8};  // both of weight 0
  MaskedData d = p.view(false);
  d.rows = rows;
  d.count = 2;
  double loss = NAN;
  const Vector g = p.gradient(p.parameters, d, &loss);
  assert_true(loss == 0);
  assert_true(worst_slope(p, d, g) < 1e-7);
}

void threads_targets_and_precisions(void **) {
  Penalties penalties;
  penalties.pairs = 0.01;
  for (bool symmetrized : {false, true})
    for (int flags = 0; flags < 4; ++flags) {
      const int precision = (flags & 1) != 0 ? 32 : 64;
      AttentionShape shape = shape_of(ATP_MAP_LOWRANK, symmetrized ? ATP_DIAGONAL_BEFORE : ATP_DIAGONAL_AFTER, symmetrized, symmetrized);
      shape.sites = 70;  // more than one block
      shape.rank = 3;
      shape.gaps_ignored = (flags & 2) != 0;
      AttentionProblem p(shape, 300, penalties, precision, Target::scalar, 13), exact(shape, 300, penalties, 64, Target::scalar, 13);
      for (bool one_site : {false, true}) {
        double loss = 0, other = 0;
        const Vector g = p.gradient(p.parameters, p.view(one_site), &loss);
        for (int threads : {2, 3}) {
          p.set_threads(threads);
          assert_true(p.gradient(p.parameters, p.view(one_site), &other) == g);
          assert_true(other == loss);
        }
        p.set_threads(1);
        for (Target target : kTargets) {
          if (target == Target::sse4 || !target_available(target)) continue;  // SSE4 has no fused multiply-add
          AttentionProblem same(shape, 300, penalties, precision, target, 13);
          assert_true(same.gradient(same.parameters, same.view(one_site), &other) == g);
          assert_true(other == loss);
        }
        const Vector h = exact.gradient(exact.parameters, exact.view(one_site), &other);
        assert_close(loss, other, precision == 64 ? 0 : 1e-6, 0);
        double size = 0, error = 0;
        for (size_t k = 0; k < g.size(); ++k) {
          size += h[k] * h[k];
          error += (g[k] - h[k]) * (g[k] - h[k]);
        }
        assert_true(sqrt(error) <= (precision == 64 ? 0 : 1e-5) * sqrt(size));
      }
    }
}

}  // namespace

int main(void) {
  const CMUnitTest tests[] = {
      cmocka_unit_test(attentiondca),
      cmocka_unit_test(mogwai),
      cmocka_unit_test(norms_at_zero),
      cmocka_unit_test(gaps_ignored),
      cmocka_unit_test(only_gaps),
      cmocka_unit_test(switches_are_seen),
      cmocka_unit_test(gradients_of_all_combinations),
      cmocka_unit_test(one_value_for_all_heads),
      cmocka_unit_test(diagonals_that_change_nothing),
      cmocka_unit_test(pairs_pull_without_weights),
      cmocka_unit_test(threads_targets_and_precisions),
  };
  where_races_are_sought("threads_targets_and_precisions");
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
