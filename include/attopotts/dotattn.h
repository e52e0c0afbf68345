/* SPDX-License-Identifier: MIT */
/** @file dotattn.h
 *  Solvable dot-product attention in the limit d -> infinity: whether it learns a positional or a semantic solution from n = alpha d
 *  samples.
 *
 *  The input has two tokens x_l = mu_l / sqrt(d) + xi_l in R^d, xi_l ~ N(0, sigma^2 I), mu_1 = (1, ..., 1) = -mu_2. The teacher is Y = T
 *  xi, T = (1 - omega) softmax(h h^T) + omega A, h_l = xi_l . Q* / sqrt(d), Q* ~ N(0, I_d); omega weighs its positional part. The student
 *  is softmax(chi chi^T) x, chi_l = x_l . Q / sqrt(d), with Q at the minimum of (1/2d) sum |Y - Y^|_F^2 + (lambda/2) |Q|^2. softmax acts on
 *  rows.
 *  The order parameters are q = sigma^2 |Q|^2 / d, m = sum_k Q_k / d (positional overlap), theta = sigma^2 Q . Q* / d (semantic overlap
 *  with the teacher) and the response V. Let rho = sigma^2. Let w and h be normal with covariances q, rho, theta, and w with mean m (1,
 *  -1). Let x = argmin |x - w|^2 / V + rho |softmax(x x^T) - T(h)|_F^2. Then the state evolution is
 *    q^ = alpha E |x - w|^2 / V^2,  m^ = alpha E [(x - w)_1 - (x - w)_2] / V,  theta^ = alpha E (x - w) . y / (V v*),
 *    V^ = theta theta^ / q - alpha E (x - w) . z / (V sqrt(q)),  w = sqrt(q) z + m (1, -1),  h = v* y + (theta / sqrt(q)) z,
 *    V = sigma^2 / D,  m = m^ / D,  theta = sigma^2 rho theta^ / D,  q = sigma^2 (sigma^2 q^ + m^^2 + sigma^2 rho theta^^2) / D^2,
 *    D = lambda + sigma^2 V^.
 *  The generalisation loss is e_g = (rho / 2) E |softmax(w w^T) - T|_F^2. The training loss per d is e_t = (alpha rho / 2) E |softmax(x
 *  x^T) - T|_F^2 + lambda q / (2 sigma^2). These equations assume replica symmetry. If it holds, the branch with the smaller e_t is the
 *  global minimum. Where x jumps it does not hold, and e_t is a lower bound. The columns REPLICON and JUMPS tell how unstable it is, and
 *  the option `breaking` adds one step of replica symmetry breaking (docs/theory.md, section 16). With breaking = 2 this solution is
 *  followed along its own branch where the symmetric one has ended: columns of the symmetric theory are then those of the uninformed
 *  solution, and m_broken or theta_broken is not 0. Each eighth of an octave beyond the end takes as long as a row. Tasks (task.h) make
 *  tables; the derivation is in docs/theory.md [C24].
 *
 *  ATP_TASK_DOTATTN_CURVE: one branch of the state evolution at many alphas, each in [1e-6, 1e6]; sigma is in 1e-3..1e3. Fixed points are
 *  found by Newton's method on (log q, log V, order parameter). They are continued along a fixed grid of alphas, and in the order parameter
 *  or in V where continuation in alpha fails. Averages use quadratures that are split where the minimiser jumps, refined until nothing
 *  changes by more than `accuracy`. A row does not depend, to the last bit, on which alphas are asked for together or on their order. If
 *  the branch does not exist, the row holds the uninformed solution, and its column ATP_DOTATTN_BRANCH has that value. Outcomes of a row:
 *  - CONVERGED: a residual of at most 1e-8 and an estimated error of at most `accuracy`;
 *  - MAX_ITER: the row needs more than max-iter applications of the equations, those that rows share included;
 *  - STALLED: refinement ended or lost the solution first;
 *  - DIVERGED, with NaN in its results: V grows without bounds (few samples at lambda = 0);
 *  - CANCELLED, with NaN: the callback ended the run before this row.
 *  A row takes 1 to 2 s of one core with the teacher of [C24] and up to 40 s with a teacher whose rows differ, or several times that where
 *  the branch does not exist. A TRANSITION takes about 20 s.
 *
 *  ATP_TASK_DOTATTN_TRANSITION: critical alphas for many omegas. alpha_c, where the training losses of the branches cross, is a zero of the
 *  difference of the training losses. Above alpha_linear the branch with the smaller e_t has a smaller generalisation loss than the linear
 *  map. It is a zero of the difference between the generalisation losses of the branch with the smaller e_t and of the linear map. It is
 *  alpha_c itself if that difference jumps across zero there. Quadratures are refined until both change by no more than `accuracy`
 *  relatively. The task also finds where branches begin and end: where the order parameter vanishes, or at a fold, within 1e-3 relatively.
 *
 *  Threads: plain functions are always safe.
 */
