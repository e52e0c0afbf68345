/* SPDX-License-Identifier: MIT */
/** @file context.h
 *  The context: memory, threads, SIMD target, log and last error of the handles that are made from it.
 *
 *  A context and the handles made from it belong to one thread at a time: make one context per thread. Models and alignments do not change
 *  after they are made. Handles of other contexts may read them at the same time, as long as they live. A context must outlive its handles.
 *  There is no global state.
 *
 *  Threads. Each function of this API says which threads of the host may call it:
 *  - any: any number of threads at a time, also with the same handle;
 *  - one per handle: one thread at a time with this handle, and with the context that it was made from;
 *  - one per context: one thread at a time with this context, and with the handles made from it (reading models and alignments excepted);
 *  - no other call: no other call with this handle or context, from any thread, until it returns.
 *  "parallel" after it: the call divides its work among the threads of the context (atp_context_set_threads()). Other calls work in the
 *  calling thread alone.
 *
 *  Memory: a handle allocates when it is created, through the context's allocator. Its runs allocate nothing, except where "Allocates"
 *  names work space (tasks, tuning, weights): that is freed before the call returns. The `*_bytes` functions return how much memory a
 *  create call will allocate.
 *
 *  Callbacks (alloc, release, log, progress) run in the thread that made the call, outside the library's parallel regions and with no lock
 *  held. A C++ exception thrown by alloc, log or progress ends the call with ATP_E_CALLBACK and the exception's text. The handle remains
 *  consistent and usable; a new object is not made. Exceptions thrown by release are ignored. Callbacks must not longjmp. Bindings store an
 *  error of their language, return non-zero from progress, and raise the error after the call.
 *
 *  A callback may make other calls. It may read the handle that runs: parameters, model, losses, states, a saved state. Calls that change
 *  this handle or begin another run of it, and calls that clear or fill the table that the run fills, return ATP_E_STAGE until the run
 *  has returned. Requests to stop are allowed. What the run uses must not be destroyed.
 *
 *  Results do not depend on the number of threads. They do not depend on the SIMD target either, among targets with fused multiply-add
 *  ("scalar", "avx2", "avx512", "neon").
 */
#ifndef ATTOPOTTS_CONTEXT_H
#define ATTOPOTTS_CONTEXT_H

#include <attopotts/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Opaque context. */
typedef struct atp_context atp_context;

/** Returns memory of at least `bytes` bytes aligned to `alignment` (a power of two, at least 64), or NULL if there is none. */
typedef void *(*atp_alloc_fn)(size_t bytes, size_t alignment, void *user);
/** Frees memory that an atp_alloc_fn returned; `bytes` is the size that was requested. */
typedef void (*atp_free_fn)(void *memory, size_t bytes, void *user);

/** Levels of log messages. */
typedef enum atp_log_level ATP_INT {
  ATP_LOG_INFO = 0,   /**< what was chosen or left out */
  ATP_LOG_WARNING = 1 /**< the result is valid, but may differ from what the caller expects */
} atp_log_level;

/** Receives one line of text without a newline. Called in the thread that made the call. */
typedef void (*atp_log_fn)(atp_log_level level, const char *text, void *user);

/** Progress report of a run, passed to its callback. Opaque; valid during the callback only. */
typedef struct atp_progress atp_progress;

