// SPDX-License-Identifier: MIT
// Which couplings J_ij(a, b) of Boltzmann learning are active; the others are 0. The set changes during the steps, by single couplings:
//
//     activation   the inactive couplings of the largest gain become active,
//                      gain = f log(f / p) + (1 - f) log((1 - f) / (1 - p)),  f = f_ij(a, b), p = p_ij(a, b):
//                  what the log-likelihood per sequence gains where this coupling alone moves to its optimum.
//     decimation   the active couplings of the smallest loss become 0, at the same centred fields h_i(a) + sum_j sum_b J_ij(a, b) f_j(b),
//                      loss = KL(P | P') = <d> + log <exp(-d)>,  d = J ([s_i = a, s_j = b] - [s_i = a] f_j(b) - [s_j = b] f_i(a)),
//                  for the removal of this coupling alone.
//
// p has the pseudocount 1 / chains, as f has that of the family. Couplings that are active at the start are those that are not 0; where all
// are 0, decimation starts with all. Sources: F. Calvanese, C. Lambert, P. Nghe, F. Zamponi, M. Weigt, Nucleic Acids Res. 52, 5465 (2024);
// P. Barrat-Charlaix, A. Muntoni, K. Shimagaki, M. Weigt, F. Zamponi, Phys. Rev. E 104, 024407 (2021), whose loss is at fixed fields.
#pragma once

#include "base/state.hpp"
#include "learn/likelihood/statistics.hpp"
#include "learn/objective.hpp"

namespace atp {

// The probabilities that a pair of sites has two colours: of the first, of the second, of both.
struct PairOfColors {
  double first, second, both;
};
double activation_gain(double f, double p);
// f_first, f_second: the frequencies of the centred fields.
double decimation_loss(double coupling, const PairOfColors &p, double f_first, double f_second);

class Sparsity {
 public:
  Sparsity(const DenseShape &pairs, const SparsitySettings &settings) : pairs_(pairs), settings_(settings) {}
  void lay_out(Arena &arena);
  bool wanted() const { return settings_.rule != ATP_SPARSIFY_NONE; }
  bool removes() const { return settings_.rule == ATP_SPARSIFY_DECIMATE; }
  void restart(Span<const double> point);

  // A step: changes the set if it is allowed and due, from the slope p - f of the chains. Removes couplings from both points.
  void update(const Statistics &statistics, int64_t chains, bool allowed, Span<const double> slope, Span<double> point, Span<double> mean,
              Threads threads);
  // Sets what belongs to other couplings to 0.
  void clear(Span<double> of_point) const;

  Span<const uint8_t> active() const { return active_; }  // [pairs][q][q], 1: active; empty: all are
  // Whether no further change is needed to end.
  bool complete() const { return !removes() || count_ <= limit(); }
  int64_t age() const { return age_; }  // steps since the last change
  double density() const { return static_cast<double>(count_) / static_cast<double>(active_.size()); }
  bool changed() const { return age_ == 0 && gain_ != 0; }  // in this step
  double gain() const { return gain_; }                     // the sum over the last change; of decimation losses, below 0

  int64_t payload() const { return wanted() ? static_cast<int64_t>(sizeof age_ + sizeof gain_) + active_.size() : 0; }
  void save(StateWriter &writer) const;
  void check(StateReader &reader) const;  // throws ATP_E_FORMAT
  void load(StateReader &reader);

 private:
  int64_t limit() const;  // number of active couplings of the density
  void score_row(int64_t i, const Statistics &statistics, double c, Span<const double> slope, const double *couplings);
  void change(int64_t n);
  void remove(const Statistics &statistics, Span<double> point) const;

  const DenseShape pairs_;
  const SparsitySettings settings_;
  int64_t count_ = 0;  // active couplings
  int64_t age_ = 0;
  double gain_ = 0;
  Span<uint8_t> active_;             // [pairs][q][q]
  Span<float> scores_, candidates_;  // [pairs][q][q]: gain or loss, below 0 where a coupling is no candidate; those of candidates
};

}  // namespace atp