#ifndef ATTOPOTTS_DOTATTN_H
#define ATTOPOTTS_DOTATTN_H

#include <attopotts/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Solutions of the state evolution. */
typedef enum atp_dotattn_branch ATP_INT {
  ATP_DOTATTN_SEMANTIC = 1,   /**< theta > 0, m = 0 */
  ATP_DOTATTN_POSITIONAL = 2, /**< m > 0, theta = 0 */
  ATP_DOTATTN_UNINFORMED = 3  /**< m = theta = 0 */
} atp_dotattn_branch;

/** Columns of ATP_TABLE_DOTATTN_CURVE. */
typedef enum atp_dotattn_column ATP_INT {
  ATP_DOTATTN_BRANCH = 0,      /**< an atp_dotattn_branch; UNINFORMED if the requested branch does not exist */
  ATP_DOTATTN_OMEGA = 1,       /**< weight of the positional part in the teacher */
  ATP_DOTATTN_ALPHA = 2,       /**< samples per dimension, n / d */
  ATP_DOTATTN_Q = 3,           /**< order parameter sigma^2 |Q|^2 / d */
  ATP_DOTATTN_M = 4,           /**< positional overlap, sum_k Q_k / d */
  ATP_DOTATTN_V = 5,           /**< response V */
  ATP_DOTATTN_THETA = 6,       /**< semantic overlap, sigma^2 Q . Q* / d */
  ATP_DOTATTN_EG = 7,          /**< generalisation loss */
  ATP_DOTATTN_ET = 8,          /**< training loss per dimension, penalty included */
  ATP_DOTATTN_EG_LINEAR = 9,   /**< generalisation loss of the best linear map of positions; does not depend on alpha */
  ATP_DOTATTN_ITERATIONS = 10, /**< applications of the equations that the row needs, with those that rows share */
  ATP_DOTATTN_RESIDUAL = 11,   /**< largest relative change of q, V and the overlap in one more application */
  ATP_DOTATTN_OUTCOME = 12,    /**< an atp_outcome */
  ATP_DOTATTN_QUADRATURE = 13, /**< estimated relative error of the quadratures: change in the last refinement */
  ATP_DOTATTN_QHAT = 14,       /**< conjugate of q */
  ATP_DOTATTN_MHAT = 15,       /**< conjugate of m; 0 if m is held at 0 */
  ATP_DOTATTN_VHAT = 16,       /**< conjugate of V */
  ATP_DOTATTN_THETAHAT = 17,   /**< conjugate of theta; 0 if theta is held at 0 */
  ATP_DOTATTN_REPLICON = 18,   /**< 1 - alpha E |dx/dw - 1|_F^2 without the jumps of x; replica symmetry is unstable if it is negative */
  ATP_DOTATTN_JUMPS = 19,      /**< weight of the jumps of x: steps of e sqrt(q) see a replicon of REPLICON - JUMPS / e; replica symmetry is
                                    unstable if it is positive */
  ATP_DOTATTN_ET_BROKEN = 20,  /**< e_t with one step of replica symmetry breaking; this column and the next are NaN without */
  ATP_DOTATTN_EG_BROKEN = 21,  /**< e_g with one step of breaking */
  ATP_DOTATTN_Q1 = 22,         /**< q of a minimum with one step of breaking */
  ATP_DOTATTN_Q0 = 23,         /**< overlap of two minima of different clusters */
  ATP_DOTATTN_V_BROKEN = 24,   /**< response V with one step of breaking */
  ATP_DOTATTN_M_BROKEN = 25,   /**< m with one step of breaking */
  ATP_DOTATTN_THETA_BROKEN = 26,  /**< theta with one step of breaking */
  ATP_DOTATTN_MU = 27,            /**< parameter of breaking: clusters at e_t + x have the density exp(mu d x) */
  ATP_DOTATTN_ERROR_BROKEN = 28,  /**< estimated error of ET_BROKEN - ET over ET_BROKEN: change in the last refinement */
  ATP_DOTATTN_OUTCOME_BROKEN = 29 /**< an atp_outcome; NONE: not asked for, or the jumps of x are too rare for the quadrature */
} atp_dotattn_column;
/** Number of columns of atp_dotattn_column. */
#define ATP_DOTATTN_COLUMNS 30

