/* SPDX-License-Identifier: MIT */
/** @file transformer.h
 *  Attention networks that see tokens, trained on masked tokens: what factored attention is compared with [R24 sec. II, fig. 2].
 *
 *  p(s_i = a | rest) = softmax(network of the sequence with site i masked, at site i)_a; loss = -log p in nats, averaged over sequences
 *  (with weights) and masked sites. No penalties.
 *
 *  ATP_ARCHITECTURE_ENCODER, the off-the-shelf transformer. Colour embeddings t_a in R^d, a = q for the masked site; x_j = t_{s_j} + P_j
 *  with P_j(2 c) = sin(j / 10000^(2 c / d)), P_j(2 c + 1) = cos of the same (none with ATP_POSITIONS_NONE). Each of `blocks` blocks:
 *      (q_j, k_j, v_j) = W_qkv x_j + b_qkv,   a_kj = softmax_j(q_k . k_j / sqrt(d)),   c_k = sum_j a_kj v_j,
 *      y_k = norm_1(x_k + W_o c_k + b_o),     x_k <- norm_2(y_k + W_2 max(0, W_1 y_k + b_1) + b_2),
 *  with norm(x) = scale (x - mean x) / sqrt(var x + 1e-5) + shift (var with 1/d). Logits of the masked site: W_out x_i + b_out. One head,
 *  norm after the sum, no dropout: a TransformerEncoderLayer(d, 1, hidden, dropout 0) of the usual frameworks, weight for weight.
 *  Parameters, in this order, matrices as [output][input]: tokens [q + 1][d]; for each block W_qkv [3 d][d] (queries, keys, values),
 *  b_qkv [3 d], W_o [d][d], b_o [d], norm_1 scale [d], shift [d], W_1 [hidden][d], b_1 [hidden], W_2 [d][hidden], b_2 [d], norm_2 scale
 *  [d], shift [d]; W_out [q][d], b_out [q]. atp_transformer_part() gives their names and places.
 *  At the start: tokens N(0, 1); W_qkv, W_o, W_1, W_2 uniform with variance 2 / (inputs + outputs) (queries, keys and values one by one);
 *  scales 1, shifts and biases 0; W_out N(0, init_scale^2 / d), so that logits have standard deviation init_scale.
 *
 *  ATP_ARCHITECTURE_DIAL, a single attention layer with a dial a (ATP_OPT_DIAL) between factored (0) and plain (1) attention [R24 eq. 2]:
 *      u_j = p_j + a t_j,   w_j = t_j + a p_j,   A_kj = softmax over all j of (Q u_k) . (K u_j),   logits of site k = V sum_j A_kj w_j,
 *  with tokens t_j = e_{s_j} one-hot, so that d = q, and t_k = m at the masked site: a learned vector for a > 0, zero for a = 0.
 *  Parameters: "positions" p [L][q], "queries" Q, "keys" K, "values" V, [q][q] each, "mask" m [q] (a > 0). At a = 0 attention depends on
 *  positions alone, the layer is a Potts model with one head, and the map may also be ATP_MAP_SOFTMAX: "scores" [L][L] in place of
 *  (Q p_k) . (K p_j), or ATP_MAP_FREE: "map" [L][L], A itself, whose diagonal is ignored; then V. The masked site takes part in the
 *  softmax, as in the formula, and gives nothing: this is factored attention with ATP_DIAGONAL_AFTER (free: factored attention without
 *  fields). At the start: p, Q, K, m ~ N(0, 1 / q); V, scores and map ~ N(0, init_scale^2).
 *
 *  Options of the encoder: ATP_OPT_BLOCKS, _WIDTH (d), _HIDDEN, _POSITIONS; of the dial: ATP_OPT_DIAL, _MAP (lowrank where it is not set),
 *  and ATP_OPT_WIDTH must be q if it is set. Of both: ATP_OPT_ARCHITECTURE, _SEED, _BATCH, _EPOCHS, _RATE (0: 0.1 SGD, 0.001 Adam),
 *  _OPTIMIZER (SGD where it is not set; Adam), _MOMENTUM, _OBJECTIVE (MLM where it is not set; with the pseudo-likelihood each step
 *  predicts all sites of its sequences), _TOLERANCE, _PRECISION, _INIT_SCALE. An option that means nothing here and was set to something
 *  else than its default is ATP_E_CONFLICT; so is L-BFGS. A gap is a colour like the others (ATP_GAPS_STATE).
 *
 *  Arithmetic: float32 kernels with float64 sums (ATP_OPT_PRECISION 32) or float64 throughout (64). Parameters, gradients and optimisers
 *  are float64. Same options, same data, same seed: the same numbers for any number of threads, and for a run that was saved and loaded
 *  in between.
 *
 *  Threads: a transformer belongs to one thread at a time; inside, work is shared among the context's threads.
 */
