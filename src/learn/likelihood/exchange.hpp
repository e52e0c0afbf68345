// SPDX-License-Identifier: MIT
// Replica exchange between a model and the independent sites of its family. Rung r of a ladder has the distribution
//
//     p_t(s) ~ exp(t theta(s) + (1 - t) sum_i log f_i(s_i)),   theta(s) = sum_i h_i(s_i) + sum_{i<j} J_ij(s_i, s_j),
//     t_r = 1 - 0.48 r / (R - 1):
//
// the first is the model, and the others go through the barriers between its phases more easily. Rungs r and r + 1 of a ladder exchange
// their states with the probability min(1, exp((t_r - t_{r+1}) (u_{r+1} - u_r))), u = theta - sum_i log f_i, even pairs of rungs in even
// rounds, odd ones in odd rounds. [K. Hukushima, K. Nemoto, J. Phys. Soc. Jpn. 65, 1604 (1996)]
//
// The states are [rungs][groups][L][16]: rungs keep their groups, states move.
#pragma once

#include "learn/likelihood/statistics.hpp"

namespace atp {

// States of some groups, [groups][L][16].
struct GroupStates {
  const uint8_t *colors;
  int64_t groups;
};
// u of states, [groups][16], in float64.
void measure_gains(const DenseShape &pairs, Span<const double> point, Span<const double> log_f, const GroupStates &states, double *u,
                   Threads threads);

class Exchange {
 public:
  static constexpr int64_t kMostRungs = 16;

  // R rungs of so many groups; with one rung there is no exchange.
  Exchange(const DenseShape &pairs, const GibbsShape &tables, int64_t rungs, int64_t groups, uint64_t seed)
      : pairs_(pairs), tables_(tables), rungs_(rungs), groups_(groups), seed_(seed) {}
  void lay_out(Arena &arena);
  void init(const Statistics &statistics);  // log f

  int64_t rungs() const { return rungs_; }
  double time(int64_t rung) const { return rung == 0 ? 1 : 1 - 0.48 * static_cast<double>(rung) / static_cast<double>(rungs_ - 1); }
  // The fields of all rungs of a point.
  void fill(Span<const double> point, Threads threads);
  Span<const double> log_f() const { return log_f_; }
  const float *fields(int64_t rung) const { return fields_.data() + rung * tables_.field_floats(); }

  void reset() { tried_ = accepted_ = 0; }
  // One round. The point must be that of the last fill().
  void swap(Span<const double> point, int64_t round, uint8_t *colors, Threads threads);
  double acceptance() const { return tried_ > 0 ? static_cast<double>(accepted_) / static_cast<double>(tried_) : 0; }

 private:
  int64_t swap_ladder(int64_t ladder, int64_t round, uint8_t *colors) const;

  const DenseShape pairs_;
  const GibbsShape tables_;
  const int64_t rungs_, groups_;
  const uint64_t seed_;
  int64_t tried_ = 0, accepted_ = 0;
  Span<double> log_f_;     // [L][q]
  Span<float> fields_;     // [rungs][field_floats]
  Span<double> u_;         // [rungs][groups][16]
  Span<int64_t> swapped_;  // [groups]
};

}  // namespace atp