/** Columns of ATP_TABLE_DOTATTN_TRANSITION. A column is NaN if there is no such alpha up to 30. */
typedef enum atp_dotattn_transition_column ATP_INT {
  ATP_DOTATTN_TRANSITION_OMEGA = 0,          /**< weight of the positional part in the teacher */
  ATP_DOTATTN_TRANSITION_ALPHA_C = 1,        /**< alpha above which the semantic branch has the smaller training loss */
  ATP_DOTATTN_TRANSITION_ALPHA_LINEAR = 2,   /**< alpha above which the branch with the smaller e_t has a smaller e_g than the linear map */
  ATP_DOTATTN_TRANSITION_SEMANTIC = 3,       /**< alpha at which the semantic branch begins */
  ATP_DOTATTN_TRANSITION_POSITIONAL = 4,     /**< alpha at which the positional branch begins; 0: below 0.001 */
  ATP_DOTATTN_TRANSITION_POSITIONAL_END = 5, /**< alpha at which the symmetric positional branch first ends; infinity: above 30 */
  ATP_DOTATTN_TRANSITION_ERROR_C = 6,        /**< estimated error of alpha_c: change in the last refinement of the quadratures */
  ATP_DOTATTN_TRANSITION_ERROR_LINEAR = 7,   /**< estimated error of alpha_linear, likewise */
  ATP_DOTATTN_TRANSITION_EG_LINEAR = 8,      /**< generalisation loss of the best linear map of positions */
  ATP_DOTATTN_TRANSITION_ET = 9,             /**< training loss of both branches at alpha_c */
  ATP_DOTATTN_TRANSITION_ITERATIONS = 10,    /**< number of applications of the equations */
  ATP_DOTATTN_TRANSITION_OUTCOME = 11        /**< an atp_outcome */
} atp_dotattn_transition_column;
/** Number of columns of atp_dotattn_transition_column. */
#define ATP_DOTATTN_TRANSITION_COLUMNS 12

/** Computes the best linear map of positions, Y^ = W x with W = omega A + (1 - omega) E softmax(h h^T). Its 4 numbers are determined at any
 *  alpha > 0.
 *  @param[in]  teacher  A, shape [2][2]; @param[in] teacher_size 4; @param[in] omega 0..1; @param[in] sigma 1e-3..1e3
 *  @param[out] map      (optional) W, shape [2][2]; @param[in] map_size 4
 *  @param[out] loss     (optional) its generalisation loss (rho / 2) E |T - W|_F^2
 *  @return ATP_OK; ATP_E_NULL (teacher); ATP_E_VALUE; ATP_E_NOT_FINITE; ATP_E_SHAPE
 *  Allocates: no. Threads: any. Since: 0.1. Source: [C24]; docs/theory.md. */
ATP_API atp_status atp_dotattn_linear(const double *teacher, int64_t teacher_size, double omega, double sigma, double *map,
                                      int64_t map_size, double *loss) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
