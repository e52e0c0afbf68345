/* SPDX-License-Identifier: MIT */
/** @file replica.h
 *  Theory of learning curves of masked Gaussian modelling: the test loss of a linear student as a function of the number of samples.
 *
 *  Inputs x in R^p are Gaussian with covariance S. The masked value is y = w* . x + noise of variance `noise`. The student learns from M =
 *  alpha p samples. It minimises 1/2 sum (y - w . x)^2 + 1/2 lambda p |w|^2, or is drawn from the Gibbs measure of that energy at
 *  `temperature` T > 0. The generalisation loss is e_g = E (y - w . x)^2 = rho + q - 2 m + T V, rho = E y^2. The training loss e_t is the
 *  mean of (y - w . x)^2 over the samples. If x_1..x_L is Gaussian with covariance C = P^-1 and site i is masked, S is C without row and
 *  column i, w*_j = -P_ij / P_ii and noise = 1 / P_ii.
 *
 *  The theory depends on S and w* through the eigenvalues s_k of S and the projections t_k = (eigenvector_k . w*)^2. From a matrix to a
 *  curve: call atp_replica_goe() or use your own precision matrix, then atp_masked_create_precision(), atp_masked_spectrum(), and a task
 *  (task.h). Alphas M / p are in [1e-12, 1e12].
 *
 *  ATP_TASK_REPLICA_SQUARE: the learning curve of the square loss on a given spectrum, from one scalar equation per alpha:
 *  kappa (alpha - df1) = lambda, df1 = (1/p) sum s / (s + kappa), df2 = (1/p) sum s^2 / (s + kappa)^2,
 *  e_g = (kappa^2 sum s t / (s + kappa)^2 + noise) / (1 - df2 / alpha), e_t = (1 - df1 / alpha)^2 e_g, with T V and T V / (1 + V) added at
 *  T > 0.
 *  It is solved by Newton's method in log kappa within a bracket. lambda = 0 is the limit lambda -> 0 (the smallest w among the best). In
 *  this limit alpha = 1 has e_g = infinity and ATP_OUTCOME_DIVERGED unless noise = 0. At T > 0 every alpha <= 1 has it, because V is
 *  infinite [R24 eq. 36-41].
 *
 *  ATP_TASK_REPLICA_SADDLE: the same curve from the saddle-point equations, with Lambda = lambda p:
 *  V^ = m^ = alpha p / (1 + V), q^ = alpha p (rho + q - 2 m) / (1 + V)^2, V = sum s / (Lambda + V^ s), m = m^ sum s^2 t / (Lambda + V^ s),
 *  q = sum (m^^2 s^2 t + q^ s) s / (Lambda + V^ s)^2.
 *  They are solved by Newton's method on log V within a bracket, and on q. The residual is the largest relative change of V, m and q in one
 *  more application of the equations. Each alpha is solved independently. If an alpha is <= 1, lambda must be > 0 (V is infinite at 0).
 *  max-iter is at most 1000000.
 *
 *  ATP_TASK_REPLICA_LIMIT: the curve for P = z I - J with a Gaussian orthogonal J in the limit L -> infinity, in closed form up to kappa.
 *  With g(x) = 2 / (x + sqrt(x^2 - 4)), t = g(z + 1/kappa) / kappa, kappa (alpha - t) = lambda, a = (1 - t) / kappa, c = g(z) - kappa t, R
 *  = a - g(z) t^2 / (1 + g(z) c) and t2 = t + kappa dt/dkappa,
 *  e_g = ((kappa^2 / z^2) d(kappa R)/dkappa + 1/z) / (1 - t2 / alpha).
 *  rho = g(z); the best loss is 1/z; lambda = 0 and alpha > 1 give alpha / (z (alpha - 1)). `shift` is z, in (2, 1e6].
 *
 *  ATP_TASK_REPLICA_CONVEX: the curve of a convex loss, w = argmin sum loss(y, w . x) + 1/2 lambda p |w|^2, from the saddle-point equations
 *  V^ = -alpha p E df/domega, q^ = alpha p E f^2, m^ = alpha p E df/dnu, f = (z - omega) / V, z = argmin_z loss(y, z) + (z - omega)^2 / (2
 *  V).
 *  (nu, omega) are normal with covariances w* . S w*, m, q; V, q, m follow from the conjugates as above. Averages use Gauss-Hermite or
 *  graded Gauss-Legendre quadrature, refined until e_g no longer changes.
 *  Square and Huber loss: y = w* . x + noise. e_g and e_t are means of twice the loss. The square loss therefore gives the numbers of
 *  REPLICA_SQUARE; Huber's gives them as delta -> infinity. The mean squared error is rho + q - 2 m. If an alpha is <= 1, lambda must be >
 *  0.
 *  Logistic loss: y = +-1 with P(y | x) = 1 / (1 + exp(-y w* . x)), noise 0. e_g and e_t are means of -log P in nats, and the column rho is
 *  w* . S w*. Let w*_j = 2 beta J_ij and S the covariance of the other spins. Then this is the pseudo-likelihood of site i of an Ising
 *  model, P(x) ~ exp(beta sum_{i<j} J_ij x_i x_j), x_i = +-1, as long as w . x is normal: large systems at high temperature.
 *  With inputs CAVITY the labels +-1 have probabilities of a half, and given the label the inputs are normal with mean y S w* / 2 and
 *  covariance S. Then P(y | x) is the same, and this is exact for an Ising model in the limit of many weakly coupled spins without fields:
 *  S is the covariance of the other spins where spin i is taken out, that is, their covariance given spin i. The equations are those above
 *  with omega ~ N(m / 2, q) for the label 1, and m^ = alpha p E f / 2.
 *  The residual is the largest change of log V^, log q^, log m^ by one more iteration; `quadrature` is the last relative change of e_g. A
 *  row is CONVERGED if they are at most 1e-12 and 1e-10. Otherwise it is MAX_ITER or STALLED, with the best solution found. If lambda = 0
 *  and the labels of the logistic loss can be separated, it is DIVERGED with e_g infinite and e_t 0. An alpha takes milliseconds, or up to
 *  seconds if labels are nearly separable. ATP_TASK_OPTIMUM is e_g of w = w*. Source: B. Loureiro et al., NeurIPS 2021, arXiv:2102.08127.
 *
 *  ATP_TASK_REPLICA_SIMULATION: draws M = alpha p samples x ~ N(0, S), y ~ N(w* . x, noise), learns w, and measures its losses, for many
 *  realisations of the data of one S and w*. Inputs are drawn through the Cholesky factor of S. w is the solution of least squares by an
 *  orthogonal factorisation: QR of [X; sqrt(Lambda) I] for M >= p, and the smallest solution by LQ of [X, sqrt(Lambda) I] for M < p. lambda
 *  = 0 gives least squares, or the smallest w that fits. e_g is (w - w*) . S (w - w*) + noise. The data of a realisation depend only on
 *  seed, M and its number. More than 2^25 samples, or M (p + 1) above 2^33, give ATP_E_TOO_LARGE. If a loss is not finite, the outcome of
 *  the run is DIVERGED. Last digits may differ between machines, because BLIS's kernels differ [R24 fig. 3 left].
 *
 *  ATP_TASK_REPLICA_POTTS: the curve of q-colour pseudo-likelihood with known V, a conditional logit. Site i of factored attention sees the
 *  fields z_a = sum_j w_j V(a, s_j), w_j = A_ij, and w = argmin sum_mu -log softmax(z_mu)[y_mu] + 1/2 lambda p |w|^2. The theory takes the
 *  fields for normal: V(a, s_j), less its mean over s_j, has the covariance K_ab S_jk. K = V_c V_c^T / q for uniform colours, V_c being V
 *  without the means of its rows; EIGENVALUES and PROJECTIONS are those of S. Labels are drawn from softmax of the teacher's fields. With
 *  R R^T = K and fields z = R u, u in R^d, d <= q - 1, the saddle-point equations are those of CONVEX with
 *  V^ = -alpha p E tr df/domega, q^ = alpha p E |f|^2, m^ = alpha p E tr df/dnu, f = (u - omega) / V, u = argmin_u -log softmax(R u)[y] +
 *  |u - omega|^2 / (2 V). rho is w* . S w*, the variance of each component of nu; e_g and e_t are means of -log P in nats.
 *  With inputs CAVITY the fields are normal given the label: u ~ N(m R^T e_y, Q) and nu ~ N(rho R^T e_y, rho) in each component, with the
 *  label's probability P(y) ~ exp(rho K_yy / 2), K_yy being that of R R^T. P(y | inputs) is the same, and m^ = alpha p E f . R^T e_y. This
 *  is a Potts model in the limit of many weakly coupled sites without fields, S being the covariance without site i.
 *  Averages are over `points` points of a lattice, shifted at random; for d = 1 of a grid, where they are exact to rounding for moderate
 *  fields. Each of `shifts` shifts is solved on its own, until the residual is below 1e-9. A row has the means over shifts, and
 *  `quadrature` is the larger of the relative standard errors of e_g and e_t over shifts. It is an error of the average, not a criterion:
 *  a row is CONVERGED if the equations of all shifts are solved. If one is not (MAX_ITER, STALLED), the row is that of this shift. It is
 *  STALLED, too, where its energy is above that of w = 0: with too few points there are fixed points that are no minimum, where labels are
 *  nearly separable. If lambda = 0 and the labels can be separated, it is DIVERGED, as for the logistic loss. An alpha takes seconds for
 *  q = 20, and minutes near the threshold of separability if the eigenvalues of K differ. Ranks and threads share alphas and shifts. A
 *  covariance with a negative eigenvalue, or without differences between colours, gives ATP_E_VALUE when the task runs.
 *
 *  ATP_TASK_REPLICA_POTTS_SIMULATION: draws normal inputs V(a, s_j) with the covariance K_ab S_jk and labels from softmax of the teacher's
 *  fields, or with inputs CAVITY first labels and then inputs, learns w by Newton's method, and measures its losses. e_g is a mean over
 *  `test-samples` fields, which are drawn anew for each realisation. Bounds as for REPLICA_SIMULATION, with p (q - 1) inputs per sample.
 *  Where there is no minimum (lambda = 0 and labels that can be separated), losses are NaN and the outcome of the run is DIVERGED.
 *
 *  TARGETS instead of ALPHAS: for each target R > 1 the smallest alpha with e_g <= R e_g(w*), between 1e-3 and 1e9. The search goes up in
 *  steps of 2 per cent, because e_g need not fall with alpha, and halves the last one to 1e-9 of alpha, or with the option `parameters` to
 *  one sample. With best-lambda the steps are of a factor 2, because e_g then falls with alpha: at a given kappa it falls, and more
 *  values of kappa >= 0 belong to a penalty >= 0. With `parameters` an alpha is M / parameters.
 *
 *  best-lambda: for each alpha the lambda of smallest e_g, from penalties in steps of half a decade, nine decades around noise / |w*|^2 (of
 *  LIMIT: around z), and the golden section in log lambda, to 1e-7. noise / |w*|^2 is the best where w* has no preferred direction.
 *
 *  Symmetric matrices: a matrix X is symmetric if |X_ij - X_ji| <= 1e-10 (|X_ij| + |X_ji| + sqrt(|X_ii X_jj|)) for all i and j, and if not
 *  the status is ATP_E_SYMMETRY. A correlation that differs by 1e-11 between the triangles is accepted; one that differs by 1e-6 is not.
 *
 *  The derivation is in docs/theory.md.
 *  Threads: plain functions over arrays of the caller, always safe; a system does not change after it is made.
 */
