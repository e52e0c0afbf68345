/* SPDX-License-Identifier: MIT */
/** @file replica.h
 *  Learning curves of masked Gaussian modelling in theory: how the test loss of a linear student depends on the number of samples.
 *
 *  Inputs x in R^p are Gaussian with covariance S; the masked value is y = w* . x + noise of variance `noise`. The student learns from
 *  M = alpha p samples by minimising 1/2 sum (y - w . x)^2 + 1/2 lambda p |w|^2, or is drawn from the Gibbs measure of that energy at
 *  `temperature` T > 0. Generalisation loss e_g = E (y - w . x)^2 = rho + q - 2 m + T V, rho = E y^2; training loss e_t is the mean of
 *  (y - w . x)^2 over the samples. When x_1..x_L is Gaussian with covariance C = P^-1 and site i is masked, S is C without row and column
 *  i, w*_j = -P_ij / P_ii and noise = 1 / P_ii.
 *
 *  What the theory needs of S and w* are the eigenvalues s_k of S and the projections t_k = (eigenvector_k . w*)^2. From a matrix to a
 *  curve: atp_replica_goe() or a precision of your own, atp_replica_mask_precision(), atp_replica_spectrum(), atp_replica_square(). In the
 *  limit L -> infinity of P = z I - J with a Gaussian orthogonal J everything is in closed form: atp_replica_limit().
 *  atp_replica_simulate() draws and learns instead.
 *
 *  Results are rows of numbers in arrays of the caller; atp_replica_column says what is where. The derivation is in docs/theory.md.
 *  Threads: plain functions over arrays of the caller, always safe; a context belongs to one thread at a time.
 */
#ifndef ATTOPOTTS_REPLICA_H
#define ATTOPOTTS_REPLICA_H

#include <attopotts/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Columns of a row of theory. "per parameter" is divided by p, so that it has a limit. */
typedef enum atp_replica_column ATP_INT {
  ATP_REPLICA_ALPHA = 0,        /**< samples per parameter M / p */
  ATP_REPLICA_LAMBDA = 1,       /**< penalty per parameter */
  ATP_REPLICA_EG = 2,           /**< generalisation loss, rho + q - 2 m + T V for the square loss */
  ATP_REPLICA_ET = 3,           /**< training loss, e_g / (1 + V)^2 at T = 0 for the square loss */
  ATP_REPLICA_RHO = 4,          /**< variance of y: the loss of w = 0 */
  ATP_REPLICA_Q = 5,            /**< w . S w of two students from the same data; at T = 0 they are the same */
  ATP_REPLICA_M = 6,            /**< w . S w* */
  ATP_REPLICA_V = 7,            /**< response V; infinite where lambda = 0 and alpha <= 1 */
  ATP_REPLICA_QHAT = 8,         /**< conjugate of q per parameter */
  ATP_REPLICA_MHAT = 9,         /**< conjugate of m per parameter */
  ATP_REPLICA_VHAT = 10,        /**< conjugate of V per parameter */
  ATP_REPLICA_KAPPA = 11,       /**< lambda / V^ per parameter: the penalty that the data leave */
  ATP_REPLICA_NORM = 12,        /**< |w|^2 of the minimum of the energy */
  ATP_REPLICA_FREE_ENERGY = 13, /**< -(T / p) E log int dw (p / (2 pi T))^(p/2) exp(-energy / T); at T = 0 the smallest energy / p */
  ATP_REPLICA_ITERATIONS = 14,  /**< steps of the solver; 0 where there is a closed form */
  ATP_REPLICA_RESIDUAL = 15,    /**< what is left of the equations when the solution is put back, relative */
  ATP_REPLICA_OUTCOME = 16,   /**< an atp_outcome: CONVERGED, MAX_ITER, or DIVERGED where e_g is infinite; STALLED (atp_replica_convex()) */
  ATP_REPLICA_QUADRATURE = 17 /**< estimated relative error of quadratures; 0 where there are none */
} atp_replica_column;
/** Number of columns of atp_replica_column. */
#define ATP_REPLICA_COLUMNS 18

