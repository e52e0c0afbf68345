/* SPDX-License-Identifier: MIT */
/** @file dotattn_simulate.h
 *  Simulation of dot-product attention with a positional and a semantic solution, by gradient descent on random data. dotattn.h has the
 *  theory in the limit of many dimensions.
 *
 *  Data: d dimensions, L tokens, n = alpha d samples. x_l = sum_k code[l][k] u_k / sqrt(d) + xi_l, xi_l ~ N(0, sigma^2 1). The directions
 *  of the code are u_0 = (1, ..., 1) and u_k = sqrt(2) cos(pi k (j + 1/2) / d), j = 0..d-1, with u_k . u_k' = d delta. Labels are Y = T xi,
 *  T = (1 - omega) softmax(h h^T) + omega A, h_l = xi_l . Q* / sqrt(d), Q* ~ N(0, 1) of d numbers. The student, of rank r, is Y^ =
 *  softmax(chi chi^T) x, chi_l = (x_l . Q_1, ..., x_l . Q_r) / sqrt(d). It minimises the risk R = (1/2d) sum |Y - Y^|^2 + (lambda/2) |Q|^2.
 *  Softmax acts on rows. [C24] has L = 2, code (1, -1) and r = 1.
 *
 *  ATP_TASK_DOTATTN_SIMULATION (task.h): draws data, minimises the risk, and measures losses and order parameters, for several runs of
 *  teacher and data. The data of a run depend only on seed, d, L and its number: a larger alpha adds samples to those of a smaller one.
 *  Each step is full-batch: one pass over the data in single precision, with sums over samples in double precision. A run ends when |dR/dQ|
 *  / sqrt(d) <= tolerance, or after `steps` ([C24] makes 5000). Alphas are in [1e-12, 1e12]; the code has at most d columns. Optimizers
 *  (trainer.h): ATP_OPTIMIZER_SGD is gradient descent with a constant rate, by default 0.15 as in [C24]. ATP_OPTIMIZER_ADAM anneals its
 *  rate, by default 0.02, to 0 along a cosine over the steps. ATP_OPTIMIZER_LBFGS has no rate. The context's threads share the runs. More
 *  than 2^31 samples give ATP_E_TOO_LARGE.
 *  Random starts have the cosines start-theta with Q* and start-m with u_0, by default 0: Q_k = a Q* + b u_0 + sqrt(1 - a^2 - b^2) N(0, 1).
 *
 *  Response and flips, for rank one. V = sigma^2 tr H^-1 / d, H the Hessian of R at the minimum, from `probes` vectors of random signs and
 *  conjugate gradients. The problem of one sample beside all others, min over chi of |chi - w|^2 / 2V + l(chi) with the sample's loss
 *  l = |Y - Y^|^2 / 2d and w = chi + V grad l at the minimum of R, can have two minima, chi_1 > chi_2 and chi_1 < chi_2; a descent leaves
 *  some samples in the one of its start though the other is lower. With flips > 0 (two tokens, L-BFGS) samples are moved to their other
 *  minimum where it is lower, or higher by at most flip-margin times R / n: first all of them, after a failure the more favourable half,
 *  down to one, then each alone, then pairs. All others follow by H^-1; then the run descends again. A move is kept where R falls, and the
 *  search begins anew; it ends when none is kept, or after `flips` trials.
 */
#ifndef ATTOPOTTS_DOTATTN_SIMULATE_H
#define ATTOPOTTS_DOTATTN_SIMULATE_H

#include <attopotts/trainer.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Initial parameters of a student of dot-product attention. */
typedef enum atp_dotattn_start ATP_INT {
  ATP_DOTATTN_START_SEMANTIC = 1,   /**< Q_1 = Q*; Q_2 ~ N(0, 1) */
  ATP_DOTATTN_START_POSITIONAL = 2, /**< Q_1 = u_0; Q_2 = u_1, or N(0, 1) if the code has one column */
  ATP_DOTATTN_START_RANDOM = 3,     /**< all parameters ~ N(0, 1) */
  ATP_DOTATTN_START_MIXED = 4       /**< Q_1 = Q*, Q_2 = u_0; rank one: Q_1 = (Q* + u_0) / sqrt(2) */
} atp_dotattn_start;

/** Columns of ATP_TABLE_DOTATTN_SIMULATION. Means and standard errors of the mean are over runs; the errors are NaN for one run.
 *  The risk does not change under Q -> -Q. For rank one and a code of one column, M and THETA have the sign that makes the larger of the
 *  two cosines, of Q with u_0 and with Q*, positive. Otherwise they are Euclidean norms over ranks and columns, which are > 0 even if the
 *  theory has 0. */
