// SPDX-License-Identifier: MIT
// Scaled steps of factored attention: steps with exact derivatives, by listing all states and with a chain rule of plain loops, find the
// heads of a model; what they keep; the products in single precision; runs by threads, targets and pieces; what is refused.
#include "dense_problem.hpp"
#include "small_potts.hpp"

#include "learn/factored/attention.hpp"
#include "learn/likelihood/head_step.hpp"
#include "potts/model.hpp"

#include <cstring>

#include "support.h"  // last: cmocka has a macro fail()

using namespace atp;

namespace {

constexpr int64_t L = 6, q = 3, kPairs = L * (L - 1) / 2, kPoint = L * q + kPairs * q * q;

Span<double> all(Vector &x) { return {x.data(), static_cast<int64_t>(x.size())}; }
Span<const double> read(const Vector &x) { return {x.data(), static_cast<int64_t>(x.size())}; }

Vector random_vector(int64_t size, double scale, uint64_t seed) {
  const RandomView normal(seed, Stream::parameters, 0, 0);
  Vector x(static_cast<size_t>(size));
  for (size_t k = 0; k < x.size(); ++k) x[k] = scale * normal.normal(k);
  return x;
}

// Heads by plain loops.
class PlainHeads final : public CouplingParameters {
 public:
  explicit PlainHeads(int64_t heads, const double *fixed = nullptr) { shape_ = {heads, L, q, fixed == nullptr, fixed}; }
  int64_t size() const { return shape_.first_field() + L * q; }
  DenseShape pairs() const override {
    DenseShape pairs;
    pairs.count = 1;
    pairs.sites = L;
    pairs.colors = q;
    return pairs;
  }
  bool plain() const override { return false; }
  HeadShape heads() const override { return shape_; }
  void expand(Span<const double> x, Span<double> point) override {
    std::fill(point.begin(), point.end(), 0.0);
    for (int64_t k = 0; k < L * q; ++k) point[k] = x[shape_.first_field() + k];
    each([&](int64_t at, int64_t map, int64_t value) { point[at] += 0.5 * x[map] * v(x, value); });
  }
  void pull_back(Span<const double> x, Span<const double> slope, Span<double> gradient) override {
    std::fill(gradient.begin(), gradient.end(), 0.0);
    for (int64_t k = 0; k < L * q; ++k) gradient[shape_.first_field() + k] = slope[k];
    each([&](int64_t at, int64_t map, int64_t value) {
      gradient[map] += 0.5 * v(x, value) * slope[at];
      if (shape_.learned) gradient[shape_.map_size() + value] += 0.5 * x[map] * slope[at];
    });
  }

