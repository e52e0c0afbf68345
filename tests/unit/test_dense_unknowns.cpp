// SPDX-License-Identifier: MIT
// The unknowns of L-BFGS for dense couplings, whose fields are centred: the gradient in them against differences, what they mean, and that
// the minimum in them is the minimum of the objective.
#include "dense_slopes.hpp"

#include <cstdlib>

#include "support.h"  // last: cmocka has a macro fail()

using namespace atp;

namespace {

struct Case {
  int64_t count, sites, colors;
  int gaps;
  double l2_couplings, l2_fields;
};
// Site 0 has one colour in all sequences, the last colour occurs nowhere. Some weights are 0.
constexpr Case kCases[] = {{30, 4, 4, ATP_GAPS_STATE, 0.3, 0.2},
                           {30, 4, 4, ATP_GAPS_IGNORE, 0.3, 0.2},
                           {25, 3, 5, ATP_GAPS_STATE, 0, 0},
                           {25, 18, 3, ATP_GAPS_IGNORE, 0.3, 50}};

class UnknownsProblem : public DenseProblem {
 public:
  UnknownsProblem(const Case &c, bool sites, bool listed, bool ordered) : DenseProblem(c.count, c.sites, c.colors), options_(options(c)) {
    for (int64_t n = 0; n < c.count; ++n)
      for (int64_t i = 0; i < c.sites; ++i) {
        uint8_t &s = data->own_sequences[n * c.sites + i];
        if (i == 0) s = 1;
        if (s == c.colors - 1) s = static_cast<uint8_t>(n % 2);
      }
    options_.set(ATP_OPT_ASYMMETRIC, int64_t{sites});
    if (ordered) options_.set(ATP_OPT_OBJECTIVE, int64_t{ATP_OBJECTIVE_AUTOREGRESSIVE});
    if (listed || ordered) {
      const Pairs pairs = some_pairs(2);
      const int64_t count = listed ? static_cast<int64_t>(pairs.size() / 2) : c.sites * (c.sites - 1) / 2;
      lists_ = create_in_block<PairLists>(context.allocator, c.sites, count, ordered);
      lists_->init(listed ? pairs.data() : nullptr);
    }
    AlignmentShape shape;
    shape.count = c.count;
    shape.sites = c.sites;
    shape.colors = c.colors;
    const ObjectiveRow &row = objective_row(options_);
    const auto make = [&] { return row.make(place_, row, {&context, options_, shape, lists_}); };
    const std::size_t bytes = bytes_taken([&](Arena &arena) { make()->lay_out(arena); });
    memory_ = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
    Arena arena(memory_, bytes);
    objective = make();
    objective->lay_out(arena);
    objective->init(*data);
  }
  ~UnknownsProblem() {
    std::free(memory_);
    destroy_block(context.allocator, lists_);
  }

  // In the unknowns, without the driver. The gradient may be NULL.
  double evaluate(Vector &x, Vector *gradient) {
    const Span<double> point(x.data(), static_cast<int64_t>(x.size()));
    const Span<double> slope = gradient == nullptr ? Span<double>() : Span<double>(gradient->data(), point.size());
    Separable *const sites = objective->separable();
    if (sites == nullptr) return objective->evaluate(point, MaskedData(*data), slope).objective;
    double sum = 0;
    for (int64_t i = 0; i < data->sites(); ++i) {
      double penalty = 0;
      const int64_t first = sites->first_unknown(i), size = sites->first_unknown(i + 1) - first;
      sum += sites->evaluate_site(i, 0, point.sub(first, size), gradient == nullptr ? Span<double>() : slope.sub(first, size), &penalty);
      sum += penalty;
    }
    return sum;
  }

  Objective *objective;

