// SPDX-License-Identifier: MIT
#include "potts/scores.hpp"

#include "base/error.hpp"
#include "base/symmetric.hpp"
#include "base/team.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace atp {

namespace {

constexpr ColumnInfo kContacts[] = {
    {"i", "", "number of the first site"},
    {"j", "", "number of the second site"},
    {"fn", "", "Frobenius norm, see atp_model_frobenius()"},
    {"apc", "", "the norm with average product correction: the score of the ranking"},
    {"site_i", "", "index of the first site, 0-based"},
    {"site_j", "", "index of the second site, above that of the first"},
};

}  // namespace

constexpr TableKind kContactsTable = kind_of(ATP_TABLE_CONTACTS, "ATP_TABLE_CONTACTS", kContacts);

namespace {

// Of any two numbers; NULL: the sites' own.
uint64_t distance_along(const int64_t *numbers, int64_t i, int64_t j) {
  if (numbers == nullptr) return static_cast<uint64_t>(j - i);
  const int64_t low = std::min(numbers[i], numbers[j]), high = std::max(numbers[i], numbers[j]);
  return static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
}

}  // namespace

bool PairRule::keeps(int64_t i, int64_t j) const {
  const bool between = i < border && j >= border;
  return between || distance_along(numbers, i, j) >= static_cast<uint64_t>(separation);
}

void symmetric_block(const Model &model, int64_t i, int64_t j, double *block) {
  const int64_t q = model.colors();
  const auto add = [&](double x, double y, const double *v, const double *w) {
    for (int64_t a = 0; a < q; ++a)
      for (int64_t b = 0; b < q; ++b) block[a * q + b] += x * v[a * q + b] + y * w[b * q + a];
  };
  std::fill_n(block, q * q, 0.0);
  const double half = model.shape.ordered ? 1 : 0.5;
  if (model.shape.dense()) add(half, half, model.block(i, j), model.block(j, i));
  for (int64_t h = 0; h < model.shape.heads; ++h) {
    const double x = model.map(h)[i * model.sites() + j], y = model.map(h)[j * model.sites() + i];
    if (x != 0 || y != 0) add(half * x, half * y, model.value(h), model.value(h));
  }
}

void to_zero_sum(double *block, int64_t q, double *means) {
  std::fill_n(means, q, 0.0);
  for (int64_t a = 0; a < q; ++a)
    for (int64_t b = 0; b < q; ++b) means[b] += block[a * q + b];
  for (int64_t b = 0; b < q; ++b) means[b] /= static_cast<double>(q);
  for (int64_t a = 0; a < q; ++a) {
    double *row = block + a * q, sum = 0;
    for (int64_t b = 0; b < q; ++b) sum += row[b] -= means[b];
    for (int64_t b = 0; b < q; ++b) row[b] -= sum / static_cast<double>(q);
  }
}

double norm_without(const double *block, int64_t q, int64_t left_out) {
  double sum = 0;
  for (int64_t a = 0; a < q; ++a)
    for (int64_t b = 0; b < q; ++b)
      if (a != left_out && b != left_out) sum += block[a * q + b] * block[a * q + b];
  return std::sqrt(sum);
}

namespace {

// beta times the norm of a pair; work has q (q + 1) elements.
double pair_norm(const Model &model, atp_score_gauge gauge, int64_t left_out, int64_t i, int64_t j, double *work) {
  const int64_t q = model.colors();
  symmetric_block(model, i, j, work);
  if (gauge == ATP_SCORE_ZERO_SUM) to_zero_sum(work, q, work + q * q);
  return model.beta * norm_without(work, q, left_out);
}

}  // namespace

void frobenius_norms(const Model &model, atp_score_gauge gauge, int64_t left_out, Threads threads, Span<double> scratch, double *out) {
  const int64_t L = model.sites(), q = model.colors();
  parallel_for(threads, L, [&](int64_t i, int thread) {
    double *work = scratch.sub(thread * q * (q + 1), q * (q + 1)).data();
    out[i * L + i] = 0;
    for (int64_t j = i + 1; j < L; ++j) out[i * L + j] = out[j * L + i] = pair_norm(model, gauge, left_out, i, j, work);
  });
}

