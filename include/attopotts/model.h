/* SPDX-License-Identifier: MIT */
/** @file model.h
 *  Generalised Potts models [R24 eq. 1]: couplings, fields, conditionals, energies, gauges, exact enumeration.
 *
 *  A model has couplings C_ij(a, b) between sites i != j, fields b_i(a) and an inverse temperature beta:
 *    p(s_i = a | rest) = softmax_a( beta [ b_i(a) + sum_{j != i} C_ij(a, s_j) ] ).
 *  Couplings are dense or a sum of heads, C_ij(a, b) = sum_h A_h,ij V_h(a, b). The standard form (J, U) is one head. For conditionals the
 *  couplings need not be symmetric. The energy
 *    H(s) = -1/2 sum_{i != j} C_ij(s_i, s_j) - sum_i b_i(s_i)
 *  depends on their symmetric part (C_ij(a, b) + C_ji(b, a)) / 2 only, and P(s) = exp(-beta H(s)) / Z. Losses are in nats.
 *
 *  A model may have an order of its sites, atp_model_set_order(). Then it is autoregressive: couplings C_ij are 0 unless j is before i, and
 *    P(s) = prod_i softmax_a( beta [ b_i(a) + sum_{j before i} C_ij(a, s_j) ] )_{s_i},   energy -log P(s), at its beta.
 *  Its conditionals p(s_i = a | sites before i) have the formula above, the log pseudo-likelihood is log P, and Z = 1.
 *
 *  Every number of a model must be finite (ATP_E_NOT_FINITE) and at most 1e100 in magnitude (ATP_E_VALUE), so that no energy overflows. A
 *  model does not change after it is made, except for its beta, its order, its alphabet and the numbers and residues of its sites. Threads:
 *  const functions from any number of threads.
 *
 *  [R24] R. Rende, F. Gerace, A. Laio, S. Goldt, Phys. Rev. Research 6, 023057 (2024), arXiv:2304.07235.
 */
#ifndef ATTOPOTTS_MODEL_H
#define ATTOPOTTS_MODEL_H

#include <attopotts/alignment.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Marks a missing site in input sequences. A missing site contributes to no sum and is not predicted. If the colours of a model do not
 *  include the gap, pass gaps as ATP_MISSING. */
#define ATP_MISSING 255

/** Opaque model. */
typedef struct atp_model atp_model;

/** Distributions of random site couplings J. */
typedef enum atp_couplings ATP_INT {
  ATP_COUPLINGS_GAUSSIAN = 1, /**< J_ij = J_ji ~ N(0, 1/L) [R24] */
  ATP_COUPLINGS_CONTACTS = 2  /**< sparse and >= 0, like a contact map: J_ij = J_ji uniform in (1/2, 3/2) for contacts, 0 for other pairs.
                                   Contacts are chain neighbours, |i - j| = 1, and the pairs (t - k, t + 4 + k), k = 0..m-1, of max(1,
                                   floor(L / 20)) hairpins (none below L = 7). Each hairpin has m uniform in 2..min(8, floor((L - 3) / 2))
                                   and t uniform among the positions where it fits */
} atp_couplings;

/** Distributions of colour matrices U. */
typedef enum atp_color_matrix ATP_INT {
  ATP_COLOR_MATRIX_GAUSSIAN = 1, /**< U(a, b) = U(b, a) ~ N(0, 1) [R24] */
  ATP_COLOR_MATRIX_IDENTITY = 2, /**< U = identity: the standard Potts model */
  ATP_COLOR_MATRIX_ISING = 3     /**< U(a, b) = 1 for a = b, -1 otherwise: with q = 2 the Ising model, J_ij s_i s_j */
} atp_color_matrix;

/** Gauges: forms of a model that leave every conditional unchanged. */
typedef enum atp_gauge ATP_INT {
  ATP_GAUGE_COLORS = 1,  /**< for heads: sum_a V_h(a, b) = 0 for each b, |V_h| = sqrt(q) (Frobenius norm; V_h = 0 stays), and the A_h,ij
                              of largest magnitude is positive. Energies change if the means of V_h over a were not 0 */
  ATP_GAUGE_ZERO_SUM = 2 /**< for dense couplings, with fields: sum_a C_ij(a, b) = sum_b C_ij(a, b) = 0, sum_a b_i(a) = 0. Heads are
                              converted to dense couplings first. The means over b are added to the fields of i. Energies of a symmetric
                              model change by a constant */
} atp_gauge;

/* ---- Stable: what most programs need ---- */

