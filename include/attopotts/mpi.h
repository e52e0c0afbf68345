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

/** Gives all ranks the bytes of one, once per machine: they are sent to one rank of each machine, and all its ranks see the same pages
 *  (MPI_Win_allocate_shared()). For what every rank reads and none writes: atp_alignment_borrow() makes an alignment of such sequences.
 *  A rank has a copy of its own where it is alone on its machine, where /dev/shm has no room, or where the ranks of the context are not
 *  those of MPI; the log says so.
 *  @param[in]  bytes  (optional) on rank root the bytes, shape [size]; ignored on the others
 *  @param[in]  size   number of bytes, at least 1, the same on all ranks
 *  @param[in]  root   a rank, the same on all ranks
 *  @param[out] out    the bytes, which must not be written; they start at different addresses on different ranks. NULL if the call fails
 *  @return ATP_OK; ATP_E_NULL (context, out; bytes on rank root); ATP_E_VALUE (size, root); ATP_E_MISMATCH (size or root differ from those
 *          of rank 0); ATP_E_MEMORY; ATP_E_RANK (a rank or MPI failed)
 *  Allocates: size bytes per machine, by MPI; or size bytes through the context. Threads: one per context; collective. Since: 0.1. */
ATP_API atp_status atp_mpi_share_bytes(atp_context *context, const void *bytes, int64_t size, int64_t root, const void **out) ATP_NOEXCEPT;

/** Frees bytes of atp_mpi_share_bytes(). All ranks release the same bytes, after the handles that read them are destroyed, and before the
 *  communicator is freed and MPI_Finalize() is called. If the call fails, the bytes stay.
 *  @param[in] bytes  what atp_mpi_share_bytes() has given this rank, with this context
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (other bytes); ATP_E_STAGE (MPI is not running); ATP_E_RANK (another rank failed)
 *  Allocates: no. Threads: one per context; collective. Since: 0.1. */
ATP_API atp_status atp_mpi_release_bytes(atp_context *context, const void *bytes) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
