// SPDX-License-Identifier: MIT
// Scores, curvature, covariance and excess losses: against finite differences of losses written down here, against closed forms, and
// against estimates from samples.
#include "small_potts.hpp"

#include "learn/asymptotics/asymptotics.hpp"
#include "learn/asymptotics/sandwich.hpp"
#include "potts/coupling_error.hpp"

#include "support.h"  // last: cmocka has a macro fail()

#include <functional>

using namespace atp;

namespace {

using Loss = std::function<double(const Model &, const uint8_t *)>;

// A copy of the model with its k-th unknown moved by `step`. Maps have beta = 1 here.
Owner<Model> moved(const Unknowns &x, int64_t k, double step) {
  const Model &from = x.model();
  Owner<Model> model(copy_model(*from.context, from));
  const int64_t L = from.sites(), q = from.colors(), d = q - 1;
  const double *e = x.basis();
  if (k < x.fields()) {
    for (int64_t a = 0; a < q; ++a) model->fields[k / d * q + a] += step * e[k % d * q + a];
    return model;
  }
  const int64_t pair = (k - x.fields()) / (d * d), u = (k - x.fields()) / d % d, v = (k - x.fields()) % d;
  int64_t place = 0;
  if (!x.learned().factored) {
    for (int64_t i = 0; i < L; ++i)
      for (int64_t j = 0; j < L; ++j) {
        if (i == j || (!x.learned().asymmetric && j < i) || place++ != pair) continue;
        for (int64_t a = 0; a < q; ++a)
          for (int64_t b = 0; b < q; ++b) {
            const double by = step * e[u * q + a] * e[v * q + b];
            if (from.sees(i, j)) model->couplings[((i * L + j) * q + a) * q + b] += by;
            if (!x.learned().asymmetric && from.sees(j, i)) model->couplings[((j * L + i) * q + b) * q + a] += by;
          }
      }
    return model;
  }
  if (k < x.values()) {
    const int64_t m = k - x.fields(), h = m / (L * (L - 1)), i = m / (L - 1) % L, j = m % (L - 1);
    model->maps[(h * L + i) * L + (j < i ? j : j + 1)] += step;
    return model;
  }
  const int64_t m = k - x.values();
  if (x.learned().symmetrized) {
    model->values[m] += step;
  } else {
    const int64_t h = m / (d * q), row = m / q % d, b = m % q;
    for (int64_t a = 0; a < q; ++a) model->values[(h * q + a) * q + b] += step * e[row * q + a];
  }
  return model;
}

struct Case {
  const char *name;
  bool heads, ordered;
  Learned learned;
  Score score;
  Masks masks;
};

double log_conditional(const Model &m, const uint8_t *s, int64_t i, const std::function<double(int64_t, int64_t, int64_t)> &coupling,
                       const uint8_t *shown) {
  double logits[8], sum = 0;
  for (int64_t a = 0; a < m.colors(); ++a) {
    logits[a] = m.fields.empty() ? 0 : m.fields[i * m.colors() + a];
    for (int64_t j = 0; j < m.sites(); ++j)
      if (j != i && m.sees(i, j) && shown[j] != kMissing) logits[a] += coupling(i * m.sites() + j, a, s[j]);
    sum += std::exp(logits[a]);
  }
  return logits[s[i]] - std::log(sum);
}

double coupling_of(const Model &m, bool symmetrized, int64_t pair, int64_t a, int64_t b) {
  const int64_t i = pair / m.sites(), j = pair % m.sites();
  return symmetrized ? (m.coupling(i, j, a, b) + m.coupling(j, i, b, a)) / 2 : m.coupling(i, j, a, b);
}

// The loss of one sequence from its definition.
double loss_of(const Case &c, const Model &m, const uint8_t *s) {
  const auto coupling = [&](int64_t pair, int64_t a, int64_t b) { return coupling_of(m, c.learned.symmetrized, pair, a, b); };
  const int64_t L = m.sites();
  double sum = 0;
  if (c.score == Score::likelihood) {  // less log Z, which has no sequence
    for (int64_t i = 0; i < L; ++i) {
      sum -= m.fields.empty() ? 0 : m.fields[i * m.colors() + s[i]];
      for (int64_t j = 0; j < i; ++j) sum -= (coupling(i * L + j, s[i], s[j]) + coupling(j * L + i, s[j], s[i])) / 2;
    }
    return sum;
  }
  for (int64_t hidden = 0; hidden < (c.masks.kind == Masks::all ? int64_t{1} << L : 1); ++hidden) {
    std::vector<uint8_t> shown(s, s + L);
    double weight = 1;
    for (int64_t j = 0; j < L && c.masks.kind == Masks::all; ++j) {
      weight *= (hidden >> j & 1) != 0 ? c.masks.probability : 1 - c.masks.probability;
      if ((hidden >> j & 1) != 0) shown[static_cast<size_t>(j)] = kMissing;
    }
    for (int64_t i = 0; i < L; ++i)
      if (c.masks.kind == Masks::none || (hidden >> i & 1) != 0) sum -= weight * log_conditional(m, s, i, coupling, shown.data());
  }
  return sum;
}

std::vector<Case> cases() {
  const Learned dense, asymmetric{false, false, true, true, false}, known{true, true, false, false, false},
      learned{true, false, true, false, false}, symmetrized{true, false, true, false, true};
  Masks masks;
  masks.kind = Masks::all;
  masks.probability = 0.3;
  return {{"dense", false, false, dense, Score::conditional, {}},
          {"asymmetric", false, false, asymmetric, Score::conditional, {}},
          {"likelihood", false, false, dense, Score::likelihood, {}},
          {"autoregressive", false, true, dense, Score::conditional, {}},
          {"dense, masks", false, false, dense, Score::conditional, masks},
          {"V known", true, false, known, Score::conditional, {}},
          {"V learned", true, false, learned, Score::conditional, {}},
          {"V learned, masks", true, false, learned, Score::conditional, masks},
          {"symmetrized", true, false, symmetrized, Score::conditional, {}},
          {"likelihood of heads", true, false, symmetrized, Score::likelihood, {}}};
}

void mirror(double *matrix, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < i; ++j) matrix[i * n + j] = matrix[j * n + i];
}

