// SPDX-License-Identifier: MIT
// What is learned, as coordinates near a model, and how logits and couplings move with them.
//
// Logits are z_i(a) = h_i(a) + sum_{j != i} C_ij(a, s_j) with h and C times the beta of the model. With orthonormal rows E_u, u < q - 1,
// that sum to zero, the coordinates are, in this order:
//   fields   h_i = E^T x, [L][q - 1], if they are learned
//   dense    C_ij = E^T c E, [pairs i < j][q - 1][q - 1]; asymmetric: [i][j != i] of the regression of site i
//   factored A_h,ij, [H][L][L - 1], of an autoregressive model [H][pairs]; then, unless it is fixed, V_h = E^T v, [H][q - 1][q], or with
//            symmetrised couplings all of V_h, [H][q][q]
// Dense coordinates have no gauge. Those of factored attention do (A to c A with V to V / c, and others): directions that no logit sees.
#pragma once

#include "base/arena.hpp"
#include "potts/model.hpp"

namespace atp {

struct Learned {
  bool factored = false, colors_fixed = false, fields = true;
  bool asymmetric = false;   // dense: a regression for each site, whose two copies of a coupling are averaged
  bool symmetrized = false;  // factored: couplings are (C_ij(a, b) + C_ji(b, a)) / 2
};

class Unknowns {
 public:
  Unknowns(const Model &model, const Learned &learned);
  void lay_out(Arena &arena);
  void init();

  const Model &model() const { return model_; }
  const Learned &learned() const { return learned_; }
  int64_t count() const { return values_ + values_count(); }
  int64_t fields() const { return learned_.fields ? model_.sites() * reduced() : 0; }  // the first so many are fields
  int64_t values() const { return values_; }                                           // from here on they are those of V
  int64_t reduced() const { return model_.colors() - 1; }
  const double *basis() const { return basis_.data(); }  // E, [q - 1][q]

  // The unknowns that the logits of site i see, and of these the fields, which are the first.
  Span<const int64_t> seen_by(int64_t i) const { return places_.sub(begins_[i], begins_[i + 1] - begins_[i]); }
  int64_t fields_of_site() const { return learned_.fields ? reduced() : 0; }
  int64_t most_seen() const;
  // dz_i(a) / dx_k for these unknowns, [q][seen]; sites that are kMissing are not seen.
  void slopes(int64_t i, const uint8_t *sequence, double *out) const;

  // The unknowns that the couplings of sites i and j depend on, and dC_ij(a, b) / dx_k in the zero-sum gauge, [q][q][number]; of asymmetric
  // dense couplings those of the mean of both copies. Returns their number, at most most_of_pair().
  int64_t pair_slopes(int64_t i, int64_t j, int64_t *places, double *out) const;
  int64_t most_of_pair() const;
  // C_ij(a, b) times beta in the zero-sum gauge, [q][q].
  void pair_couplings(int64_t i, int64_t j, double *out) const;

  // Of one head: dA_ij in the gauge of one V less its means over a, and norm: dA_ij + A_ij <V, dV> / |V|^2.
  int64_t map_slopes(int64_t i, int64_t j, int64_t *places, double *out) const;

 private:
  int64_t values_count() const;
  int64_t pairs_count() const;
  int64_t of_pair() const;  // unknowns of site i for each j that it sees
  int64_t block_place(int64_t i, int64_t j) const;
  int64_t map_place(int64_t h, int64_t i, int64_t j) const;
  double map(int64_t h, int64_t i, int64_t j) const { return model_.beta * model_.map(h)[i * model_.sites() + j]; }
  void write_places(int64_t i, int64_t *out) const;
  void dense_slopes(int64_t color, int64_t stride, double *out) const;
  void map_slopes_at(int64_t color, int64_t stride, double *out) const;
  void value_slopes(int64_t i, const uint8_t *sequence, int64_t stride, double *out) const;
  int64_t dense_pair_slopes(int64_t i, int64_t j, int64_t *places, double *out) const;
  int64_t factored_pair_slopes(int64_t i, int64_t j, int64_t *places, double *out) const;

  const Model &model_;
  Learned learned_;
  int64_t values_;
  Span<double> basis_;
  Span<int64_t> begins_, places_;
};

}  // namespace atp
