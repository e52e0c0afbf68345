/* SPDX-License-Identifier: MIT */
/* Every pointer of every function, NULL. In each row NIL is the argument under test:
 *   REFUSES(call)      ATP_E_NULL, a text, and no output touched
 *   MAKES_NOTHING(call) the same for create calls, whose handle must become NULL
 *   ACCEPTS(call)      ATP_OK: the argument is optional
 *   IGNORES(call)      no status: the call must return
 *   IS(call, value)    no status: the call must return the value
 * check_null_rows.py compares the rows with the headers: a function or an argument without a row fails the build's tests. */
#include "counting.h"
#include "support.h"

#include <attopotts_io.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NIL NULL

enum { L = 3, Q = 2, N = 4, C = 2, K = 2 };
enum { WIDTH = 2, ENCODER = (Q + 1) * WIDTH + 4 * WIDTH * WIDTH + 4 * WIDTH * WIDTH + 11 * WIDTH + Q * WIDTH + Q }; /* parameters */

static struct {
  atp_context *context;
  atp_options *options, *narrow;
  atp_alignment *alignment;
  atp_model *model, *dense;
  atp_sampler *sampler;
  atp_sampling *sampling;
  atp_trainer *trainer;
  atp_trainer *network;
  atp_masked *masked;
  atp_task *task;
  atp_table *table, *log, *tuning, *partition, *rungs, *overlaps, *contacts, *report, *path, *scan, *measured;
} in;

/* Where calls may write; big enough for every output. */
static struct {
  double reals[128], reals2[64], reals3[64];
  float floats[64];
  int64_t counts[64], count;
  uint8_t bytes[64];
  int whole;
  char text[64];
  const char *kind;
  atp_outcome outcome;
  uint8_t state[65536];
} out;
static void *handle;

static const uint8_t sequences[N * L] = {0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1};
static const double weights[N] = {1, 1, 2, 1}, maps[L * L] = {0, 1, 2, 1, 0, 3, 2, 3, 0}, values[Q * Q] = {1, 0, 0, 0.5},
                    fields[L * Q] = {0};
static const double dense[L * L * Q * Q] = {0}, betas[K] = {0.5, 1}, covariance[4] = {1, 0.5, 0.5, 1};
static const float dense32[L * L * Q * Q] = {0}, fields32[L * Q] = {0};
static const double series[16] = {1, 2, 1, 3, 1, 2, 4, 2, 1, 2, 1, 0, 1, 2, 3, 2};
static const int64_t masked[N] = {0, 1, 2, 0}, site_numbers[L] = {1, 2, 3}, shape[3] = {L, Q, 1}, pairs[2] = {0, 2}, order[L] = {0, 1, 2};

static int64_t no_part(const void **bytes, void *user) {
  (void)bytes;
  (void)user;
  return 0;
}

static void refuse(atp_status status, const char *call, int line) {
  char text[512];
  const unsigned char *bytes = (const unsigned char *)&out;
  if (status != ATP_E_NULL) {
    print_error("%s gives %s\n", call, atp_status_name(status));
    _fail(__FILE__, line);
  }
  if (atp_last_error(text, sizeof text) == 0 || strstr(text, "NULL") == NULL) {
    print_error("%s: the text is \"%s\"\n", call, text);
    _fail(__FILE__, line);
  }
  for (size_t k = 0; k < sizeof out; ++k)
    if (bytes[k] != 0xA5) {
      print_error("%s touches an output\n", call);
      _fail(__FILE__, line);
    }
}

static void accept(atp_status status, const char *call, int line) {
  if (status != ATP_OK) {
    char text[512];
    atp_last_error(text, sizeof text);
    print_error("%s gives %s: %s\n", call, atp_status_name(status), text);
    _fail(__FILE__, line);
  }
  memset(&out, 0xA5, sizeof out);
}

#define REFUSES(call) refuse(call, #call, __LINE__)
#define ACCEPTS(call) accept(call, #call, __LINE__)
#define MAKES_NOTHING(call) (handle = (void *)(uintptr_t)0x5A50, refuse(call, #call, __LINE__), assert_null(handle))
#define IGNORES(call) (call)
#define IS(call, value) assert_true((call) == (value))
/* A row that makes a handle, which is freed at once. */
#define FREED(call, type) (handle = NULL, accept(call, #call, __LINE__), atp_##type##_destroy(handle))
#define OUT(type) ((atp_##type **)&handle)

static int set_up(void **state) {
  (void)state;
  memset(&out, 0xA5, sizeof out);
  const atp_status made[] = {
      atp_context_create(NULL, NULL, NULL, &in.context),
      atp_options_create(in.context, ATP_OWNER_SAMPLER, &in.options),
      atp_options_set_i64(in.options, ATP_OPT_CHAINS, C),
      atp_options_set_i64(in.options, ATP_OPT_TEMPERATURES, K),
      atp_options_set_f64(in.options, ATP_OPT_BETA, 1),
      atp_alignment_create(in.context, sequences, N, L, Q, weights, &in.alignment),
      atp_model_create_heads(in.context, shape, maps, values, NULL, &in.model),
      atp_model_create_dense_f64(in.context, L, Q, dense, NULL, &in.dense),
      atp_sampler_create(in.context, in.model, in.options, &in.sampler),
      atp_sampling_create(in.context, in.model, NULL, N, &in.sampling),
      atp_sampling_run(in.sampling, NULL, NULL, NULL),
      atp_options_create(in.context, ATP_OWNER_TRAINER, &in.narrow),
      atp_trainer_create(in.context, in.alignment, in.narrow, &in.trainer),
      atp_options_set_i64(in.narrow, ATP_OPT_FAMILY, ATP_FAMILY_ENCODER),
      atp_options_set_i64(in.narrow, ATP_OPT_WIDTH, WIDTH),
      atp_trainer_create(in.context, in.alignment, in.narrow, &in.network),
      atp_masked_create(in.context, covariance, weights, 2, 1, &in.masked),
      atp_task_create(in.context, ATP_TASK_REPLICA_LIMIT, NULL, &in.task),
      atp_task_set_array(in.task, ATP_ARRAY_ALPHAS, betas, 2, 1),
      atp_table_create(in.context, ATP_TABLE_REPLICA_CURVE, 2, &in.table),
      atp_table_create(in.context, ATP_TABLE_TRAINING_LOG, 8, &in.log),
      atp_table_create(in.context, ATP_TABLE_TUNING, 8, &in.tuning),
      atp_table_create(in.context, ATP_TABLE_PARTITION, 8, &in.partition),
      atp_table_create(in.context, ATP_TABLE_RUNGS, 8, &in.rungs),
      atp_table_create(in.context, ATP_TABLE_OVERLAPS, 16, &in.overlaps),
      atp_table_create(in.context, ATP_TABLE_SELECTION, 32, &in.path),
      atp_table_create(in.context, ATP_TABLE_CONTACTS, 3, &in.contacts),
      atp_table_create(in.context, ATP_TABLE_SAMPLING, 3, &in.report),
      atp_table_create(in.context, ATP_TABLE_WEIGHTS, 3, &in.scan),
      atp_table_create(in.context, ATP_TABLE_MEASURED, 4, &in.measured),
  };
  for (size_t k = 0; k < sizeof made / sizeof *made; ++k)
    if (made[k] != ATP_OK) return 1;
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  atp_table_destroy(in.measured);
  atp_table_destroy(in.scan);
  atp_table_destroy(in.report);
  atp_table_destroy(in.contacts);
  atp_table_destroy(in.tuning);
  atp_table_destroy(in.partition);
  atp_table_destroy(in.rungs);
  atp_table_destroy(in.overlaps);
  atp_table_destroy(in.path);
  atp_table_destroy(in.log);
  atp_table_destroy(in.table);
  atp_task_destroy(in.task);
  atp_masked_destroy(in.masked);
  atp_trainer_destroy(in.network);
  atp_trainer_destroy(in.trainer);
  atp_sampling_destroy(in.sampling);
  atp_sampler_destroy(in.sampler);
  atp_model_destroy(in.dense);
  atp_model_destroy(in.model);
  atp_alignment_destroy(in.alignment);
  atp_options_destroy(in.narrow);
  atp_options_destroy(in.options);
  atp_context_destroy(in.context);
  return 0;
}

static void contexts_and_options(void **state) {
  (void)state;
  FREED(atp_context_create(NIL, NIL, NULL, OUT(context)), context);
  REFUSES(atp_context_create(counting_alloc, counting_free, NULL, NIL));
  IGNORES(atp_context_destroy(NIL));
  REFUSES(atp_context_set_threads(NIL, 1));
  IS(atp_context_threads(NIL), 0);
  REFUSES(atp_context_set_simd(NIL, "scalar"));
  REFUSES(atp_context_set_simd(in.context, NIL));
  assert_string_equal(atp_context_simd(NIL), "");
  REFUSES(atp_context_set_log(NIL, NULL, NULL));
  ACCEPTS(atp_context_set_log(in.context, NIL, NULL));
  IS(atp_context_error(NIL, out.text, sizeof out.text), 0);
  IS(atp_context_error(in.context, NIL, 0), atp_context_error(in.context, NIL, 10));
  IS(atp_context_error_from_one(NIL, out.text, sizeof out.text), 0);
  IS(atp_context_error_from_one(in.context, NIL, 0), atp_context_error(in.context, NIL, 0));
  REFUSES(atp_context_memory(NIL, &out.count, &out.count));
  ACCEPTS(atp_context_memory(in.context, NIL, NIL));
  REFUSES(atp_context_set_memory_limit(NIL, 1));
  REFUSES(atp_context_memory_limit(NIL, &out.count, &out.count));
  ACCEPTS(atp_context_memory_limit(in.context, NIL, NIL));
  IGNORES(atp_context_request_stop(NIL));
  IGNORES(atp_context_clear_stop(NIL));
  IS(atp_context_stop_requested(NIL), 0);
  REFUSES(atp_context_set_ranks(NIL, NULL));
  ACCEPTS(atp_context_set_ranks(in.context, NIL));
  IS(atp_context_rank(NIL), 0);
  IS(atp_context_rank_count(NIL), 0);
  REFUSES(atp_context_broadcast(NIL, out.text, 1, 0));
  REFUSES(atp_context_broadcast(in.context, NIL, 1, 0));
  REFUSES(atp_context_any(NIL, &out.whole));
  REFUSES(atp_context_any(in.context, NIL));
  REFUSES(atp_context_fail(NIL, ""));
  REFUSES(atp_context_fail(in.context, NIL));
  REFUSES(atp_context_traffic(NIL, ATP_TRAFFIC_CALLS, out.reals));
  REFUSES(atp_context_traffic(in.context, ATP_TRAFFIC_CALLS, NIL));
  assert_true(isnan(atp_progress_value(NIL, ATP_PROGRESS_STEP)));
  IS(atp_has_feature(NIL), 0);
  assert_true(atp_last_error(NIL, 0) > 0);
  assert_true(atp_last_error_from_one(NIL, 0) > 0);

  MAKES_NOTHING(atp_options_create(NIL, ATP_OWNER_SAMPLER, OUT(options)));
  REFUSES(atp_options_create(in.context, ATP_OWNER_SAMPLER, NIL));
  IGNORES(atp_options_destroy(NIL));
  REFUSES(atp_options_reset(NIL));
  REFUSES(atp_options_set_i64(NIL, ATP_OPT_SEED, 1));
  REFUSES(atp_options_set_f64(NIL, ATP_OPT_BETA, 1));
  REFUSES(atp_options_set_text(NIL, "seed=1"));
  REFUSES(atp_options_set_text(in.options, NIL));
  REFUSES(atp_options_get_text(NIL, out.text, 64, &out.count));
  ACCEPTS(atp_options_get_text(in.options, NIL, 0, &out.count));
  ACCEPTS(atp_options_get_text(in.options, out.text, 64, NIL));
  IS(atp_options_owner(NIL), 0);
  REFUSES(atp_options_get_i64(NIL, ATP_OPT_SEED, &out.count));
  REFUSES(atp_options_get_i64(in.options, ATP_OPT_SEED, NIL));
  REFUSES(atp_options_get_f64(NIL, ATP_OPT_BETA, out.reals));
  REFUSES(atp_options_get_f64(in.options, ATP_OPT_BETA, NIL));
  IS(atp_option_from_name(NIL), -1);
  ACCEPTS(atp_option_bounds(ATP_OWNER_SAMPLER, ATP_OPT_SEED, NIL, NIL, NIL, NIL));
}

