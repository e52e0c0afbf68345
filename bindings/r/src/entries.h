/* SPDX-License-Identifier: MIT */
/* The entry points of .Call: r_NAME in C is C_NAME in R. ENTRY(name, number of arguments), by file. */
/* clang-format off */
#define ENTRIES \
  /* context.c */ \
  ENTRY(version, 0) ENTRY(has_feature, 1) ENTRY(blas_description, 0) ENTRY(simd_targets, 0) ENTRY(status_text, 1) \
  ENTRY(option_key, 1) ENTRY(option_table, 0) ENTRY(context_create, 0) \
  ENTRY(context_threads, 1) ENTRY(context_set_threads, 2) \
  ENTRY(context_simd, 1) ENTRY(context_set_simd, 2) ENTRY(context_memory, 1) \
  ENTRY(context_memory_limit, 1) ENTRY(context_set_memory_limit, 2) \
  ENTRY(context_error, 1) ENTRY(is_open, 1) ENTRY(close, 1) \
  /* alignment.c */ \
  ENTRY(alignment_create, 4) ENTRY(alignment_read, 5) ENTRY(alignment_write, 3) \
  ENTRY(alignment_select, 4) ENTRY(alignment_info, 1) \
  ENTRY(alignment_sequences, 1) ENTRY(alignment_weights, 1) ENTRY(alignment_set_weights, 2) ENTRY(alignment_names, 1) \
  ENTRY(alignment_set_origin, 2) ENTRY(alignment_frequencies, 2) ENTRY(alignment_pair_frequencies, 2) \
  ENTRY(alignment_independent_loss, 2) ENTRY(sites, 1) ENTRY(set_sites, 3) ENTRY(alphabet, 1) ENTRY(set_alphabet, 2) \
  ENTRY(alignment_find, 2) ENTRY(alignment_focus, 2) ENTRY(alignment_filter, 3) ENTRY(alignment_weigh, 3) \
  ENTRY(alignment_auto_theta, 1) ENTRY(alignment_covariances, 2) \
  /* model.c */ \
  ENTRY(model_heads, 7) ENTRY(model_dense, 5) ENTRY(model_random, 6) \
  ENTRY(model_copy, 1) ENTRY(model_gauge, 2) ENTRY(model_info, 1) \
  ENTRY(model_set_beta, 2) ENTRY(model_maps, 1) ENTRY(model_values, 1) \
  ENTRY(model_fields, 1) ENTRY(model_couplings, 1) \
  ENTRY(model_conditionals, 2) ENTRY(model_energies, 2) ENTRY(model_log_pseudolikelihoods, 2) ENTRY(model_loss, 2) \
  ENTRY(model_coupling_error, 2) ENTRY(model_enumerate, 3) ENTRY(model_write, 4) ENTRY(model_read, 4) \
  /* sampler.c */ \
  ENTRY(sampler_bytes, 3) ENTRY(sampler_create, 4) ENTRY(sampler_info, 1) \
  ENTRY(sampler_betas, 1) ENTRY(sampler_set_betas, 2) \
  ENTRY(sampler_swap_rates, 1) ENTRY(sampler_start, 2) ENTRY(sampler_sweep, 4) \
  ENTRY(sampler_sample, 6) ENTRY(sampler_states, 2) \
  ENTRY(sampler_energies, 2) ENTRY(tune_beta, 7) ENTRY(autocorrelation_time, 2) \
  ENTRY(split_rhat, 2) ENTRY(hamming_histogram, 1) \
  ENTRY(save_state, 1) ENTRY(load_state, 2) ENTRY(request_stop, 1) \
  /* trainer.c */ \
  ENTRY(trainer_bytes, 6) ENTRY(trainer_create, 4) ENTRY(trainer_set_values, 2) \
  ENTRY(trainer_set_test, 2) ENTRY(trainer_set_truth, 2) \
  ENTRY(trainer_parameters, 1) ENTRY(trainer_set_parameters, 2) ENTRY(trainer_gradient, 2) ENTRY(trainer_loss, 2) \
  ENTRY(trainer_start_wide, 5) ENTRY(trainer_start_from, 2) ENTRY(trainer_run, 5) ENTRY(trainer_info, 1) ENTRY(trainer_model, 1) \
  /* transformer.c */ \
  ENTRY(transformer_bytes, 6) ENTRY(transformer_create, 4) ENTRY(transformer_info, 1) ENTRY(transformer_parts, 1) \
  ENTRY(transformer_conditionals, 2) ENTRY(transformer_maps, 2) \
  /* scores.c */ \
  ENTRY(frobenius, 3) ENTRY(apc, 2) ENTRY(rank, 5) ENTRY(distances_read, 4) ENTRY(precision, 5) ENTRY(mutants, 3) \
  ENTRY(compare_statistics, 2) \
  /* replica.c */ \
  ENTRY(replica_goe, 3) ENTRY(replica_mask, 4) ENTRY(replica_spectrum, 2) \
  ENTRY(replica_square, 6) ENTRY(replica_square_saddle, 7) \
  ENTRY(replica_limit, 4) ENTRY(replica_convex, 8) ENTRY(replica_simulate_bytes, 5) ENTRY(replica_simulate, 10) \
  ENTRY(outcome_names, 1) \
  /* dotattn.c */ \
  ENTRY(dotattn_curve, 11) ENTRY(dotattn_transition, 9) ENTRY(dotattn_linear, 3) ENTRY(dotattn_tokens, 13) \
  ENTRY(dotattn_simulate, 12) ENTRY(dotattn_bytes, 2) ENTRY(dotattn_tokens_bytes, 6) \
  ENTRY(dotattn_simulate_bytes, 8) \
  /* io.c */ \
  ENTRY(scores_write, 7) ENTRY(scores_read, 2) ENTRY(file_kind, 2) ENTRY(file_write, 3) ENTRY(file_read, 2)
/* clang-format on */

#define SEXPS_0 void
#define SEXPS_1 SEXP
#define SEXPS_2 SEXP, SEXPS_1
#define SEXPS_3 SEXP, SEXPS_2
#define SEXPS_4 SEXP, SEXPS_3
#define SEXPS_5 SEXP, SEXPS_4
#define SEXPS_6 SEXP, SEXPS_5
#define SEXPS_7 SEXP, SEXPS_6
#define SEXPS_8 SEXP, SEXPS_7
#define SEXPS_9 SEXP, SEXPS_8
#define SEXPS_10 SEXP, SEXPS_9
#define SEXPS_11 SEXP, SEXPS_10
#define SEXPS_12 SEXP, SEXPS_11
#define SEXPS_13 SEXP, SEXPS_12

#define ENTRY(name, count) SEXP r_##name(SEXPS_##count);
ENTRIES
#undef ENTRY
