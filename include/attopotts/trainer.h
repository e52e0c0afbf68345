/* SPDX-License-Identifier: MIT */
/** @file trainer.h
 *  Training: factored attention on masked tokens, which solves the inverse Potts problem [R24 eq. 3-5]; dense couplings; and networks to
 *  compare with. ATP_OPT_FAMILY says what a trainer learns.
 *
 *    logits_i(a) = b_i(a) + sum_h sum_{j != i} A_h,ij V_h(a, s_j),
 *    loss = -log softmax(logits_i)[s_i] in nats, averaged over sequences (with weights) and predicted sites.
 *  ATP_OBJECTIVE_PSEUDOLIKELIHOOD predicts every site of every sequence. The loss is then the pseudo-likelihood of the couplings C_ij(a, b)
 *  = sum_h A_h,ij V_h(a, b). ATP_OBJECTIVE_MLM predicts one random site per sequence and epoch, a stochastic version of it. With
 *  ATP_OPT_MASK_PROBABILITY each site is masked with a probability, and masked sites are predicted from the others: their loss is a mean
 *  over the masked sites of a batch.
 *    objective = loss + l2_couplings * |map parameters|^2 + l2_colors * |V|^2 + l2_fields * |b|^2 + l2_pairs * sum_{i != j} |C_ij|^2
 *                + norm_pairs * (sum_{i != j} |C_ij|^2)^(1/2) + norm_fields * |b|
 *  There is no factor 1/2. Fixed V and an ignored diagonal are not penalised.
 *
 *  Order of the parameters: maps, V, fields.
 *  - Maps: shape [H][L][L] for free and softmax maps. The diagonal is ignored and has zero gradient, except for softmax with
 *    ATP_DIAGONAL_AFTER. Lowrank maps: Q then K, each [H][L][d].
 *  - V: shape [H][q][q], or [1][q][q] with ATP_OPT_VALUES_SHARED, where all heads have one V; absent if colours are fixed.
 *  - Fields: [L][q]; absent if there are none.
 *
 *  Conventions. With ATP_OPT_SYMMETRIZED the couplings are S_ij(a, b) = (C_ij(a, b) + C_ji(b, a)) / 2, in loss and penalty. They equal the
 *  couplings of 2 H heads, (A_h / 2, V_h) and (A_h^T / 2, V_h^T), and the model has these heads.
 *  AttentionDCA.jl has low-rank maps with ATP_DIAGONAL_AFTER, scores that are not scaled and no fields. Its objective is L times ours, with
 *  l2_pairs 0.001 / L. mogwai has low-rank maps with ATP_DIAGONAL_BEFORE, scaled scores, fields and symmetrised couplings. Its penalties
 *  are on norms: norm_pairs 0.01 (L - 1) (q - 1) / N and norm_fields 0.01 / N for N sequences. It starts from ATP_INITIAL_XAVIER and takes
 *  1000 steps of Adam at a constant rate of 0.001, with batches of 128.
 *
 *  With ATP_GAPS_IGNORE colour 0 of the data is a gap. Gaps are not predicted and contribute nothing to other sites. V, fields and the
 *  model have no gap colour: their q is one less than that of the data. The loss is then a mean over the predicted sites of all sequences.
 *
 *  With ATP_OPT_FAMILY = ATP_FAMILY_DENSE the same handle learns the couplings of every pair and the fields by pseudo-likelihood:
 *    logits_i(a) = h_i(a) + sum_{j != i} J_ij(a, s_j); loss as above, a mean over predicted sites,
 *    objective = sum_n w_n sum_i -log p(s_ni | rest) + l2_fields sum_i |h_i|^2 + l2_couplings sum_{i<j} |J_ij|^2.
 *  This objective is a sum over sequences and sites; ATP_OPT_L2_SCALE scales its penalties. SGD and Adam take the gradients of batches,
 *  divided by the weight of their predicted sites, and penalties divided by that of all; reports have the objective as above. Fields start
 *  at the logarithms of the weighted frequencies, couplings at 0. Parameters: fields [L][q], then J_ij(a, b) for i < j, [q][q] each, pairs
 *  in the order (0, 1), (0, 2), ..., (1, 2), ...
 *
 *  Asymmetric dense couplings (ATP_OPT_ASYMMETRIC) come from an independent regression for each site, with half of l2_couplings for each of
 *  the two copies of a pair. The model's couplings are the mean of both copies. Parameters: for each site i its fields [q], then J_ij(a, b)
 *  for j != i in ascending order, [q][q] each, a at site i. One epoch is the regression of one site, from start to end; ATP_OPT_EPOCHS
 *  limits its iterations. A run can be stopped and resumed between sites. Losses, objectives and gradients in reports are those of the
 *  sites solved so far. Test loss and coupling error are reported with the last site. A saved state holds no history. Memory is small,
 *  because only sites in progress have a history. It depends on the number of threads of the context when the trainer is made, and later
 *  calls use no more threads than that. Ranks (ranks.h) must have the same number of threads.
 *
 *  Autoregressive models. With ATP_OBJECTIVE_AUTOREGRESSIVE, dense couplings, of all pairs or of a list, and factored attention predict
 *  each site from the sites before it in an order (ATP_OPT_ORDER, or atp_trainer_set_order()) instead of from all others:
 *    log P(s) = sum_i log softmax(logits_i)[s_i],   logits_i(a) = h_i(a) + sum_{j before i} J_ij(a, s_j).
 *  This is a probability of whole sequences, and sum_i of the loss is -log P. Objectives, penalties and parameters are those above; a pair
 *  has one block with its whole penalty, also with ATP_OPT_ASYMMETRIC, which then solves site by site, with the same minimum. Parameters of
 *  free and softmax maps A_ij with j not before i are ignored and have zero gradient. Rows of softmax maps run over the sites before i, and
 *  the first site has none. There is no ATP_OPT_SYMMETRIZED, no ATP_OPT_MASK_PROBABILITY and no atp_trainer_set_reduction(). The model
 *  is an autoregressive one with the trainer's order (model.h); so must a truth be, whose couplings are compared if it has the same order.
 *  Automatic penalties of dense couplings are 0.01 times the sum of the weights, as in ArDCA.jl, whose objective is ours divided by that
 *  sum, and 0.1 on the fields. They are where held-out losses are lowest, by cross-validation with whole clusters of sequences. On 6acv
 *  (sum 122, 66 sites) couplings 0.004, 0.01, 0.026 times the sum give 1.117, 1.100, 1.107 nats per site, and fields 0.012 (1e-4 times the
 *  sum), 0.12, 1.2 give 1.128, 1.100, 1.144; independent sites 1.403. On DHFR (906, 171 sites) couplings are best at 0.009, and fields
 *  0.09, 0.3, 0.9 give 1.4048, 1.4051, 1.4075; independent sites 1.684. The order by entropy, lowest first, is better than that by number
 *  and that with the highest first on both: DHFR 1.4048, 1.4085, 1.4179.
 *  Source: J. Trinquier, G. Uguzzoni, A. Pagnani, F. Zamponi, M. Weigt, Nature Commun. 12, 5800 (2021).
 *
 *  Maximum likelihood. With ATP_OBJECTIVE_LIKELIHOOD dense couplings, of all pairs or of a list, and factored attention are learned by
 *  Boltzmann learning, so that samples of the model have the statistics of the family:
 *    objective = -sum_n w_n log P(s_n) / sum w + penalties,
 *    derivatives by h_i(a) and J_ij(a, b): p_i(a) - f_i(a), p_ij(a, b) - f_ij(a, b),
 *  with f the weighted frequencies of the family with ATP_OPT_PSEUDOCOUNT, and p those of ATP_OPT_CHAINS Gibbs chains (rounded up to a
 *  multiple of 16) after ATP_OPT_SWEEPS sweeps. Couplings of factored attention are symmetrised, whatever its map, and the chain rule gives
 *  the derivatives by A and V. Penalties as above, with the factor 1 of a mean: l2_fields and l2_couplings (automatic: 0), and with scaled
 *  steps ATP_OPT_L1_COUPLINGS; those of factored attention are its own. A gap is a colour like the others.
 *  - An epoch is a step. Chains persist from step to step (ATP_OPT_CHAIN_START); ATP_OPT_RANDOM_CHAINS of them start at random colours and
 *    make ten times the sweeps, so that phases of the model which no sequence of the family has are seen and unlearned.
 *  - ATP_OPTIMIZER_SCALED, the default: steps in centred variables, divided by v_i(a) v_j(b) + 0.05, v = f (1 - f). Of factored attention
 *    they are those of couplings, divided by the mean of that, and projected on what maps and V can change: least squares with the Gram
 *    matrices of the heads, damped by 0.01 of their mean diagonals (Tong, Ma, Chi, JMLR 22, 150 (2021)). That needs free maps, a V of each
 *    head, and fields that are learned (ATP_OPT_FIELDS); without these the default is Adam. SGD and Adam take gradients as they are.
 *    ATP_SCHEDULE_DECAY is the default.
 *  - A mean of the last steps, each with the weight min(1, 4 / t), is what a run ends with, by target or by ATP_OPT_EPOCHS; parameters in
 *    between are those of the steps.
 *  - ATP_OPT_FIXED keeps the fields, or the couplings (maps and V), of the start. Scaled steps give what fixed fields would have moved by
 *    to couplings, which is the same distribution.
 *  - The target (ATP_OPT_TARGET) is a Pearson correlation of C_ij(a, b) = f_ij(a, b) - f_i(a) f_j(b) of model and family, i < j, and a
 *    slope of 0.95 to 1.05. Chains that persist can reach it while the model does not. When they do, for the first time at a slope of 0.87
 *    and later of 0.92, and after the last step, fresh chains of the mean are therefore swept from random colours and from training
 *    sequences, 256 of each, until the latter have forgotten them, and 32 samples of both are taken. The run has converged if both reach
 *    the target. Otherwise these chains join those of the steps, and training goes on; where only the slope missed it, couplings (dense, or
 *    of free maps with fields) are multiplied by 1 + (1 - slope) / 20 at the same centred fields before that. After the last step of a run
 *    neither happens, unless the chains had reached the target before. Both correlations are without the noise of the samples, from two
 *    halves of the chains. They have errors of their own (of the slope about 0.01, in four runs on RF00162), and a run ends with the first
 *    that passes: models that stopped at a slope of 0.95 had true slopes of 0.943 to 0.950. Ask for a higher target, and measure with
 *    atp_samples_quality(), where that counts. A target of 1 never verifies.
 *  - Automatic numbers (0, the default): ATP_OPT_CHAINS is 2000, or twice as many chains as leave a perfect model the target, at most 8192.
 *    ATP_OPT_SWEEPS is 2 until a verification fails, then at least 1/16 of the sweeps after which it found training sequences forgotten,
 *    at most 64.
 *  - Chains that have not forgotten training sequences after 4096 sweeps go on as the first of ATP_OPT_TEMPERATURES rungs of replica
 *    exchange, for at most 1024 sweeps, and the log has a line on it. Rung r of R has the distribution
 *      p_t(s) ~ exp(t (sum_i h_i(s_i) + sum_{i<j} J_ij(s_i, s_j)) + (1 - t) sum_i log f_i(s_i)), t = 1 - 0.48 r / (R - 1).
 *  - ATP_OPT_SPARSIFY, of dense couplings: only some couplings J_ij(a, b) are active, the others are 0. Those that are not 0 at the start
 *    are active. After ATP_OPT_SPARSIFY_STEPS steps or more the set changes by ATP_OPT_SPARSIFY_FRACTION:
 *      activation, while chains miss the target: of the inactive couplings those of the largest gain f log(f / p) + (1 - f) log((1 - f)
 *        / (1 - p)), f = f_ij(a, b), p = p_ij(a, b), become active, up to ATP_OPT_DENSITY. That is what the log-likelihood per sequence
 *        gains where this coupling alone moves to its optimum, by log[f (1 - p) / (p (1 - f))];
 *      decimation, from all couplings if all are 0 at the start, while chains reach the target: of the active couplings those of the
 *        smallest KL(P | P') are removed, P' the model without this coupling at the same centred fields. A run converges only when the
 *        density has come down to ATP_OPT_DENSITY.
 *    With a target of 1 changes do not depend on the chains. Rates of ATP_SCHEDULE_DECAY and weights of the mean count the steps since the
 *    last change. Reports have the density, and the summed gains (losses, below 0) of a change. Saved states have the set. Sources:
 *    F. Calvanese, C. Lambert, P. Nghe, F. Zamponi, M. Weigt, Nucleic Acids Res. 52, 5465 (2024), eaDCA; P. Barrat-Charlaix, A. Muntoni,
 *    K. Shimagaki, M. Weigt, F. Zamponi, Phys. Rev. E 104, 024407 (2021), whose loss is at fixed fields, edDCA.
 *  - With a list of pairs (atp_trainer_create_pairs()) couplings, counts, time and memory are those of the list. All statistics of pairs,
 *    the target, the verification and the reports among them, are over the pairs of the list alone, for these are what maximum likelihood
 *    reproduces. atp_statistics_compare() has those of all pairs, of a sample of the model.
 *  - The log warns where the noise of so few chains, or of the family itself, leaves even a perfect model below the target.
 *  Reports have pearson, slope and field_error of the chains, and those of the verification at its step; there is no training loss and no
 *  objective. pearson_sites to slope_test, and those of f_i and f_ij of the test alignment, are as atp_statistics_compare() has them, f_i
 *  and f_ij of the family with the pseudocount, those of the test alignment (every tenth epoch and the last one) without. Where a
 *  verification found the model in equilibrium, and a report is wanted, entropy = log Z + <H> has log Z of annealed importance sampling
 *  (128 chains, an eighth of the verification's sweeps) and the mean energy of its samples, with standard errors; atp_estimate_log_z()
 *  takes as long as you wish.
 *  site_entropy, that of independent sites with the p_i of the chains, is above it, by what couplings take away.
 *  Test losses, every tenth epoch, and atp_trainer_loss() are pseudo-likelihoods of the model; atp_trainer_gradient() gives the
 *  derivatives by the chains where they are, this loss, and NaN as the objective. Parameters, parts and the model are those of
 *  pseudo-likelihood. Starts: independent sites, atp_trainer_start_model(), atp_trainer_start_chains(), atp_trainer_set_parameters(). A
 *  saved state has the chains.
 *  Ranks share the chains. Sources: D. Ackley, G. Hinton, T. Sejnowski, Cognitive Science 9, 147 (1985); T. Tieleman, ICML 2008; L. Rosset,
 *  R. Netti, A. Muntoni, M. Weigt, F. Zamponi, adabmDCA 2, arXiv:2501.18456.
 *
 *  ATP_FAMILY_ENCODER and ATP_FAMILY_DIAL are networks, for comparison with factored attention [R24 sec. II, fig. 2]. The loss is that
 *  above, with p(s_i = a | rest) = softmax(network of the sequence with site i masked, at site i)_a. Networks have no penalties, and a gap
 *  is a colour like the others.
 *
 *  ATP_FAMILY_ENCODER is the standard transformer encoder. Colour embeddings are t_a in R^d, with a = q for the masked site. Inputs
 *  are x_j = t_{s_j} + P_j with P_j(2 c) = sin(j / 10000^(2 c / d)) and P_j(2 c + 1) = cos of the same; P_j = 0 with ATP_POSITIONS_NONE.
 *  Each of `blocks` blocks computes
 *      (q_j, k_j, v_j) = W_qkv x_j + b_qkv,   a_kj = softmax_j(q_k . k_j / sqrt(d)),   c_k = sum_j a_kj v_j,
 *      y_k = norm_1(x_k + W_o c_k + b_o),     x_k <- norm_2(y_k + W_2 max(0, W_1 y_k + b_1) + b_2),
 *  with norm(x) = scale (x - mean x) / sqrt(var x + 1e-5) + shift (var with 1/d). Logits of the masked site are W_out x_i + b_out. There is
 *  one head and no dropout, and the norm follows the sum. The weights are those of a TransformerEncoderLayer(d, 1, hidden, dropout 0) of
 *  the usual frameworks.
 *  Parameters, in this order, matrices as [output][input]: tokens [q + 1][d]; for each block W_qkv [3 d][d] (queries, keys, values), b_qkv
 *  [3 d], W_o [d][d], b_o [d], norm_1 scale [d], shift [d], W_1 [hidden][d], b_1 [hidden], W_2 [d][hidden], b_2 [d], norm_2 scale [d],
 *  shift [d]; then W_out [q][d], b_out [q]. atp_trainer_part() returns their names and offsets.
 *  Initial values: tokens N(0, 1); W_qkv, W_o, W_1, W_2 uniform with variance 2 / (inputs + outputs), for queries, keys and values
 *  separately; scales 1, shifts and biases 0; W_out N(0, init_scale^2 / d), so that logits have standard deviation init_scale.
 *
 *  ATP_FAMILY_DIAL is a single attention layer with a dial a (ATP_OPT_DIAL) between factored (0) and plain (1) attention [R24 eq. 2]:
 *      u_j = p_j + a t_j,   w_j = t_j + a p_j,   A_kj = softmax over all j of (Q u_k) . (K u_j),   logits of site k = V sum_j A_kj w_j.
 *  Tokens t_j = e_{s_j} are one-hot, so d = q. At the masked site t_k = m, a learned vector for a > 0, and zero for a = 0.
 *  Parameters: "positions" p [L][q], "queries" Q, "keys" K, "values" V, [q][q] each, "mask" m [q] (a > 0).
 *  At a = 0 attention depends on positions only, and the layer is a Potts model with one head. The map may then also be ATP_MAP_SOFTMAX,
 *  with "scores" [L][L] instead of (Q p_k) . (K p_j), or ATP_MAP_FREE, with "map" [L][L], A itself, whose diagonal is ignored; V follows.
 *  The softmax includes the masked site, as in the formula, but its value is zero. This is factored attention with ATP_DIAGONAL_AFTER
 *  (free: factored attention without fields).
 *  Initial values: p, Q, K, m ~ N(0, 1 / q); V, scores and map ~ N(0, init_scale^2).
 *
 *  Defaults of networks, where an option is not set: ATP_OPTIMIZER_SGD, ATP_OBJECTIVE_MLM unless the optimiser is L-BFGS, a rate of 0.1
 *  (SGD) or 0.001 (Adam), ATP_MAP_LOWRANK for the dial. The encoder reads ATP_OPT_BLOCKS, _WIDTH (d), _HIDDEN and _POSITIONS. The dial
 *  reads ATP_OPT_DIAL, _MAP, and _WIDTH, which must be q if it is set. Both read ATP_OPT_INIT_SCALE, _OBJECTIVE and the options of
 *  optimisers and batches.
 *
 *  An option that the family does not read gives ATP_E_CONFLICT if it differs from its default; the text names option and family. Values
 *  that describe what the family does anyway are allowed: ATP_OBJECTIVE_PSEUDOLIKELIHOOD, ATP_MAP_FREE, and ATP_OPT_FIELDS of dense
 *  couplings. A momentum without SGD and a history without L-BFGS give ATP_E_CONFLICT, too. A rate, a batch or a schedule that L-BFGS does
 *  not use, and a rank without low-rank maps, give a warning in the log.
 *
 *  Functions for what only some families have return ATP_E_UNSUPPORTED for the others; the text names the family. These are V and wide
 *  starts (factored attention), losses of single masked sites (factored attention, networks), attention maps and conditionals (networks),
 *  lists of pairs (dense couplings), data in several processes (symmetric dense couplings by L-BFGS), orders (autoregressive models),
 *  models (all but encoders and dials above 0).
 *
 *  Arithmetic: float32 kernels with float64 sums (ATP_OPT_PRECISION 32) or float64 throughout (64). Parameters, gradients and optimisers
 *  are float64. With ATP_OPT_PRECISION 32, parameters, gradients and optimiser history of dense couplings are float32. The training data
 *  remain bytes.
 *
 *  The same options, data and seed give the same results for any number of threads, also if the run was saved and loaded in between.
 *
 *  Ranks (ranks.h). Dense couplings share their sites: use at most as many ranks as sites. Symmetric ones share the history of L-BFGS, too,
 *  so that the memory of a rank falls with their number. With n parameters of b bytes (4, or 8 with ATP_OPT_PRECISION 64) and a history of
 *  m it is at most 4 n b + (2 m + 2) n b / ranks, and the data; with one rank (2 m + 4) n b. Every evaluation passes at most 3 n b bytes to
 *  each rank. Asymmetric ones share rounds of sites, and pass the parameters once. Parameters, reports and saved states are the same on
 *  all ranks.
 *
 *  Threads: a trainer belongs to one thread at a time; its calls divide the work among the context's threads.
 */