static void alignments(void **state) {
  (void)state;
  MAKES_NOTHING(atp_alignment_create(NIL, sequences, N, L, Q, weights, OUT(alignment)));
  MAKES_NOTHING(atp_alignment_create(in.context, NIL, N, L, Q, weights, OUT(alignment)));
  FREED(atp_alignment_create(in.context, sequences, N, L, Q, NIL, OUT(alignment)), alignment);
  REFUSES(atp_alignment_create(in.context, sequences, N, L, Q, weights, NIL));
  MAKES_NOTHING(atp_alignment_borrow(NIL, sequences, N, L, Q, weights, OUT(alignment)));
  MAKES_NOTHING(atp_alignment_borrow(in.context, NIL, N, L, Q, weights, OUT(alignment)));
  FREED(atp_alignment_borrow(in.context, sequences, N, L, Q, NIL, OUT(alignment)), alignment);
  REFUSES(atp_alignment_borrow(in.context, sequences, N, L, Q, weights, NIL));
  MAKES_NOTHING(atp_alignment_parse(NIL, "0 1\n", 4, "-A", in.options, OUT(alignment)));
  MAKES_NOTHING(atp_alignment_parse(in.context, NIL, 4, "-A", in.options, OUT(alignment)));
  FREED(atp_alignment_parse(in.context, "0 1\n", 4, NIL, NIL, OUT(alignment)), alignment);
  REFUSES(atp_alignment_parse(in.context, "0 1\n", 4, "-A", in.options, NIL));
  REFUSES(atp_alignment_format(NIL, ATP_FORMAT_INTEGERS, out.text, 64, &out.count));
  ACCEPTS(atp_alignment_format(in.alignment, ATP_FORMAT_INTEGERS, NIL, 0, &out.count));
  REFUSES(atp_alignment_format(in.alignment, ATP_FORMAT_INTEGERS, out.text, 64, NIL));
  MAKES_NOTHING(atp_alignment_select(NIL, in.alignment, 0, 1, 1, OUT(alignment)));
  MAKES_NOTHING(atp_alignment_select(in.context, NIL, 0, 1, 1, OUT(alignment)));
  REFUSES(atp_alignment_select(in.context, in.alignment, 0, 1, 1, NIL));
  MAKES_NOTHING(atp_alignment_rename(NIL, in.alignment, "a", OUT(alignment)));
  MAKES_NOTHING(atp_alignment_rename(in.context, NIL, "a", OUT(alignment)));
  MAKES_NOTHING(atp_alignment_rename(in.context, in.alignment, NIL, OUT(alignment)));
  REFUSES(atp_alignment_rename(in.context, in.alignment, "a", NIL));
  MAKES_NOTHING(atp_alignment_take(NIL, in.alignment, out.counts, 1, OUT(alignment)));
  MAKES_NOTHING(atp_alignment_take(in.context, NIL, out.counts, 1, OUT(alignment)));
  MAKES_NOTHING(atp_alignment_take(in.context, in.alignment, NIL, 1, OUT(alignment)));
  REFUSES(atp_alignment_take(in.context, in.alignment, out.counts, 1, NIL));
  MAKES_NOTHING(atp_alignment_sample(NIL, in.alignment, 1, 0, 1, OUT(alignment)));
  MAKES_NOTHING(atp_alignment_sample(in.context, NIL, 1, 0, 1, OUT(alignment)));
  REFUSES(atp_alignment_sample(in.context, in.alignment, 1, 0, 1, NIL));
  IS(atp_alignment_state_bytes(NIL), 0);
  REFUSES(atp_alignment_save_state(NIL, out.state, sizeof out.state));
  REFUSES(atp_alignment_save_state(in.alignment, NIL, sizeof out.state));
  MAKES_NOTHING(atp_alignment_from_state(NIL, sequences, sizeof sequences, OUT(alignment)));
  MAKES_NOTHING(atp_alignment_from_state(in.context, NIL, sizeof sequences, OUT(alignment)));
  REFUSES(atp_alignment_from_state(in.context, sequences, sizeof sequences, NIL));
  REFUSES(atp_alignment_find(NIL, "x", out.counts));
  REFUSES(atp_alignment_find(in.alignment, NIL, out.counts));
  REFUSES(atp_alignment_find(in.alignment, "x", NIL));
  MAKES_NOTHING(atp_alignment_focus(NIL, in.alignment, "x", OUT(alignment)));
  MAKES_NOTHING(atp_alignment_focus(in.context, NIL, "x", OUT(alignment)));
  MAKES_NOTHING(atp_alignment_focus(in.context, in.alignment, NIL, OUT(alignment)));
  REFUSES(atp_alignment_focus(in.context, in.alignment, "x", NIL));
  MAKES_NOTHING(atp_alignment_filter(NIL, in.alignment, in.options, out.counts, 3, OUT(alignment)));
  MAKES_NOTHING(atp_alignment_filter(in.context, NIL, in.options, out.counts, 3, OUT(alignment)));
  FREED(atp_alignment_filter(in.context, in.alignment, NIL, out.counts, 3, OUT(alignment)), alignment);
  FREED(atp_alignment_filter(in.context, in.alignment, NULL, NIL, 3, OUT(alignment)), alignment);
  REFUSES(atp_alignment_filter(in.context, in.alignment, in.options, out.counts, 3, NIL));
  MAKES_NOTHING(atp_alignment_filter_identity(NIL, in.alignment, 0.9, OUT(alignment)));
  MAKES_NOTHING(atp_alignment_filter_identity(in.context, NIL, 0.9, OUT(alignment)));
  REFUSES(atp_alignment_filter_identity(in.context, in.alignment, 0.9, NIL));
  REFUSES(atp_alignment_weigh(NIL, 0.2, ATP_WEIGHTS_INCLUSIVE, NULL, NULL, NULL));
  atp_alignment *unborrowed;
  ACCEPTS(atp_alignment_create(in.context, sequences, N, L, Q, weights, &unborrowed));
  ACCEPTS(atp_alignment_weigh(unborrowed, 0.2, ATP_WEIGHTS_INCLUSIVE, NIL, NULL, NIL));
  atp_alignment_destroy(unborrowed);
  REFUSES(atp_alignment_scan_weights(NIL, out.reals, 1, ATP_WEIGHTS_INCLUSIVE, in.scan));
  REFUSES(atp_alignment_scan_weights(in.alignment, NIL, 1, ATP_WEIGHTS_INCLUSIVE, in.scan));
  REFUSES(atp_alignment_scan_weights(in.alignment, out.reals, 1, ATP_WEIGHTS_INCLUSIVE, NIL));
  REFUSES(atp_alignment_residue_frequencies(NIL, out.reals, L * (Q - 1)));
  REFUSES(atp_alignment_residue_frequencies(in.alignment, NIL, L * (Q - 1)));
  REFUSES(atp_alignment_split(NIL, NULL, out.counts, N));
  ACCEPTS(atp_alignment_split(in.alignment, NIL, out.counts, N));
  REFUSES(atp_alignment_split(in.alignment, NULL, NIL, N));
  REFUSES(atp_alignment_conservation(NIL, ATP_GAPS_STATE, out.reals, L));
  REFUSES(atp_alignment_conservation(in.alignment, ATP_GAPS_STATE, NIL, L));
  REFUSES(atp_alignment_summary(NIL, out.reals, ATP_SUMMARY_NUMBERS));
  REFUSES(atp_alignment_summary(in.alignment, NIL, ATP_SUMMARY_NUMBERS));
  REFUSES(atp_alignment_resample(NIL, 1, 0, out.reals, N));
  REFUSES(atp_alignment_resample(in.alignment, 1, 0, NIL, N));
  REFUSES(atp_alignment_auto_theta(NIL, out.reals));
  REFUSES(atp_alignment_auto_theta(in.alignment, NIL));
  REFUSES(atp_alignment_covariances(NIL, 0, out.reals, L * L * Q * Q));
  REFUSES(atp_alignment_covariances(in.alignment, 0, NIL, L * L * Q * Q));
  IGNORES(atp_alignment_destroy(NIL));
  IS(atp_alignment_count(NIL), 0);
  IS(atp_alignment_sites(NIL), 0);
  IS(atp_alignment_colors(NIL), 0);
  IS(atp_alignment_effective_count(NIL), 0);
  IS(atp_alignment_sequences_view(NIL), NULL);
  IS(atp_alignment_weights_view(NIL), NULL);
  REFUSES(atp_alignment_set_weights(NIL, weights, N));
  REFUSES(atp_alignment_set_weights(in.alignment, NIL, N));
  assert_string_equal(atp_alignment_alphabet(NIL), "");
  REFUSES(atp_alignment_set_alphabet(NIL, "-A"));
  REFUSES(atp_alignment_set_alphabet(in.alignment, NIL));
  IS(atp_alignment_site_numbers_view(NIL), NULL);
  assert_string_equal(atp_alignment_site_residues(NIL), "");
  REFUSES(atp_alignment_set_sites(NIL, site_numbers, L, "ACD"));
  ACCEPTS(atp_alignment_set_sites(in.alignment, NIL, L, "ACD"));
  ACCEPTS(atp_alignment_set_sites(in.alignment, site_numbers, L, NIL));
  assert_string_equal(atp_alignment_name(NIL, 0), "");
  assert_string_equal(atp_alignment_origin(NIL), "");
  REFUSES(atp_alignment_set_origin(NIL, "x"));
  REFUSES(atp_alignment_set_origin(in.alignment, NIL));
  REFUSES(atp_alignment_frequencies(NIL, 0, out.reals, L * Q));
  REFUSES(atp_alignment_frequencies(in.alignment, 0, NIL, L * Q));
  REFUSES(atp_alignment_pair_frequencies(NIL, 0, out.reals, L * L * Q * Q));
  REFUSES(atp_alignment_pair_frequencies(in.alignment, 0, NIL, L * L * Q * Q));
  REFUSES(atp_alignment_independent_loss(NIL, fields, L * Q, out.reals));
  REFUSES(atp_alignment_independent_loss(in.alignment, NIL, L * Q, out.reals));
  REFUSES(atp_alignment_independent_loss(in.alignment, fields, L * Q, NIL));
}

