/* SPDX-License-Identifier: MIT */
/* No call but create allocates: counted in the context's allocator and in malloc itself, which this program replaces for the whole process,
 * the library, the C++ run time and the start of threads included. */
#include "counting.h"
#include "families.h"
#include "support.h"

#include <attopotts.h>

#include <stdatomic.h>
#include <errno.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define HAS_HOOK 0 /* sanitizers have a malloc of their own */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_HOOK 0
#endif
#endif
#ifndef HAS_HOOK
#define HAS_HOOK 1
#endif

static atomic_int watching;
static atomic_int_least64_t hooked;

#if HAS_HOOK
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

void *memalign(size_t alignment, size_t n);

static void note(void) {
  if (atomic_load_explicit(&watching, memory_order_relaxed)) atomic_fetch_add(&hooked, 1);
}
void *malloc(size_t n) { return note(), __libc_malloc(n); }
void *calloc(size_t n, size_t m) { return note(), __libc_calloc(n, m); }
void *realloc(void *p, size_t n) { return note(), __libc_realloc(p, n); }
void *memalign(size_t alignment, size_t n) { return note(), __libc_memalign(alignment, n); }
void *aligned_alloc(size_t alignment, size_t n) { return note(), __libc_memalign(alignment, n); }
int posix_memalign(void **out, size_t alignment, size_t n) {
  note();
  *out = __libc_memalign(alignment, n);
  return *out == NULL ? ENOMEM : 0;
}
#endif

enum { L = 12, Q = 7, N = 300, CHAINS = 20, RUNGS = 3 };

static struct counter counter;
static int64_t calls_before;

static void watch(void) {
  calls_before = counter.calls;
  atomic_store(&hooked, 0);
  atomic_store(&watching, 1);
}

/* Allocations since watch(): through the context, and by anybody. */
static int64_t seen(int64_t *through_context) {
  atomic_store(&watching, 0);
  *through_context = counter.calls - calls_before;
  return atomic_load(&hooked);
}

static void expect_none(const char *what) {
  int64_t through_context;
  const int64_t any = seen(&through_context);
  if (any != 0 || through_context != 0)
    print_error("%s: %lld allocations through the context, %lld in all\n", what, (long long)through_context, (long long)any);
  assert_int_equal(through_context, 0);
  assert_int_equal(any, 0);
  watch();
}

#define OK(call) assert_int_equal(call, ATP_OK)

static void *volatile planted;

/* The counter must see a planted malloc, a create call, and malloc inside the library. */
static void the_hooks_see_allocations(void **state) {
  (void)state;
  int64_t through_context;
#if HAS_HOOK
  watch();
  planted = malloc(100);
  const int64_t own = seen(&through_context);
  free(planted);
  assert_true(own >= 1);
  assert_int_equal(through_context, 0);
  /* In the library, which takes the C library's memory here. */
  atp_context *plain = NULL;
  watch();
  OK(atp_context_create(NULL, NULL, NULL, &plain));
  assert_true(seen(&through_context) >= 1);
  atp_context_destroy(plain);
#endif
  atp_context *context = NULL;
  atp_options *options = NULL;
  OK(atp_context_create(counting_alloc, counting_free, &counter, &context));
  watch();
  OK(atp_options_create(context, ATP_OWNER_SAMPLER, &options));
  const int64_t any = seen(&through_context);
  assert_int_equal(through_context, 1);
  assert_true(any >= HAS_HOOK);
  atp_options_destroy(options);
  atp_context_destroy(context);
}

static int quiet_progress(const atp_progress *progress, void *user) {
  *(double *)user += atp_progress_value(progress, ATP_PROGRESS_STEP);
  return 0;
}

static uint8_t sequences[N * L], states[CHAINS * L];
static double reals[2 * L * L * Q * Q], energies[N], parameters[8192], gradient[8192], betas[RUNGS];
static float floats[L * L * Q * Q];
static int64_t masked[N], histogram[L + 1], order[L];
static char saved[1 << 22];

/* The bag anew, for another owner. */
static void renew(atp_options **options, int owner) {
  atp_context *context = atp_options_context(*options);
  atp_options_destroy(*options);
  OK(atp_options_create(context, owner, options));
}

