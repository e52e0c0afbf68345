// SPDX-License-Identifier: MIT
// The C++ header: what is borrowed must not be a temporary, and what arguments a View takes.
#include <attopotts_io.hpp>

#include "support.h"

#include <array>
#include <string_view>

namespace {

using attopotts::Alignment;
using attopotts::Borrowed;
using attopotts::Context;
using attopotts::Input;
using attopotts::Model;
using attopotts::Options;
using attopotts::Reals;
using attopotts::Sampler;
using attopotts::Sampling;
using attopotts::Sequences;
using attopotts::Table;
using attopotts::Task;
using attopotts::Trainer;
using attopotts::View;

// Makes `Made` from a context and more arguments: possible with a named context, impossible with a temporary one.
template <class Made, class... More>
constexpr bool borrows_context =
    std::is_constructible_v<Made, Context &, More...> &&std::is_constructible_v<Made, const Context &, More...> &&
    !std::is_constructible_v<Made, Context, More...> && !std::is_constructible_v<Made, const Context, More...>;
static_assert(borrows_context<Options, int>);
static_assert(borrows_context<Alignment, Sequences, std::int64_t, std::int64_t>);
static_assert(borrows_context<Sampler, const Model &>);
static_assert(borrows_context<Sampling, const Model &, std::int64_t>);
static_assert(borrows_context<Table, atp_table_kind, std::int64_t>);
static_assert(borrows_context<Task, atp_task_kind>);
static_assert(borrows_context<Trainer, Alignment &, const Options &>);
static_assert(borrows_context<Input, const char *>);
static_assert(borrows_context<attopotts::replica::Masked, Reals, Reals, double>);
// A sampler copies its model and every handle its options; trainers read their alignment as long as they live.
static_assert(std::is_constructible_v<Sampler, Context &, Model, Options>);
static_assert(std::is_constructible_v<Trainer, Context &, Alignment &, Options>);
static_assert(!std::is_constructible_v<Trainer, Context &, Alignment>);
static_assert(!std::is_constructible_v<Trainer, Context &, Alignment, Options>);

// Whether a call compiles.
#define CALL(name, expression)                                                                                \
  template <class Object, class Argument>                                                                     \
  auto name##_(int)->decltype(std::declval<Object>().expression(std::declval<Argument>()), std::true_type{}); \
  template <class, class>                                                                                     \
  std::false_type name##_(...);                                                                               \
  template <class Object, class Argument>                                                                     \
  constexpr bool name = decltype(name##_<Object, Argument>(0))::value;
CALL(sets_test, set_test)
CALL(sets_truth, set_truth)
CALL(copies, copy)
CALL(sets_alphabet, set_alphabet)
CALL(sets_threads, set_threads)
static_assert(sets_test<Trainer &, const Alignment &> && !sets_test<Trainer &, Alignment>);
static_assert(sets_truth<Trainer &, Model &> && !sets_truth<Trainer &, Model>);
static_assert(copies<Model &, Context &> && !copies<Model &, Context>);
// A setter returns a reference, which of a temporary would pass for a named object.
static_assert(sets_alphabet<Alignment &, const char *> && !sets_alphabet<Alignment, const char *>);
static_assert(sets_alphabet<Model &, const char *> && !sets_alphabet<Model, const char *>);
static_assert(sets_threads<Context &, int> && !sets_threads<Context, int>);
CALL(sets_betas, set_betas)
CALL(starts_from, start_from)
CALL(loads_state, load_state)
CALL(sets_parameters, set_parameters)
CALL(sets_log, set_log)
static_assert(sets_betas<Sampler &, Reals> && !sets_betas<Sampler, Reals>);
static_assert(starts_from<Sampler &, Sequences> && !starts_from<Sampler, Sequences>);
static_assert(starts_from<Trainer &, Trainer &> && !starts_from<Trainer, Trainer &>);
static_assert(sets_test<Trainer &, Alignment &> && !sets_test<Trainer, Alignment &>);
static_assert(sets_truth<Trainer &, Model &> && !sets_truth<Trainer, Model &>);
static_assert(sets_log<Trainer &, Table *> && !sets_log<Trainer, Table *>);
static_assert(sets_parameters<Trainer &, Reals> && !sets_parameters<Trainer, Reals>);
template <class Object>
constexpr bool loads_only_named = loads_state<Object &, View<const char>> && !loads_state<Object, View<const char>>;
static_assert(loads_only_named<Sampler> && loads_only_named<Sampling> && loads_only_named<Trainer>);

// The type that a call with two arguments returns; void if it does not compile.
#define SETS(Object, First) decltype(set_(std::declval<Object>(), std::declval<First>(), 1))
template <class Object, class First, class Second>
auto set_(Object &&object, First &&first, Second second) -> decltype(std::forward<Object>(object).set(first, second));
[[maybe_unused]] void set_(...) {}
// Options are kept by the reference of a named object, and by value from a temporary.
static_assert(std::is_same_v<SETS(Options &, atp_option), Options &> && std::is_same_v<SETS(Options, atp_option), Options>);
static_assert(std::is_same_v<SETS(Options &, const char *), Options &> && std::is_same_v<SETS(Options, std::string), Options>);
static_assert(std::is_same_v<decltype(std::declval<Options &>().reset()), Options &>);
static_assert(std::is_same_v<decltype(std::declval<Options>().reset()), Options>);
static_assert(std::is_same_v<SETS(const Options &, atp_option), void> && std::is_same_v<SETS(const Options, atp_option), void>);
static_assert(std::is_same_v<decltype(set_(std::declval<Task &>(), ATP_ARRAY_ALPHAS, Reals())), Task &>);
static_assert(std::is_same_v<decltype(set_(std::declval<Task>(), ATP_ARRAY_ALPHAS, Reals())), void>);

#define VIEW(name)                                                                      \
  template <class Object>                                                               \
  auto views_##name##_(int)->decltype(std::declval<Object>().name(), std::true_type{}); \
  template <class>                                                                      \
  std::false_type views_##name##_(...);                                                 \
  template <class Object>                                                               \
  constexpr bool views_##name = decltype(views_##name##_<Object>(0))::value;
VIEW(sequences)
VIEW(weights)
VIEW(site_numbers)
VIEW(bytes)
VIEW(clear)
VIEW(start_random)
VIEW(unset_test)
VIEW(unset_truth)
static_assert(views_clear<Table &> && !views_clear<Table> && views_start_random<Sampler &> && !views_start_random<Sampler>);
static_assert(views_unset_test<Trainer &> && !views_unset_test<Trainer>);
static_assert(views_unset_truth<Trainer &> && !views_unset_truth<Trainer>);
static_assert(views_sequences<const Alignment &> && !views_sequences<Alignment>);
static_assert(views_weights<Alignment &> && !views_weights<Alignment>);
static_assert(views_site_numbers<Alignment &> && !views_site_numbers<Alignment>);
static_assert(views_site_numbers<Model &> && !views_site_numbers<const Model>);
static_assert(views_bytes<Input &> && !views_bytes<Input>);

// A view takes what is contiguous and has elements of its type, and nothing else.
struct Contiguous {
  double numbers[3] = {1, 2, 3};
  const double *data() const { return numbers; }
  std::size_t size() const { return 3; }
};
static_assert(std::is_convertible_v<Contiguous, Reals> && std::is_convertible_v<std::string_view, View<const char>>);
static_assert(std::is_convertible_v<std::vector<double> &, View<double>> && std::is_convertible_v<View<double>, Reals>);
static_assert(!std::is_convertible_v<const std::vector<double> &, View<double>> && !std::is_convertible_v<Reals, View<double>>);
static_assert(!std::is_convertible_v<std::vector<float>, Reals> && !std::is_convertible_v<std::string, Reals>);
static_assert(!std::is_convertible_v<int, Reals> && !std::is_convertible_v<double *, Reals>);

// A temporary vector is an argument, and nothing that a View in a variable may refer to.
static_assert(std::is_convertible_v<std::vector<double>, Reals> && !std::is_constructible_v<Reals, std::vector<double>>);
static_assert(std::is_constructible_v<Reals, std::vector<double> &> && std::is_constructible_v<Reals, const std::vector<double> &>);
static_assert(std::is_assignable_v<Reals &, std::vector<double> &> && !std::is_assignable_v<Reals &, std::vector<double>>);
static_assert(std::is_assignable_v<Reals &, View<double>> && std::is_assignable_v<Reals &, double (&)[2]>);
static_assert(!std::is_assignable_v<Reals &, double (&&)[2]> && std::is_invocable_v<double (*)(Reals), std::vector<double>>);

double sum(Reals view) {
  double total = 0;
  for (const double x : view) total += x;
  return total + 100 * static_cast<double>(view.size());
}

void views_of_arrays(void **) {
  double plain[] = {1, 2, 3};
  const std::array<double, 3> array = {1, 2, 3};
  assert_true(sum({1, 2, 3}) == 306 && sum({}) == 0 && sum({4}) == 104);
  assert_true(sum(plain) == 306 && sum(array) == 306 && sum(Contiguous{}) == 306 && sum(std::vector<double>{1, 2, 3}) == 306);
  assert_true(sum({plain, 2}) == 203);
  assert_true(sum(std::array<double, 0>{}) == 0);
  View<double> changeable(plain);
  changeable[1] = 7;
  assert_true(plain[1] == 7);
}

void lists_as_arguments(void **) {
  const Context context;
  const Model doubles = Model::dense(context, 2, 2, {0, 0, 0, 0, 1, 2, 3, 4, 1, 3, 2, 4, 0, 0, 0, 0}, {0, 1, 2, 3});
  assert_true(doubles.is_symmetric() && doubles.couplings()[5] == 2 && doubles.fields()[3] == 3);
  const Model floats = Model::dense(context, 2, 2, std::array<float, 16>{});
  assert_true(floats.couplings()[5] == 0);
  assert_true(doubles.energies({0, 1, 1, 1}).size() == 2);
  const std::string text = ">one\nAC\n>two\nCA\n";
  assert_true(Alignment::parse(context, text, "AC").count() == 2);
  assert_true(Alignment(context, {0, 1, 1, 0}, 2, 2, {1, 3}).effective_count() == 4);
}

// Runs a function that must throw; its message.
template <class Function>
std::string message_of(Function &&function) {
  try {
    function();
  } catch (const attopotts::error &e) {
    return e.what();
  }
  return "";
}

void options_of_temporaries(void **) {
  const Context context;
  Options kept = Options(context, ATP_OWNER_SAMPLER).set(ATP_OPT_CHAINS, 4).set("seed", 7).set(std::string("beta"), 0.5);
  assert_true(kept.integer(ATP_OPT_CHAINS) == 4 && kept.integer(ATP_OPT_SEED) == 7 && kept.real(ATP_OPT_BETA) == 0.5);
  const Options &same = kept.set("seed", 8);
  assert_true(&same == &kept && same.integer(ATP_OPT_SEED) == 8);
  assert_int_equal(Options(context, ATP_OWNER_SAMPLER).set("seed", 9).reset().integer(ATP_OPT_SEED), 1);
  const Model model = Model::random(context, 5, 3);
  assert_int_equal(Sampler(context, model, Options(context, ATP_OWNER_SAMPLER).set(ATP_OPT_CHAINS, 6)).chains(), 6);
  const Options next = std::move(kept).set("chains", 3);
  assert_int_equal(next.integer(ATP_OPT_CHAINS), 3);
  assert_string_equal(message_of([&] { Sampler(context, model, kept); }).c_str(), "options was moved from, it has no handle");
}

void messages_of_shapes(void **) {
  const Context context;
  Model model = Model::random(context, 5, 3);
  const std::vector<std::uint8_t> eleven(11);
  const std::string wrong = "sequences has 11 elements, must be a multiple of the number of sites, which is 5";
  assert_string_equal(message_of([&] { model.energies(eleven); }).c_str(), wrong.c_str());
  assert_string_equal(message_of([&] { model.conditionals(eleven); }).c_str(), wrong.c_str());
  assert_string_equal(message_of([&] {
                        Sampler sampler(context, model);
                        sampler.start_from(eleven);
                      }).c_str(),
                      wrong.c_str());
  assert_string_equal(message_of([&] { Alignment(context, eleven, 5, 3); }).c_str(), wrong.c_str());
  const Model moved = std::move(model);
  assert_int_equal(moved.energies(std::vector<std::uint8_t>(10)).size(), 2);
  const std::string gone = "model was moved from, it has no handle";
  assert_string_equal(message_of([&] { model.energies(eleven); }).c_str(), gone.c_str());
  assert_string_equal(message_of([&] { model.log_pseudolikelihoods({}); }).c_str(), gone.c_str());
}

void test_and_truth_are_unset(atp_family family) {
  const Context context;
  const Model truth = Model::random(context, 3, 3);
  const Alignment train(context, {0, 1, 2, 2, 1, 0, 1, 1, 0}, 3, 3);
  Options options(context, ATP_OWNER_TRAINER);
  options.set(ATP_OPT_FAMILY, family).set(ATP_OPT_EPOCHS, 9).set(ATP_OPT_BATCH, 2).set(ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_SGD);
  Trainer trainer(context, train, options);
  int has_test = 0, has_error = 0;
  const auto look = [&](const attopotts::Progress &progress) {
    has_test = progress[ATP_PROGRESS_TEST_LOSS] == progress[ATP_PROGRESS_TEST_LOSS];
    has_error = progress[ATP_PROGRESS_OPTIMAL_LOSS] == progress[ATP_PROGRESS_OPTIMAL_LOSS];
    return true;
  };
  {
    const Alignment test(context, {0, 0, 1}, 3, 3);
    const Model same = truth.copy(context);
    trainer.set_test(test).set_truth(same).run(1, look);
    assert_true(has_test && has_error);
    trainer.unset_truth().run(1, look);
    assert_true(has_test && !has_error);
    trainer.unset_test();
  }
  trainer.run(1, look);  // the test alignment and the truth are freed
  assert_true(!has_test && !has_error);
}

void trainers(void **) { test_and_truth_are_unset(ATP_FAMILY_FACTORED); }
void networks(void **) { test_and_truth_are_unset(ATP_FAMILY_ENCODER); }

const CMUnitTest tests[] = {
    cmocka_unit_test(views_of_arrays),    cmocka_unit_test(lists_as_arguments), cmocka_unit_test(options_of_temporaries),
    cmocka_unit_test(messages_of_shapes), cmocka_unit_test(trainers),           cmocka_unit_test(networks),
};

}  // namespace

ATP_TEST_MAIN(tests)
