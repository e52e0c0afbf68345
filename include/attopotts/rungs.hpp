/* SPDX-License-Identifier: MIT */
/** @file rungs.hpp
 *  Thermodynamics at several temperatures; see rungs.h.
 */
#ifndef ATTOPOTTS_RUNGS_HPP
#define ATTOPOTTS_RUNGS_HPP

#include <attopotts/rungs.h>
#include <attopotts/sampler.hpp>

namespace attopotts {

/** Rows of ATP_TABLE_RUNGS and of ATP_TABLE_OVERLAPS. */
struct Rungs {
  Table rungs, overlaps;
};

/** atp_sampler_set_reference(); empty: no reference. */
inline void set_reference(Sampler &sampler, Sequences reference) {
  check(atp_sampler_set_reference(sampler.get(), reference.data(), detail::size(reference.size())));
}

/** atp_sampler_measure(). Tables without rows if the run was stopped. */
inline Rungs measure(Sampler &sampler, std::int64_t n, std::int64_t thin = 1, const ProgressFunction &progress = {}) {
  detail::Relay relay{progress, {}};
  atp_context *context = atp_sampler_context(sampler.get());
  const std::int64_t rungs = sampler.temperatures(), sites = sampler.sites(), width = 1 + sites / 128;
  Rungs out{Table(context, ATP_TABLE_RUNGS, rungs), Table(context, ATP_TABLE_OVERLAPS, rungs * ((sites + width) / width))};
  relay.finish(atp_sampler_measure(sampler.get(), n, thin, out.rungs.get(), out.overlaps.get(), relay.callback(), &relay));
  return out;
}

/** atp_model_enumerate_rungs(): rows of ATP_TABLE_RUNGS. */
inline Table enumerate_rungs(Borrowed<Context> context, const Model &model, Reals betas, Sequences reference = {}) {
  const std::int64_t n = detail::size(betas.size());
  Table table(context, ATP_TABLE_RUNGS, n);
  check(atp_model_enumerate_rungs(context.get(), model.get(), betas.data(), n, reference.data(), detail::size(reference.size()),
                                  table.get()));
  return table;
}

}  // namespace attopotts

#endif