Owner<Model> model_of(const Case &c, Context &context, int64_t sites, int64_t colors) {
  ModelShape shape{sites, colors, c.heads ? 2 : 0, c.learned.fields};
  shape.ordered = c.ordered;
  Owner<Model> m(make_model(context, shape));
  const RandomView random(11, Stream::start, 0, 1);
  uint64_t at = 0;
  for (double &x : m->fields) x = 0.4 * random.normal(at++);
  for (double &x : m->values) x = random.normal(at++);
  for (int64_t h = 0; h < m->shape.heads; ++h)
    for (int64_t i = 0; i < sites; ++i)
      for (int64_t j = 0; j < sites; ++j)
        if (i != j) m->maps[(h * sites + i) * sites + j] = 0.5 * random.normal(at++);
  for (int64_t h = 0; c.learned.symmetrized && h < m->shape.heads; ++h) {  // such a model has symmetric heads
    mirror(m->maps.data() + h * sites * sites, sites);
    mirror(m->values.data() + h * colors * colors, colors);
  }
  for (int64_t i = 0; !c.heads && i < sites; ++i)
    for (int64_t j = i + 1; j < sites; ++j)
      for (int64_t a = 0; a < colors; ++a)
        for (int64_t b = 0; b < colors; ++b) {
          const double x = 0.5 * random.normal(at++);
          if (m->sees(i, j)) m->couplings[((i * sites + j) * colors + a) * colors + b] = x;
          if (m->sees(j, i)) m->couplings[((j * sites + i) * colors + b) * colors + a] = x;
        }
  return m;
}