/** Columns of a row of simulation; means and standard errors of the mean are over realisations. */
typedef enum atp_replica_sim_column ATP_INT {
  ATP_REPLICA_SIM_ALPHA = 0,       /**< M / p of the whole number M of samples */
  ATP_REPLICA_SIM_EG = 1,          /**< generalisation loss, averaged exactly over inputs */
  ATP_REPLICA_SIM_EG_SEM = 2,      /**< its standard error; NaN for one realisation */
  ATP_REPLICA_SIM_ET = 3,          /**< training loss */
  ATP_REPLICA_SIM_ET_SEM = 4,      /**< its standard error; NaN for one realisation */
  ATP_REPLICA_SIM_SAMPLES = 5,     /**< M = max(1, alpha p rounded) */
  ATP_REPLICA_SIM_REALISATIONS = 6 /**< realisations made; 0, with losses of NaN, where the run was cancelled before */
} atp_replica_sim_column;
/** Number of columns of atp_replica_sim_column. */
#define ATP_REPLICA_SIM_COLUMNS 7

/** The name of a column in lower case, "eg" say. @param[in] column an atp_replica_column
 *  @return a static string; NULL for another number. Allocates: no. Threads: always safe. Since: 0.1. */
ATP_API const char *atp_replica_column_name(int column) ATP_NOEXCEPT;

/** The number of a column from its name, "eg" say.
 *  @return an atp_replica_column; -1 for NULL or another name. Allocates: no. Threads: always safe. Since: 0.1. */
ATP_API int atp_replica_column_find(const char *name) ATP_NOEXCEPT;

/** A random precision matrix P = z I - J, J_ij = J_ji ~ N(0, 1/L), J_ii = 0 (Gaussian orthogonal ensemble, semicircle on [-2, 2]).
 *  @param[in]  sites      L, 2..32000
 *  @param[in]  shift      z, in (2, 1e6]
 *  @param[in]  seed       J depends on L and seed alone
 *  @param[out] precision  shape [L][L]; not positive definite for an unlucky J of a small L: atp_replica_mask_precision() tells
 *  @param[in]  size       L * L
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_NOT_FINITE; ATP_E_SHAPE. Allocates: no. Threads: always safe. Since: 0.1.
 *  Source: [R24 eq. 6]. */
ATP_API atp_status atp_replica_goe(int64_t sites, double shift, uint64_t seed, double *precision, int64_t size) ATP_NOEXCEPT;

/** The number of doubles that atp_replica_mask_precision() and atp_replica_mask_covariance() need to work in.
 *  @param[in] sites L, 2..32000; @param[out] doubles
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE. Allocates: no. Threads: always safe. Since: 0.1. */
ATP_API atp_status atp_replica_mask_workspace(int64_t sites, int64_t *doubles) ATP_NOEXCEPT;

/** Mask a site of x ~ N(0, P^-1): w*_j = -P_ij / P_ii, noise = 1 / P_ii, S^-1 = P_rest - P_rest,i P_i,rest / P_ii.
 *  @param[in]  precision   P, shape [L][L], symmetric, positive definite; @param[in] sites L, 2..32000; @param[in] site i, 0..L-1
 *  @param[out] covariance  S, shape [p][p], p = L - 1; @param[in] covariance_size p * p
 *  @param[out] teacher     w*, shape [p]; @param[in] teacher_size p
 *  @param[out] noise       variance of the masked value given the others
 *  @param[in]  work        doubles to work in; @param[in] work_size at least atp_replica_mask_workspace()
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (sites, site, P not positive definite); ATP_E_NOT_FINITE; ATP_E_SYMMETRY; ATP_E_SHAPE;
 *          ATP_E_BUFFER
 *  Allocates: no (BLIS takes packing buffers and gives them back). Threads: always safe. Since: 0.1. Source: [R24 eq. 6-7]. */
ATP_API atp_status atp_replica_mask_precision(const double *precision, int64_t sites, int64_t site, double *covariance,
                                              int64_t covariance_size, double *teacher, int64_t teacher_size, double *noise, double *work,
                                              int64_t work_size) ATP_NOEXCEPT;

/** The same from a covariance C: S = C_rest, w* = S^-1 C_rest,i, noise = C_ii - C_i,rest . w*.
 *  @param[in]  full  C, shape [L][L], symmetric, positive definite; all other arguments as in atp_replica_mask_precision()
 *  @return as atp_replica_mask_precision()
 *  Allocates: no (BLIS takes packing buffers and gives them back). Threads: always safe. Since: 0.1. */
ATP_API atp_status atp_replica_mask_covariance(const double *full, int64_t sites, int64_t site, double *covariance, int64_t covariance_size,
                                               double *teacher, int64_t teacher_size, double *noise, double *work,
                                               int64_t work_size) ATP_NOEXCEPT;

