/* SPDX-License-Identifier: MIT */
/* A host that sets a locale with a decimal comma: texts of the library have a decimal point, and files are read and written as before. */
#include "api_support.h"
#include "comma_locale.h"

#include <attopotts_io.h>

#include <string.h>

enum { L = 4, Q = 3, N = 8 };

static char message[512];

static void keep(atp_log_level level, const char *text, void *user) {
  (void)level;
  (void)user;
  snprintf(message, sizeof message, "%s", text);
}

static void assert_in(const char *part, const char *text) {
  if (strstr(text, part) == NULL) fail_msg("\"%s\" is not in \"%s\"", part, text);
}

static atp_alignment *some_data(atp_context *context) {
  uint8_t sequences[N * L];
  for (int k = 0; k < N * L; ++k) sequences[k] = (uint8_t)(k * k / 3 % Q);
  atp_alignment *data = NULL;
  assert_int_equal(atp_alignment_create(context, sequences, N, L, Q, NULL, &data), ATP_OK);
  return data;
}

static void texts(void **state) {
  atp_context *context = *state;
  set_comma_locale();
  char text[512];
  atp_options *options = NULL;
  assert_int_equal(atp_options_create(context, ATP_OWNER_TRAINER, &options), ATP_OK);
  assert_int_equal(atp_options_set_f64(options, ATP_OPT_MASK_PROBABILITY, 1.5), ATP_E_OPTION_RANGE);
  atp_last_error(text, sizeof text);
  assert_in("option mask-probability is 1.5, must be", text);
  assert_int_equal(atp_context_set_log(context, keep, NULL), ATP_OK);
  assert_int_equal(atp_options_set_f64(options, ATP_OPT_RATE, 0.25), ATP_OK);
  atp_alignment *data = some_data(context);
  atp_trainer *trainer = NULL;
  assert_int_equal(atp_trainer_create(context, data, options, &trainer), ATP_OK);
  assert_in("option rate is 0.25 and has no effect", message);
  atp_trainer_destroy(trainer);
  atp_model *model = NULL;
  assert_int_equal(atp_context_set_memory_limit(context, 12500), ATP_OK);
  assert_int_equal(atp_model_create_random(context, 200, 4, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &model), ATP_E_MEMORY);
  assert_int_equal(atp_context_set_memory_limit(context, 0), ATP_OK);
  atp_last_error(text, sizeof text);
  for (const char *at = text; *at != '\0'; ++at) assert_false(at[0] == ',' && at[1] >= '0' && at[1] <= '9');
  if (atp_has_feature("blis") != 0) {
    assert_int_equal(atp_mean_field_model(context, data, NULL, &model), ATP_OK);
    assert_in("pseudocount 0.5", atp_model_origin(model));
    atp_model_destroy(model);
  }
  assert_string_equal(setlocale(LC_ALL, NULL), "de_DE.UTF-8"); /* the host's locale is as it was */
  snprintf(text, sizeof text, "%.1f", 0.5);
  assert_string_equal(text, "0,5");
  setlocale(LC_ALL, "C");
  atp_alignment_destroy(data);
  atp_options_destroy(options);
}

static void origin_of_samples(void **state) {
  atp_context *context = *state;
  set_comma_locale();
  atp_model *model = NULL;
  atp_options *options = NULL;
  atp_sampling *sampling = NULL;
  atp_alignment *samples = NULL;
  assert_int_equal(atp_model_create_random(context, L, Q, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &model), ATP_OK);
  assert_int_equal(atp_options_create(context, ATP_OWNER_SAMPLING, &options), ATP_OK);
  assert_int_equal(atp_options_set_i64(options, ATP_OPT_PROTOCOL, ATP_PROTOCOL_CHAIN), ATP_OK);
  assert_int_equal(atp_options_set_f64(options, ATP_OPT_BETA, 0.75), ATP_OK);
  assert_int_equal(atp_sampling_create(context, model, options, 4, &sampling), ATP_OK);
  assert_int_equal(atp_sampling_run(sampling, NULL, NULL, NULL), ATP_OK);
  assert_int_equal(atp_sampling_alignment(sampling, &samples), ATP_OK);
  setlocale(LC_ALL, "C");
  assert_in("beta=0.75", atp_alignment_origin(samples));
  atp_alignment_destroy(samples);
  atp_sampling_destroy(sampling);
  atp_options_destroy(options);
  atp_model_destroy(model);
}

static void files(void **state) {
  atp_context *context = *state;
  const double scores[4] = {0, 0.5, 0.5, 0};
  double back[4] = {0}, distances[4];
  set_comma_locale();
  assert_int_equal(atp_scores_write(context, scores, 2, NULL, NULL, ATP_SCORES_CCMPRED, "locale.mat"), ATP_OK);
  assert_int_equal(atp_scores_read(context, "locale.mat", back, 4, NULL, NULL), ATP_OK);
  assert_memory_equal(back, scores, sizeof scores);
  FILE *file = fopen("locale.txt", "w");
  assert_non_null(file);
  fputs("1 2 7.5\n", file);
  fclose(file);
  assert_int_equal(atp_distances_read(context, "locale.txt", NULL, 2, distances, 4, NULL), ATP_OK);
  setlocale(LC_ALL, "C");
  assert_true(distances[1] == 7.5);
  remove("locale.mat");
  remove("locale.txt");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(texts, context_setup, context_teardown),
    cmocka_unit_test_setup_teardown(origin_of_samples, context_setup, context_teardown),
    cmocka_unit_test_setup_teardown(files, context_setup, context_teardown),
};

ATP_TEST_MAIN(tests)