static void sample(atp_context *context, atp_options *options, const atp_model *model) {
  atp_sampler *sampler = NULL;
  double sum = 0;
  atp_outcome outcome;
  int64_t ignored;
  OK(atp_sampler_create(context, model, options, &sampler));
  const int64_t rungs = atp_sampler_temperatures(sampler);
  watch();
  OK(atp_sampler_sweep(sampler, 3, NULL, NULL, &outcome));
  expect_none("sweep");
  OK(atp_sampler_sweep(sampler, 3, quiet_progress, &sum, &outcome));
  expect_none("sweep with a callback");
  OK(atp_sampler_sample(sampler, 2, sequences, sizeof sequences, quiet_progress, &sum, &outcome));
  OK(atp_sampler_sequence_energies(sampler, sequences, N, energies, N));
  expect_none("sample");
  OK(atp_sampler_states(sampler, rungs - 1, states, sizeof states));
  OK(atp_sampler_energies(sampler, 0, energies, CHAINS));
  OK(atp_sampler_betas(sampler, betas, rungs));
  OK(atp_sampler_set_betas(sampler, betas, rungs));
  OK(atp_sampler_swap_rates(sampler, energies, rungs - 1));
  expect_none("states, energies, betas");
  const int64_t size = atp_sampler_state_bytes(sampler);
  assert_true(size <= (int64_t)sizeof saved);
  OK(atp_sampler_save_state(sampler, saved, size));
  OK(atp_sampler_load_state(sampler, saved, size));
  expect_none("save and load");
  OK(atp_sampler_start_from(sampler, sequences, N, L));
  OK(atp_sampler_sweep(sampler, 2, NULL, NULL, NULL));
  OK(atp_sampler_start_random(sampler));
  OK(atp_sampler_restrict(sampler, NULL, 0));
  OK(atp_sampler_sweep(sampler, 2, NULL, NULL, NULL));
  expect_none("starts");
  /* A failing call writes its text without allocating. */
  assert_int_equal(atp_sampler_sweep(sampler, -1, NULL, NULL, NULL), ATP_E_VALUE);
  seen(&ignored);
  atp_sampler_destroy(sampler);
}

static char state_of_model[1 << 16], state_of_alignment[1 << 16];

static void evaluate(atp_context *context, const atp_model *model, atp_alignment *alignment) {
  double x, y;
  watch();
  OK(atp_model_conditionals(model, sequences, 2, reals, 2 * L * Q));
  OK(atp_model_energies(model, sequences, N, energies, N));
  OK(atp_model_save_state(model, state_of_model, atp_model_state_bytes(model)));
  OK(atp_model_log_pseudolikelihoods(model, sequences, N, energies, N));
  OK(atp_model_couplings_f64(model, reals, L * L * Q * Q));
  OK(atp_model_couplings_f32(model, floats, L * L * Q * Q));
  OK(atp_model_fields(model, reals, L * Q));
  OK(atp_model_pair_couplings(model, reals, 0));
  expect_none("arrays of a model");
  OK(atp_model_loss(context, model, alignment, &x));
  expect_none("loss of a model");
  OK(atp_alignment_frequencies(alignment, 0.1, reals, L * Q));
  OK(atp_alignment_independent_loss(alignment, reals, L * Q, &x));
  OK(atp_alignment_pair_frequencies(alignment, 0.1, reals, L * L * Q * Q));
  OK(atp_alignment_covariances(alignment, 0.1, reals, L * L * Q * Q));
  OK(atp_alignment_auto_theta(alignment, &x));
  OK(atp_alignment_resample(alignment, 1, 0, reals, N));
  OK(atp_alignment_save_state(alignment, state_of_alignment, atp_alignment_state_bytes(alignment)));
  OK(atp_alignment_conservation(alignment, ATP_GAPS_STATE, reals, L));
  OK(atp_alignment_residue_frequencies(alignment, reals, L * (Q - 1)));
  expect_none("frequencies");
  double scores[L * L], curve[4];
  int64_t pairs[8], count;
  const int64_t rule[2] = {1, 2};
  for (int k = 0; k < L * L; ++k) scores[k] = k % (L + 1) == 0 ? 0 : 1 + (k / L + k % L) % 7;
  OK(atp_scores_apc(scores, L, scores, L * L));
  OK(atp_scores_rank(scores, L, NULL, rule, pairs, 4, &count));
  OK(atp_pairs_precision(pairs, count, scores, L, 8, ATP_ABSENT_COUNTED, curve));
  expect_none("scores of pairs");
  OK(atp_autocorrelation_time(energies, 1, N, &x, &y));
  OK(atp_split_rhat(energies, 2, N / 2, &x));
  OK(atp_count_within_errors(energies, energies, energies, N, 1, &count));
  OK(atp_hamming_histogram(sequences, N, L, histogram, L + 1, &x));
  int64_t ignored;
  expect_none("diagnostics");
  seen(&ignored);
}