// Scores of all states by first differences, and the curvature by differences of scores of conditionals under the model's conditionals.
struct Differences {
  std::vector<double> scores, covariance;  // [states][p], [p][p]
};

Differences differences(const Case &c, const Unknowns &x, const Alignment &all) {
  const size_t p = static_cast<size_t>(x.count()), n = static_cast<size_t>(all.count());
  Differences out{std::vector<double>(n * p), std::vector<double>(p * p)};
  const double step = 1e-5;
  for (size_t k = 0; k < p; ++k) {
    const Owner<Model> up = moved(x, static_cast<int64_t>(k), step), down = moved(x, static_cast<int64_t>(k), -step);
    for (size_t m = 0; m < n; ++m) {
      const uint8_t *s = all.sequence(static_cast<int64_t>(m));
      out.scores[m * p + k] = (loss_of(c, *up, s) - loss_of(c, *down, s)) / (2 * step);
    }
  }
  std::vector<double> mean(p);
  for (size_t m = 0; m < n; ++m)
    for (size_t k = 0; k < p; ++k) mean[k] += all.weights[static_cast<int64_t>(m)] * out.scores[m * p + k];
  for (size_t m = 0; m < n; ++m)
    for (size_t k = 0; k < p; ++k)
      for (size_t l = 0; l < p; ++l)
        out.covariance[k * p + l] +=
            all.weights[static_cast<int64_t>(m)] * (out.scores[m * p + k] - mean[k]) * (out.scores[m * p + l] - mean[l]);
  return out;
}

// H is E sum over predicted sites of (d log p)(d log p)^T under the model's conditionals: second differences of the loss agree where the
// unknowns are linear in the logits.
double second_difference(const Case &c, const Unknowns &x, const Alignment &all, int64_t k, int64_t l) {
  const double step = 2e-4;
  double sum = 0;
  const auto mean = [&](double by_k, double by_l) {
    const Owner<Model> first = moved(x, k, by_k);
    Unknowns again(*first, x.learned());
    const Scratch scratch(first->context->allocator, bytes_laid_out(again));
    Arena arena = scratch.arena();
    again.lay_out(arena);
    again.init();
    const Owner<Model> both = moved(again, l, by_l);
    double total = 0;
    for (int64_t m = 0; m < all.count(); ++m) total += all.weights[m] * loss_of(c, *both, all.sequence(m));
    return total;
  };
  sum = mean(step, step) - mean(step, -step) - mean(-step, step) + mean(-step, -step);
  return sum / (4 * step * step);
}

void moments_are_derivatives(void **) {
  for (const Case &c : cases()) {
    SmallPotts potts(3, 3, 0.8, 5);  // its states with weights of their own: the formulas hold for any
    const Owner<Model> model = model_of(c, potts.context, 3, 3);
    Unknowns x(*model, c.learned);
    const States states(*model, *potts.states);
    MomentsPass pass(x, states, c.masks, potts.context.threads);
    Moments found;
    const auto lay_out = [&](Arena &arena) {
      x.lay_out(arena);
      pass.lay_out(arena);
      found.lay_out(arena, x.count());
    };
    const Scratch scratch(potts.context.allocator, bytes_taken(lay_out));
    Arena arena = scratch.arena();
    lay_out(arena);
    x.init();
    pass.run(c.score, found);
    const int64_t p = x.count();
    const Differences wanted = differences(c, x, *potts.states);
    for (int64_t k = 0; k < p * p; ++k) assert_close(found.covariance[k], wanted.covariance[static_cast<size_t>(k)], 1e-6, 1e-8);
    if (c.score == Score::likelihood) continue;  // the curvature is another loss's
    double loss = 0;
    for (int64_t m = 0; m < potts.states->count(); ++m) loss += potts.states->weights[m] * loss_of(c, *model, potts.states->sequence(m));
    assert_close(found.loss, loss, 1e-12, 0);
    assert_close(found.predicted, c.masks.kind == Masks::all ? 3 * 0.3 : 3, 1e-12, 0);
    for (int64_t k = 0; k < p; k += 5)
      for (int64_t l = 0; l < p; l += 3) {
        const bool bent = c.heads && ((k < x.values()) != (l < x.values())) && k >= x.fields() && l >= x.fields();
        if (!bent) assert_close(found.curvature[k * p + l], second_difference(c, x, *potts.states, k, l), 1e-5, 3e-7);
      }
  }
}

