// SPDX-License-Identifier: MIT
// Optimisers that take one noisy gradient after the other, the schedule of their rate, and the loop over epochs and batches.
#pragma once

#include "base/arena.hpp"
#include "base/span.hpp"
#include "base/state.hpp"
#include "math/optim/vector.hpp"

#include <attopotts/context.h>

namespace atp {

// cos(pi u) for u in [0, 1], within 1e-15, the same bits on every machine.
double cos_pi(double u);

// Cosine annealing: rate/2 (1 + cos(pi t / T)) for step t of T. Source: I. Loshchilov, F. Hutter, arXiv:1608.03983, eq. 5 without restarts.
double cosine_rate(double rate, int64_t step, int64_t steps);

// v <- momentum v + g, x <- x - rate v.
class Sgd {
 public:
  Sgd(int64_t unknowns, double momentum) : n_(unknowns), momentum_(momentum) {}
  void lay_out(Arena &arena) { velocity_ = arena.take<double>(momentum_ != 0 ? n_ : 0); }
  void reset();
  void step(Span<double> x, Span<const double> gradient, double rate);

  int64_t payload() const { return static_cast<int64_t>(sizeof(double)) * velocity_.size(); }
  void save(StateWriter &writer) const { writer.array(Span<const double>(velocity_)); }
  void check(StateReader &reader) const { reader.reals<double>(velocity_.size(), "velocity"); }  // throws ATP_E_FORMAT
  void load(StateReader &reader) { reader.array(velocity_); }

 private:
  int64_t n_;
  double momentum_;
  Span<double> velocity_;
};

// m <- b1 m + (1 - b1) g, v <- b2 v + (1 - b2) g^2, x <- x - rate m^ / (sqrt(v^) + eps), where m^ = m / (1 - b1^t) and v^ = v / (1 - b2^t).
// Source: D. Kingma, J. Ba, arXiv:1412.6980, algorithm 1.
class Adam {
 public:
  static constexpr double kBeta1 = 0.9, kBeta2 = 0.999, kEpsilon = 1e-8;

  explicit Adam(int64_t unknowns) : n_(unknowns) {}
  void lay_out(Arena &arena) {
    mean_ = arena.take<double>(n_);
    square_ = arena.take<double>(n_);
  }
  void reset();
  void step(Span<double> x, Span<const double> gradient, double rate);

  int64_t payload() const { return static_cast<int64_t>(sizeof(double)) * (2 * n_ + 2); }
  void save(StateWriter &writer) const;
  void check(StateReader &reader) const;  // throws ATP_E_FORMAT
  void load(StateReader &reader);

 private:
  int64_t n_;
  double power1_ = 1, power2_ = 1;  // b1^t, b2^t
  Span<double> mean_, square_;
};

// The random choices of an epoch, as functions of seed and epoch alone.
//
// A permutation of 0..n-1.
void shuffle(uint64_t seed, uint64_t epoch, Span<int64_t> order);
// One site of 0..sites-1 for each sequence.
void draw_masks(uint64_t seed, uint64_t epoch, int64_t sites, Span<int64_t> masks);
// Each site of a sequence with this probability: 1 if it is masked, else 0.
void draw_mask(uint64_t seed, uint64_t epoch, int64_t sequence, double probability, Span<uint8_t> masked);

struct StochasticSettings {
  bool adam = false;            // SGD otherwise
  bool masked = false;          // random sites of each sequence and epoch, else all sites
  double mask_probability = 0;  // of each site; 0: one site of each sequence
  int64_t unknowns = 0, count = 0, sites = 0, batch = 0, epochs = 0;
  uint64_t seed = 0;
  double rate = 0, momentum = 0, tolerance = 0;
  bool rate_constant = false;  // no cosine annealing

  bool several_masked() const { return masked && mask_probability > 0; }
  int64_t steps_per_epoch() const { return (count + batch - 1) / batch; }
};

// Where a run is, as a saved state has it. Optimisers that take whole epochs use it with step 0.
struct RunPosition {
  int64_t epoch = 0, step = 0;                             // epochs done, steps done in the present one
  int64_t end = ATP_OUTCOME_NONE;                          // an atp_outcome: how the run ended for good, NONE while it can go on
  double loss_sum = 0, objective_sum = 0, weight_sum = 0;  // over the batches of this epoch
  double loss = 0, objective = 0, rate = 0;                // of the last epoch (rate: step)

