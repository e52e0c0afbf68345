/* SPDX-License-Identifier: MIT */
/** @file dotattn_tokens.h
 *  Theory of dot-product attention for any number of tokens, any positional code and students of rank two. dotattn.h solves two tokens and
 *  rank one by quadrature; here averages use randomised quasi-Monte Carlo, with a standard error. The problem is that of dotattn_simulate.h
 *  in the limit of many dimensions.
 *
 *  ATP_TASK_DOTATTN_TOKENS (task.h). Ranks are a = 1..r. Order parameters of rank a: q_a, V_a, theta (rank 1), m_k (rank r). [condition] is
 *  1 if the condition holds, and 0 otherwise. With rho = sigma^2, w_la = sqrt(q_a) z_la + [a = r] sum_k code[l][k] m_k, h_l = theta z_l1 /
 *  sqrt(q_1) + v y_l, v^2 = rho - theta^2 / q_1, z and y standard normal, x = argmin sum_la (x_la - w_la)^2 / V_a + rho |softmax(x x^T) -
 *  T(h)|^2 and r_la = (x_la - w_la) / V_a:
 *    q^_a = alpha E sum_l r_la^2, m^_k = alpha E sum_l code[l][k] r_lr, theta^ = alpha E sum_l r_l1 y_l / v,
 *    V^_a = [a = 1] theta theta^ / q_1 - alpha E sum_l r_la z_la / sqrt(q_a), D_a = lambda + sigma^2 V^_a, V_a = sigma^2 / D_a,
 *    m = m^ / D, theta = sigma^2 rho theta^ / D_1, q_a = sigma^2 (sigma^2 q^_a + [a = r] |m^|^2 + [a = 1] sigma^2 rho theta^^2) / D_a^2.
 *  Students of rank two have theta and m at right angles, because their problem is invariant under Q* -> -Q*. This needs a code of one
 *  column.
 *  Averages are over `points` points of a lattice, moved by each of `shifts` random shifts. Each shift is solved separately, by Anderson
 *  mixing of damped iterations. Alphas, each in [1e-12, 1e12], are solved in the given order; each starts from the solution of the one
 *  before. The solver tries several minima of x. `start` selects the free order parameters: ATP_DOTATTN_START_SEMANTIC: m = 0; POSITIONAL:
 *  theta = 0; MIXED: both are free. `tolerance` is the largest residual, 1e-14..1; max-iter is 1..1000000 applications per alpha and shift.
 *  The context's threads share the shifts.
 */
#ifndef ATTOPOTTS_DOTATTN_TOKENS_H
#define ATTOPOTTS_DOTATTN_TOKENS_H

#include <attopotts/context.h>
#include <attopotts/dotattn_simulate.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Columns of ATP_TABLE_DOTATTN_TOKENS. Means and standard errors are over the random shifts of the points. Names are as in
 *  atp_dotattn_sim_column. */
typedef enum atp_dotattn_tokens_column ATP_INT {
  ATP_DOTATTN_TOKENS_ALPHA = 0,  /**< samples per dimension, n / d */
  ATP_DOTATTN_TOKENS_EG = 1,     /**< generalisation loss */
  ATP_DOTATTN_TOKENS_EG_SEM = 2, /**< standard error of eg */
  ATP_DOTATTN_TOKENS_ET = 3,     /**< training loss per dimension, penalty included */
  ATP_DOTATTN_TOKENS_ET_SEM = 4, /**< standard error of et */
  ATP_DOTATTN_TOKENS_Q = 5,      /**< sigma^2 |Q|^2 / d, all ranks together */
  ATP_DOTATTN_TOKENS_Q_SEM = 6,  /**< standard error of q */
  ATP_DOTATTN_TOKENS_M = 7,      /**< positional overlap |Q . u / d|, Euclidean norm over ranks and columns of the code; 0 if held at 0 */
  ATP_DOTATTN_TOKENS_M_SEM = 8,  /**< standard error of m */
  ATP_DOTATTN_TOKENS_THETA = 9,  /**< semantic overlap |sigma^2 Q . Q* / d|; 0 if held at 0 */
  ATP_DOTATTN_TOKENS_THETA_SEM = 10,   /**< standard error of theta */
  ATP_DOTATTN_TOKENS_Q_LEAST = 11,     /**< smaller eigenvalue of sigma^2 Q_a . Q_b / d; equal to q for rank one */
  ATP_DOTATTN_TOKENS_Q_LEAST_SEM = 12, /**< standard error of q_least */
  ATP_DOTATTN_TOKENS_V = 13,           /**< response V; for rank two its trace */
  ATP_DOTATTN_TOKENS_V_SEM = 14,       /**< standard error of v */
  ATP_DOTATTN_TOKENS_ITERATIONS = 15,  /**< largest number of applications of the equations for a shift */
  ATP_DOTATTN_TOKENS_RESIDUAL = 16,    /**< largest change of an order parameter in one more application, over the largest of its kind */
  ATP_DOTATTN_TOKENS_POINTS = 17,      /**< number of lattice points */
  ATP_DOTATTN_TOKENS_SHIFTS = 18,      /**< number of random shifts; 0, with values of NaN, if the run was cancelled before */
  ATP_DOTATTN_TOKENS_OUTCOME = 19      /**< an atp_outcome: CONVERGED, MAX_ITER, DIVERGED (with means of NaN) or CANCELLED */
} atp_dotattn_tokens_column;
/** Number of columns of atp_dotattn_tokens_column. */
#define ATP_DOTATTN_TOKENS_COLUMNS 20

#ifdef __cplusplus
}
#endif
#endif
