// SPDX-License-Identifier: MIT
// States of Gibbs chains in groups of 16, as the kernels read them, and sweeps of some of the groups. Who owns the chains says which model
// they have: its tables may change from call to call.
//
// Lane r is chain first_chain + r in the generator (Stream::gibbs; its start: Stream::start). Lanes past the last chain complete a group;
// nobody reads them. Numbers depend on seed, chain, sweep and model alone.
#pragma once

#include "base/arena.hpp"
#include "base/team.hpp"
#include "sample/tables.hpp"

namespace atp {

// Upper limit of the number of sweeps. Sums of sweeps still fit into int64.
inline constexpr int64_t kMaxSweeps = int64_t{1} << 48;

// beta as the kernels take it.
inline float scaled_beta(double beta) { return static_cast<float>(beta * 1.4426950408889634); }  // log2 e

class Chains {
 public:
  // followed: the kernels follow the energy of each lane. referred: lanes have references, see GibbsLimits.
  Chains(Context *owner, const GibbsShape &shape, int64_t lanes, uint64_t first_chain, uint64_t seed, bool followed, bool referred = false);
  void lay_out(Arena &arena);

  int64_t groups() const { return lanes_ / kGibbsLanes; }
  int64_t lanes() const { return lanes_; }
  int64_t share() const;                     // groups that read a dense table together
  Threads threads() const;                   // at most the threads that have work space
  int room() const { return max_threads_; }  // threads that have it

  void start_random(int64_t first_group, int64_t end_group, uint64_t step);  // uniform colours, within the limits
  // Random allowed colours at a random choice of as many sites as may differ from the reference, which is the present state.
  void leave_references(uint64_t step);
  void refer();                                     // present states become the references
  void measure();                                   // distances from the references
  void put(int64_t lane, const uint8_t *sequence);  // [L]
  void get(int64_t lane, uint8_t *sequence) const;  // [L]
  // Makes sweeps first .. first + count - 1 of some groups in one thread.
  void sweep(const GibbsTables &tables, int64_t first, int64_t count, int64_t first_group, int64_t end_group, int thread);

  Span<const int64_t> order;  // the site at each place, [L], as the tables have them; empty: sites and places are the same
  Span<uint8_t> colors;       // [groups][L][16], by places
  Span<float> scaled_betas;   // [groups][16], scaled_beta() of each
  Span<double> energies;      // [groups][16] or empty
  Span<uint8_t> references;   // [groups][L][16], by places, or empty
  Span<int32_t> distances;    // [groups][16] or empty

  const GibbsLimits *limits = nullptr;  // by places; NULL: none

 private:
  int64_t site_at(int64_t place) const { return order.empty() ? place : order[place]; }

  Context *context_;
  GibbsShape shape_;
  GibbsKernels kernels_;
  int64_t lanes_;
  uint64_t first_chain_, seed_;
  bool followed_, referred_;
  int max_threads_;
  int64_t work_stride_ = 0;
  Span<float> work_;  // [threads][work_stride]
};

}  // namespace atp
