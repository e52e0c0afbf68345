/* SPDX-License-Identifier: MIT */
/* Ranks of MPI: run by mpirun with any number of ranks. Calls of MPI are counted here, on their way to MPI (PMPI). */
#include "checks.h"

#include <attopotts_mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SITES = 6, COLORS = 3, SAMPLES = 200, EPOCHS = 5, PARAMETERS = 4096 };

static int duplicates, freed, broken;

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made) {
  ++duplicates;
  return PMPI_Comm_dup(comm, made);
}

int MPI_Comm_free(MPI_Comm *comm) {
  ++freed;
  return PMPI_Comm_free(comm);
}

int MPI_Bcast(void *bytes, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return broken ? MPI_ERR_OTHER : PMPI_Bcast(bytes, count, type, root, comm);
}

static atp_context *make_context(void) {
  atp_context *context = NULL;
  CHECK(atp_context_create(NULL, NULL, NULL, &context) == ATP_OK);
  CHECK(atp_context_set_threads(context, 2) == ATP_OK);
  return context;
}

static double traffic(const atp_context *context, atp_traffic what) {
  double value = -1;
  CHECK(atp_context_traffic(context, what, &value) == ATP_OK);
  return value;
}

/* Broadcast and any on a communicator, and what has passed. Each operation begins with a sum of one integer, each call ends with one. */
static void exchange(atp_context *context, MPI_Comm comm) {
  char bytes[32] = "", expected[32] = "";
  int own, count, flag;
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &count);
  CHECK(atp_context_rank(context) == own && atp_context_rank_count(context) == count);
  snprintf(bytes, sizeof bytes, "rank %d", own);
  snprintf(expected, sizeof expected, "rank %d", count - 1);
  CHECK(atp_context_broadcast(context, bytes, sizeof bytes, count - 1) == ATP_OK);
  CHECK(strcmp(bytes, expected) == 0);
  flag = own == count - 1 ? 7 : 0;
  CHECK(atp_context_any(context, &flag) == ATP_OK);
  CHECK(flag == 1);
  flag = 0;
  CHECK(atp_context_any(context, &flag) == ATP_OK);
  CHECK(flag == 0);
  const double root = own == count - 1, several = count > 1;
  CHECK(traffic(context, ATP_TRAFFIC_CALLS) == several * 9);
  CHECK(traffic(context, ATP_TRAFFIC_SENT) == several * (8 * 8 + 32 * root));
  CHECK(traffic(context, ATP_TRAFFIC_RECEIVED) == several * (8 * 8 + 32 * (1 - root)));
  CHECK(several == 0 ? traffic(context, ATP_TRAFFIC_SECONDS) == 0 : traffic(context, ATP_TRAFFIC_SECONDS) > 0);
}

/* A message of the program waits on the same communicator, for any sender and tag. */
static void messages_do_not_mix(MPI_Comm comm) {
  int own, count, got = -1, sent;
  MPI_Request request;
  atp_context *context = make_context();
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &count);
  MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request);
  const int before = duplicates;
  CHECK(atp_context_set_mpi(context, comm) == ATP_OK);
  exchange(context, comm);
  /* Again with the same communicator: no other duplicate. */
  CHECK(duplicates == before + 1);
  CHECK(atp_context_set_mpi(context, comm) == ATP_OK);
  exchange(context, comm);
  CHECK(duplicates == before + 1);
  sent = 100 + own;
  MPI_Send(&sent, 1, MPI_INT, (own + 1) % count, 5, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(got == 100 + (own + count - 1) % count);
  atp_context_destroy(context);
}

static void split_communicators(void) {
  char byte = 0;
  int flag = 0;
  MPI_Comm half;
  atp_context *context = make_context(), *world = make_context();
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  messages_do_not_mix(half);
  CHECK(atp_context_set_mpi(context, half) == ATP_OK);
  CHECK(atp_context_set_mpi_world(world) == ATP_OK);
  exchange(context, half);
  exchange(world, MPI_COMM_WORLD);
  /* The duplicate goes with the communicator, and contexts that had it know. */
  const int before = freed;
  const int64_t count = atp_context_rank_count(context);
  MPI_Comm_free(&half);
  CHECK(freed == before + 2);
  CHECK(atp_context_any(context, &flag) == (count > 1 ? ATP_E_RANK : ATP_OK));
  CHECK(atp_context_broadcast(context, &byte, 1, 0) == (count > 1 ? ATP_E_RANK : ATP_OK));
  CHECK(atp_context_set_ranks(context, NULL) == ATP_OK);
  CHECK(atp_context_any(context, &flag) == ATP_OK);
  atp_context_destroy(world);
  atp_context_destroy(context);
}

