// SPDX-License-Identifier: MIT
// One pass over the couplings of a site gives all its mutants. Their energies depend on the local field of that
// site alone. Their log pseudo-likelihoods follow from the shifts of the fields of all other sites.

#include "potts/mutants.hpp"

#include "base/error.hpp"
#include "base/team.hpp"
#include "potts/epistasis.hpp"
#include "potts/evaluate.hpp"
#include "potts/summation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace atp {

namespace {

// The symmetrised couplings of site i to the others: -H up to terms that do not depend on s_i.
double symmetric_field(const Model &model, const uint8_t *s, int64_t i, int64_t a) {
  CompensatedSum sum;
  if (!model.fields.empty()) sum.add(model.fields[i * model.colors() + a]);
  model.for_neighbors(i, [&](int64_t j) {
    if (s[j] != kMissing) sum.add(0.5 * (model.coupling(i, j, a, s[j]) + model.coupling(j, i, s[j], a)));
  });
  return sum.value();
}

void energy_row(const Model &model, const uint8_t *s, int64_t i, double *out) {
  const double own = s[i] == kMissing ? 0.0 : symmetric_field(model, s, i, s[i]);
  for (int64_t a = 0; a < model.colors(); ++a) out[a] = a == s[i] ? 0.0 : own - symmetric_field(model, s, i, a);
}

struct Fields {
  const double *field;   // [L][q], of the unmutated sequence
  const double *losses;  // [L], -log p of its colours, 0 where missing
};

void log_row(const Model &model, const uint8_t *s, int64_t i, const Fields &old, double *work, double *out) {
  const int64_t q = model.colors();
  double *shift = work, *field = work + q * q;
  CompensatedSum sums[kMaxColors];
  for (int64_t a = 0; a < q; ++a) {
    sums[a].add(-negative_log_softmax(old.field + i * q, q, model.beta, a));
    if (s[i] != kMissing) sums[a].add(old.losses[i]);
  }
  model.for_neighbors(i, [&](int64_t j) {
    if (!model.sees(j, i) || s[j] == kMissing) return;
    field_shifts(model, j, i, shift);
    for (int64_t a = 0; a < q; ++a) {
      if (a == s[i]) continue;
      for (int64_t b = 0; b < q; ++b) {
        const double before = s[i] == kMissing ? 0.0 : shift[s[i] * q + b];
        field[b] = old.field[j * q + b] + (shift[a * q + b] - before);
      }
      sums[a].add(old.losses[j]);
      sums[a].add(-negative_log_softmax(field, q, model.beta, s[j]));
    }
  });
  for (int64_t a = 0; a < q; ++a) out[a] = a == s[i] ? 0.0 : sums[a].value();
}

// Differences of the log pseudo-likelihood, [L][q]; work space as of single_mutants().
void log_rows(const Model &model, const uint8_t *sequence, Threads threads, Span<double> scratch, double *out) {
  const int64_t L = model.sites(), q = model.colors();
  double *field = scratch.sub(0, L * q).data(), *losses = scratch.sub(L * q, L).data();
  parallel_for(threads, L, [&](int64_t i, int) {
    model.local_field(sequence, i, field + i * q);
    losses[i] = sequence[i] == kMissing ? 0.0 : negative_log_softmax(field + i * q, q, model.beta, sequence[i]);
  });
  const int64_t own = q * (q + 1);
  parallel_for(threads, L, [&](int64_t i, int thread) {
    double *work = scratch.sub(L * (q + 1) + thread * own, own).data();
    log_row(model, sequence, i, {field, losses}, work, out + i * q);
  });
}

}  // namespace

