// SPDX-License-Identifier: MIT
// The unknowns of L-BFGS for factored attention, whose fields are centred: what they mean, the gradient in them against differences, and
// that a descent in them ends at the same minimum, sooner.
#include "placed.hpp"
#include "small_potts.hpp"

#include "learn/objective.hpp"
#include "math/optim/lbfgs.hpp"

#include <cmath>
#include <cstdlib>
#include <memory>
#include <vector>

#include "support.h"  // last: cmocka has a macro fail()

using namespace atp;

namespace {

using Vector = std::vector<double>;

Span<double> span(Vector &x) { return {x.data(), static_cast<int64_t>(x.size())}; }

// Sequences in which a colour prevails at every site, and neighbours agree; some weights are 0.
class Family {
 public:
  Family(int64_t count, int64_t sites, int64_t colors, const Options &options)
      : context_(counting_alloc, counting_free, nullptr), options_(options) {
    AlignmentShape shape;
    shape.count = count;
    shape.sites = sites;
    shape.colors = colors;
    data = create_in_block<Alignment>(context_.allocator, &context_, shape, nullptr);
    const RandomView random(3, Stream::start, 0, 0);
    for (int64_t n = 0, k = 0; n < count; ++n) {
      for (int64_t i = 0; i < sites; ++i, k += 2) {
        const bool usual = random.uniform(static_cast<uint64_t>(k))<0.6, same = i> 0 && random.uniform(static_cast<uint64_t>(k) + 1) < 0.3;
        const int64_t other = random.below(static_cast<uint64_t>(k), static_cast<uint32_t>(colors));
        data->own_sequences[n * sites + i] = same    ? data->own_sequences[n * sites + i - 1]
                                             : usual ? static_cast<uint8_t>((i + 1) % colors)
                                                     : static_cast<uint8_t>(other);
      }
      data->weights[n] = n % 5 == 2 ? 0 : 1 + 0.1 * static_cast<double>(n % 3);
    }
    const ObjectiveRow &row = objective_row(options_);
    const auto make = [&] { return row.make(place_, row, {&context_, options_, shape, nullptr}); };
    const std::size_t bytes = bytes_taken([&](Arena &arena) { make()->lay_out(arena); });
    memory_.reset(std::aligned_alloc(64, (bytes + 63) / 64 * 64));
    Arena arena(memory_.get(), bytes);
    objective = make();
    objective->lay_out(arena);
    objective->init(*data);
    if (options_.flag(ATP_OPT_COLORS_FIXED)) {
      Vector values(static_cast<size_t>(objective->value_count())), x(size());
      for (size_t k = 0; k < values.size(); ++k) values[k] = random.normal(1000000 + k);
      objective->set_values(span(values), span(x));
    }
  }
  ~Family() { destroy_block(context_.allocator, data); }

  size_t size() const { return static_cast<size_t>(objective->parameter_count()); }
  Vector parameters() const {
    Vector x(size());
    const RandomView random(4, Stream::parameters, 0, 0);
    for (size_t k = 0; k < x.size(); ++k) x[k] = 0.4 * random.normal(k);
    return x;
  }
  double value(Vector x) { return objective->evaluate(span(x), MaskedData(*data), Span<double>()).objective; }
  Vector gradient(Vector x) {
    Vector g(size());
    objective->evaluate(span(x), MaskedData(*data), span(g));
    return g;
  }
  // The objective after each of so many iterations.
  Vector descend(int iterations) {
    Placed<Lbfgs> descent(objective->parameter_count(), int64_t{8}, 0.0, 0x1p-46);
    Vector x(size()), values;
    objective->start(span(x));
    bool moved = false;
    for (int k = 0; k < iterations; ++k) {
      descent->iterate(
          span(x), [&](Span<const double> at, Span<double> g) { return objective->evaluate(at, MaskedData(*data), g).objective; }, &moved);
      values.push_back(descent->value());
    }
    return values;
  }

  Alignment *data;
  Objective *objective;