static void files(void **state) {
  (void)state;
  MAKES_NOTHING(atp_alignment_read(NIL, "no-such-file", "-A", in.options, OUT(alignment)));
  MAKES_NOTHING(atp_alignment_read(in.context, NIL, "-A", in.options, OUT(alignment)));
  REFUSES(atp_alignment_read(in.context, "no-such-file", "-A", in.options, NIL));
  /* Alphabet and options are optional: the call gets as far as the file. */
  IS(atp_alignment_read(in.context, "no-such-file", NIL, NIL, OUT(alignment)), ATP_E_OPEN);
  MAKES_NOTHING(atp_alignment_read_part(NIL, "no-such-file", 0, 1, "-A", in.options, OUT(alignment)));
  MAKES_NOTHING(atp_alignment_read_part(in.context, NIL, 0, 1, "-A", in.options, OUT(alignment)));
  REFUSES(atp_alignment_read_part(in.context, "no-such-file", 0, 1, "-A", in.options, NIL));
  IS(atp_alignment_read_part(in.context, "no-such-file", 0, 1, NIL, NIL, OUT(alignment)), ATP_E_OPEN);
  REFUSES(atp_alignment_write(NIL, in.alignment, ATP_FORMAT_INTEGERS, "no-such-folder/file"));
  REFUSES(atp_alignment_write(in.context, NIL, ATP_FORMAT_INTEGERS, "no-such-folder/file"));
  REFUSES(atp_alignment_write(in.context, in.alignment, ATP_FORMAT_INTEGERS, NIL));
  REFUSES(atp_model_write_as(NIL, in.model, in.alignment, ATP_MODEL_BMDCA, "no-such-folder/file"));
  REFUSES(atp_model_write_as(in.context, NIL, in.alignment, ATP_MODEL_BMDCA, "no-such-folder/file"));
  REFUSES(atp_model_write_as(in.context, in.model, in.alignment, ATP_MODEL_BMDCA, NIL));
  /* The alignment is optional but for plmc: the call gets as far as the folder. */
  IS(atp_model_write_as(in.context, in.model, NIL, ATP_MODEL_BMDCA, "no-such-folder/file"), ATP_E_OPEN);
  MAKES_NOTHING(atp_model_read_as(NIL, "no-such-file", ATP_MODEL_BMDCA, "-A", OUT(model)));
  MAKES_NOTHING(atp_model_read_as(in.context, NIL, ATP_MODEL_BMDCA, "-A", OUT(model)));
  IS(atp_model_read_as(in.context, "no-such-file", ATP_MODEL_BMDCA, NIL, OUT(model)), ATP_E_OPEN);
  REFUSES(atp_model_read_as(in.context, "no-such-file", ATP_MODEL_BMDCA, "-A", NIL));
  REFUSES(atp_scores_write(NIL, dense, L, site_numbers, "ACD", ATP_SCORES_PLMC, "no-such-folder/file"));
  REFUSES(atp_scores_write(in.context, NIL, L, site_numbers, "ACD", ATP_SCORES_PLMC, "no-such-folder/file"));
  REFUSES(atp_scores_write(in.context, dense, L, site_numbers, "ACD", ATP_SCORES_PLMC, NIL));
  IS(atp_scores_write(in.context, dense, L, NIL, "ACD", ATP_SCORES_PLMC, "no-such-folder/file"), ATP_E_OPEN);
  IS(atp_scores_write(in.context, dense, L, site_numbers, NIL, ATP_SCORES_PLMC, "no-such-folder/file"), ATP_E_OPEN);
  REFUSES(atp_scores_sites(NIL, "no-such-file", &out.count));
  REFUSES(atp_scores_sites(in.context, NIL, &out.count));
  REFUSES(atp_scores_sites(in.context, "no-such-file", NIL));
  REFUSES(atp_scores_read(NIL, "no-such-file", out.reals, L * L, out.counts, out.text));
  REFUSES(atp_scores_read(in.context, NIL, out.reals, L * L, out.counts, out.text));
  REFUSES(atp_scores_read(in.context, "no-such-file", NIL, L * L, out.counts, out.text));
  IS(atp_scores_read(in.context, "no-such-file", out.reals, L * L, NIL, out.text), ATP_E_OPEN);
  IS(atp_scores_read(in.context, "no-such-file", out.reals, L * L, out.counts, NIL), ATP_E_OPEN);
  REFUSES(atp_model_write(NIL, in.model, "no-such-folder/file"));
  REFUSES(atp_model_write(in.context, NIL, "no-such-folder/file"));
  REFUSES(atp_model_write(in.context, in.model, NIL));
  MAKES_NOTHING(atp_model_read(NIL, "no-such-file", OUT(model)));
  MAKES_NOTHING(atp_model_read(in.context, NIL, OUT(model)));
  REFUSES(atp_model_read(in.context, "no-such-file", NIL));
  REFUSES(atp_file_kind(NIL, "no-such-file", &out.kind));
  REFUSES(atp_file_kind(in.context, NIL, &out.kind));
  REFUSES(atp_file_kind(in.context, "no-such-file", NIL));
  REFUSES(atp_file_write(NIL, "no-such-folder/file", sequences, 3));
  REFUSES(atp_file_write(in.context, NIL, sequences, 3));
  REFUSES(atp_file_write(in.context, "no-such-folder/file", NIL, 3));
  REFUSES(atp_file_write_parts(NIL, "no-such-folder/file", no_part, NIL));
  REFUSES(atp_file_write_parts(in.context, NIL, no_part, NIL));
  REFUSES(atp_file_write_parts(in.context, "no-such-folder/file", NIL, NIL));
  REFUSES(atp_file_size(NIL, "no-such-file", &out.count));
  REFUSES(atp_file_size(in.context, NIL, &out.count));
  REFUSES(atp_file_size(in.context, "no-such-file", NIL));
  REFUSES(atp_file_read(NIL, "no-such-file", out.bytes, 3));
  REFUSES(atp_file_read(in.context, NIL, out.bytes, 3));
  REFUSES(atp_file_read(in.context, "no-such-file", NIL, 3));
  REFUSES(atp_file_writable(NIL, &out.whole));
  ACCEPTS(atp_file_writable("-", NIL));
}

static void inputs(void **state) {
  (void)state;
  static const char integers[] = "0 1 1\n1 0 1\n", scores[] = "0 0.5\n0.5 0\n";
  atp_input *input = NULL, *matrix = NULL;
  char path[64];
  snprintf(path, sizeof path, "null-%d.txt", (int)getpid());
  assert_int_equal(atp_file_write(in.context, path, integers, sizeof integers - 1), ATP_OK);
  assert_int_equal(atp_input_open(in.context, path, &input), ATP_OK);
  assert_int_equal(atp_file_write(in.context, path, scores, sizeof scores - 1), ATP_OK);
  assert_int_equal(atp_input_open(in.context, path, &matrix), ATP_OK);
  remove(path);
  MAKES_NOTHING(atp_input_open(NIL, "no-such-file", OUT(input)));
  MAKES_NOTHING(atp_input_open(in.context, NIL, OUT(input)));
  REFUSES(atp_input_open(in.context, "no-such-file", NIL));
  IGNORES(atp_input_destroy(NIL));
  assert_string_equal(atp_input_kind(NIL), "");
  IS(atp_input_size(NIL), 0);
  IS(atp_input_bytes_view(NIL), NULL);
  MAKES_NOTHING(atp_input_alignment(NIL, "-A", in.options, OUT(alignment)));
  FREED(atp_input_alignment(input, NIL, NIL, OUT(alignment)), alignment);
  REFUSES(atp_input_alignment(input, "-A", in.options, NIL));
  MAKES_NOTHING(atp_input_model(NIL, ATP_MODEL_AUTO, "-A", OUT(model)));
  IS(atp_input_model(input, ATP_MODEL_AUTO, NIL, OUT(model)), ATP_E_FORMAT);
  REFUSES(atp_input_model(input, ATP_MODEL_AUTO, "-A", NIL));
  REFUSES(atp_input_scores_sites(NIL, &out.count));
  REFUSES(atp_input_scores_sites(matrix, NIL));
  REFUSES(atp_input_scores(NIL, out.reals, 4, out.counts, out.text));
  REFUSES(atp_input_scores(matrix, NIL, 4, out.counts, out.text));
  ACCEPTS(atp_input_scores(matrix, out.reals, 4, NIL, NIL));
  REFUSES(atp_input_table(NIL, ATP_CELLS_NUMBERS, "a", out.text, 4, &out.count));
  REFUSES(atp_input_table(input, ATP_CELLS_NUMBERS, "a", out.text, 4, NIL));
  ACCEPTS(atp_input_table(input, ATP_CELLS_LIST, NIL, NIL, 4, &out.count));
  REFUSES(atp_input_distances(NIL, site_numbers, NIL, 0, L, out.reals, out.counts));
  REFUSES(atp_input_distances(matrix, site_numbers, NIL, 0, L, NIL, out.counts));
  ACCEPTS(atp_input_distances(input, NIL, NIL, 0, 2, out.reals, NIL));
  REFUSES(atp_input_array_shape(NIL, out.counts, 4, &out.count));
  REFUSES(atp_input_array_shape(matrix, NIL, 4, &out.count));
  REFUSES(atp_input_array_shape(matrix, out.counts, 4, NIL));
  REFUSES(atp_input_array(NIL, out.reals, 4));
  REFUSES(atp_input_array(matrix, NIL, 4));
  atp_input_destroy(input);
  atp_input_destroy(matrix);
}