#ifndef ATTOPOTTS_TRAINER_H
#define ATTOPOTTS_TRAINER_H

#include <attopotts/model.h>
#include <attopotts/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a trainer learns; the formulas are above. */
typedef enum atp_family ATP_INT {
  ATP_FAMILY_FACTORED = 1, /**< factored attention: heads (A_h, V_h) */
  ATP_FAMILY_DENSE = 2,    /**< dense couplings J_ij(a, b) and fields, by pseudo-likelihood */
  ATP_FAMILY_ENCODER = 3,  /**< the standard transformer encoder on masked tokens */
  ATP_FAMILY_DIAL = 4      /**< one attention layer between factored (a = 0) and plain (a = 1), on masked tokens */
} atp_family;

/** What a training minimises. */
typedef enum atp_objective ATP_INT {
  ATP_OBJECTIVE_PSEUDOLIKELIHOOD = 1, /**< all sites are predicted, each from all others */
  ATP_OBJECTIVE_MLM = 2,              /**< one random site per sequence and epoch: masked language modelling */
  ATP_OBJECTIVE_LIKELIHOOD = 3,       /**< the likelihood of a Potts model, by Boltzmann learning */
  ATP_OBJECTIVE_AUTOREGRESSIVE = 4    /**< the likelihood of an autoregressive model: all sites, each from those before it in an order */
} atp_objective;