/** Makes a model with dense couplings; the arrays are copied.
 *  @param[in] couplings  C, shape [L][L][q][q], C_ii = 0; symmetric (C_ij(a, b) = C_ji(b, a)) or not. Fill both triangles: if all C_ij with
 *                        i > j (or with i < j) are 0, the log receives a warning, because site j then does not see site i, and energies
 *                        have half of each coupling. Without a log callback nothing tells you: ask atp_model_is_symmetric()
 *  @param[in] fields     (optional) b, shape [L][q]; NULL: none
 *  @return as atp_model_create_heads(). Allocates: about 8 L^2 q^2 bytes. Threads: one per context. Since: 0.1, stable. */
ATP_API atp_status atp_model_create_dense_f64(atp_context *context, int64_t sites, int64_t colors, const double *couplings,
                                              const double *fields, atp_model **out) ATP_NOEXCEPT;

/** Makes a random model of one head (J, U) without fields, like the models of [R24].
 *  @param[in] couplings     an atp_couplings
 *  @param[in] color_matrix  an atp_color_matrix
 *  @param[in] seed          >= 0; the same seed gives the same model on every machine
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_MEMORY. Allocates: the model. Threads: one per context. Since: 0.1, stable. */
ATP_API atp_status atp_model_create_random(atp_context *context, int64_t sites, int64_t colors, atp_couplings couplings,
                                           atp_color_matrix color_matrix, int64_t seed, atp_model **out) ATP_NOEXCEPT;

/** Frees a model; NULL is allowed. Allocates: no. Threads: no other call. Since: 0.1, stable. */
ATP_API void atp_model_destroy(atp_model *model) ATP_NOEXCEPT;

/** Returns the couplings C_ij(a, b) of a dense model or a model of heads, without beta. @param[out] couplings shape [L][L][q][q];
 *  @param[in] size L * L * q * q
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE. Allocates: no. Threads: any. Since: 0.1, stable. */
ATP_API atp_status atp_model_couplings_f64(const atp_model *model, double *couplings, int64_t size) ATP_NOEXCEPT;

/** Computes energies H(s), without beta, in float64. Terms with a missing site are left out. Of an autoregressive model -log P(s), at its
 *  beta, in nats.
 *  @param[in] sequences shape [n][L], values < q or ATP_MISSING; @param[out] energies shape [n]; @param[in] size n
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_SHAPE; ATP_E_ALPHABET. Allocates: no. Threads: any; parallel.
 *  Since: 0.1, stable. Source: [R24 eq. 1]. */
ATP_API atp_status atp_model_energies(const atp_model *model, const uint8_t *sequences, int64_t n, double *energies,
                                      int64_t size) ATP_NOEXCEPT;

/** Computes the loss of a model on an alignment, in nats per site, in float64:
 *    sum_n w_n sum_i -log p(s_ni | rest) / (sum_n w_n L_n), L_n = L, or the number of sites that are not missing.
 *  If the alignment has one colour more than the model, its first colour, the gap, is missing data, as for models learned without gaps; the
 *  loss is NaN if all sites are missing. For the model that generated the data this is the optimal loss. The context's threads share the
 *  sequences.
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE (L or q differ); ATP_E_MEMORY. Allocates: with missing data work space through the context, N L
 *  bytes, freed before the call returns. Threads: one per context, parallel. Since: 0.1, stable. Source: [R24 eq. 4]. */
ATP_API atp_status atp_model_loss(atp_context *context, const atp_model *model, const atp_alignment *alignment, double *loss) ATP_NOEXCEPT;

/* ---- The rest: it may change until version 1.0 ---- */

/** Makes a model of heads; the arrays are copied.
 *  @param[in] shape   {L, q, H}: sites, colours, heads; 2 <= L <= 65536, 2 <= q <= 255, 1 <= H <= 2^20
 *  @param[in] maps    A, shape [H][L][L], A_ii = 0; both triangles, as in atp_model_create_dense_f64()
 *  @param[in] values  V, shape [H][q][q], V[h][a][b]: a the predicted colour, b the colour at the other site
 *  @param[in] fields  (optional) b, shape [L][q]; NULL: none
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_NOT_FINITE (with its index); ATP_E_SYMMETRY (A_ii != 0); ATP_E_MEMORY; ATP_E_TOO_LARGE
 *          (more than this machine can address)
 *  Allocates: the model. Threads: one per context. Since: 0.1. Source: [R24 eq. 1, 5]. */
ATP_API atp_status atp_model_create_heads(atp_context *context, const int64_t *shape, const double *maps, const double *values,
                                          const double *fields, atp_model **out) ATP_NOEXCEPT;