/* The theory of learning curves. What goes through LAPACK has the caller's work space, but BLIS takes packing buffers as it likes. */
static void learning_curves(atp_context *context) {
  enum { SITES = 9, P = SITES - 1 };
  double precision[SITES * SITES], values[P], projections[P], covariance[P * P], noise;
  static char text[1 << 14];
  const double alphas[2] = {0.5, 2}, map[4] = {0.6, 0.4, 0.4, 0.6};
  atp_outcome outcome;
  int64_t ignored, bytes;
  atp_masked *problem;
  watch();
  OK(atp_replica_goe(SITES, 3, 1, precision, SITES * SITES));
  OK(atp_symmetric_check(precision, SITES, ATP_SYMMETRIC_COVARIANCE));
  OK(atp_replica_color_covariance(precision, P, covariance, P * P));
  expect_none("precision of learning curves");
  OK(atp_masked_create_precision(context, precision, SITES, 2, &problem));
  OK(atp_masked_spectrum(problem, values, projections, P));
  watch();
  OK(atp_masked_covariance(problem, covariance, P * P));
  OK(atp_dotattn_linear(map, 4, 0.3, 0.5, covariance, 4, &noise));
  expect_none("covariance, linear map of positions");
  for (int kind = ATP_TASK_REPLICA_SQUARE; kind <= ATP_TASK_REPLICA_LIMIT; ++kind) {
    atp_task *task;
    atp_table *table;
    double one;
    atp_options *options = NULL;
    OK(atp_options_create(context, kind, &options));
    OK(atp_options_set_f64(options, ATP_OPT_LAMBDA, 1e-3));
    OK(atp_task_create(context, (atp_task_kind)kind, options, &task));
    atp_options_destroy(options);
    OK(atp_task_set_array(task, ATP_ARRAY_ALPHAS, alphas, 2, 1));
    if (kind != ATP_TASK_REPLICA_LIMIT) {
      OK(atp_task_set_array(task, ATP_ARRAY_EIGENVALUES, values, P, 1));
      OK(atp_task_set_array(task, ATP_ARRAY_PROJECTIONS, projections, P, 1));
    }
    OK(atp_table_create(context, ATP_TABLE_REPLICA_CURVE, 2, &table));
    watch();
    OK(atp_task_bytes(task, &bytes));
    OK(atp_task_run(task, table, NULL, NULL, &outcome));
    OK(atp_table_value(table, 1, ATP_REPLICA_EG, &one));
    OK(atp_table_csv(table, text, sizeof text, NULL));
    OK(atp_table_clear(table));
    expect_none("a task without work space and its table");
    assert_int_equal(bytes, 0);
    atp_table_destroy(table);
    atp_task_destroy(task);
  }
  atp_masked_destroy(problem);
  seen(&ignored);
}

