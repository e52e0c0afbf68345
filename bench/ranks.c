/* SPDX-License-Identifier: MIT */
/* Jobs on several ranks: time, time in communication, calls, bytes. usage: mpirun -n R ranks JOB SIZE STEPS THREADS [SITES]
 *
 * Rank 0 prints CSV with a header and one row for each rank: seconds and what atp_context_traffic() counts of all STEPS together,
 * `counted`, the bytes that the handle takes, a checksum of the result. Jobs, of 21 colours where nothing else is said:
 *   sample, exchange, sample-dense      SIZE chains of 96 sites, STEPS sweeps in 4 calls; the model has one head, or dense couplings;
 *                                       exchange has 4 temperatures. Counted: site updates
 *   weights                             SIZE sequences of 200 sites
 *   pairs                               the same of equal sequences. Counted: pairs of sequences that this rank has compared
 *   dense, factored                     SIZE sequences of 60 and 100 sites, STEPS iterations; factored has 32 heads. Counted: iterations
 *   asymmetric                          SIZE sequences of 60 sites, STEPS sites, at most 20 iterations each. Counted: sites
 *   dense-gradient, factored-gradient   the same data, STEPS gradients
 *   encoder, dial                       SIZE sequences of 60 sites, STEPS gradients
 *   replica                             SIZE unknowns, STEPS realisations
 *   convex                              SIZE alphas of the logistic loss, at most STEPS iterations
 *   curve                               SIZE alphas, at most STEPS averages
 *   tokens                              SIZE points of 3 tokens, STEPS shifts
 *   attention                           dot-product attention in SIZE dimensions, STEPS runs
 * SITES is another number of sites for the jobs that name one. The checksum is the same for any number of ranks and threads. */
#include <attopotts.h>
#include <attopotts_mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLORS = 21, HEADS = 32, ROUNDS = 4, SITE_ITERATIONS = 20 };

typedef struct job {
  atp_context *context;
  atp_options *options;
  int64_t size, steps, sites, bytes;
  double begin, begun[4], seconds, traffic[4], counted;
  uint64_t sum;
} job;

static void check(atp_status status) {
  char text[512];
  if (status == ATP_OK) return;
  atp_last_error(text, sizeof text);
  fprintf(stderr, "ranks: %s\n", text);
  MPI_Abort(MPI_COMM_WORLD, 2);
}

static void *get(size_t bytes) {
  void *memory = calloc(1, bytes);
  if (memory == NULL) MPI_Abort(MPI_COMM_WORLD, 3);
  return memory;
}

static void start(job *j) {
  MPI_Barrier(MPI_COMM_WORLD);
  for (int k = 0; k < 4; ++k) check(atp_context_traffic(j->context, (atp_traffic)k, &j->begun[k]));
  j->begin = MPI_Wtime();
}

static void stop(job *j) {
  j->seconds = MPI_Wtime() - j->begin;
  for (int k = 0; k < 4; ++k) {
    check(atp_context_traffic(j->context, (atp_traffic)k, &j->traffic[k]));
    j->traffic[k] -= j->begun[k];
  }
}

/* Into the checksum. */
static void add(job *j, const void *bytes, size_t n) {
  for (size_t k = 0; k < n; ++k) j->sum = (j->sum ^ ((const unsigned char *)bytes)[k]) * 1099511628211u;
}

/* A bag for an owner, with options that are set in the next calls. */
static void begin_options(job *j, int owner) {
  atp_options_destroy(j->options);
  check(atp_options_create(j->context, owner, &j->options));
}

/* Sequences of independent colours; neighbours in the list share about half of them. */
static atp_alignment *data_of(job *j) {
  const int64_t sites = j->sites;
  uint8_t *sequences = get((size_t)(j->size * sites));
  uint64_t x = 88172645463325252u;
  atp_alignment *alignment = NULL;
  for (int64_t k = 0; k < j->size * sites; ++k) {
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    sequences[k] = k >= sites && x % 2 ? sequences[k - sites] : (uint8_t)(x / 2 % COLORS);
  }
  check(atp_alignment_create(j->context, sequences, j->size, sites, COLORS, NULL, &alignment));
  free(sequences);
  return alignment;
}

