// SPDX-License-Identifier: MIT
// Small random alignments with gaps and weights, and trainers of dense couplings on them.
#pragma once

#include "counting.h"

#include "learn/dense/dense_data.hpp"
#include "learn/trainer.hpp"
#include "base/philox.hpp"
#include "simd/targets.hpp"

#include <cmath>
#include <memory>
#include <vector>

namespace atp {

using Vector = std::vector<double>;
using Pairs = std::vector<int64_t>;  // [n][2]

inline Options dense_options(std::initializer_list<std::pair<atp_option, double>> pairs) {
  Options options(kTrainerOptions);
  options.set(ATP_OPT_FAMILY, int64_t{ATP_FAMILY_DENSE});
  for (const auto &p : pairs) options.set(p.first, p.second);
  return options;
}

class DenseProblem {
 public:
  // Colours are uniform but that neighbouring sites agree every third time; weights between 0.25 and 1.25, some 0.
  DenseProblem(int64_t count, int64_t sites, int64_t colors, Target target = Target::scalar, uint64_t seed = 1)
      : context(counting_alloc, counting_free, nullptr) {
    context.target = target;
    AlignmentShape shape;
    shape.count = count;
    shape.sites = sites;
    shape.colors = colors;
    data = create_in_block<Alignment>(context.allocator, &context, shape);
    const RandomView random(seed, Stream::start, 0, 0), place(seed, Stream::mask, 0, 0);
    for (int64_t k = 0; k < count * sites; ++k) {
      const uint64_t u = static_cast<uint64_t>(k);
      const bool copy = k % sites > 0 && place.below(u, 3) == 0;
      data->own_sequences[k] = copy ? data->sequences[k - 1] : static_cast<uint8_t>(random.below(u, static_cast<uint32_t>(colors)));
    }
    for (int64_t n = 0; n < count; ++n) data->weights[n] = n % 7 == 3 ? 0.0 : 0.25 + place.uniform(static_cast<uint64_t>(n) + 1000000);
  }
  ~DenseProblem() {
    for (Trainer *t : trainers_) destroy_trainer(t);
    destroy_block(context.allocator, data);
  }
  DenseProblem(const DenseProblem &) = delete;
  DenseProblem &operator=(const DenseProblem &) = delete;

  Trainer &trainer(const Options &options) {
    trainers_.push_back(create_trainer(context, options, *data));
    return *trainers_.back();
  }
  // With couplings of these pairs only.
  Trainer &trainer(const Options &options, const Pairs &pairs) {
    trainers_.push_back(create_trainer(context, options, *data, pairs.data(), static_cast<int64_t>(pairs.size() / 2)));
    return *trainers_.back();
  }
  // About every `odds`-th pair of sites, at least one, with the larger site first and the last pairs at the front.
  Pairs some_pairs(uint32_t odds, uint64_t seed = 9) const {
    const RandomView random(seed, Stream::start, 1, 0);
    Pairs pairs;
    for (int64_t j = data->sites() - 1, k = 0; j > 0; --j)
      for (int64_t i = j - 1; i >= 0; --i, ++k)
        if (k == 0 || random.below(static_cast<uint64_t>(k), odds) == 0) pairs.insert(pairs.end(), {j, i});
    return pairs;
  }
  // Random parameters of about this size.
  static Vector parameters(const Trainer &t, double scale, uint64_t seed = 5) {
    const RandomView normal(seed, Stream::parameters, 0, 0);
    Vector x(static_cast<size_t>(t.parameter_count()));
    for (size_t k = 0; k < x.size(); ++k) x[k] = scale * normal.normal(k);
    return x;
  }

  Context context;
  Alignment *data;

 private:
  std::vector<Trainer *> trainers_;
};

inline void set(Trainer &t, const Vector &x) { t.set_parameters({x.data(), static_cast<int64_t>(x.size())}); }
inline Vector parameters_of(const Trainer &t) {
  Vector x(static_cast<size_t>(t.parameter_count()));
  t.copy_parameters(x.data());
  return x;
}
inline Vector gradient_of(Trainer &t, double *loss = nullptr, double *objective = nullptr) {
  Vector g(static_cast<size_t>(t.parameter_count()), NAN);
  const Evaluation now = t.evaluate({g.data(), static_cast<int64_t>(g.size())});
  if (loss != nullptr) *loss = now.loss;
  if (objective != nullptr) *objective = now.objective;
  return g;
}
inline double objective_at(Trainer &t, const Vector &x) {
  set(t, x);
  return t.evaluate({}).objective;
}
inline atp_outcome run_all(Trainer &t, int64_t epochs, atp_progress_fn callback = nullptr, void *user = nullptr) {
  Reporter reporter(callback, user, t.stop());
  return t.run(epochs, reporter);
}

}  // namespace atp
