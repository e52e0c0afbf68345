/* SPDX-License-Identifier: MIT */
/** @file dotattn_tokens.h
 *  Theory of dot-product attention for any number of tokens, any positional code and students of rank two: what dotattn.h has for two
 *  tokens and rank one by quadrature, here by randomised quasi-Monte Carlo, with a standard error. The task is that of
 *  dotattn_simulate.h in the limit of many dimensions.
 *
 *  Threads: plain functions over arrays of the caller; a context belongs to one thread at a time.
 */
#ifndef ATTOPOTTS_DOTATTN_TOKENS_H
#define ATTOPOTTS_DOTATTN_TOKENS_H

#include <attopotts/context.h>
#include <attopotts/dotattn_simulate.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Columns of a row of theory; means and standard errors are over the random shifts of the points. Names as in
 *  atp_dotattn_sim_column. */
typedef enum atp_dotattn_tokens_column ATP_INT {
  ATP_DOTATTN_TOKENS_ALPHA = 0,        /**< samples per dimension */
  ATP_DOTATTN_TOKENS_EG = 1,           /**< generalisation loss */
  ATP_DOTATTN_TOKENS_EG_SEM = 2,       /**< its standard error */
  ATP_DOTATTN_TOKENS_ET = 3,           /**< training loss, penalty included */
  ATP_DOTATTN_TOKENS_ET_SEM = 4,       /**< its standard error */
  ATP_DOTATTN_TOKENS_Q = 5,            /**< sigma^2 |Q|^2 / d, all ranks together */
  ATP_DOTATTN_TOKENS_Q_SEM = 6,        /**< its standard error */
  ATP_DOTATTN_TOKENS_M = 7,            /**< |Q . u / d|, the Euclidean norm over ranks and columns of the code; 0 where it is held at 0 */
  ATP_DOTATTN_TOKENS_M_SEM = 8,        /**< its standard error */
  ATP_DOTATTN_TOKENS_THETA = 9,        /**< |sigma^2 Q . Q* / d|; 0 where it is held at 0 */
  ATP_DOTATTN_TOKENS_THETA_SEM = 10,   /**< its standard error */
  ATP_DOTATTN_TOKENS_Q_LEAST = 11,     /**< smaller eigenvalue of sigma^2 Q_a . Q_b / d; for rank one the same as Q */
  ATP_DOTATTN_TOKENS_Q_LEAST_SEM = 12, /**< its standard error */
  ATP_DOTATTN_TOKENS_V = 13,           /**< response V, of rank two its trace */
  ATP_DOTATTN_TOKENS_V_SEM = 14,       /**< its standard error */
  ATP_DOTATTN_TOKENS_ITERATIONS = 15,  /**< most applications of the equations for a shift */
  ATP_DOTATTN_TOKENS_RESIDUAL = 16,    /**< largest change of an order parameter by one more application, relative to the largest of its
                                            kind */
  ATP_DOTATTN_TOKENS_POINTS = 17,      /**< points of the lattice */
  ATP_DOTATTN_TOKENS_SHIFTS = 18,      /**< random shifts; 0, with numbers of NaN, where it was cancelled before */
  ATP_DOTATTN_TOKENS_OUTCOME = 19      /**< an atp_outcome: CONVERGED, MAX_ITER, DIVERGED (with means of NaN) or CANCELLED */
} atp_dotattn_tokens_column;
/** Number of columns of atp_dotattn_tokens_column. */
#define ATP_DOTATTN_TOKENS_COLUMNS 20

/** The name of a column in lower case, "eg_sem" say. @param[in] column an atp_dotattn_tokens_column
 *  @return a static string; NULL for another number. Allocates: no. Threads: always safe. Since: 0.1. */
ATP_API const char *atp_dotattn_tokens_column_name(int column) ATP_NOEXCEPT;

/** The number of a column from its name, "eg_sem" say.
 *  @return an atp_dotattn_tokens_column; -1 for NULL or another name. Allocates: no. Threads: always safe. Since: 0.1. */
ATP_API int atp_dotattn_tokens_column_find(const char *name) ATP_NOEXCEPT;