/** Quantities of an atp_progress. */
typedef enum atp_progress_key ATP_INT {
  ATP_PROGRESS_STEP = 0,             /**< steps done: epochs of a trainer, sweeps of a sampler */
  ATP_PROGRESS_TOTAL = 1,            /**< steps requested */
  ATP_PROGRESS_SECONDS = 2,          /**< wall-clock time since the call began */
  ATP_PROGRESS_TRAIN_LOSS = 3,       /**< nats per masked site */
  ATP_PROGRESS_TEST_LOSS = 4,        /**< nats per masked site, on the test alignment */
  ATP_PROGRESS_OPTIMAL_LOSS = 5,     /**< nats per masked site under the true conditionals, on the test alignment */
  ATP_PROGRESS_COUPLING_ERROR = 6,   /**< see atp_model_coupling_error() */
  ATP_PROGRESS_GRADIENT_NORM = 7,    /**< Euclidean norm of the gradient of the objective */
  ATP_PROGRESS_RATE = 8,             /**< learning rate, or the step length of a line search */
  ATP_PROGRESS_SITE_UPDATES = 9,     /**< site updates made since the call began */
  ATP_PROGRESS_ENERGY = 10,          /**< mean energy over the chains at the target temperature */
  ATP_PROGRESS_SWAP_RATE = 11,       /**< fraction of replica exchanges accepted since the sampler was made; in a verification */
  ATP_PROGRESS_OBJECTIVE = 12,       /**< training loss plus penalties */
  ATP_PROGRESS_PEARSON = 13,         /**< Boltzmann learning: Pearson correlation of C_ij(a, b) of chains and family */
  ATP_PROGRESS_SLOPE = 14,           /**< slope of C_ij(a, b) of chains against those of the family */
  ATP_PROGRESS_FIELD_ERROR = 15,     /**< mean |p_i(a) - f_i(a)| of chains and family */
  ATP_PROGRESS_PEARSON_RANDOM = 16,  /**< Pearson in equilibrium, from random starts; only where it was verified */
  ATP_PROGRESS_SLOPE_RANDOM = 17,    /**< slope in equilibrium, from random starts */
  ATP_PROGRESS_PEARSON_NATURAL = 18, /**< Pearson in equilibrium, from training sequences */
  ATP_PROGRESS_SLOPE_NATURAL = 19,   /**< slope in equilibrium, from training sequences */
  ATP_PROGRESS_MIXING_SWEEPS = 20,   /**< sweeps after which chains had forgotten the training sequences they started from */
  ATP_PROGRESS_DENSITY = 21,         /**< fraction of the couplings J_ij(a, b) that are active; only with ATP_OPT_SPARSIFY */
  ATP_PROGRESS_GAIN = 22,            /**< gain of the couplings that became active, nats per sequence; of removed ones the loss, below 0 */
  ATP_PROGRESS_PEARSON_SITES = 23,   /**< Pearson of f_i(a) of chains and family */
  ATP_PROGRESS_SLOPE_SITES = 24,     /**< slope of f_i(a) of chains against those of the family */
  ATP_PROGRESS_PEARSON_PAIRS = 25,   /**< Pearson of f_ij(a, b) of chains and family */
  ATP_PROGRESS_SLOPE_PAIRS = 26,     /**< slope of f_ij(a, b) of chains against those of the family */
  ATP_PROGRESS_PEARSON_TEST = 27,    /**< Pearson of C_ij(a, b) of chains and test alignment */
  ATP_PROGRESS_SLOPE_TEST = 28,      /**< slope of C_ij(a, b) of chains against the test alignment */
  ATP_PROGRESS_SITE_ENTROPY = 29,    /**< -sum_i sum_a p_i(a) log p_i(a) of the chains: an upper limit of the entropy, nats */
  ATP_PROGRESS_SWEEPS = 30,          /**< sweeps of the chains in this step */
  ATP_PROGRESS_ENTROPY = 31,         /**< entropy of the model, nats; only where it was verified and found in equilibrium */
  ATP_PROGRESS_ENTROPY_ERROR = 32,   /**< its standard error */
  ATP_PROGRESS_LOG_Z = 33,           /**< log Z of the model, by annealed importance sampling, there */
  ATP_PROGRESS_LOG_Z_ERROR = 34,     /**< its standard error */
  ATP_PROGRESS_PEARSON_TEST_SITES = 35, /**< Pearson of f_i(a) of chains and test alignment */
  ATP_PROGRESS_SLOPE_TEST_SITES = 36,   /**< slope of f_i(a) of chains against the test alignment */
  ATP_PROGRESS_PEARSON_TEST_PAIRS = 37, /**< Pearson of f_ij(a, b) of chains and test alignment */
  ATP_PROGRESS_SLOPE_TEST_PAIRS = 38    /**< slope of f_ij(a, b) of chains against the test alignment */
} atp_progress_key;

