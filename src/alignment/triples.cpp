// SPDX-License-Identifier: MIT
#include "alignment/triples.hpp"

#include "alignment/frequencies.hpp"
#include "alignment/moments.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace atp {

namespace {

constexpr int64_t kColors = Triples::kColors;
// Places of a site: those of candidates, then all other colours, then no colour.
constexpr int64_t kOther = kColors, kNone = kColors + 1, kPlaces = kColors + 2;
constexpr int64_t kBlock = kPlaces * kPlaces * kPlaces;

double at(const double *block, int64_t a, int64_t b, int64_t c) { return block[(a * kPlaces + b) * kPlaces + c]; }

// Frequencies of one and two sites among the sequences that have all three.
struct Marginals {
  double i[kNone] = {}, j[kNone] = {}, k[kNone] = {};
  double ij[kNone][kNone] = {}, ik[kNone][kNone] = {}, jk[kNone][kNone] = {};
  double total = 0;

  explicit Marginals(const double *block) {
    for (int64_t a = 0; a < kNone; ++a)
      for (int64_t b = 0; b < kNone; ++b)
        for (int64_t c = 0; c < kNone; ++c) total += at(block, a, b, c);
    for (int64_t a = 0; a < kNone; ++a)
      for (int64_t b = 0; b < kNone; ++b)
        for (int64_t c = 0; c < kNone; ++c) {
          const double f = at(block, a, b, c) / total;
          i[a] += f, j[b] += f, k[c] += f;
          ij[a][b] += f, ik[a][c] += f, jk[b][c] += f;
        }
  }
  double connected(const double *block, int64_t a, int64_t b, int64_t c) const {
    return at(block, a, b, c) / total - ij[a][b] * k[c] - ik[a][c] * j[b] - jk[b][c] * i[a] + 2 * i[a] * j[b] * k[c];
  }
};

}  // namespace

Triples::Triples(Arena &arena, int64_t count, int64_t sites, int64_t q, int64_t most, int threads)
    : sites_(sites),
      q_(q),
      most_(most),
      threads_(threads),
      candidates_(arena.take<int64_t>(sites)),
      color_count_(arena.take<int64_t>(kSites)),
      places_(arena.take<uint8_t>(kSites, q)),
      site_values_(arena.take<double>(sites)),
      columns_(arena.take<uint8_t>(kSites, count)),
      weights_(arena.take<double>(count)),
      blocks_(arena.take<double>(threads, kBlock)),
      found_(arena.take<Element>(threads, 2 * most)),
      found_count_(arena.take<int64_t>(threads)),
      in_samples_(arena.take<double>(most)) {}

bool Triples::before(const Element &x, const Element &y) {
  const double u = std::fabs(x.value), v = std::fabs(y.value);
  if (u != v) return u > v;
  return x.triple != y.triple ? x.triple < y.triple : x.colors < y.colors;
}

void Triples::choose_candidates(const Colored &data) {
  double f[256];
  const auto find = [&](int64_t i) {
    count_colors(data.alignment, i, data.missing, q_, f);
    const double total = std::accumulate(f, f + q_, 0.0);
    for (int64_t a = 0; a < q_; ++a) f[a] = total > 0 ? f[a] / total : 0;
  };
  for (int64_t i = 0; i < sites_; ++i) {
    find(i);
    site_values_[i] = 0;
    for (int64_t a = 0; a < q_; ++a) site_values_[i] += f[a] * f[a] * (1 - f[a]) * (1 - f[a]);
  }
  std::iota(candidates_.begin(), candidates_.end(), 0);
  std::stable_sort(candidates_.begin(), candidates_.end(), [&](int64_t i, int64_t j) { return site_values_[i] > site_values_[j]; });
  candidate_count_ = std::min(kSites, sites_);
  std::sort(candidates_.begin(), candidates_.begin() + candidate_count_);
  for (int64_t p = 0; p < candidate_count_; ++p) {
    find(candidates_[p]);
    int64_t order[256];
    std::iota(order, order + q_, 0);
    std::stable_sort(order, order + q_, [&](int64_t a, int64_t b) { return f[a] > f[b]; });
    color_count_[p] = std::min(kColors, q_);
    std::sort(order, order + color_count_[p]);
    std::fill_n(places_.data() + p * q_, q_, static_cast<uint8_t>(kOther));
    for (int64_t r = 0; r < color_count_[p]; ++r) places_[p * q_ + order[r]] = static_cast<uint8_t>(r);
  }
}

void Triples::set_columns(const Colored &of, Threads threads) {
  sequences_ = of.alignment.count();
  std::copy_n(of.alignment.weights.data(), sequences_, weights_.data());
  parallel_for(threads, candidate_count_, [&](int64_t p, int) {
    uint8_t *column = columns_.data() + p * sequences_;
    for (int64_t n = 0; n < sequences_; ++n) {
      const int64_t a = of.alignment.sequence(n)[candidates_[p]] - of.missing;
      column[n] = a < 0 ? static_cast<uint8_t>(kNone) : places_[p * q_ + a];
    }
  });
}