/** The bytes that atp_dotattn_tokens() will ask of the context. Arguments as there; @param[out] bytes
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_TOO_LARGE. Allocates: no. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_dotattn_tokens_bytes(atp_context *context, int64_t tokens, int64_t rank, int64_t n_alphas, int64_t points,
                                            int64_t shifts, int64_t *bytes) ATP_NOEXCEPT;

/** Solve the state evolution for L tokens. Order parameters of rank a: q_a, V_a, theta (rank 1), m_k (the last rank), with rho = sigma^2,
 *  w_la = sqrt(q_a) z_la + [a last] sum_k code[l][k] m_k, h_l = theta z_l1 / sqrt(q_1) + v y_l, v^2 = rho - theta^2 / q_1, z and y standard
 *  normal, x = argmin sum_la (x_la - w_la)^2 / V_a + rho |softmax(x x^T) - T(h)|^2 and r_la = (x_la - w_la) / V_a:
 *    q^_a = alpha E sum_l r_la^2, m^_k = alpha E sum_l code[l][k] r_l,last, theta^ = alpha E sum_l r_l1 y_l / v,
 *    V^_a = [a = 1] theta theta^ / q_1 - alpha E sum_l r_la z_la / sqrt(q_a), D_a = lambda + sigma^2 V^_a, V_a = sigma^2 / D_a,
 *    m = m^ / D, theta = sigma^2 rho theta^ / D_1, q_a = sigma^2 (sigma^2 q^_a + [last] |m^|^2 + [a = 1] sigma^2 rho theta^^2) / D_a^2.
 *  Students of rank two have theta and m at right angles, as their task is the same with -Q* for Q*; this needs a code of one column.
 *  Averages are over `points` points of a lattice, moved by each of `shifts` random shifts; each shift is solved on its own, by Anderson's
 *  mixing of damped iterations, and alphas follow each other in their order, each starting from the last. Many minima of x are tried.
 *  @param[in]  tokens        L, 2..8
 *  @param[in]  code          shape [tokens][code_columns]; @param[in] code_columns 1..4, 1 for rank 2; @param[in] code_size their product
 *  @param[in]  rank          1 or 2
 *  @param[in]  teacher       A, shape [tokens][tokens]; rows that do not sum to one are allowed, and reported to the context's log
 *  @param[in]  teacher_size  tokens * tokens
 *  @param[in]  omega         0..1; @param[in] sigma > 0, up to 1e6; @param[in] lambda 0..1e12
 *  @param[in]  alphas        shape [n_alphas], each in [1e-12, 1e12]; @param[in] n_alphas >= 1
 *  @param[in]  solution      ATP_DOTATTN_START_SEMANTIC: m = 0; ATP_DOTATTN_START_POSITIONAL: theta = 0; ATP_DOTATTN_START_MIXED: both free
 *  @param[in]  points        a power of two, 16..2^24; @param[in] shifts 2..1024; @param[in] seed of the shifts
 *  @param[in]  tolerance     of the residual, 1e-14..1
 *  @param[in]  max_iter      most applications per alpha and shift, 1..1000000
 *  @param[in]  progress      (optional) called now and then with STEP (alphas and shifts solved) and TOTAL
 *  @param[out] rows          shape [n_alphas][c]: the first c columns of atp_dotattn_tokens_column; @param[in] size n_alphas * c,
 *                            1 <= c <= ATP_DOTATTN_TOKENS_COLUMNS
 *  @param[out] outcome       (optional) CONVERGED, or that of the first row that is not, CANCELLED first of all
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_NOT_FINITE; ATP_E_SHAPE; ATP_E_TOO_LARGE; ATP_E_MEMORY
 *  Allocates: atp_dotattn_tokens_bytes() through the context, freed before it returns. Threads: one; the context's inside, over shifts,
 * with the same numbers for any number of them. Since: 0.1. Source: [C24 app. A] for two tokens; docs/theory.md. */
ATP_API atp_status atp_dotattn_tokens(atp_context *context, int64_t tokens, const double *code, int64_t code_columns, int64_t code_size,
                                      int64_t rank, const double *teacher, int64_t teacher_size, double omega, double sigma, double lambda,
                                      const double *alphas, int64_t n_alphas, atp_dotattn_start solution, int64_t points, int64_t shifts,
                                      uint64_t seed, double tolerance, int64_t max_iter, atp_progress_fn progress, void *user, double *rows,
                                      int64_t size, atp_outcome *outcome) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