 private:
  struct Free {
    void operator()(void *memory) const { std::free(memory); }
  };
  Context context_;
  const Options options_;
  alignas(std::max_align_t) unsigned char place_[kObjectiveBytes];
  std::unique_ptr<void, Free> memory_;
};

using Values = std::initializer_list<std::pair<atp_option, double>>;

Options factored(Values more) {
  Options options = options_of({{ATP_OPT_FIELDS, 1}, {ATP_OPT_PRECISION, 64}, {ATP_OPT_HEADS, 2}});
  for (const auto &[key, value] : more) options.set(key, value);
  return options;
}

const std::vector<Options> kCases = {factored({}),
                                     factored({{ATP_OPT_L2_FIELDS, 0.3}, {ATP_OPT_L2_COUPLINGS, 0.1}, {ATP_OPT_L2_PAIRS, 0.2}}),
                                     factored({{ATP_OPT_GAPS, ATP_GAPS_IGNORE}, {ATP_OPT_L2_FIELDS, 0.01}}),
                                     factored({{ATP_OPT_VALUES_SHARED, 1}, {ATP_OPT_HEADS, 3}}),
                                     factored({{ATP_OPT_COLORS_FIXED, 1}}),
                                     factored({{ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_AUTOREGRESSIVE}})};

void gradients_and_meaning(void **) {
  for (const Options &options : kCases) {
    Family p(40, 6, 4, options);
    const Vector x = p.parameters(), g = p.gradient(x);
    for (size_t k = 0; k < x.size(); k += 3) {
      constexpr double h = 1e-5;
      Vector up = x, down = x;
      up[k] += h;
      down[k] -= h;
      assert_close(g[k], (p.value(up) - p.value(down)) / (2 * h), 1e-6, 1e-9);
    }
    // The same point and gradient as the C API has them, without centred fields.
    Vector given(p.size()), back(p.size()), slope(p.size());
    p.objective->read(Span<const double>(x.data(), static_cast<int64_t>(x.size())), given.data());
    p.objective->write(span(given), span(back));
    for (size_t k = 0; k < x.size(); ++k) assert_close(back[k], x[k], 1e-12, 1e-12);
    Vector own = p.gradient(x);
    p.objective->read_gradient(span(own), slope.data());
    const Norms norms = *p.objective->norms(0);
    const double here = p.value(x);
    p.objective->set_former_unknowns(true);
    assert_null(p.objective->norms(0));
    assert_close(p.value(given), here, 1e-13, 0);
    const Vector plain = p.gradient(given);
    double square = 0, far = 0;
    for (size_t k = 0; k < x.size(); ++k) {
      assert_close(slope[k], plain[k], 1e-10, 1e-13);
      square += plain[k] * plain[k];
      far = std::fmax(far, std::fabs(plain[k] - g[k]));
    }
    assert_close(norms.gradient, std::sqrt(square), 1e-12, 0);
    assert_true(far > 1e-3);  // they are other unknowns
  }
}

void fewer_iterations(void **) {
  Family convex(300, 12, 5, factored({{ATP_OPT_COLORS_FIXED, 1}, {ATP_OPT_L2_COUPLINGS, 1e-3}, {ATP_OPT_L2_FIELDS, 1e-3}})),
      free(300, 12, 5, factored({{ATP_OPT_HEADS, 4}}));
  for (Family *p : {&convex, &free}) {
    const Vector centred = p->descend(200);
    p->objective->set_former_unknowns(true);
    const Vector former = p->descend(200);
    print_message("after 10, 20, 200 iterations: %.6f %.6f %.9f centred, %.6f %.6f %.9f before\n", centred[9], centred[19], centred[199],
                  former[9], former[19], former[199]);
    if (p == &convex) assert_close(centred[199], former[199], 1e-9, 0);
    assert_true(centred[9] < former[9] && centred[19] < former[19]);
  }
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(gradients_and_meaning), cmocka_unit_test(fewer_iterations)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