#ifndef ATTOPOTTS_REPLICA_H
#define ATTOPOTTS_REPLICA_H

#include <attopotts/alignment.h>
#include <attopotts/context.h>
#include <attopotts/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Columns of ATP_TABLE_REPLICA_CURVE. Quantities "per parameter" are divided by p, so that they have a limit. */
typedef enum atp_replica_column ATP_INT {
  ATP_REPLICA_ALPHA = 0,        /**< samples per parameter, M / p */
  ATP_REPLICA_LAMBDA = 1,       /**< L2 penalty per parameter */
  ATP_REPLICA_EG = 2,           /**< generalisation loss, rho + q - 2 m + T V for the square loss */
  ATP_REPLICA_ET = 3,           /**< training loss, e_g / (1 + V)^2 at T = 0 for the square loss */
  ATP_REPLICA_RHO = 4,          /**< variance of y: the loss of w = 0 */
  ATP_REPLICA_Q = 5,            /**< w . S w' of two students w, w' from the same data; w = w' at T = 0 */
  ATP_REPLICA_M = 6,            /**< w . S w*, the overlap with the teacher */
  ATP_REPLICA_V = 7,            /**< response V; infinite if lambda = 0 and alpha <= 1 */
  ATP_REPLICA_QHAT = 8,         /**< conjugate of q per parameter */
  ATP_REPLICA_MHAT = 9,         /**< conjugate of m per parameter */
  ATP_REPLICA_VHAT = 10,        /**< conjugate of V per parameter */
  ATP_REPLICA_KAPPA = 11,       /**< effective ridge penalty kappa = lambda / V^, per parameter */
  ATP_REPLICA_NORM = 12,        /**< |w|^2 at the minimum of the energy */
  ATP_REPLICA_FREE_ENERGY = 13, /**< -(T / p) E log int dw (p / (2 pi T))^(p/2) exp(-energy / T); at T = 0 the smallest energy / p */
  ATP_REPLICA_ITERATIONS = 14,  /**< iterations of the solver; 0 for a closed form */
  ATP_REPLICA_RESIDUAL = 15,    /**< relative residual of the equations at the solution */
  ATP_REPLICA_OUTCOME = 16,     /**< an atp_outcome: CONVERGED, MAX_ITER, DIVERGED (e_g is infinite) or, of CONVEX tasks, STALLED */
  ATP_REPLICA_QUADRATURE = 17   /**< estimated relative error of the quadratures; 0 if there are none */
} atp_replica_column;
/** Number of columns of atp_replica_column. */
#define ATP_REPLICA_COLUMNS 18