/** Orders of the sites of autoregressive models. The entropies are those of the weighted frequencies of the colours at a site, as in
 *  ArDCA.jl; sites of the same entropy are in the order of their numbers. */
typedef enum atp_order ATP_INT {
  ATP_ORDER_NATURAL = 1,           /**< as in the sequences */
  ATP_ORDER_ENTROPY = 2,           /**< from the lowest entropy to the highest */
  ATP_ORDER_ENTROPY_DESCENDING = 3 /**< from the highest entropy to the lowest */
} atp_order;

/** Optimisers. */
typedef enum atp_optimizer ATP_INT {
  ATP_OPTIMIZER_LBFGS = 1, /**< L-BFGS, strong-Wolfe search, all sequences per step; needs the pseudo-likelihood */
  ATP_OPTIMIZER_SGD = 2,   /**< stochastic gradient descent, cosine annealing of the rate to 0 over the epochs */
  ATP_OPTIMIZER_ADAM = 3,  /**< Adam (beta1 = 0.9, beta2 = 0.999, eps = 1e-8) with the same annealing */
  ATP_OPTIMIZER_SCALED = 4 /**< of the likelihood: steps in centred variables, divided by their curvature at independent sites */
} atp_optimizer;

/** Schedules of the rate of stochastic optimisers. */
typedef enum atp_schedule ATP_INT {
  ATP_SCHEDULE_COSINE = 1,   /**< from ATP_OPT_RATE to 0 along a cosine over all epochs */
  ATP_SCHEDULE_CONSTANT = 2, /**< ATP_OPT_RATE all the time */
  ATP_SCHEDULE_DECAY = 3     /**< of the likelihood: ATP_OPT_RATE / (1 + t / ATP_OPT_DECAY) in step t = 1, 2, ... */
} atp_schedule;

