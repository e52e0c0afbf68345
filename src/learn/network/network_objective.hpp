// SPDX-License-Identifier: MIT
// Networks on masked tokens: the interface of one, a function of a parameter vector and of masked sequences, and what their objectives
// share. [R24 sec. II]
//
// A network is stored in the block of its owner. The constructor stores its arguments, lay_out takes memory, and nothing allocates
// afterwards. All random numbers come from seeds. Results do not depend on the number of threads and ranks. Several ranks share the tasks
// of an evaluation, if it is worth it (Ranks::worth()): they gather the sums of the tasks and add them in order. Conditionals and maps are
// those of one rank. Each pair of a sequence and one of its masked sites is a forward pass of its own.
#pragma once

#include "learn/objective.hpp"

namespace atp {

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
  virtual double evaluate(Span<const double> parameters, const MaskedData &pairs, Span<double> gradient, Threads threads) = 0;
  // p(s_i = a | rest) of the pairs, [pairs][q]. Weights are not used.
  virtual void conditionals(Span<const double> parameters, const MaskedData &pairs, double *out, Threads threads) = 0;
  // [map_count][L][L]. Row k is the attention of site k while it is masked, as a weighted mean over the
  // sequences (pairs.masked is NULL).
  virtual void maps(Span<const double> parameters, const MaskedData &pairs, double *out, Threads threads) = 0;

 protected:
  ~Network() = default;
};

class NetworkObjective : public Objective {
 public:
  int64_t parameter_count() const override { return network().parameter_count(); }
  int64_t part_count() const override { return network().part_count(); }
  Part part(int64_t index) const override { return network().part(index); }
  double operations(int64_t sequences) const override;
  void lay_out(Arena &arena) override { network().lay_out(arena); }
  void start(Reals x) override { network().init(settings.seed, settings.init_scale, x.of<double>()); }
  Evaluation evaluate(Reals x, const MaskedData &part, Reals gradient) override;
  double loss(Reals x, const Alignment &alignment) override;
  int64_t map_count() const override { return network().map_count(); }
  void maps(Reals x, const Alignment &alignment, double *out) override;
  void conditionals(Reals x, const uint8_t *sequences, int64_t n, double *out) override;

 protected:
  NetworkObjective(const ObjectiveRow &own_row, const ObjectiveInput &input);
  ~NetworkObjective() = default;
  virtual Network &network() = 0;
  const Network &network() const { return const_cast<NetworkObjective *>(this)->network(); }
};

}  // namespace atp
