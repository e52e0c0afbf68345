// SPDX-License-Identifier: MIT
// Training of autoregressive models: loss and gradient against formulas written from the definition, the probabilities of all sequences,
// fits on exact data, joint against site by site, orders.
#include "dense_slopes.hpp"
#include "ordered_problem.hpp"
#include "potts/evaluate.hpp"

#include <set>

#include "support.h"  // last: cmocka has a macro fail()

using namespace atp;

namespace {

using Order = std::vector<int64_t>;

Options dense_ordered(int precision, std::initializer_list<std::pair<atp_option, double>> more = {}) {
  Options options = dense_options(more);
  options.set(ATP_OPT_OBJECTIVE, int64_t{ATP_OBJECTIVE_AUTOREGRESSIVE});
  options.set(ATP_OPT_PRECISION, int64_t{precision});
  return options;
}

void set_order(Trainer &t, const Order &order) { t.set_order({order.data(), static_cast<int64_t>(order.size())}); }

Order shuffled(int64_t sites) {
  Order order;
  for (int64_t k = 0; k < sites; ++k) order.push_back((11 * k + 3) % sites);
  return order;
}

// The objective of dense couplings from its definition, and the gradient. Parameters as in trainer.h: fields, then pairs i < j.
struct Definition {
  const DenseProblem &problem;
  Order order;
  Pairs pairs;  // i < j, in order
  bool gaps_ignored;
  double l2_fields, l2_couplings;

