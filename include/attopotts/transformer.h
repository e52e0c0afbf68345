/* SPDX-License-Identifier: MIT */
/** @file transformer.h
 *  Attention networks trained on masked tokens, to compare with factored attention [R24 sec. II, fig. 2].
 *
 *  p(s_i = a | rest) = softmax(network of the sequence with site i masked, at site i)_a; loss = -log p in nats, averaged over sequences
 *  (with weights) and masked sites. There are no penalties.
 *
 *  ATP_ARCHITECTURE_ENCODER is the standard transformer encoder. Colour embeddings are t_a in R^d, with a = q for the masked site. Inputs
 *  are x_j = t_{s_j} + P_j with P_j(2 c) = sin(j / 10000^(2 c / d)) and P_j(2 c + 1) = cos of the same; P_j = 0 with ATP_POSITIONS_NONE.
 *  Each of `blocks` blocks computes
 *      (q_j, k_j, v_j) = W_qkv x_j + b_qkv,   a_kj = softmax_j(q_k . k_j / sqrt(d)),   c_k = sum_j a_kj v_j,
 *      y_k = norm_1(x_k + W_o c_k + b_o),     x_k <- norm_2(y_k + W_2 max(0, W_1 y_k + b_1) + b_2),
 *  with norm(x) = scale (x - mean x) / sqrt(var x + 1e-5) + shift (var with 1/d). Logits of the masked site are W_out x_i + b_out. There is
 *  one head and no dropout, and the norm follows the sum. The weights are those of a TransformerEncoderLayer(d, 1, hidden, dropout 0) of
 *  the usual frameworks.
 *  Parameters, in this order, matrices as [output][input]: tokens [q + 1][d]; for each block W_qkv [3 d][d] (queries, keys, values), b_qkv
 *  [3 d], W_o [d][d], b_o [d], norm_1 scale [d], shift [d], W_1 [hidden][d], b_1 [hidden], W_2 [d][hidden], b_2 [d], norm_2 scale [d],
 *  shift [d]; then W_out [q][d], b_out [q]. atp_transformer_part() returns their names and offsets.
 *  Initial values: tokens N(0, 1); W_qkv, W_o, W_1, W_2 uniform with variance 2 / (inputs + outputs), for queries, keys and values
 *  separately; scales 1, shifts and biases 0; W_out N(0, init_scale^2 / d), so that logits have standard deviation init_scale.
 *
 *  ATP_ARCHITECTURE_DIAL is a single attention layer with a dial a (ATP_OPT_DIAL) between factored (0) and plain (1) attention [R24 eq. 2]:
 *      u_j = p_j + a t_j,   w_j = t_j + a p_j,   A_kj = softmax over all j of (Q u_k) . (K u_j),   logits of site k = V sum_j A_kj w_j.
 *  Tokens t_j = e_{s_j} are one-hot, so d = q. At the masked site t_k = m, a learned vector for a > 0, and zero for a = 0.
 *  Parameters: "positions" p [L][q], "queries" Q, "keys" K, "values" V, [q][q] each, "mask" m [q] (a > 0).
 *  At a = 0 attention depends on positions only, and the layer is a Potts model with one head. The map may then also be ATP_MAP_SOFTMAX,
 *  with "scores" [L][L] instead of (Q p_k) . (K p_j), or ATP_MAP_FREE, with "map" [L][L], A itself, whose diagonal is ignored; V follows.
 *  The softmax includes the masked site, as in the formula, but its value is zero. This is factored attention with ATP_DIAGONAL_AFTER
 *  (free: factored attention without fields).
 *  Initial values: p, Q, K, m ~ N(0, 1 / q); V, scores and map ~ N(0, init_scale^2).
 *
 *  Options of the encoder: ATP_OPT_BLOCKS, _WIDTH (d), _HIDDEN, _POSITIONS. Options of the dial: ATP_OPT_DIAL, _MAP (lowrank unless set);
 *  ATP_OPT_WIDTH must be q if it is set. Options of both: ATP_OPT_ARCHITECTURE, _SEED, _BATCH, _EPOCHS, _RATE (0: 0.1 SGD, 0.001 Adam),
 *  _OPTIMIZER (SGD unless set; Adam; or L-BFGS), _MOMENTUM, _OBJECTIVE (MLM unless set; with the pseudo-likelihood each step predicts all
 *  sites of its sequences), _TOLERANCE, _PRECISION, _INIT_SCALE, _HISTORY (L-BFGS alone). Other options of trainers give ATP_E_CONFLICT if
 *  they differ from their default. L-BFGS minimises the pseudo-likelihood of all sequences, an epoch being one iteration; with MLM it gives
 *  ATP_E_CONFLICT. A gap is a colour like the others (ATP_GAPS_STATE).
 *
 *  Arithmetic: float32 kernels with float64 sums (ATP_OPT_PRECISION 32) or float64 throughout (64). Parameters, gradients and optimisers
 *  are float64. The same options, data and seed give the same results for any number of threads, also if the run was saved and loaded in
 *  between.
 *
 *  Threads: a transformer belongs to one thread at a time; its calls divide the work among the context's threads.
 */
