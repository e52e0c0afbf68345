// SPDX-License-Identifier: MIT
// The standard transformer encoder, for comparison with factored attention. attopotts/trainer.h has its
// formulas. [R24 sec. II, fig. 2]; A. Vaswani et al., arXiv:1706.03762.
#pragma once

#include "learn/network/encoder_f32.hpp"

namespace atp {

// An encoder in float64, pair by pair: the reference of the fast kernels.
class EncoderPassF64 {
 public:
  EncoderPassF64(const EncoderShape &s, Ranks *ranks) : shape_(s), layout_(s), ranks_(ranks) {}
  void lay_out(Arena &arena);
  // Returns the mean loss. The sum of the weights must be positive.
  double run(Threads threads, Span<const double> parameters, const MaskedData &pairs, const EncoderOutput &out);

 private:
  static constexpr int64_t kTasks = 8;   // at most
  static constexpr int64_t kPairs = 16;  // pairs of a task, if there are several

  // The ranks that share the tasks, or NULL. Each gets tasks (parameters + 1) float64 numbers.
  Ranks *sharing(int64_t tasks, const MaskedData &pairs, const EncoderOutput &out) const;

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

class Encoder {
 public:
  Encoder(const EncoderShape &s, int precision, Target target, Ranks *ranks = nullptr)
      : shape_(s), layout_(s), precision_(precision), pass32_(s, target, ranks), pass64_(s, ranks) {}
  static Encoder make(const ObjectiveInput &input);
  void lay_out(Arena &arena);
  const EncoderShape &shape() const { return shape_; }
  int64_t parameter_count() const { return layout_.size(); }
  int64_t part_count() const { return layout_.part_count(); }
  Part part(int64_t index) const { return layout_.part(index); }
  int64_t map_count() const { return shape_.blocks; }
  double operations() const { return encoder_operations(shape_, precision_ == 32, true); }
  void init(uint64_t seed, double scale, Span<double> parameters) const;
  double evaluate(Span<const double> parameters, const MaskedData &pairs, Span<double> gradient, Threads threads);
  void conditionals(Span<const double> parameters, const MaskedData &pairs, double *out, Threads threads);
  void maps(Span<const double> parameters, const MaskedData &pairs, double *out, Threads threads);

 private:
  double run(Span<const double> parameters, const MaskedData &pairs, const EncoderOutput &out, Threads threads);

  EncoderShape shape_;
  EncoderLayout layout_;
  int precision_;
  EncoderPassF32 pass32_;  // memory is allocated for only one of the two
  EncoderPassF64 pass64_;
};

}  // namespace atp
