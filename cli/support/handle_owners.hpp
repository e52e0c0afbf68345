// SPDX-License-Identifier: MIT
// Owners of the library's handles.
#pragma once

#include <attopotts_io.h>

#include <memory>

namespace cli {

struct Release {
  void operator()(atp_context *handle) const { atp_context_destroy(handle); }
  void operator()(atp_options *handle) const { atp_options_destroy(handle); }
  void operator()(atp_input *handle) const { atp_input_destroy(handle); }
  void operator()(atp_alignment *handle) const { atp_alignment_destroy(handle); }
  void operator()(atp_model *handle) const { atp_model_destroy(handle); }
  void operator()(atp_sampler *handle) const { atp_sampler_destroy(handle); }
  void operator()(atp_sampling *handle) const { atp_sampling_destroy(handle); }
  void operator()(atp_trainer *handle) const { atp_trainer_destroy(handle); }
  void operator()(atp_table *handle) const { atp_table_destroy(handle); }
  void operator()(atp_task *handle) const { atp_task_destroy(handle); }
  void operator()(atp_masked *handle) const { atp_masked_destroy(handle); }
};

using Context = std::unique_ptr<atp_context, Release>;
using Options = std::unique_ptr<atp_options, Release>;
using Input = std::unique_ptr<atp_input, Release>;
using Alignment = std::unique_ptr<atp_alignment, Release>;
using Model = std::unique_ptr<atp_model, Release>;
using Sampler = std::unique_ptr<atp_sampler, Release>;
using SamplingRun = std::unique_ptr<atp_sampling, Release>;
using Trainer = std::unique_ptr<atp_trainer, Release>;
using ResultTable = std::unique_ptr<atp_table, Release>;
using Task = std::unique_ptr<atp_task, Release>;
using Masked = std::unique_ptr<atp_masked, Release>;

// For the out-parameter of a create call:   check(atp_x_create(..., out(owner)));
template <class Owner>
class Out {
 public:
  explicit Out(Owner &owner) : owner_(owner) {}
  ~Out() { owner_.reset(handle_); }
  Out(const Out &) = delete;
  operator typename Owner::pointer *() { return &handle_; }

 private:
  Owner &owner_;
  typename Owner::pointer handle_ = nullptr;
};

template <class Owner>
Out<Owner> out(Owner &owner) {
  return Out<Owner>(owner);
}

}  // namespace cli