typedef enum atp_dotattn_sim_column ATP_INT {
  ATP_DOTATTN_SIM_ALPHA = 0,        /**< samples per dimension, n / d, after n is rounded */
  ATP_DOTATTN_SIM_EG = 1,           /**< generalisation loss: mean of |Y - Y^|^2 / 2d over samples that are not training samples */
  ATP_DOTATTN_SIM_EG_SEM = 2,       /**< standard error of eg */
  ATP_DOTATTN_SIM_ET = 3,           /**< training loss: R / d at the end of training */
  ATP_DOTATTN_SIM_ET_SEM = 4,       /**< standard error of et */
  ATP_DOTATTN_SIM_Q = 5,            /**< sigma^2 |Q|^2 / d, all ranks together */
  ATP_DOTATTN_SIM_Q_SEM = 6,        /**< standard error of q */
  ATP_DOTATTN_SIM_M = 7,            /**< positional overlap, Q . u / d */
  ATP_DOTATTN_SIM_M_SEM = 8,        /**< standard error of m */
  ATP_DOTATTN_SIM_THETA = 9,        /**< semantic overlap, sigma^2 Q . Q* / d */
  ATP_DOTATTN_SIM_THETA_SEM = 10,   /**< standard error of theta */
  ATP_DOTATTN_SIM_Q_LEAST = 11,     /**< smallest eigenvalue of sigma^2 Q_a . Q_b / d; equal to q for rank one */
  ATP_DOTATTN_SIM_Q_LEAST_SEM = 12, /**< standard error of q_least */
  ATP_DOTATTN_SIM_SEMANTIC = 13,    /**< fraction of runs that end nearer to Q* than to the code, by the cosine */
  ATP_DOTATTN_SIM_GRADIENT = 14,    /**< largest |dR/dQ| / sqrt(d) at the end of a run */
  ATP_DOTATTN_SIM_STEPS = 15,       /**< mean number of steps (gradient descent, Adam) or iterations (L-BFGS) */
  ATP_DOTATTN_SIM_SAMPLES = 16,     /**< number of samples, n = max(1, alpha d rounded) */
  ATP_DOTATTN_SIM_RUNS = 17,        /**< number of runs; 0, with values of NaN, if the task was cancelled before all were done */
  ATP_DOTATTN_SIM_OUTCOME = 18,     /**< an atp_outcome: CONVERGED if all runs converged; if DIVERGED, the values are NaN */
  ATP_DOTATTN_SIM_V = 19,           /**< response V = sigma^2 tr H^-1 / d, H the Hessian of R; NaN without probes or if H has no inverse */
  ATP_DOTATTN_SIM_V_SEM = 20,       /**< standard error of v */
  ATP_DOTATTN_SIM_FLIPS = 21,       /**< mean number of samples that flips moved; this column and those below are NaN without flips */
  ATP_DOTATTN_SIM_TRIALS = 22,      /**< mean number of trials of flips */
  ATP_DOTATTN_SIM_EG_EXCESS = 23,   /**< eg before the flips less eg */
  ATP_DOTATTN_SIM_EG_EXCESS_SEM = 24, /**< standard error of eg_excess, from pairs on the same data */
  ATP_DOTATTN_SIM_ET_EXCESS = 25,     /**< et before the flips less et */
  ATP_DOTATTN_SIM_ET_EXCESS_SEM = 26, /**< standard error of et_excess */
  ATP_DOTATTN_SIM_Q_EXCESS = 27,      /**< q before the flips less q */
  ATP_DOTATTN_SIM_Q_EXCESS_SEM = 28,  /**< standard error of q_excess */
  ATP_DOTATTN_SIM_M_EXCESS = 29,      /**< m before the flips less m */
  ATP_DOTATTN_SIM_M_EXCESS_SEM = 30,  /**< standard error of m_excess */
  ATP_DOTATTN_SIM_V_EXCESS = 31,      /**< v before the flips less v */
  ATP_DOTATTN_SIM_V_EXCESS_SEM = 32   /**< standard error of v_excess */
} atp_dotattn_sim_column;
/** Number of columns of atp_dotattn_sim_column. */
#define ATP_DOTATTN_SIM_COLUMNS 33

#ifdef __cplusplus
}
#endif
#endif
