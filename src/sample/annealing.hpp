// SPDX-License-Identifier: MIT
// Annealed importance sampling of a Potts model, from sites that are independent of each other.
//
//   p_t(s) ~ f_t(s) = exp(t (-beta H(s)) + (1 - t) sum_i log pi_i(s_i)),    0 = t_0 < t_1 < ... < t_K = 1
//   s_0 is drawn from p_0; s_k are Gibbs sweeps at t_k from s_{k-1};
//   log w = sum_{k < K} (t_{k+1} - t_k) u(s_k),  u = -beta H - sum_i log pi_i;    E w = Z
//
// The sweeps at t are those of a Potts model with inverse temperature t beta and the fields b_i(a) + (1 - t) / (t beta) log pi_i(a). All
// chains are at the same t. A chain is a lane of the Gibbs kernels; groups of 16 share nothing, so that a task makes all steps of its
// groups alone. Source: R. Neal, Stat. Comput. 11, 125 (2001).
#pragma once

#include "base/arena.hpp"
#include "base/progress.hpp"
#include "base/team.hpp"
#include "sample/chains.hpp"

namespace atp {

// One run from t = 0 to 1.
struct AnnealingPath {
  Span<const double> times;        // [K + 1], 0 first, increasing, 1 last
  Span<const double> log_profile;  // [L][q], log pi_i(a): every site sums to 1
  int64_t sweeps = 1;              // at each t
  int64_t hold = 1;                // steps at t = 1 over which energies are averaged, of so many sweeps each
  int64_t number = 0;              // below 128; runs of other numbers draw other random numbers
  // Sweeps of all steps; those of the first step are not made.
  int64_t sweeps_in_all() const { return (times.size() - 1 + hold) * sweeps; }
};

// Sweeps of all runs of a call, for progress reports.
struct AnnealingProgress {
  double total = 0;
  double done = 0, updates = 0, reported = 0;
};

class Annealing {
 public:
  // The model has symmetric couplings and beta > 0. `chains` are completed to whole groups of 16, which all count. Paths of
  // at most `measured` steps have deviations. Throws ATP_E_VALUE where local fields exceed the range of single precision.
  Annealing(Context &context, const Model &model, uint64_t seed, int64_t chains, int64_t measured);

  // Collective. Returns false if the run was stopped.
  bool run(const AnnealingPath &path, Reporter &reporter, AnnealingProgress &progress);

  int64_t chains() const { return chains_.lanes(); }
  // Of the last run.
  Span<const double> log_weights() const { return arrays_.log_weights; }  // [chains]
  Span<const double> energies() const { return arrays_.energy_sums; }     // [chains], means of H over the steps at t = 1
  // Standard deviation of u over the chains at t_k, k = 0..K, if K is at most `measured`.
  double deviation(int64_t k) const;
  // Writes log pi_i(a), [L][q], of the last states: the counts of all chains and `pseudocount` more, uniform over the colours.
  void log_profile(double pseudocount, Span<double> out) const;

 private:
  struct Moments {
    double sum, squares;
  };
  struct Arrays {
    Span<double> log_weights, energy_sums;  // [groups][16]
    Span<Moments> moments;                  // [groups][measured + 1] of u
    Span<float> fields;                     // of each thread
    Span<uint8_t> row;                      // of each thread, one sequence
  };
  void lay_out(Arena &arena, Arrays &arrays) const;
  std::size_t bytes() const;
  void start(const AnnealingPath &path, int64_t group);
  struct Part {
    int64_t sweep, count;  // of the run
    int64_t group, end_group;
    int thread;
  };
  void anneal(const AnnealingPath &path, const Part &part);
  void move(const AnnealingPath &path, const Part &part);
  void weigh(const AnnealingPath &path, int64_t step, int64_t group, int thread);
  double log_start(const AnnealingPath &path, const uint8_t *sequence) const;
  double tilt(const AnnealingPath &path, double t, int64_t i, int64_t a) const;
  double tilt(const AnnealingPath &path, double t, const uint8_t *sequence) const;
  const uint8_t *read(int64_t chain, int thread);
  bool report(int64_t sweeps, Reporter &reporter, AnnealingProgress &progress) const;
  bool measures(const AnnealingPath &path) const { return path.times.size() - 1 <= measured_; }
  void gather(const AnnealingPath &path);

  Context &context_;
  const Model &model_;
  uint64_t seed_;
  int64_t measured_;
  GibbsModel single_;
  Chains chains_;  // their energies are those of the model, within a sweep those of the fields at t
  int64_t field_stride_, row_stride_;
  Scratch scratch_;
  Arrays arrays_;
};

}  // namespace atp