static void models(void **state) {
  (void)state;
  MAKES_NOTHING(atp_model_create_heads(NIL, shape, maps, values, fields, OUT(model)));
  MAKES_NOTHING(atp_model_create_heads(in.context, NIL, maps, values, fields, OUT(model)));
  MAKES_NOTHING(atp_model_create_heads(in.context, shape, NIL, values, fields, OUT(model)));
  MAKES_NOTHING(atp_model_create_heads(in.context, shape, maps, NIL, fields, OUT(model)));
  FREED(atp_model_create_heads(in.context, shape, maps, values, NIL, OUT(model)), model);
  REFUSES(atp_model_create_heads(in.context, shape, maps, values, fields, NIL));
  MAKES_NOTHING(atp_model_create_dense_f64(NIL, L, Q, dense, fields, OUT(model)));
  MAKES_NOTHING(atp_model_create_dense_f64(in.context, L, Q, NIL, fields, OUT(model)));
  FREED(atp_model_create_dense_f64(in.context, L, Q, dense, NIL, OUT(model)), model);
  REFUSES(atp_model_create_dense_f64(in.context, L, Q, dense, fields, NIL));
  MAKES_NOTHING(atp_model_create_dense_f32(NIL, L, Q, dense32, fields32, OUT(model)));
  MAKES_NOTHING(atp_model_create_dense_f32(in.context, L, Q, NIL, fields32, OUT(model)));
  FREED(atp_model_create_dense_f32(in.context, L, Q, dense32, NIL, OUT(model)), model);
  REFUSES(atp_model_create_dense_f32(in.context, L, Q, dense32, fields32, NIL));
  MAKES_NOTHING(atp_model_create_random(NIL, L, Q, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, OUT(model)));
  REFUSES(atp_model_create_random(in.context, L, Q, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, NIL));
  IS(atp_model_state_bytes(NIL), 0);
  REFUSES(atp_model_save_state(NIL, out.state, sizeof out.state));
  REFUSES(atp_model_save_state(in.model, NIL, sizeof out.state));
  MAKES_NOTHING(atp_model_from_state(NIL, sequences, sizeof sequences, OUT(model)));
  MAKES_NOTHING(atp_model_from_state(in.context, NIL, sizeof sequences, OUT(model)));
  REFUSES(atp_model_from_state(in.context, sequences, sizeof sequences, NIL));
  MAKES_NOTHING(atp_model_copy(NIL, in.model, OUT(model)));
  MAKES_NOTHING(atp_model_copy(in.context, NIL, OUT(model)));
  REFUSES(atp_model_copy(in.context, in.model, NIL));
  MAKES_NOTHING(atp_model_gauge(NIL, in.model, ATP_GAUGE_ZERO_SUM, OUT(model)));
  MAKES_NOTHING(atp_model_gauge(in.context, NIL, ATP_GAUGE_ZERO_SUM, OUT(model)));
  REFUSES(atp_model_gauge(in.context, in.model, ATP_GAUGE_ZERO_SUM, NIL));
  MAKES_NOTHING(atp_model_keep_pairs(NIL, in.model, pairs, 1, OUT(model)));
  MAKES_NOTHING(atp_model_keep_pairs(in.context, NIL, pairs, 1, OUT(model)));
  MAKES_NOTHING(atp_model_keep_pairs(in.context, in.model, NIL, 1, OUT(model)));
  REFUSES(atp_model_keep_pairs(in.context, in.model, pairs, 1, NIL));
  REFUSES(atp_model_pair_couplings(NIL, out.reals, 0));
  REFUSES(atp_model_pair_couplings(in.model, NIL, 0));
  MAKES_NOTHING(atp_model_create_pairs(NIL, out.counts, pairs, out.reals, NIL, NIL, OUT(model)));
  MAKES_NOTHING(atp_model_create_pairs(in.context, NIL, pairs, out.reals, NIL, NIL, OUT(model)));
  MAKES_NOTHING(atp_model_create_pairs(in.context, out.counts, NIL, out.reals, NIL, NIL, OUT(model)));
  MAKES_NOTHING(atp_model_create_pairs(in.context, out.counts, pairs, NIL, NIL, NIL, OUT(model)));
  REFUSES(atp_model_create_pairs(in.context, out.counts, pairs, out.reals, NIL, NIL, NIL));
  MAKES_NOTHING(atp_model_create_lattice(NIL, NIL, OUT(model)));
  REFUSES(atp_model_create_lattice(in.context, NIL, NIL));
  MAKES_NOTHING(atp_model_weigh_sites(NIL, in.model, weights, L, OUT(model)));
  MAKES_NOTHING(atp_model_weigh_sites(in.context, NIL, weights, L, OUT(model)));
  MAKES_NOTHING(atp_model_weigh_sites(in.context, in.model, NIL, L, OUT(model)));
  REFUSES(atp_model_weigh_sites(in.context, in.model, weights, L, NIL));
  IS(atp_model_pair_count(NIL), 0);
  REFUSES(atp_model_pairs(NIL, out.counts, 0));
  REFUSES(atp_model_pairs(in.model, NIL, 0));
  IGNORES(atp_model_destroy(NIL));
  IS(atp_model_sites(NIL), 0);
  IS(atp_model_colors(NIL), 0);
  IS(atp_model_heads(NIL), 0);
  IS(atp_model_has_fields(NIL), 0);
  IS(atp_model_is_symmetric(NIL), 0);
  IS(atp_model_is_ordered(NIL), 0);
  REFUSES(atp_model_set_order(NIL, NULL, 0));
  ACCEPTS(atp_model_set_order(in.model, NIL, 0));
  REFUSES(atp_model_order(NIL, out.counts, L));
  REFUSES(atp_model_order(in.model, NIL, L));
  assert_true(isnan(atp_model_beta(NIL)));
  REFUSES(atp_model_set_beta(NIL, 1));
  assert_string_equal(atp_model_alphabet(NIL), "");
  assert_string_equal(atp_model_origin(NIL), "");
  REFUSES(atp_model_set_origin(NIL, "a"));
  REFUSES(atp_model_set_origin(in.model, NIL));
  REFUSES(atp_model_set_alphabet(NIL, "-A"));
  REFUSES(atp_model_set_alphabet(in.model, NIL));
  IS(atp_model_site_numbers_view(NIL), NULL);
  assert_string_equal(atp_model_site_residues(NIL), "");
  REFUSES(atp_model_set_sites(NIL, site_numbers, L, "ACD"));
  ACCEPTS(atp_model_set_sites(in.model, NIL, L, "ACD"));
  ACCEPTS(atp_model_set_sites(in.model, site_numbers, L, NIL));
  REFUSES(atp_model_maps(NIL, out.reals, L * L));
  REFUSES(atp_model_maps(in.model, NIL, L * L));
  REFUSES(atp_model_values(NIL, out.reals, Q * Q));
  REFUSES(atp_model_values(in.model, NIL, Q * Q));
  REFUSES(atp_model_fields(NIL, out.reals, L * Q));
  REFUSES(atp_model_fields(in.model, NIL, L * Q));
  REFUSES(atp_model_couplings_f64(NIL, out.reals, L * L * Q * Q));
  REFUSES(atp_model_couplings_f64(in.model, NIL, L * L * Q * Q));
  REFUSES(atp_model_couplings_f32(NIL, out.floats, L * L * Q * Q));
  REFUSES(atp_model_couplings_f32(in.model, NIL, L * L * Q * Q));
  REFUSES(atp_model_conditionals(NIL, sequences, N, out.reals, N * L * Q));
  REFUSES(atp_model_conditionals(in.model, NIL, N, out.reals, N * L * Q));
  REFUSES(atp_model_conditionals(in.model, sequences, N, NIL, N * L * Q));
  REFUSES(atp_model_energies(NIL, sequences, N, out.reals, N));
  REFUSES(atp_model_energies(in.model, NIL, N, out.reals, N));
  REFUSES(atp_model_energies(in.model, sequences, N, NIL, N));
  REFUSES(atp_model_log_pseudolikelihoods(NIL, sequences, N, out.reals, N));
  REFUSES(atp_model_log_pseudolikelihoods(in.model, NIL, N, out.reals, N));
  REFUSES(atp_model_log_pseudolikelihoods(in.model, sequences, N, NIL, N));
  REFUSES(atp_model_loss(NIL, in.model, in.alignment, out.reals));
  REFUSES(atp_model_loss(in.context, NIL, in.alignment, out.reals));
  REFUSES(atp_model_loss(in.context, in.model, NIL, out.reals));
  REFUSES(atp_model_loss(in.context, in.model, in.alignment, NIL));
  REFUSES(atp_model_coupling_error(NIL, in.model, in.model, out.reals));
  REFUSES(atp_model_coupling_error(in.context, NIL, in.model, out.reals));
  REFUSES(atp_model_coupling_error(in.context, in.model, NIL, out.reals));
  REFUSES(atp_model_coupling_error(in.context, in.model, in.model, NIL));
  REFUSES(atp_model_enumerate(NIL, out.reals, out.reals, out.reals, L * Q, out.reals, L * L * Q * Q));
  ACCEPTS(atp_model_enumerate(in.model, NIL, NIL, NIL, 0, NIL, 0));
  REFUSES(atp_model_probabilities(NIL, out.reals, 8));
  REFUSES(atp_model_probabilities(in.model, NIL, 8));
  IS(atp_model_context(NIL), NULL);
  IS(atp_alignment_context(NIL), NULL);
  IS(atp_options_context(NIL), NULL);
}

static void columns(void **state) {
  (void)state;
  static const int64_t all[L] = {0, 1, 2};
  IS(atp_alignment_columns_view(NIL), NULL);
  IS(atp_alignment_total_columns(NIL), 0);
  IS(atp_alignment_border(NIL), 0);
  IS(atp_model_columns_view(NIL), NULL);
  IS(atp_model_total_columns(NIL), 0);
  IS(atp_model_border(NIL), 0);
  REFUSES(atp_alignment_set_columns(NIL, all, L, L));
  ACCEPTS(atp_alignment_set_columns(in.alignment, NIL, L, 0));
  REFUSES(atp_model_set_columns(NIL, all, L, L));
  ACCEPTS(atp_model_set_columns(in.model, NIL, L, 0));
  REFUSES(atp_alignment_for_model(NIL, in.alignment, in.model, (atp_alignment **)&handle));
  REFUSES(atp_alignment_for_model(in.context, NIL, in.model, (atp_alignment **)&handle));
  REFUSES(atp_alignment_for_model(in.context, in.alignment, NIL, (atp_alignment **)&handle));
  REFUSES(atp_alignment_for_model(in.context, in.alignment, in.model, NIL));
  REFUSES(atp_alignment_match(NIL, in.alignment, in.alignment, (atp_alignment **)&handle));
  REFUSES(atp_alignment_match(in.context, NIL, in.alignment, (atp_alignment **)&handle));
  REFUSES(atp_alignment_match(in.context, in.alignment, NIL, (atp_alignment **)&handle));
  REFUSES(atp_alignment_match(in.context, in.alignment, in.alignment, NIL));
  REFUSES(atp_model_create_independent(NIL, in.alignment, ATP_GAPS_STATE, -1, (atp_model **)&handle));
  REFUSES(atp_model_create_independent(in.context, NIL, ATP_GAPS_STATE, -1, (atp_model **)&handle));
  REFUSES(atp_model_create_independent(in.context, in.alignment, ATP_GAPS_STATE, -1, NIL));
}

