/* SPDX-License-Identifier: MIT */
/* A program that uses BLIS and frees all that is its own. Run under valgrind with the installed suppressions, it has no errors; without
 * them BLIS's pool of buffers counts as possibly lost. */
#include <attopotts.h>

enum { L = 40, P = L - 1 };

static double precision[L * L], eigenvalues[P], projections[P];

int main(void) {
  atp_context *context;
  atp_masked *masked;
  if (atp_context_create(NULL, NULL, NULL, &context) != ATP_OK) return 1;
  if (atp_context_set_threads(context, 1) != ATP_OK) return 2;
  if (atp_replica_goe(L, 2.5, 1, precision, L * L) != ATP_OK) return 3;
  if (atp_masked_create_precision(context, precision, L, 0, &masked) != ATP_OK) return 4;
  if (atp_masked_spectrum(masked, eigenvalues, projections, P) != ATP_OK) return 5;
  atp_masked_destroy(masked);
  atp_context_destroy(context);
  return 0;
}