 private:
  double v(Span<const double> x, int64_t value) const { return shape_.learned ? x[shape_.map_size() + value] : shape_.values[value]; }
  template <class Add>
  void each(Add &&add) const {
    for (int64_t h = 0; h < shape_.heads; ++h)
      for (int64_t i = 0; i < L; ++i)
        for (int64_t j = i + 1; j < L; ++j)
          for (int64_t a = 0; a < q; ++a)
            for (int64_t b = 0; b < q; ++b) {
              const int64_t at = L * q + (pair_place(L, i, j) * q + a) * q + b;
              add(at, (h * L + i) * L + j, (h * q + a) * q + b);
              add(at, (h * L + j) * L + i, (h * q + b) * q + a);
            }
  }
  HeadShape shape_;
};

// p_i(a) and p_ij(a, b) of a point, by listing.
Vector means_of(const Vector &point, const Alignment &states, Vector *weights = nullptr) {
  Vector means(static_cast<size_t>(kPoint), 0.0), p(static_cast<size_t>(states.count()));
  const auto each = [&](int64_t n, auto &&add) {
    const uint8_t *s = states.sequence(n);
    for (int64_t i = 0; i < L; ++i) {
      add(static_cast<size_t>(i * q + s[i]));
      for (int64_t j = i + 1; j < L; ++j) add(static_cast<size_t>(L * q + (pair_place(L, i, j) * q + s[i]) * q + s[j]));
    }
  };
  double z = 0;
  for (int64_t n = 0; n < states.count(); ++n) {
    double sum = 0;
    each(n, [&](size_t k) { sum += point[k]; });
    z += p[static_cast<size_t>(n)] = std::exp(sum);
  }
  for (double &x : p) x /= z;
  for (int64_t n = 0; n < states.count(); ++n) each(n, [&](size_t k) { means[k] += p[static_cast<size_t>(n)]; });
  if (weights != nullptr) *weights = p;
  return means;
}

// Without what fields can say.
Vector couplings_of(const Vector &point) {
  Vector J(point.begin() + L * q, point.end());
  for (int64_t p = 0; p < kPairs; ++p)
    for (int turn = 0; turn < 2; ++turn)
      for (int64_t a = 0; a < q; ++a) {
        double mean = 0;
        const auto at = [&](int64_t b) { return static_cast<size_t>(p * q * q + (turn == 0 ? a * q + b : b * q + a)); };
        for (int64_t b = 0; b < q; ++b) mean += J[at(b)] / static_cast<double>(q);
        for (int64_t b = 0; b < q; ++b) J[at(b)] -= mean;
      }
  return J;
}

double rms(const Vector &x, const Vector &y) {
  double sum = 0;
  for (size_t k = 0; k < x.size(); ++k) sum += (x[k] - y[k]) * (x[k] - y[k]);
  return std::sqrt(sum / static_cast<double>(x.size()));
}

struct Steps {
  SmallPotts potts{L, q, 0.6, 3};  // its states
  Vector truth, f;                 // a point of two heads, and its means

