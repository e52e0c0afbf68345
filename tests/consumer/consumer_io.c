/* SPDX-License-Identifier: MIT */
/* The same with files: a program of both libraries. The alignment goes to a file and comes back; errors of either library are in the
 * context that both use, and so are their allocations. */
#include <attopotts_io.h>

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  atp_context *context = NULL;
  atp_alignment *alignment = NULL, *read = NULL;
  const uint8_t sequences[3 * 4] = {0, 1, 2, 0, 1, 1, 2, 0, 2, 1, 0, 0};
  double frequencies[4 * 3], loss;
  int64_t bytes = -1;
  char text[512], path[4096];
  if (argc < 1 || snprintf(path, sizeof path, "%s.integers", argv[0]) >= (int)sizeof path) return 1;
  if (atp_context_create(NULL, NULL, NULL, &context) != ATP_OK) return 2;
  if (atp_alignment_create(context, sequences, 3, 4, 3, NULL, &alignment) != ATP_OK) return 3;
  if (atp_alignment_write(context, alignment, ATP_FORMAT_INTEGERS, path) != ATP_OK) return 4;
  if (atp_alignment_read(context, path, NULL, NULL, &read) != ATP_OK) return 5;
  if (atp_alignment_frequencies(read, 0.25, frequencies, 12) != ATP_OK) return 6;
  if (atp_alignment_independent_loss(read, frequencies, 12, &loss) != ATP_OK) return 7;
  if (atp_alignment_write(context, alignment, ATP_FORMAT_FASTA, path) != ATP_E_CONFLICT) return 8;
  if (atp_context_error(context, text, sizeof text) == 0 || strstr(text, "no alphabet") == NULL) return 9;
  if (atp_last_error(text, sizeof text) == 0 || strstr(text, "no alphabet") == NULL) return 10;
  printf("%s %.17g\n", atp_version_string(), loss);
  atp_alignment_destroy(alignment);
  atp_alignment_destroy(read);
  if (atp_context_memory(context, NULL, &bytes) != ATP_OK || bytes != 0) return 11;
  atp_context_destroy(context);
  return remove(path) != 0;
}
