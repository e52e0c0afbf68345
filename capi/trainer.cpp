// SPDX-License-Identifier: MIT
#include "trainer_handle.hpp"

using namespace atp;

namespace {

AlignmentShape shape_of(int64_t count, int64_t sites, int64_t colors) {
  AlignmentShape shape;
  shape.count = count;
  shape.sites = sites;
  shape.colors = colors;
  return shape;
}

// Sites and colours of an alignment or a model against those of the trainer.
template <class Shaped>
void require_fit(const Trainer &trainer, const Shaped &argument, int64_t colors, const char *name) {
  require_shape(argument.sites(), argument.colors(), trainer.sites(), colors, name, "trainer");
}

void require_gradient(const Trainer &trainer, const double *gradient, int64_t size) {
  require_size(size, gradient == nullptr ? 0 : trainer.parameter_count(), "size");
}

void put(const Evaluation &value, double *loss, double *objective) {
  if (loss != nullptr) *loss = value.loss;
  if (objective != nullptr) *objective = value.objective;
}

// Runs, stores the outcome, and logs a warning where the option epochs ended the run before the epochs asked for were made. More than
// kMaxEpochs means to the end.
void run_epochs(Trainer &trainer, int64_t epochs, Reporter &reporter, atp_outcome *outcome) {
  const int64_t before = trainer.epochs();
  const atp_outcome end = trainer.run(epochs, reporter);
  if (outcome != nullptr) *outcome = end;
  const int64_t made = trainer.epochs() - before;
  if (end != ATP_OUTCOME_MAX_ITER || epochs > kMaxEpochs || made >= epochs) return;
  trainer.context->message(ATP_LOG_WARNING,
                           "run: %lld of the %lld epochs asked for were made, because option epochs is %lld; to go on, make a trainer with "
                           "more epochs (L-BFGS resumes there from the saved state), or loosen the tolerance",
                           static_cast<long long>(made), static_cast<long long>(epochs),
                           static_cast<long long>(trainer.given.integer(ATP_OPT_EPOCHS)));
}

}  // namespace

atp_status atp_trainer_bytes(atp_context *context, int64_t n, int64_t sites, int64_t colors, const atp_options *options,
                             int64_t *bytes) noexcept {
  return guarded(context, "context", [&] {
    require(bytes, "bytes");
    *bytes = static_cast<int64_t>(trainer_bytes(*core(context), options_for(kTrainerOptions, options), shape_of(n, sites, colors)));
  });
}

atp_status atp_trainer_create(atp_context *context, const atp_alignment *train, const atp_options *options, atp_trainer **out) noexcept {
  if (out != nullptr) *out = nullptr;
  return created_together(core(context), out, atp_trainer_destroy, [&] {
    require(context, "context");
    require(train, "train");
    require(out, "out");
    core(context)->threads.start();
    *out = handle(create_trainer(*core(context), options_for(kTrainerOptions, options), *core(train)));
  });
}

void atp_trainer_destroy(atp_trainer *trainer) noexcept { destroy_trainer(core(trainer)); }

atp_status atp_trainer_set_values(atp_trainer *trainer, const double *values, int64_t size) noexcept {
  return guarded_together(trainer, "trainer", [&] {
    core(trainer)->running.require_idle("trainer");
    require(values, "values");
    core(trainer)->require(kHasColorMatrices);
    require_size(size, core(trainer)->value_count(), "size");
    require_finite(values, size, "values", {core(trainer)->model_colors(), core(trainer)->model_colors()});
    core(trainer)->set_values(Span<const double>(values, size));
  });
}

atp_status atp_trainer_set_test(atp_trainer *trainer, const atp_alignment *test) noexcept {
  return guarded_together(trainer, "trainer", [&] {
    core(trainer)->running.require_idle("trainer");
    if (test != nullptr) require_fit(*core(trainer), *core(test), core(trainer)->colors(), "test");
    core(trainer)->set_test(core(test));
  });
}

atp_status atp_trainer_set_truth(atp_trainer *trainer, const atp_model *truth) noexcept {
  return guarded_together(trainer, "trainer", [&] {
    core(trainer)->running.require_idle("trainer");
    if (truth != nullptr) require_fit(*core(trainer), *core(truth), core(trainer)->model_colors(), "truth");
    core(trainer)->set_truth(core(truth));
  });
}

atp_status atp_trainer_set_order(atp_trainer *trainer, const int64_t *order, int64_t size) noexcept {
  return guarded_together(trainer, "trainer", [&] {
    core(trainer)->running.require_idle("trainer");
    require(order, "order");
    core(trainer)->require(kHasOrder);
    require_size(size, core(trainer)->sites(), "size");
    core(trainer)->set_order(Span<const int64_t>(order, size));
  });
}

