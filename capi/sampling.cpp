// SPDX-License-Identifier: MIT
#include "sampling_handle.hpp"

#include "alignment_handle.hpp"
#include "model_handle.hpp"
#include "options_handle.hpp"
#include "table_handle.hpp"
#include "triangle_warning.hpp"

#include "base/format_text.hpp"

#include <attopotts/version.h>

#include <algorithm>
#include <iterator>

using namespace atp;

namespace {

static_assert(static_cast<int>(Stage::done) == ATP_SAMPLING_STAGE_DONE);

void write_origin(const Sampling &run, char *text, std::size_t size) {
  const SamplingOptions &o = run.options;
  int used = format_text(text, size, "attopotts %s protocol=%s beta=%.10g seed=%lld chains=%lld", atp_version_string(),
                         o.equilibrium ? "equilibrium" : "chain", o.beta, static_cast<llong>(o.seed), llong{o.chains});
  if (o.first_chain > 0) used += format_text(text + used, size - static_cast<std::size_t>(used), " first-chain=%lld", llong{o.first_chain});
  if (o.equilibrium)
    used += format_text(text + used, size - static_cast<std::size_t>(used), " temperatures=%lld beta-hot=%.6g", llong{run.ladder().rungs},
                        run.ladder().betas[0]);
  used +=
      format_text(text + used, size - static_cast<std::size_t>(used), " burn-in=%lld thin=%lld", llong{run.burn_in()}, llong{run.thin()});
  if (o.equilibrium)
    format_text(text + used, size - static_cast<std::size_t>(used), " rhat=%.4f equilibrated=%s", run.result().rhat,
                run.result().agreed ? "yes" : "no");
}

}  // namespace

atp_status atp_sampling_create(atp_context *context, const atp_model *model, const atp_options *options, int64_t n,
                               atp_sampling **out) noexcept {
  if (out != nullptr) *out = nullptr;
  return created_together(core(context), out, atp_sampling_destroy, [&] {
    require(context, "context");
    require(model, "model");
    require(out, "out");
    require_range(n, 1, kMaxSweeps, "n");
    core(context)->threads.start();
    const Model &source = *core(model);
    Allocator &allocator = core(context)->allocator;
    Sampling *sampling = create_in_block<Sampling>(allocator, core(context), source.shape,
                                                   SamplingOptions(options_for(kSamplingOptions, options), source.beta), n);
    try {
      sampling->init(source);
      if (!sampling->options.equilibrium) warn_if_asymmetric(*core(context), source, source.symmetric());
    } catch (...) {
      sampling->end();
      destroy_block(allocator, sampling);
      throw;
    }
    sampling->given = options_for(kSamplingOptions, options);
    *out = handle(sampling);
  });
}

void atp_sampling_destroy(atp_sampling *sampling) noexcept {
  if (sampling == nullptr) return;
  core(sampling)->end();
  destroy_block(core(sampling)->context->allocator, core(sampling));
}

atp_context *atp_sampling_context(const atp_sampling *sampling) noexcept { return handle(context_of(sampling)); }

atp_status atp_sampling_options(const atp_sampling *sampling, atp_options *options) noexcept {
  return guarded(context_of(sampling), [&] {
    require(sampling, "sampling");
    require(options, "options");
    copy_options(core(sampling)->given, options);
  });
}

int64_t atp_sampling_count(const atp_sampling *sampling) noexcept { return sampling == nullptr ? 0 : core(sampling)->count(); }
int64_t atp_sampling_sites(const atp_sampling *sampling) noexcept { return sampling == nullptr ? 0 : core(sampling)->sites(); }
int atp_sampling_stage_of(const atp_sampling *sampling) noexcept {
  return sampling == nullptr ? 0 : static_cast<int>(core(sampling)->stage());
}