#ifndef ATTOPOTTS_TRANSFORMER_H
#define ATTOPOTTS_TRANSFORMER_H

#include <attopotts/model.h>
#include <attopotts/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Opaque network with the state of its training. */
typedef struct atp_transformer atp_transformer;

/** Computes the memory that atp_transformer_create() will allocate for data of this shape, in bytes.
 *  @param[in] n, sites, colors  of the training alignment
 *  @param[in] options (optional) see above
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_CONFLICT; ATP_E_TOO_LARGE. Allocates: no. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_transformer_bytes(atp_context *context, int64_t n, int64_t sites, int64_t colors, const atp_options *options,
                                         int64_t *bytes) ATP_NOEXCEPT;

/** Makes a network with random parameters.
 *  @param[in] train    the training alignment; it is read, not copied. It must outlive the network, which also reads it in
 *                      atp_transformer_destroy(). Its weights cannot be set in the meantime (ATP_E_STAGE)
 *  @param[in] options  (optional) see above
 *  @return ATP_OK; ATP_E_NULL; ATP_E_CONFLICT (options that exclude each other, or do not apply to this architecture); ATP_E_TOO_LARGE;
 *          ATP_E_MEMORY
 *  Allocates: atp_transformer_bytes(). Threads: one per context; collective. Since: 0.1. */
ATP_API atp_status atp_transformer_create(atp_context *context, const atp_alignment *train, const atp_options *options,
                                          atp_transformer **out) ATP_NOEXCEPT;

/** Frees a network; NULL is allowed. Allocates: no. Threads: no other call. Since: 0.1. */
ATP_API void atp_transformer_destroy(atp_transformer *transformer) ATP_NOEXCEPT;

/** Sets the test alignment, whose loss progress callbacks report. It is read, not copied, until it is
 *  replaced, or unset by NULL, or the network is destroyed. NULL (the default): no test loss.
 *  @return ATP_OK; ATP_E_NULL (transformer); ATP_E_SHAPE (L or q differ). Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_transformer_set_test(atp_transformer *transformer, const atp_alignment *test) ATP_NOEXCEPT;

/** Sets the true model. Reports then have its loss on the test sequences as the optimal loss. With the dial at 0 they also have the
 *  distance of the learned couplings from its own (see atp_model_coupling_error()). It is read, not copied, until it is
 *  replaced, or unset by NULL, or the network is destroyed. NULL (the default): neither is reported.
 *  The optimal loss is computed at the first report after this call or atp_transformer_set_test().
 *  @return ATP_OK; ATP_E_NULL (transformer); ATP_E_SHAPE. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_transformer_set_truth(atp_transformer *transformer, const atp_model *truth) ATP_NOEXCEPT;

/** Sets the table of the training log, ATP_TABLE_TRAINING_LOG. atp_transformer_run() appends a row at every report, with or without a
 *  callback. NULL: no log. If the table is full, the run ends with ATP_E_BUFFER at that report; the transformer remains usable. The table
 *  must live as long as it is set.
 *  @return ATP_OK; ATP_E_NULL (transformer); ATP_E_CONFLICT (a table of another kind). Allocates: no. Threads: one per handle.
 *          Since: 0.1. */
ATP_API atp_status atp_transformer_set_log(atp_transformer *transformer, atp_table *table) ATP_NOEXCEPT;

