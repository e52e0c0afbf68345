// SPDX-License-Identifier: MIT
// Callbacks run in the thread that made the call, outside of parallel regions, and what they throw becomes a status.
#include "counting.h"
#include "support.h"
#include "task_support.h"

#include <attopotts.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <thread>

#include <time.h>

namespace {

constexpr int kSites = 6, kColors = 3, kCount = 40;

void ok(atp_status status) {
  char text[512] = "";
  if (status == ATP_OK) return;
  atp_last_error(text, sizeof text);
  fail_msg("%s: %s", atp_status_name(status), text);
}

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Whether other threads of the process work while this one sleeps for 4 ms. Idle helpers of a team spin for 0.1 ms at most.
bool in_parallel_region() {
  const double before = processor_seconds();
  const timespec pause = {0, 4000000};
  nanosleep(&pause, nullptr);
  return processor_seconds() - before > 0.002;
}

// The arguments that a callback received, and its action at the n-th call.
struct Witness {
  std::thread::id caller = std::this_thread::get_id();
  int calls = 0, elsewhere = 0, inside = 0;
  int throw_at = 0, number = 0;  // number: throw an int
  void see() {
    ++calls;
    elsewhere += std::this_thread::get_id() != caller;
    if (calls <= 5) inside += in_parallel_region();
    if (calls != throw_at) return;
    if (number != 0) throw number;
    throw std::runtime_error("no more paper");
  }
};

int watch(const atp_progress *, void *user) {
  static_cast<Witness *>(user)->see();
  return 0;
}

void listen(atp_log_level, const char *, void *user) { static_cast<Witness *>(user)->see(); }

void *take(std::size_t bytes, std::size_t alignment, void *user) {
  static_cast<Witness *>(user)->see();
  return counting_alloc(bytes, alignment, nullptr);
}

void give(void *memory, std::size_t bytes, void *) { counting_free(memory, bytes, nullptr); }

void give_and_throw(void *memory, std::size_t bytes, void *) {
  counting_free(memory, bytes, nullptr);
  throw std::runtime_error("release");
}

constexpr double kCovariance[4] = {1, 0.2, 0.2, 1}, kWeights[2] = {0.3, 0.5}, kAlphas[3] = {2, 3, 4};
constexpr task_case kTasks[] = {
    {ATP_TASK_REPLICA_SIMULATION,
     {{ATP_OPT_NOISE, 0.1}, {ATP_OPT_LAMBDA, 0.1}, {ATP_OPT_REALISATIONS, 10}},
     {{ATP_ARRAY_ALPHAS, kAlphas, 3, 1}, {ATP_ARRAY_COVARIANCE, kCovariance, 2, 2}, {ATP_ARRAY_WEIGHTS, kWeights, 2, 1}}},
    {ATP_TASK_DOTATTN_SIMULATION,
     {{ATP_OPT_DIMENSION, 30}, {ATP_OPT_STEPS, 300}, {ATP_OPT_TOLERANCE, 0}, {ATP_OPT_TEST_SAMPLES, 10}, {ATP_OPT_RUNS, 4}},
     {{ATP_ARRAY_ALPHAS, kAlphas, 3, 1}}},
    {ATP_TASK_DOTATTN_TOKENS,
     {{ATP_OPT_POINTS, 32}, {ATP_OPT_SHIFTS, 8}, {ATP_OPT_TOLERANCE, 1e-6}, {ATP_OPT_MAX_ITER, 200}},
     {{ATP_ARRAY_ALPHAS, kAlphas, 3, 1}}},
    {ATP_TASK_DOTATTN_CURVE, {{ATP_OPT_ACCURACY, 0.1}}, {{ATP_ARRAY_ALPHAS, kAlphas, 1, 1}}},
};

// Everything that takes a progress callback.
struct Fixture {
  atp_context *context = nullptr;
  atp_options *options = nullptr;
  atp_model *model = nullptr;
  atp_alignment *data = nullptr;
  atp_sampler *sampler = nullptr;
  atp_trainer *trainer[4] = {};  // factored, SGD, dense, asymmetric
  atp_trainer *network = nullptr;