void single_mutants(const Model &model, const uint8_t *sequence, Threads threads, Span<double> scratch, double *delta_energy,
                    double *delta_log_pseudolikelihood) {
  const int64_t L = model.sites(), q = model.colors();
  if (model.shape.ordered) {
    double *logs = delta_log_pseudolikelihood == nullptr ? delta_energy : delta_log_pseudolikelihood;
    log_rows(model, sequence, threads, scratch, logs);
    for (int64_t k = 0; k < L * q; ++k) delta_energy[k] = -logs[k];
    return;
  }
  parallel_for(threads, L, [&](int64_t i, int) { energy_row(model, sequence, i, delta_energy + i * q); });
  if (delta_log_pseudolikelihood != nullptr) log_rows(model, sequence, threads, scratch, delta_log_pseudolikelihood);
}

namespace {

// The rows [begin, end) of changes [m][3] of one mutant.
struct Rows {
  const int64_t *begin, *end;
  const int64_t *find(int64_t site) const {
    for (const int64_t *c = begin; c < end; c += 3)
      if (c[1] == site) return c;
    return nullptr;
  }
};

Rows rows_of(Span<const int64_t> changes, int64_t mutant) {
  const auto first_from = [&](int64_t wanted) {
    int64_t low = 0, high = changes.size() / 3;
    while (low < high) {
      const int64_t middle = (low + high) / 2;
      if (changes[3 * middle] < wanted)
        low = middle + 1;
      else
        high = middle;
    }
    return changes.data() + 3 * low;
  };
  return {first_from(mutant), first_from(mutant + 1)};
}

double energy_of(const Model &model, const uint8_t *s, const Rows &rows, const double *singles) {
  CompensatedSum sum;
  for (const int64_t *c = rows.begin; c < rows.end; c += 3) {
    sum.add(singles[c[1] * model.colors() + c[2]]);
    if (c[2] == s[c[1]]) continue;
    for (const int64_t *d = rows.begin; d < c; d += 3)
      if (d[2] != s[d[1]]) sum.add(potts_epistasis(model, s, d[1], d[2], c[1], c[2]));
  }
  return sum.value();
}

double log_pseudolikelihood_of(const Model &model, const uint8_t *s, const Rows &rows, const Fields &old, double *field) {
  const int64_t L = model.sites(), q = model.colors();
  CompensatedSum sum;
  for (int64_t j = 0; j < L && rows.begin < rows.end; ++j) {
    const int64_t *own = rows.find(j);
    if (own == nullptr && s[j] == kMissing) continue;
    std::copy_n(old.field + j * q, q, field);
    for (const int64_t *c = rows.begin; c < rows.end; c += 3) {
      if (c[1] == j || c[2] == s[c[1]]) continue;
      for (int64_t b = 0; b < q; ++b) {
        const double before = s[c[1]] == kMissing ? 0.0 : model.coupling(j, c[1], b, s[c[1]]);
        field[b] += model.coupling(j, c[1], b, c[2]) - before;
      }
    }
    sum.add(old.losses[j]);
    sum.add(-negative_log_softmax(field, q, model.beta, own == nullptr ? s[j] : own[2]));
  }
  return sum.value();
}

// Single mutants of a sequence and what the energies of its double mutants need besides.
class DoubleEnergies {
 public:
  // scratch: doubles_scratch().
  DoubleEnergies(const Model &model, const uint8_t *sequence, Threads threads, Span<double> scratch)
      : model_(model), sequence_(sequence), singles_(scratch.data()), colors_(model.colors()) {
    const int64_t numbers = model.sites() * colors_;
    const int64_t rest = scratch.size() - numbers, own = threads * own_scratch(colors_);
    const Span<double> of_singles = scratch.sub(numbers, rest - own);
    work_ = scratch.sub(numbers + rest - own, own);
    single_mutants(model, sequence, threads, of_singles, singles_, nullptr);
    if (!model.shape.ordered) return;
    log_p_ = of_singles.data();
    log_conditionals(model, sequence, threads, log_p_);
  }
  static constexpr int64_t own_scratch(int64_t colors) { return epistasis_scratch(colors) + colors * colors; }