atp_status atp_trainer_reintegrate(atp_trainer *trainer, const atp_alignment *tested, const double *adjustments, int64_t n,
                                   double strength) noexcept {
  return guarded_together(trainer, "trainer", [&] {
    core(trainer)->running.require_idle("trainer");
    require(tested, "tested");
    require(adjustments, "adjustments");
    core(trainer)->require(kHasReintegration);
    require_fit(*core(trainer), *core(tested), core(trainer)->colors(), "tested");
    require_size(n, core(tested)->count(), "n");
    require_finite(adjustments, n, "adjustments");
    require_real(strength, 0, 1e12, "strength");
    core(trainer)->reintegrate(*core(tested), Span<const double>(adjustments, n), strength);
  });
}

atp_status atp_trainer_start_model(atp_trainer *trainer, const atp_model *model) noexcept {
  return guarded_together(trainer, "trainer", [&] {
    core(trainer)->running.require_idle("trainer");
    require(model, "model");
    require_fit(*core(trainer), *core(model), core(trainer)->model_colors(), "model");
    core(trainer)->start_model(*core(model));
  });
}

atp_status atp_trainer_start_chains(atp_trainer *trainer, const atp_alignment *chains) noexcept {
  return guarded_together(trainer, "trainer", [&] {
    core(trainer)->running.require_idle("trainer");
    require(chains, "chains");
    require_fit(*core(trainer), *core(chains), core(trainer)->colors(), "chains");
    core(trainer)->start_chains(*core(chains));
  });
}

atp_status atp_trainer_chains(const atp_trainer *trainer, atp_alignment **out) noexcept {
  if (out != nullptr) *out = nullptr;
  return guarded(trainer, "trainer", [&] {
    require(out, "out");
    *out = handle(core(trainer)->make_chains());
  });
}

atp_status atp_trainer_set_log(atp_trainer *trainer, atp_table *table) noexcept {
  return guarded(trainer, "trainer", [&] {
    core(trainer)->running.require_idle("trainer");
    if (table != nullptr) require_table(*core(table), ATP_TABLE_TRAINING_LOG, 0);
    core(trainer)->log = core(table);
  });
}

atp_status atp_trainer_set_reduction(atp_trainer *trainer, atp_reduce_fn reduce, void *user) noexcept {
  return guarded(trainer, "trainer", [&] {
    core(trainer)->running.require_idle("trainer");
    core(trainer)->set_reduction(reduce, user);
  });
}

atp_context *atp_trainer_context(const atp_trainer *trainer) noexcept { return handle(context_of(trainer)); }

atp_status atp_trainer_options(const atp_trainer *trainer, atp_options *options) noexcept {
  return copy_options(trainer, "trainer", &Trainer::given, options);
}

int64_t atp_trainer_parameter_count(const atp_trainer *trainer) noexcept {
  return trainer == nullptr ? 0 : core(trainer)->parameter_count();
}

atp_status atp_trainer_parameters(const atp_trainer *trainer, double *parameters, int64_t size) noexcept {
  return guarded(trainer, "trainer", [&] {
    require(parameters, "parameters");
    require_size(size, core(trainer)->parameter_count(), "size");
    core(trainer)->copy_parameters(parameters);
  });
}

atp_status atp_trainer_set_parameters(atp_trainer *trainer, const double *parameters, int64_t size) noexcept {
  return guarded_together(trainer, "trainer", [&] {
    core(trainer)->running.require_idle("trainer");
    require(parameters, "parameters");
    require_size(size, core(trainer)->parameter_count(), "size");
    require_finite(parameters, size, "parameters");
    core(trainer)->set_parameters(Span<const double>(parameters, size));
  });
}

int64_t atp_trainer_part_count(const atp_trainer *trainer) noexcept { return trainer == nullptr ? 0 : core(trainer)->parts().size(); }

atp_status atp_trainer_part(const atp_trainer *trainer, int64_t index, const char **name, int64_t *offset, int64_t *size) noexcept {
  return guarded(trainer, "trainer", [&] {
    require_index(index, core(trainer)->parts().size(), "index");
    const Part &part = core(trainer)->parts()[index];
    if (name != nullptr) *name = part.name;
    if (offset != nullptr) *offset = part.offset;
    if (size != nullptr) *size = part.size;
  });
}

atp_status atp_trainer_gradient(atp_trainer *trainer, double *loss, double *objective, double *gradient, int64_t size) noexcept {
  return guarded_together(trainer, "trainer", [&] {
    require_gradient(*core(trainer), gradient, size);
    core(trainer)->check_ready();
    put(core(trainer)->evaluate(Span<double>(gradient, size)), loss, objective);
  });
}

atp_status atp_trainer_masked_gradient(atp_trainer *trainer, const int64_t *masked_sites, int64_t n, double *loss, double *objective,
                                       double *gradient, int64_t size) noexcept {
  return guarded_together(trainer, "trainer", [&] {
    require(masked_sites, "masked_sites");
    core(trainer)->require(kHasMaskedLosses);
    require_size(n, core(trainer)->count(), "n");
    require_gradient(*core(trainer), gradient, size);
    require_sites(masked_sites, n, core(trainer)->sites(), "masked_sites");
    core(trainer)->check_ready();
    put(core(trainer)->evaluate_masked(masked_sites, Span<double>(gradient, size)), loss, objective);
  });
}