  void set_up(int threads) {
    ok(atp_context_create(nullptr, nullptr, nullptr, &context));
    ok(atp_context_set_threads(context, threads));
    // The bag anew, for another owner.
    const auto renew = [this](int owner) {
      atp_options_destroy(options);
      ok(atp_options_create(context, owner, &options));
    };
    renew(ATP_OWNER_SAMPLER);
    ok(atp_options_set_i64(options, ATP_OPT_CHAINS, 64));
    ok(atp_model_create_random(context, kSites, kColors, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &model));
    ok(atp_sampler_create(context, model, options, &sampler));
    uint8_t sequences[kCount * kSites];
    ok(atp_sampler_sample(sampler, 2, sequences, sizeof sequences, nullptr, nullptr, nullptr));
    ok(atp_alignment_create(context, sequences, kCount, kSites, kColors, nullptr, &data));
    renew(ATP_OWNER_TRAINER);
    ok(atp_options_set_i64(options, ATP_OPT_EPOCHS, 1000));
    ok(atp_options_set_f64(options, ATP_OPT_TOLERANCE, 0));
    for (int k = 0; k < 4; ++k) {
      ok(atp_options_set_i64(options, ATP_OPT_OPTIMIZER, k == 1 ? ATP_OPTIMIZER_SGD : ATP_OPTIMIZER_LBFGS));
      ok(atp_options_set_i64(options, ATP_OPT_FAMILY, k < 2 ? ATP_FAMILY_FACTORED : ATP_FAMILY_DENSE));
      ok(atp_options_set_i64(options, ATP_OPT_ASYMMETRIC, k == 3));
      ok(atp_trainer_create(context, data, options, &trainer[k]));
      ok(atp_trainer_set_test(trainer[k], data));
    }
    renew(ATP_OWNER_TRAINER);
    ok(atp_options_set_i64(options, ATP_OPT_FAMILY, ATP_FAMILY_ENCODER));
    ok(atp_options_set_i64(options, ATP_OPT_WIDTH, 4));
    ok(atp_trainer_create(context, data, options, &network));
    renew(ATP_OWNER_FILTER);
  }
  void tear_down() {
    atp_trainer_destroy(network);
    for (atp_trainer *t : trainer) atp_trainer_destroy(t);
    atp_sampler_destroy(sampler);
    atp_alignment_destroy(data);
    atp_model_destroy(model);
    atp_options_destroy(options);
    int64_t bytes = -1;
    ok(atp_context_memory(context, nullptr, &bytes));
    assert_int_equal(bytes, 0);
    atp_context_destroy(context);
  }