/** The number of doubles that atp_replica_spectrum() needs to work in. @param[in] parameters p, 1..32000; @param[out] doubles
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE. Allocates: no. Threads: always safe. Since: 0.1. */
ATP_API atp_status atp_replica_spectrum_workspace(int64_t parameters, int64_t *doubles) ATP_NOEXCEPT;

/** Eigenvalues of the inputs' covariance, and what the teacher has of each eigenvector: t_k = (eigenvector_k . w*)^2.
 *  @param[in]  covariance   S, shape [p][p], symmetric, positive definite; @param[in] covariance_size p * p
 *  @param[in]  teacher      w*, shape [p]; @param[in] parameters p, 1..32000
 *  @param[out] eigenvalues  shape [p], rising; @param[out] projections shape [p]; @param[in] size p
 *  @param[in]  work         doubles to work in; @param[in] work_size at least atp_replica_spectrum_workspace()
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (parameters, S not positive definite); ATP_E_NOT_FINITE; ATP_E_SYMMETRY; ATP_E_SHAPE;
 *          ATP_E_BUFFER; ATP_E_INTERNAL (LAPACK did not converge)
 *  Allocates: no (BLIS takes packing buffers and gives them back). Threads: always safe. Since: 0.1. */
ATP_API atp_status atp_replica_spectrum(const double *covariance, int64_t covariance_size, const double *teacher, int64_t parameters,
                                        double *eigenvalues, double *projections, int64_t size, double *work,
                                        int64_t work_size) ATP_NOEXCEPT;

/** The learning curve of the square loss on a given spectrum, from one scalar equation per alpha:
 *  kappa (alpha - df1) = lambda, df1 = (1/p) sum s / (s + kappa), df2 = (1/p) sum s^2 / (s + kappa)^2,
 *  e_g = (kappa^2 sum s t / (s + kappa)^2 + noise) / (1 - df2 / alpha), e_t = (1 - df1 / alpha)^2 e_g, with T V and T V / (1 + V) added at
 *  T > 0. Solved by Newton's method in log kappa within a bracket. lambda = 0 is the limit lambda -> 0 (the smallest w among the best).
 *  There alpha = 1 has e_g = infinity and ATP_OUTCOME_DIVERGED unless noise = 0, and at T > 0 every alpha <= 1 has, as V is infinite.
 *  @param[in]  eigenvalues  s_k > 0, shape [n_eigenvalues], n_eigenvalues = p >= 1
 *  @param[in]  projections  t_k >= 0, shape [n_projections], n_projections = p
 *  @param[in]  noise        variance of y given x, >= 0
 *  @param[in]  alphas       shape [n_alphas], each in [1e-12, 1e12]; @param[in] n_alphas >= 1
 *  @param[in]  lambda       0..1e12; @param[in] temperature T, 0..1e12
 *  @param[out] rows         shape [n_alphas][c]: the first c columns of atp_replica_column; @param[in] size n_alphas * c,
 *                           1 <= c <= ATP_REPLICA_COLUMNS
 *  @param[out] outcome      (optional) ATP_OUTCOME_CONVERGED, or that of the first row that is not
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_NOT_FINITE; ATP_E_SHAPE (n_projections, size)
 *  Allocates: no. Threads: always safe. Since: 0.1. Source: [R24 eq. 36-41]; docs/theory.md. */
ATP_API atp_status atp_replica_square(const double *eigenvalues, int64_t n_eigenvalues, const double *projections, int64_t n_projections,
                                      double noise, const double *alphas, int64_t n_alphas, double lambda, double temperature, double *rows,
                                      int64_t size, atp_outcome *outcome) ATP_NOEXCEPT;

/** The same curve from the saddle-point equations, with Lambda = lambda p:
 *  V^ = m^ = alpha p / (1 + V), q^ = alpha p (rho + q - 2 m) / (1 + V)^2, V = sum s / (Lambda + V^ s), m = m^ sum s^2 t / (Lambda + V^ s),
 *  q = sum (m^^2 s^2 t + q^ s) s / (Lambda + V^ s)^2. Newton's method on log V within a bracket, and on q; the residual is the largest
 *  relative change of V, m and q in one more application of the equations. Every alpha starts anew.
 *  @param[in]  lambda    0..1e12, and > 0 where an alpha is <= 1 (V is infinite there)
 *  @param[in]  max_iter  most steps per alpha, 1..1000000
 *  All other arguments as in atp_replica_square().
 *  @return as atp_replica_square(). Allocates: no. Threads: always safe. Since: 0.1. Source: [R24 eq. 36-41]. */