// Summed weights by the places at three candidates, [kPlaces][kPlaces][kPlaces].
const double *Triples::count(int64_t i, int64_t j, int64_t k, int thread) {
  double *block = blocks_.data() + thread * kBlock;
  std::fill_n(block, kBlock, 0.0);
  const uint8_t *a = columns_.data() + i * sequences_, *b = columns_.data() + j * sequences_, *c = columns_.data() + k * sequences_;
  for (int64_t n = 0; n < sequences_; ++n) block[(a[n] * kPlaces + b[n]) * kPlaces + c[n]] += weights_[n];
  return block;
}

// Leaves the `most` largest of what the thread found, in no order but the last of them at the end.
void Triples::keep_largest(int thread) {
  Element *mine = found_.data() + thread * 2 * most_;
  if (found_count_[thread] < most_) return;
  std::nth_element(mine, mine + most_ - 1, mine + found_count_[thread], before);
  found_count_[thread] = most_;
}

void Triples::collect(int32_t triple, const double *block, int thread) {
  const Marginals f(block);
  if (!(f.total > 0)) return;
  const int64_t i = triple / kSites / kSites, j = triple / kSites % kSites, k = triple % kSites;
  Element *mine = found_.data() + thread * 2 * most_;
  for (int64_t a = 0; a < color_count_[i]; ++a)
    for (int64_t b = 0; b < color_count_[j]; ++b)
      for (int64_t c = 0; c < color_count_[k]; ++c) {
        const Element element{f.connected(block, a, b, c), triple, static_cast<int32_t>((a * kColors + b) * kColors + c)};
        int64_t &n = found_count_[thread];
        if (n >= most_ && before(mine[most_ - 1], element)) continue;
        mine[n++] = element;
        if (n == most_ || n == 2 * most_) keep_largest(thread);
      }
}

void Triples::choose(const Colored &data, Threads threads) {
  choose_candidates(data);
  set_columns(data, threads);
  std::fill(found_count_.begin(), found_count_.end(), 0);
  const int64_t n = candidate_count_;
  parallel_for(threads, n * n, [&](int64_t pair, int thread) {
    const int64_t i = pair / n, j = pair % n;
    for (int64_t k = j + 1; i < j && k < n; ++k)
      collect(static_cast<int32_t>((i * kSites + j) * kSites + k), count(i, j, k, thread), thread);
  });
  // Each thread's largest, then the largest of all. What is where does not depend on the threads once it is sorted.
  for (int64_t t = 1; t < threads_; ++t) {
    keep_largest(static_cast<int>(t));
    for (int64_t e = 0; e < std::min(most_, found_count_[t]); ++e) {
      found_[found_count_[0]++] = found_[t * 2 * most_ + e];
      if (found_count_[0] == 2 * most_) keep_largest(0);
    }
  }
  keep_largest(0);
  chosen_ = std::min(most_, found_count_[0]);
  std::sort(found_.data(), found_.data() + chosen_,
            [](const Element &x, const Element &y) { return x.triple != y.triple ? x.triple < y.triple : x.colors < y.colors; });
}

void Triples::compare(const Colored &samples, Threads threads, double *numbers) {
  set_columns(samples, threads);
  parallel_for(threads, chosen_, [&](int64_t first, int thread) {
    const int32_t triple = found_[first].triple;
    if (first > 0 && found_[first - 1].triple == triple) return;  // the first of its sites counts for all of them
    const double *block = count(triple / kSites / kSites, triple / kSites % kSites, triple % kSites, thread);
    const Marginals f(block);
    for (int64_t e = first; e < chosen_ && found_[e].triple == triple; ++e) {
      const int64_t colors = found_[e].colors;
      in_samples_[e] = f.connected(block, colors / kColors / kColors, colors / kColors % kColors, colors % kColors);
    }
  });
  // Elements without samples do not count.
  const auto each = [&](const auto &visit) {
    for (int64_t e = 0; e < chosen_; ++e)
      if (!std::isnan(in_samples_[e])) visit(found_[e].value, in_samples_[e]);
  };
  double x_sum = 0, y_sum = 0;
  Moments plain = {}, centred = {};
  each([&](double x, double y) {
    x_sum += x, y_sum += y;
    plain.add(x, y);
  });
  each([&](double x, double y) { centred.add(x - x_sum / plain.count, y - y_sum / plain.count); });
  centred.dd = plain.dd;
  centred.largest = plain.largest;
  centred.write(numbers);
}

}  // namespace atp
