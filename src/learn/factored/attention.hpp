// SPDX-License-Identifier: MIT
// Factored attention: loss and gradient as functions of a parameter vector. [R24 eq. 3-5]
//
// The parameter vector (see attopotts/trainer.h) is float64: maps [H][L][L] or Q, K [H][L][d]; then V [H][q][q] unless fixed; then fields
// [L][q]. An evaluation has four steps:
// 1. compute the maps A from the parameters x in float64: rows are independent of each other, A_ii = 0, and
//        free     A_ij = x_ij
//        softmax  A_ij = exp(x_ij) / sum_k exp(x_ik), k != i or, with ATP_DIAGONAL_AFTER, all k
//        lowrank  the same with x_ij = Q_i . K_j / sqrt(d), or without the root;
//    in an autoregressive model A_ij = 0 unless j is before i, and k runs over the sites before i;
// 2. run the data through a kernel of the chosen precision, which gives float64 sums: the loss and the gradients of A, V and the fields;
//    with many heads by way of the couplings of a site, see CouplingPassF32;
// 3. add the penalty on the couplings, sum_{i != j} |sum_h A_h,ij V_h|_F^2 = sum_hk G_hk M_hk, through Gram matrices of the heads,
//        G_hk = <V_h, V_k>,  M_hk = <A_h, A_k>,
//    so that no array of L^2 q^2 numbers exists; its derivatives are 2 sum_k G_hk A_k and 2 sum_k M_hk V_k. Those of the norm are these
//    divided by twice the norm, or 0 where all couplings are 0;
// 4. compute the gradient of the parameters from that of A, by the chain rule.
// Symmetrised couplings are couplings of twice as many heads, (A_h / 2, V_h) and (A_h^T / 2, V_h^T). Their gradients are added to those of
// A_h and V_h between steps 3 and 4. With gaps ignored, V and fields of q - 1 colours get a colour 0 that is never predicted and has no
// couplings.
//
// Numbers are the same for every number of threads: pieces of sequences (or blocks of sites) have a fixed size, and the sums of the pieces
// are added in a fixed order.
#pragma once

#include "base/checked.hpp"
#include "learn/factored/coupling_pass_f32.hpp"
#include "learn/factored/data_pass.hpp"
#include "learn/factored/point_pass_f32.hpp"

namespace atp {

// The shape of a factored attention layer, and the number of its parameters.
struct AttentionShape {
  int64_t sites = 0, colors = 0, heads = 1, rank = 0;  // colours of the data
  atp_map map = ATP_MAP_FREE;
  bool fields = false;
  bool colors_fixed = false;
  atp_diagonal diagonal = ATP_DIAGONAL_BEFORE;
  bool scores_scaled = true;   // lowrank: Q_i . K_j / sqrt(d), else Q_i . K_j
  bool symmetrized = false;    // couplings (C_ij(a, b) + C_ji(b, a)) / 2
  bool values_shared = false;  // all heads have one V
  bool gaps_ignored = false;   // colour 0 of the data is missing: neither predicted nor seen
  Span<const int64_t> places;  // [L], of an autoregressive model: the place of each site in the order; empty: there is none

  // Colours of the model; V and fields have so many.
  int64_t states() const { return gaps_ignored ? colors - 1 : colors; }

  // The diagonal of the scores takes part in the softmax, and is masked afterwards.
  bool diagonal_in_softmax() const { return map != ATP_MAP_FREE && diagonal == ATP_DIAGONAL_AFTER; }
  // Parameters on the diagonal of a map that change nothing.
  bool diagonal_idle() const { return map == ATP_MAP_FREE || (map == ATP_MAP_SOFTMAX && diagonal == ATP_DIAGONAL_BEFORE); }
  // Whether site i is predicted from site j != i.
  bool sees(int64_t i, int64_t j) const { return places.empty() || places[j] < places[i]; }
  // Element (i, j) of the parameters of a map changes nothing. Queries and keys have no such elements.
  bool idle(int64_t i, int64_t j) const { return i == j ? diagonal_idle() : map != ATP_MAP_LOWRANK && !sees(i, j); }
  // Heads of the couplings. Symmetrised ones are those of (A_h / 2, V_h) for all h and then (A_h^T / 2, V_h^T).
  int64_t coupling_heads() const { return symmetrized ? 2 * heads : heads; }