/** Columns of ATP_TABLE_REPLICA_SIMULATION; means and standard errors of the mean are over realisations. */
typedef enum atp_replica_sim_column ATP_INT {
  ATP_REPLICA_SIM_ALPHA = 0,       /**< samples per parameter, M / p, after M is rounded */
  ATP_REPLICA_SIM_EG = 1,          /**< generalisation loss; the average over inputs is exact */
  ATP_REPLICA_SIM_EG_SEM = 2,      /**< standard error of eg; NaN for one realisation */
  ATP_REPLICA_SIM_ET = 3,          /**< training loss */
  ATP_REPLICA_SIM_ET_SEM = 4,      /**< standard error of et; NaN for one realisation */
  ATP_REPLICA_SIM_SAMPLES = 5,     /**< number of samples, M = max(1, alpha p rounded) */
  ATP_REPLICA_SIM_REALISATIONS = 6 /**< number of realisations; 0, with losses of NaN, if the run was cancelled before */
} atp_replica_sim_column;
/** Number of columns of atp_replica_sim_column. */
#define ATP_REPLICA_SIM_COLUMNS 7

/** Draws a random precision matrix P = z I - J, J_ij = J_ji ~ N(0, 1/L), J_ii = 0 (Gaussian orthogonal ensemble, semicircle on [-2, 2]).
 *  @param[in]  sites      L, 2..32000
 *  @param[in]  shift      z, in (2, 1e6]
 *  @param[in]  seed       >= 0; J depends only on L and seed
 *  @param[out] precision  shape [L][L]. For small L it may not be positive definite; atp_masked_create_precision() then returns ATP_E_VALUE
 *  @param[in]  size       L * L
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_NOT_FINITE; ATP_E_SHAPE. Allocates: no. Threads: any. Since: 0.1.
 *  Source: [R24 eq. 6]. */
