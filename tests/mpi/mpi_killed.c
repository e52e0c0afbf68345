/* SPDX-License-Identifier: MIT */
/* The last rank is killed while the others wait for it in a collective call; run by run_killed.py. usage: mpi_killed [kill|abort] */
#include <attopotts/context.h>
#include <attopotts/mpi.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
  atp_context *context = NULL;
  int flag = 0;
  const char *how = argc > 1 ? argv[1] : "";
  if (atp_mpi_begin(&argc, &argv) != 0 || atp_context_create(NULL, NULL, NULL, &context) != ATP_OK) return 1;
  if (atp_context_set_mpi_world(context) != ATP_OK || atp_context_any(context, &flag) != ATP_OK) return 1;
  if (atp_context_rank(context) == atp_context_rank_count(context) - 1) {
    sleep(1); /* the others are in the call by then */
    if (strcmp(how, "kill") == 0) raise(SIGKILL);
    if (strcmp(how, "abort") == 0) atp_mpi_abort(7);
  }
  if (atp_context_any(context, &flag) != ATP_OK) return 1;
  if (atp_context_rank(context) == 0) puts("together");
  atp_context_destroy(context);
  return atp_mpi_end();
}