 private:
  static Options options(const Case &c) {
    return dense_options(
        {{ATP_OPT_PRECISION, 64}, {ATP_OPT_GAPS, c.gaps}, {ATP_OPT_L2_COUPLINGS, c.l2_couplings}, {ATP_OPT_L2_FIELDS, c.l2_fields}});
  }
  Options options_;
  PairLists *lists_ = nullptr;
  alignas(std::max_align_t) char place_[kObjectiveBytes];
  void *memory_;
};

template <class Body>
void for_problems(Body &&body) {
  for (const Case &c : kCases)
    for (int kind = 0; kind < 8; ++kind) {
      if ((kind & 4) != 0 && c.l2_couplings == 0) continue;
      UnknownsProblem p(c, (kind & 1) != 0, (kind & 2) != 0, (kind & 4) != 0);
      const RandomView normal(3, Stream::parameters, 0, 0);
      Vector x(static_cast<size_t>(p.objective->parameter_count()));
      for (size_t k = 0; k < x.size(); ++k) x[k] = 0.5 * normal.normal(k);
      body(p, x, kind);
    }
}

void gradient_against_differences(void **) {
  for_problems([](UnknownsProblem &p, Vector &x, int kind) {
    Vector g(x.size()), slopes(x.size());
    p.evaluate(x, &g);
    for (size_t k = 0; k < x.size(); ++k) slopes[k] = central_slope(x, k, [&](Vector at) { return p.evaluate(at, nullptr); });
    const double worst = worst_slope(g, slopes);
    if (!(worst < 1e-7)) print_error("%d sites, kind %d: %.3g\n", static_cast<int>(p.data->sites()), kind, worst);
    assert_true(worst < 1e-7);
    // The check sees the gradient at fields that are not centred.
    if (p.objective->separable() != nullptr) return;
    Vector other(x.size());
    p.objective->read_gradient(Span<double>(g.data(), static_cast<int64_t>(g.size())), other.data());
    assert_true(worst_slope(other, slopes) > 1e-3);
  });
}

// Fields of the C API are those of the unknowns without the mean inputs; and back.
void values_come_back(void **) {
  for_problems([](UnknownsProblem &p, Vector &x, int) {
    Vector values(x.size()), again(x.size());
    const int64_t n = static_cast<int64_t>(x.size());
    p.objective->read(Span<double>(x.data(), n), values.data());
    double moved = 0;
    for (size_t k = 0; k < x.size(); ++k) moved = fmax(moved, fabs(values[k] - x[k]));
    assert_true(moved > 1e-3);
    p.objective->write(Span<const double>(values.data(), n), Span<double>(again.data(), n));
    for (size_t k = 0; k < x.size(); ++k) assert_close(again[k], x[k], 1e-12, 1e-12);
  });
}

// The gradient of the C API vanishes where the descent ends, whatever the penalties.
void ends_at_the_minimum(void **) {
  for (const Case &c : kCases)
    for (int asymmetric : {0, 1}) {
      if (c.l2_couplings == 0) continue;
      UnknownsProblem p(c, false, false, false);
      Trainer &t = p.trainer(dense_options({{ATP_OPT_PRECISION, 64},
                                            {ATP_OPT_GAPS, c.gaps},
                                            {ATP_OPT_ASYMMETRIC, asymmetric},
                                            {ATP_OPT_L2_COUPLINGS, c.l2_couplings},
                                            {ATP_OPT_L2_FIELDS, c.l2_fields},
                                            {ATP_OPT_EPOCHS, 2000},
                                            {ATP_OPT_TOLERANCE, 1e-9}}));
      const Vector before = gradient_of(t);
      const atp_outcome outcome = run_all(t, 2000);
      print_message("%d sites, asymmetric %d: outcome %d after %.0f evaluations\n", static_cast<int>(c.sites), asymmetric, outcome,
                    t.evaluations());
      assert_int_equal(outcome, ATP_OUTCOME_CONVERGED);
      const Vector after = gradient_of(t);
      double first = 0, last = 0;
      for (size_t k = 0; k < before.size(); ++k) first = fmax(first, fabs(before[k])), last = fmax(last, fabs(after[k]));
      assert_true(first > 1 && last < 1e-6);
    }
}

}  // namespace

int main(void) {
  const CMUnitTest tests[] = {
      cmocka_unit_test(gradient_against_differences),
      cmocka_unit_test(values_come_back),
      cmocka_unit_test(ends_at_the_minimum),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
