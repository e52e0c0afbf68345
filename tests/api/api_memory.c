/* SPDX-License-Identifier: MIT */
/* Memory through the context's allocator: what the size queries announce, what happens when the k-th allocation fails. */
#include "counting.h"
#include "families.h"
#include "support.h"
#include "task_support.h"

#include <attopotts_io.h>

#include <unistd.h>

enum { L = 4, Q = 3, N = 6 };

static const uint8_t sequences[N * L] = {0, 1, 2, 1, 1, 0, 0, 2, 2, 2, 1, 0, 0, 0, 1, 1, 2, 1, 0, 2, 1, 1, 2, 0};

static struct {
  struct counter counter;
  atp_context *context;
  atp_options *options, *of_sampler, *of_network;
  atp_alignment *alignment, *loose; /* the second belongs to no trainer */
  atp_model *model, *dense, *made_model;
  atp_trainer *trainer, *wide, *pairs; /* pairs: dense couplings */
  atp_trainer *dial;                   /* at 0 */
  atp_trainer *chained;                /* of the likelihood */
  char fasta[64], hdf5[64], distances[64];
} f;

static int set_up(void **state) {
  (void)state;
  double maps[L * L] = {0}, values[Q * Q] = {1, 0, 0.5, 0, 2, 0, 0.5, 0, 1};
  for (int i = 0; i < L; ++i)
    for (int j = 0; j < L; ++j) maps[i * L + j] = i == j ? 0 : 0.1 * (i + j);
  memset(&f, 0, sizeof f);
  snprintf(f.fasta, sizeof f.fasta, "memory-%d.fasta", (int)getpid());
  snprintf(f.hdf5, sizeof f.hdf5, "memory-%d.h5", (int)getpid());
  FILE *file = fopen(f.fasta, "w");
  if (file == NULL) return 1;
  fputs(">a\nAB-A\n>b\nBB\nAA\n", file);
  fclose(file);
  snprintf(f.distances, sizeof f.distances, "memory-%d.distances", (int)getpid());
  file = fopen(f.distances, "w");
  if (file == NULL) return 1;
  fputs("1 2 3.5\n", file);
  fclose(file);
  const atp_status made[] = {
      atp_context_create(counting_alloc, counting_free, &f.counter, &f.context),
      atp_context_set_threads(f.context, 2),
      atp_options_create(f.context, ATP_OWNER_SAMPLER, &f.of_sampler),
      atp_options_set_i64(f.of_sampler, ATP_OPT_CHAINS, 8),
      atp_options_set_i64(f.of_sampler, ATP_OPT_TEMPERATURES, 3),
      atp_options_create(f.context, ATP_OWNER_TRAINER, &f.options),
      atp_options_create(f.context, ATP_OWNER_TRAINER, &f.of_network),
      atp_options_set_i64(f.of_network, ATP_OPT_FAMILY, ATP_FAMILY_ENCODER),
      atp_alignment_create(f.context, sequences, N, L, Q, NULL, &f.alignment),
      atp_alignment_create(f.context, sequences, N, L, Q, NULL, &f.loose),
      atp_model_create_heads(f.context, (const int64_t[]){L, Q, 1}, maps, values, NULL, &f.model),
      atp_model_gauge(f.context, f.model, ATP_GAUGE_ZERO_SUM, &f.dense),
      atp_trainer_create(f.context, f.alignment, f.options, &f.trainer),
      atp_options_set_i64(f.options, ATP_OPT_HEADS, 3),
      atp_trainer_create(f.context, f.alignment, f.options, &f.wide),
      atp_options_set_i64(f.options, ATP_OPT_HEADS, 1),
      atp_options_set_i64(f.options, ATP_OPT_FAMILY, ATP_FAMILY_DENSE),
      atp_trainer_create(f.context, f.alignment, f.options, &f.pairs),
      atp_options_set_i64(f.options, ATP_OPT_FAMILY, ATP_FAMILY_DIAL),
      atp_trainer_create(f.context, f.alignment, f.options, &f.dial),
      atp_options_set_i64(f.options, ATP_OPT_FAMILY, ATP_FAMILY_FACTORED),
      atp_options_set_i64(f.options, ATP_OPT_OBJECTIVE, ATP_OBJECTIVE_LIKELIHOOD),
      atp_trainer_create(f.context, f.alignment, f.options, &f.chained),
      atp_options_set_i64(f.options, ATP_OPT_OBJECTIVE, 0),
  };
  for (size_t k = 0; k < sizeof made / sizeof *made; ++k)
    if (made[k] != ATP_OK) return 1;
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  atp_trainer_destroy(f.dial);
  atp_trainer_destroy(f.chained);
  atp_trainer_destroy(f.wide);
  atp_trainer_destroy(f.pairs);
  atp_trainer_destroy(f.trainer);
  atp_model_destroy(f.dense);
  atp_model_destroy(f.model);
  atp_alignment_destroy(f.loose);
  atp_alignment_destroy(f.alignment);
  atp_options_destroy(f.of_network);
  atp_options_destroy(f.options);
  atp_options_destroy(f.of_sampler);
  atp_context_destroy(f.context);
  remove(f.fasta);
  remove(f.distances);
  remove(f.hdf5);
  return f.counter.live != 0 || f.counter.bytes != 0 || f.counter.bad != 0;
}

/* One call that allocates. A handle that it makes is left in *out. */
typedef atp_status (*call_fn)(void **out);

static atp_status alignment_create(void **out) { return atp_alignment_create(f.context, sequences, N, L, Q, NULL, (atp_alignment **)out); }
static atp_status alignment_select(void **out) { return atp_alignment_select(f.context, f.alignment, 1, 2, 2, (atp_alignment **)out); }
static atp_status alignment_take(void **out) {
  static const int64_t rows[2] = {1, 3};
  return atp_alignment_take(f.context, f.alignment, rows, 2, (atp_alignment **)out);
}
static atp_status alignment_sample(void **out) { return atp_alignment_sample(f.context, f.alignment, 3, 0, 1, (atp_alignment **)out); }
static atp_status alignment_from_state(void **out) {
  char state[8192];
  const int64_t size = atp_alignment_state_bytes(f.alignment);
  assert_true(size <= (int64_t)sizeof state);
  assert_int_equal(atp_alignment_save_state(f.alignment, state, size), ATP_OK);
  return atp_alignment_from_state(f.context, state, size, (atp_alignment **)out);
}