/** Makes a model with dense couplings from single precision, as atp_model_create_dense_f64().
 *  @param[in] couplings  shape [L][L][q][q]; @param[in] fields (optional) shape [L][q]; NULL: none
 *  @return as atp_model_create_heads(). Since: 0.1. Allocates: 8 L^2 q^2 bytes. Threads: one per context. */
ATP_API atp_status atp_model_create_dense_f32(atp_context *context, int64_t sites, int64_t colors, const float *couplings,
                                              const float *fields, atp_model **out) ATP_NOEXCEPT;

/** Makes a copy of a model. @return ATP_OK; ATP_E_NULL; ATP_E_MEMORY. Allocates: the model. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_model_copy(atp_context *context, const atp_model *source, atp_model **out) ATP_NOEXCEPT;

/** Makes the same model in another gauge; see atp_gauge. @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (gauge; the
 *  result has a number above 1e100 in magnitude); ATP_E_CONFLICT (ATP_GAUGE_COLORS of a dense model); ATP_E_MEMORY.
 *  Allocates: the model. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_model_gauge(atp_context *context, const atp_model *source, atp_gauge gauge, atp_model **out) ATP_NOEXCEPT;

/** Returns the size of the saved state of a model in bytes; 0 for NULL. Allocates: no. Threads: any. Since: 0.1. */
ATP_API int64_t atp_model_state_bytes(const atp_model *model) ATP_NOEXCEPT;
/** Saves a whole model as bytes, for a broadcast, a pipe or a database: couplings, fields, beta, alphabet, numbers and residues of sites.
 *  The bytes depend on the model alone. Later versions of the library read them, on every machine, whatever its byte order; their layout is
 *  in docs/formats.md. Files for other programs are written by atp_model_write() (io.h).
 *  @param[out] buffer  the bytes; @param[in] size at least atp_model_state_bytes()
 *  @return ATP_OK; ATP_E_NULL; ATP_E_BUFFER; ATP_E_VALUE (a learned number above 1e100, or none). Allocates: no. Threads: any.
 *  Since: 0.1. */
ATP_API atp_status atp_model_save_state(const atp_model *model, void *buffer, int64_t size) ATP_NOEXCEPT;
/** Makes a model from the bytes of atp_model_save_state(). They need not be trusted: every field is checked against its bounds, and memory
 *  is requested only after the shape agrees with the size.
 *  @param[in]  buffer  the bytes, without alignment; @param[in] size exactly atp_model_state_bytes() of the saved model
 *  @return ATP_OK; ATP_E_NULL; ATP_E_FORMAT (no saved model; later version; a number out of bounds);
 *          ATP_E_CHECKSUM (damaged); ATP_E_MISMATCH (the state of a sampler or trainer); ATP_E_MEMORY
 *  Allocates: the model, and while it reads work space of 9 bytes for each site. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_model_from_state(atp_context *context, const void *buffer, int64_t size, atp_model **out) ATP_NOEXCEPT;

/** Returns the context that the model was made from; NULL for NULL. Allocates: no. Threads: any. Since: 0.1. */
ATP_API atp_context *atp_model_context(const atp_model *model) ATP_NOEXCEPT;
/** Returns the number of sites L; 0 for NULL. Allocates: no. Threads: any. Since: 0.1. */
ATP_API int64_t atp_model_sites(const atp_model *model) ATP_NOEXCEPT;
/** Returns the number of colours q; 0 for NULL. Allocates: no. Threads: any. Since: 0.1. */
ATP_API int64_t atp_model_colors(const atp_model *model) ATP_NOEXCEPT;
/** Number of heads H; 0 for a dense model and NULL. Allocates: no. Threads: any. Since: 0.1. */
ATP_API int64_t atp_model_heads(const atp_model *model) ATP_NOEXCEPT;
/** Returns 1 if the model has fields, else 0. Allocates: no. Threads: any. Since: 0.1. */
ATP_API int atp_model_has_fields(const atp_model *model) ATP_NOEXCEPT;
/** Returns 1 if the couplings are symmetric: |C_ij(a, b) - C_ji(b, a)| <= 1e-12 times the largest |C|, for all pairs and colours; else 0.
 *  Allocates: no. Threads: any. Since: 0.1. */
ATP_API int atp_model_is_symmetric(const atp_model *model) ATP_NOEXCEPT;
/** Returns the inverse temperature, 1 unless set; NaN for NULL. Allocates: no. Threads: any. Since: 0.1. */
ATP_API double atp_model_beta(const atp_model *model) ATP_NOEXCEPT;
/** Sets the inverse temperature, >= 0. @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_NOT_FINITE.
 *  Allocates: no. Threads: no other call. Since: 0.1. */
