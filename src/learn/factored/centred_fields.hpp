// SPDX-License-Identifier: MIT
// Centred fields of factored attention with free maps: the unknowns of a descent in place of the fields,
//
//     b'_i(a) = b_i(a) + c_i(a) m_i(a),   m_i(a) = sum_h sum_j A_h,ij sum_c V_h(a, c) f_j(c),
//
// with f the frequencies of the training data. The mean input of a site then does not move with A and V. As in dense couplings,
// c = v / (v + 2 A_b), v = f (1 - f) / L the curvature of the mean loss, decouples b' from the mean input where a penalty A_b holds b.
#pragma once

#include "learn/factored/attention.hpp"

namespace atp {

class CentredFields {
 public:
  void lay_out(Arena &arena, const AttentionShape &shape);
  // Takes f from the training data, and c for a penalty on the fields.
  void init(const AttentionShape &shape, const Alignment &train, double field_penalty);
  // fields [L][states] += sign c m for these parameters: from fields to centred ones (1) or back (-1).
  void shift(const FactoredAttention &attention, Span<const double> parameters, double sign, double *fields);
  // From derivatives at fixed fields to those at fixed centred fields (-1) or back (1). After a shift() with the same maps and V.
  void shift_slopes(const FactoredAttention &attention, Span<const double> parameters, double sign, Span<double> gradient) const;

 private:
  Span<double> frequencies_, shares_;  // [L][states]: f, c
  Span<double> inputs_;                // [H][L][states]: sum_c V_h(a, c) f_j(c)
};

}  // namespace atp
