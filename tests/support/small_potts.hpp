// SPDX-License-Identifier: MIT
// A Potts model so small that all its states can be listed, exact samples of it, and trainers on them.
#pragma once

#include "counting.h"

#include "learn/trainer.hpp"
#include "base/philox.hpp"
#include "potts/evaluate.hpp"
#include "potts/model.hpp"

#include <cmath>
#include <vector>

namespace atp {

class SmallPotts {
 public:
  SmallPotts(int64_t sites, int64_t colors, double beta, uint64_t seed) : context(counting_alloc, counting_free, nullptr) {
    ModelShape shape;
    shape.sites = sites;
    shape.colors = colors;
    shape.heads = 1;
    truth = create_in_block<Model>(context.allocator, &context, shape);
    fill_random(*truth, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, seed);
    truth->beta = beta;
    int64_t count = 1;
    for (int64_t i = 0; i < sites; ++i) count *= colors;
    AlignmentShape all;
    all.count = count;
    all.sites = sites;
    all.colors = colors;
    states = create_in_block<Alignment>(context.allocator, &context, all);
    for (int64_t n = 0; n < count; ++n)
      for (int64_t i = sites - 1, rest = n; i >= 0; --i, rest /= colors)
        states->own_sequences[n * sites + i] = static_cast<uint8_t>(rest % colors);
    std::vector<double> h(static_cast<size_t>(count));
    energies(*truth, states->sequences.data(), count, h.data());
    double lowest = h[0], z = 0;
    for (double x : h) lowest = std::fmin(lowest, x);
    for (int64_t n = 0; n < count; ++n) z += states->weights[n] = std::exp(-beta * (h[static_cast<size_t>(n)] - lowest));
    for (double &p : states->weights) p /= z;
  }
  ~SmallPotts() {
    for (Trainer *t : trainers_) destroy_trainer(t);
    for (Alignment *a : samples_) destroy_block(context.allocator, a);
    destroy_block(context.allocator, states);
    destroy_block(context.allocator, truth);
  }
  SmallPotts(const SmallPotts &) = delete;
  SmallPotts &operator=(const SmallPotts &) = delete;

  // Independent samples of the exact distribution, by inversion.
  Alignment *sample(int64_t count, uint64_t seed) {
    AlignmentShape shape = states->shape;
    shape.count = count;
    Alignment *a = create_in_block<Alignment>(context.allocator, &context, shape);
    samples_.push_back(a);
    std::vector<double> sum(static_cast<size_t>(states->count()));
    double total = 0;
    for (size_t n = 0; n < sum.size(); ++n) sum[n] = total += states->weights[static_cast<int64_t>(n)];
    const RandomView random(seed, Stream::start, 0, 0);
    for (int64_t n = 0; n < count; ++n) {
      const double u = random.uniform(static_cast<uint64_t>(n)) * total;
      size_t low = 0, high = sum.size() - 1;
      while (low < high) {
        const size_t middle = (low + high) / 2;
        if (sum[middle] > u)
          high = middle;
        else
          low = middle + 1;
      }
      std::memcpy(a->own_sequences.data() + n * a->sites(), states->sequence(static_cast<int64_t>(low)), static_cast<size_t>(a->sites()));
      a->weights[n] = 1;
    }
    return a;
  }

  // The same samples as weights of all states: the weight of a state is how often it was drawn.
  Alignment *counted_sample(int64_t count, uint64_t seed) {
    const Alignment *drawn = sample(count, seed);
    Alignment *a = create_in_block<Alignment>(context.allocator, &context, states->shape);
    samples_.push_back(a);
    std::memcpy(a->own_sequences.data(), states->sequences.data(), static_cast<size_t>(states->sequences.size()));
    for (int64_t n = 0; n < count; ++n) {
      int64_t state = 0;
      for (int64_t i = 0; i < a->sites(); ++i) state = state * a->colors() + drawn->sequence(n)[i];
      a->weights[state] += 1;
    }
    return a;
  }

  // A trainer; V is set to the truth where colours are fixed.
  Trainer *trainer(const Alignment &train, const Options &options) {
    Trainer *t = create_trainer(context, options, train);
    if (options.flag(ATP_OPT_COLORS_FIXED)) t->set_values(truth->values);
    trainers_.push_back(t);
    return t;
  }

  Context context;
  Model *truth;
  Alignment *states;  // all q^L states, weights P(s)

 private:
  std::vector<Alignment *> samples_;
  std::vector<Trainer *> trainers_;
};

inline Span<const double> parameters_in(const Trainer &trainer) { return trainer.parameters().of<double>(); }

// Run without a callback, or with one.
inline atp_outcome run(Trainer &trainer, int64_t epochs, atp_progress_fn callback = nullptr, void *user = nullptr) {
  Reporter reporter(callback, user, trainer.stop());
  return trainer.run(epochs, reporter);
}

inline Options options_of(std::initializer_list<std::pair<atp_option, double>> pairs, const OptionTable &owner = kTrainerOptions) {
  Options options(owner);
  for (const auto &p : pairs) options.set(p.first, p.second);
  return options;
}

}  // namespace atp