static atp_status alignment_rename(void **out) {
  char names[2 * N + 1] = "";
  for (int n = 0; n < N; ++n) memcpy(names + 2 * n, "a\n", 2);
  return atp_alignment_rename(f.context, f.alignment, names, (atp_alignment **)out);
}
static atp_status mean_log_p(void **out) {
  double log_p;
  (void)out;
  return atp_model_mean_log_p(f.context, f.model, f.alignment, 1, 0, &log_p, NULL);
}
static atp_status alignment_read(void **out) { return atp_alignment_read(f.context, f.fasta, "-AB", NULL, (atp_alignment **)out); }
static atp_status alignment_borrow(void **out) { return atp_alignment_borrow(f.context, sequences, N, L, Q, NULL, (atp_alignment **)out); }
static atp_status alignment_read_part(void **out) {
  return atp_alignment_read_part(f.context, f.fasta, 0, 1, "-AB", NULL, (atp_alignment **)out);
}
static atp_status alignment_filter(void **out) {
  static const uint8_t gapped[3 * 3] = {0, 1, 1, 0, 0, 1, 0, 1, 1};
  atp_options *options = NULL;
  atp_alignment *source = NULL;
  atp_status status = atp_options_create(f.context, ATP_OWNER_FILTER, &options);
  if (status == ATP_OK) status = atp_options_set_i64(options, ATP_OPT_REMOVE_DUPLICATES, 1);
  if (status == ATP_OK) status = atp_options_set_f64(options, ATP_OPT_MAX_GAPS_COLUMN, 0.5);
  if (status == ATP_OK) status = atp_alignment_create(f.context, gapped, 3, 3, 2, NULL, &source);
  *out = NULL;
  if (status == ATP_OK) status = atp_alignment_filter(f.context, source, options, NULL, 0, (atp_alignment **)out);
  atp_alignment_destroy(source);
  atp_options_destroy(options);
  return status;
}
static atp_status alignment_filter_identity(void **out) {
  static const uint8_t similar[3 * 3] = {0, 1, 1, 1, 1, 1, 1, 0, 2};
  atp_alignment *source = NULL;
  atp_status status = atp_alignment_create(f.context, similar, 3, 3, 3, NULL, &source);
  *out = NULL;
  if (status == ATP_OK) status = atp_alignment_filter_identity(f.context, source, 0.9, (atp_alignment **)out);
  atp_alignment_destroy(source);
  return status;
}
static atp_status alignment_focus(void **out) {
  atp_alignment *source = NULL;
  atp_status status = atp_alignment_read(f.context, f.fasta, "-AB", NULL, &source);
  *out = NULL;
  if (status == ATP_OK) status = atp_alignment_focus(f.context, source, atp_alignment_name(source, 0), (atp_alignment **)out);
  atp_alignment_destroy(source);
  return status;
}
static atp_status alignment_read_hdf5(void **out) { return atp_alignment_read(f.context, f.hdf5, NULL, NULL, (atp_alignment **)out); }
static atp_status input_open(void **out) { return atp_input_open(f.context, f.fasta, (atp_input **)out); }
static atp_status input_alignment(void **out) {
  atp_input *input = NULL;
  atp_status status = atp_input_open(f.context, f.fasta, &input);
  *out = NULL;
  if (status == ATP_OK) status = atp_input_alignment(input, "-AB", NULL, (atp_alignment **)out);
  atp_input_destroy(input);
  return status;
}
static atp_status file_read(void **out) {
  char bytes[64] = "*";
  int64_t size = 0;
  (void)out;
  atp_status status = atp_file_size(f.context, f.fasta, &size);
  if (status == ATP_OK) status = atp_file_read(f.context, f.fasta, bytes, size);
  if (status != ATP_OK) assert_string_equal(bytes, "*");
  return status;
}
static atp_status options_create(void **out) { return atp_options_create(f.context, ATP_OWNER_TRAINER, (atp_options **)out); }
static atp_status model_heads(void **out) {
  static const double maps[L * L], values[Q * Q];
  return atp_model_create_heads(f.context, (const int64_t[]){L, Q, 1}, maps, values, NULL, (atp_model **)out);
}
static atp_status model_dense(void **out) {
  static const double couplings[L * L * Q * Q];
  return atp_model_create_dense_f64(f.context, L, Q, couplings, NULL, (atp_model **)out);
}
static atp_status model_dense_f32(void **out) {
  static const float couplings[L * L * Q * Q];
  return atp_model_create_dense_f32(f.context, L, Q, couplings, NULL, (atp_model **)out);
}
static atp_status model_random(void **out) {
  return atp_model_create_random(f.context, L, Q, ATP_COUPLINGS_CONTACTS, ATP_COLOR_MATRIX_GAUSSIAN, 1, (atp_model **)out);
}
static atp_status model_from_state(void **out) {
  char state[8192];
  const int64_t size = atp_model_state_bytes(f.dense);
  assert_true(size <= (int64_t)sizeof state);
  assert_int_equal(atp_model_save_state(f.dense, state, size), ATP_OK);
  return atp_model_from_state(f.context, state, size, (atp_model **)out);
}
static atp_status model_copy(void **out) { return atp_model_copy(f.context, f.model, (atp_model **)out); }
static atp_status model_gauge(void **out) { return atp_model_gauge(f.context, f.model, ATP_GAUGE_ZERO_SUM, (atp_model **)out); }
static atp_status model_gauge_colors(void **out) { return atp_model_gauge(f.context, f.model, ATP_GAUGE_COLORS, (atp_model **)out); }
static atp_status model_read(void **out) { return atp_model_read(f.context, f.hdf5, (atp_model **)out); }
static atp_status sampler_create(void **out) { return atp_sampler_create(f.context, f.model, f.of_sampler, (atp_sampler **)out); }
static atp_status sampler_create_dense(void **out) { return atp_sampler_create(f.context, f.dense, f.of_sampler, (atp_sampler **)out); }
static atp_status trainer_create(void **out) { return atp_trainer_create(f.context, f.alignment, f.options, (atp_trainer **)out); }
static const int64_t some_pairs[2][2] = {{2, 0}, {0, 1}};
static atp_status trainer_create_pairs(void **out) {
  return atp_trainer_create_pairs(f.context, f.alignment, NULL, &some_pairs[0][0], 2, (atp_trainer **)out);
}
static atp_status trainer_pairs_bytes(void **out) {
  int64_t bytes = 0;
  (void)out;
  return atp_trainer_pairs_bytes(f.context, f.alignment, NULL, &some_pairs[0][0], 2, &bytes);
}
static atp_status model_keep_pairs(void **out) { return atp_model_keep_pairs(f.context, f.dense, &some_pairs[0][0], 2, (atp_model **)out); }
static atp_status model_create_pairs(void **out) {
  static const int64_t shape[] = {3, 2, 2};
  static const double strengths[] = {0.5, -1}, identity[] = {1, 0, 0, 1};
  return atp_model_create_pairs(f.context, shape, &some_pairs[0][0], strengths, identity, NULL, (atp_model **)out);
}
static atp_status model_create_lattice(void **out) { return atp_model_create_lattice(f.context, NULL, (atp_model **)out); }
static atp_status model_weigh_sites(void **out) {
  double ones[64];
  const int64_t sites = atp_model_sites(f.dense);
  for (int64_t k = 0; k < sites && k < 64; ++k) ones[k] = 1;
  return atp_model_weigh_sites(f.context, f.dense, ones, sites, (atp_model **)out);
}
static atp_status network_model(void **out) { return atp_trainer_model(f.dial, (atp_model **)out); }
static atp_status trainer_chains(void **out) { return atp_trainer_chains(f.chained, (atp_alignment **)out); }
static atp_status trainer_model(void **out) { return atp_trainer_model(f.trainer, (atp_model **)out); }

static void destroy_options(void *p) { atp_options_destroy(p); }
static void destroy_alignment(void *p) { atp_alignment_destroy(p); }
static void destroy_input(void *p) { atp_input_destroy(p); }
static void destroy_model(void *p) { atp_model_destroy(p); }
static void destroy_sampler(void *p) { atp_sampler_destroy(p); }
static void destroy_trainer(void *p) { atp_trainer_destroy(p); }