  double single(int64_t i, int64_t a) const { return singles_[i * colors_ + a]; }
  // Epistasis of all colours of a pair of sites, [q][q], until the thread's next call.
  const double *epistasis(int64_t i, int64_t j, int thread) const {
    double *work = work_.data() + thread * own_scratch(colors_), *block = work + epistasis_scratch(colors_);
    pair_epistasis(model_, sequence_, log_p_, i, j, work, block);
    return block;
  }
  // The energy of a double mutant, with the epistasis of its pair.
  double energy(const double *block, int64_t i, int64_t a, int64_t j, int64_t b) const {
    const double sum = single(i, a) + single(j, b);
    return a != sequence_[i] && b != sequence_[j] ? sum + block[a * colors_ + b] : sum;
  }

 private:
  const Model &model_;
  const uint8_t *sequence_;
  double *singles_, *log_p_ = nullptr;  // [L][q]; the second of an autoregressive model
  int64_t colors_;
  Span<double> work_;  // of each thread
};

}  // namespace

void score_mutants(const Model &model, const uint8_t *sequence, Span<const int64_t> changes, Threads threads, Span<double> scratch,
                   Span<double> scores) {
  const int64_t L = model.sites(), q = model.colors();
  double *singles = scratch.sub(0, L * q).data(), *field = scratch.sub(L * q, L * q).data(), *losses = scratch.sub(2 * L * q, L).data();
  if (!model.shape.ordered) single_mutants(model, sequence, threads, {}, singles, nullptr);
  parallel_for(threads, L, [&](int64_t i, int) {
    model.local_field(sequence, i, field + i * q);
    losses[i] = sequence[i] == kMissing ? 0.0 : negative_log_softmax(field + i * q, q, model.beta, sequence[i]);
  });
  parallel_for(threads, scores.size() / ATP_MUTANT_COLUMNS, [&](int64_t k, int thread) {
    const Rows rows = rows_of(changes, k);
    double *work = scratch.sub(2 * L * (q + 1) + thread * q, q).data(), *out = scores.data() + k * ATP_MUTANT_COLUMNS;
    const double log_difference = log_pseudolikelihood_of(model, sequence, rows, {field, losses}, work);
    out[ATP_MUTANT_ENERGY] = model.shape.ordered ? -log_difference : energy_of(model, sequence, rows, singles);
    out[ATP_MUTANT_LOG_PSEUDOLIKELIHOOD] = log_difference;
  });
}

int64_t doubles_scratch(const Model &model, int threads) {
  const int64_t L = model.sites(), q = model.colors();
  return L * q + (model.shape.ordered ? mutants_scratch(L, q, threads) : 0) + threads * DoubleEnergies::own_scratch(q);
}

void double_mutants(const Model &model, const uint8_t *sequence, Span<const int64_t> pairs, Threads threads, Span<double> scratch,
                    double *out) {
  const int64_t q = model.colors();
  const DoubleEnergies all(model, sequence, threads, scratch);
  parallel_for(threads, pairs.size() / 2, [&](int64_t n, int thread) {
    const int64_t i = pairs[2 * n], j = pairs[2 * n + 1];
    const double *block = all.epistasis(i, j, thread);
    for (int64_t a = 0; a < q; ++a)
      for (int64_t b = 0; b < q; ++b) out[(n * q + a) * q + b] = all.energy(block, i, a, j, b);
  });
}

void epistasis_of_doubles(const Model &model, const uint8_t *sequence, Span<const int64_t> doubles, Threads threads, Span<double> scratch,
                          double *delta_energy, double *epistasis) {
  const DoubleEnergies all(model, sequence, threads, scratch);
  const int64_t count = doubles.size() / 4;
  const auto same_pair = [&](int64_t m, int64_t n) { return doubles[4 * m] == doubles[4 * n] && doubles[4 * m + 2] == doubles[4 * n + 2]; };
  parallel_for(threads, count, [&](int64_t first, int thread) {
    if (first > 0 && same_pair(first - 1, first)) return;  // a task takes all mutants of a pair that follow each other
    const int64_t i = doubles[4 * first], j = doubles[4 * first + 2];
    const double *block = all.epistasis(i, j, thread);
    for (int64_t n = first; n < count && same_pair(first, n); ++n) {
      const int64_t a = doubles[4 * n + 1], b = doubles[4 * n + 3];
      delta_energy[n] = all.energy(block, i, a, j, b);
      epistasis[n] = delta_energy[n] - all.single(i, a) - all.single(j, b);
    }
  });
}