ATP_API atp_status atp_replica_goe(int64_t sites, double shift, int64_t seed, double *precision, int64_t size) ATP_NOEXCEPT;

/** Losses of ATP_TASK_REPLICA_CONVEX, for a value or label y and a prediction z; r = y - z. */
typedef enum atp_replica_loss ATP_INT {
  ATP_REPLICA_LOSS_SQUARE = 1,  /**< r^2 / 2 */
  ATP_REPLICA_LOSS_HUBER = 2,   /**< r^2 / 2 where |r| <= delta, else delta |r| - delta^2 / 2 */
  ATP_REPLICA_LOSS_LOGISTIC = 3 /**< log(1 + exp(-y z)), y = +-1 */
} atp_replica_loss;

/** Distributions of the inputs of ATP_TASK_REPLICA_CONVEX with the logistic loss, and of ATP_TASK_REPLICA_POTTS. */
typedef enum atp_replica_inputs ATP_INT {
  ATP_REPLICA_INPUTS_NORMAL = 1, /**< normal with the covariance S; labels are drawn given the inputs */
  ATP_REPLICA_INPUTS_CAVITY = 2  /**< normal with the covariance S given the label, around a mean that the label has moved by S w*: the
                                      other sites of a spin model */
} atp_replica_inputs;

/** Opaque masked Gaussian system: the inputs' covariance S, shape [p][p], the teacher's weights w*, shape [p], and the noise. */
typedef struct atp_masked atp_masked;

