// SPDX-License-Identifier: MIT
// An encoder in float64, pair by pair: the reference of the fast kernels.
#pragma once

#include "base/team.hpp"
#include "learn/network/encoder_pass.hpp"

namespace atp {

class EncoderPassF64 {
 public:
  EncoderPassF64(const EncoderShape &s, Ranks *ranks) : shape_(s), layout_(s), ranks_(ranks) {}
  void lay_out(Arena &arena);
  // Returns the mean loss. The sum of the weights must be positive.
  double run(Threads threads, Span<const double> parameters, const MaskedPairs &pairs, const EncoderOutput &out);

 private:
  static constexpr int64_t kTasks = 8;   // at most
  static constexpr int64_t kPairs = 16;  // pairs of a task, if there are several

  // The ranks that share the tasks, or NULL. Each gets tasks (parameters + 1) float64 numbers.
  Ranks *sharing(int64_t tasks, const MaskedPairs &pairs, const EncoderOutput &out) const;

  struct Block;
  struct Work;
  struct Call;
  Work work(int64_t task) const;
  Block block(const Work &w, int64_t b) const;
  void forward(const Call &call, const Work &w, int64_t pair) const;
  void backward(const Call &call, const Work &w, int64_t pair) const;

  EncoderShape shape_;
  EncoderLayout layout_;
  Ranks *ranks_;
  int64_t block_doubles_ = 0, scratch_doubles_ = 0;
  Span<double> positions_;  // [L][d]
  Span<double> blocks_;     // [tasks][blocks] results of a forward pass
  Span<double> scratch_;    // [tasks]
  Span<double> gradients_;  // [tasks][parameters]
  Span<double> maps_;       // [tasks][blocks][L][L]
  Span<double> losses_;     // [tasks]
};

}  // namespace atp