#ifndef ATTOPOTTS_TRANSFORMER_H
#define ATTOPOTTS_TRANSFORMER_H

#include <attopotts/model.h>
#include <attopotts/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Opaque network with its training. */
typedef struct atp_transformer atp_transformer;

/** The bytes that atp_transformer_create() will ask for, for data of this shape.
 *  @param[in] n, sites, colors  of the training alignment
 *  @param[in] options (optional) see above
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_CONFLICT; ATP_E_TOO_LARGE. Allocates: no. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_transformer_bytes(atp_context *context, int64_t n, int64_t sites, int64_t colors, const atp_options *options,
                                         int64_t *bytes) ATP_NOEXCEPT;

/** Makes a network with random parameters.
 *  @param[in] train    the training alignment; it is read, not copied, and must outlive the network, which reads it when it is
 *                      destroyed, too; its weights cannot be set meanwhile (ATP_E_STAGE)
 *  @param[in] options  (optional) see above
 *  @return ATP_OK; ATP_E_NULL; ATP_E_CONFLICT (options that do not go together, or not with this architecture); ATP_E_TOO_LARGE;
 *          ATP_E_MEMORY. Allocates: atp_transformer_bytes(). Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_transformer_create(atp_context *context, const atp_alignment *train, const atp_options *options,
                                          atp_transformer **out) ATP_NOEXCEPT;

/** Frees a network; NULL is allowed. Allocates: no. Threads: no other call on it. Since: 0.1. */
ATP_API void atp_transformer_destroy(atp_transformer *transformer) ATP_NOEXCEPT;

/** Reports the loss on these sequences in progress callbacks; read, not copied; NULL to stop.
 *  @return ATP_OK; ATP_E_NULL (transformer); ATP_E_SHAPE (L or q differ). Allocates: no. Threads: one at a time. Since: 0.1. */
ATP_API atp_status atp_transformer_set_test(atp_transformer *transformer, const atp_alignment *test) ATP_NOEXCEPT;

/** Reports the loss of this model on the test sequences as the optimal loss, and with the dial at 0 the distance of the learned couplings
 *  from its own (see atp_model_coupling_error()); read, not copied; NULL to stop.
 *  It is computed at the first report after this call or atp_transformer_set_test().
 *  @return ATP_OK; ATP_E_NULL (transformer); ATP_E_SHAPE. Allocates: no. Threads: one at a time. Since: 0.1. */
ATP_API atp_status atp_transformer_set_truth(atp_transformer *transformer, const atp_model *truth) ATP_NOEXCEPT;

/** Appends a row of the training log, ATP_TABLE_TRAINING_LOG, at every report of atp_transformer_run(), with or without a callback; NULL to
 *  stop. A run that finds the table full ends with ATP_E_BUFFER at that report; the transformer can go on. The table must outlive its use.
 *  @return ATP_OK; ATP_E_NULL (transformer); ATP_E_CONFLICT (a table of another kind). Allocates: no. Threads: one at a time.
 *          Since: 0.1. */
ATP_API atp_status atp_transformer_set_log(atp_transformer *transformer, atp_table *table) ATP_NOEXCEPT;

/** Returns the context that the transformer was made from; NULL for NULL. Allocates: no. Threads: one at a time. Since: 0.1. */
ATP_API atp_context *atp_transformer_context(const atp_transformer *transformer) ATP_NOEXCEPT;
/** Copies the options that the transformer was made with to a bag. @return ATP_OK; ATP_E_NULL. Allocates: no. Threads: one at a time.
 *  Since: 0.1. */
