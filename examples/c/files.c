/* SPDX-License-Identifier: MIT */
/* Write a model to a file and read it back. */
#include "task.h"
#include <attopotts_io.h>

int main(void) {
  atp_context *context;
  atp_model *model, *again;
  double error;
  check(atp_context_create(NULL, NULL, NULL, &context));
  check(atp_model_create_random(context, 10, 4, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &model));
  check(atp_model_write(context, model, "model.h5"));
  check(atp_model_read(context, "model.h5", &again));
  check(atp_model_coupling_error(context, again, model, &error));
  printf("read back with error %g\n", error);
  atp_model_destroy(again), atp_model_destroy(model), atp_context_destroy(context);
  return error == 0 ? 0 : 1;
}
