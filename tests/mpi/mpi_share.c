/* SPDX-License-Identifier: MIT */
/* Bytes that the ranks of a machine share: run by mpirun with any number of ranks. */
#include "checks.h"

#include <attopotts_mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

enum { SITES = 400, COLORS = 21, MANY = 60000, BYTES = SITES * MANY, FEW = 300 };

static uint8_t byte_at(int64_t place, int64_t root) { return (uint8_t)((place * 37 + place / 251 + root) % COLORS); }

/* The bytes of the root; NULL on other ranks. */
static uint8_t *own_bytes(int64_t bytes, int64_t root) {
  uint8_t *made = rank == root ? malloc((size_t)bytes) : NULL;
  for (int64_t k = 0; made != NULL && k < bytes; ++k) made[k] = byte_at(k, root);
  return made;
}

static int same(const void *bytes, int64_t count, int64_t root) {
  const uint8_t *p = bytes;
  for (int64_t k = 0; k < count; ++k)
    if (p[k] != byte_at(k, root)) return 0;
  return 1;
}

static void every_root_and_length(atp_context *context) {
  static const int64_t lengths[] = {1, 7, 4096, 100001};
  const void *shared[4];
  for (int64_t root = 0; root < size; ++root) {
    for (int k = 0; k < 4; ++k) {
      uint8_t *own = own_bytes(lengths[k], root);
      CHECK(atp_mpi_share_bytes(context, own, lengths[k], root, &shared[k]) == ATP_OK);
      CHECK(shared[k] != own);
      free(own);
    }
    for (int k = 0; k < 4; ++k) CHECK(shared[k] != NULL && same(shared[k], lengths[k], root) && !same(shared[k], lengths[k], root + 1));
    for (int k = 3; k >= 0; --k) CHECK(atp_mpi_release_bytes(context, shared[(k + 2) % 4]) == ATP_OK);
  }
}

/* All ranks fail together, and can go on. */
static void failures_of_one(atp_context *context) {
  const uint8_t own[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  const void *out = own, *first = NULL;
  const int last = rank == size - 1;
  const atp_status other = size > 1 ? ATP_E_RANK : ATP_OK;
  CHECK(atp_mpi_share_bytes(context, own, last ? 0 : 8, 0, &out) == (last ? ATP_E_VALUE : other) && says("size is 0"));
  CHECK(out == NULL);
  CHECK(atp_mpi_share_bytes(context, own, 8, last ? size : 0, &out) == (last ? ATP_E_VALUE : other) && says("root is "));
  CHECK(atp_mpi_share_bytes(context, rank == 0 ? NULL : own, 8, 0, &out) == (rank == 0 ? ATP_E_NULL : ATP_E_RANK) && says("bytes is NULL"));
  CHECK(atp_mpi_share_bytes(context, own, 8, 0, last ? NULL : &out) == (last ? ATP_E_NULL : other) && says("out is NULL"));
  if (size > 1) {
    CHECK(atp_mpi_share_bytes(context, own, last ? 7 : 8, 0, &out) == (last ? ATP_E_MISMATCH : ATP_E_RANK) &&
          says("has size 7 and root 0"));
    CHECK(atp_mpi_share_bytes(context, own, 8, last, &out) == (last ? ATP_E_MISMATCH : ATP_E_RANK) && says("has size 8 and root 1"));
    CHECK((last ? atp_context_fail(context, "no file") : atp_mpi_share_bytes(context, own, 8, 0, &out)) == (last ? ATP_OK : ATP_E_RANK));
    if (!last) CHECK(says("no file") && out == NULL);
  }
  CHECK(atp_mpi_share_bytes(NULL, own, 8, 0, &out) == ATP_E_NULL && says("context is NULL"));
  CHECK(atp_mpi_release_bytes(NULL, own) == ATP_E_NULL);
  CHECK(atp_mpi_share_bytes(context, own, 8, 0, &first) == ATP_OK);
  CHECK(atp_mpi_release_bytes(context, last ? NULL : first) == (last ? ATP_E_NULL : other) && says("bytes is NULL"));
  CHECK(atp_mpi_release_bytes(context, last ? own : first) == (last ? ATP_E_VALUE : other) && says("bytes are not those of"));
  CHECK(memcmp(first, own, 8) == 0);
  CHECK(atp_mpi_release_bytes(context, first) == ATP_OK);
  CHECK(atp_mpi_release_bytes(context, first) == ATP_E_VALUE);
}

/* Contexts without ranks, ranks of a part, freed communicators. */
static void other_contexts(void) {
  atp_context *alone = NULL, *half = NULL;
  MPI_Comm comm;
  int64_t before = -1, within = -1, after = -1;
  uint8_t own[100];
  const void *out = NULL;
  memset(own, 1 + rank % 2, sizeof own);
  CHECK(atp_context_create(NULL, NULL, NULL, &alone) == ATP_OK && atp_context_create(NULL, NULL, NULL, &half) == ATP_OK);
  CHECK(atp_context_memory(alone, NULL, &before) == ATP_OK);
  CHECK(atp_mpi_share_bytes(alone, own, sizeof own, 0, &out) == ATP_OK);
  CHECK(out != NULL && out != own && memcmp(out, own, sizeof own) == 0);
  CHECK(atp_context_memory(alone, NULL, &within) == ATP_OK && within == before + (int64_t)sizeof own);
  CHECK(atp_mpi_release_bytes(alone, out) == ATP_OK);
  CHECK(atp_context_memory(alone, NULL, &after) == ATP_OK && after == before);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm);
  CHECK(atp_context_set_mpi(half, comm) == ATP_OK);
  CHECK(atp_mpi_share_bytes(half, own, sizeof own, 0, &out) == ATP_OK && memcmp(out, own, sizeof own) == 0);
  CHECK(atp_mpi_release_bytes(half, out) == ATP_OK);
  const int64_t ranks = atp_context_rank_count(half);
  MPI_Comm_free(&comm);
  if (ranks > 1) CHECK(atp_mpi_share_bytes(half, own, sizeof own, 0, &out) == ATP_E_RANK && out == NULL);
  atp_context_destroy(half);
  atp_context_destroy(alone);
}

