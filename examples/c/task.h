/* SPDX-License-Identifier: MIT */
/* The check of statuses that the programs of this folder share. */
#include <attopotts.h>
#include <stdio.h>
#include <stdlib.h>

static void check(atp_status status) {
  char text[512];
  if (status == ATP_OK) return;
  atp_last_error(text, sizeof text);
  fprintf(stderr, "%s: %s\n", atp_status_name(status), text);
  exit(1);
}
