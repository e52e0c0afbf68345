/* SPDX-License-Identifier: MIT */
/** @file dotattn_simulate.h
 *  Dot-product attention with a positional and a semantic solution, by drawing data and descending; the theory of many dimensions is in
 *  dotattn.h.
 *
 *  d dimensions, L tokens, n = alpha d samples: x_l = sum_k code[l][k] u_k / sqrt(d) + xi_l, xi_l ~ N(0, sigma^2 1). u_0 = (1, ..., 1), and
 *  its fellows u_k = sqrt(2) cos(pi k (j + 1/2) / d), j = 0..d-1, have u_k . u_k' = d delta. Labels Y = T xi,
 *  T = (1 - omega) softmax(h h^T) + omega A, h_l = xi_l . Q* / sqrt(d), Q* ~ N(0, 1) of d numbers. The student, of rank r, is
 *  Y^ = softmax(chi chi^T) x, chi_l = (x_l . Q_1, ..., x_l . Q_r) / sqrt(d), and descends the risk
 *  R = (1/2d) sum |Y - Y^|^2 + (lambda/2) |Q|^2. Softmax goes along rows. [C24] has L = 2, code (1, -1) and r = 1.
 *
 *  ATP_TASK_DOTATTN_SIMULATION (task.h): draw data, descend the risk, and look at what was found, for several runs of teacher and data. The
 *  data of a run depend on seed, d, L and its number alone: a larger alpha has more samples, the first of which are the same. Each step is
 *  full-batch: one pass over the data in single precision, sums over samples in double. A run ends when |dR/dQ| / sqrt(d) <= tolerance, or
 *  after `steps` ([C24] makes 5000). Alphas are in [1e-12, 1e12]; the code has at most d columns. Optimizers: ATP_OPTIMIZER_SGD is gradient
 *  descent with a constant rate, 0.15 where it is 0 as in [C24]; ATP_OPTIMIZER_ADAM anneals its rate, 0.02, to 0 along a cosine over the
 *  steps; ATP_OPTIMIZER_LBFGS has none. Runs are shared among the context's threads. More than 2^31 samples are ATP_E_TOO_LARGE.
 */
#ifndef ATTOPOTTS_DOTATTN_SIMULATE_H
#define ATTOPOTTS_DOTATTN_SIMULATE_H

#include <attopotts/context.h>
#include <attopotts/options.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Where a student of dot-product attention starts. */
typedef enum atp_dotattn_start ATP_INT {
  ATP_DOTATTN_START_SEMANTIC = 1,   /**< Q_1 = Q*, a second one N(0, 1) */
  ATP_DOTATTN_START_POSITIONAL = 2, /**< Q_1 = u_0, a second one u_1, or N(0, 1) where the code has one column */
  ATP_DOTATTN_START_RANDOM = 3,     /**< N(0, 1) */
  ATP_DOTATTN_START_MIXED = 4       /**< rank two: Q_1 = Q*, Q_2 = u_0 */
} atp_dotattn_start;

/** Columns of ATP_TABLE_DOTATTN_SIMULATION; means and standard errors of the mean are over runs, and the errors are NaN for one run.
 *  The risk does not change under Q -> -Q. M and THETA of rank one with a code of one column have the sign that makes the larger of the
 *  two cosines, of Q with u_0 and with Q*, positive; otherwise they are Euclidean norms over ranks and columns, which are > 0 even where
 *  theory has 0. */
typedef enum atp_dotattn_sim_column ATP_INT {
  ATP_DOTATTN_SIM_ALPHA = 0,        /**< n / d of the whole number n of samples */
  ATP_DOTATTN_SIM_EG = 1,           /**< generalisation loss: mean of |Y - Y^|^2 / 2d over samples that were not learned */
  ATP_DOTATTN_SIM_EG_SEM = 2,       /**< its standard error */
  ATP_DOTATTN_SIM_ET = 3,           /**< training loss: R / d at the end */
  ATP_DOTATTN_SIM_ET_SEM = 4,       /**< its standard error */
  ATP_DOTATTN_SIM_Q = 5,            /**< sigma^2 |Q|^2 / d, all ranks together */
  ATP_DOTATTN_SIM_Q_SEM = 6,        /**< its standard error */
  ATP_DOTATTN_SIM_M = 7,            /**< Q . u / d */
  ATP_DOTATTN_SIM_M_SEM = 8,        /**< its standard error */
  ATP_DOTATTN_SIM_THETA = 9,        /**< sigma^2 Q . Q* / d */
  ATP_DOTATTN_SIM_THETA_SEM = 10,   /**< its standard error */
  ATP_DOTATTN_SIM_Q_LEAST = 11,     /**< smallest eigenvalue of sigma^2 Q_a . Q_b / d; for rank one the same as Q */
  ATP_DOTATTN_SIM_Q_LEAST_SEM = 12, /**< its standard error */
  ATP_DOTATTN_SIM_SEMANTIC = 13,    /**< fraction of the runs that end nearer to Q* than to the code, by the cosine */
  ATP_DOTATTN_SIM_GRADIENT = 14,    /**< largest |dR/dQ| / sqrt(d) at the end of a run */
  ATP_DOTATTN_SIM_STEPS = 15,       /**< mean number of steps (gradient, Adam) or iterations (L-BFGS) */
  ATP_DOTATTN_SIM_SAMPLES = 16,     /**< n = max(1, alpha d rounded) */
  ATP_DOTATTN_SIM_RUNS = 17,        /**< runs made; 0, with numbers of NaN, where it was cancelled before all were */
  ATP_DOTATTN_SIM_OUTCOME = 18      /**< an atp_outcome: CONVERGED where all runs reached the tolerance; MAX_ITER or STALLED where one did
                                         not; DIVERGED, with means of NaN, where a number stopped being finite; CANCELLED */
} atp_dotattn_sim_column;
/** Number of columns of atp_dotattn_sim_column. */
#define ATP_DOTATTN_SIM_COLUMNS 19

#ifdef __cplusplus
}
#endif
#endif