/** Makes a masked system from x ~ N(0, P^-1) with site i masked: w*_j = -P_ij / P_ii, noise = 1 / P_ii, S^-1 = P_rest - P_rest,i P_i,rest /
 *  P_ii.
 *  @param[in]  precision   P, shape [L][L], symmetric (see above), positive definite; @param[in] sites L, 2..32000; @param[in] site i,
 *  0..L-1
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (sites, site, P not positive definite); ATP_E_NOT_FINITE; ATP_E_SYMMETRY; ATP_E_MEMORY
 *  Allocates: the system, about 8 p (p + 1) bytes, and during the call about as much work space (BLIS allocates packing buffers and frees
 *  them). Threads: one per context. Since: 0.1. Source: [R24 eq. 6-7]. */
ATP_API atp_status atp_masked_create_precision(atp_context *context, const double *precision, int64_t sites, int64_t site,
                                               atp_masked **out) ATP_NOEXCEPT;

/** Makes a masked system from a covariance C: S = C_rest, w* = S^-1 C_rest,i, noise = C_ii - C_i,rest . w*.
 *  @param[in]  full  C, shape [L][L], symmetric, positive definite
 *  @return as atp_masked_create_precision(). Allocates: as there. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_masked_create_covariance(atp_context *context, const double *full, int64_t sites, int64_t site,
                                                atp_masked **out) ATP_NOEXCEPT;

/** Makes a masked system from its covariance, weights and noise.
 *  @param[in]  covariance  S, shape [p][p], symmetric; @param[in] weights w*, shape [p]; @param[in] parameters p, 1..32000
 *  @param[in]  noise       >= 0
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_NOT_FINITE; ATP_E_SYMMETRY; ATP_E_MEMORY
 *  Allocates: the system. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_masked_create(atp_context *context, const double *covariance, const double *weights, int64_t parameters,
                                     double noise, atp_masked **out) ATP_NOEXCEPT;

/** Makes the system of one site of a spin glass above its transition, in the limit of many sites: couplings J_ij ~ N(0, 1/L), energies -
 *  sum J_ij V(s_i, s_j) at the inverse temperature beta. K is the covariance of V(a, s_j) of uniform colours, all of whose q - 1
 *  eigenvalues on vectors of sum 0 are k. With b = beta sqrt(k / q) < 1 the other sites have, given the site, the covariance S = 1 / (1 +
 *  b^2 - b J), and the teacher is w* = beta J_i. The p eigenvalues are means over equal parts of the semicircle on [-2, 2], and w*_k^2 =
 *  beta^2 / p. It is exact for p to infinity; with p = 1000 the excess loss at b = 0.9 and alpha = 2 is 5e-5 of itself off. An Ising model
 *  of inverse temperature beta, with labels +-1, has 2 beta here and K = {{1/4, -1/4}, {-1/4, 1/4}}.
 *  @param[in] beta              in [1e-6, 1e6]
 *  @param[in] color_covariance  K, shape [q][q], symmetric (see above); @param[in] q 2..255
 *  @param[in] parameters        p, 1..32000
 *  @param[in] inputs            CAVITY: S; NORMAL: the covariance without the site being given, S + (k / q) S w* w*^T S
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (a number; colours with other than one eigenvalue; b >= 1); ATP_E_NOT_FINITE; ATP_E_SYMMETRY;
 *          ATP_E_MEMORY
 *  Allocates: the system. Threads: one per context. Since: 0.1. Source: the cavity method, docs/theory.md, section 15. */
ATP_API atp_status atp_masked_create_spin_glass(atp_context *context, double beta, const double *color_covariance, int64_t q,
                                                int64_t parameters, atp_replica_inputs inputs, atp_masked **out) ATP_NOEXCEPT;