/** Where the chains of a step of Boltzmann learning start (ATP_OBJECTIVE_LIKELIHOOD). */
typedef enum atp_chain_start ATP_INT {
  ATP_CHAIN_START_PERSISTENT = 1, /**< where the step before left them: persistent contrastive divergence */
  ATP_CHAIN_START_DATA = 2,       /**< at training sequences, drawn by their weights: contrastive divergence */
  ATP_CHAIN_START_RANDOM = 3      /**< at uniformly random colours */
} atp_chain_start;

/** How Boltzmann learning of dense couplings changes which couplings J_ij(a, b) are active. */
typedef enum atp_sparsify ATP_INT {
  ATP_SPARSIFY_NONE = 1,     /**< all are */
  ATP_SPARSIFY_ACTIVATE = 2, /**< couplings become active where the likelihood gains most */
  ATP_SPARSIFY_DECIMATE = 3  /**< couplings are removed where the likelihood loses least */
} atp_sparsify;

/** Parameters of the start that Boltzmann learning does not move (ATP_OBJECTIVE_LIKELIHOOD). */
typedef enum atp_fixed ATP_INT {
  ATP_FIXED_NONE = 1,     /**< none */
  ATP_FIXED_FIELDS = 2,   /**< the fields: with a coupling of every site that is a gauge, and couplings do what fields would have done */
  ATP_FIXED_COUPLINGS = 3 /**< the couplings, or maps and V: fields alone are fitted */
} atp_fixed;

/** Initial parameters of factored attention. */
typedef enum atp_initial ATP_INT {
  ATP_INITIAL_NORMAL = 1, /**< normal numbers with the standard deviation ATP_OPT_INIT_SCALE; fields are 0 */
  ATP_INITIAL_XAVIER = 2  /**< uniform in +-sqrt(6 / (columns + rows)): Q, K +-sqrt(6 / (d (L + H))), free and softmax maps
                               +-sqrt(6 / (L (L + H))), V +-sqrt(6 / (q (q + H))); fields are logarithms of counts, as in mogwai */
} atp_initial;

/** Factors of the penalties of dense couplings. They apply to penalties that are set; automatic ones are absolute. */
typedef enum atp_l2_scale ATP_INT {
  ATP_L2_ABSOLUTE = 1,     /**< no factor */
  ATP_L2_SITES = 2,        /**< L - 1 for the penalty of the couplings */
  ATP_L2_SITES_COLORS = 3, /**< (L - 1)(q - 1) for the penalty of the couplings, with q colours of the model */
  ATP_L2_WEIGHT = 4        /**< the sum of the weights for the penalties of couplings and fields */
} atp_l2_scale;

/** How an attention map A_h is computed from its parameters (sites i != j; A_ii = 0 always). */
typedef enum atp_map ATP_INT {
  ATP_MAP_FREE = 1,    /**< A_ij are the parameters */
  ATP_MAP_SOFTMAX = 2, /**< A_ij = exp(x_ij) / sum_{k != i} exp(x_ik); see also atp_diagonal */
  ATP_MAP_LOWRANK = 3  /**< the same with x_ij = Q_i . K_j / sqrt(d), or without the root: ATP_OPT_SCORES_SCALED */
} atp_map;

/** Whether the diagonal of a softmax map is masked before or after the softmax. */
typedef enum atp_diagonal ATP_INT {
  ATP_DIAGONAL_BEFORE = 1, /**< before: the softmax runs over j != i, and rows of A sum to 1 */
  ATP_DIAGONAL_AFTER = 2   /**< after a softmax over all j: A_ii is set to 0, and row i sums to 1 minus its former diagonal element */
} atp_diagonal;

/** Positional encoding of the transformer encoder. */
typedef enum atp_positions ATP_INT {
  ATP_POSITIONS_NONE = 0,      /**< none: the network is equivariant under permutations of the sites */
  ATP_POSITIONS_SINUSOIDAL = 1 /**< sines and cosines of wavelengths 2 pi .. 10000 * 2 pi are added to the embeddings */
} atp_positions;

/** Opaque trainer. */
typedef struct atp_trainer atp_trainer;