ATP_API atp_status atp_replica_square_saddle(const double *eigenvalues, int64_t n_eigenvalues, const double *projections,
                                             int64_t n_projections, double noise, const double *alphas, int64_t n_alphas, double lambda,
                                             double temperature, int64_t max_iter, double *rows, int64_t size,
                                             atp_outcome *outcome) ATP_NOEXCEPT;

/** The learning curve of the square loss for P = z I - J in the limit L -> infinity, in closed form up to kappa. With
 *  g(x) = 2 / (x + sqrt(x^2 - 4)), t = g(z + 1/kappa) / kappa, kappa (alpha - t) = lambda, a = (1 - t) / kappa, c = g(z) - kappa t,
 *  R = a - g(z) t^2 / (1 + g(z) c) and t2 = t + kappa dt/dkappa,
 *  e_g = ((kappa^2 / z^2) d(kappa R)/dkappa + 1/z) / (1 - t2 / alpha).
 *  rho = g(z); the best loss is 1/z; lambda = 0 and alpha > 1 give alpha / (z (alpha - 1)).
 *  @param[in]  shift  z, in (2, 1e6]
 *  All other arguments as in atp_replica_square().
 *  @return as atp_replica_square(). Allocates: no. Threads: always safe. Since: 0.1. Source: docs/theory.md. */
ATP_API atp_status atp_replica_limit(double shift, const double *alphas, int64_t n_alphas, double lambda, double temperature, double *rows,
                                     int64_t size, atp_outcome *outcome) ATP_NOEXCEPT;

/** The bytes that atp_replica_simulate() will ask of the context. Arguments as there; @param[out] bytes
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_NOT_FINITE; ATP_E_TOO_LARGE. Allocates: no. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_replica_simulate_bytes(atp_context *context, int64_t parameters, const double *alphas, int64_t n_alphas,
                                              double lambda, int64_t realisations, int64_t *bytes) ATP_NOEXCEPT;

/** Draw M = alpha p samples x ~ N(0, S), y ~ N(w* . x, noise), learn w, and look at its losses, for many realisations of the data of one S
 *  and w*. Inputs are drawn through the Cholesky factor of S. w is the solution of least squares by an orthogonal factorisation:
 *  QR of [X; sqrt(Lambda) I] for M >= p, and the smallest solution by LQ of [X, sqrt(Lambda) I] below; lambda = 0 gives least squares, or
 *  the smallest w that fits. e_g is (w - w*) . S (w - w*) + noise. The data of a realisation depend on seed, M and its number alone.
 *  @param[in]  covariance    S, shape [p][p], symmetric, positive definite; @param[in] covariance_size p * p
 *  @param[in]  teacher       w*, shape [p]; @param[in] parameters p, 1..32000
 *  @param[in]  noise         >= 0
 *  @param[in]  alphas        shape [n_alphas], each in [1e-12, 1e12]; @param[in] n_alphas >= 1
 *  @param[in]  lambda        0..1e12
 *  @param[in]  realisations  R, 1..1000000
 *  @param[in]  progress      (optional) called after each alpha with STEP (realisations made of all alphas) and TOTAL
 *  @param[out] rows          shape [n_alphas][c]: the first c columns of atp_replica_sim_column; @param[in] size n_alphas * c,
 *                            1 <= c <= ATP_REPLICA_SIM_COLUMNS
 *  @param[out] outcome       (optional) CONVERGED (all made), CANCELLED, or DIVERGED (a loss that is not finite)
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_NOT_FINITE; ATP_E_SYMMETRY; ATP_E_SHAPE; ATP_E_TOO_LARGE (more samples than
 *          2^25, or M (p + 1) above 2^33); ATP_E_MEMORY
 *  Allocates: atp_replica_simulate_bytes() through the context, freed before it returns. Threads: one; the context's inside, with the same
 *  numbers for any number of them. Last digits may differ between machines, as BLIS's kernels do. Since: 0.1. Source: [R24 fig. 3 left]. */
ATP_API atp_status atp_replica_simulate(atp_context *context, const double *covariance, int64_t covariance_size, const double *teacher,
                                        int64_t parameters, double noise, const double *alphas, int64_t n_alphas, double lambda,
                                        int64_t realisations, uint64_t seed, atp_progress_fn progress, void *user, double *rows,
                                        int64_t size, atp_outcome *outcome) ATP_NOEXCEPT;

