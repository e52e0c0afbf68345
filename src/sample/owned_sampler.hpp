// SPDX-License-Identifier: MIT
// A sampler that is destroyed with its owner.
#pragma once

#include "base/arena.hpp"
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

}  // namespace atp