/* Calls that allocate for themselves and give everything back. */
static double result;
static atp_status coupling_error(void **out) {
  (void)out;
  return atp_model_coupling_error(f.context, f.dense, f.model, &result);
}
static atp_status coupling_error_heads(void **out) {
  (void)out;
  return atp_model_coupling_error(f.context, f.model, f.model, &result);
}
static atp_status model_loss(void **out) {
  (void)out;
  return atp_model_loss(f.context, f.model, f.alignment, &result);
}
static atp_status tune_beta(void **out) {
  atp_table *table;
  (void)out;
  atp_status status = atp_table_create(f.context, ATP_TABLE_TUNING, 1, &table);
  if (status == ATP_OK) status = atp_tune_beta(f.context, f.model, NULL, 0.5, table, NULL, NULL);
  if (status == ATP_OK) status = atp_table_value(table, 0, ATP_TUNING_BETA, &result);
  atp_table_destroy(table);
  return status;
}
static int64_t method;
static atp_status partition(void **out) {
  atp_table *table = NULL;
  atp_options *options = NULL;
  (void)out;
  atp_status status = atp_options_create(f.context, ATP_OWNER_PARTITION, &options);
  if (status == ATP_OK) status = atp_options_set_i64(options, ATP_OPT_METHOD, method);
  if (status == ATP_OK) status = atp_options_set_i64(options, ATP_OPT_SWEEPS, method == ATP_METHOD_LADDER ? 64 : 1);
  if (status == ATP_OK) status = atp_table_create(f.context, ATP_TABLE_PARTITION, 1, &table);
  if (status == ATP_OK) status = atp_estimate_log_z(f.context, f.model, options, table, NULL, NULL);
  if (status == ATP_OK) status = atp_table_value(table, 0, ATP_PARTITION_LOG_Z, &result);
  atp_options_destroy(options);
  atp_table_destroy(table);
  return status;
}
static atp_status path_of(int listed) {
  atp_table *table;
  atp_options *options = NULL;
  atp_status status = atp_options_create(f.context, ATP_OWNER_SELECTION, &options);
  if (status == ATP_OK) status = atp_options_set_i64(options, ATP_OPT_STRENGTHS, 3);
  if (status == ATP_OK) status = atp_options_set_i64(options, ATP_OPT_FOLDS, 2);
  table = NULL;
  if (status == ATP_OK) status = atp_table_create(f.context, ATP_TABLE_SELECTION, 3, &table);
  if (status == ATP_OK && listed) status = atp_options_set_i64(options, ATP_OPT_FAMILY, ATP_FAMILY_DENSE);
  if (status == ATP_OK)
    status = listed ? atp_select_penalty_pairs(f.alignment, options, &some_pairs[0][0], 2, table, NULL, NULL)
                    : atp_select_penalty(f.context, f.alignment, options, table, NULL, NULL, NULL);
  if (status == ATP_OK) status = atp_table_value(table, 0, ATP_SELECTION_HELDOUT_LOSS, &result);
  atp_table_destroy(table);
  atp_options_destroy(options);
  return status;
}
static atp_status select_penalty(void **out) {
  (void)out;
  return path_of(0);
}
static atp_status select_penalty_pairs(void **out) {
  (void)out;
  return path_of(1);
}
static atp_status overlap_rhat(void **out) {
  (void)out;
  return atp_overlap_rhat(f.context, sequences, N, L, 1, &result);
}
static atp_status frobenius(void **out) {
  double scores[L * L];
  (void)out;
  const atp_status status = atp_model_frobenius(f.context, f.model, ATP_SCORE_ZERO_SUM, 0, scores, L * L);
  if (status == ATP_OK) result = scores[1];
  return status;
}
static atp_status epistatic_scores(void **out) {
  double scores[L * L];
  (void)out;
  const atp_status status = atp_model_epistatic_scores(f.context, f.model, sequences, 1, -1, scores, L * L);
  if (status == ATP_OK) result = scores[1];
  return status;
}
static atp_status mean_field(void **out) { return atp_mean_field_model(f.context, f.alignment, NULL, (atp_model **)out); }
static atp_status gaussian(void **out) {
  double scores[L * L];
  (void)out;
  const atp_status status = atp_gaussian_scores(f.context, f.alignment, NULL, ATP_PAIR_SCORE_DI, 0, scores, L * L);
  if (status == ATP_OK) result = scores[1];
  return status;
}
static atp_status mutual(void **out) {
  double scores[L * L];
  (void)out;
  const atp_status status = atp_mutual_information(f.context, f.alignment, NULL, scores, L * L);
  if (status == ATP_OK) result = scores[1];
  return status;
}
static atp_status asymptotic(void **out) {
  double errors[L * L * Q * Q];
  (void)out;
  const atp_status status = atp_model_asymptotics(f.context, f.model, f.alignment, NULL, NULL, errors, L * L * Q * Q);
  if (status == ATP_OK) result = errors[Q * Q];
  return status;
}
static atp_status direct(void **out) {
  double scores[L * L], frequencies[L * Q];
  (void)out;
  for (int k = 0; k < L * Q; ++k) frequencies[k] = 1.0 / Q;
  const atp_status status = atp_direct_information(f.context, f.model, frequencies, L * Q, scores, L * L);
  if (status == ATP_OK) result = scores[1];
  return status;
}
static atp_status contacts(void **out) {
  atp_table *table;
  (void)out;
  atp_status status = atp_table_create(f.context, ATP_TABLE_CONTACTS, 3, &table);
  if (status == ATP_OK) status = atp_model_contacts(f.context, f.model, ATP_SCORE_ZERO_SUM, 0, 1, table);
  if (status == ATP_OK) status = atp_table_value(table, 0, ATP_CONTACTS_APC, &result);
  atp_table_destroy(table);
  return status;
}
static atp_status mutants(void **out) {
  double de[L * Q], dl[L * Q];
  (void)out;
  const atp_status status = atp_model_mutants(f.context, f.model, sequences, L, de, dl, L * Q);
  if (status == ATP_OK) result = dl[0];
  return status;
}
static atp_status score_mutants(void **out) {
  static const int64_t changes[] = {0, 0, 1, 0, 1, 1};
  double scores[2];
  (void)out;
  const atp_status status = atp_model_score_mutants(f.context, f.model, sequences, changes, 2, scores, 1);
  if (status == ATP_OK) result = scores[1];
  return status;
}
static atp_status double_mutants(void **out) {
  static const int64_t pair[] = {0, 1};
  double energies[Q * Q];
  (void)out;
  const atp_status status = atp_model_double_mutants(f.context, f.model, sequences, pair, 1, energies, Q * Q);
  if (status == ATP_OK) result = energies[1];
  return status;
}
static atp_status epistasis(void **out) {
  static const int64_t one[] = {0, 1, 1, 0};
  double energy;
  (void)out;
  return atp_model_epistasis(f.context, f.model, sequences, one, 1, &energy, &result);
}
static atp_status best_doubles(void **out) {
  int64_t doubles[8];
  double energies[2];
  (void)out;
  const atp_status status = atp_model_best_doubles(f.context, f.model, sequences, -1, doubles, energies, 2);
  if (status == ATP_OK) result = energies[1];
  return status;
}
static atp_status agreement_interval(void **out) {
  static const int64_t settings[] = {9, 1, 1};
  static const double x[] = {1, 2, 3, 4, 6}, y[] = {2, 1, 5, 3, 4};
  double interval[3];
  (void)out;
  const atp_status status = atp_agreement_interval(f.context, ATP_AGREEMENT_KENDALL, x, y, 5, settings, interval);
  if (status == ATP_OK) result = interval[1];
  return status;
}
static atp_status mutations_offset(void **out) {
  static const uint8_t wild[4] = {1, 2, 0, 1};
  int64_t found[4];
  atp_model *model = NULL;
  (void)out;
  atp_status status = atp_model_create_random(f.context, 4, 3, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 3, &model);
  if (status == ATP_OK) status = atp_model_set_alphabet(model, "-AC");
  if (status == ATP_OK) status = atp_mutations_offset(f.context, model, wild, 4, "A3C\nC4A\nA6C", found);
  if (status == ATP_OK) result = (double)found[2];
  atp_model_destroy(model);
  return status;
}
static atp_status mutants_agreement(void **out) {
  static const int64_t settings[] = {9, 1, 0}, mutations[] = {1, 1, 2, 1, 2};
  static const double x[] = {1, 2, 3, 4, 6}, y[] = {2, 1, 5, 3, 4};
  atp_table *table = NULL;
  (void)out;
  atp_status status = atp_table_create(f.context, ATP_TABLE_MEASURED, 4, &table);
  if (status == ATP_OK) status = atp_mutants_agreement(x, y, mutations, 5, settings, 2, table);
  if (status == ATP_OK) status = atp_table_value(table, 0, ATP_MEASURED_LOW, &result);
  atp_table_destroy(table);
  return status;
}
static atp_status create_independent(void **out) {
  return atp_model_create_independent(f.context, f.alignment, ATP_GAPS_STATE, -1, (atp_model **)out);
}
static atp_status alignment_for_model(void **out) {
  return atp_alignment_for_model(f.context, f.alignment, f.model, (atp_alignment **)out);
}
static atp_status compare(void **out) {
  double numbers[ATP_COMPARISON_ROWS * ATP_COMPARISON_COLUMNS];
  (void)out;
  const atp_status status =
      atp_statistics_compare(f.context, f.alignment, f.alignment, numbers, ATP_COMPARISON_ROWS * ATP_COMPARISON_COLUMNS);
  if (status == ATP_OK) result = numbers[0];
  return status;
}
static atp_status compare_parts(void **out) {
  double numbers[2 * ATP_COMPARISON_ROWS * ATP_COMPARISON_COLUMNS], weights[2];
  (void)out;
  const atp_status status = atp_statistics_parts(f.context, f.alignment, 3, 2, 1, numbers, weights);
  if (status == ATP_OK) result = numbers[ATP_COMPARISON_RMS];
  return status;
}
static atp_status samples_quality(void **out) {
  atp_table *quality = NULL, *distances = NULL;
  (void)out;
  atp_status status = atp_table_create(f.context, ATP_TABLE_QUALITY, ATP_QUALITY_ROWS, &quality);
  if (status == ATP_OK) status = atp_table_create(f.context, ATP_TABLE_DISTANCES, L + 1, &distances);
  if (status == ATP_OK) status = atp_samples_quality(f.context, f.alignment, f.alignment, NULL, quality, distances);
  if (status == ATP_OK) status = atp_table_value(quality, ATP_QUALITY_SPREAD, ATP_QUALITY_SAMPLES, &result);
  atp_table_destroy(distances);
  atp_table_destroy(quality);
  return status;
}
static atp_status components(void **out) {
  double coordinates[N], variance;
  (void)out;
  const atp_status status = atp_statistics_components(f.context, f.alignment, NULL, 1, coordinates, N, &variance);
  if (status == ATP_OK) result = variance;
  return status;
}
static atp_status alignment_summary(void **out) {
  double numbers[ATP_SUMMARY_NUMBERS];
  (void)out;
  const atp_status status = atp_alignment_summary(f.alignment, numbers, ATP_SUMMARY_NUMBERS);
  if (status == ATP_OK) result = numbers[ATP_SUMMARY_DUPLICATES];
  return status;
}
static atp_status mutants_average(void **out) {
  static const int64_t changes[] = {0, 1, 1, 1, 0, 2, 2, 1, 1};
  static const double measured[] = {1, 2, 4};
  int64_t first_same[3];
  double average[3];
  (void)out;
  const atp_status status = atp_mutants_average(f.context, changes, 3, measured, 3, first_same, average);
  if (status == ATP_OK) result = average[2];
  return status;
}
static atp_status mixing(void **out) {
  static const double values[] = {1, 2, 4, 7, 3, 2, 5, 1, 1, 6, 3, 2, 4, 4, 1, 2};
  double numbers[ATP_MIXING_COLUMNS];
  (void)out;
  const atp_status status = atp_chain_mixing(f.context, values, 1, 16, numbers);
  if (status == ATP_OK) result = numbers[ATP_MIXING_RHAT];
  return status;
}
static atp_status measured_rungs(void **out) {
  static const double betas[] = {0, 0.5};
  atp_table *table = NULL;
  atp_sampler *sampler = NULL;
  atp_options *options = NULL;
  (void)out;
  atp_status status = atp_options_create(f.context, ATP_OWNER_SAMPLER, &options);
  if (status == ATP_OK) status = atp_options_set_i64(options, ATP_OPT_TEMPERATURES, 2);
  if (status == ATP_OK) status = atp_table_create(f.context, ATP_TABLE_RUNGS, 4, &table);
  if (status == ATP_OK) status = atp_sampler_create(f.context, f.model, options, &sampler);
  if (status == ATP_OK) status = atp_sampler_set_betas(sampler, betas, 2);
  if (status == ATP_OK) status = atp_sampler_measure(sampler, 16, 1, table, NULL, NULL, NULL);
  if (status == ATP_OK) status = atp_model_enumerate_rungs(f.context, f.model, betas, 2, NULL, 0, table);
  if (status == ATP_OK) status = atp_table_value(table, 1, ATP_RUNGS_LOG_Z, &result);
  atp_sampler_destroy(sampler);
  atp_options_destroy(options);
  atp_table_destroy(table);
  return status;
}
static atp_status bootstrap_errors(void **out) {
  static const double values[] = {1, 2, 4, 7};
  double errors[2 * ATP_BOOTSTRAP_COLUMNS];
  (void)out;
  const atp_status status = atp_bootstrap_errors(f.context, values, 2, 2, errors);
  if (status == ATP_OK) result = errors[ATP_BOOTSTRAP_MEAN];
  return status;
}
static atp_status map_like(void **out) {
  double map[L * L];
  (void)out;
  const atp_status status = atp_model_map_like(f.context, f.model, f.model, map, L * L);
  if (status == ATP_OK) result = map[1];
  return status;
}
static atp_status pairs_overlap(void **out) {
  static const int64_t pairs[] = {0, 1, 2, 0}, others[] = {0, 2};
  (void)out;
  return atp_pairs_overlap(f.context, pairs, 2, others, 1, &result);
}
static atp_status distances_read(void **out) {
  double distances[L * L];
  (void)out;
  const atp_status status = atp_distances_read(f.context, f.distances, NULL, L, distances, L * L, NULL);
  if (status == ATP_OK) result = distances[1];
  return status;
}
static atp_status input_distances(void **out) {
  double distances[L * L];
  atp_input *input = NULL;
  (void)out;
  atp_status status = atp_input_open(f.context, f.distances, &input);
  if (status == ATP_OK) status = atp_input_distances(input, NULL, NULL, 0, L, distances, NULL);
  if (status == ATP_OK) result = distances[1];
  atp_input_destroy(input);
  return status;
}
static atp_status input_table(void **out) {
  int64_t needed = 0;
  atp_input *input = NULL;
  (void)out;
  atp_status status = atp_input_open(f.context, f.distances, &input);
  if (status == ATP_OK) status = atp_input_table(input, ATP_CELLS_NUMBERS, NULL, NULL, 0, &needed);
  if (status == ATP_OK) result = (double)needed;
  atp_input_destroy(input);
  return status;
}
/* A task with its options, arrays and table; its generalisation loss. */
static atp_status task(const task_case *c, int column) {
  double rows[128]; /* two rows of the widest table */
  const atp_status status = run_task(f.context, c, NULL, NULL, rows, NULL);
  if (status == ATP_OK) result = rows[column];
  return status;
}
static const double of_alphas[2] = {0.5, 2};
static atp_status replica_simulate(void **out) {
  static const double covariance[4] = {1, 0.5, 0.5, 1}, weights[2] = {1, -1};
  static const task_case c = {
      ATP_TASK_REPLICA_SIMULATION,
      {{ATP_OPT_NOISE, 1}, {ATP_OPT_LAMBDA, 0.1}, {ATP_OPT_REALISATIONS, 3}, {0}},
      {{ATP_ARRAY_ALPHAS, of_alphas, 2, 1}, {ATP_ARRAY_COVARIANCE, covariance, 2, 2}, {ATP_ARRAY_WEIGHTS, weights, 2, 1}, {0}}};
  (void)out;
  return task(&c, ATP_REPLICA_SIM_EG);
}
static atp_status potts(void **out) {
  static const double ones[2] = {1, 1}, colors[4] = {1, 0, 0, 1};
  static const task_case c = {ATP_TASK_REPLICA_POTTS,
                              {{ATP_OPT_LAMBDA, 0.1}, {ATP_OPT_POINTS, 64}, {ATP_OPT_SHIFTS, 2}, {0}},
                              {{ATP_ARRAY_ALPHAS, of_alphas, 2, 1},
                               {ATP_ARRAY_EIGENVALUES, ones, 2, 1},
                               {ATP_ARRAY_PROJECTIONS, ones, 2, 1},
                               {ATP_ARRAY_COLOR_COVARIANCE, colors, 2, 2},
                               {0}}};
  (void)out;
  return task(&c, ATP_REPLICA_EG);
}
static atp_status potts_simulate(void **out) {
  static const double covariance[4] = {1, 0.5, 0.5, 1}, weights[2] = {1, -1};
  static const task_case c = {ATP_TASK_REPLICA_POTTS_SIMULATION,
                              {{ATP_OPT_LAMBDA, 0.1}, {ATP_OPT_REALISATIONS, 3}, {ATP_OPT_TEST_SAMPLES, 9}, {0}},
                              {{ATP_ARRAY_ALPHAS, of_alphas, 2, 1},
                               {ATP_ARRAY_COVARIANCE, covariance, 2, 2},
                               {ATP_ARRAY_WEIGHTS, weights, 2, 1},
                               {ATP_ARRAY_COLOR_COVARIANCE, covariance, 2, 2},
                               {0}}};
  (void)out;
  return task(&c, ATP_REPLICA_SIM_EG);
}
static atp_status masked(void **out) {
  static const double precision[9] = {2, 0, 0, 0, 2, 0.5, 0, 0.5, 2};
  double s[2], t[2];
  atp_masked *system;
  (void)out;
  atp_status status = atp_masked_create_precision(f.context, precision, 3, 0, &system);
  if (status == ATP_OK) status = atp_masked_spectrum(system, s, t, 2);
  if (status == ATP_OK) result = s[0];
  atp_masked_destroy(system);
  return status;
}
static atp_status spin_glass(void **out) {
  static const double colors[4] = {1, -1, -1, 1};
  (void)out;
  atp_masked *system;
  atp_status status = atp_masked_create_spin_glass(f.context, 0.5, colors, 2, 4, ATP_REPLICA_INPUTS_NORMAL, &system);
  if (status == ATP_OK) result = atp_masked_noise(system);
  atp_masked_destroy(system);
  return status;
}
static atp_status measured_potts(void **out) {
  double colors[Q * Q];
  (void)out;
  atp_masked *system;
  atp_status status = atp_masked_create_potts(f.context, f.model, f.alignment, ATP_REPLICA_INPUTS_NORMAL, colors, Q * Q, &system);
  if (status == ATP_OK) result = colors[0];
  atp_masked_destroy(system);
  return status;
}
static atp_status targets(void **out) {
  static const double target = 1.5, ones[2] = {1, 1};
  static const task_case c = {
      ATP_TASK_REPLICA_CONVEX,
      {{ATP_OPT_NOISE, 1}, {ATP_OPT_LAMBDA, 0.1}, {0}},
      {{ATP_ARRAY_TARGETS, &target, 1, 1}, {ATP_ARRAY_EIGENVALUES, ones, 2, 1}, {ATP_ARRAY_PROJECTIONS, ones, 2, 1}, {0}}};
  (void)out;
  return task(&c, ATP_REPLICA_EG);
}
static atp_status dotattn_simulate(void **out) {
  static const task_case c = {ATP_TASK_DOTATTN_SIMULATION,
                              {{ATP_OPT_DIMENSION, 8},
                               {ATP_OPT_OPTIMIZER, ATP_OPTIMIZER_LBFGS},
                               {ATP_OPT_STEPS, 9},
                               {ATP_OPT_TEST_SAMPLES, 2},
                               {ATP_OPT_RUNS, 2},
                               {ATP_OPT_FLIPS, 2},
                               {0}},
                              {{ATP_ARRAY_ALPHAS, of_alphas, 2, 1}, {0}}};
  (void)out;
  return task(&c, ATP_DOTATTN_SIM_EG);
}
static atp_status dotattn_tokens(void **out) {
  static const task_case c = {ATP_TASK_DOTATTN_TOKENS,
                              {{ATP_OPT_POINTS, 16}, {ATP_OPT_SHIFTS, 2}, {ATP_OPT_TOLERANCE, 1e-3}, {ATP_OPT_MAX_ITER, 9}, {0}},
                              {{ATP_ARRAY_ALPHAS, of_alphas, 2, 1}, {0}}};
  (void)out;
  return task(&c, ATP_DOTATTN_TOKENS_EG);
}
static atp_status dotattn_dynamics(void **out) {
  static const task_case c = {ATP_TASK_DOTATTN_DYNAMICS,
                              {{ATP_OPT_POINTS, 16}, {ATP_OPT_SHIFTS, 2}, {ATP_OPT_TOLERANCE, 1e-3}, {0}},
                              {{ATP_ARRAY_TIMES, of_alphas, 2, 1}, {0}}};
  (void)out;
  return task(&c, ATP_DOTATTN_DYNAMICS_EG);
}
static atp_status dotattn_trajectory(void **out) {
  static const task_case c = {ATP_TASK_DOTATTN_TRAJECTORY,
                              {{ATP_OPT_DIMENSION, 8}, {ATP_OPT_TEST_SAMPLES, 2}, {ATP_OPT_RUNS, 2}, {0}},
                              {{ATP_ARRAY_TIMES, of_alphas, 2, 1}, {0}}};
  (void)out;
  return task(&c, ATP_DOTATTN_TRAJECTORY_EG);
}
static atp_status dotattn_curve(void **out) {
  static const task_case c = {ATP_TASK_DOTATTN_CURVE,
                              {{ATP_OPT_BRANCH, ATP_DOTATTN_UNINFORMED}, {ATP_OPT_ACCURACY, 0.1}, {ATP_OPT_MAX_ITER, 100}, {0}},
                              {{ATP_ARRAY_ALPHAS, of_alphas, 1, 1}, {0}}};
  (void)out;
  return task(&c, ATP_DOTATTN_EG);
}
static atp_status dotattn_transition(void **out) {
  static const task_case c = {
      ATP_TASK_DOTATTN_TRANSITION, {{ATP_OPT_ACCURACY, 0.1}, {ATP_OPT_MAX_ITER, 10}, {0}}, {{ATP_ARRAY_OMEGAS, of_alphas, 1, 1}, {0}}};
  (void)out;
  return task(&c, ATP_DOTATTN_TRANSITION_EG_LINEAR);
}
static int keeps_numbers(double *values, int64_t count, void *user) {
  (void)values;
  (void)count;
  (void)user;
  return 0;
}
static atp_status set_reduction(void **out) {
  (void)out;
  const atp_status status = atp_trainer_set_reduction(f.pairs, keeps_numbers, NULL);
  return status == ATP_OK ? atp_trainer_set_reduction(f.pairs, NULL, NULL) : status;
}
static atp_status start_wide(void **out) {
  (void)out;
  return atp_trainer_start_wide(f.trainer, 2, 3, NULL, NULL, NULL);
}
static atp_status start_from(void **out) {
  (void)out;
  return atp_trainer_start_from(f.trainer, f.wide);
}
static atp_status alignment_weigh(void **out) {
  (void)out;
  return atp_alignment_weigh(f.loose, 0.5, ATP_WEIGHTS_INCLUSIVE, NULL, NULL, NULL);
}
static atp_status scan_weights(void **out) {
  const double thetas[2] = {0.1, 0.5};
  atp_table *table = NULL;
  (void)out;
  atp_status status = atp_table_create(f.context, ATP_TABLE_WEIGHTS, 2, &table);
  if (status == ATP_OK) status = atp_alignment_scan_weights(f.loose, thetas, 2, ATP_WEIGHTS_RESIDUES, table);
  atp_table_destroy(table);
  return status;
}
static atp_status alignment_split(void **out) {
  int64_t parts[N];
  atp_options *options = NULL;
  (void)out;
  atp_status status = atp_options_create(f.context, ATP_OWNER_SPLIT, &options);
  if (status == ATP_OK) status = atp_options_set_f64(options, ATP_OPT_IDENTITY, 1);
  if (status == ATP_OK) status = atp_alignment_split(f.loose, options, parts, N);
  atp_options_destroy(options);
  return status;
}
static atp_status alignment_write(void **out) {
  (void)out;
  return atp_alignment_write(f.context, f.alignment, ATP_FORMAT_INTEGERS, f.hdf5);
}
static atp_status model_write(void **out) {
  (void)out;
  return atp_model_write(f.context, f.model, f.hdf5);
}
/* Formats of other tools, in the file that HDF5 has elsewhere. */
static atp_model_format format;
static atp_status model_write_as(void **out) {
  (void)out;
  return atp_model_write_as(f.context, f.dense, f.alignment, format, f.hdf5);
}
static atp_status model_read_as(void **out) { return atp_model_read_as(f.context, f.hdf5, format, NULL, (atp_model **)out); }
static atp_status model_read_found(void **out) { return atp_model_read_as(f.context, f.hdf5, ATP_MODEL_AUTO, NULL, (atp_model **)out); }
static atp_score_format score_format;
static atp_status scores_write(void **out) {
  static const double scores[L * L] = {[1] = 0.5, [2] = 0.25, [L] = 0.5, [2 * L] = 0.25};
  (void)out;
  return atp_scores_write(f.context, scores, L, NULL, NULL, score_format, f.hdf5);
}
static atp_status scores_sites(void **out) {
  int64_t sites = 42;
  (void)out;
  const atp_status status = atp_scores_sites(f.context, f.hdf5, &sites);
  result = (double)sites;
  return status;
}
static atp_status scores_read(void **out) {
  double scores[L * L] = {0, 42};
  (void)out;
  const atp_status status = atp_scores_read(f.context, f.hdf5, scores, L * L, NULL, NULL);
  result = scores[1];
  return status;
}
static void nothing(void *p) { (void)p; }

