// SPDX-License-Identifier: MIT
// A single attention layer with a parameter a, the dial, between factored (0) and plain (1) attention. [R24 eq.
// 2]
//
//     u_j = p_j + a t_j,  w_j = t_j + a p_j,  A_kj = softmax over all j of (Q u_k) . (K u_j),  logits of site k = V sum_j A_kj w_j,
//
// Tokens t_j = e_{s_j} are one-hot, and d = q. At the masked site t_k = m: a learned vector for a > 0, zero for
// a = 0. Parameters: positions p [L][q], queries Q, keys K, values V [q][q] ([output][input]), mask m [q].
//
// At a = 0 the attention depends only on positions. The map may then also be `softmax` (scores [L][L] are the
// parameters) or `free` (the map itself is the parameter); then values V. As in the formula, the masked site is
// in the softmax but contributes nothing: factored attention calls this ATP_DIAGONAL_AFTER. A free map has no
// diagonal. Couplings of the head: A without its diagonal, V.
//
// An evaluation computes tables from the parameters (dial_pass.hpp), passes the data through, and propagates
// the derivatives back.
#pragma once

#include "base/context.hpp"
#include "learn/options.hpp"
#include "base/team.hpp"
#include "learn/network/dial_pass.hpp"

namespace atp {

struct DialSettings {
  int64_t sites = 0, colors = 0;
  double dial = 0;
  atp_map map = ATP_MAP_LOWRANK;
  int precision = 32;

  bool content() const { return dial > 0; }
  bool positions() const { return map == ATP_MAP_LOWRANK; }
  DialSizes sizes() const;
};

// Settings for data of this shape. Throws ATP_E_CONFLICT if an option does not fit the dial.
DialSettings dial_settings(const Options &options, int64_t sites, int64_t colors);

class Dial final : public Network {
 public:
  Dial(const DialSettings &values, Target target, Ranks *ranks = nullptr) : settings(values), target_(target), ranks_(ranks) {}
  void lay_out(Arena &arena) override;

  int64_t parameter_count() const override;
  int64_t part_count() const override { return settings.positions() ? (settings.content() ? 5 : 4) : 2; }
  Part part(int64_t index) const override;
  int64_t map_count() const override { return 1; }
  double operations() const override { return settings.sizes().operations(true); }
  void init(uint64_t seed, double scale, Span<double> parameters) const override;

  double evaluate(Span<const double> parameters, const MaskedPairs &pairs, Span<double> gradient, Threads threads) override;
  void conditionals(Span<const double> parameters, const MaskedPairs &pairs, double *out, Threads threads) override;
  void maps(Span<const double> parameters, const MaskedPairs &pairs, double *out, Threads threads) override;

  // For a = 0: the map [L][L] with zeros on its diagonal, and V [q][q], as in a head of a model.
  void head(Span<const double> parameters, double *map, double *values, Threads threads);

  DialSettings settings;

 private:
  // Pointers to the parameters; NULL for those that do not exist.
  template <class T>
  struct Parts {
    T *positions, *queries, *keys, *values, *mask, *map;  // map: scores or the map itself
  };
  template <class T>
  Parts<T> split(T *parameters) const;
  int64_t part_size(int64_t index) const;
  DialTables make_tables(const double *parameters, Threads threads);
  void make_scores(const Parts<const double> &parts, Threads threads);
  void pull_back(const double *parameters, double *gradient, Threads threads);
  void pull_back_scores(const Parts<const double> &parts, const Parts<double> &to, Threads threads);

  Target target_;
  Ranks *ranks_;
  DialPassF64 pass64_;
  DialPassF32 pass32_;
  DialSums sums_;
  Span<double> scores_, tokens_, values_;              // tables
  Span<double> diagonal_;                              // A_kk of softmax and lowrank at a = 0
  Span<double> score_sums_, token_sums_, value_sums_;  // their derivatives
  // For positions, each [L][q]: u, Q u, K^T Q u, derivatives of the last two and of u; and transposed
  // matrices.
  Span<double> inputs_, queried_, keyed_, keyed_sums_, queried_sums_, input_sums_;
  Span<double> positions_t_, queries_t_, keys_t_;
};

}  // namespace atp
