/* SPDX-License-Identifier: MIT */
/** @file attopotts/mpi.h
 *  Ranks of MPI for programs that do not include mpi.h themselves: MPI_COMM_WORLD, communicators as integers, begin and end of MPI. The
 *  functions are in the library attopotts_mpi. attopotts_mpi.h has the call for an MPI_Comm, and says what holds for all of them.
 */
#ifndef ATTOPOTTS_MPI_H
#define ATTOPOTTS_MPI_H

#include <attopotts/ranks.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Initialises MPI, with MPI_THREAD_FUNNELED, unless that has been done already.
 *  @param[in,out] argc, argv  those of main(), for implementations of MPI that read their own arguments; both may be NULL
 *  @return 0; an error code of MPI; -1 where MPI_Finalize() was called before.
 *  Allocates: no (MPI does). Threads: no other call; collective. Since: 0.1. */
ATP_API int atp_mpi_begin(int *argc, char ***argv) ATP_NOEXCEPT;

/** Ends MPI by MPI_Finalize() where atp_mpi_begin() has initialised it; otherwise does nothing. No rank may make collective calls after it.
 *  @return 0; an error code of MPI.
 *  Allocates: no. Threads: no other call; collective. Since: 0.1. */
ATP_API int atp_mpi_end(void) ATP_NOEXCEPT;

/** Ends all ranks of MPI_COMM_WORLD by MPI_Abort(), also those that wait for this one. Returns only where MPI is not running.
 *  @param[in] status  the exit status of the processes
 *  Allocates: no. Threads: any. Since: 0.1. */
ATP_API void atp_mpi_abort(int status) ATP_NOEXCEPT;

/** Returns the number of ranks of MPI_COMM_WORLD on this machine; 0 where MPI is not running. Ranks times threads should not exceed its
 *  cores. Allocates: no. Threads: no other call; collective. Since: 0.1. */
ATP_API int64_t atp_mpi_node_ranks(void) ATP_NOEXCEPT;

/** Makes the context one of the ranks of MPI_COMM_WORLD.
 *  @return as atp_context_set_mpi() of attopotts_mpi.h
 *  Allocates: 8 bytes per rank. Threads: one per context; collective. Since: 0.1. */
ATP_API atp_status atp_context_set_mpi_world(atp_context *context) ATP_NOEXCEPT;

/** Makes the context one of the ranks of a communicator that is given as an integer.
 *  @param[in] handle  what MPI_Comm_c2f() returns, an INTEGER handle of Fortran, py2f() of mpi4py
 *  @return as atp_context_set_mpi() of attopotts_mpi.h
 *  Allocates: 8 bytes per rank. Threads: one per context; collective. Since: 0.1. */
ATP_API atp_status atp_context_set_mpi_f(atp_context *context, int handle) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