static atp_model *dense_model(job *j) {
  const int64_t block = COLORS * COLORS;
  float *couplings = get((size_t)(j->sites * j->sites * block) * sizeof *couplings);
  uint64_t x = 88172645463325252u;
  atp_model *model = NULL;
  for (int64_t pair = 0; pair < j->sites * j->sites; ++pair)
    for (int64_t k = 0; k < block && pair % (j->sites + 1) != 0; ++k) {
      x ^= x << 13, x ^= x >> 7, x ^= x << 17;
      couplings[pair * block + k] = 0.01f * (float)(x % 65) - 0.32f;
    }
  check(atp_model_create_dense_f32(j->context, j->sites, COLORS, couplings, NULL, &model));
  free(couplings);
  return model;
}

static void sample(job *j, int temperatures, int dense) {
  atp_model *model = NULL;
  atp_sampler *sampler = NULL;
  const size_t states = (size_t)(j->size * j->sites);
  uint8_t *sequences = get(states);
  begin_options(j, ATP_OWNER_SAMPLER);
  check(atp_options_set_i64(j->options, ATP_OPT_CHAINS, j->size));
  check(atp_options_set_i64(j->options, ATP_OPT_TEMPERATURES, temperatures));
  if (dense)
    model = dense_model(j);
  else
    check(atp_model_create_random(j->context, j->sites, COLORS, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &model));
  check(atp_model_set_beta(model, 0.5));
  check(atp_sampler_bytes(j->context, model, j->options, &j->bytes));
  check(atp_sampler_create(j->context, model, j->options, &sampler));
  start(j);
  for (int64_t round = 0; round < ROUNDS; ++round) check(atp_sampler_sweep(sampler, j->steps / ROUNDS, NULL, NULL, NULL));
  stop(j);
  j->counted = (double)(atp_sampler_sweeps(sampler) * j->size * temperatures * j->sites);
  check(atp_sampler_states(sampler, temperatures - 1, sequences, (int64_t)states));
  add(j, sequences, states);
  free(sequences);
  atp_sampler_destroy(sampler);
  atp_model_destroy(model);
}

static void weights(job *j) {
  atp_alignment *data = data_of(j);
  start(j);
  for (int64_t k = 0; k < j->steps; ++k) check(atp_alignment_weigh(data, 0.2, ATP_WEIGHTS_STRICT, NULL, NULL, NULL));
  stop(j);
  add(j, atp_alignment_weights_view(data), (size_t)j->size * sizeof(double));
  atp_alignment_destroy(data);
}

/* Ranks that count what they sum: weights sum the neighbours that each rank has found. Sums of one or two numbers are those of failures,
 * clock and stop. */