struct Row {
  double values[ATP_ASYMPTOTICS_COLUMNS];
  double operator[](int column) const { return values[column]; }
};

Row row_of(Context &context, const Model &model, const Alignment *data, std::initializer_list<std::pair<atp_option, double>> options,
           double *errors = nullptr) {
  const Owner<Table> table(create_in_block<Table>(context.allocator, &context, &kAsymptoticsTable, int64_t{1}));
  asymptotics(context, model, data, asymptotics_settings(model, options_of(options, kAsymptoticsOptions)), {table.get(), errors});
  Row row{};
  for (int k = 0; k < ATP_ASYMPTOTICS_COLUMNS; ++k) row.values[k] = table->value(0, k);
  return row;
}

// Without couplings every pair's score has two equal parts, one of each of its sites: J = 4 v v', H = 2 v v', and pseudo-likelihood is as
// good as the likelihood, whatever the fields are. One regression for each site counts a pair once: H = J, and the mean of both copies is
// the same estimate.
void independent_sites_in_closed_form(void **) {
  const Case c = cases()[0];
  Context context(counting_alloc, counting_free, nullptr);
  const int64_t L = 4, q = 3, d = 2, fields = L * d, pairs = L * (L - 1) / 2 * d * d;
  const Owner<Model> model = model_of(c, context, L, q);
  for (double &x : model->couplings) x = 0;
  const double excess = static_cast<double>(fields + 2 * pairs) / (2 * L);
  const Row likely = row_of(context, *model, nullptr, {{ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_LIKELIHOOD}}),
            pseudo = row_of(context, *model, nullptr, {}), each = row_of(context, *model, nullptr, {{ATP_OPT_ASYMMETRIC, 1}}),
            many = row_of(context, *model, nullptr, {{ATP_OPT_SAMPLES, 1000}});
  assert_close(likely[ATP_ASYMPTOTICS_EXCESS], static_cast<double>(fields + pairs) / (2 * L), 1e-10, 0);
  assert_close(likely[ATP_ASYMPTOTICS_EXCESS_PSEUDOLIKELIHOOD], excess, 1e-9, 0);
  assert_close(pseudo[ATP_ASYMPTOTICS_EXCESS], excess, 1e-9, 0);
  assert_close(pseudo[ATP_ASYMPTOTICS_EXCESS_PSEUDOLIKELIHOOD], excess, 1e-9, 0);
  assert_close(pseudo[ATP_ASYMPTOTICS_COUPLING_ERROR], likely[ATP_ASYMPTOTICS_COUPLING_ERROR], 1e-9, 0);
  assert_close(pseudo[ATP_ASYMPTOTICS_SLACK], 0, 0, 1e-12);
  assert_close(each[ATP_ASYMPTOTICS_EXCESS], static_cast<double>(fields + 2 * pairs) / (2 * L), 1e-9, 0);
  assert_close(each[ATP_ASYMPTOTICS_EXCESS_PSEUDOLIKELIHOOD], excess, 1e-9, 0);
  assert_close(many[ATP_ASYMPTOTICS_EXCESS], excess / 1000, 1e-9, 0);
  assert_close(each[ATP_ASYMPTOTICS_RANK], static_cast<double>(fields + 2 * pairs), 0, 0);
}

