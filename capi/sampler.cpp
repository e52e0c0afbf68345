// SPDX-License-Identifier: MIT
#include "handles.hpp"

#include "base/error.hpp"
#include "sample/forgetting.hpp"
#include "sample/sampler.hpp"
#include "sample/sampling.hpp"
#include "sample/tune_beta.hpp"

#include <attopotts/sampler.h>
#include <attopotts/version.h>

#include <algorithm>
#include <iterator>

namespace atp {

ATP_HANDLE(atp_sampler, Sampler)
ATP_HANDLE(atp_sampling, Sampling)

}  // namespace atp

using namespace atp;

namespace {

SamplerOptions sampler_options(const atp_options *options, const Model &model) {
  return {options_for(kSamplerOptions, options), model.beta};
}

// Warns of asymmetric couplings, unless the model is autoregressive. Their chains are legal and make sense after asymmetric learning, but
// are most often a mistake otherwise.
void warn_if_asymmetric(const Context &context, const Model &model, bool symmetric) {
  const bool dense = model.shape.dense();
  const int64_t q = model.colors();
  if (symmetric || model.shape.ordered ||
      (dense
           ? model.shape.pairs == 0 && warn_of_triangle(context, "couplings of the model", model.couplings.data(), 1, model.sites(), q * q)
           : warn_of_triangle(context, "maps of the model", model.maps.data(), model.shape.heads, model.sites(), 1)))
    return;
  context.message(ATP_LOG_WARNING,
                  "the couplings of the model are not symmetric: sweeps use each site's own couplings, and energies the symmetric part, "
                  "so that samples do not follow exp(-beta H)");
}

static_assert(static_cast<int>(Stage::done) == ATP_SAMPLING_STAGE_DONE);

struct EndSampling {
  void operator()(Sampling *run) const noexcept {
    run->end();
    destroy_block(run->context->allocator, run);
  }
};

void write_origin(const Sampling &run, char *text, std::size_t size) {
  const SamplingOptions &o = run.options;
  int used = format_text(text, size, "attopotts %s protocol=%s beta=%.10g seed=%lld chains=%lld", atp_version_string(),
                         o.exact         ? "exact"
                         : o.equilibrium ? "equilibrium"
                                         : "chain",
                         o.beta, static_cast<llong>(o.seed), llong{o.chains});
  if (o.first_chain > 0) used += format_text(text + used, size - static_cast<std::size_t>(used), " first-chain=%lld", llong{o.first_chain});
  if (o.equilibrium)
    used += format_text(text + used, size - static_cast<std::size_t>(used), " temperatures=%lld beta-hot=%.6g", llong{run.ladder().rungs},
                        run.ladder().betas[0]);
  used +=
      format_text(text + used, size - static_cast<std::size_t>(used), " burn-in=%lld thin=%lld", llong{run.burn_in()}, llong{run.thin()});
  if (o.equilibrium)
    format_text(text + used, size - static_cast<std::size_t>(used), " rhat=%.4f equilibrated=%s", run.result().energy.rhat,
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
    std::unique_ptr<Sampling, EndSampling> sampling(
        create_in_block<Sampling>(core(context)->allocator, core(context), source.shape,
                                  SamplingOptions(options_for(kSamplingOptions, options), source.beta, source.shape.ordered), n));
    sampling->init(source);
    if (!sampling->options.equilibrium) warn_if_asymmetric(*core(context), source, source.symmetric());
    sampling->given = options_for(kSamplingOptions, options);
    *out = handle(sampling.release());
  });
}

void atp_sampling_destroy(atp_sampling *sampling) noexcept {
  if (sampling != nullptr) EndSampling()(core(sampling));
}

atp_context *atp_sampling_context(const atp_sampling *sampling) noexcept { return handle(context_of(sampling)); }

atp_status atp_sampling_options(const atp_sampling *sampling, atp_options *options) noexcept {
  return copy_options(sampling, "sampling", &Sampling::given, options);
}

int64_t atp_sampling_count(const atp_sampling *sampling) noexcept { return sampling == nullptr ? 0 : core(sampling)->count(); }
int64_t atp_sampling_sites(const atp_sampling *sampling) noexcept { return sampling == nullptr ? 0 : core(sampling)->sites(); }
int atp_sampling_stage_of(const atp_sampling *sampling) noexcept {
  return sampling == nullptr ? 0 : static_cast<int>(core(sampling)->stage());
}