/* Memory of this process in bytes, pages of several processes divided by their number; -1 where the system does not say. */
static double proportional_memory(void) {
  char line[256];
  long long kilobytes = -1;
  FILE *file = fopen("/proc/self/smaps_rollup", "r");
  if (file == NULL) return -1;
  while (fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "Pss: %lld kB", &kilobytes) == 1) break;
  fclose(file);
  return kilobytes < 0 ? -1 : 1024.0 * (double)kilobytes;
}

static double memory_of_all(void) {
  double own, all = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  own = proportional_memory();
  MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  return all;
}

/* An alignment on all ranks takes the memory of one per machine; copies take that of all, which the measurement must see. */
static void memory_is_that_of_one(atp_context *context) {
  struct statvfs info;
  const void *shared = NULL;
  atp_alignment *alignment = NULL;
  double machines = 1.0 / (double)atp_mpi_node_ranks();
  int can = proportional_memory() > 0 && (statvfs("/dev/shm", &info) != 0 || (double)info.f_bavail * (double)info.f_frsize > 2.0 * BYTES);
  MPI_Allreduce(MPI_IN_PLACE, &machines, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &can, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  if (!can || size == 1) {
    if (size > 1 && rank == 0) printf("memory not measured: no smaps_rollup, or too little room in /dev/shm\n");
    return;
  }
  const double before = memory_of_all();
  uint8_t *own = own_bytes(BYTES, 0);
  CHECK(atp_mpi_share_bytes(context, own, BYTES, 0, &shared) == ATP_OK);
  free(own);
  CHECK(same(shared, BYTES, 0));
  CHECK(atp_alignment_borrow(context, shared, MANY, SITES, COLORS, NULL, &alignment) == ATP_OK);
  const double together = memory_of_all() - before;
  atp_alignment *copy = NULL;
  CHECK(atp_alignment_create(context, shared, MANY, SITES, COLORS, NULL, &copy) == ATP_OK);
  const double copies = memory_of_all() - before - together;
  atp_alignment_destroy(copy);
  atp_alignment_destroy(alignment);
  CHECK(atp_mpi_release_bytes(context, shared) == ATP_OK);
  const double left = memory_of_all() - before;
  CHECK(together > 0.9 * machines * BYTES && together < 1.3 * machines * BYTES);
  CHECK(copies > 0.9 * size * BYTES);
  CHECK(left < 0.2 * BYTES);
  if (rank == 0)
    printf("%d ranks, %.0f machines: %.1f MB together, %.1f MB in copies of %.1f MB\n", size, machines, together / 1e6, copies / 1e6,
           BYTES / 1e6);
}

/* Training on borrowed sequences has the bits of training on own ones. */
static void same_numbers(atp_context *context) {
  const void *shared = NULL;
  atp_options *options = NULL;
  double loss[2] = {0, 1};
  uint8_t *own = own_bytes(FEW * 6, 0);
  CHECK(atp_mpi_share_bytes(context, own, FEW * 6, 0, &shared) == ATP_OK);
  CHECK(atp_options_create(context, ATP_OWNER_TRAINER, &options) == ATP_OK);
  for (int k = 0; k < 2; ++k) {
    atp_alignment *data = NULL;
    atp_trainer *trainer = NULL;
    CHECK((k == 0 ? atp_alignment_borrow : atp_alignment_create)(context, shared, FEW, 6, COLORS, NULL, &data) == ATP_OK);
    CHECK(atp_trainer_create(context, data, options, &trainer) == ATP_OK);
    CHECK(atp_trainer_run(trainer, 5, NULL, NULL, NULL) == ATP_OK);
    CHECK(atp_trainer_loss(trainer, data, &loss[k]) == ATP_OK);
    atp_trainer_destroy(trainer);
    atp_alignment_destroy(data);
  }
  CHECK(memcmp(&loss[0], &loss[1], sizeof loss[0]) == 0 && loss[0] > 0);
  CHECK(atp_mpi_release_bytes(context, shared) == ATP_OK);
  atp_options_destroy(options);
  free(own);
}

int main(int argc, char **argv) {
  int all = 0;
  atp_context *context = NULL;
  CHECK(atp_mpi_begin(&argc, &argv) == 0);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(atp_context_create(NULL, NULL, NULL, &context) == ATP_OK && atp_context_set_threads(context, 1) == ATP_OK);
  CHECK(atp_context_set_mpi_world(context) == ATP_OK);
  every_root_and_length(context);
  failures_of_one(context);
  other_contexts();
  memory_is_that_of_one(context);
  same_numbers(context);
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(atp_mpi_end() == 0);
  atp_context_destroy(context);
  if (rank == 0 && all + failures == 0) printf("%d ranks: passed\n", size);
  return all + failures != 0;
}