/* Trains with all pairs of sites, or with a list of so many. */
static void train_pairs(atp_context *context, atp_options *options, const atp_alignment *alignment, const atp_alignment *test,
                        const atp_model *truth, int64_t listed) {
  static const int64_t pairs[2][2] = {{0, 2}, {1, 0}};
  int64_t backward[L];
  atp_trainer *trainer = NULL;
  double loss, objective, sum = 0;
  atp_outcome outcome;
  int64_t ignored;
  OK(listed > 0 ? atp_trainer_create_pairs(context, alignment, options, &pairs[0][0], listed, &trainer)
                : atp_trainer_create(context, alignment, options, &trainer));
  const atp_status has_truth = atp_trainer_set_truth(trainer, truth); /* a Potts model */
  assert_true(has_truth == ATP_OK || has_truth == ATP_E_CONFLICT);
  const int64_t count = atp_trainer_parameter_count(trainer);
  assert_true(count <= 8192);
  for (int64_t i = 0; i < L; ++i) backward[i] = L - 1 - i;
  const atp_status has_order = atp_trainer_set_order(trainer, backward, L);
  assert_true(has_order == ATP_OK || has_order == ATP_E_UNSUPPORTED);
  double adjustments[N];
  for (int64_t n = 0; n < N; ++n) adjustments[n] = n % 3 == 0 ? -1 : 1;
  const int64_t tested = atp_alignment_count(test);
  const atp_status has_tested = atp_trainer_reintegrate(trainer, test, adjustments, tested, 0.5);
  assert_true(has_tested == ATP_OK || has_tested == ATP_E_UNSUPPORTED);
  /* The text of a refusal is allocated. */
  const atp_status has_masked_loss = atp_trainer_masked_gradient(trainer, masked, N, &loss, &objective, gradient, count);
  assert_true(has_masked_loss == ATP_OK || has_masked_loss == ATP_E_UNSUPPORTED);
  const atp_status has_chains = atp_trainer_start_chains(trainer, alignment);
  assert_true(has_chains == ATP_OK || has_chains == ATP_E_UNSUPPORTED);
  watch();
  if (has_chains == ATP_OK) OK(atp_trainer_start_chains(trainer, alignment));
  expect_none("chains");
  if (has_order == ATP_OK) OK(atp_trainer_set_order(trainer, backward, L));
  expect_none("an order");
  if (has_tested == ATP_OK) OK(atp_trainer_reintegrate(trainer, test, adjustments, tested, 0.5));
  expect_none("tested sequences");
  OK(atp_trainer_set_test(trainer, test));
  OK(atp_trainer_gradient(trainer, &loss, &objective, gradient, count));
  expect_none("gradient");
  if (has_masked_loss == ATP_OK) OK(atp_trainer_masked_gradient(trainer, masked, N, &loss, &objective, gradient, count));
  expect_none("masked gradient");
  OK(atp_trainer_run(trainer, 3, NULL, NULL, &outcome));
  expect_none("optimizer steps");
  OK(atp_trainer_run(trainer, 3, quiet_progress, &sum, &outcome));
  expect_none("optimizer steps with a callback");
  OK(atp_trainer_loss(trainer, test, &loss));
  expect_none("loss");
  OK(atp_trainer_parameters(trainer, parameters, count));
  OK(atp_trainer_set_parameters(trainer, parameters, count));
  const int64_t size = atp_trainer_state_bytes(trainer);
  assert_true(size <= (int64_t)sizeof saved);
  OK(atp_trainer_save_state(trainer, saved, size));
  OK(atp_trainer_load_state(trainer, saved, size));
  expect_none("parameters, save and load");
  int64_t list[4];
  assert_int_equal(atp_trainer_pair_count(trainer), listed);
  OK(atp_trainer_pairs(trainer, list, 2 * listed));
  expect_none("the list of pairs");
  seen(&ignored);
  atp_trainer_destroy(trainer);
}

static void train(atp_context *context, atp_options *options, const atp_alignment *alignment, const atp_alignment *test,
                  const atp_model *truth) {
  train_pairs(context, options, alignment, test, truth, 0);
}

static void transform(atp_context *context, atp_options *options, const atp_alignment *alignment, const atp_alignment *test,
                      const atp_model *truth) {
  atp_trainer *network = NULL;
  double loss, sum = 0;
  atp_outcome outcome;
  int64_t ignored;
  static double conditionals[N * L * Q], attention[3 * L * L];
  OK(atp_trainer_create(context, alignment, options, &network));
  const int64_t count = atp_trainer_parameter_count(network), maps = atp_trainer_map_count(network);
  assert_true(count <= 8192);
  watch();
  OK(atp_trainer_set_truth(network, truth));
  OK(atp_trainer_set_test(network, test));
  OK(atp_trainer_gradient(network, &loss, NULL, gradient, count));
  OK(atp_trainer_masked_gradient(network, masked, N, &loss, NULL, gradient, count));
  expect_none("gradients of a network");
  OK(atp_trainer_run(network, 2, NULL, NULL, &outcome));
  OK(atp_trainer_run(network, 2, quiet_progress, &sum, &outcome));
  expect_none("steps of a network");
  OK(atp_trainer_loss(network, test, &loss));
  OK(atp_trainer_conditionals(network, sequences, N, L, conditionals, N * L * Q));
  OK(atp_trainer_maps(network, test, attention, maps * L * L));
  expect_none("loss, conditionals and maps");
  OK(atp_trainer_parameters(network, parameters, count));
  OK(atp_trainer_set_parameters(network, parameters, count));
  const int64_t size = atp_trainer_state_bytes(network);
  assert_true(size <= (int64_t)sizeof saved);
  OK(atp_trainer_save_state(network, saved, size));
  OK(atp_trainer_load_state(network, saved, size));
  expect_none("parameters, save and load");
  seen(&ignored);
  atp_trainer_destroy(network);
}

