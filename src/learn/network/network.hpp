// SPDX-License-Identifier: MIT
// The interface of a network for training: a function of a parameter vector and of masked sequences.
//
// A network is stored in the block of its owner. The constructor stores its arguments, lay_out takes memory,
// and nothing allocates afterwards. All random numbers come from seeds. Results do not depend on the number of
// threads and ranks. Several ranks share the tasks of an evaluation, if it is worth it (Ranks::worth()): they
// gather the sums of the tasks and add them in order. Conditionals and maps are those of one rank.
#pragma once

#include "base/arena.hpp"
#include "base/ranks.hpp"
#include "base/span.hpp"
#include "base/team.hpp"
#include "learn/objective.hpp"

namespace atp {

// Sequences and their masked sites: (row, site) pairs. Each pair is a forward pass of its own.
struct MaskedPairs {
  const uint8_t *sequences = nullptr;  // [all][L]
  const double *weights = nullptr;     // of all sequences; NULL: 1
  int64_t sites = 0;                   // L
  int64_t count = 0;                   // number of sequences in this evaluation
  const int64_t *rows = nullptr;       // [count], which sequences; NULL: 0..count-1
  const int64_t *masked = nullptr;     // [count], the one masked site of each; NULL: each of the sites in turn

  int64_t pairs() const { return masked != nullptr ? count : count * sites; }
  int64_t row(int64_t pair) const {
    const int64_t n = masked != nullptr ? pair : pair / sites;
    return rows == nullptr ? n : rows[n];
  }
  int64_t site(int64_t pair) const { return masked != nullptr ? masked[pair] : pair % sites; }
  const uint8_t *sequence(int64_t pair) const { return sequences + row(pair) * sites; }
  double weight(int64_t pair) const { return weights == nullptr ? 1 : weights[row(pair)]; }
  // The total weight of the sequences of this evaluation, each counted once.
  double total_weight() const {
    double sum = 0;
    for (int64_t n = 0; n < count; ++n) sum += weights == nullptr ? 1 : weights[rows == nullptr ? n : rows[n]];
    return sum;
  }
};

class Network {
 public:
  virtual int64_t parameter_count() const = 0;
  virtual int64_t part_count() const = 0;
  virtual Part part(int64_t index) const = 0;  // in the order of the vector, without gaps
  virtual int64_t map_count() const = 0;       // attention maps
  // The multiply-adds of a pair, its gradient included.
  virtual double operations() const = 0;

  virtual void lay_out(Arena &arena) = 0;
  // Initial parameters: Stream::parameters, array = index of the part.
  virtual void init(uint64_t seed, double scale, Span<double> parameters) const = 0;

  // Returns the weighted mean of -log p(s_i | rest) over the pairs, in nats. Also writes its gradient, unless
  // the span is empty.
  virtual double evaluate(Span<const double> parameters, const MaskedPairs &pairs, Span<double> gradient, Threads threads) = 0;
  // p(s_i = a | rest) of the pairs, [pairs][q]. Weights are not used.
  virtual void conditionals(Span<const double> parameters, const MaskedPairs &pairs, double *out, Threads threads) = 0;
  // [map_count][L][L]. Row k is the attention of site k while it is masked, as a weighted mean over the
  // sequences (pairs.masked is NULL).
  virtual void maps(Span<const double> parameters, const MaskedPairs &pairs, double *out, Threads threads) = 0;

 protected:
  ~Network() = default;
};

}  // namespace atp