/** Losses of atp_replica_convex(), of a value or label y and a prediction z; r = y - z. */
typedef enum atp_replica_loss ATP_INT {
  ATP_REPLICA_LOSS_SQUARE = 1,  /**< r^2 / 2 */
  ATP_REPLICA_LOSS_HUBER = 2,   /**< r^2 / 2 where |r| <= delta, else delta |r| - delta^2 / 2 */
  ATP_REPLICA_LOSS_LOGISTIC = 3 /**< log(1 + exp(-y z)), y = +-1 */
} atp_replica_loss;

/** The number of doubles that atp_replica_convex() needs to work in, about 11000. @param[out] doubles
 *  @return ATP_OK; ATP_E_NULL. Allocates: no. Threads: always safe. Since: 0.1. */
ATP_API atp_status atp_replica_convex_workspace(int64_t *doubles) ATP_NOEXCEPT;

/** The learning curve of a convex loss on a given spectrum, w = argmin sum loss(y, w . x) + 1/2 lambda p |w|^2, from the saddle-point
 *  equations V^ = -alpha p E df/domega, q^ = alpha p E f^2, m^ = alpha p E df/dnu, f = (z - omega) / V, z = argmin_z loss(y, z) +
 *  (z - omega)^2 / (2 V), with (nu, omega) normal of covariances w* . S w*, m, q, and V, q, m from the hats as in
 *  atp_replica_square_saddle(). Averages by Gauss-Hermite or graded Gauss-Legendre quadrature, refined until e_g stands still.
 *  Square and Huber: y = w* . x + noise; e_g and e_t are means of twice the loss, so that the square loss gives the numbers of
 *  atp_replica_square() and Huber's gives them as delta -> infinity; the mean squared error is rho + q - 2 m. Logistic: y = +-1 with
 *  P(y | x) = 1 / (1 + exp(-y w* . x)); e_g and e_t are means of -log P in nats, and the column rho is w* . S w*. With w*_j = 2 beta J_ij
 * and S the covariance of the other spins that is the pseudo-likelihood of site i of an Ising model, P(x) ~ exp(beta sum_{i<j} J_ij x_i
 * x_j), x_i = +-1, as long as w . x is normal: large systems at high temperature. ATP_REPLICA_RESIDUAL is the largest change of log V^, log
 * q^, log m^ by one more iteration, ATP_REPLICA_QUADRATURE the last relative change of e_g. A row is CONVERGED where they are at most 1e-12
 * and 1e-10; else it is MAX_ITER or STALLED, with the best that was found. Where lambda = 0 and the labels of the logistic loss can be
 * separated it is DIVERGED with e_g infinite and e_t 0.
 *  @param[in]  eigenvalues  s_k > 0, shape [n_eigenvalues], n_eigenvalues = p >= 1
 *  @param[in]  projections  t_k >= 0, shape [n_projections], n_projections = p
 *  @param[in]  noise        variance of y given x, >= 0; 0 for the logistic loss
 *  @param[in]  loss         an atp_replica_loss
 *  @param[in]  delta        of Huber's loss, 1e-12..1e12; ignored for others
 *  @param[in]  alphas       shape [n_alphas], each in [1e-12, 1e12]; @param[in] n_alphas >= 1
 *  @param[in]  lambda       0..1e12; > 0 for square and Huber where an alpha is <= 1 (V is infinite there)
 *  @param[in]  max_iter     most iterations per alpha, 1..1000000; 1000 do
 *  @param[in]  work         doubles to work in; @param[in] work_size at least atp_replica_convex_workspace()
 *  @param[out] rows         shape [n_alphas][c]: the first c columns of atp_replica_column
 *  @param[in]  size         n_alphas * c, 1 <= c <= ATP_REPLICA_COLUMNS
 *  @param[out] optimum      (optional) e_g of w = w*
 *  @param[out] outcome      (optional) ATP_OUTCOME_CONVERGED, or that of the first row that is not
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_NOT_FINITE; ATP_E_SHAPE (n_projections, size); ATP_E_BUFFER (work_size)
 *  Allocates: no. Time: milliseconds per alpha, up to seconds where labels are nearly separable. Threads: always
 *  safe. Since: 0.1. Source: B. Loureiro et al., NeurIPS 2021, arXiv:2102.08127; docs/theory.md. */
ATP_API atp_status atp_replica_convex(const double *eigenvalues, int64_t n_eigenvalues, const double *projections, int64_t n_projections,
                                      double noise, atp_replica_loss loss, double delta, const double *alphas, int64_t n_alphas,
                                      double lambda, int64_t max_iter, double *work, int64_t work_size, double *rows, int64_t size,
                                      double *optimum, atp_outcome *outcome) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
