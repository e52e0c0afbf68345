// SPDX-License-Identifier: MIT
#include "trainer_handle.hpp"

#include "alignment_handle.hpp"
#include "model_handle.hpp"
#include "options_handle.hpp"
#include "run_limit.hpp"
#include "table_handle.hpp"

using namespace atp;

namespace {

// Sites and colours of an alignment or a model against those of the trainer.
template <class Shaped>
void require_fit(const Learner &trainer, const Shaped &argument, int64_t colors, const char *name) {
  require_shape(argument.sites(), argument.colors(), trainer.sites(), colors, name, "trainer");
}

// The learner as one that can do this; otherwise ATP_E_CONFLICT with a reason.
template <class Capability, class Any>
Capability &require_capability(Any &trainer, const char *reason) {
  auto *able = dynamic_cast<Capability *>(&trainer);
  if (able == nullptr) fail(ATP_E_CONFLICT, "%s", reason);
  return *able;
}

constexpr const char *kNoWideStart = "family is dense: the problem is convex, a wide start is of no use";

void require_gradient(const Learner &trainer, const double *gradient, int64_t size) {
  require_size(size, gradient == nullptr ? 0 : trainer.parameter_count(), "size");
}

}  // namespace

atp_status atp_trainer_bytes(atp_context *context, int64_t n, int64_t sites, int64_t colors, const atp_options *options,
                             int64_t *bytes) noexcept {
  return guarded(core(context), [&] {
    require(context, "context");
    require(bytes, "bytes");
    *bytes = static_cast<int64_t>(learner_bytes(*core(context), options_or_default(options), n, sites, colors));
  });
}

atp_status atp_trainer_create(atp_context *context, const atp_alignment *train, const atp_options *options, atp_trainer **out) noexcept {
  if (out != nullptr) *out = nullptr;
  return created_together(core(context), out, atp_trainer_destroy, [&] {
    require(context, "context");
    require(train, "train");
    require(out, "out");
    core(context)->threads.start();
    const Options given = options_or_default(options);
    Learner *learner = create_learner(*core(context), given, *core(train));
    learner->given = given;
    *out = handle(learner);
  });
}

void atp_trainer_destroy(atp_trainer *trainer) noexcept {
  if (trainer == nullptr) return;
  core(trainer)->release();
  destroy_block(core(trainer)->context->allocator, core(trainer));
}

atp_status atp_trainer_set_values(atp_trainer *trainer, const double *values, int64_t size) noexcept {
  return guarded_together(context_of(trainer), [&] {
    require(trainer, "trainer");
    core(trainer)->running.require_idle("trainer");
    require(values, "values");
    ColorMatrices &matrices = require_capability<ColorMatrices>(*core(trainer), "family is dense: there is no V to set");
    require_size(size, matrices.value_count(), "size");
    require_finite(values, size, "values", {core(trainer)->model_colors(), core(trainer)->model_colors()});
    matrices.set_values(Span<const double>(values, size));
  });
}

atp_status atp_trainer_set_test(atp_trainer *trainer, const atp_alignment *test) noexcept {
  return guarded_together(context_of(trainer), [&] {
    require(trainer, "trainer");
    core(trainer)->running.require_idle("trainer");
    if (test != nullptr) require_fit(*core(trainer), *core(test), core(trainer)->colors(), "test");
    core(trainer)->set_test(core(test));
  });
}

atp_status atp_trainer_set_truth(atp_trainer *trainer, const atp_model *truth) noexcept {
  return guarded_together(context_of(trainer), [&] {
    require(trainer, "trainer");
    core(trainer)->running.require_idle("trainer");
    if (truth != nullptr) require_fit(*core(trainer), *core(truth), core(trainer)->model_colors(), "truth");
    core(trainer)->set_truth(core(truth));
  });
}

atp_status atp_trainer_set_log(atp_trainer *trainer, atp_table *table) noexcept {
  return guarded(context_of(trainer), [&] {
    require(trainer, "trainer");
    core(trainer)->running.require_idle("trainer");
    if (table != nullptr) require_table(*core(table), ATP_TABLE_TRAINING_LOG, 0);
    core(trainer)->log = core(table);
  });
}

atp_status atp_trainer_set_reduction(atp_trainer *trainer, atp_reduce_fn reduce, void *user) noexcept {
  return guarded(context_of(trainer), [&] {
    require(trainer, "trainer");
    core(trainer)->running.require_idle("trainer");
    auto *able = dynamic_cast<SummedData *>(core(trainer));
    if (able == nullptr && reduce != nullptr)
      fail(ATP_E_UNSUPPORTED, "only symmetric dense couplings by lbfgs take data in several processes; for the others see ranks.h");
    if (able != nullptr) able->set_reduction(reduce, user);
  });
}

atp_context *atp_trainer_context(const atp_trainer *trainer) noexcept { return handle(context_of(trainer)); }

atp_status atp_trainer_options(const atp_trainer *trainer, atp_options *options) noexcept {
  return guarded(context_of(trainer), [&] {
    require(trainer, "trainer");
    require(options, "options");
    core(options)->values = core(trainer)->given;
  });
}