void average_repeated(Span<const int64_t> changes, const double *measured, const RepeatedMutants &work, int64_t *first, double *average) {
  const int64_t mutants = work.order.size(), m = changes.size() / 3;
  std::array<int64_t, 2> *sorted = work.sorted.data();  // site, colour
  for (int64_t mutant = 0, k = 0; mutant < mutants; ++mutant) {
    const int64_t begin = k;
    for (; k < m && changes[3 * k] == mutant; ++k) sorted[k] = {changes[3 * k + 1], changes[3 * k + 2]};
    std::sort(sorted + begin, sorted + k);
    work.ends[mutant] = k;
    work.order[mutant] = mutant;
  }
  const auto begin = [&](int64_t mutant) { return sorted + (mutant == 0 ? 0 : work.ends[mutant - 1]); };
  const auto end = [&](int64_t mutant) { return sorted + work.ends[mutant]; };
  std::sort(work.order.begin(), work.order.end(), [&](int64_t x, int64_t y) {
    if (std::equal(begin(x), end(x), begin(y), end(y))) return x < y;
    return std::lexicographical_compare(begin(x), end(x), begin(y), end(y));
  });
  for (int64_t k = 0, next = 0; k < mutants; k = next) {
    const int64_t one = work.order[k];
    double sum = 0, known = 0;
    for (next = k; next < mutants && std::equal(begin(one), end(one), begin(work.order[next]), end(work.order[next])); ++next) {
      const double value = measured[work.order[next]];
      if (std::isnan(value)) continue;
      sum += value;
      known += 1;
    }
    for (int64_t same = k; same < next; ++same) {
      first[work.order[same]] = one;
      average[work.order[same]] = known > 0 ? sum / known : std::numeric_limits<double>::quiet_NaN();
    }
  }
}

int64_t count_doubles(const Model &model, const uint8_t *sequence, int64_t gap) {
  int64_t before = 0, total = 0;  // single mutants of the sites so far, and doubles among them
  for (int64_t i = 0; i < model.sites(); ++i) {
    const int64_t here = model.colors() - (sequence[i] != kMissing ? 1 : 0) - (gap >= 0 && sequence[i] != gap ? 1 : 0);
    total += before * here;
    before += here;
  }
  return total;
}

namespace {

// The lowest double mutants so far, the highest of them on top.
struct DoublesHeap {
  DoubleMutant *heap;
  int64_t k;
  void take(const DoubleMutant &found) const {
    if (!(found < heap[0])) return;
    std::pop_heap(heap, heap + k);
    heap[k - 1] = found;
    std::push_heap(heap, heap + k);
  }
};

// What best_doubles() looks for, and where.
class DoublesSearch {
 public:
  DoublesSearch(const Model &model, const uint8_t *sequence, int64_t gap, const DoubleEnergies &energies)
      : model_(model), sequence_(sequence), gap_(gap), energies_(energies) {}

  // block: the epistasis of the pair i < j.
  void visit(const double *block, int64_t i, int64_t j, const DoublesHeap &heap) const {
    const int64_t q = model_.colors();
    for (int64_t a = 0; a < q; ++a)
      for (int64_t b = 0; b < q; ++b)
        if (counts(i, a) && counts(j, b)) heap.take({energies_.energy(block, i, a, j, b), ((i * model_.sites() + j) * q + a) * q + b});
  }

