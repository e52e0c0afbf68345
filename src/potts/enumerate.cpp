// SPDX-License-Identifier: MIT
// Visits the states in the order of a tree. A node of depth d has fixed the colours of sites 0..d-1 and stores
// the fields that they produce at the other sites. The energy of a state is a sum over its path. No running
// differences accumulate rounding errors, and the cost per state does not grow with L. Weights exp(-beta (H -
// H_min)) are summed up the tree, q at a time. Sums with many terms (marginals, pairs) are compensated. The tree of an autoregressive model
// fixes its sites in their order, so that the fields of a node are those of a conditional, and its energy is -log P(s).
#include "potts/enumerate.hpp"

#include "potts/evaluate.hpp"
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
      : model_(model),
        out_(out),
        sites_(model.sites()),
        colors_(model.colors()),
        beta_(model.shape.ordered ? 1
              : out.beta < 0      ? model.beta
                                  : out.beta) {
    for (int64_t k = 0; k < sites_ * colors_; ++k)
      fields_[k] = model.fields.empty() ? 0 : model.fields[site(k / colors_) * colors_ + k % colors_];
    for (int64_t i = sites_ - 1, stride = 1; i >= 0; --i, stride *= colors_) strides_[i] = stride;
    lowest_ = model.shape.ordered ? 0 : lowest(0, 0);
  }

  void run() {
    const int64_t singles = sites_ * colors_, block = colors_ * colors_;
    std::fill_n(singles_, singles, 0.0);
    std::fill_n(single_errors_, singles, 0.0);
    if (out_.pairs != nullptr) std::fill_n(out_.pairs, sites_ * sites_ * block, 0.0);
    const Sums all = descend(0, 0, 0);
    for (int64_t k = 0; k < singles; ++k) singles_[k] = (singles_[k] + single_errors_[k]) / all.weight;
    if (out_.log_z != nullptr) *out_.log_z = std::log(all.weight) - beta_ * lowest_;
    if (out_.energy != nullptr) *out_.energy = lowest_ + all.energy / all.weight;
    if (out_.marginals != nullptr) std::copy_n(singles_, singles, out_.marginals);
    for (int64_t k = 0; out_.probabilities != nullptr && k < strides_[0] * colors_; ++k) out_.probabilities[k] /= all.weight;
    if (out_.moments != nullptr) {
      const double mean = all.energy / all.weight;
      out_.moments->energy_variance = all.square / all.weight - mean * mean;
      for (int k = 0; k < 3; ++k) {
        out_.moments->order[k] = all.order[k] / all.weight;
        out_.moments->reference[k] = all.reference[k] / all.weight;
      }
    }
    if (out_.pairs != nullptr) finish_pairs(all.weight);
  }

 private:
  struct Sums {
    double weight = 0, energy = 0;                        // sum of w and of w (H - H_min) over a subtree
    double square = 0, order[3] = {}, reference[3] = {};  // for moments: of w (H - H_min)^2, and of w m, w m^2, w m^4, of r likewise
    void add(const Sums &part) {
      weight += part.weight;
      energy += part.energy;
      square += part.square;
      for (int k = 0; k < 3; ++k) order[k] += part.order[k], reference[k] += part.reference[k];
    }
  };

  // Adds the moments of the present state to sums of its weight and energy.
  void weigh_moments(Sums &state, double above) {
    state.square = state.energy * above;
    weigh_powers(*std::max_element(counts_, counts_ + colors_), state.weight, state.order);
    weigh_powers(agree_, state.weight, state.reference);
  }

  // Powers 1, 2 and 4 of the magnetisation of a state with so many sites of one kind.
  void weigh_powers(int64_t alike, double weight, double *powers) const {
    const double q = static_cast<double>(colors_), m = (q * static_cast<double>(alike) / static_cast<double>(sites_) - 1) / (q - 1);
    powers[0] = weight * m;
    powers[1] = weight * m * m;
    powers[2] = weight * m * m * m * m;
  }

  // The site of depth d.
  int64_t site(int64_t d) const { return model_.site_at(d); }
  // Of the site of depth `later` at a node.
  double *fields(int64_t depth, int64_t later) { return fields_ + (depth * sites_ + later) * colors_; }
  double *pair(int64_t i, int64_t j) { return out_.pairs + (i * sites_ + j) * colors_ * colors_; }

  // The contribution of colour a at the site of depth d to the field of colour b at a later one.
  double coupling(int64_t d, int64_t later, int64_t a, int64_t b) const {
    const double seen = model_.coupling(site(later), site(d), b, a);
    return model_.shape.ordered ? seen : 0.5 * (model_.coupling(site(d), site(later), a, b) + seen);
  }

  // The energy of colour a at the site of depth d of the present node.
  double own_energy(int64_t d, int64_t a) {
    return model_.shape.ordered ? negative_log_softmax(fields(d, d), colors_, model_.beta, a) : -fields(d, d)[a];
  }

  // Fixes the colour of the site of depth d: computes the fields of the later sites at depth d + 1.
  void fix(int64_t d, int64_t color) {
    for (int64_t k = d + 1; k < sites_; ++k) {
      const double *from = fields(d, k);
      double *to = fields(d + 1, k);
      for (int64_t b = 0; b < colors_; ++b) to[b] = from[b] + coupling(d, k, color, b);
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

  // `state` is the index of the colours so far among the q^L states.
  Sums descend(int64_t d, double energy, int64_t state) {
    Sums sum;
    for (int64_t a = 0; a < colors_; ++a) {
      const int64_t agrees = out_.reference != nullptr && out_.reference[site(d)] == a ? 1 : 0;
      const double here = energy + own_energy(d, a);
      const int64_t index = state + a * strides_[site(d)];
      Sums part;
      ++counts_[a];
      agree_ += agrees;
      if (d == sites_ - 1) {
        part.weight = std::exp(-beta_ * (here - lowest_));
        part.energy = part.weight * (here - lowest_);
        if (out_.moments != nullptr) weigh_moments(part, here - lowest_);
        if (out_.probabilities != nullptr) out_.probabilities[index] = part.weight;
      } else {
        path_[d] = a;
        fix(d, a);
        part = descend(d + 1, here, index);
      }
      --counts_[a];
      agree_ -= agrees;
      record(d, a, part.weight);
      sum.add(part);
    }
    return sum;
  }

  // Adds `weight` for all states in which the sites of depths 0..d have the colours path_[0..d-1] and a. The blocks (j, i),
  // j > i, store the rounding errors of the blocks (i, j).
  void record(int64_t d, int64_t a, double weight) {
    const int64_t own = site(d);
    add_compensated(singles_[own * colors_ + a], single_errors_[own * colors_ + a], weight);
    for (int64_t depth = 0; out_.pairs != nullptr && depth < d; ++depth) {
      const int64_t i = site(depth), k = i < own ? path_[depth] * colors_ + a : a * colors_ + path_[depth];
      add_compensated(pair(std::min(i, own), std::max(i, own))[k], pair(std::max(i, own), std::min(i, own))[k], weight);
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
  int64_t strides_[kMaxDepth];  // of the sites in the index of a state
  int64_t path_[kMaxDepth];
  int64_t counts_[256] = {};  // sites of each colour so far
  int64_t agree_ = 0;         // and those equal to the reference
  double fields_[kMaxPath];   // [depth][later depth][colour]
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