/** Called between steps, in the thread that made the call, with no lock held; must not longjmp. Trainers call it after
 *  every epoch; samplers, tuning and tasks about every 0.1 s and at the end.
 *  Return 0 to continue. Any other value ends the run with ATP_OUTCOME_CANCELLED and a consistent state. */
typedef int (*atp_progress_fn)(const atp_progress *progress, void *user);

/* ---- Stable: what most programs need ---- */

/** Makes a context. It uses one thread for every core that this process may run on, within the environment variables OMP_NUM_THREADS and
 *  OMP_THREAD_LIMIT. It uses the best SIMD target of the machine, or the one that the environment variable ATP_SIMD names. This call starts
 *  no threads.
 *  @param[in]  alloc, release  the allocator, both or neither; NULL: the C library's
 *  @param[in]  user   passed to alloc and release
 *  @param[out] out    the context
 *  @return ATP_OK; ATP_E_NULL (out); ATP_E_CONFLICT (only one of alloc and release); ATP_E_MEMORY; ATP_E_UNSUPPORTED (ATP_SIMD names a
 *          target that does not exist or that this machine lacks)
 *  Allocates: the context. Threads: any. Since: 0.1, stable. */
ATP_API atp_status atp_context_create(atp_alloc_fn alloc, atp_free_fn release, void *user, atp_context **out) ATP_NOEXCEPT;

/** Frees a context. Destroy its handles first. NULL is allowed. Allocates: no. Threads: no other call. Since: 0.1, stable. */
ATP_API void atp_context_destroy(atp_context *context) ATP_NOEXCEPT;

/** Sets the number of threads of later calls. @param[in] threads 0 for all cores, else 1..1024
 *
 *  The threads start when the first sampler or trainer is made, or at the first call with work for several threads. Until then
 *  the context has none, and with 1 it never has any. They end with the context. If the system provides fewer threads than requested, the
 *  work runs on those, with the same results, and the log callback receives one warning. After fork() the child process starts its own
 *  threads.
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE. A build without threads accepts any value and uses 1.
 *  Allocates: no. Threads: one per context. Since: 0.1, stable. */
ATP_API atp_status atp_context_set_threads(atp_context *context, int64_t threads) ATP_NOEXCEPT;

/* ---- The rest: it may change until version 1.0 ---- */

/** Returns one quantity of a progress report. @return NaN where the run does not report it, or for NULL.
 *  Allocates: no. Threads: within the callback. Since: 0.1. */
ATP_API double atp_progress_value(const atp_progress *progress, atp_progress_key key) ATP_NOEXCEPT;

/** Returns the number of threads in use; 0 for NULL. Allocates: no. Threads: one per context. Since: 0.1. */
ATP_API int64_t atp_context_threads(const atp_context *context) ATP_NOEXCEPT;

/** Sets the SIMD target of handles that are made later.
 *  @param[in] name "auto", "scalar", "sse4", "avx2", "avx512" or "neon"
 *  @return ATP_OK; ATP_E_NULL; ATP_E_UNSUPPORTED (unknown, not compiled in or not supported by this machine)
 *  Allocates: no. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_context_set_simd(atp_context *context, const char *name) ATP_NOEXCEPT;

/** Returns the SIMD target in use, for example "avx512"; "" for NULL. @return a static string.
 *  Allocates: no. Threads: one per context. Since: 0.1. */
ATP_API const char *atp_context_simd(const atp_context *context) ATP_NOEXCEPT;

/** Returns the name of a target that is compiled in and that this machine supports. Targets are ordered from worst to best.
 *  @param[in] index 0, 1, ...
 *  @return a static string; NULL past the end. Allocates: no. Threads: any. Since: 0.1. */