  atp_outcome outcome() const { return static_cast<atp_outcome>(end); }
  // The sums and losses of a position that was read; throws ATP_E_FORMAT where one is not finite, or a weight or rate is negative.
  void check_numbers() const;
};

struct Batch {
  Span<const int64_t> rows;         // sequences; where several sites are masked, one for each masked site
  Span<const int64_t> masked;       // a site of each; empty: all sites
  const uint8_t *hidden = nullptr;  // where several sites are masked: [count][sites], 1 for those of the sequences of this batch
  bool all_sites = true;            // nothing is masked; masked may be empty for lack of masked sites, too
};

struct BatchLoss {
  double loss = 0, objective = 0;  // mean loss per predicted site; with penalties
  double weight = 0;               // of the predicted sites
};

// What a run asks its owner for.
struct StochasticCalls {
  FunctionRef<BatchLoss(const Batch &batch, Span<double> gradient)> batch;  // at the present x; the gradient is that of the objective
  FunctionRef<void(Span<double> gradient)> whole;                           // gradient of the objective over all data, for the verdict
  FunctionRef<bool()> stopped;                                              // asked before each step
  FunctionRef<bool(double gradient_norm)> report;                           // after each epoch; true: stop
};

// A run of SGD or Adam over epochs and batches with cosine annealing: order of the sequences, masked sites, sums of an epoch, the way back
// from a divergence, and the saved state. It sees a vector and a gradient of batches, never a model.
//
// The position of a run is (epoch, step in the epoch). All random numbers are a function of seed, epoch and sequence. The whole state is
// therefore: parameters, optimiser, position, and the sums of the present epoch. A run that stopped after any step continues with the same
// numbers.
class StochasticRun {
 public:
  // unknowns = 0: not used, takes no memory.
  explicit StochasticRun(const StochasticSettings &values)
      : settings(values), sgd_(values.adam ? 0 : values.unknowns, values.momentum), adam_(values.adam ? values.unknowns : 0) {}
  void lay_out(Arena &arena);
  // Called before another start; the owner puts the position back to {}.
  void restart();

  // Makes epochs at.epoch .. last-1 of settings.epochs. Returns CANCELLED, MAX_ITER (more can follow unless at.end says otherwise) or
  // at.end. This is CONVERGED after the last epoch if |gradient| <= tolerance max(1, |x|), else MAX_ITER; or DIVERGED if a number was no
  // longer finite, and x is then that of the last finite epoch.
  atp_outcome run(int64_t last, Span<double> x, RunPosition &at, const StochasticCalls &calls);

  // Optimiser | x | what the present epoch has gathered.
  int64_t payload() const;
  void save(StateWriter &writer, Span<const double> x) const;
  // Throws ATP_E_FORMAT where this run cannot be at this position, or cannot have this state there.
  void check(StateReader reader, const RunPosition &at) const;
  void load(StateReader &reader, Span<double> x);

  StochasticSettings settings;

 private:
  void draw_epoch(int64_t epoch);
  Batch make_batch(int64_t epoch, int64_t first, int64_t count);
  bool step(Span<double> x, RunPosition &at, const StochasticCalls &calls);
  atp_outcome judge(Span<const double> x, const StochasticCalls &calls);
  atp_outcome diverged(Span<double> x, RunPosition &at) const;
  // Calls call(optimiser) with the one that the settings choose.
  template <class Self, class Call>
  static void with_optimiser(Self &self, Call &&call) {
    if (self.settings.adam)
      call(self.adam_);
    else
      call(self.sgd_);
  }

  Sgd sgd_;
  Adam adam_;
  Span<double> gradient_;      // of the present batch
  Span<double> gradient_sum_;  // of the batches of this epoch, weighted
  Span<double> kept_;          // x at the beginning of this epoch
  Span<int64_t> order_;        // the sequences in the order of this epoch
  Span<int64_t> masked_;       // masked sites in this order
  Span<int64_t> draws_;        // masked sites by sequence
  // Where several sites are masked, masked_ has the sites of a batch:
  Span<int64_t> rows_;    // their sequences
  Span<uint8_t> hidden_;  // [count][sites]
  int64_t drawn_ = -1;    // the epoch that order_ and masked_ belong to
};

}  // namespace atp
