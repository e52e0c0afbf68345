/* SPDX-License-Identifier: MIT */
/* Jobs on several ranks: time, time in communication, bytes. usage: mpirun -n R ranks JOB SIZE STEPS THREADS
 *
 * Rank 0 prints one line of CSV: job, ranks, threads, size, steps, seconds, seconds in communication, calls, bytes sent and received by
 * rank 0, bytes sent by all ranks, bytes that the handle takes on rank 0, a checksum of the result. Jobs: sample and exchange (SIZE chains
 * of 96 sites and 21 colours, STEPS sweeps), weights (SIZE sequences of 200 sites), dense and asymmetric (SIZE sequences of 60 sites and 21
 * colours, STEPS iterations for each evaluation or site), factored (16 heads, 100 sites), replica (SIZE unknowns, STEPS realisations),
 * convex (SIZE alphas of the logistic loss, at most STEPS iterations), curve (SIZE alphas, at most STEPS averages), tokens (SIZE points of
 * 3 tokens, STEPS shifts), attention (dot-product attention in SIZE dimensions, STEPS runs).
 * The checksum is the same for any number of ranks and threads. */
#include <attopotts.h>
#include <attopotts_mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE_SITES = 96, WEIGHT_SITES = 200, DENSE_SITES = 60, FACTORED_SITES = 100, COLORS = 21, HEADS = 16, ROUNDS = 4 };

