/* SPDX-License-Identifier: MIT */
/** @file status.h
 *  Status codes of calls and outcomes of runs.
 *
 *  Every function that can fail returns an atp_status. Values are fixed: a value is never removed or renumbered. Values of 100 and above
 *  are not stable.
 *
 *  How a run ended is not an error: functions that iterate return ATP_OK and store an atp_outcome. A run that did not converge, or that
 *  tested nothing, never stores ATP_OUTCOME_CONVERGED.
 *
 *  Conventions of the whole API
 *  - Arrays are in C order, the slowest index first: shape [N][L] means x[n * L + l]. Fortran and Julia see the same memory with the
 *    indices reversed, (L, N).
 *  - Indices count from 0. Counts are int64_t. Sequences are uint8_t, values 0..q-1, 2 <= q <= 255.
 *  - Arrays are borrowed for the call only, unless a function has `_view` in its name.
 *  - A function that fails leaves its outputs untouched; a create function sets *out to NULL.
 *  - After a failure, atp_last_error() returns the error text in the thread that made the call.
 *
 *  Threads: the functions of this header are always safe.
 */
#ifndef ATTOPOTTS_STATUS_H
#define ATTOPOTTS_STATUS_H

#include <stddef.h>
#include <stdint.h>

#include <attopotts/visibility.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Status codes. */
typedef enum atp_status ATP_INT {
  ATP_OK = 0,              /**< success */
  ATP_E_NULL = 10,         /**< a required pointer is NULL */
  ATP_E_VALUE = 11,        /**< a number is outside its range */
  ATP_E_SHAPE = 12,        /**< the sizes of two arguments do not match */
  ATP_E_NOT_FINITE = 13,   /**< a NaN or an infinity where a finite number is required */
  ATP_E_ALPHABET = 14,     /**< a colour >= q, or a symbol that is not in the alphabet */
  ATP_E_SYMMETRY = 15,     /**< an array is not symmetric, or its diagonal is not zero */
  ATP_E_CONFLICT = 16,     /**< options or arguments contradict each other */
  ATP_E_OPEN = 20,         /**< a file cannot be opened or created */
  ATP_E_READ = 21,         /**< reading a file failed */
  ATP_E_WRITE = 22,        /**< writing a file failed (for example a full disk); the old file is unchanged */
  ATP_E_FORMAT = 23,       /**< a file does not have the expected format, is empty or is truncated */
  ATP_E_CHECKSUM = 24,     /**< a saved state does not match its checksum */
  ATP_E_OPTION = 40,       /**< no such option */
  ATP_E_OPTION_RANGE = 41, /**< an option's value is outside its bounds */
  ATP_E_STAGE = 60,        /**< the call comes too early or too late (no start state is set; within a callback of a run) */
  ATP_E_UNSUPPORTED = 61,  /**< this build or this machine does not support it */
  ATP_E_MISMATCH = 62,     /**< a saved state belongs to a different problem or different options */
  ATP_E_CALLBACK = 63,     /**< a callback threw a C++ exception, or a reduction failed; the handle is consistent */
  ATP_E_MEMORY = 64,       /**< the allocator returned NULL, or the memory limit of the context leaves too little */
  ATP_E_TOO_LARGE = 65,    /**< the problem is larger than the method supports */
  ATP_E_RANK = 66,         /**< another rank has failed, or does not answer (ranks.h) */
  ATP_E_BUFFER = 70,       /**< the caller's buffer is too small */
  ATP_E_INTERNAL = 90      /**< a defect of the library: please report it with the error text */
} atp_status;

/** How a run ended. */
typedef enum atp_outcome ATP_INT {
  ATP_OUTCOME_NONE = 0,      /**< nothing was run */
  ATP_OUTCOME_CONVERGED = 1, /**< the stopping test was met */
  ATP_OUTCOME_MAX_ITER = 2,  /**< the limit of epochs or iterations was reached before the stopping test was met */
  ATP_OUTCOME_CANCELLED = 3, /**< a callback or a stop request ended the run; the state is consistent */
  ATP_OUTCOME_DIVERGED = 4,  /**< a number was no longer finite */
  ATP_OUTCOME_STALLED = 5,   /**< no further descent was possible at working precision */
  ATP_OUTCOME_DONE = 6       /**< all steps were made, and nothing was tested: samplers, of which it says nothing about equilibrium */
} atp_outcome;

/* ---- Stable: what most programs need ---- */

/** Returns the name of an outcome in lower case, for example "converged". Any int is allowed.
 *  @return a static string. Allocates: no. Threads: any. Since: 0.1, stable. */
ATP_API const char *atp_outcome_name(int outcome) ATP_NOEXCEPT;

/** Copies the text of the last failure in the calling thread: which argument, its value, and what was expected.
 *  @param[out] buffer  receives at most size bytes, always terminated by 0; NULL allowed when size = 0
 *  @param[in]  size    size of the buffer in bytes
 *  @return the length of the whole text without its final 0; 0 if nothing has failed yet.
 *  Allocates: no. Threads: any; each has its own text. Since: 0.1, stable. */
ATP_API int64_t atp_last_error(char *buffer, int64_t size) ATP_NOEXCEPT;

/* ---- The rest: it may change until version 1.0 ---- */

/** Returns the name of a status, for example "ATP_E_NULL". Any int is allowed; unknown ones give "unknown status".
 *  @return a static string. Allocates: no. Threads: any. Since: 0.1. */
ATP_API const char *atp_status_name(int status) ATP_NOEXCEPT;

/** Returns one sentence that explains a status. Any int is allowed.
 *  @return a static string. Allocates: no. Threads: any. Since: 0.1. */
ATP_API const char *atp_status_string(int status) ATP_NOEXCEPT;

/** Copies the text of atp_last_error() for languages whose arrays have the last index of C first and count from 1 (Fortran, Julia):
 *  sequences[4][2] is called sequences(3, 5), and an index that is named is larger by one. Values, colours too, are the same.
 *  @param[out] buffer  receives at most size bytes, always terminated by 0; NULL allowed when size = 0
 *  @param[in]  size    size of the buffer in bytes
 *  @return the length of the whole text without its final 0; 0 if nothing has failed yet.
 *  Allocates: no. Threads: any; each has its own text. Since: 0.1. */
ATP_API int64_t atp_last_error_from_one(char *buffer, int64_t size) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
