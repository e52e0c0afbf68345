/* SPDX-License-Identifier: MIT */
/* A failing call: its status, its text, and warnings through the log callback. */
#include "task.h"

static void print_warning(atp_log_level level, const char *text, void *user) {
  (void)user;
  if (level == ATP_LOG_WARNING) fprintf(stderr, "%s\n", text);
}

int main(void) {
  atp_context *context;
  atp_model *model;
  char text[512];
  if (atp_abi_version() != ATP_ABI_VERSION) return 1;
  check(atp_context_create(NULL, NULL, NULL, &context));
  check(atp_context_set_log(context, print_warning, NULL));
  atp_status status = atp_model_create_random(context, 1, 5, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &model);
  atp_last_error(text, sizeof text);
  printf("%s: %s\n", atp_status_name(status), text);
  atp_context_destroy(context);
  return status == ATP_E_VALUE && model == NULL ? 0 : 1;
}
