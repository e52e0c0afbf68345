// SPDX-License-Identifier: MIT
#include "handles.hpp"

#include "sample/rungs.hpp"

#include <attopotts/rungs.h>

namespace atp {

ATP_HANDLE(atp_sampler, Sampler)

}  // namespace atp

using namespace atp;

namespace {

// Of a sampler or model; NULL is none.
template <class Owner>
void require_reference(const uint8_t *reference, int64_t size, const Owner &owner) {
  if (reference == nullptr) return;
  require_size(size, owner.sites(), "size");
  require_colors(reference, 1, owner.sites(), owner.colors(), "reference");
}

}  // namespace

atp_status atp_sampler_set_reference(atp_sampler *sampler, const uint8_t *reference, int64_t size) noexcept {
  return guarded(sampler, "sampler", [&] {
    core(sampler)->running.require_idle("sampler");
    require_reference(reference, size, *core(sampler));
    core(sampler)->set_reference(reference);
  });
}

atp_status atp_sampler_measure(atp_sampler *sampler, int64_t n, int64_t thin, atp_table *table, atp_table *overlaps,
                               atp_progress_fn progress, void *user) noexcept {
  return guarded_together(sampler, "sampler", [&] {
    Sampler &of = *core(sampler);
    const Running::Call running(of.running, "sampler");
    require(table, "table");
    require_range(n, kMixingTimes, kMaxSweeps, "n");
    require_range(thin, 1, kMaxSweeps, "thin");
    if (of.chains() < 2)
      fail(ATP_E_CONFLICT, "sampler has %lld chains, must have at least 2: overlaps are those of two chains", llong{of.chains()});
    Table &to = *core(table);
    require_table(to, ATP_TABLE_RUNGS, of.rungs());
    const Running::Call filling(to.filling, "table");
    const int64_t bins = of.rungs() * overlap_bins(of.sites());
    if (overlaps != nullptr) require_table(*core(overlaps), ATP_TABLE_OVERLAPS, bins);
    RungReads reads(of, n);
    Reporter reporter(progress, user, of.stop, nullptr, &of.context->ranks);
    if (!reads.make(thin, reporter)) return;
    reads.put_rungs(to.room(of.rungs()));
    to.append(of.rungs());
    if (overlaps == nullptr) return;
    reads.put_overlaps(core(overlaps)->room(bins));
    core(overlaps)->append(bins);
  });
}

atp_status atp_model_enumerate_rungs(atp_context *context, const atp_model *model, const double *betas, int64_t n, const uint8_t *reference,
                                     int64_t size, atp_table *table) noexcept {
  return guarded(context, "context", [&] {
    require(model, "model");
    require(betas, "betas");
    require(table, "table");
    require_range(n, 1, INT64_MAX / 1024, "n");
    require_finite(betas, n, "betas");
    for (int64_t k = 0; k < n; ++k)
      if (betas[k] < 0 || betas[k] > kMaxBeta) fail(ATP_E_VALUE, "betas" ATP_AT " is %g, must be in 0..1e6", llong{k}, betas[k]);
    for (int64_t k = 0; core(model)->shape.ordered && k < n; ++k)
      if (betas[k] != 1)
        fail(ATP_E_CONFLICT, "betas" ATP_AT " is %g, but model is autoregressive: its energy is -log P, of which beta is 1", llong{k},
             betas[k]);
    require_reference(reference, size, *core(model));
    Table &to = *core(table);
    require_table(to, ATP_TABLE_RUNGS, n);
    enumerate_rungs(*core(context), *core(model), {betas, n}, reference, to.room(n));
    to.append(n);
  });
}
