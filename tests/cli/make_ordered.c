/* SPDX-License-Identifier: MIT */
/* Makes an autoregressive model of a Potts model: leaves out the couplings to sites that are later in the order.
 * usage: make_ordered IN.h5 OUT.h5 SITE SITE ... (all sites, 0-based, in their order) */
#include <attopotts_io.h>

#include <stdio.h>
#include <stdlib.h>

static atp_context *context;

static void must(atp_status status) {
  char text[512] = "";
  if (status == ATP_OK) return;
  atp_context_error(context, text, sizeof text);
  fprintf(stderr, "%s\n", text);
  exit(1);
}

int main(int count, char **words) {
  atp_model *in = NULL, *out = NULL;
  must(atp_context_create(NULL, NULL, NULL, &context));
  must(count > 2 ? atp_model_read(context, words[1], &in) : ATP_E_VALUE);
  const int64_t L = atp_model_sites(in), q = atp_model_colors(in), block = q * q;
  if (count != 3 + L) return 2;
  double *couplings = calloc((size_t)(L * L * block), sizeof *couplings), *fields = calloc((size_t)(L * q), sizeof *fields);
  int64_t *order = calloc((size_t)L, sizeof *order);
  if (couplings == NULL || fields == NULL || order == NULL) return 1;
  must(atp_model_couplings_f64(in, couplings, L * L * block));
  must(atp_model_fields(in, fields, L * q));
  for (int64_t k = 0; k < L; ++k) order[k] = strtol(words[3 + k], NULL, 10);
  for (int64_t k = 0; k < L; ++k)
    for (int64_t later = k; later < L; ++later)
      for (int64_t c = 0; c < block; ++c) couplings[(order[k] * L + order[later]) * block + c] = 0;
  must(atp_model_create_dense_f64(context, L, q, couplings, fields, &out));
  must(atp_model_set_beta(out, atp_model_beta(in)));
  must(atp_model_set_alphabet(out, atp_model_alphabet(in)));
  must(atp_model_set_order(out, order, L));
  must(atp_model_write(context, out, words[2]));
  free(order);
  free(fields);
  free(couplings);
  atp_model_destroy(out);
  atp_model_destroy(in);
  atp_context_destroy(context);
  return 0;
}
