/* SPDX-License-Identifier: MIT */
/** @file ranks.h
 *  Ranks: processes that work on one problem together.
 *
 *  Each process ("rank") runs the same program with the same arguments, on a context of its own. atp_context_set_ranks() tells the context
 *  how the ranks reach each other. After that the parallel calls of this API divide their work among the ranks, and every rank gets the
 *  whole result. libattopotts_mpi (attopotts_mpi.h) makes the callbacks from an MPI communicator. The core itself knows nothing of MPI.
 *
 *  Results do not depend on the number of ranks: they have the bits of one rank. Work is cut into items that depend on the problem alone.
 *  A rank computes some items, then all ranks gather all of them and add them in one order.
 *
 *  Collective calls. With two or more ranks all of them make the same calls in the same order, with the same arguments: creating samplers,
 *  trainers and tasks, running them, tuning, weights. These calls say "collective" under "Threads". Other calls may be made
 *  by any rank alone. A collective call that fails on one rank fails on all: on that rank with its own status, on the others with
 *  ATP_E_RANK and a text that names the rank, its host and the cause. Only a rank that has ended, or that is in a different call, can make
 *  others wait: MPI ends them (attopotts_mpi.h).
 *
 *  Callbacks. Progress callbacks are called on all ranks at the same steps where all ranks pass one or none does; where some ranks pass
 *  none, the others are called at the same steps as well. ATP_PROGRESS_SECONDS is that of rank 0. A callback may therefore make collective
 *  calls (atp_trainer_save_state(), for example), of this API or of MPI, at steps that it chooses by the numbers of the report. It must not
 *  choose by a clock of its own. Where a callback returns non-zero on one rank, or a stop is requested on one, the run ends on all after
 *  the same step. Log callbacks and allocators are called on each rank as it comes.
 */
#ifndef ATTOPOTTS_RANKS_H
#define ATTOPOTTS_RANKS_H

#include <attopotts/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How a rank reaches the others. Each callback is collective: it returns when its part is done, 0 for success. All are called in the
 *  thread that made the call of this API, one at a time, with no lock held. They must not throw or longjmp. A value other than 0 ends the
 *  call with ATP_E_RANK; the ranks can then do no further collective calls. */
typedef struct atp_ranks {
  int64_t struct_bytes; /**< sizeof(atp_ranks) */
  int64_t rank;         /**< of this process, 0..size-1 */
  int64_t size;         /**< number of ranks, 1..1048576 */
  void *user;           /**< passed to the callbacks */
  /** Rank r has written bytes[ends[r - 1]] to bytes[ends[r] - 1], with ends[-1] = 0; gives every rank the bytes of all.
   *  ends[size] does not decrease and is the same on all ranks. */
  int (*gather)(void *bytes, const int64_t *ends, void *user);
  /** Replaces values[count] by their sums over the ranks. Integers: the order does not matter. */
  int (*sum)(int64_t *values, int64_t count, void *user);
  /** Gives every rank the bytes[count] of rank root. */
  int (*broadcast)(void *bytes, int64_t count, int64_t root, void *user);
} atp_ranks;

/** What a context has passed through its callbacks: atp_context_traffic(). */
typedef enum atp_traffic ATP_INT {
  ATP_TRAFFIC_CALLS = 0,    /**< calls of gather, sum and broadcast */
  ATP_TRAFFIC_SENT = 1,     /**< bytes that this rank gave: its part of a gather, sums, broadcasts of which it is the root */
  ATP_TRAFFIC_RECEIVED = 2, /**< bytes that this rank got: the other parts of a gather, sums, broadcasts of other roots */
  ATP_TRAFFIC_SECONDS = 3   /**< wall-clock time within the callbacks, waiting for slower ranks included */
} atp_traffic;

/** Makes the context one of several ranks. Call it before other handles are made from the context.
 *  @param[in] ranks  copied; NULL: one rank, as a new context has
 *  @return ATP_OK; ATP_E_NULL (context, a callback); ATP_E_VALUE (struct_bytes, rank, size); ATP_E_MISMATCH (the ranks have different
 *          versions of this library, or sizes or ranks that do not fit each other); ATP_E_MEMORY; ATP_E_RANK (a callback failed).
 *          After these the context has one rank
 *  Allocates: 8 bytes per rank. Threads: one per context; collective. Since: 0.1. */
ATP_API atp_status atp_context_set_ranks(atp_context *context, const atp_ranks *ranks) ATP_NOEXCEPT;

/** Returns the number of this rank; 0 for a context without ranks and for NULL. Allocates: no. Threads: one per context. Since: 0.1. */
ATP_API int64_t atp_context_rank(const atp_context *context) ATP_NOEXCEPT;

/** Returns the number of ranks; 1 for a context without ranks, 0 for NULL. Allocates: no. Threads: one per context. Since: 0.1. */
ATP_API int64_t atp_context_rank_count(const atp_context *context) ATP_NOEXCEPT;

/** Gives every rank the bytes of one.
 *  @param[in,out] bytes  [size] read on rank root, written on the others
 *  @param[in]     size   number of bytes, the same on all ranks
 *  @param[in]     root   a rank
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (size, root); ATP_E_RANK (a rank or a callback failed)
 *  Allocates: no. Threads: one per context; collective. Since: 0.1. */
ATP_API atp_status atp_context_broadcast(atp_context *context, void *bytes, int64_t size, int64_t root) ATP_NOEXCEPT;

/** Tells every rank whether a flag is set on any of them.
 *  @param[in,out] flag  0 or not; after the call 1 where it was not 0 on any rank, else 0
 *  @return ATP_OK; ATP_E_NULL; ATP_E_RANK (a rank or a callback failed)
 *  Allocates: no. Threads: one per context; collective. Since: 0.1. */
ATP_API atp_status atp_context_any(atp_context *context, int *flag) ATP_NOEXCEPT;

/** Ends the collective call in which the other ranks are, or the next one: they get ATP_E_RANK with this text. For a rank that cannot go
 *  on, because a file of its own cannot be read, for example. With one rank it does nothing.
 *  @param[in] text  what has happened, at most 255 bytes are passed on
 *  @return ATP_OK (the others were told); ATP_E_NULL; ATP_E_RANK (a callback failed)
 *  Allocates: no. Threads: one per context; collective with any other collective call of the others. Since: 0.1. */
ATP_API atp_status atp_context_fail(atp_context *context, const char *text) ATP_NOEXCEPT;

/** Returns what has passed through the callbacks since atp_context_set_ranks().
 *  @param[in]  what   one quantity
 *  @param[out] value  bytes, calls or seconds
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (what). Allocates: no. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_context_traffic(const atp_context *context, atp_traffic what, double *value) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