/** Columns of a training log, ATP_TABLE_TRAINING_LOG: the quantities of a progress report; NaN where a report does not have them. */
typedef enum atp_training_column ATP_INT {
  ATP_TRAINING_EPOCH = 0,               /**< number of epochs or iterations done, as ATP_PROGRESS_STEP */
  ATP_TRAINING_SECONDS = 1,             /**< wall-clock time since the call began */
  ATP_TRAINING_TRAIN_LOSS = 2,          /**< loss on the training sequences */
  ATP_TRAINING_TEST_LOSS = 3,           /**< loss on the test alignment */
  ATP_TRAINING_OPTIMAL_LOSS = 4,        /**< loss under the true conditionals on the test alignment */
  ATP_TRAINING_COUPLING_ERROR = 5,      /**< distance to the true couplings: see atp_model_coupling_error() */
  ATP_TRAINING_GRADIENT_NORM = 6,       /**< Euclidean norm of the gradient of the objective */
  ATP_TRAINING_RATE = 7,                /**< learning rate; of L-BFGS the step length */
  ATP_TRAINING_OBJECTIVE = 8,           /**< training loss plus penalties */
  ATP_TRAINING_PEARSON = 9,             /**< of C_ij(a, b) of chains and family */
  ATP_TRAINING_SLOPE = 10,              /**< of C_ij(a, b) of chains against those of the family */
  ATP_TRAINING_FIELD_ERROR = 11,        /**< mean |p_i(a) - f_i(a)| of chains and family */
  ATP_TRAINING_PEARSON_RANDOM = 12,     /**< the same Pearson in equilibrium, from random starts */
  ATP_TRAINING_SLOPE_RANDOM = 13,       /**< the same slope in equilibrium, from random starts */
  ATP_TRAINING_PEARSON_NATURAL = 14,    /**< the same Pearson in equilibrium, from training sequences */
  ATP_TRAINING_SLOPE_NATURAL = 15,      /**< the same slope in equilibrium, from training sequences */
  ATP_TRAINING_MIXING_SWEEPS = 16,      /**< sweeps after which chains had forgotten the training sequences they started from */
  ATP_TRAINING_DENSITY = 17,            /**< fraction of the couplings J_ij(a, b) that are active */
  ATP_TRAINING_GAIN = 18,               /**< gain of the couplings that became active, per sequence; of removed ones below 0 */
  ATP_TRAINING_PEARSON_SITES = 19,      /**< Pearson of f_i(a) of chains and family */
  ATP_TRAINING_SLOPE_SITES = 20,        /**< slope of f_i(a) of chains against those of the family */
  ATP_TRAINING_PEARSON_PAIRS = 21,      /**< Pearson of f_ij(a, b) of chains and family */
  ATP_TRAINING_SLOPE_PAIRS = 22,        /**< slope of f_ij(a, b) of chains against those of the family */
  ATP_TRAINING_PEARSON_TEST = 23,       /**< Pearson of C_ij(a, b) of chains and test alignment */
  ATP_TRAINING_SLOPE_TEST = 24,         /**< slope of C_ij(a, b) of chains against the test alignment */
  ATP_TRAINING_SITE_ENTROPY = 25,       /**< -sum_i sum_a p_i(a) log p_i(a) of the chains: an upper limit of the entropy, nats */
  ATP_TRAINING_SWEEPS = 26,             /**< sweeps of the chains in this step */
  ATP_TRAINING_SWAP_RATE = 27,          /**< fraction of replica exchanges accepted in the verification, where there were any */
  ATP_TRAINING_ENTROPY = 28,            /**< entropy of the model that was verified, where it was in equilibrium */
  ATP_TRAINING_ENTROPY_ERROR = 29,      /**< standard error of the entropy */
  ATP_TRAINING_LOG_Z = 30,              /**< log Z of the model that was verified, by annealed importance sampling */
  ATP_TRAINING_LOG_Z_ERROR = 31,        /**< standard error of log Z */
  ATP_TRAINING_PEARSON_TEST_SITES = 32, /**< Pearson of f_i(a) of chains and test alignment */
  ATP_TRAINING_SLOPE_TEST_SITES = 33,   /**< slope of f_i(a) of chains against the test alignment */
  ATP_TRAINING_PEARSON_TEST_PAIRS = 34, /**< Pearson of f_ij(a, b) of chains and test alignment */
  ATP_TRAINING_SLOPE_TEST_PAIRS = 35    /**< slope of f_ij(a, b) of chains against the test alignment */
} atp_training_column;
/** Number of columns of atp_training_column. */
#define ATP_TRAINING_COLUMNS 36

/* ---- Stable: what most programs need ---- */

/** Makes a trainer at its initial parameters; of factored attention: maps (or Q, K) and V ~ N(0, init_scale^2), fields = 0.
 *  @param[in] train    the training alignment; it is read, not copied. It must outlive the trainer, which also reads it in
 *                      atp_trainer_destroy(). Its weights cannot be set in the meantime (ATP_E_STAGE)
 *  @param[in] options  (optional)
 *  @return ATP_OK; ATP_E_NULL; ATP_E_CONFLICT (L-BFGS with masked language modelling, an option that another family or optimiser reads,
 *          see above); ATP_E_VALUE (more than 65536 sites); ATP_E_TOO_LARGE; ATP_E_MEMORY; ATP_E_RANK
 *  Allocates: atp_trainer_bytes(). Threads: one per context; collective. Since: 0.1, stable. */
ATP_API atp_status atp_trainer_create(atp_context *context, const atp_alignment *train, const atp_options *options,
                                      atp_trainer **out) ATP_NOEXCEPT;

/** Frees a trainer; NULL is allowed. Allocates: no. Threads: no other call. Since: 0.1, stable. */
ATP_API void atp_trainer_destroy(atp_trainer *trainer) ATP_NOEXCEPT;

/** Trains for a number of further epochs (SGD, Adam: passes over the data; L-BFGS: iterations).
 *  Several calls give the same results as one. The outcome is MAX_ITER if the call made all the epochs that it was asked for, or all of
 *  ATP_OPT_EPOCHS, before the tolerance was met; SGD and Adam compare the full gradient with it after ATP_OPT_EPOCHS epochs. They draw a
 *  new order of the sequences for every epoch. The loss of a batch is the weighted mean over its sequences. After CONVERGED, STALLED or
 *  DIVERGED further calls return the same outcome until parameters are set.
 *  @param[in]  epochs    >= 0: at most so many more. ATP_OPT_EPOCHS limits the total of all calls, which the call never exceeds; a number
 *                        above 1e9 means up to that total. If it ends a call that asked for more, the log callback receives a warning
 *  @param[in]  progress  (optional) called after every epoch or iteration with train loss, objective, gradient norm, rate and seconds. Test
 *                        loss, optimal loss and coupling error are included after atp_trainer_set_test() and atp_trainer_set_truth().
 *                        L-BFGS reports values at the current parameters; the rate is the step length. SGD and Adam report train loss and
 *                        objective as means over the batches of the epoch, each with the parameters of its step. Their gradient norm is
 *                        that of the mean of the batch gradients; the rate is that of the last step
 *  @param[out] outcome   (optional) CONVERGED, MAX_ITER, CANCELLED, DIVERGED (the parameters are those of the last finite epoch), STALLED
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (epochs); ATP_E_STAGE (fixed colours were never set); ATP_E_RANK
 *  Allocates: no. Threads: one per handle; collective, parallel. Since: 0.1, stable. Source: [R24 sec. II]; L-BFGS: J. Nocedal, S. Wright,
 *  Numerical Optimization (2006), alg. 7.4, 3.5, 3.6; Adam: D. Kingma, J. Ba, arXiv:1412.6980. */
ATP_API atp_status atp_trainer_run(atp_trainer *trainer, int64_t epochs, atp_progress_fn progress, void *user,
                                   atp_outcome *outcome) ATP_NOEXCEPT;

/** Makes a model of the current parameters: heads, or dense couplings and fields. It has beta = 1, no particular gauge (see
 *  atp_model_gauge()) and the alphabet of the training data. Positive couplings and fields favour their colours.
 *  Symmetrised couplings make 2 H heads, first all (A_h / 2, V_h), then all (A_h^T / 2, V_h^T).
 *  @return ATP_OK; ATP_E_NULL; ATP_E_STAGE (fixed colours were never set); ATP_E_UNSUPPORTED (an encoder, or a dial above 0: no Potts
 *          model); ATP_E_MEMORY
 *  Allocates: the model. Threads: one per handle. Since: 0.1, stable. */
