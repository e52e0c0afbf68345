/* SPDX-License-Identifier: MIT */
/* Save a sampler's state; another sampler goes on from it with the same numbers. */
#include "task.h"
#include <string.h>

enum { L = 12, Q = 4, CHAINS = 16 };

int main(void) {
  atp_context *context;
  atp_model *model;
  atp_options *options;
  atp_sampler *first, *second;
  uint8_t one[CHAINS][L], two[CHAINS][L];
  check(atp_context_create(NULL, NULL, NULL, &context));
  check(atp_options_create(context, ATP_OWNER_SAMPLER, &options));
  check(atp_options_set_i64(options, ATP_OPT_CHAINS, CHAINS));
  check(atp_model_create_random(context, L, Q, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &model));
  check(atp_sampler_create(context, model, options, &first));
  check(atp_sampler_create(context, model, options, &second));
  check(atp_sampler_sweep(first, 100, NULL, NULL, NULL));
  const int64_t size = atp_sampler_state_bytes(first);
  void *state = malloc((size_t)size);
  if (state == NULL) return 1;
  check(atp_sampler_save_state(first, state, size)); /* to a file: beside the old one, then rename */
  check(atp_sampler_load_state(second, state, size));
  free(state);
  check(atp_sampler_sweep(first, 50, NULL, NULL, NULL));
  check(atp_sampler_sweep(second, 50, NULL, NULL, NULL));
  check(atp_sampler_states(first, 0, &one[0][0], sizeof one));
  check(atp_sampler_states(second, 0, &two[0][0], sizeof two));
  printf("%d sweeps, %s states\n", (int)atp_sampler_sweeps(second), memcmp(one, two, sizeof one) == 0 ? "equal" : "different");
  atp_sampler_destroy(second), atp_sampler_destroy(first), atp_model_destroy(model), atp_options_destroy(options);
  atp_context_destroy(context);
  return memcmp(one, two, sizeof one) != 0;
}