  static constexpr int kRuns = 12;
  atp_status tune(atp_progress_fn progress, Witness *witness) const {
    atp_table *table = nullptr;
    ok(atp_table_create(context, ATP_TABLE_TUNING, 1, &table));
    const atp_status status = atp_tune_beta(context, model, nullptr, 0.5, table, progress, witness);
    atp_table_destroy(table);
    return status;
  }
  // The k-th of the calls with a progress callback.
  atp_status call(int k, Witness *witness) const {
    uint8_t sequences[64 * kSites];
    const atp_progress_fn progress = watch;
    switch (k) {
      case 0: return atp_sampler_sweep(sampler, 20, progress, witness, nullptr);
      case 1: return atp_sampler_sample(sampler, 3, sequences, sizeof sequences, progress, witness, nullptr);
      case 2: return atp_trainer_run(trainer[0], 3, progress, witness, nullptr);
      case 3: return atp_trainer_run(trainer[1], 3, progress, witness, nullptr);
      case 4: return atp_trainer_run(trainer[2], 3, progress, witness, nullptr);
      case 5: return atp_trainer_run(trainer[3], 3, progress, witness, nullptr);
      case 6: return atp_trainer_start_wide(trainer[0], 3, 4, progress, witness, nullptr);
      case 7: return atp_trainer_run(network, 2, progress, witness, nullptr);
      case 8:
      case 9:
      case 10:
      case 11: return run_task(context, &kTasks[k - 8], progress, witness, nullptr, nullptr);
      default: return tune(progress, witness);
    }
  }
};

void in_the_calling_thread(void **) {
  Fixture f;
  f.set_up(4);
  for (int k = 0; k <= Fixture::kRuns; ++k) {
    Witness witness;
    ok(f.call(k, &witness));
    if (k < Fixture::kRuns) assert_true(witness.calls > 0);
    if (witness.elsewhere != 0 || witness.inside != 0)
      fail_msg("call %d: of %d reports %d came from another thread, %d from within a parallel region", k, witness.calls, witness.elsewhere,
               witness.inside);
  }
  f.tear_down();
}

void what_progress_throws(void **) {
  Fixture f;
  f.set_up(4);
  for (int k = 0; k < Fixture::kRuns; ++k) {
    Witness witness;
    char text[512] = "";
    witness.throw_at = 1;
    assert_int_equal(f.call(k, &witness), ATP_E_CALLBACK);
    assert_true(atp_last_error(text, sizeof text) > 0);
    assert_string_equal(text, "the progress callback threw an exception: no more paper");
    witness.calls = 0;
    witness.number = 3;
    assert_int_equal(f.call(k, &witness), ATP_E_CALLBACK);
    atp_last_error(text, sizeof text);
    assert_string_equal(text, "the progress callback threw an exception");
    // The handle goes on.
    Witness calm;
    ok(f.call(k, &calm));
    assert_true(calm.calls > 0);
  }
  f.tear_down();
}

// An exception is not a stop request: a run that is cut off goes on to the bits of one that is not.
void a_run_goes_on_after_an_exception(void **) {
  double x[2][64];
  for (int cut = 0; cut < 2; ++cut) {
    Fixture f;
    f.set_up(2);
    Witness witness;
    witness.throw_at = cut == 1 ? 4 : 0;
    assert_int_equal(atp_trainer_run(f.trainer[1], 8, watch, &witness, nullptr), cut == 1 ? ATP_E_CALLBACK : ATP_OK);
    assert_int_equal(atp_trainer_epochs(f.trainer[1]), cut == 1 ? 4 : 8);
    if (cut == 1) ok(atp_trainer_run(f.trainer[1], 4, nullptr, nullptr, nullptr));
    const int64_t n = atp_trainer_parameter_count(f.trainer[1]);
    assert_true(n <= 64);
    ok(atp_trainer_parameters(f.trainer[1], x[cut], n));
    f.tear_down();
    if (cut == 1) assert_memory_equal(x[0], x[1], sizeof(double) * static_cast<std::size_t>(n));
  }
}

void what_log_throws(void **) {
  Fixture f;
  f.set_up(4);
  Witness witness;
  ok(atp_context_set_log(f.context, listen, &witness));
  ok(atp_options_set_i64(f.options, ATP_OPT_REMOVE_DUPLICATES, 1));
  atp_alignment *twice = nullptr, *kept = nullptr;
  uint8_t same[2 * kSites] = {};
  ok(atp_alignment_create(f.context, same, 2, kSites, kColors, nullptr, &twice));
  ok(atp_alignment_filter(f.context, twice, f.options, nullptr, 0, &kept));
  assert_true(witness.calls == 1 && witness.elsewhere == 0 && witness.inside == 0);
  atp_alignment_destroy(kept);
  witness.calls = 0;
  witness.throw_at = 1;
  kept = twice;
  assert_int_equal(atp_alignment_filter(f.context, twice, f.options, nullptr, 0, &kept), ATP_E_CALLBACK);
  assert_true(kept == nullptr);
  char text[512] = "";
  atp_context_error(f.context, text, sizeof text);
  assert_string_equal(text, "the log callback threw an exception: no more paper");
  atp_alignment_destroy(twice);
  f.tear_down();
}

void what_the_allocator_throws(void **) {
  Witness witness;
  atp_context *context = nullptr;
  witness.throw_at = 1;
  assert_int_equal(atp_context_create(take, give, &witness, &context), ATP_E_CALLBACK);
  assert_true(context == nullptr);
  witness.calls = witness.throw_at = 0;
  ok(atp_context_create(take, give, &witness, &context));
  ok(atp_context_set_threads(context, 4));
  atp_model *model = nullptr;
  ok(run_task(context, &kTasks[0], nullptr, nullptr, nullptr, nullptr));
  // The context, options, the task, its three arrays, the table, the work space of the run.
  assert_true(witness.calls == 8 && witness.elsewhere == 0 && witness.inside == 0);
  witness.throw_at = witness.calls + 1;
  assert_int_equal(atp_model_create_random(context, kSites, kColors, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &model),
                   ATP_E_CALLBACK);
  assert_true(model == nullptr);
  char text[512] = "";
  atp_context_error(context, text, sizeof text);
  assert_string_equal(text, "the alloc callback threw an exception: no more paper");
  atp_context_destroy(context);

  // Destroying cannot fail: what release throws is dropped.
  Witness calm;
  ok(atp_context_create(take, give_and_throw, &calm, &context));
  ok(atp_model_create_random(context, kSites, kColors, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &model));
  atp_model_destroy(model);
  atp_context_destroy(context);
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(in_the_calling_thread), cmocka_unit_test(what_progress_throws),
                              cmocka_unit_test(a_run_goes_on_after_an_exception), cmocka_unit_test(what_log_throws),
                              cmocka_unit_test(what_the_allocator_throws)};
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