/** Returns the context that the transformer was made from; NULL for NULL. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_context *atp_transformer_context(const atp_transformer *transformer) ATP_NOEXCEPT;
/** Copies the options of the transformer to a bag. @return ATP_OK; ATP_E_NULL. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_transformer_options(const atp_transformer *transformer, atp_options *options) ATP_NOEXCEPT;
/** Returns the number of learned parameters; 0 for NULL. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API int64_t atp_transformer_parameter_count(const atp_transformer *transformer) ATP_NOEXCEPT;
/** Returns the parameters. @param[out] parameters; @param[in] size the parameter count
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_transformer_parameters(const atp_transformer *transformer, double *parameters, int64_t size) ATP_NOEXCEPT;
/** Sets the parameters. Training restarts at epoch 0. @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_NOT_FINITE.
 *  Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_transformer_set_parameters(atp_transformer *transformer, const double *parameters, int64_t size) ATP_NOEXCEPT;

/** Returns the number of named parts of the parameter vector; 0 for NULL. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API int64_t atp_transformer_part_count(const atp_transformer *transformer) ATP_NOEXCEPT;
/** Returns a part of the parameter vector: elements offset .. offset + size - 1.
 *  @param[in]  index   0..part count - 1
 *  @param[out] name    (optional) for example "tokens" or "block1.qkv"; valid as long as the network
 *  @param[out] offset  (optional)
 *  @param[out] size    (optional)
 *  @return ATP_OK; ATP_E_NULL (transformer); ATP_E_VALUE (index). Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_transformer_part(const atp_transformer *transformer, int64_t index, const char **name, int64_t *offset,
                                        int64_t *size) ATP_NOEXCEPT;

/** Computes the loss at the current parameters and its gradient over all training sequences, with each site masked in turn.
 *  @param[out] loss       (optional) nats per site
 *  @param[out] gradient   (optional) shape [parameters]; @param[in] size the parameter count, 0 with NULL
 *  @return ATP_OK; ATP_E_NULL (transformer); ATP_E_SHAPE. Allocates: no. Threads: one per handle; collective, parallel. Since: 0.1. */
ATP_API atp_status atp_transformer_gradient(atp_transformer *transformer, double *loss, double *gradient, int64_t size) ATP_NOEXCEPT;

/** The same for one masked site per sequence.
 *  @param[in] masked_sites  shape [N], values 0..L-1; @param[in] n must be N
 *  @return as atp_transformer_gradient(), and ATP_E_NULL (masked_sites), ATP_E_VALUE (a site).
 *  Allocates: no. Threads: one per handle; collective, parallel. Since: 0.1. */
ATP_API atp_status atp_transformer_masked_gradient(atp_transformer *transformer, const int64_t *masked_sites, int64_t n, double *loss,
                                                   double *gradient, int64_t size) ATP_NOEXCEPT;

/** Computes the loss of the current parameters on an alignment, in nats per site, with each site of each sequence masked in turn.
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE. Allocates: no. Threads: one per handle; collective, parallel. Since: 0.1. */
ATP_API atp_status atp_transformer_loss(atp_transformer *transformer, const atp_alignment *alignment, double *loss) ATP_NOEXCEPT;

/** Trains for a number of further epochs. Several calls give the same results as one. Every epoch of SGD and Adam draws a new order of the
 *  sequences and new masked sites; their rate decreases along a cosine, to 0 after ATP_OPT_EPOCHS epochs. After these a run ends with
 *  ATP_OUTCOME_MAX_ITER, unless the full gradient then meets the tolerance. L-BFGS ends as soon as the gradient meets it, or STALLED where
 *  no step lowers the loss. After CONVERGED, STALLED or DIVERGED further calls return the same outcome until parameters are set.
 *  @param[in]  epochs    >= 0: at most so many more. ATP_OPT_EPOCHS limits the total of all calls, which the call never exceeds; a number
 *                        above 1e9 means up to that total. If it ends a call that asked for more, the log callback receives a warning
 *  @param[in]  progress  (optional) called after every epoch with train loss, gradient norm, rate and seconds. The train loss is a mean
 *                        over the batches of the epoch, each with the parameters of its step; the gradient norm is that of the mean of
 *                        their gradients. Test loss, optimal loss and coupling error are included after atp_transformer_set_test() and
 *                        atp_transformer_set_truth()
 *  @param[out] outcome   (optional) CONVERGED, MAX_ITER, STALLED, CANCELLED, DIVERGED (a loss, gradient or parameter was not finite: the
 *                        parameters are those at the end of epoch atp_transformer_epochs(), the last finite one)
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (epochs)
 *  Allocates: no. Threads: one per handle; collective, parallel. Since: 0.1. Source: [R24 sec. II]; annealing: I. Loshchilov, F.
 *  Hutter, arXiv:1608.03983; Adam: D. Kingma, J. Ba, arXiv:1412.6980; encoder: A. Vaswani et al., arXiv:1706.03762. */