static void handles_of_fortran(void) {
  const int before = duplicates;
  MPI_Comm other;
  atp_context *context = make_context();
  CHECK(atp_context_set_mpi_f(context, (int)MPI_Comm_c2f(MPI_COMM_WORLD)) == ATP_OK);
  exchange(context, MPI_COMM_WORLD);
  CHECK(atp_context_set_mpi_f(context, (int)MPI_Comm_c2f(MPI_COMM_SELF)) == ATP_OK);
  exchange(context, MPI_COMM_SELF);
  CHECK(duplicates == before + 1);
  /* The program's own duplicate does not inherit that of the library. */
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  CHECK(atp_context_set_mpi(context, other) == ATP_OK);
  CHECK(duplicates == before + 3);
  MPI_Comm_free(&other);
  atp_context_destroy(context);
}

static void failure_of_one(void) {
  char bytes[8] = "";
  int flag = 0;
  const int last = size - 1;
  atp_context *context = make_context();
  CHECK(atp_context_set_mpi(context, MPI_COMM_WORLD) == ATP_OK);
  CHECK(atp_context_broadcast(context, bytes, rank == last ? -3 : 8, 0) == (rank == last ? ATP_E_VALUE : ATP_E_RANK));
  CHECK(says("size is -3"));
  CHECK(atp_context_broadcast(context, bytes, 8, 0) == ATP_OK);
  if (size > 1) {
    CHECK((rank == last ? atp_context_fail(context, "no data here") : atp_context_any(context, &flag)) ==
          (rank == last ? ATP_OK : ATP_E_RANK));
    if (rank != last) CHECK(says("no data here") && says("rank "));
  }
  CHECK(atp_context_any(context, &flag) == ATP_OK);
  /* An error of MPI. */
  broken = 1;
  CHECK(atp_context_broadcast(context, bytes, 8, 0) == (size > 1 ? ATP_E_RANK : ATP_OK));
  broken = 0;
  if (size > 1) CHECK(says("the broadcast callback of rank"));
  CHECK(atp_context_any(context, &flag) == (size > 1 ? ATP_E_RANK : ATP_OK));
  CHECK(atp_context_set_mpi(context, MPI_COMM_WORLD) == ATP_OK);
  CHECK(atp_context_any(context, &flag) == ATP_OK);
  atp_context_destroy(context);
}

static int64_t ranks_of_this_host(void) {
  char names[64][MPI_MAX_PROCESSOR_NAME] = {""}, name[MPI_MAX_PROCESSOR_NAME] = "";
  int length;
  int64_t count = 0;
  MPI_Get_processor_name(name, &length);
  MPI_Allgather(name, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, names, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, MPI_COMM_WORLD);
  for (int r = 0; r < size; ++r) count += strcmp(names[r], name) == 0;
  return count;
}

static void arguments(void) {
  int flag = 0;
  atp_context *context = make_context();
  CHECK(atp_context_set_mpi(context, MPI_COMM_WORLD) == ATP_OK);
  CHECK(atp_context_set_mpi(context, MPI_COMM_NULL) == ATP_E_NULL && says("MPI_COMM_NULL"));
  CHECK(atp_context_rank_count(context) == size);
  CHECK(atp_context_set_mpi(NULL, MPI_COMM_WORLD) == ATP_E_NULL && says("context is NULL"));
  CHECK(atp_context_set_mpi_world(NULL) == ATP_E_NULL);
  CHECK(atp_context_set_mpi_f(NULL, (int)MPI_Comm_c2f(MPI_COMM_WORLD)) == ATP_E_NULL);
  /* A context is missing on one rank alone. */
  CHECK(atp_context_set_mpi(rank == 0 ? NULL : context, MPI_COMM_WORLD) == (rank == 0 ? ATP_E_NULL : ATP_E_RANK));
  CHECK(atp_context_any(context, &flag) == ATP_OK);
  /* Too little memory for one rank alone. */
  CHECK(atp_context_set_memory_limit(context, rank == 0 ? 1 : 0) == ATP_OK);
  CHECK(atp_context_set_mpi(context, MPI_COMM_WORLD) == (rank == 0 ? ATP_E_MEMORY : ATP_E_RANK));
  CHECK(atp_context_rank_count(context) == 1);
  CHECK(atp_context_set_memory_limit(context, 0) == ATP_OK);
  if (size > 1) {
    MPI_Comm half, inter;
    MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank > 0 ? 0 : 1, 3, &inter);
    CHECK(atp_context_set_mpi(context, inter) == ATP_E_VALUE && says("intercommunicator"));
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
  }
  CHECK(atp_context_set_mpi(context, MPI_COMM_WORLD) == ATP_OK);
  CHECK(atp_mpi_node_ranks() == ranks_of_this_host());
  atp_context_destroy(context);
}

