// SPDX-License-Identifier: MIT
#include "transformer_handle.hpp"

#include "alignment_handle.hpp"
#include "model_handle.hpp"
#include "options_handle.hpp"
#include "run_limit.hpp"
#include "table_handle.hpp"

#include <algorithm>

using namespace atp;

namespace {

// Sites and colours of an alignment or a model against those of the transformer.
template <class Shaped>
void require_fit(const TransformerTrainer &transformer, const Shaped &argument, const char *name) {
  require_shape(argument.sites(), argument.colors(), transformer.sites(), transformer.colors(), name, "transformer");
}

void require_gradient(const TransformerTrainer &transformer, const double *gradient, int64_t size) {
  require_size(size, gradient == nullptr ? 0 : transformer.parameters().size(), "size");
}

}  // namespace

atp_status atp_transformer_bytes(atp_context *context, int64_t n, int64_t sites, int64_t colors, const atp_options *options,
                                 int64_t *bytes) noexcept {
  return guarded(core(context), [&] {
    require(context, "context");
    require(bytes, "bytes");
    const TransformerSettings settings = transformer_settings(options_or_default(options), n, sites, colors);
    *bytes = static_cast<int64_t>(bytes_of<TransformerTrainer>(core(context), settings));
  });
}

atp_status atp_transformer_create(atp_context *context, const atp_alignment *train, const atp_options *options,
                                  atp_transformer **out) noexcept {
  if (out != nullptr) *out = nullptr;
  return created_together(core(context), out, atp_transformer_destroy, [&] {
    require(context, "context");
    require(train, "train");
    require(out, "out");
    core(context)->threads.start();
    const Alignment &data = *core(train);
    const TransformerSettings settings = transformer_settings(options_or_default(options), data.count(), data.sites(), data.colors());
    TransformerTrainer *transformer = create_in_block<TransformerTrainer>(core(context)->allocator, core(context), settings);
    // From here on the handle is destroyed where something fails.
    *out = handle(transformer);
    transformer->init(data);
    transformer->given = options_or_default(options);
  });
}

void atp_transformer_destroy(atp_transformer *transformer) noexcept {
  if (transformer == nullptr) return;
  core(transformer)->release();
  destroy_block(core(transformer)->context->allocator, core(transformer));
}

atp_status atp_transformer_set_test(atp_transformer *transformer, const atp_alignment *test) noexcept {
  return guarded(context_of(transformer), [&] {
    require(transformer, "transformer");
    core(transformer)->running.require_idle("transformer");
    if (test != nullptr) require_fit(*core(transformer), *core(test), "test");
    core(transformer)->set_test(core(test));
  });
}

atp_status atp_transformer_set_truth(atp_transformer *transformer, const atp_model *truth) noexcept {
  return guarded(context_of(transformer), [&] {
    require(transformer, "transformer");
    core(transformer)->running.require_idle("transformer");
    if (truth != nullptr) require_fit(*core(transformer), *core(truth), "truth");
    core(transformer)->set_truth(core(truth));
  });
}

atp_status atp_transformer_set_log(atp_transformer *transformer, atp_table *table) noexcept {
  return guarded(context_of(transformer), [&] {
    require(transformer, "transformer");
    core(transformer)->running.require_idle("transformer");
    if (table != nullptr) require_table(*core(table), ATP_TABLE_TRAINING_LOG, 0);
    core(transformer)->log = core(table);
  });
}

atp_context *atp_transformer_context(const atp_transformer *transformer) noexcept { return handle(context_of(transformer)); }

atp_status atp_transformer_options(const atp_transformer *transformer, atp_options *options) noexcept {
  return guarded(context_of(transformer), [&] {
    require(transformer, "transformer");
    require(options, "options");
    core(options)->values = core(transformer)->given;
  });
}

int64_t atp_transformer_parameter_count(const atp_transformer *transformer) noexcept {
  return transformer == nullptr ? 0 : core(transformer)->parameters().size();
}

atp_status atp_transformer_parameters(const atp_transformer *transformer, double *parameters, int64_t size) noexcept {
  return guarded(context_of(transformer), [&] {
    require(transformer, "transformer");
    require(parameters, "parameters");
    const Span<const double> values = core(transformer)->parameters();
    require_size(size, values.size(), "size");
    std::copy(values.begin(), values.end(), parameters);
  });
}

atp_status atp_transformer_set_parameters(atp_transformer *transformer, const double *parameters, int64_t size) noexcept {
  return guarded(context_of(transformer), [&] {
    require(transformer, "transformer");
    core(transformer)->running.require_idle("transformer");
    require(parameters, "parameters");
    require_size(size, core(transformer)->parameters().size(), "size");
    require_finite(parameters, size, "parameters");
    core(transformer)->set_parameters(Span<const double>(parameters, size));
  });
}

int64_t atp_transformer_part_count(const atp_transformer *transformer) noexcept {
  return transformer == nullptr ? 0 : core(transformer)->parts().size();
}

