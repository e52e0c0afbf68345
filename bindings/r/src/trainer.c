/* SPDX-License-Identifier: MIT */
/* Trainers; and transformers, where they do the same. */
#include "glue.h"

#include "entries.h"

SEXP r_trainer_bytes(SEXP context, SEXP n, SEXP sites, SEXP colors, SEXP keys, SEXP values) {
  box *c = box_of(context, CONTEXT);
  const int64_t rows = count_of(n, "n"), l = count_of(sites, "sites"), q = count_of(colors, "colors");
  int64_t bytes = 0;
  atp_options *options = options_of(c->handle, keys, values);
  const atp_status status = atp_trainer_bytes(c->handle, rows, l, q, options, &bytes);
  atp_options_destroy(options);
  finish(status);
  return count_from(bytes);
}

SEXP r_trainer_create(SEXP context, SEXP alignment, SEXP keys, SEXP values) {
  box *c = box_of(context, CONTEXT), *data = box_of(alignment, ALIGNMENT);
  SEXP pointer = PROTECT(new_pointer(TRAINER, c));
  box *b = R_ExternalPtrAddr(pointer);
  hold(b, NEEDS_DATA, data); /* the library reads it as long as the trainer lives */
  atp_options *options = options_of(c->handle, keys, values);
  const atp_status status = atp_trainer_create(c->handle, data->handle, options, (atp_trainer **)&b->handle);
  atp_options_destroy(options);
  finish(status);
  UNPROTECT(1);
  return pointer;
}

SEXP r_trainer_set_values(SEXP trainer, SEXP values) {
  finish(atp_trainer_set_values(trainer_of(trainer), reals_of(values, "values"), Rf_xlength(values)));
  return R_NilValue;
}

SEXP r_trainer_set_test(SEXP trainer, SEXP alignment) {
  box *b = learner_of(trainer), *test = alignment == R_NilValue ? NULL : box_of(alignment, ALIGNMENT);
  finish(LEARNER(b, set_test, (b->handle, test == NULL ? NULL : test->handle)));
  hold(b, NEEDS_TEST, test);
  return R_NilValue;
}

SEXP r_trainer_set_truth(SEXP trainer, SEXP model) {
  box *b = learner_of(trainer), *truth = model == R_NilValue ? NULL : box_of(model, MODEL);
  finish(LEARNER(b, set_truth, (b->handle, truth == NULL ? NULL : truth->handle)));
  hold(b, NEEDS_TRUTH, truth);
  return R_NilValue;
}

SEXP r_trainer_parameters(SEXP trainer) {
  const box *b = learner_of(trainer);
  const int64_t n = LEARNER(b, parameter_count, (b->handle));
  SEXP parameters = PROTECT(Rf_allocVector(REALSXP, n));
  finish(LEARNER(b, parameters, (b->handle, REAL(parameters), n)));
  UNPROTECT(1);
  return parameters;
}

SEXP r_trainer_set_parameters(SEXP trainer, SEXP parameters) {
  const box *b = learner_of(trainer);
  const double *numbers = reals_of(parameters, "parameters");
  finish(LEARNER(b, set_parameters, (b->handle, numbers, Rf_xlength(parameters))));
  return R_NilValue;
}

SEXP r_trainer_gradient(SEXP trainer, SEXP masked_sites) {
  static const char *const names[] = {"loss", "objective", "gradient"};
  const box *b = learner_of(trainer);
  const int64_t n = LEARNER(b, parameter_count, (b->handle));
  int64_t *masked = counts_of(masked_sites, "masked_sites");
  const int64_t rows = Rf_xlength(masked_sites);
  for (int64_t k = 0; masked != NULL && k < rows; ++k) {
    if (masked[k] < 1)
      fail(ATP_E_VALUE, "masked_sites[%.0f] is %.0f: sites count from 1", (double)(k + 1), (double)masked[k]);
    --masked[k];
  }
  double loss = 0, objective = 0;
  SEXP list = PROTECT(list_from(3, names));
  SET_VECTOR_ELT(list, 2, Rf_allocVector(REALSXP, n));
  double *gradient = REAL(VECTOR_ELT(list, 2));
  if (b->kind == TRAINER) {
    finish(masked == NULL ? atp_trainer_gradient(b->handle, &loss, &objective, gradient, n)
                          : atp_trainer_masked_gradient(b->handle, masked, rows, &loss, &objective, gradient, n));
  } else {
    finish(masked == NULL ? atp_transformer_gradient(b->handle, &loss, gradient, n)
                          : atp_transformer_masked_gradient(b->handle, masked, rows, &loss, gradient, n));
    objective = loss; /* no penalties */
  }
  SET_VECTOR_ELT(list, 0, Rf_ScalarReal(loss));
  SET_VECTOR_ELT(list, 1, Rf_ScalarReal(objective));
  UNPROTECT(1);
  return list;
}

SEXP r_trainer_loss(SEXP trainer, SEXP alignment) {
  const box *b = learner_of(trainer);
  const atp_alignment *data = alignment_of(alignment);
  double loss = 0;
  finish(LEARNER(b, loss, (b->handle, data, &loss)));
  return Rf_ScalarReal(loss);
}

static const char *const result_names[] = {"outcome", "interrupted"};

SEXP r_trainer_start_wide(SEXP trainer, SEXP heads, SEXP iterations, SEXP progress, SEXP keys) {
  atp_trainer *t = trainer_of(trainer);
  const int64_t h = count_of(heads, "heads"), n = count_of(iterations, "iterations");
  atp_outcome outcome = ATP_OUTCOME_NONE;
  run r;
  run_begin(&r, progress, keys, 0);
  run_end(&r, atp_trainer_start_wide(t, h, n, run_report, &r, &outcome), R_NilValue);
  SEXP list = PROTECT(list_from(2, result_names));
  run_result(list, &r, outcome);
  UNPROTECT(2);
  return list;
}

SEXP r_trainer_start_from(SEXP trainer, SEXP wide) {
  atp_trainer *t = trainer_of(trainer);
  const atp_trainer *w = trainer_of(wide);
  finish(atp_trainer_start_from(t, w));
  return R_NilValue;
}

SEXP r_trainer_run(SEXP trainer, SEXP epochs, SEXP progress, SEXP keys, SEXP environment) {
  const box *b = learner_of(trainer);
  const int64_t n = count_of(epochs, "epochs");
  atp_outcome outcome = ATP_OUTCOME_NONE;
  run r;
  run_begin(&r, progress, keys, 1);
  run_end(&r, LEARNER(b, run, (b->handle, n, run_report, &r, &outcome)), environment);
  SEXP list = PROTECT(list_from(2, result_names));
  run_result(list, &r, outcome);
  UNPROTECT(2);
  return list;
}

SEXP r_trainer_info(SEXP trainer) {
  static const char *const names[] = {"parameters", "epochs"};
  const box *b = learner_of(trainer);
  SEXP list = PROTECT(list_from(2, names));
  SET_VECTOR_ELT(list, 0, count_from(LEARNER(b, parameter_count, (b->handle))));
  SET_VECTOR_ELT(list, 1, count_from(LEARNER(b, epochs, (b->handle))));
  UNPROTECT(1);
  return list;
}

SEXP r_trainer_model(SEXP trainer) {
  box *b = learner_of(trainer);
  SEXP pointer = PROTECT(new_pointer(MODEL, b->needs[NEEDS_CONTEXT]));
  box *model = R_ExternalPtrAddr(pointer);
  finish(LEARNER(b, model, (b->handle, (atp_model **)&model->handle)));
  UNPROTECT(1);
  return pointer;
}