ATP_API atp_status atp_transformer_options(const atp_transformer *transformer, atp_options *options) ATP_NOEXCEPT;
/** Returns the number of learned parameters; 0 for NULL. Allocates: no. Threads: one at a time. Since: 0.1. */
ATP_API int64_t atp_transformer_parameter_count(const atp_transformer *transformer) ATP_NOEXCEPT;
/** Copies the parameters out. @param[out] parameters; @param[in] size the parameter count
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE. Allocates: no. Threads: one at a time. Since: 0.1. */
ATP_API atp_status atp_transformer_parameters(const atp_transformer *transformer, double *parameters, int64_t size) ATP_NOEXCEPT;
/** Sets the parameters; training starts afresh, from epoch 0. @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_NOT_FINITE.
 *  Allocates: no. Threads: one at a time. Since: 0.1. */
ATP_API atp_status atp_transformer_set_parameters(atp_transformer *transformer, const double *parameters, int64_t size) ATP_NOEXCEPT;

/** Returns the number of the named parts of the parameter vector; 0 for NULL. Allocates: no. Threads: one at a time. Since: 0.1. */
ATP_API int64_t atp_transformer_part_count(const atp_transformer *transformer) ATP_NOEXCEPT;
/** A part of the parameter vector: elements offset .. offset + size - 1.
 *  @param[in]  index   0..part count - 1
 *  @param[out] name    (optional) "tokens", "block1.qkv" say; valid as long as the network
 *  @param[out] offset  (optional)
 *  @param[out] size    (optional)
 *  @return ATP_OK; ATP_E_NULL (transformer); ATP_E_VALUE (index). Allocates: no. Threads: one at a time. Since: 0.1. */
ATP_API atp_status atp_transformer_part(const atp_transformer *transformer, int64_t index, const char **name, int64_t *offset,
                                        int64_t *size) ATP_NOEXCEPT;

/** The loss at the present parameters and its gradient, over all training sequences, each of their sites masked in turn.
 *  @param[out] loss       (optional) nats per site
 *  @param[out] gradient   (optional) shape [parameters]; @param[in] size the parameter count, 0 with NULL
 *  @return ATP_OK; ATP_E_NULL (transformer); ATP_E_SHAPE. Allocates: no. Threads: one at a time; uses the context's threads. Since: 0.1. */
ATP_API atp_status atp_transformer_gradient(atp_transformer *transformer, double *loss, double *gradient, int64_t size) ATP_NOEXCEPT;

/** The same for one masked site per sequence.
 *  @param[in] masked_sites  shape [N], values 0..L-1; @param[in] n must be N
 *  @return as atp_transformer_gradient(), and ATP_E_NULL (masked_sites), ATP_E_VALUE (a site).
 *  Allocates: no. Threads: one at a time; uses the context's threads. Since: 0.1. */
ATP_API atp_status atp_transformer_masked_gradient(atp_transformer *transformer, const int64_t *masked_sites, int64_t n, double *loss,
                                                   double *gradient, int64_t size) ATP_NOEXCEPT;

/** The loss of the present parameters on an alignment, in nats per site, each site of each sequence masked in turn.
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE. Allocates: no. Threads: one at a time; uses the context's threads. Since: 0.1. */
ATP_API atp_status atp_transformer_loss(atp_transformer *transformer, const atp_alignment *alignment, double *loss) ATP_NOEXCEPT;

/** Trains for a number of epochs more; several calls give the same numbers as one. A new order of the sequences and new masked sites are
 *  drawn for every epoch; the rate goes down along a cosine, to 0 after ATP_OPT_EPOCHS epochs. A run ends with ATP_OUTCOME_MAX_ITER when
 *  these are done, unless the full gradient meets the tolerance then. After CONVERGED or DIVERGED further calls answer the same until
 *  parameters are set.
 *  @param[in]  epochs    >= 0; at most what is left of ATP_OPT_EPOCHS is made
 *  @param[in]  progress  (optional) called after every epoch with train loss (a mean over the batches of the epoch, each with the
 *                        parameters of its step), gradient norm (of the mean of their gradients), rate and seconds, and with test loss,
 *                        optimal loss and coupling error where atp_transformer_set_test() and atp_transformer_set_truth() have asked
 *  @param[out] outcome   (optional) CONVERGED, MAX_ITER, CANCELLED, DIVERGED (a loss, gradient or parameter was not finite: the
 *                        parameters are those at the end of epoch atp_transformer_epochs(), the last finite one)
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (epochs)
 *  Allocates: no. Threads: one at a time; uses the context's threads. Since: 0.1. Source: [R24 sec. II]; annealing: I. Loshchilov, F.
 *  Hutter, arXiv:1608.03983; Adam: D. Kingma, J. Ba, arXiv:1412.6980; encoder: A. Vaswani et al., arXiv:1706.03762. */