atp_status atp_transformer_part(const atp_transformer *transformer, int64_t index, const char **name, int64_t *offset,
                                int64_t *size) noexcept {
  return guarded(context_of(transformer), [&] {
    require(transformer, "transformer");
    require_index(index, core(transformer)->parts().size(), "index");
    const NetworkPart &part = core(transformer)->parts()[index];
    if (name != nullptr) *name = part.name;
    if (offset != nullptr) *offset = part.offset;
    if (size != nullptr) *size = part.size;
  });
}

atp_status atp_transformer_gradient(atp_transformer *transformer, double *loss, double *gradient, int64_t size) noexcept {
  return guarded_together(context_of(transformer), [&] {
    require(transformer, "transformer");
    require_gradient(*core(transformer), gradient, size);
    const double value = core(transformer)->evaluate(nullptr, Span<double>(gradient, size));
    if (loss != nullptr) *loss = value;
  });
}

atp_status atp_transformer_masked_gradient(atp_transformer *transformer, const int64_t *masked_sites, int64_t n, double *loss,
                                           double *gradient, int64_t size) noexcept {
  return guarded_together(context_of(transformer), [&] {
    require(transformer, "transformer");
    require(masked_sites, "masked_sites");
    require_size(n, core(transformer)->settings.count, "n");
    require_gradient(*core(transformer), gradient, size);
    require_sites(masked_sites, n, core(transformer)->sites(), "masked_sites");
    const double value = core(transformer)->evaluate(masked_sites, Span<double>(gradient, size));
    if (loss != nullptr) *loss = value;
  });
}

atp_status atp_transformer_loss(atp_transformer *transformer, const atp_alignment *alignment, double *loss) noexcept {
  return guarded_together(context_of(transformer), [&] {
    require(transformer, "transformer");
    require(alignment, "alignment");
    require(loss, "loss");
    require_fit(*core(transformer), *core(alignment), "alignment");
    *loss = core(transformer)->loss(*core(alignment));
  });
}

atp_status atp_transformer_run(atp_transformer *transformer, int64_t epochs, atp_progress_fn progress, void *user,
                               atp_outcome *outcome) noexcept {
  return guarded_together(context_of(transformer), [&] {
    require(transformer, "transformer");
    const Running::Call running(core(transformer)->running, "transformer");
    require_range(epochs, 0, INT64_MAX, "epochs");
    Reporter reporter(progress, user, core(transformer)->stop(), core(transformer)->log, &core(transformer)->context->ranks);
    run_epochs(*core(transformer), epochs, reporter, outcome);
  });
}

int64_t atp_transformer_epochs(const atp_transformer *transformer) noexcept {
  return transformer == nullptr ? 0 : core(transformer)->epochs();
}

void atp_transformer_request_stop(atp_transformer *transformer) noexcept {
  if (transformer != nullptr) core(transformer)->stop().request();
}

atp_status atp_transformer_conditionals(atp_transformer *transformer, const uint8_t *sequences, int64_t n, int64_t sites, double *out,
                                        int64_t size) noexcept {
  return guarded(context_of(transformer), [&] {
    require(transformer, "transformer");
    require(sequences, "sequences");
    require(out, "out");
    const int64_t colors = core(transformer)->colors();
    require_size(sites, core(transformer)->sites(), "sites");
    require_range(n, 1, kMaxElements / sites, "n");
    require_size(size, product_of(n, sites, colors), "size");
    require_colors(sequences, n, sites, colors, "sequences");
    core(transformer)->conditionals(sequences, n, out);
  });
}

atp_status atp_transformer_model(const atp_transformer *transformer, atp_model **out) noexcept {
  if (out != nullptr) *out = nullptr;
  return guarded(context_of(transformer), [&] {
    require(transformer, "transformer");
    require(out, "out");
    // It writes to the network's work space alone, which no call leaves anything in.
    *out = handle(const_cast<TransformerTrainer *>(core(transformer))->make_model());
  });
}

int64_t atp_transformer_map_count(const atp_transformer *transformer) noexcept {
  return transformer == nullptr ? 0 : core(transformer)->map_count();
}

atp_status atp_transformer_maps(atp_transformer *transformer, const atp_alignment *alignment, double *maps, int64_t size) noexcept {
  return guarded(context_of(transformer), [&] {
    require(transformer, "transformer");
    require(alignment, "alignment");
    require(maps, "maps");
    const int64_t sites = core(transformer)->sites();
    require_fit(*core(transformer), *core(alignment), "alignment");
    require_size(size, product_of(core(transformer)->map_count(), sites, sites), "size");
    core(transformer)->maps(*core(alignment), maps);
  });
}

int64_t atp_transformer_state_bytes(const atp_transformer *transformer) noexcept {
  return transformer == nullptr ? 0 : state_bytes(core(transformer)->saved_bytes());
}

atp_status atp_transformer_save_state(const atp_transformer *transformer, void *buffer, int64_t size) noexcept {
  return guarded(context_of(transformer), [&] {
    require(transformer, "transformer");
    require(buffer, "buffer");
    core(transformer)->save(buffer, size);
  });
}

atp_status atp_transformer_load_state(atp_transformer *transformer, const void *buffer, int64_t size) noexcept {
  return guarded(context_of(transformer), [&] {
    require(transformer, "transformer");
    core(transformer)->running.require_idle("transformer");
    require(buffer, "buffer");
    core(transformer)->load(buffer, size);
  });
}
