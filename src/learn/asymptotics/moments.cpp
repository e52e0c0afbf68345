// SPDX-License-Identifier: MIT
#include "learn/asymptotics/moments.hpp"

#include "math/linalg/lapack.hpp"
#include "math/optim/stochastic.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

double States::read(int64_t n, uint8_t *sequence) const {
  const int64_t L = model_->sites(), q = model_->colors();
  if (alignment_ != nullptr) {
    const uint8_t *from = alignment_->sequence(n);
    for (int64_t i = 0; i < L; ++i) {
      const uint8_t without = from[i] == 0 ? kMissing : static_cast<uint8_t>(from[i] - 1);
      sequence[i] = gap_ && from[i] != kMissing ? without : from[i];
    }
    return alignment_->weights[n];
  }
  int64_t rest = n;
  for (int64_t i = L - 1; i >= 0; --i, rest /= q) sequence[i] = static_cast<uint8_t>(rest % q);
  return probabilities_[n];
}

double Masks::hide(int64_t n, int64_t view, int64_t i, Span<uint8_t> masked, uint8_t *shown) const {
  const int64_t sites = masked.size();
  if (kind == none) return 1;
  if (kind == drawn) {
    draw_mask(seed, static_cast<uint64_t>(view), n, probability, masked);
    for (int64_t j = 0; j < sites; ++j)
      if (masked[j] != 0) shown[j] = kMissing;
    return masked[i] == 0 ? 0 : 1 / static_cast<double>(drawn_count);
  }
  double weight = probability;
  for (int64_t j = 0, bit = 0; j < sites; ++j) {
    if (j == i) continue;
    const bool hidden = (view >> bit++ & 1) != 0;
    if (hidden) shown[j] = kMissing;
    weight *= hidden ? probability : 1 - probability;
  }
  return weight;
}

MomentsPass::MomentsPass(const Unknowns &unknowns, const States &states, const Masks &masks, Threads threads)
    : unknowns_(unknowns), states_(states), masks_(masks), threads_(threads) {
  // About 32 MB of rows for each thread. The bits depend on it: it follows from the shape alone.
  const int64_t row = unknowns.model().colors() * unknowns.most_seen();
  chunk_ = std::min(states.count(), std::max<int64_t>(16, std::min<int64_t>(1024, (int64_t{1} << 22) / row)));
}

void MomentsPass::lay_out(Arena &arena) {
  const int64_t L = unknowns_.model().sites(), q = unknowns_.model().colors(), most = unknowns_.most_seen(), p = unknowns_.count();
  sequences_ = arena.take<uint8_t>(chunk_, L);
  shown_ = arena.take<uint8_t>(threads_, 2 * L);
  weights_ = arena.take<double>(chunk_);
  slopes_ = arena.take<double>(threads_, q, most);
  rows_ = arena.take<double>(threads_, chunk_ * q, most);
  product_ = arena.take<double>(threads_, most, most);
  site_curvature_ = arena.take<double>(L, most, most);
  site_scores_ = arena.take<double>(L, chunk_, most);
  scores_ = arena.take<double>(chunk_, p);
  outer_ = arena.take<double>(p, p);
  sums_ = arena.take<SiteSums>(L);
}

// Adds a predicted site: rows sqrt(w p_a) (S_a - sum_b p_b S_b), whose products with themselves are its curvature, and its score, which is
// without the weight of its sequence.
void MomentsPass::add_view(int64_t i, int64_t color, const uint8_t *shown, const ViewWeight &weight, const double *slopes, double *rows,
                           double *scores) {
  const Model &model = unknowns_.model();
  const int64_t q = model.colors(), n = unknowns_.seen_by(i).size();
  double p[kMaxColors], root[kMaxColors];
  model.local_field(shown, i, p);
  double most = p[0], sum = 0;
  for (int64_t a = 1; a < q; ++a) most = std::max(most, p[a]);
  const double below = model.beta * (most - p[color]);
  for (int64_t a = 0; a < q; ++a) sum += p[a] = std::exp(model.beta * (p[a] - most));
  const double whole = weight.sequence * weight.share;
  for (int64_t a = 0; a < q; ++a) p[a] /= sum, root[a] = std::sqrt(whole * p[a]);
  sums_[i].loss += whole * (below + std::log(sum));
  sums_[i].predicted += whole;
  for (int64_t k = 0; k < n; ++k) {
    double mean = 0;
    for (int64_t a = 0; a < q; ++a) mean += p[a] * slopes[a * n + k];
    for (int64_t a = 0; a < q; ++a) rows[a * n + k] = root[a] * (slopes[a * n + k] - mean);
    if (scores != nullptr) scores[k] += weight.share * (mean - slopes[color * n + k]);
  }
}

// Minus the derivative of log(weight of the state) by the unknowns, the part of site i: pairs are in two sites.
void MomentsPass::add_likelihood(int64_t i, int64_t color, const double *slopes, double *scores) const {
  const int64_t n = unknowns_.seen_by(i).size(), fields = unknowns_.fields_of_site();
  for (int64_t k = 0; k < n; ++k) scores[k] -= (k < fields ? 1 : 0.5) * slopes[color * n + k];
}