ATP_API atp_status atp_trainer_model(const atp_trainer *trainer, atp_model **out) ATP_NOEXCEPT;

/* ---- The rest: it may change until version 1.0 ---- */

/** Computes the memory that atp_trainer_create() will allocate for data of this shape, in bytes; with several ranks that of this rank.
 *  @param[in] n, sites, colors  of the training alignment
 *  @param[in] options (optional) of ATP_OWNER_TRAINER
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_CONFLICT; ATP_E_TOO_LARGE; ATP_E_MEMORY. Allocates: no; of autoregressive
 *          dense couplings lists of pairs, freed before the call returns. Threads: one per context. Since: 0.1. */
ATP_API atp_status atp_trainer_bytes(atp_context *context, int64_t n, int64_t sites, int64_t colors, const atp_options *options,
                                     int64_t *bytes) ATP_NOEXCEPT;

/** Sets V, learned or fixed, from an array. Call it before a run if colours are fixed. Training restarts at epoch 0.
 *  @param[in] values shape [H][q][q], or [1][q][q] with ATP_OPT_VALUES_SHARED; @param[in] size of values
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_NOT_FINITE; ATP_E_UNSUPPORTED (no factored attention); ATP_E_RANK.
 *  Allocates: no. Threads: one per handle; collective. Since: 0.1. */
ATP_API atp_status atp_trainer_set_values(atp_trainer *trainer, const double *values, int64_t size) ATP_NOEXCEPT;

/** Sets the test alignment, whose loss progress callbacks report. It is read, not copied, until it is
 *  replaced, or unset by NULL, or the trainer is destroyed. NULL (the default): no test loss.
 *  @return ATP_OK; ATP_E_NULL (trainer); ATP_E_SHAPE (L or q differ); ATP_E_RANK.
 *  Allocates: no. Threads: one per handle; collective. Since: 0.1. */
ATP_API atp_status atp_trainer_set_test(atp_trainer *trainer, const atp_alignment *test) ATP_NOEXCEPT;

/** Sets the true model. Reports then have the coupling error against it, and its loss on the test sequences as the optimal loss. It is
 *  read, not copied, until it is replaced, or unset by NULL, or the trainer is destroyed. NULL (the default): neither is reported.
 *  The optimal loss is computed at the first report after this call or atp_trainer_set_test().
 *  @return ATP_OK; ATP_E_NULL (trainer); ATP_E_SHAPE; ATP_E_CONFLICT (a truth that is autoregressive where the trainer's models are not, or
 *          the other way round); ATP_E_RANK. Allocates: no. Threads: one per handle; collective. Since: 0.1. */
ATP_API atp_status atp_trainer_set_truth(atp_trainer *trainer, const atp_model *truth) ATP_NOEXCEPT;

/** Sets the order of the sites of an autoregressive model, instead of that of ATP_OPT_ORDER. Training restarts at epoch 0, from the initial
 *  parameters.
 *  @param[in] order  shape [L], the sites in the order in which they are predicted, each once; @param[in] size L
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_VALUE (a site that is out of range or twice there); ATP_E_UNSUPPORTED (another
 *          objective); ATP_E_STAGE (a run is in progress); ATP_E_RANK. Allocates: no. Threads: one per handle; collective. Since: 0.1. */
ATP_API atp_status atp_trainer_set_order(atp_trainer *trainer, const int64_t *order, int64_t size) ATP_NOEXCEPT;

/** Sets the table of the training log, ATP_TABLE_TRAINING_LOG. atp_trainer_run() appends a row at every report, with or without a callback.
 *  NULL: no log. If the table is full, the run ends with ATP_E_BUFFER at that report. The epoch is done but has no row; the trainer remains
 *  usable. The table must live as long as it is set, and cannot be changed during a run.
 *  @return ATP_OK; ATP_E_NULL (trainer); ATP_E_CONFLICT (a table of another kind). Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_trainer_set_log(atp_trainer *trainer, atp_table *table) ATP_NOEXCEPT;

/** Replaces values[count] by their sums over the processes of the host, the same numbers on all of them. Called in the thread that made the
 *  call of this API, with no lock held; must not longjmp. A value other than 0 ends the call with ATP_E_CALLBACK. */
typedef int (*atp_reduce_fn)(double *values, int64_t count, void *user);

/** Trains one model on sequences that are spread over several processes, each with a trainer of its part. For programs that bring their own
 *  MPI: with the ranks of ranks.h every process has all sequences instead, and the results have the bits of one process. Training restarts
 *  at epoch 0 from the initial fields, with couplings 0: set parameters after this call. Each process makes the same calls, with the same
 *  options, and passes a callback that sums by MPI_Allreduce(), for example:
 *  - here, once: count = 2 + L q, the sum of the weights, the sum of weights times predicted sites, and the weighted number of sequences
 *    with each colour at each site [L][q] without gaps that are ignored. Initial fields, penalties, tolerance and scales follow from these;
 *  - in every evaluation of atp_trainer_run() and atp_trainer_gradient(): count = 2 + parameters, or 2 without a gradient: the loss, summed
 *    over sequences and predicted sites, the sum of weights times predicted sites, and the gradient, all without penalties.
 *  Losses, objectives, gradients and parameters are then those of all sequences, up to rounding, and the same in all processes. Test losses
 *  are those of each process's own test alignment, and atp_trainer_loss() calls nothing. A callback of progress must end the run in all
 *  processes at the same report. A state belongs to the process that saved it, and is loaded after this call.
 *  @param[in] reduce  (optional) NULL: the sequences of this trainer are all
 *  @param[in] user    passed to reduce
 *  @return ATP_OK; ATP_E_NULL (trainer); ATP_E_UNSUPPORTED (all but symmetric dense couplings by L-BFGS); ATP_E_CONFLICT (the
 *          context has several ranks); ATP_E_CALLBACK (the trainer is unchanged); ATP_E_NOT_FINITE (sums); ATP_E_MEMORY
 *  Allocates: 8 (2 + parameters) bytes until the trainer is destroyed, or NULL is set. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_trainer_set_reduction(atp_trainer *trainer, atp_reduce_fn reduce, void *user) ATP_NOEXCEPT;

/** Sets the parameters to fields and couplings of a Potts model: of beta times its own, couplings (C_ij(a, b) + C_ji(b, a)) / 2. With a
 *  list of pairs, couplings of other pairs are left out. Factored attention gets the closest couplings that its heads can represent: the
 *  truncated singular value decomposition between pairs of sites and pairs of colours, with fields in the zero-sum gauge. Training restarts
 *  at epoch 0. For starts of the likelihood from a model of pseudo-likelihood or of another program, by either objective.
 *  For the likelihood of factored attention from there Adam is no choice: at its default rate it loses the start (research/starts.py).
 *  Of an autoregressive model, log P(s) = sum_i (u_i(s_i; s) - log Z_i(s)), it is the Potts model of its expansion to second order in the
 *  couplings: log Z_i(s) = log sum_a exp(h_i(a) + sum_j C_ij(a, s_j)) around independent sites gives fields and couplings to the sites j
 *  before i, those of j and k -sum_i sum_a m_i(a) E_ij(a, s_j) E_ik(a, s_k), with m_i the mean-field probabilities of site i, and E the
 *  couplings less their means by m_i and m_j. Time for that: proportional to L^3 q^3.
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE (L or q differ); ATP_E_UNSUPPORTED (asymmetric couplings, autoregressive objectives, networks:
 *          see atp_trainer_set_parameters(); factored attention whose maps are not free, whose V is fixed or shared by the heads, or that
 *          ignores gaps); ATP_E_CONFLICT (factored attention without the fields of the model, or with more than q^2 heads);
 *          ATP_E_NOT_FINITE (in the precision of the trainer); ATP_E_STAGE (a run is in progress); ATP_E_RANK; ATP_E_MEMORY
 *  Allocates: of factored attention (H + 1) q^2 numbers, of an autoregressive model 2 L^2 q^2, freed before the call returns. Threads: one
 *  per handle; collective. Since: 0.1. */
