/* SPDX-License-Identifier: MIT */
/** @file dotattn_dynamics.h
 *  Dynamics of dot-product attention: overlaps of a student of rank one against time, in simulation and in the limit of many dimensions.
 *  Data, teacher and student are those of dotattn_simulate.h.
 *
 *  Online descent takes a fresh sample in each step: Q <- Q - rate * d/dQ (|Y - Y^|^2 / 2d + (lambda / 2d) |Q|^2). The unit of time is d
 *  samples: t = samples / d. Descents with all n = alpha d samples in each step have the risk R of dotattn_simulate.h; a step counts as n
 *  samples, t = alpha * steps. So descents with the same rate * t come close to each other for small rates and many samples; their penalty
 *  is lambda / alpha in terms of the online descent.
 *  Starts have the length s (start-scale) and the cosines a (start-theta) with Q* and b (start-m) with u_0: Q = s (a Q* + b u_0 +
 *  sqrt(1 - a^2 - b^2) N(0, 1)).
 *
 *  ATP_TASK_DOTATTN_TRAJECTORY (task.h): simulates the descents of several runs, each with its own teacher, start and samples, and records
 *  them at the given times, which are rounded to steps: runs after each other, a row per time. alpha = 0 is online. The context's threads
 *  share the runs. More than 2^40 steps or 2^31 samples per step give ATP_E_TOO_LARGE.
 *  With limit = 1 and alpha > 0 the runs are solutions of the dynamical mean-field theory, the limit d -> infinity: n = alpha * dimension
 *  sampled trajectories, each with its noise and the memory of its own slopes. The noise xi of all samples is drawn as the descent needs
 *  it: xi e_j for orthonormal e_j that span Q, xi^T p_s for orthonormal p_s [n L] that span the slopes of the losses, each normal but for
 *  what the others have told. Runs differ by fluctuations of order 1/sqrt(n). With limit = 2 theta is held at its start: in the limit theta
 *  = 0 stays, among n samples it is of order 1/sqrt(n). V is the least one with V (lambda + alpha rho E tr K (1 + V K)^-1) = rho, K the
 *  Hessian of a sample's loss by chi; it is the response at a minimum. A run takes 16 n L (514 + columns of the code) bytes; one that needs
 *  more than 512 p_s ends with MAX_ITER. Source: Y. M. Lu, IEEE Trans. Inf. Theory 67, 8264 (2021).
 *
 *  ATP_TASK_DOTATTN_DYNAMICS (task.h): online descent in the limit d -> infinity at fixed rate. The overlaps are then not random. With
 *  rho = sigma^2, y, z, zeta standard normal, h_l = sigma y_l, r^2 = q - theta^2 / rho - rho |m|^2, chi_l = sum_k code[l][k] m_k +
 *  (theta / sigma) y_l + sigma sum_k m_k z_lk + r zeta_l, and g_l = d/d chi_l (rho / 2) |softmax(chi chi^T) - T(h)|^2:
 *    dq/dt = -2 rate (rho E sum_l g_l chi_l + lambda q) + rate^2 rho^2 E sum_l g_l^2,
 *    dtheta/dt = -rate (rho E sum_l g_l h_l + lambda theta),  dm_k/dt = -rate (E sum_l g_l (code[l][k] + sigma z_lk) + lambda m_k),
 *  from q = rho s^2, theta = rho s a, m = (s b, 0, ...). With flow = 1 the term of rate^2 is left out: the limit of small
 *  rates at fixed rate * t.
 *  With a = b = 0 the overlaps stay 0 in the limit; in d dimensions they are about spread / sqrt(d), where the covariance C of sqrt(d)
 *  (theta, m) follows dC/dt = J C + C J^T + D with the slopes J of the equations at m = theta = 0 and the covariance D of what samples add.
 *  Averages are over `points` points of a lattice, each with all signs of its y, z and zeta, moved by each of `shifts` random shifts. Each
 *  shift is solved separately by the Runge-Kutta pair of Dormand and Prince; a step may have a relative error of `tolerance`, 1e-13..0.1.
 *  The context's threads share the shifts. Sources: D. Saad, S. Solla, Phys. Rev. E 52, 4225 (1995); [C24]; docs/theory.md.
 */
#ifndef ATTOPOTTS_DOTATTN_DYNAMICS_H
#define ATTOPOTTS_DOTATTN_DYNAMICS_H

#include <attopotts/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Columns of ATP_TABLE_DOTATTN_DYNAMICS. Means and standard errors are over the random shifts of the points. Overlaps are as in
 *  atp_dotattn_sim_column. */