ATP_API atp_status atp_model_set_beta(atp_model *model, double beta) ATP_NOEXCEPT;

/** Returns 1 if the model has an order of its sites, that is, if it is autoregressive; else 0. Allocates: no. Threads: any. Since: 0.1. */
ATP_API int atp_model_is_ordered(const atp_model *model) ATP_NOEXCEPT;
/** Makes a model autoregressive, or a Potts model again.
 *  @param[in] order  (optional) shape [size], the sites in the order in which they are drawn, each once; copied. NULL: no order
 *  @param[in] size   L; 0 with NULL
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_VALUE (a site that is out of range or twice there; two sites of which the first has
 *          couplings to the second, C_ij != 0, although j is after i). The model is unchanged then. Allocates: no. Threads: no other call.
 *  Since: 0.1. Source: Trinquier et al., Nature Commun. 12, 5800 (2021), eq. 2. */
ATP_API atp_status atp_model_set_order(atp_model *model, const int64_t *order, int64_t size) ATP_NOEXCEPT;
/** Returns the sites of an autoregressive model in their order. @param[out] order shape [L]; @param[in] size L
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_UNSUPPORTED (no order). Allocates: no. Threads: any. Since: 0.1. */
ATP_API atp_status atp_model_order(const atp_model *model, int64_t *order, int64_t size) ATP_NOEXCEPT;

/** Returns the symbols of the colours, as in atp_alignment_alphabet(). Allocates: no. Threads: any. Since: 0.1. */
ATP_API const char *atp_model_alphabet(const atp_model *model) ATP_NOEXCEPT;
/** Sets the symbols of the colours, as in atp_alignment_set_alphabet(), with the same statuses. Allocates: no. Threads: no other call.
 *  Since: 0.1. */
ATP_API atp_status atp_model_set_alphabet(atp_model *model, const char *symbols) ATP_NOEXCEPT;

/** Returns one line on the origin of the model, for example that its training was interrupted; "" if nothing is known, and for NULL.
 *  Allocates: no. Threads: any. Since: 0.1. */
ATP_API const char *atp_model_origin(const atp_model *model) ATP_NOEXCEPT;
/** Sets the origin line; at most 1023 bytes are kept. Copies, gauges and HDF5 files keep it; saved states do not.
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (a control character, such as a line end). Allocates: no. Threads: no other call. Since: 0.1. */
ATP_API atp_status atp_model_set_origin(atp_model *model, const char *text) ATP_NOEXCEPT;

/** Returns the numbers of the sites, as in atp_alignment_site_numbers_view(). Allocates: no. Threads: any. Since: 0.1. */
ATP_API const int64_t *atp_model_site_numbers_view(const atp_model *model) ATP_NOEXCEPT;
/** Returns the residues of the sites, as in atp_alignment_site_residues(). Allocates: no. Threads: any. Since: 0.1. */
ATP_API const char *atp_model_site_residues(const atp_model *model) ATP_NOEXCEPT;
/** Sets the numbers and residues of the sites, as in atp_alignment_set_sites(), with the same statuses. A learned model takes them from its
 *  alignment. Copies, gauges and HDF5 files keep them. @param[in] numbers (optional) shape [n]; @param[in] n must be L; @param[in] residues
 *  (optional)
 *  Allocates: no. Threads: no other call. Since: 0.1. */
ATP_API atp_status atp_model_set_sites(atp_model *model, const int64_t *numbers, int64_t n, const char *residues) ATP_NOEXCEPT;

/** Returns the maps A of a model of heads. @param[out] maps shape [H][L][L]; @param[in] size H * L * L
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_CONFLICT (dense model). Allocates: no. Threads: any. Since: 0.1. */
ATP_API atp_status atp_model_maps(const atp_model *model, double *maps, int64_t size) ATP_NOEXCEPT;
/** Returns the colour matrices V of a model of heads. @param[out] values shape [H][q][q]; @param[in] size H * q * q
 *  @return as atp_model_maps(). Allocates: no. Threads: any. Since: 0.1. */
ATP_API atp_status atp_model_values(const atp_model *model, double *values, int64_t size) ATP_NOEXCEPT;
/** Returns the fields, 0 if the model has none. @param[out] fields shape [L][q]; @param[in] size L * q
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE. Allocates: no. Threads: any. Since: 0.1. */
ATP_API atp_status atp_model_fields(const atp_model *model, double *fields, int64_t size) ATP_NOEXCEPT;
/** Returns the couplings in single precision. @param[out] couplings shape [L][L][q][q]; @param[in] size L * L * q * q
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_VALUE (a coupling that float32 cannot hold). Allocates: no. Threads: any. Since: 0.1. */
ATP_API atp_status atp_model_couplings_f32(const atp_model *model, float *couplings, int64_t size) ATP_NOEXCEPT;