/* A memory limit that leaves 1, 2, 4, ... bytes, until the call is content. */
static void limit_each(const char *name, call_fn call, void (*destroy)(void *), int64_t least) {
  int64_t refused = 0, in_use = 0, available = -1;
  assert_int_equal(atp_context_memory(f.context, NULL, &in_use), ATP_OK);
  for (int64_t room = 1;; room *= 2) {
    const struct counter before = f.counter;
    void *out = (void *)(uintptr_t)0x5A50;
    char text[512];
    result = 42;
    assert_int_equal(atp_context_set_memory_limit(f.context, in_use + room), ATP_OK);
    assert_int_equal(atp_context_memory_limit(f.context, NULL, &available), ATP_OK);
    assert_true(available == room);
    const atp_status status = call(&out);
    assert_int_equal(atp_context_set_memory_limit(f.context, 0), ATP_OK);
    if (status == ATP_OK) {
      destroy(out);
      if (refused == 0 && least > 0) print_error("%s was never refused\n", name);
      assert_true(refused > 0 || least == 0);
    } else {
      ++refused;
      if (status != ATP_E_MEMORY) print_error("%s with room for %d bytes: %s\n", name, (int)room, atp_status_name(status));
      assert_int_equal(status, ATP_E_MEMORY);
      atp_last_error(text, sizeof text);
      if (strstr(text, "needs ") == NULL || strstr(text, "the memory limit leaves ") == NULL) print_error("%s: %s\n", name, text);
      assert_non_null(strstr(text, "needs "));
      assert_non_null(strstr(text, "the memory limit leaves "));
      if (destroy != nothing) assert_null(out);
      assert_true(result == 42);
    }
    assert_int_equal(f.counter.live, before.live);
    assert_int_equal(f.counter.bytes, before.bytes);
    if (status == ATP_OK) return;
    assert_true(room < (int64_t)1 << 40);
  }
}

