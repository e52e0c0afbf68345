// SPDX-License-Identifier: MIT
// Log Z of the model of the chains, by annealed importance sampling from the independent sites of the family:
//
//     p_t(s) ~ exp(t theta(s) + (1 - t) sum_i log f_i(s_i)),   t_k = k / K,   s_0 ~ p_0, s_k a Gibbs sweep at t_k from s_{k-1},
//     log w = sum_{k < K} u(s_k) / K,   u = theta - sum_i log f_i,   E w = Z.
//
// The sweeps at t have the fields h_i(a) + (1 - t) / t log f_i(a), as in exchange.hpp. Kernels follow theta in single precision, and it is
// computed again in float64 now and then, and near t = 0, where the other fields are large. Ranks share the chains. The clock of the other
// chains does not move, so that runs are the same with and without an estimate. Source: R. Neal, Stat. Comput. 11, 125 (2001).
#pragma once

#include "base/progress.hpp"
#include "learn/likelihood/statistics.hpp"
#include "base/estimate.hpp"
#include "sample/chains.hpp"

namespace atp {

class Annealed {
 public:
  static constexpr int64_t kGroups = 8;

  Annealed(Context *owner, const DenseShape &pairs, const GibbsShape &tables, uint64_t first_chain, uint64_t seed)
      : context_(owner),
        pairs_(pairs),
        tables_(tables),
        first_chain_(first_chain),
        seed_(seed),
        chains_(owner, tables, kGroups * kGibbsLanes, first_chain, seed, true) {}
  void lay_out(Arena &arena);
  struct Path {
    GibbsTables tables;           // of the model
    Span<const double> point;     // its fields and couplings
    Span<const double> log_f;     // [L][q]
    int64_t steps, first_number;  // K; the number of the first sweep
  };
  // Collective. Returns false where the run was stopped.
  bool run(const Path &path, Reporter &reporter, Estimate &out);

 private:
  void start(const Path &path, int64_t lane);
  void sweep(const Path &path, int64_t step);
  double profile(const Path &path, int64_t lane) const;

  Context *context_;
  const DenseShape pairs_;
  const GibbsShape tables_;
  const uint64_t first_chain_, seed_;
  Chains chains_;
  int64_t first_ = 0, end_ = 0;       // groups of this rank
  Span<float> fields_;                // of a step
  Span<double> u_, profile_, log_w_;  // [kGroups][16]: u, sum_i log f_i(s_i), log w
};

}  // namespace atp