static void scores_and_mutants(void **state) {
  (void)state;
  static const double scores[L * L] = {0, 1, 2, 1, 0, 3, 2, 3, 0};
  static const int64_t numbers[L] = {1, 2, 3}, one_pair[2] = {0, 1}, one_double[4] = {0, 1, 1, 0}, rule[2] = {1, 0};
  REFUSES(atp_model_frobenius(NIL, in.model, ATP_SCORE_RAW, -1, out.reals, L * L));
  REFUSES(atp_model_frobenius(in.context, NIL, ATP_SCORE_RAW, -1, out.reals, L * L));
  REFUSES(atp_model_frobenius(in.context, in.model, ATP_SCORE_RAW, -1, NIL, L * L));
  IS(atp_model_gap_color(NIL), -1);
  IS(atp_alignment_gap_color(NIL), -1);
  REFUSES(atp_model_contacts(NIL, in.model, ATP_SCORE_RAW, -1, 1, in.contacts));
  REFUSES(atp_model_contacts(in.context, NIL, ATP_SCORE_RAW, -1, 1, in.contacts));
  REFUSES(atp_model_contacts(in.context, in.model, ATP_SCORE_RAW, -1, 1, NIL));
  REFUSES(atp_model_map_like(NIL, in.model, in.model, out.reals, L * L));
  REFUSES(atp_model_map_like(in.context, NIL, in.model, out.reals, L * L));
  REFUSES(atp_model_map_like(in.context, in.model, NIL, out.reals, L * L));
  REFUSES(atp_model_map_like(in.context, in.model, in.model, NIL, L * L));
  REFUSES(atp_scores_apc(NIL, L, out.reals, L * L));
  REFUSES(atp_scores_apc(scores, L, NIL, L * L));
  REFUSES(atp_scores_rank(NIL, L, numbers, rule, out.counts, 3, &out.count));
  ACCEPTS(atp_scores_rank(scores, L, NIL, rule, out.counts, 3, &out.count));
  REFUSES(atp_scores_rank(scores, L, numbers, NIL, out.counts, 3, &out.count));
  REFUSES(atp_scores_rank(scores, L, numbers, rule, NIL, 3, &out.count));
  REFUSES(atp_scores_rank(scores, L, numbers, rule, out.counts, 3, NIL));
  REFUSES(atp_pairs_overlap(NIL, one_pair, 1, one_pair, 1, out.reals));
  REFUSES(atp_pairs_overlap(in.context, NIL, 1, one_pair, 1, out.reals));
  REFUSES(atp_pairs_overlap(in.context, one_pair, 1, NIL, 1, out.reals));
  REFUSES(atp_pairs_overlap(in.context, one_pair, 1, one_pair, 1, NIL));
  REFUSES(atp_distances_read(NIL, "no-such-file", numbers, L, out.reals, L * L, &out.count));
  REFUSES(atp_distances_read(in.context, NIL, numbers, L, out.reals, L * L, &out.count));
  REFUSES(atp_distances_read(in.context, "no-such-file", numbers, L, NIL, L * L, &out.count));
  /* Optional ones: the call gets as far as the file. */
  IS(atp_distances_read(in.context, "no-such-file", NIL, L, out.reals, L * L, NIL), ATP_E_OPEN);
  REFUSES(atp_pairs_precision(NIL, 1, scores, L, 8, ATP_ABSENT_COUNTED, out.reals));
  REFUSES(atp_pairs_precision(one_pair, 1, NIL, L, 8, ATP_ABSENT_COUNTED, out.reals));
  REFUSES(atp_pairs_precision(one_pair, 1, scores, L, 8, ATP_ABSENT_COUNTED, NIL));
  REFUSES(atp_model_mutants(NIL, in.model, sequences, L, out.reals, out.reals2, L * Q));
  REFUSES(atp_model_mutants(in.context, NIL, sequences, L, out.reals, out.reals2, L * Q));
  REFUSES(atp_model_mutants(in.context, in.model, NIL, L, out.reals, out.reals2, L * Q));
  REFUSES(atp_model_mutants(in.context, in.model, sequences, L, NIL, out.reals2, L * Q));
  ACCEPTS(atp_model_mutants(in.context, in.model, sequences, L, out.reals, NIL, L * Q));
  REFUSES(atp_model_epistatic_scores(NIL, in.model, sequences, N, -1, out.reals, L * L));
  REFUSES(atp_model_epistatic_scores(in.context, NIL, sequences, N, -1, out.reals, L * L));
  REFUSES(atp_model_epistatic_scores(in.context, in.model, NIL, N, -1, out.reals, L * L));
  REFUSES(atp_model_epistatic_scores(in.context, in.model, sequences, N, -1, NIL, L * L));
  static const int64_t changes[3] = {0, 1, 2}, settings[3] = {2, 1, 1};
  REFUSES(atp_mutations_parse(NIL, sequences, L, "", out.counts, 3, &out.count));
  REFUSES(atp_mutations_parse(in.model, NIL, L, "", out.counts, 3, &out.count));
  REFUSES(atp_mutations_parse(in.model, sequences, L, NIL, out.counts, 3, &out.count));
  REFUSES(atp_mutations_parse(in.model, sequences, L, "", NIL, 3, &out.count));
  REFUSES(atp_mutations_parse(in.model, sequences, L, "", out.counts, 3, NIL));
  REFUSES(atp_mutations_offset(NIL, in.model, sequences, L, "", out.counts));
  REFUSES(atp_mutations_offset(in.context, NIL, sequences, L, "", out.counts));
  REFUSES(atp_mutations_offset(in.context, in.model, NIL, L, "", out.counts));
  REFUSES(atp_mutations_offset(in.context, in.model, sequences, L, NIL, out.counts));
  REFUSES(atp_mutations_offset(in.context, in.model, sequences, L, "", NIL));
  REFUSES(atp_model_score_mutants(NIL, in.model, sequences, changes, 1, out.reals, 1));
  REFUSES(atp_model_score_mutants(in.context, NIL, sequences, changes, 1, out.reals, 1));
  REFUSES(atp_model_score_mutants(in.context, in.model, NIL, changes, 1, out.reals, 1));
  REFUSES(atp_model_score_mutants(in.context, in.model, sequences, NIL, 1, out.reals, 1));
  REFUSES(atp_model_score_mutants(in.context, in.model, sequences, changes, 1, NIL, 1));
  REFUSES(atp_model_double_mutants(NIL, in.model, sequences, one_pair, 1, out.reals, Q * Q));
  REFUSES(atp_model_double_mutants(in.context, NIL, sequences, one_pair, 1, out.reals, Q * Q));
  REFUSES(atp_model_double_mutants(in.context, in.model, NIL, one_pair, 1, out.reals, Q * Q));
  REFUSES(atp_model_double_mutants(in.context, in.model, sequences, NIL, 1, out.reals, Q * Q));
  REFUSES(atp_model_double_mutants(in.context, in.model, sequences, one_pair, 1, NIL, Q * Q));
  REFUSES(atp_model_epistasis(NIL, in.model, sequences, one_double, 1, out.reals, out.reals + 1));
  REFUSES(atp_model_epistasis(in.context, NIL, sequences, one_double, 1, out.reals, out.reals + 1));
  REFUSES(atp_model_epistasis(in.context, in.model, NIL, one_double, 1, out.reals, out.reals + 1));
  REFUSES(atp_model_epistasis(in.context, in.model, sequences, NIL, 1, out.reals, out.reals + 1));
  REFUSES(atp_model_epistasis(in.context, in.model, sequences, one_double, 1, NIL, out.reals));
  REFUSES(atp_model_epistasis(in.context, in.model, sequences, one_double, 1, out.reals, NIL));
  REFUSES(atp_model_best_doubles(NIL, in.model, sequences, -1, out.counts, out.reals, 1));
  REFUSES(atp_model_best_doubles(in.context, NIL, sequences, -1, out.counts, out.reals, 1));
  REFUSES(atp_model_best_doubles(in.context, in.model, NIL, -1, out.counts, out.reals, 1));
  REFUSES(atp_model_best_doubles(in.context, in.model, sequences, -1, NIL, out.reals, 1));
  REFUSES(atp_model_best_doubles(in.context, in.model, sequences, -1, out.counts, NIL, 1));
  REFUSES(atp_model_count_doubles(NIL, sequences, -1, &out.count));
  REFUSES(atp_model_count_doubles(in.model, NIL, -1, &out.count));
  REFUSES(atp_model_count_doubles(in.model, sequences, -1, NIL));
  REFUSES(atp_mutants_average(NIL, changes, 1, scores, 1, out.counts, out.reals));
  REFUSES(atp_mutants_average(in.context, NIL, 1, scores, 1, out.counts, out.reals));
  REFUSES(atp_mutants_average(in.context, changes, 1, NIL, 1, out.counts, out.reals));
  REFUSES(atp_mutants_average(in.context, changes, 1, scores, 1, NIL, out.reals));
  REFUSES(atp_mutants_average(in.context, changes, 1, scores, 1, out.counts, NIL));
  REFUSES(atp_agreement_interval(NIL, ATP_AGREEMENT_SPEARMAN, scores, scores, L, settings, out.reals));
  REFUSES(atp_agreement_interval(in.context, ATP_AGREEMENT_SPEARMAN, NIL, scores, L, settings, out.reals));
  REFUSES(atp_agreement_interval(in.context, ATP_AGREEMENT_SPEARMAN, scores, NIL, L, settings, out.reals));
  REFUSES(atp_agreement_interval(in.context, ATP_AGREEMENT_SPEARMAN, scores, scores, L, NIL, out.reals));
  REFUSES(atp_agreement_interval(in.context, ATP_AGREEMENT_SPEARMAN, scores, scores, L, settings, NIL));
  REFUSES(atp_mutants_agreement(NIL, scores, site_numbers, L, settings, 0, in.measured));
  REFUSES(atp_mutants_agreement(scores, NIL, site_numbers, L, settings, 0, in.measured));
  REFUSES(atp_mutants_agreement(scores, scores, NIL, L, settings, 0, in.measured));
  REFUSES(atp_mutants_agreement(scores, scores, site_numbers, L, NIL, 0, in.measured));
  REFUSES(atp_mutants_agreement(scores, scores, site_numbers, L, settings, 0, NIL));
  enum { NUMBERS = ATP_COMPARISON_ROWS * ATP_COMPARISON_COLUMNS };
  REFUSES(atp_statistics_compare(NIL, in.alignment, in.alignment, out.reals, NUMBERS));
  REFUSES(atp_statistics_compare(in.context, NIL, in.alignment, out.reals, NUMBERS));
  REFUSES(atp_statistics_compare(in.context, in.alignment, NIL, out.reals, NUMBERS));
  REFUSES(atp_statistics_compare(in.context, in.alignment, in.alignment, NIL, NUMBERS));
  REFUSES(atp_statistics_parts(NIL, in.alignment, 2, 1, 1, out.reals, out.reals));
  REFUSES(atp_statistics_parts(in.context, NIL, 2, 1, 1, out.reals, out.reals));
  REFUSES(atp_statistics_parts(in.context, in.alignment, 2, 1, 1, NIL, out.reals));
  REFUSES(atp_statistics_parts(in.context, in.alignment, 2, 1, 1, out.reals, NIL));
  atp_table *quality = NULL, *distances = NULL;
  ACCEPTS(atp_table_create(in.context, ATP_TABLE_QUALITY, 2 * ATP_QUALITY_ROWS, &quality));
  ACCEPTS(atp_table_create(in.context, ATP_TABLE_DISTANCES, L + 1, &distances));
  REFUSES(atp_samples_quality(NIL, in.alignment, in.alignment, NULL, quality, distances));
  REFUSES(atp_samples_quality(in.context, NIL, in.alignment, NULL, quality, distances));
  REFUSES(atp_samples_quality(in.context, in.alignment, NIL, NULL, quality, distances));
  ACCEPTS(atp_samples_quality(in.context, in.alignment, in.alignment, NIL, quality, distances));
  REFUSES(atp_samples_quality(in.context, in.alignment, in.alignment, NULL, NIL, distances));
  ACCEPTS(atp_samples_quality(in.context, in.alignment, in.alignment, NULL, quality, NIL));
  atp_table_destroy(distances);
  atp_table_destroy(quality);
  REFUSES(atp_statistics_components(NIL, in.alignment, in.alignment, 1, out.reals, 2 * N, out.reals));
  REFUSES(atp_statistics_components(in.context, NIL, in.alignment, 1, out.reals, 2 * N, out.reals));
  ACCEPTS(atp_statistics_components(in.context, in.alignment, NIL, 1, out.reals, N, out.reals));
  REFUSES(atp_statistics_components(in.context, in.alignment, in.alignment, 1, NIL, 2 * N, out.reals));
  REFUSES(atp_statistics_components(in.context, in.alignment, in.alignment, 1, out.reals, 2 * N, NIL));
}