// Two Ising spins without fields: the logit of both spins being equal is c = 2 J, v = p (1 - p), and the variance of c times M is 1 / v for
// pseudo-likelihood and likelihood alike. C_12 = +-c / 2. The trace is 2 for c and 1 for each field.
void two_spins_in_closed_form(void **) {
  Context context(counting_alloc, counting_free, nullptr);
  for (const double c : {0.0, 0.7, 2.5}) {
    const Owner<Model> model(make_model(context, {2, 2, 0, true}));
    for (int64_t a = 0; a < 2; ++a)
      for (int64_t b = 0; b < 2; ++b) model->couplings[4 + a * 2 + b] = model->couplings[8 + a * 2 + b] = a == b ? c / 2 : -c / 2;
    const double p = 1 / (1 + std::exp(-c));
    double errors[16];
    const Row row = row_of(context, *model, nullptr, {{ATP_OPT_SAMPLES, 100}}, errors);
    for (int64_t k = 0; k < 4; ++k) {
      assert_close(errors[4 + k], 0.5 / std::sqrt(100 * p * (1 - p)), 1e-9, 0);
      assert_close(errors[8 + k], errors[4 + k], 1e-12, 0);
      assert_true(errors[k] == 0 && errors[12 + k] == 0);
    }
    assert_close(row[ATP_ASYMPTOTICS_TRACE], 4, 1e-9, 0);
    assert_close(row[ATP_ASYMPTOTICS_EXCESS], 4.0 / (2 * 2 * 100), 1e-9, 0);
    assert_close(row[ATP_ASYMPTOTICS_COUPLING_ERROR], 2 * 4 * errors[4] * errors[4] / (4 * 2), 1e-9, 0);  // u^2 = q = 2
  }
}

// The third elementary symmetric polynomial of K_ik^2 over k.
double third(const std::vector<double> &squares) {
  double sums[4] = {1, 0, 0, 0};
  for (const double x : squares)
    for (int k = 3; k > 0; --k) sums[k] += x * sums[k - 1];
  return sums[3];
}

// Ising spins with weak couplings K_ij and no fields. Scores of pseudo-likelihood are (2 - N) times those of the likelihood up to second
// order in K, which is the same estimate. What differs first are the four-spin terms of tanh^3, so that pseudo-likelihood costs
//   tr H^-1 J - tr H I^-1 = 2 (L - 2) sum_i e_3(K_ik^2)
// in leading order, the sixth. Errors are of relative order K^2.
void weak_spins_in_closed_form(void **) {
  const int64_t L = 6;
  Context context(counting_alloc, counting_free, nullptr);
  for (const double scale : {0.1, 0.05}) {
    const Owner<Model> model(make_model(context, {L, 2, 0, true}));
    const RandomView random(3, Stream::start, 0, 0);
    double wanted = 0;
    for (int64_t i = 0; i < L; ++i) {
      std::vector<double> squares;
      for (int64_t j = 0; j < L; ++j) {
        if (i == j) continue;
        const double k = scale * random.normal(static_cast<uint64_t>(std::min(i, j) * L + std::max(i, j)));
        squares.push_back(k * k);
        for (int64_t a = 0; a < 2; ++a)
          for (int64_t b = 0; b < 2; ++b) model->couplings[((i * L + j) * 2 + a) * 2 + b] = a == b ? k : -k;
      }
      wanted += 2 * static_cast<double>(L - 2) * third(squares);
    }
    const Row likely = row_of(context, *model, nullptr, {{ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_LIKELIHOOD}}),
              pseudo = row_of(context, *model, nullptr, {});
    const double cost = 2 * static_cast<double>(L) * (pseudo[ATP_ASYMPTOTICS_EXCESS] - likely[ATP_ASYMPTOTICS_EXCESS_PSEUDOLIKELIHOOD]);
    print_message("K %g: %.6g, leading order %.6g\n", scale, cost, wanted);
    assert_close(cost / wanted, 1, 20 * scale * scale, 0);
  }
}

}  // namespace

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(moments_are_derivatives),
      cmocka_unit_test(independent_sites_in_closed_form),
      cmocka_unit_test(two_spins_in_closed_form),
      cmocka_unit_test(weak_spins_in_closed_form),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