ATP_API atp_status atp_transformer_run(atp_transformer *transformer, int64_t epochs, atp_progress_fn progress, void *user,
                                       atp_outcome *outcome) ATP_NOEXCEPT;

/** Returns the number of epochs done; 0 for NULL. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API int64_t atp_transformer_epochs(const atp_transformer *transformer) ATP_NOEXCEPT;

/** Asks a running call to stop after the current step (a batch). Without a running call, the next one stops at once. Signal handlers and
 *  other threads may call it. NULL is allowed. Allocates: no. Threads: any. Since: 0.1. */
ATP_API void atp_transformer_request_stop(atp_transformer *transformer) ATP_NOEXCEPT;

/** Computes p(s_i = a | rest) of every site, with each site masked in turn.
 *  @param[in]  sequences  shape [n][L], colours below q; @param[in] n >= 1; @param[in] sites L
 *  @param[out] out        shape [n][L][q]; @param[in] size n * L * q
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (n); ATP_E_SHAPE; ATP_E_ALPHABET.
 *  Allocates: no. Threads: one per handle, parallel. Since: 0.1. */
ATP_API atp_status atp_transformer_conditionals(atp_transformer *transformer, const uint8_t *sequences, int64_t n, int64_t sites,
                                                double *out, int64_t size) ATP_NOEXCEPT;

/** Makes a model of one head from a dial at 0: A without its diagonal and V at the current parameters. It has beta = 1, no fields, and the
 *  alphabet of the training data. Its conditionals are those of the network.
 *  @return ATP_OK; ATP_E_NULL; ATP_E_CONFLICT (an encoder, or a dial above 0: no Potts model); ATP_E_MEMORY.
 *  Allocates: the model. Threads: one per handle. Since: 0.1. Source: [R24 eq. 5]. */
ATP_API atp_status atp_transformer_model(const atp_transformer *transformer, atp_model **out) ATP_NOEXCEPT;

/** Returns the number of attention maps (encoder: its blocks, dial: 1); 0 for NULL. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API int64_t atp_transformer_map_count(const atp_transformer *transformer) ATP_NOEXCEPT;
/** Computes attention maps, averaged over the sequences of an alignment (with weights). Row k is the attention of site k while it is
 *  masked, including its attention to itself (0 in a free map).
 *  @param[out] maps  shape [map count][L][L]; @param[in] size map count * L * L
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE. Allocates: no. Threads: one per handle, parallel. Since: 0.1. Source: [R24
 *          fig. 2b]. */
ATP_API atp_status atp_transformer_maps(atp_transformer *transformer, const atp_alignment *alignment, double *maps,
                                        int64_t size) ATP_NOEXCEPT;

/** Returns the size of the saved state in bytes; 0 for NULL. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API int64_t atp_transformer_state_bytes(const atp_transformer *transformer) ATP_NOEXCEPT;
/** Saves the state: parameters, optimiser, epoch and the step within it. A network with the same data and options that loads it continues
 *  with the same results. @return ATP_OK; ATP_E_NULL; ATP_E_BUFFER. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_transformer_save_state(const atp_transformer *transformer, void *buffer, int64_t size) ATP_NOEXCEPT;
/** Loads a state. @return ATP_OK; ATP_E_NULL; ATP_E_FORMAT; ATP_E_CHECKSUM; ATP_E_MISMATCH (other data, options or shape; the error text
 *  names the difference). Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_transformer_load_state(atp_transformer *transformer, const void *buffer, int64_t size) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