static void methods_without_training(void **state) {
  (void)state;
  static const double frequencies[L * Q] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
  REFUSES(atp_mean_field_bytes(NIL, N, L, Q, in.options, &out.count));
  ACCEPTS(atp_mean_field_bytes(in.context, N, L, Q, NIL, &out.count));
  REFUSES(atp_mean_field_bytes(in.context, N, L, Q, in.options, NIL));
  MAKES_NOTHING(atp_mean_field_model(NIL, in.alignment, in.options, OUT(model)));
  MAKES_NOTHING(atp_mean_field_model(in.context, NIL, in.options, OUT(model)));
  FREED(atp_mean_field_model(in.context, in.alignment, NIL, OUT(model)), model);
  REFUSES(atp_mean_field_model(in.context, in.alignment, in.options, NIL));
  REFUSES(atp_direct_information(NIL, in.model, frequencies, L * Q, out.reals, L * L));
  REFUSES(atp_direct_information(in.context, NIL, frequencies, L * Q, out.reals, L * L));
  REFUSES(atp_direct_information(in.context, in.model, NIL, L * Q, out.reals, L * L));
  REFUSES(atp_direct_information(in.context, in.model, frequencies, L * Q, NIL, L * L));
  REFUSES(atp_gaussian_scores(NIL, in.alignment, in.options, ATP_PAIR_SCORE_FN, -1, out.reals, L * L));
  REFUSES(atp_gaussian_scores(in.context, NIL, in.options, ATP_PAIR_SCORE_FN, -1, out.reals, L * L));
  ACCEPTS(atp_gaussian_scores(in.context, in.alignment, NIL, ATP_PAIR_SCORE_FN, -1, out.reals, L * L));
  REFUSES(atp_gaussian_scores(in.context, in.alignment, in.options, ATP_PAIR_SCORE_FN, -1, NIL, L * L));
  REFUSES(atp_mutual_information(NIL, in.alignment, in.options, out.reals, L * L));
  REFUSES(atp_mutual_information(in.context, NIL, in.options, out.reals, L * L));
  ACCEPTS(atp_mutual_information(in.context, in.alignment, NIL, out.reals, L * L));
  REFUSES(atp_mutual_information(in.context, in.alignment, in.options, NIL, L * L));
}

static void error_bars(void **state) {
  (void)state;
  enum { COUPLINGS = L * L * Q * Q };
  double errors[COUPLINGS];
  atp_options *penalties = NULL;
  atp_table *table = NULL;
  assert_int_equal(atp_options_create(in.context, ATP_OWNER_ASYMPTOTICS, &penalties), ATP_OK);
  assert_int_equal(atp_options_set_f64(penalties, ATP_OPT_L2_COUPLINGS, 1), ATP_OK);
  assert_int_equal(atp_options_set_f64(penalties, ATP_OPT_L2_FIELDS, 1), ATP_OK);
  assert_int_equal(atp_table_create(in.context, ATP_TABLE_ASYMPTOTICS, 3, &table), ATP_OK);
  REFUSES(atp_model_asymptotics(NIL, in.model, in.alignment, penalties, table, errors, COUPLINGS));
  REFUSES(atp_model_asymptotics(in.context, NIL, in.alignment, penalties, table, errors, COUPLINGS));
  ACCEPTS(atp_model_asymptotics(in.context, in.model, NIL, penalties, table, errors, COUPLINGS));
  ACCEPTS(atp_model_asymptotics(in.context, in.model, in.alignment, NIL, table, errors, COUPLINGS));
  ACCEPTS(atp_model_asymptotics(in.context, in.model, in.alignment, penalties, NIL, errors, COUPLINGS));
  ACCEPTS(atp_model_asymptotics(in.context, in.model, in.alignment, penalties, table, NIL, 0));
  REFUSES(atp_model_asymptotics_bytes(NIL, in.model, N, penalties, &out.count));
  REFUSES(atp_model_asymptotics_bytes(in.context, NIL, N, penalties, &out.count));
  ACCEPTS(atp_model_asymptotics_bytes(in.context, in.model, N, NIL, &out.count));
  REFUSES(atp_model_asymptotics_bytes(in.context, in.model, N, penalties, NIL));
  REFUSES(atp_model_score_errors(NIL, in.dense, in.alignment, penalties, -1, errors, 2 * L * L));
  REFUSES(atp_model_score_errors(in.context, NIL, in.alignment, penalties, -1, errors, 2 * L * L));
  REFUSES(atp_model_score_errors(in.context, in.dense, NIL, penalties, -1, errors, 2 * L * L));
  REFUSES(atp_model_score_errors(in.context, in.dense, in.alignment, NIL, -1, errors, 2 * L * L));
  REFUSES(atp_model_score_errors(in.context, in.dense, in.alignment, penalties, -1, NIL, 2 * L * L));
  REFUSES(atp_model_score_errors_bytes(NIL, in.model, N, &out.count));
  REFUSES(atp_model_score_errors_bytes(in.context, NIL, N, &out.count));
  REFUSES(atp_model_score_errors_bytes(in.context, in.model, N, NIL));
  atp_table_destroy(table);
  atp_options_destroy(penalties);
}

static void samplers(void **state) {
  (void)state;
  REFUSES(atp_sampler_bytes(NIL, in.model, in.options, &out.count));
  REFUSES(atp_sampler_bytes(in.context, NIL, in.options, &out.count));
  ACCEPTS(atp_sampler_bytes(in.context, in.model, NIL, &out.count));
  REFUSES(atp_sampler_bytes(in.context, in.model, in.options, NIL));
  MAKES_NOTHING(atp_sampler_create(NIL, in.model, in.options, OUT(sampler)));
  MAKES_NOTHING(atp_sampler_create(in.context, NIL, in.options, OUT(sampler)));
  FREED(atp_sampler_create(in.context, in.model, NIL, OUT(sampler)), sampler);
  REFUSES(atp_sampler_create(in.context, in.model, in.options, NIL));
  IGNORES(atp_sampler_destroy(NIL));
  IS(atp_sampler_chains(NIL), 0);
  IS(atp_sampler_sites(NIL), 0);
  IS(atp_sampler_temperatures(NIL), 0);
  IS(atp_sampler_sweeps(NIL), 0);
  REFUSES(atp_sampler_betas(NIL, out.reals, K));
  REFUSES(atp_sampler_betas(in.sampler, NIL, K));
  REFUSES(atp_sampler_set_betas(NIL, betas, K));
  REFUSES(atp_sampler_set_betas(in.sampler, NIL, K));
  REFUSES(atp_sampler_swap_rates(NIL, out.reals, K - 1));
  REFUSES(atp_sampler_swap_rates(in.sampler, NIL, K - 1));
  REFUSES(atp_sampler_start_random(NIL));
  REFUSES(atp_sampler_start_from(NIL, sequences, N, L));
  REFUSES(atp_sampler_start_from(in.sampler, NIL, N, L));
  REFUSES(atp_sampler_restrict(NIL, sequences, L * Q));
  ACCEPTS(atp_sampler_restrict(in.sampler, NIL, 0));
  REFUSES(atp_sampler_sweep(NIL, 1, NULL, NULL, &out.outcome));
  ACCEPTS(atp_sampler_sweep(in.sampler, 1, NIL, NULL, NIL));
  REFUSES(atp_sampler_sample(NIL, 1, out.bytes, N * L, NULL, NULL, &out.outcome));
  REFUSES(atp_sampler_sample(in.sampler, 1, NIL, N * L, NULL, NULL, &out.outcome));
  ACCEPTS(atp_sampler_sample(in.sampler, 1, out.bytes, N * L, NIL, NULL, NIL));
  IS(atp_sampler_drawn(NIL), 0);
  REFUSES(atp_sampler_sequence_energies(NIL, sequences, N, out.reals, N));
  REFUSES(atp_sampler_sequence_energies(in.sampler, NIL, N, out.reals, N));
  REFUSES(atp_sampler_sequence_energies(in.sampler, sequences, N, NIL, N));
  IS(atp_sampler_context(NIL), NULL);
  REFUSES(atp_sampler_options(NIL, in.options));
  REFUSES(atp_sampler_options(in.sampler, NIL));
  REFUSES(atp_sampler_states(NIL, 0, out.bytes, C * L));
  REFUSES(atp_sampler_states(in.sampler, 0, NIL, C * L));
  REFUSES(atp_sampler_energies(NIL, 0, out.reals, C));
  REFUSES(atp_sampler_energies(in.sampler, 0, NIL, C));
  IGNORES(atp_sampler_request_stop(NIL));
  IS(atp_sampler_state_bytes(NIL), 0);
  REFUSES(atp_sampler_save_state(NIL, out.state, sizeof out.state));
  REFUSES(atp_sampler_save_state(in.sampler, NIL, sizeof out.state));
  REFUSES(atp_sampler_load_state(NIL, sequences, sizeof sequences));
  REFUSES(atp_sampler_load_state(in.sampler, NIL, sizeof sequences));
  REFUSES(atp_tune_beta(NIL, in.model, in.options, 0.3, in.tuning, NULL, NULL));
  REFUSES(atp_tune_beta(in.context, NIL, in.options, 0.3, in.tuning, NULL, NULL));
  REFUSES(atp_tune_beta(in.context, in.model, in.options, 0.3, NIL, NULL, NULL));
  ACCEPTS(atp_tune_beta(in.context, in.model, NIL, 0.45, in.tuning, NIL, NULL));
  REFUSES(atp_model_mean_log_p(NIL, in.model, in.alignment, 0, 0, out.reals, out.reals));
  REFUSES(atp_model_mean_log_p(in.context, NIL, in.alignment, 0, 0, out.reals, out.reals));
  REFUSES(atp_model_mean_log_p(in.context, in.model, NIL, 0, 0, out.reals, out.reals));
  ACCEPTS(atp_model_mean_log_p(in.context, in.model, in.alignment, 0, 0, NIL, out.reals));
  ACCEPTS(atp_model_mean_log_p(in.context, in.model, in.alignment, 0, 0, out.reals, NIL));
  REFUSES(atp_estimate_log_z(NIL, in.model, NULL, in.partition, NULL, NULL));
  REFUSES(atp_estimate_log_z(in.context, NIL, NULL, in.partition, NULL, NULL));
  REFUSES(atp_estimate_log_z(in.context, in.model, NULL, NIL, NULL, NULL));
  ACCEPTS(atp_estimate_log_z(in.context, in.model, NIL, in.partition, NIL, NULL));
}

static void sampling_runs(void **state) {
  (void)state;
  MAKES_NOTHING(atp_sampling_create(NIL, in.model, in.options, N, OUT(sampling)));
  MAKES_NOTHING(atp_sampling_create(in.context, NIL, in.options, N, OUT(sampling)));
  FREED(atp_sampling_create(in.context, in.model, NIL, N, OUT(sampling)), sampling);
  REFUSES(atp_sampling_create(in.context, in.model, in.options, N, NIL));
  IGNORES(atp_sampling_destroy(NIL));
  IS(atp_sampling_context(NIL), NULL);
  REFUSES(atp_sampling_options(NIL, in.options));
  REFUSES(atp_sampling_options(in.sampling, NIL));
  IS(atp_sampling_count(NIL), 0);
  IS(atp_sampling_sites(NIL), 0);
  IS(atp_sampling_stage_of(NIL), 0);
  REFUSES(atp_sampling_restrict(NIL, sequences, L * Q));
  atp_sampling *fresh = NULL; /* that of the inputs has run */
  assert_int_equal(atp_sampling_create(in.context, in.model, NULL, N, &fresh), ATP_OK);
  ACCEPTS(atp_sampling_restrict(fresh, NIL, 0));
  atp_sampling_destroy(fresh);
  REFUSES(atp_sampling_start_from(NIL, sequences, N, L));
  REFUSES(atp_sampling_start_from(in.sampling, NIL, N, L));
  REFUSES(atp_sampling_run(NIL, NULL, NULL, &out.outcome));
  ACCEPTS(atp_sampling_run(in.sampling, NIL, NULL, NIL));
  REFUSES(atp_sampling_sequences(NIL, out.bytes, N * L));
  REFUSES(atp_sampling_sequences(in.sampling, NIL, N * L));
  MAKES_NOTHING(atp_sampling_alignment(NIL, OUT(alignment)));
  REFUSES(atp_sampling_alignment(in.sampling, NIL));
  REFUSES(atp_sampling_trajectory(NIL, in.report));
  REFUSES(atp_sampling_trajectory(in.sampling, NIL));
  REFUSES(atp_sampling_forgetting(NIL, sequences, N, L, in.report));
  REFUSES(atp_sampling_forgetting(in.sampling, NIL, N, L, in.report));
  REFUSES(atp_sampling_forgetting(in.sampling, sequences, N, L, NIL));
  REFUSES(atp_sampling_report(NIL, in.report));
  REFUSES(atp_sampling_report(in.sampling, NIL));
  IS(*atp_sampling_difference(NIL), '\0');
  IGNORES(atp_sampling_request_stop(NIL));
  IS(atp_sampling_state_bytes(NIL), 0);
  REFUSES(atp_sampling_save_state(NIL, out.state, sizeof out.state));
  REFUSES(atp_sampling_save_state(in.sampling, NIL, sizeof out.state));
  REFUSES(atp_sampling_load_state(NIL, sequences, sizeof sequences));
  REFUSES(atp_sampling_load_state(in.sampling, NIL, sizeof sequences));
}