  int64_t map_parameters() const { return map == ATP_MAP_LOWRANK ? product_of(2, heads, sites, rank) : product_of(heads, sites, sites); }
  int64_t value_count() const { return product_of(values_shared ? 1 : heads, states(), states()); }
  int64_t value_parameters() const { return colors_fixed ? 0 : value_count(); }
  int64_t field_parameters() const { return fields ? sites * states() : 0; }
  int64_t parameters() const { return map_parameters() + value_parameters() + field_parameters(); }
};

// Strengths of the penalties; `pairs` is that on the couplings themselves. The last two are on norms that are not squared.
struct Penalties {
  double couplings = 0, colors = 0, fields = 0, pairs = 0, norm_pairs = 0, norm_fields = 0;
  bool on_pairs() const { return pairs > 0 || norm_pairs > 0; }
};

class FactoredAttention {
 public:
  // precision is 32 or 64. The constructor stores; lay_out takes memory; init fills constants.
  FactoredAttention(Context *owner, const AttentionShape &attention_shape, const Penalties &weights, int bits)
      : context(owner),
        shape(attention_shape),
        penalties(weights),
        precision(bits),
        target_(owner->target),
        team_(owner->threads),
        pass64_(owner->ranks),
        pass32_(owner->ranks),
        coupling_pass_(owner->ranks) {}
  void lay_out(Arena &arena);
  // For evaluations of all of the same data, once their shape is known: memory, where that is faster, and then the data.
  void lay_out_data(Arena &arena, int64_t sequences);
  void take_data(const MaskedData &train);

  // V where colours are fixed, [H or 1][states][states].
  void set_fixed_values(Span<const double> v);

  // The weighted mean loss per predicted site in nats, without penalties. With a non-empty gradient (shape.parameters() elements) also the
  // gradient of loss + penalties, overwritten. *penalty (may be NULL) receives the value of the penalties. Never allocates.
  double evaluate(Span<const double> parameters, const MaskedData &data, Span<double> gradient, double *penalty);

  // For the likelihood, of symmetrised couplings: the fields [L][q] and J_ij(a, b) = sum_h A_h,ij V_h(a, b) of the
  // pairs i < j, [q][q] each; and the gradient of the objective, penalties included, from derivatives by these. Neither allocates. After
  // lay_out_point() their products are in the precision.
  void lay_out_point(Arena &arena);
  void expand_point(Span<const double> parameters, Span<double> point);
  void pull_back_slope(Span<const double> parameters, Span<const double> slope, Span<double> gradient);

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
  AttentionInput input() const;  // the shape alone
  AttentionInput expand_input(Span<const double> parameters);
  template <class Sums>
  double differentiate(Span<const double> parameters, Span<double> gradient, double *penalty, Sums &&make_sums);
  void sum_slope(const AttentionInput &input, Span<const double> slope, const AttentionSums &sums);
  void share_products(const AttentionSums &sums) const;
  double score_scale() const;
  void make_lowrank(const double *parameters, double *maps);
  void soften(double *maps, int64_t row);
  void clear_idle(int64_t row, double *a) const;
  void make_maps(const double *parameters, double *maps);
  void make_values(const double *values, int64_t gap, double *to) const;
  void make_fields(const double *fields);
  void fold_maps();
  void fold_values(double *gradient) const;
  void fold_fields(double *gradient) const;
  void pull_back(const double *parameters, double *gradient) const;
  double add_pair_penalty(const AttentionInput &input, const AttentionSums &sums);
  double add_penalties(Span<const double> parameters, Span<double> gradient) const;

  Target target_;  // of precision 32: the context's when the object was made
  int team_;       // its threads then

  // Work space.
  Span<double> diagonal_;               // [H][L], what the softmax gave the diagonals where they take part
  Span<double> transposed_;             // K of one head, [d][L], lowrank maps only
  Span<double> value_gram_, map_gram_;  // [heads of the couplings]^2, for the penalty on the couplings
  Span<double> maps_;                   // A of all heads of the couplings
  Span<double> map_sums_;               // gradient of A; becomes that of the scores
  Span<double> values_;                 // V of all heads of the couplings and all colours, where they are not the parameters
  Span<double> value_sums_;             // and its gradient
  Span<double> fields_, field_sums_;    // with a colour that is ignored
  DataPassF64 pass64_;                  // one of the two is laid out
  DataPassF32 pass32_;
  CouplingPassF32 coupling_pass_;  // of all training data, with many heads
  PointPassF32 point_pass_;
};

}  // namespace atp