static int count_sum(int64_t *values, int64_t count, void *counted) {
  for (int64_t k = 0; k < count && count > 2; ++k) *(double *)counted += (double)values[k];
  return MPI_Allreduce(MPI_IN_PLACE, values, (int)count, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
}
static int no_gather(void *bytes, const int64_t *ends, void *user) { return bytes != NULL || ends != NULL || user != NULL; }
static int no_broadcast(void *bytes, int64_t count, int64_t root, void *user) { return bytes != user || count != root; }

/* Equal sequences: each pair that is compared counts twice, as a neighbour of both. */
static void pairs(job *j) {
  atp_ranks ranks = {sizeof ranks, atp_context_rank(j->context), atp_context_rank_count(j->context), &j->counted, no_gather, count_sum,
                     no_broadcast};
  uint8_t *sequences = get((size_t)(j->size * j->sites));
  atp_alignment *data = NULL;
  check(atp_context_set_ranks(j->context, &ranks));
  check(atp_alignment_create(j->context, sequences, j->size, j->sites, COLORS, NULL, &data));
  start(j);
  j->counted = 0;
  for (int64_t k = 0; k < j->steps; ++k) check(atp_alignment_weigh(data, 0.2, ATP_WEIGHTS_STRICT, NULL, NULL, NULL));
  stop(j);
  const double *found = atp_alignment_weights_view(data);
  for (int64_t k = 0; k < j->size && ranks.size == 1; ++k) j->counted += (double)j->steps * (1 / found[k] - 1);
  j->counted /= 2;
  add(j, found, (size_t)j->size * sizeof *found);
  atp_alignment_destroy(data);
  free(sequences);
}

static void learn(job *j, int gradients) {
  atp_alignment *data = data_of(j);
  atp_trainer *trainer = NULL;
  check(atp_options_set_f64(j->options, ATP_OPT_TOLERANCE, 0));
  check(atp_trainer_bytes(j->context, j->size, j->sites, COLORS, j->options, &j->bytes));
  check(atp_trainer_create(j->context, data, j->options, &trainer));
  const int64_t n = atp_trainer_parameter_count(trainer);
  double *numbers = get((size_t)n * sizeof *numbers);
  start(j);
  if (gradients)
    for (int64_t k = 0; k < j->steps; ++k) check(atp_trainer_gradient(trainer, NULL, NULL, numbers, n));
  else
    check(atp_trainer_run(trainer, j->steps, NULL, NULL, NULL));
  stop(j);
  j->counted = (double)(gradients ? j->steps : atp_trainer_epochs(trainer));
  if (!gradients) check(atp_trainer_parameters(trainer, numbers, n));
  add(j, numbers, (size_t)n * sizeof *numbers);
  free(numbers);
  atp_trainer_destroy(trainer);
  atp_alignment_destroy(data);
}

static void transformer(job *j, int dial) {
  atp_alignment *data = data_of(j);
  atp_trainer *network = NULL;
  begin_options(j, ATP_OWNER_TRAINER);
  check(atp_options_set_i64(j->options, ATP_OPT_FAMILY, dial ? ATP_FAMILY_DIAL : ATP_FAMILY_ENCODER));
  if (dial) {
    check(atp_options_set_i64(j->options, ATP_OPT_MAP, ATP_MAP_LOWRANK));
    check(atp_options_set_f64(j->options, ATP_OPT_DIAL, 0.5));
  }
  check(atp_trainer_bytes(j->context, j->size, j->sites, COLORS, j->options, &j->bytes));
  check(atp_trainer_create(j->context, data, j->options, &network));
  const int64_t n = atp_trainer_parameter_count(network);
  double *gradient = get((size_t)n * sizeof *gradient);
  start(j);
  for (int64_t k = 0; k < j->steps; ++k) check(atp_trainer_gradient(network, NULL, NULL, gradient, n));
  stop(j);
  add(j, gradient, (size_t)n * sizeof *gradient);
  free(gradient);
  atp_trainer_destroy(network);
  atp_alignment_destroy(data);
}

/* Runs a task and frees it. */
static void fill(job *j, atp_task *task) {
  atp_table *table = NULL;
  double *rows;
  check(atp_table_create(j->context, (atp_table_kind)atp_task_table_kind(task), atp_task_rows(task), &table));
  check(atp_task_bytes(task, &j->bytes));
  start(j);
  check(atp_task_run(task, table, NULL, NULL, NULL));
  stop(j);
  const int64_t numbers = atp_table_rows(table) * atp_table_columns(table);
  rows = get((size_t)numbers * sizeof *rows);
  check(atp_table_values(table, rows, numbers));
  add(j, rows, (size_t)numbers * sizeof *rows);
  free(rows);
  atp_table_destroy(table);
  atp_task_destroy(task);
}

static atp_task *make(job *j, atp_task_kind kind, int64_t alphas) {
  double *values = get((size_t)alphas * sizeof *values);
  atp_task *task = NULL;
  for (int64_t k = 0; k < alphas; ++k) values[k] = 0.5 * (double)(k + 1);
  check(atp_task_create(j->context, kind, j->options, &task));
  check(atp_task_set_array(task, ATP_ARRAY_ALPHAS, values, alphas, 1));
  free(values);
  return task;
}

static void replica(job *j) {
  double *covariance = get((size_t)(j->size * j->size) * sizeof *covariance), *teacher = get((size_t)j->size * sizeof *teacher);
  for (int64_t k = 0; k < j->size; ++k) covariance[k * j->size + k] = teacher[k] = 1;
  begin_options(j, ATP_TASK_REPLICA_SIMULATION);
  check(atp_options_set_i64(j->options, ATP_OPT_REALISATIONS, j->steps));
  atp_task *task = make(j, ATP_TASK_REPLICA_SIMULATION, 3);
  check(atp_task_set_array(task, ATP_ARRAY_COVARIANCE, covariance, j->size, j->size));
  check(atp_task_set_array(task, ATP_ARRAY_WEIGHTS, teacher, j->size, 1));
  fill(j, task);
  free(teacher);
  free(covariance);
}

static void convex(job *j) {
  static const double ones[] = {1, 1, 1, 1};
  begin_options(j, ATP_TASK_REPLICA_CONVEX);
  check(atp_options_set_i64(j->options, ATP_OPT_LOSS, ATP_REPLICA_LOSS_LOGISTIC));
  check(atp_options_set_i64(j->options, ATP_OPT_MAX_ITER, j->steps));
  check(atp_options_set_f64(j->options, ATP_OPT_LAMBDA, 0.01));
  atp_task *task = make(j, ATP_TASK_REPLICA_CONVEX, j->size);
  check(atp_task_set_array(task, ATP_ARRAY_EIGENVALUES, ones, 4, 1));
  check(atp_task_set_array(task, ATP_ARRAY_PROJECTIONS, ones, 4, 1));
  fill(j, task);
}

static void attention_theory(job *j, const char *name) {
  static const double code[] = {1, 0, -1}, teacher[] = {0.6, 0.2, 0.2, 0.3, 0.4, 0.3, 0.2, 0.2, 0.6};
  if (strcmp(name, "curve") == 0) {
    begin_options(j, ATP_TASK_DOTATTN_CURVE);
    check(atp_options_set_i64(j->options, ATP_OPT_MAX_ITER, j->steps));
    fill(j, make(j, ATP_TASK_DOTATTN_CURVE, j->size));
    return;
  }
  const int tokens = strcmp(name, "tokens") == 0;
  begin_options(j, tokens ? ATP_TASK_DOTATTN_TOKENS : ATP_TASK_DOTATTN_SIMULATION);
  check(atp_options_set_i64(j->options, tokens ? ATP_OPT_POINTS : ATP_OPT_DIMENSION, j->size));
  check(atp_options_set_i64(j->options, tokens ? ATP_OPT_SHIFTS : ATP_OPT_RUNS, j->steps));
  atp_task *task = make(j, tokens ? ATP_TASK_DOTATTN_TOKENS : ATP_TASK_DOTATTN_SIMULATION, 3);
  check(atp_task_set_array(task, ATP_ARRAY_CODE, code, 3, 1));
  check(atp_task_set_array(task, ATP_ARRAY_TEACHER, teacher, 3, 3));
  fill(j, task);
}

/* The sites of a job where the command line names none. */
static int64_t sites_of(const char *name) {
  if (strncmp(name, "sample", 6) == 0 || strcmp(name, "exchange") == 0) return 96;
  if (strcmp(name, "weights") == 0 || strcmp(name, "pairs") == 0) return 200;
  return strncmp(name, "factored", 8) == 0 ? 100 : 60;
}

static int run(job *j, const char *name) {
  const char *const suffix = strchr(name, '-');
  if (strncmp(name, "sample", 6) == 0 || strcmp(name, "exchange") == 0) {
    sample(j, strcmp(name, "exchange") == 0 ? 4 : 1, suffix != NULL);
  } else if (strcmp(name, "weights") == 0) {
    weights(j);
  } else if (strcmp(name, "pairs") == 0) {
    pairs(j);
  } else if (strcmp(name, "dense") == 0 || strcmp(name, "asymmetric") == 0 || strcmp(name, "dense-gradient") == 0) {
    begin_options(j, ATP_OWNER_TRAINER);
    check(atp_options_set_i64(j->options, ATP_OPT_FAMILY, ATP_FAMILY_DENSE));
    check(atp_options_set_i64(j->options, ATP_OPT_ASYMMETRIC, strcmp(name, "asymmetric") == 0));
    if (strcmp(name, "asymmetric") == 0) check(atp_options_set_i64(j->options, ATP_OPT_EPOCHS, SITE_ITERATIONS));
    check(atp_options_set_f64(j->options, ATP_OPT_L2_COUPLINGS, 0.01 * (double)j->sites));
    learn(j, suffix != NULL);
  } else if (strcmp(name, "factored") == 0 || strcmp(name, "factored-gradient") == 0) {
    begin_options(j, ATP_OWNER_TRAINER);
    check(atp_options_set_i64(j->options, ATP_OPT_HEADS, HEADS));
    learn(j, suffix != NULL);
  } else if (strcmp(name, "encoder") == 0 || strcmp(name, "dial") == 0) {
    transformer(j, strcmp(name, "dial") == 0);
  } else if (strcmp(name, "replica") == 0) {
    replica(j);
  } else if (strcmp(name, "convex") == 0) {
    convex(j);
  } else if (strcmp(name, "curve") == 0 || strcmp(name, "tokens") == 0 || strcmp(name, "attention") == 0) {
    attention_theory(j, name);
  } else {
    return 2;
  }
  return 0;
}

/* A row for each rank, by rank 0. */
static void print(const job *j, const char *name) {
  enum { NUMBERS = 5 };
  const int64_t ranks = atp_context_rank_count(j->context);
  const double own[NUMBERS] = {j->traffic[ATP_TRAFFIC_SECONDS], j->traffic[ATP_TRAFFIC_CALLS], j->traffic[ATP_TRAFFIC_SENT],
                               j->traffic[ATP_TRAFFIC_RECEIVED], j->counted};
  double *all = get((size_t)ranks * sizeof own);
  MPI_Gather(own, NUMBERS, MPI_DOUBLE, all, NUMBERS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (atp_context_rank(j->context) == 0) {
    printf("job,ranks,rank,threads,size,steps,sites,seconds,communication,calls,sent,received,counted,bytes,checksum\n");
    for (int64_t r = 0; r < ranks; ++r) {
      const double *x = all + r * NUMBERS;
      printf("%s,%lld,%lld,%lld,%lld,%lld,%lld,", name, (long long)ranks, (long long)r, (long long)atp_context_threads(j->context),
             (long long)j->size, (long long)j->steps, (long long)j->sites);
      printf("%.6f,%.6f,%.0f,%.0f,%.0f,%.0f,%lld,%016llx\n", j->seconds, x[0], x[1], x[2], x[3], x[4], (long long)j->bytes,
             (unsigned long long)j->sum);
    }
  }
  free(all);
}

int main(int argc, char **argv) {
  job j;
  int rank, provided;
  memset(&j, 0, sizeof j);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  j.size = argc > 2 ? atoll(argv[2]) : 0;
  j.steps = argc > 3 ? atoll(argv[3]) : 0;
  j.sites = argc > 5 ? atoll(argv[5]) : argc > 1 ? sites_of(argv[1]) : 0;
  check(atp_context_create(NULL, NULL, NULL, &j.context));
  check(atp_context_set_threads(j.context, argc > 4 ? atoll(argv[4]) : 1));
  check(atp_context_set_mpi(j.context, MPI_COMM_WORLD));
  const int status = j.size > 0 && j.steps > 0 && j.sites > 1 ? run(&j, argv[1]) : 2;
  if (status != 0 && rank == 0) fprintf(stderr, "usage: mpirun -n R ranks JOB SIZE STEPS THREADS [SITES]\n");
  if (status == 0) print(&j, argv[1]);
  atp_options_destroy(j.options);
  atp_context_destroy(j.context);
  MPI_Finalize();
  return status;
}