atp_status atp_sampling_run(atp_sampling *sampling, atp_progress_fn progress, void *user, atp_outcome *outcome) noexcept {
  return guarded_together(sampling, "sampling", [&] {
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
  return guarded(sampling, "sampling", [&] {
    require(sequences, "sequences");
    core(sampling)->require_done();
    const Span<const uint8_t> drawn = core(sampling)->sequences();
    require_size(size, drawn.size(), "size");
    std::copy(drawn.begin(), drawn.end(), sequences);
  });
}

atp_status atp_sampling_alignment(const atp_sampling *sampling, atp_alignment **out) noexcept {
  if (out != nullptr) *out = nullptr;
  return guarded(sampling, "sampling", [&] {
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
  return guarded(sampling, "sampling", [&] {
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
                          r.energy.rhat,
                          static_cast<double>(run.burn_in()),
                          static_cast<double>(run.thin()),
                          static_cast<double>(run.ladder().rungs),
                          run.ladder().betas[0],
                          run.ladder().slowest_swap,
                          static_cast<double>(run.outcome()),
                          r.overlaps.rhat,
                          r.entropy.value,
                          r.entropy.error,
                          r.energy.limit,
                          r.overlaps.limit,
                          r.bulk,
                          r.tail};
    static_assert(sizeof row == ATP_SAMPLING_COLUMNS * sizeof(double));
    std::copy(std::begin(row), std::end(row), to.room(1).begin());
    to.append(1);
  });
}

atp_status atp_sampling_restrict(atp_sampling *sampling, const uint8_t *allowed, int64_t size) noexcept {
  return guarded_together(sampling, "sampling", [&] {
    core(sampling)->running.require_idle("sampling");
    if (allowed != nullptr) require_size(size, product_of(core(sampling)->sites(), core(sampling)->model().colors()), "size");
    core(sampling)->restrict_to(allowed);
  });
}

atp_status atp_sampling_start_from(atp_sampling *sampling, const uint8_t *sequences, int64_t n, int64_t sites) noexcept {
  return guarded_together(sampling, "sampling", [&] {
    Sampling &run = *core(sampling);
    run.running.require_idle("sampling");
    require(sequences, "sequences");
    if (n < 1) fail(ATP_E_VALUE, "n is %lld, must be at least 1", llong{n});
    require_size(sites, run.sites(), "sites");
    require_colors(sequences, n, sites, run.model().colors(), "sequences");
    run.start_from(sequences, n);
  });
}

atp_status atp_sampling_trajectory(const atp_sampling *sampling, atp_table *table) noexcept {
  return guarded(sampling, "sampling", [&] {
    require(table, "table");
    core(sampling)->require_done();
    require_table(*core(table), ATP_TABLE_TRAJECTORY, core(sampling)->count());
    append_trajectory(*core(sampling), *core(table));
  });
}

atp_status atp_sampling_forgetting(const atp_sampling *sampling, const uint8_t *independent, int64_t n, int64_t sites,
                                   atp_table *table) noexcept {
  return guarded(sampling, "sampling", [&] {
    require(independent, "independent");
    require(table, "table");
    const Sampling &run = *core(sampling);
    run.require_done();
    if (!run.started()) fail(ATP_E_STAGE, "the run has no starts: call atp_sampling_start_from() before it");
    if (n < 1) fail(ATP_E_VALUE, "n is %lld, must be at least 1", llong{n});
    require_size(sites, run.sites(), "sites");
    require_colors(independent, n, sites, run.model().colors(), "independent");
    require_table(*core(table), ATP_TABLE_FORGETTING, run.rounds());
    append_forgetting(run, independent, n, *core(table));
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
  return guarded(sampling, "sampling", [&] {
    require(buffer, "buffer");
    core(sampling)->save(buffer, size);
  });
}

atp_status atp_sampling_load_state(atp_sampling *sampling, const void *buffer, int64_t size) noexcept {
  return guarded_together(sampling, "sampling", [&] {
    require(buffer, "buffer");
    core(sampling)->running.require_idle("sampling");
    core(sampling)->load(buffer, size);
  });
}

atp_status atp_sampler_bytes(atp_context *context, const atp_model *model, const atp_options *options, int64_t *bytes) noexcept {
  return guarded(context, "context", [&] {
    require(model, "model");
    require(bytes, "bytes");
    *bytes = static_cast<int64_t>(bytes_of<Sampler>(core(context), core(model)->shape, sampler_options(options, *core(model))));
  });
}

atp_status atp_sampler_create(atp_context *context, const atp_model *model, const atp_options *options, atp_sampler **out) noexcept {
  if (out != nullptr) *out = nullptr;
  return created_together(core(context), out, atp_sampler_destroy, [&] {
    require(context, "context");
    require(model, "model");
    require(out, "out");
    core(context)->threads.start();
    OwnedSampler sampler(*core(context), *core(model), sampler_options(options, *core(model)));
    warn_if_asymmetric(*core(context), *core(model), sampler->symmetric());
    sampler->given = options_for(kSamplerOptions, options);
    *out = handle(sampler.release());
  });
}

void atp_sampler_destroy(atp_sampler *sampler) noexcept { destroy(sampler); }

atp_context *atp_sampler_context(const atp_sampler *sampler) noexcept { return handle(context_of(sampler)); }

atp_status atp_sampler_options(const atp_sampler *sampler, atp_options *options) noexcept {
  return copy_options(sampler, "sampler", &Sampler::given, options);
}

int64_t atp_sampler_chains(const atp_sampler *sampler) noexcept { return sampler == nullptr ? 0 : core(sampler)->chains(); }
int64_t atp_sampler_sites(const atp_sampler *sampler) noexcept { return sampler == nullptr ? 0 : core(sampler)->sites(); }
int64_t atp_sampler_temperatures(const atp_sampler *sampler) noexcept { return sampler == nullptr ? 0 : core(sampler)->rungs(); }
int64_t atp_sampler_sweeps(const atp_sampler *sampler) noexcept { return sampler == nullptr ? 0 : core(sampler)->sweeps(); }

atp_status atp_sampler_betas(const atp_sampler *sampler, double *betas, int64_t size) noexcept {
  return guarded(sampler, "sampler", [&] {
    require(betas, "betas");
    copy_out(core(sampler)->betas(), betas, size);
  });
}

atp_status atp_sampler_set_betas(atp_sampler *sampler, const double *betas, int64_t size) noexcept {
  return guarded(sampler, "sampler", [&] {
    core(sampler)->running.require_idle("sampler");
    require(betas, "betas");
    require_size(size, core(sampler)->rungs(), "size");
    require_finite(betas, size, "betas");
    for (int64_t k = 0; k < size; ++k) {
      if (betas[k] < 0 || betas[k] > 1e6) fail(ATP_E_VALUE, "betas" ATP_AT " is %g, must be in 0..1e6", llong{k}, betas[k]);
      if (k > 0 && betas[k] <= betas[k - 1])
        fail(ATP_E_VALUE, "betas" ATP_AT " is %g, must be above betas" ATP_AT ", which is %g", llong{k}, betas[k], llong{k - 1},
             betas[k - 1]);
    }
    core(sampler)->set_betas(betas);
  });
}

atp_status atp_sampler_swap_rates(const atp_sampler *sampler, double *rates, int64_t size) noexcept {
  return guarded(sampler, "sampler", [&] {
    require(rates, "rates");
    require_size(size, core(sampler)->rungs() - 1, "size");
    for (int64_t k = 0; k < size; ++k) rates[k] = core(sampler)->swap_rate(k);
  });
}

atp_status atp_sampler_start_random(atp_sampler *sampler) noexcept {
  return guarded_together(sampler, "sampler", [&] {
    core(sampler)->running.require_idle("sampler");
    core(sampler)->start_random();
  });
}

atp_status atp_sampler_restrict(atp_sampler *sampler, const uint8_t *allowed, int64_t size) noexcept {
  return guarded_together(sampler, "sampler", [&] {
    core(sampler)->running.require_idle("sampler");
    if (allowed != nullptr) require_size(size, product_of(core(sampler)->sites(), core(sampler)->colors()), "size");
    core(sampler)->restrict_to(allowed);
  });
}

atp_status atp_sampler_start_from(atp_sampler *sampler, const uint8_t *sequences, int64_t n, int64_t sites) noexcept {
  return guarded_together(sampler, "sampler", [&] {
    core(sampler)->running.require_idle("sampler");
    require(sequences, "sequences");
    if (n < 1) fail(ATP_E_VALUE, "n is %lld, must be at least 1", llong{n});
    require_size(sites, core(sampler)->sites(), "sites");
    require_colors(sequences, n, sites, core(sampler)->colors(), "sequences");
    core(sampler)->restriction().check(sequences, n, "sequences");
    core(sampler)->start_from(sequences, n);
  });
}

atp_status atp_sampler_sweep(atp_sampler *sampler, int64_t sweeps, atp_progress_fn progress, void *user, atp_outcome *outcome) noexcept {
  return guarded_together(sampler, "sampler", [&] {
    const Running::Call running(core(sampler)->running, "sampler");
    require_range(sweeps, 0, kMaxSweeps, "sweeps");
    Reporter reporter(progress, user, core(sampler)->stop, nullptr, &core(sampler)->context->ranks);
    const atp_outcome how = core(sampler)->sweep(sweeps, reporter);
    if (outcome != nullptr) *outcome = how;
  });
}

atp_status atp_sampler_sample(atp_sampler *sampler, int64_t thin, uint8_t *sequences, int64_t size, atp_progress_fn progress, void *user,
                              atp_outcome *outcome) noexcept {
  return guarded_together(sampler, "sampler", [&] {
    const Running::Call running(core(sampler)->running, "sampler");
    require(sequences, "sequences");
    require_range(thin, 1, kMaxSweeps, "thin");
    const int64_t sites = core(sampler)->sites(), n = size / sites;
    if (n < 1 || size % sites != 0) fail(ATP_E_SHAPE, "size is %lld, must be n * L, n >= 1 and L = %lld", llong{size}, llong{sites});
    require_range(n, 1, kMaxSweeps, "the number of sequences");
    Reporter reporter(progress, user, core(sampler)->stop, nullptr, &core(sampler)->context->ranks);
    core(sampler)->drawn = 0;
    const atp_outcome how = core(sampler)->sample(n, thin, sequences, nullptr, &core(sampler)->drawn, reporter);
    if (outcome != nullptr) *outcome = how;
  });
}

int64_t atp_sampler_drawn(const atp_sampler *sampler) noexcept { return sampler == nullptr ? 0 : core(sampler)->drawn; }

atp_status atp_sampler_sequence_energies(const atp_sampler *sampler, const uint8_t *sequences, int64_t n, double *energies,
                                         int64_t size) noexcept {
  return guarded(sampler, "sampler", [&] {
    require(sequences, "sequences");
    require(energies, "energies");
    const int64_t sites = core(sampler)->sites();
    require_range(n, 1, INT64_MAX / sites, "n");
    require_size(size, n, "size");
    require_colors(sequences, n, sites, core(sampler)->colors(), "sequences");
    core(sampler)->sequence_energies(sequences, n, energies);
  });
}

atp_status atp_sampler_states(const atp_sampler *sampler, int64_t rung, uint8_t *sequences, int64_t size) noexcept {
  return guarded(sampler, "sampler", [&] {
    require(sequences, "sequences");
    require_index(rung, core(sampler)->rungs(), "rung");
    require_size(size, product_of(core(sampler)->chains(), core(sampler)->sites()), "size");
    core(sampler)->states(rung, sequences);
  });
}

atp_status atp_sampler_energies(const atp_sampler *sampler, int64_t rung, double *energies, int64_t size) noexcept {
  return guarded(sampler, "sampler", [&] {
    require(energies, "energies");
    require_index(rung, core(sampler)->rungs(), "rung");
    require_size(size, core(sampler)->chains(), "size");
    core(sampler)->energies(rung, energies);
  });
}

void atp_sampler_request_stop(atp_sampler *sampler) noexcept {
  if (sampler != nullptr) core(sampler)->stop.request();
}

int64_t atp_sampler_state_bytes(const atp_sampler *sampler) noexcept { return sampler == nullptr ? 0 : core(sampler)->state_size(); }

atp_status atp_sampler_save_state(const atp_sampler *sampler, void *buffer, int64_t size) noexcept {
  return guarded(sampler, "sampler", [&] {
    require(buffer, "buffer");
    core(sampler)->save(buffer, size);
  });
}

atp_status atp_sampler_load_state(atp_sampler *sampler, const void *buffer, int64_t size) noexcept {
  return guarded(sampler, "sampler", [&] {
    core(sampler)->running.require_idle("sampler");
    require(buffer, "buffer");
    core(sampler)->load(buffer, size);
  });
}

atp_status atp_tune_beta(atp_context *context, const atp_model *model, const atp_options *options, double target, atp_table *table,
                         atp_progress_fn progress, void *user) noexcept {
  return guarded_together(context, "context", [&] {
    require(model, "model");
    require(table, "table");
    Table &to = *core(table);
    require_table(to, ATP_TABLE_TUNING, 1);
    const Running::Call filling(to.filling, "table");
    StopFlag stop(&core(context)->stop);
    Reporter reporter(progress, user, stop, nullptr, &core(context)->ranks);
    const TuneResult result = tune_beta(*core(context), *core(model), TuneOptions(options_for(kTuningOptions, options)), target, reporter);
    const double row[] = {result.beta, result.beta_error, result.hamming, result.hamming_error, static_cast<double>(result.outcome)};
    static_assert(sizeof row == ATP_TUNING_COLUMNS * sizeof(double));
    std::copy(std::begin(row), std::end(row), to.room(1).begin());
    to.append(1);
  });
}