// The curvature and the scores of site i in a chunk of sequences.
void MomentsPass::site(int64_t i, int64_t first, int64_t count, Score score, int thread) {
  const int64_t L = unknowns_.model().sites(), q = unknowns_.model().colors(), most = unknowns_.most_seen(),
                n = unknowns_.seen_by(i).size();
  double *slopes = slopes_.data() + thread * q * most, *rows = rows_.data() + thread * chunk_ * q * most;
  double *product = product_.data() + thread * most * most, *curvature = site_curvature_.data() + i * most * most;
  double *scores = site_scores_.data() + i * chunk_ * most;
  uint8_t *shown = shown_.data() + thread * 2 * L;
  std::fill_n(scores, count * n, 0.0);
  for (int64_t view = 0; view < masks_.views(L); ++view) {
    int64_t used = 0;
    for (int64_t m = 0; m < count; ++m) {
      const uint8_t *sequence = sequences_.data() + m * L;
      if (sequence[i] == kMissing || weights_[m] == 0) continue;
      std::copy_n(sequence, L, shown);
      const double share = masks_.hide(first + m, view, i, Span<uint8_t>(shown + L, L), shown);
      if (share == 0) continue;
      shown[i] = kMissing;
      unknowns_.slopes(i, shown, slopes);
      if (score == Score::likelihood) add_likelihood(i, sequence[i], slopes, scores + m * n);
      add_view(i, sequence[i], shown, {weights_[m], share}, slopes, rows + used++ * q * n,
               score == Score::conditional ? scores + m * n : nullptr);
    }
    if (used == 0) continue;
    symmetric_product(threads_, true, n, used * q, 1, rows, product);
    for (int64_t r = 0; r < n; ++r)
      for (int64_t c = r; c < n; ++c) curvature[r * n + c] += product[r * n + c];
  }
}

// Scores of the chunk to the unknowns, in the order of the sites, times the roots of the weights; then their sums and products.
void MomentsPass::add_scores(int64_t count, Moments &out) {
  const int64_t L = unknowns_.model().sites(), p = unknowns_.count(), most = unknowns_.most_seen();
  parallel_for(threads_, count, [&](int64_t m, int) {
    double *score = scores_.data() + m * p;
    const double root = std::sqrt(weights_[m]);
    std::fill_n(score, p, 0.0);
    for (int64_t i = 0; i < L && root > 0; ++i) {
      const Span<const int64_t> places = unknowns_.seen_by(i);
      const double *from = site_scores_.data() + i * chunk_ * most + m * places.size();
      for (int64_t k = 0; k < places.size(); ++k) score[places[k]] += root * from[k];
    }
  });
  for (int64_t m = 0; m < count; ++m)
    for (int64_t k = 0; k < p; ++k) out.mean[k] += std::sqrt(weights_[m]) * scores_[m * p + k];
  symmetric_product(threads_, true, p, count, 1, scores_.data(), outer_.data());
  for (int64_t r = 0; r < p; ++r)
    for (int64_t c = r; c < p; ++c) out.covariance[r * p + c] += outer_[r * p + c];
}

// Sums to means, sites to the whole, and both triangles.
void MomentsPass::finish(Score score, Moments &out) {
  const int64_t L = unknowns_.model().sites(), p = unknowns_.count(), most = unknowns_.most_seen();
  for (int64_t i = 0; i < L; ++i) {
    const Span<const int64_t> places = unknowns_.seen_by(i);
    const double *from = site_curvature_.data() + i * most * most;
    for (int64_t r = 0; r < places.size(); ++r)
      for (int64_t c = 0; c < places.size(); ++c)
        out.curvature[places[r] * p + places[c]] += from[std::min(r, c) * places.size() + std::max(r, c)] / out.weight;
    out.loss += sums_[i].loss / out.weight;
    out.predicted += sums_[i].predicted / out.weight;
  }
  if (score == Score::none) return;
  for (double &x : out.mean) x /= out.weight;
  for (int64_t r = 0; r < p; ++r)
    for (int64_t c = r; c < p; ++c)
      out.covariance[r * p + c] = out.covariance[c * p + r] = out.covariance[r * p + c] / out.weight - out.mean[r] * out.mean[c];
}

void MomentsPass::run(Score score, Moments &out) {
  const int64_t L = unknowns_.model().sites(), total = states_.count();
  std::fill(site_curvature_.begin(), site_curvature_.end(), 0.0);
  std::fill(sums_.begin(), sums_.end(), SiteSums{0, 0});
  for (const Span<double> &array : {out.curvature, out.covariance, out.mean}) std::fill(array.begin(), array.end(), 0.0);
  out.weight = out.loss = out.predicted = 0;
  for (int64_t first = 0; first < total; first += chunk_) {
    const int64_t count = std::min(chunk_, total - first);
    for (int64_t m = 0; m < count; ++m) out.weight += weights_[m] = states_.read(first + m, sequences_.data() + m * L);
    parallel_for(threads_, L, [&](int64_t i, int thread) { site(i, first, count, score, thread); });
    if (score != Score::none) add_scores(count, out);
  }
  finish(score, out);
}

}  // namespace atp