/** Computes the conditionals p(s_i = a | rest) of each sequence, in float64. The rest is the other sites that are not ATP_MISSING. A
 *  missing site has a conditional, too.
 *  @param[in]  sequences   shape [n][L], values < q or ATP_MISSING; @param[in] n >= 1
 *  @param[out] conditionals shape [n][L][q]; @param[in] size n * L * q
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_SHAPE; ATP_E_ALPHABET. Allocates: no. Threads: any; parallel. Since: 0.1. */
ATP_API atp_status atp_model_conditionals(const atp_model *model, const uint8_t *sequences, int64_t n, double *conditionals,
                                          int64_t size) ATP_NOEXCEPT;

/** Computes log pseudo-likelihoods sum_i log p(s_i | rest) in nats, in float64. Missing sites are left out of the sum and of the rest.
 *  Of an autoregressive model this is log P(s).
 *  @param[in] sequences shape [n][L], values < q or ATP_MISSING; @param[out] values shape [n]; @param[in] size n. @return as
 *                       atp_model_energies(). Allocates: no. Threads: any; parallel. Since: 0.1. */
ATP_API atp_status atp_model_log_pseudolikelihoods(const atp_model *model, const uint8_t *sequences, int64_t n, double *values,
                                                   int64_t size) ATP_NOEXCEPT;

/** Computes the distance of learned couplings from true ones.
 *  If both have one head, (A, V) learned at beta and (J, U) true at beta*, both are put into a common gauge. From V and U their means over
 *  a are subtracted for each b. V is scaled to the Frobenius norm of U (and A by the inverse), and the sign is fixed so that <V, U> > 0.
 *  The result is
 *    sum_{i != j} (beta* J_ij - beta A_ij)^2 / L^2 [R24 fig. 2c].
 *  Otherwise let X_ij and Y_ij be the couplings of both, times their betas, in the gauge ATP_GAUGE_ZERO_SUM. The result is
 *    sum_{i != j} |X_ij - Y_ij|_F^2 / (L^2 u^2).
 *  If the truth has one head, u = |U|_F of the zero-sum U (both means subtracted); for V = U both formulas then agree. If the truth has
 *  several heads or is dense, u = sqrt(q). If the truth has one head and U is 0 after the subtraction, the second formula applies with u =
 *  sqrt(q). The error is 0 for the truth itself, in any gauge. The formulas hold for autoregressive models in the same order, too. Against
 *  a truth of one head, a model without couplings has the error sum_{i != j} (beta* J_ij)^2 / L^2.
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_CONFLICT (one is autoregressive, or in another order).
 *  Allocates: work space through the context, freed before the call returns. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_model_coupling_error(atp_context *context, const atp_model *model, const atp_model *truth,
                                            double *error) ATP_NOEXCEPT;

/** Computes exact averages of a small model by a sum over its q^L states, in float64; each output may be NULL. Of an autoregressive model
 *  log Z is 0, up to rounding, and the energy is the entropy.
 *  @param[out] log_z      log Z = log sum_s exp(-beta H(s))
 *  @param[out] energy     mean energy <H>
 *  @param[out] marginals  p_i(a), shape [L][q]; @param[in] marginals_size L * q, 0 with NULL
 *  @param[out] pairs      p_ij(a, b), shape [L][L][q][q]; p_ii is diagonal; @param[in] pairs_size L * L * q * q, 0 with NULL
 *  @return ATP_OK; ATP_E_NULL (model); ATP_E_SHAPE; ATP_E_TOO_LARGE (q^L > 2^26)
 *  Allocates: no. Time: proportional to q^L, or to q^L L if pairs are requested. Threads: any. Since: 0.1. */
ATP_API atp_status atp_model_enumerate(const atp_model *model, double *log_z, double *energy, double *marginals, int64_t marginals_size,
                                       double *pairs, int64_t pairs_size) ATP_NOEXCEPT;

/** Returns the probabilities P(s) of all states of a small model.
 *  @param[out] probabilities  shape [q^L], site 0 is the slowest digit; @param[in] size q^L
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_TOO_LARGE (q^L > 2^26)
 *  Allocates: no. Time: proportional to q^L. Threads: any. Since: 0.1. */
ATP_API atp_status atp_model_probabilities(const atp_model *model, double *probabilities, int64_t size) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