  double evaluate(const Vector &x, Vector *gradient, double *loss) const {
    const Alignment &data = *problem.data;
    const int64_t L = data.sites(), first = gaps_ignored ? 1 : 0, q = data.colors() - first;
    std::vector<int64_t> place(order.size());
    for (size_t k = 0; k < order.size(); ++k) place[static_cast<size_t>(order[k])] = static_cast<int64_t>(k);
    if (gradient != nullptr) gradient->assign(x.size(), 0);
    double sum = 0, weight = 0, penalty = 0;
    for (int64_t n = 0; n < data.count(); ++n)
      for (int64_t i = 0; i < L; ++i) {
        const uint8_t *s = data.sequence(n);
        if (s[i] < first) continue;
        // Element of the parameters that gives colour a of site i a logit, for each pair with an earlier site; -1: none.
        const auto each = [&](auto &&visit) {
          for (size_t p = 0; p < pairs.size() / 2; ++p) {
            const int64_t one = pairs[2 * p], two = pairs[2 * p + 1], other = one == i ? two : one;
            if ((one != i && two != i) || place[static_cast<size_t>(other)] > place[static_cast<size_t>(i)] || s[other] < first) continue;
            for (int64_t a = 0; a < q; ++a) {
              const int64_t b = s[other] - first, at = one == i ? a * q + b : b * q + a;
              visit(a, static_cast<size_t>(L * q + static_cast<int64_t>(p) * q * q + at));
            }
          }
        };
        Vector p(static_cast<size_t>(q));
        for (int64_t a = 0; a < q; ++a) p[static_cast<size_t>(a)] = x[static_cast<size_t>(i * q + a)];
        each([&](int64_t a, size_t k) { p[static_cast<size_t>(a)] += x[k]; });
        double z = 0;
        for (double &v : p) z += v = std::exp(v);
        const size_t own = static_cast<size_t>(s[i] - first);
        sum -= data.weights[n] * std::log(p[own] / z);
        weight += data.weights[n];
        for (double &v : p) v *= data.weights[n] / z;
        p[own] -= data.weights[n];
        if (gradient == nullptr) continue;
        for (int64_t a = 0; a < q; ++a) (*gradient)[static_cast<size_t>(i * q + a)] += p[static_cast<size_t>(a)];
        each([&](int64_t a, size_t k) { (*gradient)[k] += p[static_cast<size_t>(a)]; });
      }
    for (size_t k = 0; k < x.size(); ++k) {
      const double strength = static_cast<int64_t>(k) < L * q ? l2_fields : l2_couplings;
      penalty += strength * x[k] * x[k];
      if (gradient != nullptr) (*gradient)[k] += 2 * strength * x[k];
    }
    *loss = sum / weight;
    return sum + penalty;
  }
};

Pairs all_of(int64_t sites) {
  Pairs pairs;
  for (int64_t i = 0; i < sites; ++i)
    for (int64_t j = i + 1; j < sites; ++j) pairs.insert(pairs.end(), {i, j});
  return pairs;
}

// As trainers keep a list.
Pairs sorted(const Pairs &pairs) {
  std::set<std::pair<int64_t, int64_t>> all;
  for (size_t k = 0; k < pairs.size(); k += 2) all.emplace(std::min(pairs[k], pairs[k + 1]), std::max(pairs[k], pairs[k + 1]));
  Pairs out;
  for (const auto &[i, j] : all) out.insert(out.end(), {i, j});
  return out;
}

double worst_difference(const Vector &x, const Vector &y) {
  double largest = 0, worst = 0;
  for (double v : y) largest = fmax(largest, fabs(v));
  for (size_t k = 0; k < x.size(); ++k) worst = fmax(worst, fabs(x[k] - y[k]) / largest);
  return worst;
}

// All pairs and lists, gaps as a colour and ignored, both precisions, several pieces of sequences, more than a tile of sites.
void dense_against_definition(void **) {
  const struct { int64_t count, sites, colors; } sizes[] = {{40, 6, 3}, {30, 19, 4}, {4200, 5, 21}};
  for (const auto &size : sizes)
    for (int gaps : {ATP_GAPS_STATE, ATP_GAPS_IGNORE})
      for (bool listed : {false, true})
        for (int precision : {64, 32}) {
          DenseProblem p(size.count, size.sites, size.colors, best_target());
          const Options options = dense_ordered(precision, {{ATP_OPT_GAPS, gaps}, {ATP_OPT_L2_FIELDS, 0.3}, {ATP_OPT_L2_COUPLINGS, 0.7}});
          const Pairs some = p.some_pairs(3);
          Trainer &t = listed ? p.trainer(options, some) : p.trainer(options);
          const Pairs pairs = listed ? sorted(some) : all_of(size.sites);
          set_order(t, shuffled(size.sites));
          const Vector x = DenseProblem::parameters(t, 0.3);
          set(t, x);
          const Definition definition{p, shuffled(size.sites), pairs, gaps == ATP_GAPS_IGNORE, 0.3, 0.7};
          Vector expected;
          double loss = 0, objective = 0, expected_loss = 0;
          const double expected_objective = definition.evaluate(x, &expected, &expected_loss);
          const Vector g = gradient_of(t, &loss, &objective);
          const double bound = precision == 64 ? 1e-12 : 3e-6;
          assert_close(loss, expected_loss, bound, 0);
          assert_close(objective, expected_objective, bound, 0);
          const double worst = worst_difference(g, expected);
          if (!(worst < bound))
            print_error("%ld sites, gaps %d, listed %d, precision %d: %g\n", size.sites, gaps, listed, precision, worst);
          assert_true(worst < bound);
          assert_close(t.loss(*p.data), expected_loss, bound, 0);
        }
}

// A sequence as an alignment: its loss is -log P(s) / L.
class OneSequence {
 public:
  OneSequence(Context &context, int64_t sites, int64_t colors) : context_(context) {
    AlignmentShape shape;
    shape.count = 1;
    shape.sites = sites;
    shape.colors = colors;
    data_ = create_in_block<Alignment>(context.allocator, &context, shape);
    data_->weights[0] = 1;
  }
  ~OneSequence() { destroy_block(context_.allocator, data_); }
  OneSequence(const OneSequence &) = delete;
  OneSequence &operator=(const OneSequence &) = delete;
  double log_p(Trainer &t, const uint8_t *s) const {
    std::copy_n(s, data_->sites(), data_->own_sequences.data());
    return -t.loss(*data_) * static_cast<double>(data_->sites());
  }

