/* SPDX-License-Identifier: MIT */
/* A model as bytes, for a broadcast or a database. */
#include "task.h"

int main(void) {
  atp_context *context;
  atp_model *model, *copy;
  double error;
  check(atp_context_create(NULL, NULL, NULL, &context));
  check(atp_model_create_random(context, 20, 5, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &model));
  const int64_t size = atp_model_state_bytes(model);
  void *bytes = malloc((size_t)size);
  if (bytes == NULL) return 1;
  check(atp_model_save_state(model, bytes, size)); /* MPI_Bcast(bytes, (int)size, MPI_BYTE, 0, MPI_COMM_WORLD); */
  check(atp_model_from_state(context, bytes, size, &copy));
  check(atp_model_coupling_error(context, copy, model, &error));
  printf("%d bytes, error %g\n", (int)size, error);
  free(bytes);
  atp_model_destroy(copy), atp_model_destroy(model), atp_context_destroy(context);
  return error == 0 ? 0 : 1;
}