static void diagnostics(void **state) {
  static const uint8_t many[5 * L] = {0};
  (void)state;
  REFUSES(atp_autocorrelation_time(NIL, 1, 16, out.reals, out.reals2));
  REFUSES(atp_autocorrelation_time(series, 1, 16, NIL, out.reals2));
  ACCEPTS(atp_autocorrelation_time(series, 1, 16, out.reals, NIL));
  REFUSES(atp_split_rhat(NIL, 1, 16, out.reals));
  REFUSES(atp_split_rhat(series, 1, 16, NIL));
  REFUSES(atp_overlap_rhat(NIL, many, 5, L, 1, out.reals));
  REFUSES(atp_overlap_rhat(in.context, NIL, 5, L, 1, out.reals));
  REFUSES(atp_overlap_rhat(in.context, many, 5, L, 1, NIL));
  REFUSES(atp_count_within_errors(NIL, series, series, 1, 1, &out.count));
  REFUSES(atp_count_within_errors(series, NIL, series, 1, 1, &out.count));
  REFUSES(atp_count_within_errors(series, series, NIL, 1, 1, &out.count));
  REFUSES(atp_count_within_errors(series, series, series, 1, 1, NIL));
  REFUSES(atp_chain_mixing(NIL, series, 1, 16, out.reals));
  REFUSES(atp_chain_mixing(in.context, NIL, 1, 16, out.reals));
  REFUSES(atp_chain_mixing(in.context, series, 1, 16, NIL));
  REFUSES(atp_sampler_measure(NIL, 16, 1, in.rungs, in.overlaps, NULL, NULL));
  REFUSES(atp_sampler_measure(in.sampler, 16, 1, NIL, in.overlaps, NULL, NULL));
  ACCEPTS(atp_sampler_measure(in.sampler, 16, 1, in.rungs, NIL, NIL, NULL));
  REFUSES(atp_sampler_set_reference(NIL, sequences, L));
  ACCEPTS(atp_sampler_set_reference(in.sampler, NIL, L));
  REFUSES(atp_model_enumerate_rungs(NIL, in.model, betas, K, sequences, L, in.rungs));
  REFUSES(atp_model_enumerate_rungs(in.context, NIL, betas, K, sequences, L, in.rungs));
  REFUSES(atp_model_enumerate_rungs(in.context, in.model, NIL, K, sequences, L, in.rungs));
  ACCEPTS(atp_model_enumerate_rungs(in.context, in.model, betas, K, NIL, L, in.rungs));
  REFUSES(atp_model_enumerate_rungs(in.context, in.model, betas, K, sequences, L, NIL));
  REFUSES(atp_bootstrap_errors(NIL, series, 2, 1, out.reals));
  REFUSES(atp_bootstrap_errors(in.context, NIL, 2, 1, out.reals));
  REFUSES(atp_bootstrap_errors(in.context, series, 2, 1, NIL));
  REFUSES(atp_hamming_histogram(NIL, N, L, out.counts, L + 1, out.reals));
  REFUSES(atp_hamming_histogram(sequences, N, L, NIL, L + 1, out.reals));
  ACCEPTS(atp_hamming_histogram(sequences, N, L, out.counts, L + 1, NIL));
}

static void learning_curves(void **state) {
  (void)state;
  static const double diagonal[L * L] = {2, 0, 0, 0, 2, 0, 0, 0, 2}, pair[4] = {1, 0.5, 0.5, 1}, positive[2] = {1, 2};
  double *const r = out.reals, *const r2 = out.reals2;
  atp_context *const c = in.context;
  REFUSES(atp_symmetric_check(NIL, L, ATP_SYMMETRIC_SCORES));
  REFUSES(atp_replica_goe(L, 3, 1, NIL, L * L));
  MAKES_NOTHING(atp_masked_create_precision(NIL, diagonal, L, 0, OUT(masked)));
  MAKES_NOTHING(atp_masked_create_precision(c, NIL, L, 0, OUT(masked)));
  REFUSES(atp_masked_create_precision(c, diagonal, L, 0, NIL));
  MAKES_NOTHING(atp_masked_create_covariance(NIL, diagonal, L, 0, OUT(masked)));
  MAKES_NOTHING(atp_masked_create_covariance(c, NIL, L, 0, OUT(masked)));
  REFUSES(atp_masked_create_covariance(c, diagonal, L, 0, NIL));
  MAKES_NOTHING(atp_masked_create(NIL, pair, positive, 2, 1, OUT(masked)));
  MAKES_NOTHING(atp_masked_create(c, NIL, positive, 2, 1, OUT(masked)));
  MAKES_NOTHING(atp_masked_create(c, pair, NIL, 2, 1, OUT(masked)));
  REFUSES(atp_masked_create(c, pair, positive, 2, 1, NIL));
  MAKES_NOTHING(atp_masked_create_spin_glass(NIL, 0.5, pair, 2, 3, ATP_REPLICA_INPUTS_CAVITY, OUT(masked)));
  MAKES_NOTHING(atp_masked_create_spin_glass(c, 0.5, NIL, 2, 3, ATP_REPLICA_INPUTS_CAVITY, OUT(masked)));
  REFUSES(atp_masked_create_spin_glass(c, 0.5, pair, 2, 3, ATP_REPLICA_INPUTS_CAVITY, NIL));
  MAKES_NOTHING(atp_masked_create_potts(NIL, in.model, in.alignment, ATP_REPLICA_INPUTS_NORMAL, r, Q * Q, OUT(masked)));
  MAKES_NOTHING(atp_masked_create_potts(c, NIL, in.alignment, ATP_REPLICA_INPUTS_NORMAL, r, Q * Q, OUT(masked)));
  MAKES_NOTHING(atp_masked_create_potts(c, in.model, NIL, ATP_REPLICA_INPUTS_NORMAL, r, Q * Q, OUT(masked)));
  MAKES_NOTHING(atp_masked_create_potts(c, in.model, in.alignment, ATP_REPLICA_INPUTS_NORMAL, NIL, Q * Q, OUT(masked)));
  REFUSES(atp_masked_create_potts(c, in.model, in.alignment, ATP_REPLICA_INPUTS_NORMAL, r, Q * Q, NIL));
  REFUSES(atp_replica_color_covariance(NIL, 2, r, 4));
  REFUSES(atp_replica_color_covariance(pair, 2, NIL, 4));
  IGNORES(atp_masked_destroy(NIL));
  IS(atp_masked_context(NIL), NULL);
  IS(atp_masked_parameters(NIL), 0);
  assert_true(isnan(atp_masked_noise(NIL)));
  REFUSES(atp_masked_covariance(NIL, r, 4));
  REFUSES(atp_masked_covariance(in.masked, NIL, 4));
  REFUSES(atp_masked_weights(NIL, r, 2));
  REFUSES(atp_masked_weights(in.masked, NIL, 2));
  REFUSES(atp_masked_spectrum(NIL, r, r2, 2));
  REFUSES(atp_masked_spectrum(in.masked, NIL, r2, 2));
  REFUSES(atp_masked_spectrum(in.masked, r, NIL, 2));
}

static void tables(void **state) {
  (void)state;
  REFUSES(atp_table_bytes(ATP_TABLE_TUNING, 1, NIL));
  MAKES_NOTHING(atp_table_create(NIL, ATP_TABLE_TUNING, 1, OUT(table)));
  REFUSES(atp_table_create(in.context, ATP_TABLE_TUNING, 1, NIL));
  IGNORES(atp_table_destroy(NIL));
  IS(atp_table_context(NIL), NULL);
  IS(atp_table_kind_of(NIL), 0);
  IS(atp_table_rows(NIL), 0);
  IS(atp_table_columns(NIL), 0);
  IS(atp_table_capacity(NIL), 0);
  REFUSES(atp_table_clear(NIL));
  IS(atp_column_find(ATP_TABLE_TUNING, NIL), -1);
  REFUSES(atp_table_value(NIL, 0, 0, out.reals));
  REFUSES(atp_table_value(in.table, 0, 0, NIL));
  REFUSES(atp_table_column(NIL, "eg", out.reals, 0));
  REFUSES(atp_table_column(in.table, NIL, out.reals, 0));
  REFUSES(atp_table_column(in.table, "eg", NIL, 0));
  REFUSES(atp_table_values(NIL, out.reals, 0));
  REFUSES(atp_table_values(in.table, NIL, 0));
  REFUSES(atp_table_csv(NIL, out.text, 64, &out.count));
  ACCEPTS(atp_table_csv(in.table, NIL, 0, &out.count));
  ACCEPTS(atp_table_csv(in.table, NIL, 0, NIL));
}

