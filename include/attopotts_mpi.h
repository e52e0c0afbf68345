/* SPDX-License-Identifier: MIT */
/** @file attopotts_mpi.h
 *  Ranks of MPI: atp_context_set_mpi() makes the callbacks of ranks.h from a communicator. The library is attopotts_mpi, for
 *  pkg-config attopotts-mpi. It belongs to the MPI that it was built with. docs/clusters.md has examples in several languages.
 *
 *  Messages. The library sends its messages through a duplicate of the communicator, so they never mix with those of the program. It makes
 *  one duplicate per communicator, however often it is given that communicator. The duplicate is freed with the communicator, or by
 *  MPI_Finalize(). Collective calls after that fail with ATP_E_RANK; therefore keep the communicator as long as the context works.
 *
 *  Threads. MPI is called in the thread that calls this API, never by the threads of the context: MPI_THREAD_FUNNELED suffices if that is
 *  the thread that has initialised MPI. With MPI_THREAD_SINGLE the same is true in practice, and there is no warning: implementations
 *  treat both levels alike as long as one thread makes all calls. If contexts in several threads have ranks, MPI_THREAD_MULTIPLE is needed,
 *  and each context needs a communicator of its own.
 *
 *  Failures. MPI's errors in the library's messages become ATP_E_RANK. A rank that ends without MPI_Finalize(), by a signal for example, is
 *  noticed by MPI, which ends the others (mpirun returns a status other than 0).
 */
#ifndef ATTOPOTTS_UMBRELLA_MPI_H
#define ATTOPOTTS_UMBRELLA_MPI_H

#include <mpi.h>

#include <attopotts.h>

#include <attopotts/mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Makes the context one of the ranks of a communicator, like atp_context_set_ranks(). All ranks of the communicator make this call.
 *  @param[in] comm  an intracommunicator; it must live as long as the context makes collective calls
 *  @return ATP_OK; ATP_E_NULL (context, or comm is MPI_COMM_NULL); ATP_E_VALUE (comm is an intercommunicator); ATP_E_STAGE (MPI is not
 *          initialised, or MPI_Finalize() was called); ATP_E_MISMATCH (the ranks have different versions of this library); ATP_E_MEMORY;
 *          ATP_E_RANK (MPI failed, or another rank passed NULL as context)
 *  Allocates: 8 bytes per rank, once per communicator as much again by malloc. Threads: one per context; collective. Since: 0.1. */
ATP_API atp_status atp_context_set_mpi(atp_context *context, MPI_Comm comm) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