atp_status atp_sampling_run(atp_sampling *sampling, atp_progress_fn progress, void *user, atp_outcome *outcome) noexcept {
  return guarded_together(context_of(sampling), [&] {
    require(sampling, "sampling");
    Sampling &run = *core(sampling);
    const Running::Call running(run.running, "sampling");
    Reporter reporter(progress, user, run.stop, nullptr, &run.context->ranks);
    const bool ended = run.stage() == Stage::done;
    const atp_outcome how = run.run(reporter);
    if (outcome != nullptr) *outcome = how;
    if (!ended && how == ATP_OUTCOME_MAX_ITER) run.context->message(ATP_LOG_WARNING, "not equilibrated: %s", run.difference());
  });
}

atp_status atp_sampling_sequences(const atp_sampling *sampling, uint8_t *sequences, int64_t size) noexcept {
  return guarded(context_of(sampling), [&] {
    require(sampling, "sampling");
    require(sequences, "sequences");
    core(sampling)->require_done();
    const Span<const uint8_t> drawn = core(sampling)->sequences();
    require_size(size, drawn.size(), "size");
    std::copy(drawn.begin(), drawn.end(), sequences);
  });
}

atp_status atp_sampling_alignment(const atp_sampling *sampling, atp_alignment **out) noexcept {
  if (out != nullptr) *out = nullptr;
  return guarded(context_of(sampling), [&] {
    require(sampling, "sampling");
    require(out, "out");
    const Sampling &run = *core(sampling);
    run.require_done();
    const Model &model = run.model();
    Alignment *alignment =
        create_alignment(*run.context, run.sequences().data(), AlignmentShape{run.count(), run.sites(), model.colors(), 0}, nullptr);
    std::copy(std::begin(model.alphabet), std::end(model.alphabet), std::begin(alignment->alphabet));
    alignment->labels.copy(model.labels);
    write_origin(run, alignment->origin, sizeof alignment->origin);
    *out = handle(alignment);
  });
}

atp_status atp_sampling_report(const atp_sampling *sampling, atp_table *table) noexcept {
  return guarded(context_of(sampling), [&] {
    require(sampling, "sampling");
    require(table, "table");
    const Sampling &run = *core(sampling);
    run.require_done();
    Table &to = *core(table);
    require_table(to, ATP_TABLE_SAMPLING, 1);
    const SamplingResult &r = run.result();
    const double row[] = {run.options.beta,
                          r.hamming.value,
                          r.hamming.error,
                          r.tau.value,
                          r.tau.error,
                          r.rhat,
                          static_cast<double>(run.burn_in()),
                          static_cast<double>(run.thin()),
                          static_cast<double>(run.ladder().rungs),
                          run.ladder().betas[0],
                          run.ladder().slowest_swap,
                          static_cast<double>(run.outcome()),
                          r.overlap_rhat};
    static_assert(sizeof row == ATP_SAMPLING_COLUMNS * sizeof(double));
    std::copy(std::begin(row), std::end(row), to.room(1).begin());
    to.append(1);
  });
}

const char *atp_sampling_difference(const atp_sampling *sampling) noexcept {
  return sampling == nullptr ? "" : core(sampling)->difference();
}

void atp_sampling_request_stop(atp_sampling *sampling) noexcept {
  if (sampling != nullptr) core(sampling)->stop.request();
}

int64_t atp_sampling_state_bytes(const atp_sampling *sampling) noexcept { return sampling == nullptr ? 0 : core(sampling)->state_size(); }

atp_status atp_sampling_save_state(const atp_sampling *sampling, void *buffer, int64_t size) noexcept {
  return guarded(context_of(sampling), [&] {
    require(sampling, "sampling");
    require(buffer, "buffer");
    core(sampling)->save(buffer, size);
  });
}

atp_status atp_sampling_load_state(atp_sampling *sampling, const void *buffer, int64_t size) noexcept {
  return guarded_together(context_of(sampling), [&] {
    require(sampling, "sampling");
    require(buffer, "buffer");
    core(sampling)->running.require_idle("sampling");
    core(sampling)->load(buffer, size);
  });
}
