// SPDX-License-Identifier: MIT
// The standard transformer encoder, for comparison with factored attention. attopotts/trainer.h has its
// formulas. [R24 sec. II, fig. 2]; A. Vaswani et al., arXiv:1706.03762.
#pragma once

#include "base/context.hpp"
#include "learn/options.hpp"
#include "base/team.hpp"
#include "learn/network/encoder_pass_f32.hpp"
#include "learn/network/encoder_pass_f64.hpp"

namespace atp {

// From blocks, width, hidden, positions. Throws ATP_E_TOO_LARGE if there are too many parameters.
EncoderShape encoder_shape(const Options &options, int64_t sites, int64_t colors);

class Encoder final : public Network {
 public:
  Encoder(const EncoderShape &s, int precision, Target target, Ranks *ranks = nullptr)
      : shape_(s), layout_(s), precision_(precision), pass32_(s, target, ranks), pass64_(s, ranks) {}
  void lay_out(Arena &arena) override;
  int64_t parameter_count() const override { return layout_.size(); }
  int64_t part_count() const override { return layout_.part_count(); }
  Part part(int64_t index) const override { return layout_.part(index); }
  int64_t map_count() const override { return shape_.blocks; }
  double operations() const override { return encoder_operations(shape_, precision_ == 32, true); }
  void init(uint64_t seed, double scale, Span<double> parameters) const override;
  double evaluate(Span<const double> parameters, const MaskedPairs &pairs, Span<double> gradient, Threads threads) override;
  void conditionals(Span<const double> parameters, const MaskedPairs &pairs, double *out, Threads threads) override;
  void maps(Span<const double> parameters, const MaskedPairs &pairs, double *out, Threads threads) override;

 private:
  double run(Span<const double> parameters, const MaskedPairs &pairs, const EncoderOutput &out, Threads threads);

  EncoderShape shape_;
  EncoderLayout layout_;
  int precision_;
  EncoderPassF32 pass32_;  // memory is allocated for only one of the two
  EncoderPassF64 pass64_;
};

}  // namespace atp
