// SPDX-License-Identifier: MIT
// Visits the states in the order of a tree. A node of depth d has fixed the colours of sites 0..d-1 and stores
// the fields that they produce at the other sites. The energy of a state is a sum over its path. No running
// differences accumulate rounding errors, and the cost per state does not grow with L. Weights exp(-beta (H -
// H_min)) are summed up the tree, q at a time. Sums with many terms (marginals, pairs) are compensated.
#include "potts/enumerate.hpp"

#include "potts/summation.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

// Largest L, L q and L^2 q of a model with q^L <= 2^26 and q <= 255: L = 26, and 765 and 2295 at L = 3, q = 255.
constexpr int64_t kMaxDepth = 26, kMaxSingles = 768, kMaxPath = 2304;

class Tree {
 public:
  Tree(const Model &model, const StateSums &out)
      : model_(model), out_(out), sites_(model.sites()), colors_(model.colors()), beta_(model.beta) {
    for (int64_t k = 0; k < sites_ * colors_; ++k) fields_[k] = model.fields.empty() ? 0 : model.fields[k];
    lowest_ = lowest(0, 0);
  }

  void run() {
    const int64_t singles = sites_ * colors_, block = colors_ * colors_;
    std::fill_n(singles_, singles, 0.0);
    std::fill_n(single_errors_, singles, 0.0);
    if (out_.pairs != nullptr) std::fill_n(out_.pairs, sites_ * sites_ * block, 0.0);
    const Sums all = descend(0, 0);
    for (int64_t k = 0; k < singles; ++k) singles_[k] = (singles_[k] + single_errors_[k]) / all.weight;
    if (out_.log_z != nullptr) *out_.log_z = std::log(all.weight) - beta_ * lowest_;
    if (out_.energy != nullptr) *out_.energy = lowest_ + all.energy / all.weight;
    if (out_.marginals != nullptr) std::copy_n(singles_, singles, out_.marginals);
    for (int64_t k = 0; out_.probabilities != nullptr && k < next_state_; ++k) out_.probabilities[k] /= all.weight;
    if (out_.pairs != nullptr) finish_pairs(all.weight);
  }

 private:
  struct Sums {
    double weight = 0, energy = 0;  // sum of w and of w (H - H_min) over a subtree
  };

  double *fields(int64_t depth, int64_t site) { return fields_ + (depth * sites_ + site) * colors_; }
  double *pair(int64_t i, int64_t j) { return out_.pairs + (i * sites_ + j) * colors_ * colors_; }

  // Fixes the colour of site d: computes the fields of the later sites at depth d + 1.
  void fix(int64_t d, int64_t color) {
    for (int64_t k = d + 1; k < sites_; ++k) {
      const double *from = fields(d, k);
      double *to = fields(d + 1, k);
      for (int64_t b = 0; b < colors_; ++b) to[b] = from[b] + 0.5 * (model_.coupling(d, k, color, b) + model_.coupling(k, d, b, color));
    }
  }

  double lowest(int64_t d, double energy) {
    const double *field = fields(d, d);
    if (d == sites_ - 1) return energy - *std::max_element(field, field + colors_);
    double least = INFINITY;
    for (int64_t a = 0; a < colors_; ++a) {
      fix(d, a);
      least = std::min(least, lowest(d + 1, energy - field[a]));
    }
    return least;
  }

  Sums descend(int64_t d, double energy) {
    Sums sum;
    for (int64_t a = 0; a < colors_; ++a) {
      const double here = energy - fields(d, d)[a];
      Sums part;
      if (d == sites_ - 1) {
        part.weight = std::exp(-beta_ * (here - lowest_));
        part.energy = part.weight * (here - lowest_);
        if (out_.probabilities != nullptr) out_.probabilities[next_state_++] = part.weight;
      } else {
        path_[d] = a;
        fix(d, a);
        part = descend(d + 1, here);
      }
      record(d, a, part.weight);
      sum.weight += part.weight;
      sum.energy += part.energy;
    }
    return sum;
  }

  // Adds `weight` for all states in which sites 0..d have the colours path_[0..d-1] and a. The blocks (j, i),
  // j > i, store the rounding errors of the blocks (i, j).
  void record(int64_t d, int64_t a, double weight) {
    add_compensated(singles_[d * colors_ + a], single_errors_[d * colors_ + a], weight);
    for (int64_t i = 0; out_.pairs != nullptr && i < d; ++i) {
      const int64_t k = path_[i] * colors_ + a;
      add_compensated(pair(i, d)[k], pair(d, i)[k], weight);
    }
  }

  void finish_pairs(double total) {
    for (int64_t i = 0; i < sites_; ++i) {
      for (int64_t a = 0; a < colors_; ++a) pair(i, i)[a * colors_ + a] = singles_[i * colors_ + a];
      for (int64_t j = i + 1; j < sites_; ++j) {
        double *upper = pair(i, j), *lower = pair(j, i);
        for (int64_t k = 0; k < colors_ * colors_; ++k) upper[k] = (upper[k] + lower[k]) / total;
        for (int64_t a = 0; a < colors_; ++a)
          for (int64_t b = 0; b < colors_; ++b) lower[b * colors_ + a] = upper[a * colors_ + b];
      }
    }
  }

  const Model &model_;
  const StateSums &out_;
  int64_t sites_, colors_;
  double beta_, lowest_ = 0;
  int64_t next_state_ = 0;
  int64_t path_[kMaxDepth];
  double fields_[kMaxPath];  // [depth][site][colour]
  double singles_[kMaxSingles], single_errors_[kMaxSingles];
};

}  // namespace

int64_t count_states(const Model &model) {
  int64_t states = 1;
  for (int64_t i = 0; i < model.sites(); ++i) {
    states *= model.colors();
    if (states > kMaxStates)
      fail(ATP_E_TOO_LARGE, "model has %lld^%lld states, enumeration takes at most 2^26", static_cast<long long>(model.colors()),
           static_cast<long long>(model.sites()));
  }
  return states;
}

void enumerate_states(const Model &model, const StateSums &out) { Tree(model, out).run(); }

}  // namespace atp