static void nothing_allocates(int64_t threads) {
  atp_context *context = NULL;
  atp_options *options = NULL;
  atp_model *factored = NULL, *dense = NULL;
  atp_alignment *alignment = NULL, *test = NULL;
  memset(&counter, 0, sizeof counter);
  OK(atp_context_create(counting_alloc, counting_free, &counter, &context));
  OK(atp_context_set_threads(context, threads));
  OK(atp_options_create(context, ATP_OWNER_SAMPLER, &options));
  OK(atp_options_set_i64(options, ATP_OPT_CHAINS, CHAINS));
  OK(atp_model_create_random(context, L, Q, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &factored));
  OK(atp_model_gauge(context, factored, ATP_GAUGE_ZERO_SUM, &dense));
  for (int64_t rungs = 1; rungs <= RUNGS; rungs += 2) {
    OK(atp_options_set_i64(options, ATP_OPT_TEMPERATURES, rungs));
    sample(context, options, factored);
    sample(context, options, dense);
  }
  OK(atp_alignment_create(context, sequences, N, L, Q, NULL, &alignment));
  OK(atp_alignment_select(context, alignment, 0, N / 3, 3, &test));
  watch();
  OK(atp_alignment_set_sites(alignment, masked, L, "ABCDEFGHIJKL"));
  OK(atp_model_set_sites(dense, atp_alignment_site_numbers_view(alignment), L, atp_alignment_site_residues(alignment)));
  expect_none("labels of sites");
  atp_model *ordered = NULL;
  OK(atp_model_create_independent(context, alignment, ATP_GAPS_STATE, -1, &ordered));
  watch();
  for (int64_t n = 0; n < L; ++n) order[n] = L - 1 - n;
  OK(atp_model_set_order(ordered, order, L));
  OK(atp_model_order(ordered, order, L));
  expect_none("an order of sites");
  evaluate(context, ordered, alignment);
  renew(&options, ATP_OWNER_SAMPLER);
  OK(atp_options_set_i64(options, ATP_OPT_CHAINS, CHAINS));
  sample(context, options, ordered);
  atp_model_destroy(ordered);
  evaluate(context, factored, alignment);
  evaluate(context, dense, alignment);
  learning_curves(context);
  for (int64_t n = 0; n < N; ++n) masked[n] = n % L;
  for (int64_t map = ATP_MAP_FREE; map <= ATP_MAP_LOWRANK; ++map)
    for (int64_t optimizer = ATP_OPTIMIZER_LBFGS; optimizer <= ATP_OPTIMIZER_ADAM; ++optimizer)
      for (int64_t precision = 32; precision <= 64; precision += 32) {
        renew(&options, ATP_OWNER_TRAINER);
        OK(atp_options_set_i64(options, ATP_OPT_MAP, map));
        OK(atp_options_set_i64(options, ATP_OPT_RANK, 3));
        OK(atp_options_set_i64(options, ATP_OPT_HEADS, 2));
        OK(atp_options_set_i64(options, ATP_OPT_FIELDS, 1));
        OK(atp_options_set_i64(options, ATP_OPT_OPTIMIZER, optimizer));
        OK(atp_options_set_i64(options, ATP_OPT_PRECISION, precision));
        OK(atp_options_set_i64(options, ATP_OPT_SYMMETRIZED, optimizer != ATP_OPTIMIZER_ADAM));
        OK(atp_options_set_i64(options, ATP_OPT_DIAGONAL, precision == 64 ? ATP_DIAGONAL_AFTER : ATP_DIAGONAL_BEFORE));
        OK(atp_options_set_f64(options, ATP_OPT_L2_PAIRS, 0.001));
        OK(atp_options_set_i64(options, ATP_OPT_OBJECTIVE,
                               optimizer == ATP_OPTIMIZER_SGD ? ATP_OBJECTIVE_MLM : ATP_OBJECTIVE_PSEUDOLIKELIHOOD));
        train(context, options, alignment, test, factored);
      }
  for (int64_t blocks = 1; blocks <= 3; blocks += 2)
    for (int64_t optimizer = ATP_OPTIMIZER_SGD; optimizer <= ATP_OPTIMIZER_ADAM; ++optimizer)
      for (int64_t precision = 32; precision <= 64; precision += 32) {
        renew(&options, ATP_OWNER_TRAINER);
        OK(atp_options_set_i64(options, ATP_OPT_FAMILY, ATP_FAMILY_ENCODER));
        OK(atp_options_set_i64(options, ATP_OPT_WIDTH, 5));
        OK(atp_options_set_i64(options, ATP_OPT_BLOCKS, blocks));
        OK(atp_options_set_i64(options, ATP_OPT_BATCH, N / 2));
        OK(atp_options_set_i64(options, ATP_OPT_OPTIMIZER, optimizer));
        OK(atp_options_set_i64(options, ATP_OPT_PRECISION, precision));
        transform(context, options, alignment, test, factored);
      }
  for (int64_t dial = 0; dial <= 1; ++dial)
    for (int64_t map = dial ? ATP_MAP_LOWRANK : ATP_MAP_FREE; map <= ATP_MAP_LOWRANK; ++map)
      for (int64_t precision = 32; precision <= 64; precision += 32) {
        renew(&options, ATP_OWNER_TRAINER);
        OK(atp_options_set_i64(options, ATP_OPT_FAMILY, ATP_FAMILY_DIAL));
        OK(atp_options_set_f64(options, ATP_OPT_DIAL, 0.5 * (double)dial));
        OK(atp_options_set_i64(options, ATP_OPT_MAP, map));
        OK(atp_options_set_i64(options, ATP_OPT_PRECISION, precision));
        transform(context, options, alignment, test, factored);
      }
  for (int64_t asymmetric = 0; asymmetric <= 1; ++asymmetric)
    for (int64_t precision = 32; precision <= 64; precision += 32) {
      renew(&options, ATP_OWNER_TRAINER);
      OK(atp_options_set_i64(options, ATP_OPT_FAMILY, ATP_FAMILY_DENSE));
      OK(atp_options_set_i64(options, ATP_OPT_ASYMMETRIC, asymmetric));
      OK(atp_options_set_i64(options, ATP_OPT_PRECISION, precision));
      train(context, options, alignment, test, factored);
      train_pairs(context, options, alignment, test, factored, 2);
      if (asymmetric) continue;
      OK(atp_options_set_i64(options, ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_ADAM));
      train(context, options, alignment, test, factored);
    }
  renew(&options, ATP_OWNER_TRAINER);
  for (int64_t k = 0; set_training(context, options, k); ++k) train(context, options, alignment, test, factored);
  renew(&options, ATP_OWNER_TRAINER);
  OK(atp_options_set_i64(options, ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_MLM));
  OK(atp_options_set_i64(options, ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_ADAM));
  OK(atp_options_set_f64(options, ATP_OPT_MASK_PROBABILITY, 0.4));
  train(context, options, alignment, test, factored);
  atp_alignment_destroy(test);
  atp_alignment_destroy(alignment);
  atp_model_destroy(dense);
  atp_model_destroy(factored);
  atp_options_destroy(options);
  atp_context_destroy(context);
  assert_int_equal(counter.live, 0);
  assert_int_equal(counter.bad, 0);
}

static void one_thread(void **state) {
  (void)state;
  nothing_allocates(1);
}

static void two_threads(void **state) {
  (void)state;
  nothing_allocates(2);
}

/* More threads than there are tasks in some of the calls. */
static void three_threads(void **state) {
  (void)state;
  nothing_allocates(3);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_hooks_see_allocations),
    cmocka_unit_test(one_thread),
    cmocka_unit_test(two_threads),
    cmocka_unit_test(three_threads),
};

int main(void) {
  where_races_are_sought("two_threads");
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