/* Fail the first allocation, then the second, ... until the call needs no more of them. */
static void fail_each(const char *name, call_fn call, void (*destroy)(void *), int64_t least) {
  for (int64_t k = 1;; ++k) {
    const struct counter before = f.counter;
    void *out = (void *)(uintptr_t)0x5A50;
    result = 42;
    f.counter.fail_at = before.calls + k;
    const atp_status status = call(&out);
    f.counter.fail_at = 0;
    if (f.counter.calls - before.calls < k) {
      if (status != ATP_OK) print_error("%s: %s\n", name, atp_status_name(status));
      assert_int_equal(status, ATP_OK);
      destroy(out);
      assert_int_equal(f.counter.live, before.live);
      assert_int_equal(f.counter.bytes, before.bytes);
      if (k - 1 < least) print_error("%s allocates %d times, expected %d at least\n", name, (int)(k - 1), (int)least);
      assert_true(k - 1 >= least);
      return;
    }
    if (status != ATP_E_MEMORY) print_error("%s, allocation %d: %s\n", name, (int)k, atp_status_name(status));
    assert_int_equal(status, ATP_E_MEMORY);
    if (destroy != nothing) assert_null(out);
    assert_true(result == 42);
    if (f.counter.live != before.live) print_error("%s leaks when allocation %d fails\n", name, (int)k);
    assert_int_equal(f.counter.live, before.live);
    assert_int_equal(f.counter.bytes, before.bytes);
    assert_true(k < 10000);
  }
}
#define FAIL_EACH(call, destroy, least)      \
  do {                                       \
    fail_each(#call, call, destroy, least);  \
    limit_each(#call, call, destroy, least); \
  } while (0)

static void every_allocation_may_fail(void **state) {
  (void)state;
  FAIL_EACH(options_create, destroy_options, 1);
  FAIL_EACH(alignment_create, destroy_alignment, 1);
  FAIL_EACH(alignment_select, destroy_alignment, 1);
  FAIL_EACH(alignment_take, destroy_alignment, 2);
  FAIL_EACH(alignment_rename, destroy_alignment, 1);
  FAIL_EACH(mean_log_p, nothing, 1);
  FAIL_EACH(alignment_read, destroy_alignment, 1);
  FAIL_EACH(alignment_borrow, destroy_alignment, 1);
  FAIL_EACH(alignment_read_part, destroy_alignment, 3);
  FAIL_EACH(input_open, destroy_input, 2);
  FAIL_EACH(input_alignment, destroy_alignment, 3);
  FAIL_EACH(file_read, nothing, 1);
  FAIL_EACH(alignment_filter, destroy_alignment, 4);
  FAIL_EACH(alignment_filter_identity, destroy_alignment, 2);
  FAIL_EACH(alignment_focus, destroy_alignment, 4);
  FAIL_EACH(alignment_sample, destroy_alignment, 3);
  FAIL_EACH(alignment_from_state, destroy_alignment, 2);
  FAIL_EACH(alignment_weigh, nothing, 1);
  FAIL_EACH(scan_weights, nothing, 2);
  FAIL_EACH(alignment_split, nothing, 2);
  FAIL_EACH(model_heads, destroy_model, 1);
  FAIL_EACH(model_dense, destroy_model, 1);
  FAIL_EACH(model_dense_f32, destroy_model, 1);
  FAIL_EACH(model_random, destroy_model, 1);
  FAIL_EACH(model_copy, destroy_model, 1);
  FAIL_EACH(model_from_state, destroy_model, 2);
  FAIL_EACH(model_gauge, destroy_model, 1);
  FAIL_EACH(model_gauge_colors, destroy_model, 1);
  FAIL_EACH(model_keep_pairs, destroy_model, 1);
  FAIL_EACH(model_create_pairs, destroy_model, 1);
  FAIL_EACH(model_create_lattice, destroy_model, 2);
  FAIL_EACH(model_weigh_sites, destroy_model, 1);
  FAIL_EACH(trainer_create_pairs, destroy_trainer, 2);
  FAIL_EACH(trainer_pairs_bytes, nothing, 1);
  FAIL_EACH(sampler_create, destroy_sampler, 1);
  FAIL_EACH(sampler_create_dense, destroy_sampler, 1);
  for (int64_t k = 0; set_training(f.context, f.options, k); ++k) FAIL_EACH(trainer_create, destroy_trainer, 1);
  assert_int_equal(atp_options_set_i64(f.options, ATP_OPT_FAMILY, ATP_FAMILY_FACTORED), ATP_OK);
  assert_int_equal(atp_options_set_i64(f.options, ATP_OPT_OBJECTIVE, 0), ATP_OK);
  FAIL_EACH(trainer_model, destroy_model, 1);
  FAIL_EACH(network_model, destroy_model, 1);
  FAIL_EACH(trainer_chains, destroy_alignment, 1);
  FAIL_EACH(coupling_error, nothing, 1);
  FAIL_EACH(coupling_error_heads, nothing, 0);
  FAIL_EACH(model_loss, nothing, 0);
  FAIL_EACH(set_reduction, nothing, 1);
  FAIL_EACH(start_wide, nothing, 2);
  FAIL_EACH(start_from, nothing, 1);
  FAIL_EACH(tune_beta, nothing, 1);
  for (method = ATP_METHOD_ANNEALING; method <= ATP_METHOD_LADDER; ++method) FAIL_EACH(partition, nothing, 1);
  FAIL_EACH(select_penalty, nothing, 1);
  FAIL_EACH(select_penalty_pairs, nothing, 1);
  FAIL_EACH(overlap_rhat, nothing, 1);
  FAIL_EACH(masked, nothing, 2);
  FAIL_EACH(spin_glass, nothing, 1);
  FAIL_EACH(measured_potts, nothing, 2);
  FAIL_EACH(targets, nothing, 3);
  FAIL_EACH(replica_simulate, nothing, 4);
  FAIL_EACH(potts_simulate, nothing, 4);
  FAIL_EACH(dotattn_simulate, nothing, 4);
  FAIL_EACH(dotattn_tokens, nothing, 4);
  FAIL_EACH(dotattn_dynamics, nothing, 4);
  FAIL_EACH(dotattn_trajectory, nothing, 4);
  FAIL_EACH(potts, nothing, 4);
  FAIL_EACH(dotattn_curve, nothing, 4);
  FAIL_EACH(dotattn_transition, nothing, 4);
  FAIL_EACH(frobenius, nothing, 1);
  FAIL_EACH(epistatic_scores, nothing, 1);
  FAIL_EACH(contacts, nothing, 2);
  FAIL_EACH(mean_field, destroy_model, 3);
  FAIL_EACH(gaussian, nothing, 2);
  FAIL_EACH(mutual, nothing, 1);
  FAIL_EACH(asymptotic, nothing, 2);
  FAIL_EACH(direct, nothing, 1);
  FAIL_EACH(mutants, nothing, 1);
  FAIL_EACH(score_mutants, nothing, 1);
  FAIL_EACH(double_mutants, nothing, 1);
  FAIL_EACH(epistasis, nothing, 1);
  FAIL_EACH(best_doubles, nothing, 1);
  FAIL_EACH(agreement_interval, nothing, 1);
  FAIL_EACH(mutations_offset, nothing, 3);
  FAIL_EACH(mutants_agreement, nothing, 3);
  FAIL_EACH(create_independent, destroy_model, 1);
  FAIL_EACH(alignment_for_model, destroy_alignment, 3);
  FAIL_EACH(compare, nothing, 1);
  FAIL_EACH(compare_parts, nothing, 5);
  FAIL_EACH(samples_quality, nothing, 3);
  FAIL_EACH(components, nothing, 1);
  FAIL_EACH(map_like, nothing, 1);
  FAIL_EACH(pairs_overlap, nothing, 1);
  FAIL_EACH(mutants_average, nothing, 1);
  FAIL_EACH(bootstrap_errors, nothing, 1);
  FAIL_EACH(mixing, nothing, 1);
  FAIL_EACH(measured_rungs, nothing, 1);
  FAIL_EACH(alignment_summary, nothing, 3);
  FAIL_EACH(distances_read, nothing, 3);
  FAIL_EACH(input_distances, nothing, 4);
  FAIL_EACH(input_table, nothing, 4);
  FAIL_EACH(alignment_write, nothing, 0);
}

static void every_allocation_of_files_may_fail(void **state) {
  (void)state;
  if (!atp_has_feature("hdf5")) skip_because("this build has no HDF5");
  assert_int_equal(atp_alignment_write(f.context, f.alignment, ATP_FORMAT_HDF5, f.hdf5), ATP_OK);
  FAIL_EACH(alignment_read_hdf5, destroy_alignment, 1);
  FAIL_EACH(model_write, nothing, 0);
  FAIL_EACH(model_read, destroy_model, 1);
}

static void every_allocation_of_other_formats_may_fail(void **state) {
  (void)state;
  assert_int_equal(atp_model_set_alphabet(f.dense, "-ab"), ATP_OK);
  const atp_model_format formats[] = {ATP_MODEL_PLMC, ATP_MODEL_BMDCA};
  for (int k = 0; k < 2; ++k) {
    format = formats[k];
    FAIL_EACH(model_write_as, nothing, 1);
    FAIL_EACH(model_read_as, destroy_model, 2);
    FAIL_EACH(model_read_found, destroy_model, 2);
  }
  for (score_format = ATP_SCORES_CCMPRED; score_format <= ATP_SCORES_EVCOUPLINGS; ++score_format) {
    FAIL_EACH(scores_write, nothing, 1);
    FAIL_EACH(scores_sites, nothing, 1);
    FAIL_EACH(scores_read, nothing, 2);
  }
}

/* A truth for the trainer needs work space, which the trainer keeps. */
static void setting_a_truth_may_fail(void **state) {
  (void)state;
  const int64_t live = f.counter.live;
  for (int64_t k = 1;; ++k) {
    const int64_t before = f.counter.calls;
    f.counter.fail_at = before + k;
    const atp_status status = atp_trainer_set_truth(f.trainer, f.model);
    f.counter.fail_at = 0;
    if (f.counter.calls - before < k) {
      assert_int_equal(status, ATP_OK);
      break;
    }
    assert_int_equal(status, ATP_E_MEMORY);
    assert_int_equal(f.counter.live, live);
  }
  /* Again, and without one: nothing new. */
  const int64_t calls = f.counter.calls;
  assert_int_equal(atp_trainer_set_truth(f.trainer, NULL), ATP_OK);
  assert_int_equal(atp_trainer_set_truth(f.trainer, f.model), ATP_OK);
  assert_int_equal(f.counter.calls, calls);
}

static void size_queries_tell_the_truth(void **state) {
  (void)state;
  const int64_t chains[] = {1, 5, 16, 33};
  for (int64_t c = 0; c < 4; ++c)
    for (int64_t rungs = 1; rungs <= 3; ++rungs)
      for (int kind = 0; kind < 2; ++kind) {
        const atp_model *model = kind == 0 ? f.model : f.dense;
        atp_sampler *sampler = NULL;
        int64_t announced = -1;
        assert_int_equal(atp_options_set_i64(f.of_sampler, ATP_OPT_CHAINS, chains[c]), ATP_OK);
        assert_int_equal(atp_options_set_i64(f.of_sampler, ATP_OPT_TEMPERATURES, rungs), ATP_OK);
        const int64_t calls = f.counter.calls, bytes = f.counter.bytes;
        assert_int_equal(atp_sampler_bytes(f.context, model, f.of_sampler, &announced), ATP_OK);
        assert_int_equal(f.counter.calls, calls);
        assert_int_equal(atp_sampler_create(f.context, model, f.of_sampler, &sampler), ATP_OK);
        assert_int_equal(f.counter.bytes - bytes, announced);
        atp_sampler_destroy(sampler);
      }
  for (int64_t optimizer = ATP_OPTIMIZER_LBFGS; optimizer <= ATP_OPTIMIZER_ADAM; ++optimizer)
    for (int64_t map = ATP_MAP_FREE; map <= ATP_MAP_LOWRANK; ++map)
      for (int64_t precision = 32; precision <= 64; precision += 32) {
        atp_trainer *trainer = NULL;
        int64_t announced = -1;
        assert_int_equal(atp_options_set_i64(f.options, ATP_OPT_OPTIMIZER, optimizer), ATP_OK);
        assert_int_equal(atp_options_set_i64(f.options, ATP_OPT_MAP, map), ATP_OK);
        assert_int_equal(atp_options_set_i64(f.options, ATP_OPT_PRECISION, precision), ATP_OK);
        assert_int_equal(atp_options_set_i64(f.options, ATP_OPT_FIELDS, map == ATP_MAP_SOFTMAX), ATP_OK);
        const int64_t calls = f.counter.calls, bytes = f.counter.bytes;
        assert_int_equal(atp_trainer_bytes(f.context, N, L, Q, f.options, &announced), ATP_OK);
        assert_int_equal(f.counter.calls, calls);
        assert_int_equal(atp_trainer_create(f.context, f.alignment, f.options, &trainer), ATP_OK);
        assert_int_equal(f.counter.bytes - bytes, announced);
        atp_trainer_destroy(trainer);
      }
  assert_int_equal(atp_options_reset(f.options), ATP_OK);
  assert_int_equal(atp_options_set_i64(f.options, ATP_OPT_FAMILY, ATP_FAMILY_DENSE), ATP_OK);
  for (int64_t asymmetric = 0; asymmetric <= 1; ++asymmetric)
    for (int64_t gaps = ATP_GAPS_STATE; gaps <= ATP_GAPS_IGNORE; ++gaps)
      for (int64_t precision = 32; precision <= 64; precision += 32) {
        atp_trainer *trainer = NULL;
        int64_t announced = -1;
        assert_int_equal(atp_options_set_i64(f.options, ATP_OPT_ASYMMETRIC, asymmetric), ATP_OK);
        assert_int_equal(atp_options_set_i64(f.options, ATP_OPT_GAPS, gaps), ATP_OK);
        assert_int_equal(atp_options_set_i64(f.options, ATP_OPT_PRECISION, precision), ATP_OK);
        const int64_t calls = f.counter.calls, bytes = f.counter.bytes;
        assert_int_equal(atp_trainer_bytes(f.context, N, L, Q, f.options, &announced), ATP_OK);
        assert_int_equal(f.counter.calls, calls);
        assert_int_equal(atp_trainer_create(f.context, f.alignment, f.options, &trainer), ATP_OK);
        assert_int_equal(f.counter.bytes - bytes, announced);
        assert_int_equal(f.counter.calls, calls + 1);
        atp_trainer_destroy(trainer);
        assert_int_equal(atp_trainer_pairs_bytes(f.context, f.alignment, f.options, &some_pairs[0][0], 2, &announced), ATP_OK);
        assert_int_equal(f.counter.bytes, bytes);
        assert_int_equal(atp_trainer_create_pairs(f.context, f.alignment, f.options, &some_pairs[0][0], 2, &trainer), ATP_OK);
        assert_int_equal(f.counter.bytes - bytes, announced);
        atp_trainer_destroy(trainer);
        assert_int_equal(f.counter.bytes, bytes);
      }
  assert_int_equal(atp_options_reset(f.options), ATP_OK);
  for (int64_t k = 0; set_training(f.context, f.options, k); ++k) {
    atp_trainer *trainer = NULL;
    int64_t announced = -1;
    const int64_t bytes = f.counter.bytes;
    assert_int_equal(atp_trainer_bytes(f.context, N, L, Q, f.options, &announced), ATP_OK);
    assert_int_equal(f.counter.bytes, bytes);
    assert_int_equal(atp_trainer_create(f.context, f.alignment, f.options, &trainer), ATP_OK);
    assert_int_equal(f.counter.bytes - bytes, announced);
    atp_trainer_destroy(trainer);
  }
  for (int64_t blocks = 1; blocks <= 3; blocks += 2)
    for (int64_t precision = 32; precision <= 64; precision += 32)
      for (int64_t optimizer = ATP_OPTIMIZER_SGD; optimizer <= ATP_OPTIMIZER_ADAM; ++optimizer) {
        atp_trainer *network = NULL;
        int64_t announced = -1;
        assert_int_equal(atp_options_set_i64(f.of_network, ATP_OPT_BLOCKS, blocks), ATP_OK);
        assert_int_equal(atp_options_set_i64(f.of_network, ATP_OPT_PRECISION, precision), ATP_OK);
        assert_int_equal(atp_options_set_i64(f.of_network, ATP_OPT_OPTIMIZER, optimizer), ATP_OK);
        const int64_t calls = f.counter.calls, bytes = f.counter.bytes;
        assert_int_equal(atp_trainer_bytes(f.context, N, L, Q, f.of_network, &announced), ATP_OK);
        assert_int_equal(f.counter.calls, calls);
        assert_int_equal(atp_trainer_create(f.context, f.alignment, f.of_network, &network), ATP_OK);
        assert_int_equal(f.counter.bytes - bytes, announced);
        assert_int_equal(f.counter.calls, calls + 1);
        atp_trainer_destroy(network);
      }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(every_allocation_may_fail, set_up, tear_down),
    cmocka_unit_test_setup_teardown(every_allocation_of_files_may_fail, set_up, tear_down),
    cmocka_unit_test_setup_teardown(every_allocation_of_other_formats_may_fail, set_up, tear_down),
    cmocka_unit_test_setup_teardown(setting_a_truth_may_fail, set_up, tear_down),
    cmocka_unit_test_setup_teardown(size_queries_tell_the_truth, set_up, tear_down),
};

ATP_TEST_MAIN(tests)