typedef struct job {
  atp_context *context;
  atp_options *options;
  int64_t size, steps, bytes;
  double begin, begun[4], seconds, traffic[4];
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

/* Sequences of independent colours; neighbours in the list share about half of them. */
static atp_alignment *data_of(job *j, int64_t sites) {
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

static void sample(job *j, int temperatures) {
  atp_model *model = NULL;
  atp_sampler *sampler = NULL;
  const size_t states = (size_t)(j->size * SAMPLE_SITES);
  uint8_t *sequences = get(states);
  check(atp_options_set_i64(j->options, ATP_OPT_CHAINS, j->size));
  check(atp_options_set_i64(j->options, ATP_OPT_TEMPERATURES, temperatures));
  check(atp_model_create_random(j->context, SAMPLE_SITES, COLORS, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &model));
  check(atp_model_set_beta(model, 0.5));
  check(atp_sampler_bytes(j->context, model, j->options, &j->bytes));
  check(atp_sampler_create(j->context, model, j->options, &sampler));
  start(j);
  for (int64_t round = 0; round < ROUNDS; ++round) check(atp_sampler_sweep(sampler, j->steps / ROUNDS, NULL, NULL, NULL));
  stop(j);
  check(atp_sampler_states(sampler, temperatures - 1, sequences, (int64_t)states));
  add(j, sequences, states);
  free(sequences);
  atp_sampler_destroy(sampler);
  atp_model_destroy(model);
}

static void weights(job *j) {
  atp_alignment *data = data_of(j, WEIGHT_SITES);
  start(j);
  for (int64_t k = 0; k < j->steps; ++k) check(atp_alignment_weigh(data, 0.2, ATP_WEIGHTS_STRICT));
  stop(j);
  add(j, atp_alignment_weights_view(data), (size_t)j->size * sizeof(double));
  atp_alignment_destroy(data);
}

static void learn(job *j, int64_t sites) {
  atp_alignment *data = data_of(j, sites);
  atp_trainer *trainer = NULL;
  double *parameters;
  check(atp_options_set_f64(j->options, ATP_OPT_TOLERANCE, 0));
  check(atp_trainer_bytes(j->context, j->size, sites, COLORS, j->options, &j->bytes));
  check(atp_trainer_create(j->context, data, j->options, &trainer));
  start(j);
  check(atp_trainer_run(trainer, j->steps, NULL, NULL, NULL));
  stop(j);
  const int64_t n = atp_trainer_parameter_count(trainer);
  parameters = get((size_t)n * sizeof *parameters);
  check(atp_trainer_parameters(trainer, parameters, n));
  add(j, parameters, (size_t)n * sizeof *parameters);
  free(parameters);
  atp_trainer_destroy(trainer);
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
  check(atp_options_set_f64(j->options, ATP_OPT_OMEGA, 0.3));
  if (strcmp(name, "curve") == 0) {
    check(atp_options_set_i64(j->options, ATP_OPT_MAX_ITER, j->steps));
    fill(j, make(j, ATP_TASK_DOTATTN_CURVE, j->size));
    return;
  }
  const int tokens = strcmp(name, "tokens") == 0;
  check(atp_options_set_i64(j->options, tokens ? ATP_OPT_POINTS : ATP_OPT_DIMENSION, j->size));
  check(atp_options_set_i64(j->options, tokens ? ATP_OPT_SHIFTS : ATP_OPT_RUNS, j->steps));
  atp_task *task = make(j, tokens ? ATP_TASK_DOTATTN_TOKENS : ATP_TASK_DOTATTN_SIMULATION, 3);
  check(atp_task_set_array(task, ATP_ARRAY_CODE, code, 3, 1));
  check(atp_task_set_array(task, ATP_ARRAY_TEACHER, teacher, 3, 3));
  fill(j, task);
}

static int run(job *j, const char *name) {
  if (strcmp(name, "sample") == 0 || strcmp(name, "exchange") == 0) {
    sample(j, strcmp(name, "sample") == 0 ? 1 : 4);
  } else if (strcmp(name, "weights") == 0) {
    weights(j);
  } else if (strcmp(name, "dense") == 0 || strcmp(name, "asymmetric") == 0) {
    check(atp_options_set_i64(j->options, ATP_OPT_FAMILY, ATP_FAMILY_DENSE));
    check(atp_options_set_i64(j->options, ATP_OPT_ASYMMETRIC, strcmp(name, "dense") != 0));
    check(atp_options_set_f64(j->options, ATP_OPT_L2_COUPLINGS, 0.01 * DENSE_SITES));
    learn(j, DENSE_SITES);
  } else if (strcmp(name, "factored") == 0) {
    check(atp_options_set_i64(j->options, ATP_OPT_HEADS, HEADS));
    learn(j, FACTORED_SITES);
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

int main(int argc, char **argv) {
  job j;
  int rank, ranks, provided;
  double sent, all;
  memset(&j, 0, sizeof j);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  j.size = argc > 2 ? atoll(argv[2]) : 0;
  j.steps = argc > 3 ? atoll(argv[3]) : 0;
  check(atp_context_create(NULL, NULL, NULL, &j.context));
  check(atp_context_set_threads(j.context, argc > 4 ? atoll(argv[4]) : 1));
  check(atp_context_set_mpi(j.context, MPI_COMM_WORLD));
  check(atp_options_create(j.context, &j.options));
  const int status = j.size > 0 && j.steps > 0 ? run(&j, argv[1]) : 2;
  if (status != 0 && rank == 0) fprintf(stderr, "usage: mpirun -n R ranks JOB SIZE STEPS THREADS\n");
  sent = j.traffic[ATP_TRAFFIC_SENT];
  MPI_Reduce(&sent, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (status == 0 && rank == 0)
    printf("%s,%d,%d,%lld,%lld,%.6f,%.6f,%.0f,%.0f,%.0f,%.0f,%lld,%016llx\n", argv[1], ranks, (int)atp_context_threads(j.context),
           (long long)j.size, (long long)j.steps, j.seconds, j.traffic[ATP_TRAFFIC_SECONDS], j.traffic[ATP_TRAFFIC_CALLS], sent,
           j.traffic[ATP_TRAFFIC_RECEIVED], all, (long long)j.bytes, (unsigned long long)j.sum);
  atp_options_destroy(j.options);
  atp_context_destroy(j.context);
  MPI_Finalize();
  return status;
}