// Stores the means of the rows on the diagonal of the output until they are used.
void average_product_correction(const double *scores, int64_t sites, double *out) {
  const double others = static_cast<double>(sites - 1);
  double mean = 0;
  for (int64_t i = 0; i < sites; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < sites; ++j)
      if (j != i) sum += out[i * sites + j] = known_of_pair(scores, sites, i, j);
    mean += out[i * sites + i] = sum / others;
  }
  mean /= static_cast<double>(sites);
  // Both elements of a pair by the same number, so that a symmetric matrix stays one to the last bit.
  for (int64_t i = 0; i < sites && mean != 0; ++i)
    for (int64_t j = i + 1; j < sites; ++j) {
      const double correction = out[i * sites + i] * (out[j * sites + j] / mean);
      out[i * sites + j] -= correction;
      out[j * sites + i] -= correction;
    }
  for (int64_t i = 0; i < sites; ++i) out[i * sites + i] = 0;
}

// Keeps the best places i L + j in a heap with the worst of them on top, and writes the pairs from the last to
// the first.
int64_t rank_pairs(const double *scores, int64_t sites, const PairRule &rule, int64_t *pairs, int64_t capacity) {
  const auto score = [=](int64_t k) { return known_of_pair(scores, sites, k / sites, k % sites); };
  const auto better = [score](int64_t x, int64_t y) { return score(x) != score(y) ? score(x) > score(y) : x < y; };
  int64_t count = 0;
  const auto visit = [&](int64_t i, int64_t j) {
    const int64_t place = i * sites + j;
    if (!rule.keeps(i, j)) return;
    if (std::isnan(known_of_pair(scores, sites, i, j))) return;
    if (count == capacity) {
      if (count == 0 || !better(place, pairs[0])) return;
      std::pop_heap(pairs, pairs + count, better);
      pairs[count - 1] = place;
    } else {
      pairs[count++] = place;
    }
    std::push_heap(pairs, pairs + count, better);
  };
  for (int64_t i = 0; i < sites; ++i)
    for (int64_t j = i + 1; j < sites; ++j) visit(i, j);
  std::sort_heap(pairs, pairs + count, better);
  for (int64_t k = count - 1; k >= 0; --k) {
    const int64_t place = pairs[k];
    pairs[2 * k] = place / sites;
    pairs[2 * k + 1] = place % sites;
  }
  return count;
}

double overlap_of_pairs(Span<const int64_t> pairs, Span<const int64_t> others, Span<SitePair> sorted) {
  const auto ordered = [](const int64_t *sites) { return SitePair{std::min(sites[0], sites[1]), std::max(sites[0], sites[1])}; };
  const auto less = [](const SitePair &a, const SitePair &b) { return a.first != b.first ? a.first < b.first : a.second < b.second; };
  for (int64_t k = 0; k < sorted.size(); ++k) sorted[k] = ordered(others.data() + 2 * k);
  std::sort(sorted.begin(), sorted.end(), less);
  int64_t common = 0;
  for (int64_t k = 0; k < pairs.size(); k += 2)
    common += std::binary_search(sorted.begin(), sorted.end(), ordered(pairs.data() + k), less) ? 1 : 0;
  const int64_t count = pairs.size() / 2;
  return static_cast<double>(common) / static_cast<double>(count);
}

int64_t precision_curve(const int64_t *pairs, int64_t n, const double *distances, int64_t sites, double cutoff, atp_absent absent,
                        double *curve) {
  int64_t counted = 0, contacts = 0;
  for (int64_t k = 0; k < n; ++k) {
    const double distance = known_of_pair(distances, sites, pairs[2 * k], pairs[2 * k + 1]);
    if (std::isnan(distance) && absent == ATP_ABSENT_EXCLUDED) continue;
    contacts += distance < cutoff ? 1 : 0;
    ++counted;
    curve[counted - 1] = static_cast<double>(contacts) / static_cast<double>(counted);
  }
  std::fill(curve + counted, curve + n, std::numeric_limits<double>::quiet_NaN());
  return counted;
}