 private:
  Context &context_;
  Alignment *data_;
};

constexpr atp_order kOrders[] = {ATP_ORDER_NATURAL, ATP_ORDER_ENTROPY, ATP_ORDER_ENTROPY_DESCENDING};

// log P of all 3^6 sequences by the trainer, and by the model that it makes, whose order is the trainer's; the probabilities sum to 1.
void sum_to_one(Trainer &t, const std::vector<uint8_t> &states) {
  const OneSequence one(*t.context, 6, 3);
  Model *model = t.make_model();
  const int64_t count = static_cast<int64_t>(states.size()) / 6;
  Vector log_p(static_cast<size_t>(count));
  log_pseudolikelihoods(*model, states.data(), count, log_p.data());
  double sum = 0, worst = 0;
  for (int64_t n = 0; n < count; ++n) {
    const double by_trainer = one.log_p(t, states.data() + 6 * n);
    worst = fmax(worst, fabs(by_trainer - log_p[static_cast<size_t>(n)]));
    sum += std::exp(by_trainer);
  }
  const bool ordered = model->shape.ordered && model->order.size() == 6;
  destroy_block(t.context->allocator, model);
  assert_true(ordered);
  assert_close(sum, 1, 1e-12, 0);
  assert_true(worst < 1e-12);
}

std::vector<uint8_t> all_states(int64_t sites, int64_t colors) { return OrderedProblem({sites, colors, 0}, SiteOrder::natural).states(); }

void dense_probabilities(void **) {
  const std::vector<uint8_t> states = all_states(6, 3);
  for (atp_order order : kOrders)
    for (int sites : {0, 1})
      for (bool listed : {false, true}) {
        DenseProblem p(50, 6, 3);
        const Options options = dense_ordered(64, {{ATP_OPT_ORDER, order}, {ATP_OPT_ASYMMETRIC, sites}});
        Trainer &t = listed ? p.trainer(options, p.some_pairs(2)) : p.trainer(options);
        set(t, DenseProblem::parameters(t, 0.8));
        sum_to_one(t, states);
        // A trainer of the pseudo-likelihood has no such sum.
        Trainer &other = p.trainer(dense_options({{ATP_OPT_PRECISION, 64}}));
        set(other, DenseProblem::parameters(other, 0.8));
        const OneSequence one(p.context, 6, 3);
        double sum = 0;
        for (size_t n = 0; n < states.size(); n += 6) sum += std::exp(one.log_p(other, states.data() + n));
        assert_true(fabs(sum - 1) > 1e-3);
      }
}

// Options of factored attention with 2 heads, fields, this map and diagonal.
Options factored_ordered(int precision, atp_map map, atp_diagonal diagonal) {
  Options options(kTrainerOptions);
  for (const auto &[key, value] : std::initializer_list<std::pair<atp_option, double>>{{ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_AUTOREGRESSIVE},
                                                                                       {ATP_OPT_PRECISION, precision},
                                                                                       {ATP_OPT_HEADS, 2},
                                                                                       {ATP_OPT_FIELDS, 1},
                                                                                       {ATP_OPT_MAP, map},
                                                                                       {ATP_OPT_DIAGONAL, diagonal},
                                                                                       {ATP_OPT_RANK, 3}})
    options.set(key, value);
  return options;
}

const struct {
  atp_map map;
  atp_diagonal diagonal;
} kMaps[] = {{ATP_MAP_FREE, ATP_DIAGONAL_BEFORE},
             {ATP_MAP_SOFTMAX, ATP_DIAGONAL_BEFORE},
             {ATP_MAP_SOFTMAX, ATP_DIAGONAL_AFTER},
             {ATP_MAP_LOWRANK, ATP_DIAGONAL_BEFORE},
             {ATP_MAP_LOWRANK, ATP_DIAGONAL_AFTER}};

// The same for factored attention; rows of softmax maps sum to 1 over the sites before (before: diagonal left out), the first has none.
void factored_probabilities(void **) {
  const std::vector<uint8_t> states = all_states(6, 3);
  for (atp_order order : kOrders)
    for (const auto &m : kMaps) {
      DenseProblem p(50, 6, 3);
      Options options = factored_ordered(64, m.map, m.diagonal);
      options.set(ATP_OPT_ORDER, int64_t{order});
      Trainer &t = p.trainer(options);
      set(t, DenseProblem::parameters(t, 0.8));
      sum_to_one(t, states);
      Model *model = t.make_model();
      std::vector<int64_t> place(6);
      for (int64_t k = 0; k < 6; ++k) place[static_cast<size_t>(model->order[k])] = k;
      double off = 0;
      for (int64_t row = 0; row < 12; ++row) {
        const int64_t i = row % 6;
        double sum = 0;
        for (int64_t j = 0; j < 6; ++j) {
          const double a = model->maps[row * 6 + j];
          sum += a;
          if (place[static_cast<size_t>(j)] >= place[static_cast<size_t>(i)]) off = fmax(off, fabs(a));
        }
        const double expected = place[static_cast<size_t>(i)] == 0 ? 0 : 1;
        if (m.map != ATP_MAP_FREE && m.diagonal == ATP_DIAGONAL_BEFORE) off = fmax(off, fabs(sum - expected));
      }
      destroy_block(p.context.allocator, model);
      assert_true(off < 1e-14);
    }
}

// The derivatives of the objective, with all penalties, against differences, in both precisions of the sums; the gradient of parameters
// that change nothing is exactly 0.
void factored_gradients(void **) {
  for (int gaps : {ATP_GAPS_STATE, ATP_GAPS_IGNORE})
    for (const auto &m : kMaps) {
      DenseProblem p(30, 7, 4, best_target());
      Options options = factored_ordered(64, m.map, m.diagonal);
      for (const auto &[key, value] : std::initializer_list<std::pair<atp_option, double>>{{ATP_OPT_GAPS, gaps},
                                                                                           {ATP_OPT_L2_COUPLINGS, 0.03},
                                                                                           {ATP_OPT_L2_COLORS, 0.02},
                                                                                           {ATP_OPT_L2_FIELDS, 0.05},
                                                                                           {ATP_OPT_L2_PAIRS, 0.01},
                                                                                           {ATP_OPT_NORM_PAIRS, 0.04},
                                                                                           {ATP_OPT_NORM_FIELDS, 0.02}})
        options.set(key, value);
      Trainer &t = p.trainer(options);
      const Order order = shuffled(7);
      set_order(t, order);
      const Vector x = DenseProblem::parameters(t, 0.5);
      set(t, x);
      const Vector g = gradient_of(t);
      Vector slopes(g.size());
      for (size_t k = 0; k < g.size(); ++k) slopes[k] = slope(t, x, k);
      assert_true(worst_slope(g, slopes) < 1e-6);
      std::vector<int64_t> place(7);
      for (size_t k = 0; k < 7; ++k) place[static_cast<size_t>(order[k])] = static_cast<int64_t>(k);
      for (size_t k = 0; m.map != ATP_MAP_LOWRANK && k < 98; ++k)
        if (const size_t i = k / 7 % 7, j = k % 7; place[j] > place[i]) assert_true(g[k] == 0);
      // float32 has the same up to its rounding.
      options.set(ATP_OPT_PRECISION, int64_t{32});
      Trainer &single = p.trainer(options);
      set_order(single, order);
      set(single, x);
      assert_true(worst_difference(gradient_of(single), g) < 3e-6);
    }
}

// Heads that are as many as the pairs of the data's couplings find the minimum of dense couplings on the same data.
void factored_against_dense(void **) {
  DenseProblem p(200, 5, 3);
  Trainer &dense = p.trainer(
      dense_ordered(64, {{ATP_OPT_L2_FIELDS, 1e-3}, {ATP_OPT_L2_COUPLINGS, 1e-9}, {ATP_OPT_TOLERANCE, 1e-8}, {ATP_OPT_EPOCHS, 5000}}));
  Options options = factored_ordered(64, ATP_MAP_FREE, ATP_DIAGONAL_BEFORE);
  options.set(ATP_OPT_HEADS, int64_t{9});
  options.set(ATP_OPT_EPOCHS, int64_t{5000});
  options.set(ATP_OPT_TOLERANCE, 1e-9);
  Trainer &factored = p.trainer(options);
  run_all(dense, 5000);
  run_all(factored, 5000);
  const double lowest = dense.evaluate({}).loss;
  assert_close(factored.evaluate({}).loss, lowest, 0, 1e-4);
  // The pseudo-likelihood of the same heads is another number.
  options.set(ATP_OPT_OBJECTIVE, int64_t{ATP_OBJECTIVE_PSEUDOLIKELIHOOD});
  options.set(ATP_OPT_ORDER, int64_t{ATP_ORDER_ENTROPY});
  Trainer &pseudo = p.trainer(options);
  run_all(pseudo, 5000);
  assert_true(pseudo.evaluate({}).loss < lowest - 0.01);
}

// All sequences, with the weights of an autoregressive model: without penalties training finds its probabilities.
void exact_data(void **) {
  const OrderedProblem truth({6, 3, 0, true}, SiteOrder::shuffled);
  const std::vector<uint8_t> states = truth.states();
  const int64_t count = static_cast<int64_t>(states.size()) / 6;
  for (int sites : {0, 1})
    for (bool own_order : {true, false}) {
      DenseProblem p(count, 6, 3);
      std::copy(states.begin(), states.end(), p.data->own_sequences.begin());
      for (int64_t n = 0; n < count; ++n) p.data->weights[n] = 1000 * std::exp(truth.log_p(p.data->sequence(n)));
      Trainer &t = p.trainer(dense_ordered(64, {{ATP_OPT_L2_FIELDS, 0},
                                                {ATP_OPT_L2_COUPLINGS, 0},
                                                {ATP_OPT_ASYMMETRIC, sites},
                                                {ATP_OPT_ORDER, ATP_ORDER_NATURAL},
                                                {ATP_OPT_TOLERANCE, 1e-9},
                                                {ATP_OPT_EPOCHS, 5000}}));
      if (own_order) set_order(t, truth.order);
      run_all(t, 5000);
      const OneSequence one(p.context, 6, 3);
      double worst = 0;
      for (int64_t n = 0; n < count; ++n) worst = fmax(worst, fabs(one.log_p(t, p.data->sequence(n)) - truth.log_p(p.data->sequence(n))));
      // In another order the model is another family of distributions.
      if (own_order ? !(worst < 1e-4) : !(worst > 1e-2)) print_error("sites %d, own order %d: %g\n", sites, own_order, worst);
      assert_true(own_order ? worst < 1e-4 : worst > 1e-2);
    }
}

// Sites one by one have the minimum of all together: the same objective, and the same model.
void joint_and_site_by_site(void **) {
  for (int gaps : {ATP_GAPS_STATE, ATP_GAPS_IGNORE}) {
    DenseProblem p(300, 9, 4);
    Trainer *t[2];
    Model *models[2];
    for (int sites : {0, 1}) {
      t[sites] = &p.trainer(dense_ordered(64, {{ATP_OPT_GAPS, gaps},
                                               {ATP_OPT_L2_COUPLINGS, 2},
                                               {ATP_OPT_L2_FIELDS, 1},
                                               {ATP_OPT_ASYMMETRIC, sites},
                                               {ATP_OPT_TOLERANCE, 1e-5},
                                               {ATP_OPT_EPOCHS, 1000}}));
      set_order(*t[sites], shuffled(9));
      assert_int_equal(run_all(*t[sites], 1000), ATP_OUTCOME_CONVERGED);
      models[sites] = t[sites]->make_model();
    }
    double worst = 0;
    for (int64_t k = 0; k < models[0]->couplings.size(); ++k) worst = fmax(worst, fabs(models[0]->couplings[k] - models[1]->couplings[k]));
    for (int64_t k = 0; k < models[0]->fields.size(); ++k) worst = fmax(worst, fabs(models[0]->fields[k] - models[1]->fields[k]));
    for (Model *m : models) destroy_block(p.context.allocator, m);
    assert_close(t[0]->evaluate({}).objective, t[1]->evaluate({}).objective, 1e-10, 0);
    assert_true(worst < 1e-4);
  }
}

// SGD and Adam come close to the minimum of L-BFGS, whose unknowns are others; all start from the same loss, that of independent sites.
void stochastic_optimizers(void **) {
  DenseProblem p(300, 9, 4);
  const auto trainer = [&](atp_optimizer optimizer, double rate) -> Trainer & {
    Options options = dense_ordered(32, {{ATP_OPT_OPTIMIZER, optimizer}, {ATP_OPT_RATE, rate}, {ATP_OPT_BATCH, 20}, {ATP_OPT_EPOCHS, 300}});
    options.set(ATP_OPT_L2_COUPLINGS, 5.0);
    options.set(ATP_OPT_L2_FIELDS, 1.0);
    Trainer &t = p.trainer(options);
    set_order(t, shuffled(9));
    return t;
  };
  Trainer &exact = trainer(ATP_OPTIMIZER_LBFGS, 0);
  const double start = exact.evaluate({}).objective;
  run_all(exact, 300);
  const double lowest = exact.evaluate({}).objective;
  const struct {
    atp_optimizer optimizer;
    double rate;
  } cases[] = {{ATP_OPTIMIZER_SGD, 2}, {ATP_OPTIMIZER_ADAM, 0.01}};
  for (const auto &c : cases) {
    Trainer &t = trainer(c.optimizer, c.rate);
    assert_close(t.evaluate({}).objective, start, 1e-6, 0);
    run_all(t, 300);
    const double excess = (t.evaluate({}).objective - lowest) / (start - lowest);
    if (!(excess > -1e-4 && excess < 0.01)) print_error("optimizer %d: %g\n", c.optimizer, excess);
    assert_true(excess > -1e-4 && excess < 0.01);
  }
}

Order order_of(Trainer &t) {
  Model *model = t.make_model();
  const Order order(model->order.begin(), model->order.end());
  destroy_block(t.context->allocator, model);
  return order;
}

// Columns with 1, 2, 3, 1, 4 equally frequent colours; column 4 is constant apart from gaps.
void orders(void **) {
  DenseProblem p(24, 6, 6);
  for (int64_t n = 0; n < 24; ++n) {
    const int64_t column[] = {5, n % 2, n % 3, 2, n < 12 ? 0 : 1, n % 4};
    for (int64_t i = 0; i < 6; ++i) p.data->own_sequences[6 * n + i] = static_cast<uint8_t>(column[i]);
    p.data->weights[n] = 1;
  }
  const struct {
    atp_order rule;
    atp_gaps gaps;
    Order expected;
  } cases[] = {{ATP_ORDER_NATURAL, ATP_GAPS_STATE, {0, 1, 2, 3, 4, 5}},
               {ATP_ORDER_ENTROPY, ATP_GAPS_STATE, {0, 3, 1, 4, 2, 5}},
               {ATP_ORDER_ENTROPY_DESCENDING, ATP_GAPS_STATE, {5, 2, 1, 4, 0, 3}},
               {ATP_ORDER_ENTROPY, ATP_GAPS_IGNORE, {0, 1, 3, 4, 2, 5}},
               {ATP_ORDER_ENTROPY_DESCENDING, ATP_GAPS_IGNORE, {5, 2, 0, 1, 3, 4}}};
  for (const auto &c : cases)
    for (int sites : {0, 1}) {
      Trainer &t = p.trainer(dense_ordered(64, {{ATP_OPT_ORDER, c.rule}, {ATP_OPT_GAPS, c.gaps}, {ATP_OPT_ASYMMETRIC, sites}}));
      assert_true(order_of(t) == c.expected);
      run_all(t, 2);
      set_order(t, shuffled(6));
      assert_true(order_of(t) == shuffled(6));
      assert_int_equal(t.epochs(), 0);
    }
}

}  // namespace

int main(void) {
  const CMUnitTest tests[] = {
      cmocka_unit_test(dense_against_definition), cmocka_unit_test(dense_probabilities),   cmocka_unit_test(exact_data),
      cmocka_unit_test(joint_and_site_by_site),   cmocka_unit_test(stochastic_optimizers), cmocka_unit_test(orders),
      cmocka_unit_test(factored_probabilities),   cmocka_unit_test(factored_gradients),    cmocka_unit_test(factored_against_dense),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
