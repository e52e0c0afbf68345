/* SPDX-License-Identifier: MIT */
/* A context with an allocator, one thread and a memory limit; a sampler allocates when it is made, and nothing while it runs. */
#include "task.h"

static int64_t in_use = 0;

static void *take(size_t bytes, size_t alignment, void *user) {
  int64_t *counter = user;
  *counter += (int64_t)bytes;
  return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void give_back(void *memory, size_t bytes, void *user) {
  int64_t *counter = user;
  *counter -= (int64_t)bytes;
  free(memory);
}

int main(void) {
  atp_context *context;
  atp_model *model;
  atp_sampler *sampler;
  int64_t needed, before, after;
  check(atp_context_create(take, give_back, &in_use, &context));
  check(atp_context_set_threads(context, 1));               /* no thread but this one */
  check(atp_context_set_memory_limit(context, 100 << 20));  // 100 MiB
  check(atp_model_create_random(context, 50, 20, ATP_COUPLINGS_CONTACTS, ATP_COLOR_MATRIX_IDENTITY, 1, &model));
  check(atp_sampler_bytes(context, model, NULL, &needed));
  check(atp_sampler_create(context, model, NULL, &sampler));
  before = in_use;
  check(atp_sampler_sweep(sampler, 1000, NULL, NULL, NULL));
  after = in_use;
  printf("the sampler needs %d bytes; %d bytes in use\n", (int)needed, (int)after);
  atp_sampler_destroy(sampler), atp_model_destroy(model), atp_context_destroy(context);
  return before == after && in_use == 0 ? 0 : 1;
}
