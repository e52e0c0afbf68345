/* SPDX-License-Identifier: MIT */
/** @file context.h
 *  The context: memory, threads, SIMD target, log and last error of the handles that are made from it.
 *
 *  A context and the handles made from it belong to one thread at a time: make one context per thread. Models
 *  and alignments do not change after they are made and may be read by the handles of other contexts at the same
 *  time, as long as they live. A context must outlive its handles. There is no global state.
 *
 *  Memory: a handle allocates when it is created, through the context's allocator, and never afterwards. The
 *  `*_bytes` functions tell how much a create call will ask for.
 *
 *  Callbacks (alloc, release, log, progress) run in the thread that made the call, outside of the library's parallel regions and with no
 *  lock held. A C++ exception that leaves alloc, log or progress ends the call with ATP_E_CALLBACK and its text; the handle is consistent
 *  and can go on, a new object was not made. What release throws is dropped. Callbacks must not longjmp: bindings keep an error of their
 *  language, return non-zero from progress, and raise it after the call.
 *
 *  Numbers do not depend on the number of threads. They do not depend on the SIMD target either, among targets
 *  with fused multiply-add ("scalar", "avx2", "avx512", "neon").
 */
#ifndef ATTOPOTTS_CONTEXT_H
#define ATTOPOTTS_CONTEXT_H

#include <attopotts/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Opaque context. */
typedef struct atp_context atp_context;

/** Returns memory of at least `bytes` bytes aligned to `alignment` (a power of two, at least 64), or NULL. */
typedef void *(*atp_alloc_fn)(size_t bytes, size_t alignment, void *user);
/** Gives back what an atp_alloc_fn returned; `bytes` is the size that was asked for. */
typedef void (*atp_free_fn)(void *memory, size_t bytes, void *user);

/** Levels of log messages. */
typedef enum atp_log_level ATP_INT {
  ATP_LOG_INFO = 0,   /**< what was chosen, what was dropped */
  ATP_LOG_WARNING = 1 /**< the result stands, but not as the caller may think */
} atp_log_level;

/** Receives one line of text without a newline. Called in the thread that made the call. */
typedef void (*atp_log_fn)(atp_log_level level, const char *text, void *user);

/** What a run reports to its callback; opaque, valid during the callback only. */
typedef struct atp_progress atp_progress;

/** The numbers of an atp_progress. */
typedef enum atp_progress_key ATP_INT {
  ATP_PROGRESS_STEP = 0,           /**< steps done: epochs of a trainer, sweeps of a sampler */
  ATP_PROGRESS_TOTAL = 1,          /**< steps asked for */
  ATP_PROGRESS_SECONDS = 2,        /**< wall-clock time since the call began */
  ATP_PROGRESS_TRAIN_LOSS = 3,     /**< nats per masked site */
  ATP_PROGRESS_TEST_LOSS = 4,      /**< nats per masked site, on the test alignment */
  ATP_PROGRESS_OPTIMAL_LOSS = 5,   /**< nats per masked site under the true conditionals, on the test alignment */
  ATP_PROGRESS_COUPLING_ERROR = 6, /**< see atp_model_coupling_error() */
  ATP_PROGRESS_GRADIENT_NORM = 7,  /**< Euclidean norm of the gradient of the objective */
  ATP_PROGRESS_RATE = 8,           /**< learning rate, or the step length of a line search */
  ATP_PROGRESS_SITE_UPDATES = 9,   /**< site updates made since the call began */
  ATP_PROGRESS_ENERGY = 10,        /**< mean energy over the chains at the target temperature */
  ATP_PROGRESS_SWAP_RATE = 11,     /**< fraction of replica exchanges accepted since the sampler was made */
  ATP_PROGRESS_OBJECTIVE = 12      /**< training loss plus penalties */
} atp_progress_key;

/** Called between steps, in the thread that made the call, with no lock held; must not longjmp.
 *  Return 0 to go on; anything else ends the run with ATP_OUTCOME_CANCELLED and a consistent state. */
typedef int (*atp_progress_fn)(const atp_progress *progress, void *user);

/** One number of a progress report. @return NaN where the run does not have it, or for NULL.
 *  Allocates: no. Threads: within the callback. Since: 0.1. */
ATP_API double atp_progress_value(const atp_progress *progress, atp_progress_key key) ATP_NOEXCEPT;

/** Make a context. It will use a thread for every core that this process may run on (the environment variables OMP_NUM_THREADS and
 *  OMP_THREAD_LIMIT are respected), and the best SIMD target of the machine, or the one named by the environment variable ATP_SIMD.
 *  No thread starts here.
 *  @param[in]  alloc, release  the allocator, both or neither; NULL: the C library's
 *  @param[in]  user   handed to alloc and release
 *  @param[out] out    the context
 *  @return ATP_OK; ATP_E_NULL (out); ATP_E_CONFLICT (one of alloc and release); ATP_E_MEMORY;
 *          ATP_E_UNSUPPORTED (ATP_SIMD names a target that does not exist or that this machine lacks)
 *  Allocates: the context. Threads: always safe. Since: 0.1. */