  explicit Steps(PlainHeads &heads, const Vector &x) : truth(static_cast<size_t>(kPoint)) {
    heads.expand(read(x), all(truth));
    Vector weights;
    f = means_of(truth, *potts.states, &weights);
    std::copy(weights.begin(), weights.end(), potts.states->weights.begin());
  }
  // Steps from x with exact derivatives. Returns how many it took until the couplings are those of the truth to `accuracy`.
  int run(PlainHeads &heads, Vector &x, int most, double accuracy, atp_fixed fixed = ATP_FIXED_NONE) {
    struct Owned : HeadStep {
      explicit Owned(PlainHeads *heads) : HeadStep(*heads) {}
      std::size_t block_bytes = 0;
    };
    struct OwnedStatistics : Statistics {
      using Statistics::Statistics;
      std::size_t block_bytes = 0;
    };
    Owned *step = create_in_block<Owned>(potts.context.allocator, &heads);
    OwnedStatistics *statistics = create_in_block<OwnedStatistics>(potts.context.allocator, heads.pairs(), 1);
    statistics->init(*potts.states, 0, Team(1));
    Vector point(static_cast<size_t>(kPoint)), slope(point.size()), gradient(x.size());
    heads.expand(read(x), all(point));
    int n = 0;
    for (; n < most && rms(couplings_of(point), couplings_of(truth)) > accuracy; ++n) {
      const Vector p = means_of(point, *potts.states);
      for (size_t k = 0; k < slope.size(); ++k) slope[k] = p[k] - f[k];
      step->step(*statistics, 0.1, fixed, all(x), {all(point), all(slope), all(gradient)}, Team(1));
      Vector again(point.size());
      heads.expand(read(x), all(again));
      assert_true(again == point);
    }
    last_slope = rms(means_of(point, *potts.states), f);
    destroy_block(potts.context.allocator, statistics);
    destroy_block(potts.context.allocator, step);
    return n;
  }
  double last_slope = 0;
};

// Random parameters whose two heads differ in size by a factor of ten.
Vector planted(const PlainHeads &heads, uint64_t seed) {
  Vector x = random_vector(heads.size(), 0.6, seed);
  for (int64_t k = 0; k < L * L; ++k) x[static_cast<size_t>(k)] *= 0.1;
  return x;
}

// Couplings to 1 per cent of their size, from four random starts.
void finds_the_heads_of_a_model(void **) {
  PlainHeads heads(2);
  const Vector x = planted(heads, 11);
  Steps steps(heads, x);
  const double size = rms(couplings_of(steps.truth), Vector(static_cast<size_t>(kPairs * q * q), 0.0));
  for (uint64_t seed : {1, 2, 3, 4}) {
    Vector at = random_vector(heads.size(), 0.1, seed);
    const int n = steps.run(heads, at, 3000, 0.01 * size);
    print_message("start %d: %d steps to 1 per cent of %.3f\n", static_cast<int>(seed), n, size);
    assert_true(n < 400);
  }
}

// More heads than the model has: without damping the matrices have no inverse.
void heads_to_spare(void **) {
  PlainHeads two(2), many(12);
  Steps steps(two, planted(two, 11));
  const double size = rms(couplings_of(steps.truth), Vector(static_cast<size_t>(kPairs * q * q), 0.0));
  Vector at = random_vector(many.size(), 0.1, 1);
  const int n = steps.run(many, at, 3000, 0.01 * size);
  print_message("12 heads: %d steps\n", n);
  assert_true(n < 400);
}

// V that is fixed, couplings that are fixed, and a point that has all that it wants.
void what_stays(void **) {
  PlainHeads two(2);
  const Vector x = planted(two, 11);
  Steps steps(two, x);
  const double size = rms(couplings_of(steps.truth), Vector(static_cast<size_t>(kPairs * q * q), 0.0));
  const Vector values(x.begin() + 2 * L * L, x.begin() + 2 * L * L + 2 * q * q);
  PlainHeads fixed(2, values.data());
  Vector at = random_vector(fixed.size(), 0.1, 1);
  const int n = steps.run(fixed, at, 1000, 0.001 * size);
  print_message("V fixed: %d steps to 0.1 per cent\n", n);
  assert_true(n < 1000);
  Vector fields = random_vector(two.size(), 0.3, 2);
  const Vector start = fields;
  steps.run(two, fields, 400, 0, ATP_FIXED_COUPLINGS);
  for (int64_t k = 0; k < two.heads().first_field(); ++k) assert_true(fields[static_cast<size_t>(k)] == start[static_cast<size_t>(k)]);
  Vector point(static_cast<size_t>(kPoint));
  two.expand(read(fields), all(point));
  const Vector p = means_of(point, *steps.potts.states);
  for (size_t k = 0; k < static_cast<size_t>(L * q); ++k) assert_close(p[k], steps.f[k], 0, 1e-3);
  Vector exact = x;
  steps.run(two, exact, 1, -1);
  Vector again(static_cast<size_t>(kPoint));
  two.expand(read(exact), all(again));
  assert_true(rms(again, steps.truth) < 1e-12);
}

// Products of single precision against those of float64, of which chain_rule_of_attention has the differences.
void single_precision(void **) {
  for (const atp_map map : {ATP_MAP_FREE, ATP_MAP_SOFTMAX})
    for (const int64_t sites : {2, 9, 23}) {
      AttentionShape shape;
      shape.sites = sites;
      shape.colors = 5;
      shape.heads = 3;
      shape.map = map;
      shape.fields = true;
      shape.symmetrized = true;
      struct Owned : FactoredAttention {
        using FactoredAttention::FactoredAttention;
        std::size_t block_bytes = 0;
        void lay_out(Arena &arena) {
          FactoredAttention::lay_out(arena);
          lay_out_point(arena);
        }
      };
      Context context(counting_alloc, counting_free, nullptr);
      const int64_t points = sites * 5 + sites * (sites - 1) / 2 * 25;
      const Vector x = random_vector(shape.parameters(), 0.5, 4), slope = random_vector(points, 0.1, 5);
      Vector point[3], gradient[3];
      for (int k = 0; k < 3; ++k) {
        context.target = k == 2 ? best_target() : Target::scalar;
        Owned *attention = create_in_block<Owned>(context.allocator, &context, shape, Penalties(), k == 0 ? 64 : 32);
        point[k].resize(static_cast<size_t>(points));
        gradient[k].resize(x.size());
        attention->expand_point(read(x), all(point[k]));
        attention->pull_back_slope(read(x), read(slope), all(gradient[k]));
        destroy_block(context.allocator, attention);
      }
      for (size_t k = 0; k < point[0].size(); ++k) assert_close(point[1][k], point[0][k], 1e-6, 1e-6);
      for (size_t k = 0; k < x.size(); ++k) assert_close(gradient[1][k], gradient[0][k], 1e-5, 1e-6);
      assert_true(point[2] == point[1] && gradient[2] == gradient[1]);
    }
}

Options factored(std::initializer_list<std::pair<atp_option, double>> pairs) {
  Options options = options_of(pairs);
  options.set(ATP_OPT_FAMILY, int64_t{ATP_FAMILY_FACTORED});
  options.set(ATP_OPT_OBJECTIVE, int64_t{ATP_OBJECTIVE_LIKELIHOOD});
  return options;
}

// Of a run with a verification at the end.
std::vector<unsigned char> state_of_run(int k, const Options &options) {
  DenseProblem p(60, 7, 5, k == 3 ? best_target() : Target::scalar);
  p.context.threads = k == 2 ? 3 : 1;
  Trainer &t = p.trainer(options);
  const Vector values = random_vector(3 * 5 * 5, 0.5, 8);
  if (options.flag(ATP_OPT_COLORS_FIXED)) t.set_values(read(values));
  std::vector<unsigned char> state(static_cast<size_t>(state_bytes(t.saved_bytes())));
  const auto save = [&] { t.save(state.data(), static_cast<int64_t>(state.size())); };
  for (int64_t n : k == 1 ? std::vector<int64_t>{1, 4, 6, 1} : std::vector<int64_t>{12}) {
    run_all(t, n);
    save();
    if (t.epochs() == 12) continue;
    run_all(t, 1);
    t.load(state.data(), static_cast<int64_t>(state.size()));
  }
  assert_int_equal(t.epochs(), 12);
  return state;
}

void same_numbers_however_it_is_run(void **) {
  for (const int fixed : {0, 1}) {
    const Options options = factored({{ATP_OPT_HEADS, 3},
                                      {ATP_OPT_FIELDS, 1},
                                      {ATP_OPT_COLORS_FIXED, fixed},
                                      {ATP_OPT_CHAINS, 100},
                                      {ATP_OPT_TARGET, 0.99},
                                      {ATP_OPT_EPOCHS, 12},
                                      {ATP_OPT_L2_PAIRS, 0.01}});
    const std::vector<unsigned char> state = state_of_run(0, options);
    for (int k = 1; k < 4; ++k) assert_true(state_of_run(k, options) == state);
  }
}

void parameters_without_scales_are_refused(void **) {
  const struct {
    std::initializer_list<std::pair<atp_option, double>> options;
    const char *text;
  } bad[] = {{{{ATP_OPT_FIELDS, 1}, {ATP_OPT_MAP, ATP_MAP_SOFTMAX}}, "maps are not free"},
             {{{ATP_OPT_FIELDS, 1}, {ATP_OPT_HEADS, 2}, {ATP_OPT_VALUES_SHARED, 1}}, "heads share V"},
             {{}, "there are no fields"},
             {{{ATP_OPT_FIELDS, 1}, {ATP_OPT_FIXED, ATP_FIXED_FIELDS}}, "fields are fixed"}};
  DenseProblem p(30, 6, 4);
  for (const auto &row : bad) {
    Options options = factored(row.options);
    p.trainer(options);  // by Adam
    options.set(ATP_OPT_OPTIMIZER, int64_t{ATP_OPTIMIZER_SCALED});
    try {
      p.trainer(options);
      fail_msg("no error, expected %s", row.text);
    } catch (const Error &e) {
      assert_int_equal(e.status(), ATP_E_CONFLICT);
      assert_non_null(std::strstr(e.what(), row.text));
    }
  }
}

}  // namespace

static const struct CMUnitTest kTests[] = {
    cmocka_unit_test(finds_the_heads_of_a_model),
    cmocka_unit_test(heads_to_spare),
    cmocka_unit_test(what_stays),
    cmocka_unit_test(single_precision),
    cmocka_unit_test(same_numbers_however_it_is_run),
    cmocka_unit_test(parameters_without_scales_are_refused),
};

ATP_TEST_MAIN(kTests)
