// SPDX-License-Identifier: MIT
// Samplers of a run: they are destroyed with their owner, and report their progress as one run.
#pragma once

#include "base/arena.hpp"
#include "base/progress.hpp"
#include "sample/sampler.hpp"

namespace atp {

inline Sampler *create_sampler(Context &context, const Model &model, const SamplerOptions &options) {
  Sampler *sampler = create_in_block<Sampler>(context.allocator, &context, model.shape, options);
  try {
    sampler->init(model);
  } catch (...) {
    destroy_block(context.allocator, sampler);
    throw;
  }
  return sampler;
}

class OwnedSampler {
 public:
  OwnedSampler(Context &context, const Model &model, const SamplerOptions &options)
      : context_(context), sampler_(create_sampler(context, model, options)) {}
  explicit OwnedSampler(Context &context) : context_(context), sampler_(nullptr) {}
  ~OwnedSampler() { destroy_block(context_.allocator, sampler_); }
  OwnedSampler(const OwnedSampler &) = delete;
  OwnedSampler &operator=(const OwnedSampler &) = delete;
  Sampler *operator->() const { return sampler_; }
  Sampler &operator*() const { return *sampler_; }
  Sampler *get() const { return sampler_; }
  void reset(Sampler *sampler) {
    destroy_block(context_.allocator, sampler_);
    sampler_ = sampler;
  }
  // Hands the sampler over.
  Sampler *release() {
    Sampler *sampler = sampler_;
    sampler_ = nullptr;
    return sampler;
  }

 private:
  Context &context_;
  Sampler *sampler_;
};

// Progress of several calls of samplers as one run: steps and site updates are added up, and a request to stop the run stops the call.

class Relay {
 public:
  // total: sweeps of all calls together. The calls add to site_updates.
  Relay(Reporter &reporter, double total, double &site_updates) : reporter_(reporter), total_(total), updates_(site_updates) {}

  // Sweeps that were made before the next call.
  void begin_at(double sweeps) { before_ = sweeps; }

  // Returns false if the run was stopped.
  bool sweep(Sampler &sampler, int64_t count) {
    if (reporter_.stopped()) return false;
    const int64_t begin = sampler.sweeps();
    atp_outcome outcome;
    {
      StopFlag stop(&reporter_.flag());
      Reporter inner(reporter_.wanted() ? on_report : nullptr, this, stop, nullptr, reporter_.ranks());
      outcome = sampler.sweep(count, inner);
    }
    const auto made = static_cast<double>(sampler.sweeps() - begin);
    before_ += made;
    updates_ += made * static_cast<double>(sampler.chains() * sampler.rungs()) * static_cast<double>(sampler.sites());
    return outcome != ATP_OUTCOME_CANCELLED;
  }

 private:
  static constexpr double kSeconds = 0.1;  // between two reports

  static int on_report(const atp_progress *report, void *self) {
    Relay &relay = *static_cast<Relay *>(self);
    relay.reporter_.meet();
    const double step = relay.before_ + report->values[ATP_PROGRESS_STEP], now = relay.reporter_.seconds();
    // A call reports at its end, and calls can be short.
    if (step < relay.total_ && now - relay.reported_ < kSeconds) return relay.reporter_.stopped() ? 1 : 0;
    relay.reported_ = now;
    atp_progress all = *report;
    all.set(ATP_PROGRESS_STEP, step);
    all.set(ATP_PROGRESS_TOTAL, relay.total_);
    all.set(ATP_PROGRESS_SITE_UPDATES, relay.updates_ + report->values[ATP_PROGRESS_SITE_UPDATES]);
    return relay.reporter_.report(all) ? 1 : 0;
  }

  Reporter &reporter_;
  double total_, before_ = 0, reported_ = 0;
  double &updates_;
};

}  // namespace atp