  // The pairs that are not in the model's list, whose energies are sums of two. Sites in the order of their lowest single mutants, so that
  // pairs whose lowest sum is above the heap need no visit. lowest [L] is work space; zeros [q][q].
  void visit_others(Span<DoubleMutant> lowest, const double *zeros, const DoublesHeap &heap) const {
    const int64_t L = model_.sites(), q = model_.colors();
    for (int64_t i = 0; i < L; ++i) {
      lowest[i] = {INFINITY, i};
      for (int64_t a = 0; a < q; ++a)
        if (counts(i, a)) lowest[i].energy = std::min(lowest[i].energy, energies_.single(i, a));
    }
    std::sort(lowest.begin(), lowest.end());
    const auto beyond = [&](int64_t m, int64_t n) { return lowest[m].energy + lowest[n].energy > heap.heap[0].energy; };
    for (int64_t m = 0; m + 1 < L && !beyond(m, m + 1); ++m)
      for (int64_t n = m + 1; n < L && !beyond(m, n); ++n) {
        const int64_t i = std::min(lowest[m].place, lowest[n].place), j = std::max(lowest[m].place, lowest[n].place);
        const Span<const int32_t> near = model_.neighbors(i);
        if (!std::binary_search(near.begin(), near.end(), static_cast<int32_t>(j))) visit(zeros, i, j, heap);
      }
  }

 private:
  bool counts(int64_t site, int64_t color) const { return color != sequence_[site] && color != gap_; }
  const Model &model_;
  const uint8_t *sequence_;
  int64_t gap_;
  const DoubleEnergies &energies_;
};

bool adds_up_beyond_list(const Model &model) { return model.shape.pairs > 0 && !model.shape.ordered; }

}  // namespace

int64_t doubles_heaps(const Model &model, int64_t k, int threads) {
  return product_of(int64_t{threads}, k) + (adds_up_beyond_list(model) ? model.sites() : 0);
}

void best_doubles(const Model &model, const uint8_t *sequence, int64_t gap, Threads threads, Span<double> scratch, Span<DoubleMutant> heaps,
                  int64_t *doubles, Span<double> energies) {
  const int64_t L = model.sites(), q = model.colors(), k = energies.size();
  // Slots that are not filled yet are above everything.
  std::fill_n(heaps.data(), heaps.size(), DoubleMutant{INFINITY, INT64_MAX});
  const DoubleEnergies all(model, sequence, threads, scratch);
  const DoublesSearch search(model, sequence, gap, all);
  const auto heap_of = [&](int thread) { return DoublesHeap{heaps.data() + thread * k, k}; };
  const int64_t filled = threads * k;
  if (adds_up_beyond_list(model)) {
    parallel_for(threads, model.shape.pairs, [&](int64_t n, int thread) {
      const SitePair &pair = model.pairs[n];
      search.visit(all.epistasis(pair.first, pair.second, thread), pair.first, pair.second, heap_of(thread));
    });
    std::partial_sort(heaps.data(), heaps.data() + k, heaps.data() + filled);
    std::make_heap(heaps.data(), heaps.data() + k);
    search.visit_others(heaps.sub(filled, L), model.zeros(), heap_of(0));
    std::sort_heap(heaps.data(), heaps.data() + k);
  } else {
    parallel_for(threads, L * L, [&](int64_t pair, int thread) {
      const int64_t i = pair / L, j = pair % L;
      if (i < j) search.visit(all.epistasis(i, j, thread), i, j, heap_of(thread));
    });
    std::partial_sort(heaps.data(), heaps.data() + k, heaps.data() + filled);
  }
  for (int64_t n = 0; n < k; ++n) {
    const int64_t place = heaps[n].place, pair = place / (q * q);
    const int64_t row[] = {pair / L, place / q % q, pair % L, place % q};
    std::copy_n(row, 4, doubles + 4 * n);
    energies[n] = heaps[n].energy;
  }
}

}  // namespace atp