ATP_API atp_status atp_trainer_start_model(atp_trainer *trainer, const atp_model *model) ATP_NOEXCEPT;

/** Starts the persistent chains of the likelihood at these sequences: chain r at sequence r mod N, for r below the number of chains. For
 *  chains of another run or program, which its model needs no time to forget. Training restarts at epoch 0 from the present parameters.
 *  Calls that set parameters, or start from a model, start the chains at training sequences again: make this the last call before the run.
 *  The fraction ATP_OPT_RANDOM_CHAINS, the first of the chains, starts every step at random colours in any case.
 *  @param[in] chains  sequences with the sites and colours of the training alignment; weights are not used; read, not kept
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_UNSUPPORTED (another objective); ATP_E_CONFLICT (an ATP_OPT_CHAIN_START by which chains
 *          do not persist); ATP_E_STAGE (a run is in progress); ATP_E_RANK
 *  Allocates: no. Threads: one per handle; collective. Since: 0.1. */
ATP_API atp_status atp_trainer_start_chains(atp_trainer *trainer, const atp_alignment *chains) ATP_NOEXCEPT;

/** Makes an alignment of the chains of the likelihood, as the last step left them, all with weight 1: samples, and
 *  starts for atp_trainer_start_chains(). Alphabet and labels are those of the training data.
 *  @return ATP_OK; ATP_E_NULL; ATP_E_UNSUPPORTED (another objective); ATP_E_MEMORY
 *  Allocates: the alignment. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_trainer_chains(const atp_trainer *trainer, atp_alignment **out) ATP_NOEXCEPT;

/** Adds tested sequences to the family of the likelihood: adjustments above 0 for those that work, below 0 for those that do not. With K
 *  tested sequences t_k of adjustments a_k, and <.> means over these,
 *    objective = -[sum_n w_n log P(s_n) / sum w + strength <a log P(t)>] / (1 + strength <a>) + penalties,
 *    f_i(a) = [f_i(a) of the family + strength <a [t_i = a]>] / (1 + strength <a>), f_ij(a, b) likewise: targets of p_i(a) and p_ij(a, b).
 *  A tested sequence has the weight strength a_k (sum w) / K, as in adabmDCA. Frequencies that would be below 0 are 0 before the
 *  pseudocount is added, f_i is divided by its sum, and rows and columns of f_ij are multiplied until they have the sums f_i and f_j; the
 *  log warns of that. Chains start at sequences of the family. The tested sequences replace those of an earlier call; they are not kept.
 *  Training restarts at epoch 0, from the initial parameters. A saved state belongs to them.
 *  @param[in] tested       sequences of the trainer's sites and colours; their weights are not read
 *  @param[in] adjustments  shape [n], of either sign; @param[in] n must be the number of tested sequences
 *  @param[in] strength     0..1e12; 0: 1 / max |a_k|, as in adabmDCA
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_NOT_FINITE; ATP_E_VALUE (strength; adjustments that are all 0; 1 + strength <a> that is
 *          not above 0; ATP_OPT_PSEUDOCOUNT is 0); ATP_E_UNSUPPORTED (another objective: with negative weights it may have no minimum);
 *          ATP_E_STAGE (a run is in progress); ATP_E_RANK
 *  Allocates: no. Threads: one per handle; collective, parallel. Since: 0.1. Source: F. Calvanese, G. Peinetti, P. Pavlinova, P. Nghe,
 *  M. Weigt, "Integrating experimental feedback improves generative models for biological sequences", arXiv:2504.01593 (2025). */
ATP_API atp_status atp_trainer_reintegrate(atp_trainer *trainer, const atp_alignment *tested, const double *adjustments, int64_t n,
                                           double strength) ATP_NOEXCEPT;

/** Returns the context that the trainer was made from; NULL for NULL. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_context *atp_trainer_context(const atp_trainer *trainer) ATP_NOEXCEPT;
/** Copies the options of the trainer to a bag of its kind. @return ATP_OK; ATP_E_NULL; ATP_E_CONFLICT (a bag of another owner).
 *  Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_trainer_options(const atp_trainer *trainer, atp_options *options) ATP_NOEXCEPT;
/** Returns the number of learned parameters; 0 for NULL. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API int64_t atp_trainer_parameter_count(const atp_trainer *trainer) ATP_NOEXCEPT;
/** Returns the parameters. @param[out] parameters; @param[in] size the parameter count
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_trainer_parameters(const atp_trainer *trainer, double *parameters, int64_t size) ATP_NOEXCEPT;
/** Sets the parameters. Training restarts at epoch 0. @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_NOT_FINITE (in single precision, too,
 *  where the trainer works in it); ATP_E_STAGE (a run is in progress); ATP_E_RANK. Allocates: no. Threads: one per handle; collective.
 *  Since: 0.1. */
ATP_API atp_status atp_trainer_set_parameters(atp_trainer *trainer, const double *parameters, int64_t size) ATP_NOEXCEPT;

/** Returns the number of named parts of the parameter vector; 0 for NULL. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API int64_t atp_trainer_part_count(const atp_trainer *trainer) ATP_NOEXCEPT;
/** Returns a part of the parameter vector: elements offset .. offset + size - 1.
 *  @param[in]  index   0..part count - 1
 *  @param[out] name    (optional) for example "maps", "fields" or "block1.qkv"; valid as long as the trainer
 *  @param[out] offset  (optional)
 *  @param[out] size    (optional)
 *  @return ATP_OK; ATP_E_NULL (trainer); ATP_E_VALUE (index). Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API atp_status atp_trainer_part(const atp_trainer *trainer, int64_t index, const char **name, int64_t *offset,
                                    int64_t *size) ATP_NOEXCEPT;

/** Computes the objective at the current parameters and its gradient, over all training sequences and sites, including penalties.
 *  @param[out] loss       (optional) nats per site, without penalties
 *  @param[out] objective  (optional) with penalties
 *  @param[out] gradient   (optional) of the objective, shape [parameters]; @param[in] size the parameter count, 0 with NULL
 *  @return ATP_OK; ATP_E_NULL (trainer); ATP_E_SHAPE; ATP_E_STAGE (fixed colours were never set); ATP_E_RANK.
 *  Allocates: no. Threads: one per handle; collective, parallel. Since: 0.1. */
ATP_API atp_status atp_trainer_gradient(atp_trainer *trainer, double *loss, double *objective, double *gradient, int64_t size) ATP_NOEXCEPT;

/** Computes the same as atp_trainer_gradient() for one masked site per sequence.
 *  @param[in] masked_sites  shape [N], values 0..L-1; @param[in] n must be N
 *  @return as atp_trainer_gradient(), and ATP_E_VALUE (a site) or ATP_E_UNSUPPORTED (dense couplings).
 *  Allocates: no. Threads: one per handle; collective, parallel. Since: 0.1. */