static void tasks(void **state) {
  (void)state;
  static const double alphas[2] = {0.5, 2}, a[4] = {0.6, 0.4, 0.4, 0.6};
  double *const r = out.reals;
  MAKES_NOTHING(atp_task_create(NIL, ATP_TASK_REPLICA_LIMIT, in.options, OUT(task)));
  FREED(atp_task_create(in.context, ATP_TASK_REPLICA_LIMIT, NIL, OUT(task)), task);
  REFUSES(atp_task_create(in.context, ATP_TASK_REPLICA_LIMIT, in.options, NIL));
  IGNORES(atp_task_destroy(NIL));
  REFUSES(atp_task_set_array(NIL, ATP_ARRAY_ALPHAS, alphas, 2, 1));
  REFUSES(atp_task_set_array(in.task, ATP_ARRAY_ALPHAS, NIL, 2, 1));
  REFUSES(atp_task_array_shape(NIL, ATP_ARRAY_ALPHAS, &out.count, &out.count));
  ACCEPTS(atp_task_array_shape(in.task, ATP_ARRAY_ALPHAS, NIL, &out.count));
  ACCEPTS(atp_task_array_shape(in.task, ATP_ARRAY_ALPHAS, &out.count, NIL));
  REFUSES(atp_task_get_array(NIL, ATP_ARRAY_ALPHAS, r, 2));
  REFUSES(atp_task_get_array(in.task, ATP_ARRAY_ALPHAS, NIL, 2));
  IS(atp_task_context(NIL), NULL);
  IS(atp_task_kind_of(NIL), 0);
  IS(atp_task_table_kind(NIL), 0);
  IS(atp_task_rows(NIL), 0);
  REFUSES(atp_task_options(NIL, in.options));
  REFUSES(atp_task_options(in.task, NIL));
  REFUSES(atp_task_bytes(NIL, &out.count));
  REFUSES(atp_task_bytes(in.task, NIL));
  REFUSES(atp_task_run(NIL, in.table, NULL, NULL, &out.outcome));
  REFUSES(atp_task_run(in.task, NIL, NULL, NULL, &out.outcome));
  ACCEPTS(atp_task_run(in.task, in.table, NIL, NULL, NIL));
  assert_int_equal(atp_table_clear(in.table), ATP_OK);
  IGNORES(atp_task_request_stop(NIL));
  REFUSES(atp_task_value(NIL, ATP_TASK_OPTIMUM, r));
  REFUSES(atp_task_value(in.task, ATP_TASK_OPTIMUM, NIL));
  REFUSES(atp_dotattn_linear(NIL, 4, 0.3, 0.5, r, 4, out.reals2));
  ACCEPTS(atp_dotattn_linear(a, 4, 0.3, 0.5, NIL, 4, out.reals2));
  ACCEPTS(atp_dotattn_linear(a, 4, 0.3, 0.5, r, 4, NIL));
}

static void selections(void **state) {
  (void)state;
  REFUSES(atp_select_folds(NIL, in.alignment, in.options, out.counts, out.counts + N, N));
  REFUSES(atp_select_folds(in.context, NIL, in.options, out.counts, out.counts + N, N));
  REFUSES(atp_select_folds(in.context, in.alignment, in.options, NIL, out.counts, N));
  REFUSES(atp_select_folds(in.context, in.alignment, in.options, out.counts, NIL, N));
  ACCEPTS(atp_select_folds(in.context, in.alignment, NIL, out.counts, out.counts + N, N));
  REFUSES(atp_select_penalty(NIL, in.alignment, in.options, in.path, NULL, NULL, &out.outcome));
  REFUSES(atp_select_penalty(in.context, NIL, in.options, in.path, NULL, NULL, &out.outcome));
  REFUSES(atp_select_penalty(in.context, in.alignment, in.options, NIL, NULL, NULL, &out.outcome));
  ACCEPTS(atp_select_penalty(in.context, in.alignment, NIL, in.path, NIL, NULL, NIL));
  REFUSES(atp_select_penalty_pairs(NIL, in.options, pairs, 1, in.path, NULL, NULL));
  REFUSES(atp_select_penalty_pairs(in.alignment, in.options, NIL, 1, in.path, NULL, NULL));
  REFUSES(atp_select_penalty_pairs(in.alignment, in.options, pairs, 1, NIL, NULL, NULL));
  ACCEPTS(atp_select_penalty_pairs(in.alignment, NIL, pairs, 1, in.path, NIL, NULL));
}

static void trainers(void **state) {
  (void)state;
  REFUSES(atp_trainer_bytes(NIL, N, L, Q, in.options, &out.count));
  ACCEPTS(atp_trainer_bytes(in.context, N, L, Q, NIL, &out.count));
  REFUSES(atp_trainer_bytes(in.context, N, L, Q, in.options, NIL));
  MAKES_NOTHING(atp_trainer_create(NIL, in.alignment, in.options, OUT(trainer)));
  MAKES_NOTHING(atp_trainer_create(in.context, NIL, in.options, OUT(trainer)));
  FREED(atp_trainer_create(in.context, in.alignment, NIL, OUT(trainer)), trainer);
  REFUSES(atp_trainer_create(in.context, in.alignment, in.options, NIL));
  REFUSES(atp_trainer_pairs_bytes(NIL, in.alignment, NULL, pairs, 1, &out.count));
  REFUSES(atp_trainer_pairs_bytes(in.context, NIL, NULL, pairs, 1, &out.count));
  ACCEPTS(atp_trainer_pairs_bytes(in.context, in.alignment, NIL, pairs, 1, &out.count));
  REFUSES(atp_trainer_pairs_bytes(in.context, in.alignment, NULL, NIL, 1, &out.count));
  REFUSES(atp_trainer_pairs_bytes(in.context, in.alignment, NULL, pairs, 1, NIL));
  MAKES_NOTHING(atp_trainer_create_pairs(NIL, in.alignment, NULL, pairs, 1, OUT(trainer)));
  MAKES_NOTHING(atp_trainer_create_pairs(in.context, NIL, NULL, pairs, 1, OUT(trainer)));
  FREED(atp_trainer_create_pairs(in.context, in.alignment, NIL, pairs, 1, OUT(trainer)), trainer);
  MAKES_NOTHING(atp_trainer_create_pairs(in.context, in.alignment, NULL, NIL, 1, OUT(trainer)));
  REFUSES(atp_trainer_create_pairs(in.context, in.alignment, NULL, pairs, 1, NIL));
  IS(atp_trainer_pair_count(NIL), 0);
  REFUSES(atp_trainer_pairs(NIL, out.counts, 0));
  REFUSES(atp_trainer_pairs(in.trainer, NIL, 0));
  IGNORES(atp_trainer_destroy(NIL));
  REFUSES(atp_trainer_set_values(NIL, values, Q * Q));
  REFUSES(atp_trainer_set_values(in.trainer, NIL, Q * Q));
  REFUSES(atp_trainer_set_order(NIL, order, L));
  REFUSES(atp_trainer_set_order(in.trainer, NIL, L));
  REFUSES(atp_trainer_set_log(NIL, in.log));
  ACCEPTS(atp_trainer_set_log(in.trainer, NIL));
  REFUSES(atp_trainer_set_reduction(NIL, NULL, NULL));
  ACCEPTS(atp_trainer_set_reduction(in.trainer, NIL, NIL));
  IS(atp_trainer_context(NIL), NULL);
  REFUSES(atp_trainer_options(NIL, in.options));
  REFUSES(atp_trainer_options(in.trainer, NIL));
  REFUSES(atp_trainer_set_test(NIL, in.alignment));
  ACCEPTS(atp_trainer_set_test(in.trainer, NIL));
  REFUSES(atp_trainer_set_truth(NIL, in.model));
  ACCEPTS(atp_trainer_set_truth(in.trainer, NIL));
  IS(atp_trainer_parameter_count(NIL), 0);
  REFUSES(atp_trainer_parameters(NIL, out.reals, L * L + Q * Q));
  REFUSES(atp_trainer_parameters(in.trainer, NIL, L * L + Q * Q));
  REFUSES(atp_trainer_set_parameters(NIL, dense, L * L + Q * Q));
  REFUSES(atp_trainer_set_parameters(in.trainer, NIL, L * L + Q * Q));
  REFUSES(atp_trainer_gradient(NIL, out.reals, out.reals2, out.reals3, L * L + Q * Q));
  ACCEPTS(atp_trainer_gradient(in.trainer, NIL, NIL, NIL, 0));
  REFUSES(atp_trainer_masked_gradient(NIL, masked, N, out.reals, out.reals2, out.reals3, L * L + Q * Q));
  REFUSES(atp_trainer_masked_gradient(in.trainer, NIL, N, out.reals, out.reals2, out.reals3, L * L + Q * Q));
  ACCEPTS(atp_trainer_masked_gradient(in.trainer, masked, N, NIL, NIL, NIL, 0));
  REFUSES(atp_trainer_loss(NIL, in.alignment, out.reals));
  REFUSES(atp_trainer_loss(in.trainer, NIL, out.reals));
  REFUSES(atp_trainer_loss(in.trainer, in.alignment, NIL));
  REFUSES(atp_trainer_start_wide(NIL, 4, 1, NULL, NULL, &out.outcome));
  ACCEPTS(atp_trainer_start_wide(in.trainer, 4, 1, NIL, NULL, NIL));
  REFUSES(atp_trainer_start_model(NIL, in.model));
  REFUSES(atp_trainer_start_model(in.trainer, NIL));
  REFUSES(atp_trainer_start_chains(NIL, in.alignment));
  REFUSES(atp_trainer_start_chains(in.trainer, NIL));
  MAKES_NOTHING(atp_trainer_chains(NIL, OUT(alignment)));
  REFUSES(atp_trainer_chains(in.trainer, NIL));
  REFUSES(atp_trainer_reintegrate(NIL, in.alignment, out.reals, N, 1));
  REFUSES(atp_trainer_reintegrate(in.trainer, NIL, out.reals, N, 1));
  REFUSES(atp_trainer_reintegrate(in.trainer, in.alignment, NIL, N, 1));
  REFUSES(atp_trainer_start_from(NIL, in.trainer));
  REFUSES(atp_trainer_start_from(in.trainer, NIL));
  REFUSES(atp_trainer_run(NIL, 1, NULL, NULL, &out.outcome));
  ACCEPTS(atp_trainer_run(in.trainer, 1, NIL, NULL, NIL));
  IS(atp_trainer_epochs(NIL), 0);
  IGNORES(atp_trainer_request_stop(NIL));
  MAKES_NOTHING(atp_trainer_model(NIL, OUT(model)));
  REFUSES(atp_trainer_model(in.trainer, NIL));
  IS(atp_trainer_state_bytes(NIL), 0);
  REFUSES(atp_trainer_save_state(NIL, out.state, sizeof out.state));
  REFUSES(atp_trainer_save_state(in.trainer, NIL, sizeof out.state));
  REFUSES(atp_trainer_load_state(NIL, sequences, sizeof sequences));
  REFUSES(atp_trainer_load_state(in.trainer, NIL, sizeof sequences));
}

/* What only networks have. */
static void networks(void **state) {
  (void)state;
  IS(atp_trainer_part_count(NIL), 0);
  REFUSES(atp_trainer_part(NIL, 0, &out.kind, &out.count, out.counts));
  ACCEPTS(atp_trainer_part(in.network, 0, NIL, NIL, NIL));
  IS(atp_trainer_parameter_count(in.network), ENCODER);
  REFUSES(atp_trainer_conditionals(NIL, sequences, N, L, out.reals, N * L * Q));
  REFUSES(atp_trainer_conditionals(in.network, NIL, N, L, out.reals, N * L * Q));
  REFUSES(atp_trainer_conditionals(in.network, sequences, N, L, NIL, N * L * Q));
  IS(atp_trainer_map_count(NIL), 0);
  REFUSES(atp_trainer_maps(NIL, in.alignment, out.reals, L * L));
  REFUSES(atp_trainer_maps(in.network, NIL, out.reals, L * L));
  REFUSES(atp_trainer_maps(in.network, in.alignment, NIL, L * L));
}

#define ROWS(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
static const struct CMUnitTest tests[] = {
    ROWS(contexts_and_options),
    ROWS(alignments),
    ROWS(files),
    ROWS(inputs),
    ROWS(models),
    ROWS(columns),
    ROWS(scores_and_mutants),
    ROWS(methods_without_training),
    ROWS(error_bars),
    ROWS(samplers),
    ROWS(sampling_runs),
    ROWS(diagnostics),
    ROWS(learning_curves),
    ROWS(tables),
    ROWS(tasks),
    ROWS(selections),
    ROWS(trainers),
    ROWS(networks),
};

ATP_TEST_MAIN(tests)
