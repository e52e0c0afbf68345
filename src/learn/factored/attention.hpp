// SPDX-License-Identifier: MIT
// Factored attention: loss and gradient as functions of a parameter vector. [R24 eq. 3-5]
//
// The parameter vector (see attopotts/trainer.h) is float64: maps [H][L][L] or Q, K [H][L][d]; then V [H][q][q] unless fixed; then fields
// [L][q]. An evaluation has four steps:
// 1. compute the maps A from the parameters in float64;
// 2. run the data through a kernel of the chosen precision, which gives float64 sums: the loss and the gradients of A, V and the fields;
// 3. add the penalty on the couplings;
// 4. compute the gradient of the parameters from that of A, by the chain rule.
// Symmetrised couplings are couplings of twice as many heads, (A_h / 2, V_h) and (A_h^T / 2, V_h^T). Their gradients are added to those of
// A_h and V_h between steps 3 and 4. With gaps ignored, V and fields of q - 1 colours get a colour 0 that is never predicted and has no
// couplings.
//
// Numbers are the same for every number of threads: pieces of sequences (or blocks of sites) have a fixed size, and the sums of the pieces
// are added in a fixed order.
#pragma once

#include "learn/factored/data_pass.hpp"
#include "learn/factored/maps.hpp"
#include "learn/factored/pair_penalty.hpp"
#include "base/context.hpp"
#include "learn/options.hpp"

namespace atp {

class FactoredAttention {
 public:
  // precision is 32 or 64. The constructor stores; lay_out takes memory; init fills constants.
  FactoredAttention(Context *owner, const AttentionShape &attention_shape, const Penalties &weights, int bits)
      : context(owner),
        shape(attention_shape),
        penalties(weights),
        precision(bits),
        target_(owner->target),
        maps_of_(attention_shape),
        pass64_(owner->ranks),
        pass32_(owner->ranks) {}
  void lay_out(Arena &arena);

  // V where colours are fixed, [H][states][states].
  void set_fixed_values(Span<const double> v);

  // The weighted mean loss per predicted site in nats, without penalties. With a non-empty gradient (shape.parameters() elements) also the
  // gradient of loss + penalties, overwritten. *penalty (may be NULL) receives the value of the penalties. Never allocates.
  double evaluate(Span<const double> parameters, const MaskedData &data, Span<double> gradient, double *penalty);

  // Maps A (diagonal 0), V, [shape.coupling_heads()] of each, and fields [L][q] of a parameter vector, as a model holds them; empty: not
  // wanted.
  void expand(Span<const double> parameters, Span<double> maps, Span<double> values, Span<double> fields);

  // The multiply-adds of a step: a gradient with so many predicted sites, and vectors of parameters.
  double operations(int64_t predicted) const;
  double predicted_weight(const MaskedData &data) const { return data.predicted_weight(shape.gaps_ignored); }

  Context *context;
  AttentionShape shape;
  Penalties penalties;
  int precision;
  Span<double> fixed_values;

 private:
  // The places of the three kinds of parameters; pointers are null where there are none.
  template <class T>
  struct Parts {
    T *maps, *values, *fields;
  };
  template <class T>
  Parts<T> split(Span<T> parameters) const;
  void make_maps(const double *parameters, double *maps);
  void make_values(const double *values, int64_t gap, double *to) const;
  void make_fields(const double *fields);
  void fold_maps();
  void fold_values(double *gradient) const;
  void fold_fields(double *gradient) const;
  double add_penalties(Span<const double> parameters, Span<double> gradient) const;

  Target target_;  // of precision 32: the context's when the object was made

  // Work space.
  AttentionMaps maps_of_;
  PairPenalty pair_penalty_;
  Span<double> maps_;                 // A of all heads of the couplings
  Span<double> map_sums_;             // gradient of A; becomes that of the scores
  Span<double> values_;               // V of all heads of the couplings and all colours, where they are not the parameters
  Span<double> value_sums_;           // and its gradient
  Span<double> fields_, field_sums_;  // with a colour that is ignored
  DataPassF64 pass64_;                // one of the two is laid out
  DataPassF32 pass32_;
};

}  // namespace atp