ATP_API atp_status atp_trainer_masked_gradient(atp_trainer *trainer, const int64_t *masked_sites, int64_t n, double *loss,
                                               double *objective, double *gradient, int64_t size) ATP_NOEXCEPT;

/** Computes the loss of the current parameters on all sites of an alignment, in nats per site.
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_STAGE (fixed colours were never set); ATP_E_RANK.
 *  Allocates: no. Threads: one per handle; collective, parallel. Since: 0.1. */
ATP_API atp_status atp_trainer_loss(atp_trainer *trainer, const atp_alignment *alignment, double *loss) ATP_NOEXCEPT;

/** Sets the initial parameters from a wider problem. It first minimises the pseudo-likelihood with `heads` heads by L-BFGS. Then it finds
 *  the closest couplings that the own heads of the trainer can express. It uses a singular value decomposition of sum_h A_h,ij V_h(a, b)
 *  between pairs of sites and pairs of colours. With few heads and low-temperature data, training can end in a local minimum; more heads
 *  avoid it. Four times the heads and 100 iterations usually suffice. Training restarts at epoch 0. A run that ends DIVERGED does not
 *  change the parameters.
 *  @param[in]  heads       above ATP_OPT_HEADS, at most 1024
 *  @param[in]  iterations  >= 1
 *  @param[in]  progress    (optional) called after every iteration with train loss, objective and gradient norm of the wide problem
 *  @param[out] outcome     (optional) as atp_trainer_run(); the parameters are set after CANCELLED, too
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE; ATP_E_UNSUPPORTED (no factored attention); ATP_E_CONFLICT (maps that are not free, fixed
 *          colours, symmetrised couplings); ATP_E_MEMORY; ATP_E_RANK
 *  Allocates: work space through the context, freed before the call returns. Threads: one per handle; collective, parallel.
 *  Since: 0.1. */
ATP_API atp_status atp_trainer_start_wide(atp_trainer *trainer, int64_t heads, int64_t iterations, atp_progress_fn progress, void *user,
                                          atp_outcome *outcome) ATP_NOEXCEPT;

/** Sets the parameters to the closest approximation of the couplings of another trainer, which has more heads. This is the second half of
 *  atp_trainer_start_wide(), for starts that are saved and resumed:
 *  - make a trainer `wide` with the same data and options, but with more ATP_OPT_HEADS, ATP_OPTIMIZER_LBFGS,
 *    ATP_OBJECTIVE_PSEUDOLIKELIHOOD and momentum 0;
 *  - call atp_trainer_run() for the iterations, and atp_trainer_save_state() and atp_trainer_load_state() whenever needed;
 *  - call this function, unless the run ended DIVERGED.
 *  The parameters are bit-identical to those of atp_trainer_start_wide() with as many heads and iterations. Training restarts at epoch 0.
 *  @param[in] wide  free maps, learned V; the same sites and colours, with fields if the trainer has fields; more heads
 *  @return ATP_OK; ATP_E_NULL; ATP_E_UNSUPPORTED (one of the two is no factored attention); ATP_E_CONFLICT (one has maps that are not
 *          free, fixed colours or symmetrised couplings; another objective or order); ATP_E_SHAPE; ATP_E_VALUE (not more heads);
 *          ATP_E_MEMORY; ATP_E_RANK
 *  Allocates: work space through the context, freed before the call returns. Threads: one per handle; collective. Since: 0.1. */
ATP_API atp_status atp_trainer_start_from(atp_trainer *trainer, const atp_trainer *wide) ATP_NOEXCEPT;

/** Returns the number of epochs done; 0 for NULL. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API int64_t atp_trainer_epochs(const atp_trainer *trainer) ATP_NOEXCEPT;

/** Asks a running call to stop after the current step (a batch, or an iteration of L-BFGS). Without a running call, the next one stops at
 *  once. Signal handlers and other threads may call it. NULL is allowed.
 *  Allocates: no. Threads: any. Since: 0.1. */
ATP_API void atp_trainer_request_stop(atp_trainer *trainer) ATP_NOEXCEPT;

/** Computes p(s_i = a | rest) of every site by a network, with each site masked in turn.
 *  @param[in]  sequences  shape [n][L], colours below q; @param[in] n >= 1; @param[in] sites L
 *  @param[out] out        shape [n][L][q]; @param[in] size n * L * q
 *  @return ATP_OK; ATP_E_NULL; ATP_E_VALUE (n); ATP_E_SHAPE; ATP_E_ALPHABET; ATP_E_UNSUPPORTED (no network).
 *  Allocates: no. Threads: one per handle, parallel. Since: 0.1. */
ATP_API atp_status atp_trainer_conditionals(atp_trainer *trainer, const uint8_t *sequences, int64_t n, int64_t sites, double *out,
                                            int64_t size) ATP_NOEXCEPT;

/** Returns the number of attention maps of a network (encoder: its blocks, dial: 1); 0 for other families and NULL.
 *  Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API int64_t atp_trainer_map_count(const atp_trainer *trainer) ATP_NOEXCEPT;
/** Computes the attention maps of a network, averaged over the sequences of an alignment (with weights). Row k is the attention of
 *  site k while it is masked, including its attention to itself (0 in a free map).
 *  @param[out] maps  shape [map count][L][L]; @param[in] size map count * L * L
 *  @return ATP_OK; ATP_E_NULL; ATP_E_SHAPE; ATP_E_UNSUPPORTED (no network).
 *  Allocates: no. Threads: one per handle, parallel. Since: 0.1. Source: [R24 fig. 2b]. */
ATP_API atp_status atp_trainer_maps(atp_trainer *trainer, const atp_alignment *alignment, double *maps, int64_t size) ATP_NOEXCEPT;

/** Returns the size of the saved state in bytes; 0 for NULL. Allocates: no. Threads: one per handle. Since: 0.1. */
ATP_API int64_t atp_trainer_state_bytes(const atp_trainer *trainer) ATP_NOEXCEPT;
/** Saves the state: parameters, optimiser, epoch and the step within it. A trainer with the same data, options and fixed V that loads it
 *  continues with the same results. ATP_OPT_EPOCHS may differ with L-BFGS, and with the likelihood where the schedule is not the cosine:
 *  a run of 30 steps that goes on to 60 has the bits of one of 60, if it did not converge before.
 *  All ranks call it, and each gets the same bytes, those of one rank: another number of ranks can go on from them. A progress callback
 *  may call it, at a report that all ranks choose alike.
 *  @return ATP_OK; ATP_E_NULL; ATP_E_BUFFER; ATP_E_RANK. Allocates: no. Threads: one per handle; collective. Since: 0.1. */
ATP_API atp_status atp_trainer_save_state(const atp_trainer *trainer, void *buffer, int64_t size) ATP_NOEXCEPT;
/** Loads a state; all ranks pass the same one.
 *  @return ATP_OK; ATP_E_NULL; ATP_E_FORMAT; ATP_E_CHECKSUM; ATP_E_MISMATCH (other data, options or shape; the error text names the
 *          difference); ATP_E_RANK
 *  Allocates: no. Threads: one per handle; collective. Since: 0.1. */
ATP_API atp_status atp_trainer_load_state(atp_trainer *trainer, const void *buffer, int64_t size) ATP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