/** Makes the system that stands for all sites of a Potts model in the theory of ATP_TASK_REPLICA_POTTS, from sequences. Fields have the
 *  covariance K_ab S_jk: K is that of V(a, s_j) over sequences, a mean over sites j, and S that of V(a, s_j) less its mean over a, a mean
 *  over colours a, with a mean of 1 on the diagonal. With inputs CAVITY S is a mean over covariances given the colour of the masked site,
 *  each colour of which takes one degree of freedom. The eigenvalues and projections are means over masked sites i of the sorted ones of S
 *  without i, w* = beta A_i; eigenvalues below 1e-9 are 1e-9. The axes of the system are the eigenvectors. A penalty l2-couplings x of a
 *  trainer with M sequences is lambda = 2 M L x / (L - 1).
 *  @param[in]  model      one head, without fields; @param[in] alignment  sequences of the model; weights are not used
 *  @param[in]  inputs     an atp_replica_inputs
 *  @param[out] color_covariance  K, shape [q][q]; @param[in] size q * q
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (inputs; sequences that do not vary, or CAVITY with no more sequences than colours); ATP_E_SHAPE
 *          (size; sites or colours that differ); ATP_E_UNSUPPORTED (another model; a build without LAPACK); ATP_E_MEMORY
 *  Allocates: the system, and during the call about 8 L (3 L + q^2) bytes. Threads: one per context. Since: 0.1.
 *  Source: docs/theory.md, section 15. */
ATP_API atp_status atp_masked_create_potts(atp_context *context, const atp_model *model, const atp_alignment *alignment,
                                           atp_replica_inputs inputs, double *color_covariance, int64_t size,
                                           atp_masked **out) ATP_NOEXCEPT;

/** Computes the covariance of fields of uniform colours, K = V_c V_c^T / q, V_c being V without the means of its rows.
 *  @param[in]  values      V, shape [q][q]; @param[in] q 2..255; @param[out] covariance shape [q][q]; @param[in] size q * q
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_NOT_FINITE; ATP_E_SHAPE. Allocates: no. Threads: any. Since: 0.1. */
ATP_API atp_status atp_replica_color_covariance(const double *values, int64_t q, double *covariance, int64_t size) ATP_NOEXCEPT;

/** Frees a system; NULL is allowed. Allocates: no. Threads: no other call. Since: 0.1. */
ATP_API void atp_masked_destroy(atp_masked *masked) ATP_NOEXCEPT;

/** Returns the context that the system was made from; NULL for NULL. Allocates: no. Threads: any. Since: 0.1. */
ATP_API atp_context *atp_masked_context(const atp_masked *masked) ATP_NOEXCEPT;
/** Returns the number of inputs p; 0 for NULL. Allocates: no. Threads: any. Since: 0.1. */
ATP_API int64_t atp_masked_parameters(const atp_masked *masked) ATP_NOEXCEPT;
/** Returns the variance of the masked value given the others; NaN for NULL. Allocates: no. Threads: any. Since: 0.1. */
ATP_API double atp_masked_noise(const atp_masked *masked) ATP_NOEXCEPT;
/** Returns the inputs' covariance S. @param[out] values shape [p][p]; @param[in] size p * p
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE. Allocates: no. Threads: any. Since: 0.1. */
ATP_API atp_status atp_masked_covariance(const atp_masked *masked, double *values, int64_t size) ATP_NOEXCEPT;
/** Returns the teacher's weights w*. @param[out] values shape [p]; @param[in] size p
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE. Allocates: no. Threads: any. Since: 0.1. */
ATP_API atp_status atp_masked_weights(const atp_masked *masked, double *values, int64_t size) ATP_NOEXCEPT;

/** Computes the eigenvalues of S, and the projections of the teacher on the eigenvectors: t_k = (eigenvector_k . w*)^2. Those of a
 *  diagonal S are its entries and w*_k^2.
 *  @param[out] eigenvalues  shape [p], ascending; @param[out] projections shape [p]; @param[in] size p, of each
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_VALUE (S not positive definite); ATP_E_MEMORY; ATP_E_INTERNAL (LAPACK did not converge)
 *  Allocates: about 16 p^2 bytes of work space, freed before the call returns (BLIS allocates packing buffers and frees them).
 *  Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_masked_spectrum(const atp_masked *masked, double *eigenvalues, double *projections, int64_t size) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