namespace {

// Of a model with a list the norms and the numbers of its pairs, otherwise of all pairs.
struct ContactWork {
  Span<double> scratch, norms, corrected;
  Span<int64_t> pairs;
  ContactWork(Arena &arena, const Model &model, Threads threads, int64_t most) {
    const int64_t L = model.sites(), listed = model.shape.pairs;
    scratch = arena.take<double>(frobenius_scratch(model.colors(), threads));
    norms = arena.take<double>(listed > 0 ? listed : product_of(L, L));
    corrected = arena.take<double>(listed > 0 ? 0 : product_of(L, L));
    pairs = arena.take<int64_t>(listed > 0 ? listed : 2 * most);
  }
};

void require_norms(Span<const double> norms) {
  for (const double norm : norms)
    if (!std::isfinite(norm)) fail(ATP_E_NOT_FINITE, "the norm of a pair is %g: the couplings are too large", norm);
}

void put_contact(Span<const int64_t> numbers, int64_t i, int64_t j, double norm, double corrected, double *to) {
  const double row[] = {static_cast<double>(numbers[i]), static_cast<double>(numbers[j]), norm, corrected,
                        static_cast<double>(i),          static_cast<double>(j)};
  static_assert(sizeof row == ATP_CONTACTS_COLUMNS * sizeof(double));
  std::memcpy(to, row, sizeof row);
}

// The pairs of a list by their norms: the correction would take the zeros of all other pairs for scores.
int64_t rank_listed(const Model &model, const ContactRule &rule, const PairRule &kept, Threads threads, const ContactWork &work) {
  const int64_t q = model.colors();
  parallel_for(threads, model.shape.pairs, [&](int64_t n, int thread) {
    const SitePair &pair = model.pairs[n];
    work.norms[n] = pair_norm(model, rule.gauge, rule.gap, pair.first, pair.second, work.scratch.data() + thread * q * (q + 1));
  });
  require_norms(work.norms);
  int64_t count = 0;
  for (int64_t n = 0; n < model.shape.pairs; ++n)
    if (kept.keeps(model.pairs[n].first, model.pairs[n].second)) work.pairs[count++] = n;
  return count;
}

}  // namespace

std::size_t contacts_bytes(const Model &model, Threads threads, int64_t most) {
  return bytes_taken([&](Arena &arena) { ContactWork(arena, model, threads, most); });
}

void rank_contacts(const Model &model, const ContactRule &rule, Threads threads, int64_t most, Arena arena, Table &table) {
  const int64_t L = model.sites();
  const ContactWork work(arena, model, threads, most);
  const Span<const int64_t> numbers = model.labels.numbers(), columns = model.labels.columns();
  const int64_t border = std::lower_bound(columns.begin(), columns.end(), model.labels.border()) - columns.begin();
  const PairRule kept{numbers.data(), rule.separation, border};
  if (model.shape.pairs > 0) {
    const int64_t found = rank_listed(model, rule, kept, threads, work), count = std::min(most, found);
    std::partial_sort(work.pairs.begin(), work.pairs.begin() + count, work.pairs.begin() + found,
                      [&](int64_t m, int64_t n) { return work.norms[m] != work.norms[n] ? work.norms[m] > work.norms[n] : m < n; });
    const Span<double> rows = table.room(count);
    for (int64_t k = 0; k < count; ++k) {
      const int64_t n = work.pairs[k];
      put_contact(numbers, model.pairs[n].first, model.pairs[n].second, work.norms[n], work.norms[n],
                  rows.data() + k * ATP_CONTACTS_COLUMNS);
    }
    table.append(count);
    return;
  }
  frobenius_norms(model, rule.gauge, rule.gap, threads, work.scratch, work.norms.data());
  require_norms(work.norms);
  average_product_correction(work.norms.data(), L, work.corrected.data());
  const int64_t count = rank_pairs(work.corrected.data(), L, kept, work.pairs.data(), most);
  const Span<double> rows = table.room(count);
  for (int64_t k = 0; k < count; ++k) {
    const int64_t i = work.pairs[2 * k], j = work.pairs[2 * k + 1], place = i * L + j;
    put_contact(numbers, i, j, work.norms[place], work.corrected[place], rows.data() + k * ATP_CONTACTS_COLUMNS);
  }
  table.append(count);
}

}  // namespace atp