typedef enum atp_dotattn_dynamics_column ATP_INT {
  ATP_DOTATTN_DYNAMICS_TIME = 0,          /**< t: samples per dimension seen so far */
  ATP_DOTATTN_DYNAMICS_Q = 1,             /**< sigma^2 |Q|^2 / d */
  ATP_DOTATTN_DYNAMICS_Q_SEM = 2,         /**< standard error of q */
  ATP_DOTATTN_DYNAMICS_M = 3,             /**< positional overlap Q . u / d; the Euclidean norm for several columns of the code */
  ATP_DOTATTN_DYNAMICS_M_SEM = 4,         /**< standard error of m */
  ATP_DOTATTN_DYNAMICS_THETA = 5,         /**< semantic overlap sigma^2 Q . Q* / d */
  ATP_DOTATTN_DYNAMICS_THETA_SEM = 6,     /**< standard error of theta */
  ATP_DOTATTN_DYNAMICS_EG = 7,            /**< generalisation loss */
  ATP_DOTATTN_DYNAMICS_EG_SEM = 8,        /**< standard error of eg */
  ATP_DOTATTN_DYNAMICS_GROWTH_M = 9,      /**< growth rate of a small m_0 at the present q with m = theta = 0, per unit of time */
  ATP_DOTATTN_DYNAMICS_GROWTH_THETA = 10, /**< growth rate of a small theta, likewise */
  ATP_DOTATTN_DYNAMICS_SPREAD_M = 11,     /**< sqrt(d) times the standard deviation of m from random starts; NaN from other starts */
  ATP_DOTATTN_DYNAMICS_SPREAD_THETA = 12, /**< sqrt(d) times the standard deviation of theta, likewise */
  ATP_DOTATTN_DYNAMICS_ITERATIONS = 13,   /**< largest number of Runge-Kutta steps of a shift so far */
  ATP_DOTATTN_DYNAMICS_SHIFTS = 14,       /**< number of random shifts; 0, with values of NaN, if the run was cancelled before */
  ATP_DOTATTN_DYNAMICS_OUTCOME = 15       /**< an atp_outcome: CONVERGED; MAX_ITER, DIVERGED or CANCELLED with values of NaN */
} atp_dotattn_dynamics_column;
/** Number of columns of atp_dotattn_dynamics_column. */
#define ATP_DOTATTN_DYNAMICS_COLUMNS 16

/** Columns of ATP_TABLE_DOTATTN_TRAJECTORY: one run at one time. Overlaps and their signs are as in atp_dotattn_sim_column. */
typedef enum atp_dotattn_trajectory_column ATP_INT {
  ATP_DOTATTN_TRAJECTORY_RUN = 0,      /**< number of the run: 0, 1, ... */
  ATP_DOTATTN_TRAJECTORY_TIME = 1,     /**< samples per dimension seen so far, with repetitions */
  ATP_DOTATTN_TRAJECTORY_STEPS = 2,    /**< number of steps so far */
  ATP_DOTATTN_TRAJECTORY_Q = 3,        /**< sigma^2 |Q|^2 / d */
  ATP_DOTATTN_TRAJECTORY_M = 4,        /**< positional overlap Q . u / d */
  ATP_DOTATTN_TRAJECTORY_THETA = 5,    /**< semantic overlap sigma^2 Q . Q* / d */
  ATP_DOTATTN_TRAJECTORY_EG = 6,       /**< generalisation loss: mean of |Y - Y^|^2 / 2d over samples that are not training samples */
  ATP_DOTATTN_TRAJECTORY_ET = 7,       /**< training loss R / d; NaN for online descent */
  ATP_DOTATTN_TRAJECTORY_SEMANTIC = 8, /**< 1: nearer to Q* than to the code, by the cosine; 0: not */
  ATP_DOTATTN_TRAJECTORY_GRADIENT = 9, /**< |gradient of the next step| / sqrt(d) */
  ATP_DOTATTN_TRAJECTORY_OUTCOME = 10, /**< an atp_outcome: CONVERGED; MAX_ITER, DIVERGED or CANCELLED with values of NaN */
  ATP_DOTATTN_TRAJECTORY_V = 11        /**< response sigma^2 tr H^-1 / d, H the Hessian of R; NaN without limit, or if there is none */
} atp_dotattn_trajectory_column;
/** Number of columns of atp_dotattn_trajectory_column. */
#define ATP_DOTATTN_TRAJECTORY_COLUMNS 12

#ifdef __cplusplus
}
#endif
#endif