ATP_API const char *atp_simd_target(int64_t index) ATP_NOEXCEPT;

/** Sets the callback that receives log messages; NULL (the default) drops them. The library never prints.
 *  @return ATP_OK; ATP_E_NULL. Allocates: no. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_context_set_log(atp_context *context, atp_log_fn log, void *user) ATP_NOEXCEPT;

/** Asks all runs in this context to stop: samplers, tuning of beta, trainers and tasks. A running call ends after its current
 *  step with ATP_OUTCOME_CANCELLED and a consistent state. The request stays: every later run in this context ends at once, with the same
 *  outcome, until atp_context_clear_stop(). Only a trainer that has come to its end returns that outcome instead. No request is lost,
 *  therefore, whether it comes before, between or during runs. Signal handlers and other threads may call this function, as long as the
 *  context lives. NULL is allowed.
 *  Allocates: no. Threads: any. Since: 0.1. */
ATP_API void atp_context_request_stop(atp_context *context) ATP_NOEXCEPT;

/** Takes back atp_context_request_stop(), so that runs in this context can be made again. Nothing else takes it back. Call it while no run
 *  is in progress. NULL is allowed. Allocates: no. Threads: any. Since: 0.1. */
ATP_API void atp_context_clear_stop(atp_context *context) ATP_NOEXCEPT;

/** Returns 1 from atp_context_request_stop() to atp_context_clear_stop(), else 0; 0 for NULL. Allocates: no. Threads: any. Since: 0.1. */
ATP_API int atp_context_stop_requested(const atp_context *context) ATP_NOEXCEPT;

/** Copies the text of the last failure of the context or of one of its handles; see atp_last_error().
 *  @return the length of the whole text; 0 for NULL. Allocates: no. Threads: one per context. Since: 0.1. */
ATP_API int64_t atp_context_error(const atp_context *context, char *buffer, int64_t size) ATP_NOEXCEPT;
/** Copies the same text with places as Fortran and Julia count them; see atp_last_error_from_one().
 *  @return the length of the whole text; 0 for NULL. Allocates: no. Threads: one per context. Since: 0.1. */
ATP_API int64_t atp_context_error_from_one(const atp_context *context, char *buffer, int64_t size) ATP_NOEXCEPT;

/** Returns the number of allocations since the context was created, and the number of bytes in use now.
 *  @param[out] count, bytes  either may be NULL
 *  @return ATP_OK; ATP_E_NULL (context). Allocates: no. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_context_memory(const atp_context *context, int64_t *count, int64_t *bytes) ATP_NOEXCEPT;

/** Sets the memory limit. A request that would exceed it fails with ATP_E_MEMORY before any of the memory is touched. The error text gives
 *  the bytes needed and the bytes left.
 *
 *  0 (the default) selects an automatic limit: a request fails if it is larger than the memory that the process can still get. That is the
 *  smallest of MemAvailable of the machine, memory.max and memory.high of its control groups (version 1: memory.limit_in_bytes), RLIMIT_AS
 *  and RLIMIT_DATA. The library reads these before it allocates large blocks. The automatic limit does not apply to an allocator passed to
 *  atp_context_create(). An explicit limit replaces the automatic one, even where it exceeds the memory of the machine.
 *  @param[in] bytes 0, or the limit; if it is below the memory in use, all further requests fail
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (negative). Allocates: no. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_context_set_memory_limit(atp_context *context, int64_t bytes) ATP_NOEXCEPT;

/** Returns the memory limit, and how much memory the context can still allocate.
 *  @param[out] limit      the limit that was set; 0: automatic; may be NULL
 *  @param[out] available  bytes left within the limit; INT64_MAX if nothing limits them; may be NULL
 *  @return ATP_OK; ATP_E_NULL (context). Allocates: no. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_context_memory_limit(const atp_context *context, int64_t *limit, int64_t *available) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