int64_t atp_trainer_parameter_count(const atp_trainer *trainer) noexcept {
  return trainer == nullptr ? 0 : core(trainer)->parameter_count();
}

atp_status atp_trainer_parameters(const atp_trainer *trainer, double *parameters, int64_t size) noexcept {
  return guarded(context_of(trainer), [&] {
    require(trainer, "trainer");
    require(parameters, "parameters");
    require_size(size, core(trainer)->parameter_count(), "size");
    core(trainer)->copy_parameters(parameters);
  });
}

atp_status atp_trainer_set_parameters(atp_trainer *trainer, const double *parameters, int64_t size) noexcept {
  return guarded_together(context_of(trainer), [&] {
    require(trainer, "trainer");
    core(trainer)->running.require_idle("trainer");
    require(parameters, "parameters");
    require_size(size, core(trainer)->parameter_count(), "size");
    require_finite(parameters, size, "parameters");
    core(trainer)->set_parameters(Span<const double>(parameters, size));
  });
}

atp_status atp_trainer_gradient(atp_trainer *trainer, double *loss, double *objective, double *gradient, int64_t size) noexcept {
  return guarded_together(context_of(trainer), [&] {
    require(trainer, "trainer");
    require_gradient(*core(trainer), gradient, size);
    core(trainer)->check_ready();
    core(trainer)->evaluate(loss, objective, Span<double>(gradient, size));
  });
}

atp_status atp_trainer_masked_gradient(atp_trainer *trainer, const int64_t *masked_sites, int64_t n, double *loss, double *objective,
                                       double *gradient, int64_t size) noexcept {
  return guarded_together(context_of(trainer), [&] {
    require(trainer, "trainer");
    require(masked_sites, "masked_sites");
    MaskedLosses &losses = require_capability<MaskedLosses>(*core(trainer), "family is dense: masks belong to factored attention");
    require_size(n, core(trainer)->count(), "n");
    require_gradient(*core(trainer), gradient, size);
    require_sites(masked_sites, n, core(trainer)->sites(), "masked_sites");
    core(trainer)->check_ready();
    losses.evaluate_masked(masked_sites, loss, objective, Span<double>(gradient, size));
  });
}

atp_status atp_trainer_loss(atp_trainer *trainer, const atp_alignment *alignment, double *loss) noexcept {
  return guarded_together(context_of(trainer), [&] {
    require(trainer, "trainer");
    require(alignment, "alignment");
    require(loss, "loss");
    require_fit(*core(trainer), *core(alignment), core(trainer)->colors(), "alignment");
    core(trainer)->check_ready();
    *loss = core(trainer)->loss(*core(alignment));
  });
}

atp_status atp_trainer_start_wide(atp_trainer *trainer, int64_t heads, int64_t iterations, atp_progress_fn progress, void *user,
                                  atp_outcome *outcome) noexcept {
  return guarded_together(context_of(trainer), [&] {
    require(trainer, "trainer");
    const Running::Call running(core(trainer)->running, "trainer");
    WideStart &wide = require_capability<WideStart>(*core(trainer), kNoWideStart);
    wide.check_start_wide(heads);
    require_range(iterations, 1, INT64_MAX, "iterations");
    Reporter reporter(progress, user, core(trainer)->stop(), nullptr, &core(trainer)->context->ranks);
    const atp_outcome end = wide.start_wide(heads, iterations, reporter);
    if (outcome != nullptr) *outcome = end;
  });
}

atp_status atp_trainer_start_from(atp_trainer *trainer, const atp_trainer *wide) noexcept {
  return guarded_together(context_of(trainer), [&] {
    require(trainer, "trainer");
    core(trainer)->running.require_idle("trainer");
    require(wide, "wide");
    WideStart &narrow = require_capability<WideStart>(*core(trainer), kNoWideStart);
    narrow.start_from(
        require_capability<const WideStart>(*core(wide), "family of the other trainer is dense: a start needs one of factored attention"));
  });
}

atp_status atp_trainer_run(atp_trainer *trainer, int64_t epochs, atp_progress_fn progress, void *user, atp_outcome *outcome) noexcept {
  return guarded_together(context_of(trainer), [&] {
    require(trainer, "trainer");
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
  return guarded(context_of(trainer), [&] {
    require(trainer, "trainer");
    require(out, "out");
    core(trainer)->check_ready();
    *out = handle(core(trainer)->make_model());
  });
}

int64_t atp_trainer_state_bytes(const atp_trainer *trainer) noexcept {
  return trainer == nullptr ? 0 : state_bytes(core(trainer)->saved_bytes());
}

atp_status atp_trainer_save_state(const atp_trainer *trainer, void *buffer, int64_t size) noexcept {
  return guarded_together(context_of(trainer), [&] {
    require(trainer, "trainer");
    require(buffer, "buffer");
    core(trainer)->save(buffer, size);
  });
}

atp_status atp_trainer_load_state(atp_trainer *trainer, const void *buffer, int64_t size) noexcept {
  return guarded_together(context_of(trainer), [&] {
    require(trainer, "trainer");
    core(trainer)->running.require_idle("trainer");
    require(buffer, "buffer");
    core(trainer)->load(buffer, size);
  });
}
