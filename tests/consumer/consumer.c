/* SPDX-License-Identifier: MIT */
/* A C program outside the tree: it sees what is installed. Prints numbers that do not depend on the language or on how it was linked. */
#include <attopotts.h>

#include <stdio.h>

#if !ATP_VERSION_ATLEAST(0, 1, 0)
#error "old headers"
#endif

int main(void) {
  atp_context *context = NULL;
  atp_alignment *alignment = NULL;
  const uint8_t sequences[3 * 4] = {0, 1, 2, 0, 1, 1, 2, 0, 2, 1, 0, 0};
  double frequencies[4 * 3], loss;
  if (atp_version_number() != ATP_VERSION_NUMBER) return 1;
  if (atp_context_create(NULL, NULL, NULL, &context) != ATP_OK) return 2;
  if (atp_alignment_create(context, sequences, 3, 4, 3, NULL, &alignment) != ATP_OK) return 3;
  if (atp_alignment_frequencies(alignment, 0.25, frequencies, 12) != ATP_OK) return 4;
  if (atp_alignment_independent_loss(alignment, frequencies, 12, &loss) != ATP_OK) return 5;
  if (atp_alignment_frequencies(alignment, 0.25, frequencies, 11) != ATP_E_SHAPE) return 6;
  printf("%s %.17g\n", atp_version_string(), loss);
  atp_alignment_destroy(alignment);
  atp_context_destroy(context);
  return 0;
}
