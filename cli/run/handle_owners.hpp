// SPDX-License-Identifier: MIT
// The library's objects, by the classes of its C++ header.
#pragma once

#include <attopotts_io.hpp>

#include <memory>

namespace cli {

using Context = attopotts::Context;
using Options = attopotts::Options;
using Input = attopotts::Input;
using Alignment = attopotts::Alignment;
using Model = attopotts::Model;
using Sampler = attopotts::Sampler;
using SamplingRun = attopotts::Sampling;
using ResultTable = attopotts::Table;
using Task = attopotts::Task;
using Masked = attopotts::replica::Masked;

// Their classes borrow what they read, and here it lives elsewhere.
struct Release {
  void operator()(atp_trainer *handle) const { atp_trainer_destroy(handle); }
};
using Trainer = std::unique_ptr<atp_trainer, Release>;

// For the out-parameter of a create call:   check(atp_x_create(..., out(owner)));
template <class Owner>
class Out {
 public:
  using Pointer = decltype(std::declval<Owner &>().get());
  explicit Out(Owner &owner) : owner_(owner) {}
  ~Out() { owner_ = Owner(handle_); }
  Out(const Out &) = delete;
  operator Pointer *() { return &handle_; }

 private:
  Owner &owner_;
  Pointer handle_ = nullptr;
};

template <class Owner>
Out<Owner> out(Owner &owner) {
  return Out<Owner>(owner);
}

}  // namespace cli