ATP_API atp_status atp_transformer_run(atp_transformer *transformer, int64_t epochs, atp_progress_fn progress, void *user,
                                       atp_outcome *outcome) ATP_NOEXCEPT;

/** Epochs done; 0 for NULL. Allocates: no. Threads: one at a time. Since: 0.1. */
ATP_API int64_t atp_transformer_epochs(const atp_transformer *transformer) ATP_NOEXCEPT;

/** Asks a running call to stop after the present step (a batch); without a running call, the next one stops at once. May be called from a
 *  signal handler or another thread. NULL is allowed. Allocates: no. Threads: any. Since: 0.1. */
ATP_API void atp_transformer_request_stop(atp_transformer *transformer) ATP_NOEXCEPT;

/** p(s_i = a | rest) of every site, each masked in turn.
 *  @param[in]  sequences  shape [n][L], colours below q; @param[in] n >= 1; @param[in] sites L
 *  @param[out] out        shape [n][L][q]; @param[in] size n * L * q
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (n); ATP_E_SHAPE; ATP_E_ALPHABET.
 *  Allocates: no. Threads: one at a time; uses the context's threads. Since: 0.1. */
ATP_API atp_status atp_transformer_conditionals(atp_transformer *transformer, const uint8_t *sequences, int64_t n, int64_t sites,
                                                double *out, int64_t size) ATP_NOEXCEPT;

/** The present parameters of a dial at 0 as a model of one head: A without its diagonal and V, beta = 1, no fields, and the alphabet of the
 *  training data. Its conditionals are those of the network.
 *  @return ATP_OK; ATP_E_NULL; ATP_E_CONFLICT (an encoder, or a dial above 0: no Potts model); ATP_E_MEMORY.
 *  Allocates: the model. Threads: one at a time. Since: 0.1. Source: [R24 eq. 5]. */
ATP_API atp_status atp_transformer_model(const atp_transformer *transformer, atp_model **out) ATP_NOEXCEPT;

/** Returns the number of attention maps (the blocks of the encoder; 1 of the dial); 0 for NULL. Allocates: no. Threads: one at a time.
 *  Since: 0.1. */
ATP_API int64_t atp_transformer_map_count(const atp_transformer *transformer) ATP_NOEXCEPT;
/** Attention maps, averaged over the sequences of an alignment (with weights): row k is the attention of site k while it is masked, to
 *  itself as well (0 in a free map).
 *  @param[out] maps  shape [map count][L][L]; @param[in] size map count * L * L
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE. Allocates: no. Threads: one at a time; uses the context's threads. Since: 0.1. Source: [R24
 *          fig. 2b]. */
ATP_API atp_status atp_transformer_maps(atp_transformer *transformer, const atp_alignment *alignment, double *maps,
                                        int64_t size) ATP_NOEXCEPT;

/** Returns the size of the saved state in bytes; 0 for NULL. Allocates: no. Threads: one at a time. Since: 0.1. */
ATP_API int64_t atp_transformer_state_bytes(const atp_transformer *transformer) ATP_NOEXCEPT;
/** Saves the state (parameters, optimiser, epoch and step in it): a network with the same data and options that loads it goes on with the
 *  same numbers. @return ATP_OK; ATP_E_NULL; ATP_E_BUFFER. Allocates: no. Threads: one at a time. Since: 0.1. */
ATP_API atp_status atp_transformer_save_state(const atp_transformer *transformer, void *buffer, int64_t size) ATP_NOEXCEPT;
/** Loads a state. @return ATP_OK; ATP_E_NULL; ATP_E_FORMAT; ATP_E_CHECKSUM; ATP_E_MISMATCH (other data, options or shape, with what
 *  differs). Allocates: no. Threads: one at a time. Since: 0.1. */
ATP_API atp_status atp_transformer_load_state(atp_transformer *transformer, const void *buffer, int64_t size) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