atp_status atp_trainer_loss(atp_trainer *trainer, const atp_alignment *alignment, double *loss) noexcept {
  return guarded_together(trainer, "trainer", [&] {
    require(alignment, "alignment");
    require(loss, "loss");
    require_fit(*core(trainer), *core(alignment), core(trainer)->colors(), "alignment");
    core(trainer)->check_ready();
    *loss = core(trainer)->loss(*core(alignment));
  });
}

atp_status atp_trainer_start_wide(atp_trainer *trainer, int64_t heads, int64_t iterations, atp_progress_fn progress, void *user,
                                  atp_outcome *outcome) noexcept {
  return guarded_together(trainer, "trainer", [&] {
    const Running::Call running(core(trainer)->running, "trainer");
    core(trainer)->check_start_wide(heads);
    require_range(iterations, 1, INT64_MAX, "iterations");
    Reporter reporter(progress, user, core(trainer)->stop(), nullptr, &core(trainer)->context->ranks);
    const atp_outcome end = core(trainer)->start_wide(heads, iterations, reporter);
    if (outcome != nullptr) *outcome = end;
  });
}

atp_status atp_trainer_start_from(atp_trainer *trainer, const atp_trainer *wide) noexcept {
  return guarded_together(trainer, "trainer", [&] {
    core(trainer)->running.require_idle("trainer");
    require(wide, "wide");
    core(trainer)->start_from(*core(wide));
  });
}

atp_status atp_trainer_run(atp_trainer *trainer, int64_t epochs, atp_progress_fn progress, void *user, atp_outcome *outcome) noexcept {
  return guarded_together(trainer, "trainer", [&] {
    const Running::Call running(core(trainer)->running, "trainer");
    require_range(epochs, 0, INT64_MAX, "epochs");
    core(trainer)->check_ready();
    Reporter reporter(progress, user, core(trainer)->stop(), core(trainer)->log, &core(trainer)->context->ranks);
    run_epochs(*core(trainer), epochs, reporter, outcome);
  });
}

int64_t atp_trainer_epochs(const atp_trainer *trainer) noexcept { return trainer == nullptr ? 0 : core(trainer)->epochs(); }

void atp_trainer_request_stop(atp_trainer *trainer) noexcept {
  if (trainer != nullptr) core(trainer)->stop().request();
}

atp_status atp_trainer_model(const atp_trainer *trainer, atp_model **out) noexcept {
  if (out != nullptr) *out = nullptr;
  return guarded(trainer, "trainer", [&] {
    require(out, "out");
    core(trainer)->check_ready();
    *out = handle(core(trainer)->make_model());
  });
}

atp_status atp_trainer_conditionals(atp_trainer *trainer, const uint8_t *sequences, int64_t n, int64_t sites, double *out,
                                    int64_t size) noexcept {
  return guarded(trainer, "trainer", [&] {
    require(sequences, "sequences");
    require(out, "out");
    core(trainer)->require(kHasNetwork);
    const int64_t colors = core(trainer)->colors();
    require_size(sites, core(trainer)->sites(), "sites");
    require_range(n, 1, kMaxElements / sites, "n");
    require_size(size, product_of(n, sites, colors), "size");
    require_colors(sequences, n, sites, colors, "sequences");
    core(trainer)->conditionals(sequences, n, out);
  });
}

int64_t atp_trainer_map_count(const atp_trainer *trainer) noexcept { return trainer == nullptr ? 0 : core(trainer)->map_count(); }

atp_status atp_trainer_maps(atp_trainer *trainer, const atp_alignment *alignment, double *maps, int64_t size) noexcept {
  return guarded(trainer, "trainer", [&] {
    require(alignment, "alignment");
    require(maps, "maps");
    core(trainer)->require(kHasNetwork);
    const int64_t sites = core(trainer)->sites();
    require_fit(*core(trainer), *core(alignment), core(trainer)->colors(), "alignment");
    require_size(size, product_of(core(trainer)->map_count(), sites, sites), "size");
    core(trainer)->maps(*core(alignment), maps);
  });
}

int64_t atp_trainer_state_bytes(const atp_trainer *trainer) noexcept {
  return trainer == nullptr ? 0 : state_bytes(core(trainer)->saved_bytes());
}

atp_status atp_trainer_save_state(const atp_trainer *trainer, void *buffer, int64_t size) noexcept {
  return guarded_together(trainer, "trainer", [&] {
    require(buffer, "buffer");
    core(trainer)->save(buffer, size);
  });
}

atp_status atp_trainer_load_state(atp_trainer *trainer, const void *buffer, int64_t size) noexcept {
  return guarded_together(trainer, "trainer", [&] {
    core(trainer)->running.require_idle("trainer");
    require(buffer, "buffer");
    core(trainer)->load(buffer, size);
  });
}