/* What sampling and training give. */
typedef struct results {
  uint8_t sequences[SAMPLES * SITES];
  double energies[8], parameters[PARAMETERS], loss;
  int64_t count;
} results;

static void work(atp_context *context, results *r) {
  atp_options *options = NULL;
  atp_model *model = NULL;
  atp_sampler *sampler = NULL;
  atp_alignment *data = NULL;
  atp_trainer *trainer = NULL;
  memset(r, 0, sizeof *r);
  CHECK(atp_options_create(context, ATP_OWNER_SAMPLER, &options) == ATP_OK);
  CHECK(atp_options_set_i64(options, ATP_OPT_CHAINS, 8) == ATP_OK);
  CHECK(atp_model_create_random(context, SITES, COLORS, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &model) == ATP_OK);
  CHECK(atp_sampler_create(context, model, options, &sampler) == ATP_OK);
  CHECK(atp_sampler_sweep(sampler, 20, NULL, NULL, NULL) == ATP_OK);
  CHECK(atp_sampler_sample(sampler, 2, r->sequences, sizeof r->sequences, NULL, NULL, NULL) == ATP_OK);
  CHECK(atp_alignment_create(context, r->sequences, SAMPLES, SITES, COLORS, NULL, &data) == ATP_OK);
  atp_options_destroy(options);
  CHECK(atp_options_create(context, ATP_OWNER_TRAINER, &options) == ATP_OK);
  CHECK(atp_options_set_f64(options, ATP_OPT_L2_COUPLINGS, 1e-3) == ATP_OK);
  CHECK(atp_trainer_create(context, data, options, &trainer) == ATP_OK);
  CHECK(atp_trainer_run(trainer, EPOCHS, NULL, NULL, NULL) == ATP_OK);
  r->count = atp_trainer_parameter_count(trainer);
  CHECK(r->count > 0 && r->count <= PARAMETERS);
  CHECK(atp_trainer_parameters(trainer, r->parameters, r->count) == ATP_OK);
  CHECK(atp_trainer_loss(trainer, data, &r->loss) == ATP_OK);
  atp_trainer_destroy(trainer);
  atp_alignment_destroy(data);
  atp_sampler_destroy(sampler);
  atp_model_destroy(model);
  atp_options_destroy(options);
}

static void same_numbers(void) {
  static results alone, together;
  atp_context *one = make_context(), *several = make_context();
  CHECK(atp_context_set_mpi(several, MPI_COMM_WORLD) == ATP_OK);
  work(one, &alone);
  work(several, &together);
  CHECK(alone.count > 0 && memcmp(&alone, &together, sizeof alone) == 0);
  together.loss += 1;
  CHECK(memcmp(&alone, &together, sizeof alone) != 0);
  atp_context_destroy(several);
  atp_context_destroy(one);
}

int main(int argc, char **argv) {
  int flag = 0, all = 0;
  atp_context *context = make_context();
  CHECK(atp_context_set_mpi_world(context) == ATP_E_STAGE && says("MPI is not initialised"));
  CHECK(atp_context_set_mpi_f(context, 0) == ATP_E_STAGE);
  CHECK(atp_mpi_node_ranks() == 0);
  CHECK(atp_mpi_begin(&argc, &argv) == 0);
  CHECK(atp_mpi_begin(NULL, NULL) == 0);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  messages_do_not_mix(MPI_COMM_WORLD);
  split_communicators();
  handles_of_fortran();
  failure_of_one();
  arguments();
  same_numbers();

  CHECK(atp_context_set_mpi(context, MPI_COMM_WORLD) == ATP_OK);
  CHECK(atp_context_any(context, &flag) == ATP_OK);
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  const int before = freed;
  CHECK(atp_mpi_end() == 0);
  CHECK(freed == before + 2); /* the duplicates of MPI_COMM_WORLD and MPI_COMM_SELF */
  CHECK(atp_mpi_end() == 0);
  CHECK(atp_context_set_mpi(context, MPI_COMM_WORLD) == ATP_E_STAGE && says("MPI_Finalize()"));
  CHECK(atp_context_any(context, &flag) == (size > 1 ? ATP_E_RANK : ATP_OK));
  CHECK(atp_mpi_begin(NULL, NULL) == -1);
  CHECK(atp_mpi_node_ranks() == 0);
  atp_mpi_abort(9);
  atp_context_destroy(context);
  if (rank == 0 && all + failures == 0) printf("%d ranks: passed\n", size);
  return all + failures != 0;
}