ATP_API atp_status atp_context_create(atp_alloc_fn alloc, atp_free_fn release, void *user, atp_context **out) ATP_NOEXCEPT;

/** Free a context; its handles must be gone. NULL is allowed. Allocates: no. Threads: no other call on it. Since: 0.1. */
ATP_API void atp_context_destroy(atp_context *context) ATP_NOEXCEPT;

/** Set the number of threads of later calls. @param[in] threads 0 for all cores, else 1..1024
 *
 *  The threads start when the first sampler, trainer or transformer is made, or with the first call that has work for several; they end
 *  with the context. Where the system gives fewer than were asked for, the work is done by those there are, with the same numbers, and
 *  the log callback gets one warning. After fork() the child starts threads of its own.
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE. A build without threads accepts any value and uses 1.
 *  Allocates: no. Threads: one at a time. Since: 0.1. */
ATP_API atp_status atp_context_set_threads(atp_context *context, int64_t threads) ATP_NOEXCEPT;

/** The number of threads in use; 0 for NULL. Allocates: no. Threads: one at a time. Since: 0.1. */
ATP_API int64_t atp_context_threads(const atp_context *context) ATP_NOEXCEPT;

/** Choose the SIMD target of handles that are made later.
 *  @param[in] name "auto", "scalar", "sse4", "avx2", "avx512" or "neon"
 *  @return ATP_OK; ATP_E_NULL; ATP_E_UNSUPPORTED (not known, not compiled in or not on this machine)
 *  Allocates: no. Threads: one at a time. Since: 0.1. */
ATP_API atp_status atp_context_set_simd(atp_context *context, const char *name) ATP_NOEXCEPT;

/** The SIMD target in use, "avx512" say; "" for NULL. @return a static string.
 *  Allocates: no. Threads: one at a time. Since: 0.1. */
ATP_API const char *atp_context_simd(const atp_context *context) ATP_NOEXCEPT;

/** The targets that are compiled in and that this machine has, worst first.
 *  @param[in] index 0, 1, ...
 *  @return a static string; NULL past the end. Allocates: no. Threads: always safe. Since: 0.1. */
ATP_API const char *atp_simd_target(int64_t index) ATP_NOEXCEPT;

/** Set where messages go; NULL (the default) drops them. The library never prints.
 *  @return ATP_OK; ATP_E_NULL. Allocates: no. Threads: one at a time. Since: 0.1. */
ATP_API atp_status atp_context_set_log(atp_context *context, atp_log_fn log, void *user) ATP_NOEXCEPT;

/** The text of the last failure of the context or one of its handles; see atp_last_error().
 *  @return the length of the whole text; 0 for NULL. Allocates: no. Threads: one at a time. Since: 0.1. */
ATP_API int64_t atp_context_error(const atp_context *context, char *buffer, int64_t size) ATP_NOEXCEPT;

/** How many allocations the context has made since it was created, and how many bytes are in use now.
 *  @param[out] count, bytes  either may be NULL
 *  @return ATP_OK; ATP_E_NULL (context). Allocates: no. Threads: one at a time. Since: 0.1. */
ATP_API atp_status atp_context_memory(const atp_context *context, int64_t *count, int64_t *bytes) ATP_NOEXCEPT;

/** Sets the memory limit: a block that would take the context's memory in use above it is refused with ATP_E_MEMORY, before any of it is
 *  touched. The text has the bytes that were needed and the bytes that were left.
 *
 *  0 (the default) is automatic: a block is refused that is larger than what the process can still have, the least of MemAvailable of the
 *  machine, memory.max and memory.high of its control groups (version 1: memory.limit_in_bytes), RLIMIT_AS and RLIMIT_DATA. This is read
 *  before large blocks. It does not hold for an allocator that was handed to atp_context_create(), which has its own limits.
 *  A limit that was set replaces the automatic one: 64 GB on a machine of 16 GB are believed.
 *  @param[in] bytes 0, or the limit; less than what is in use refuses all that comes
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (negative). Allocates: no. Threads: one at a time. Since: 0.1. */
ATP_API atp_status atp_context_set_memory_limit(atp_context *context, int64_t bytes) ATP_NOEXCEPT;

/** The memory limit, and how much memory the context can still have.
 *  @param[out] limit      what was set; 0: automatic; may be NULL
 *  @param[out] available  bytes that the limit leaves now; INT64_MAX where nothing limits them; may be NULL
 *  @return ATP_OK; ATP_E_NULL (context). Allocates: no. Threads: one at a time. Since: 0.1. */
ATP_API atp_status atp_context_memory_limit(const atp_context *context, int64_t *limit, int64_t *available) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
