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

void frobenius_norms(const Model &model, atp_score_gauge gauge, int64_t left_out, Threads threads, Span<double> scratch, double *out) {
  const int64_t L = model.sites(), q = model.colors();
  parallel_for(threads, L, [&](int64_t i, int thread) {
    double *block = scratch.sub(thread * q * (q + 1), q * (q + 1)).data(), *means = block + q * q;
    out[i * L + i] = 0;
    for (int64_t j = i + 1; j < L; ++j) {
      symmetric_block(model, i, j, block);
      if (gauge == ATP_SCORE_ZERO_SUM) to_zero_sum(block, q, means);
      out[i * L + j] = out[j * L + i] = model.beta * norm_without(block, q, left_out);
    }
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
  for (int64_t i = 0; i < sites; ++i)
    for (int64_t j = 0; j < sites; ++j)
      if (j != i && mean != 0) out[i * sites + j] -= out[i * sites + i] * (out[j * sites + j] / mean);
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
    const bool between = i < rule.border && j >= rule.border;
    if (!between && distance_along(rule.numbers, i, j) < static_cast<uint64_t>(rule.separation)) return;
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
  for (const SitePair &pair : rule.listed) visit(pair.first, pair.second);
  for (int64_t i = 0; rule.listed.empty() && i < sites; ++i)
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

struct ContactWork {
  Span<double> scratch, norms, corrected;
  Span<int64_t> pairs;
  ContactWork(Arena &arena, const Model &model, Threads threads, int64_t most) {
    scratch = arena.take<double>(frobenius_scratch(model.colors(), threads));
    norms = arena.take<double>(model.sites(), model.sites());
    corrected = arena.take<double>(model.sites(), model.sites());
    pairs = arena.take<int64_t>(most, 2);
  }
};

}  // namespace

std::size_t contacts_bytes(const Model &model, Threads threads, int64_t most) {
  return bytes_taken([&](Arena &arena) { ContactWork(arena, model, threads, most); });
}

void rank_contacts(const Model &model, const ContactRule &rule, Threads threads, int64_t most, Arena arena, Table &table) {
  const int64_t L = model.sites();
  const ContactWork work(arena, model, threads, most);
  frobenius_norms(model, rule.gauge, rule.gap, threads, work.scratch, work.norms.data());
  for (const double norm : work.norms)
    if (!std::isfinite(norm)) fail(ATP_E_NOT_FINITE, "the norm of a pair is %g: the couplings are too large", norm);
  const Span<const int64_t> numbers = model.labels.numbers(), columns = model.labels.columns();
  const Span<const SitePair> listed(model.pairs.data(), model.pairs.size());
  if (listed.empty())
    average_product_correction(work.norms.data(), L, work.corrected.data());
  else  // the correction would take the zeros of all other pairs for scores
    std::copy(work.norms.begin(), work.norms.end(), work.corrected.begin());
  const int64_t border = std::lower_bound(columns.begin(), columns.end(), model.labels.border()) - columns.begin();
  const int64_t count = rank_pairs(work.corrected.data(), L, {numbers.data(), rule.separation, border, listed}, work.pairs.data(), most);
  const Span<double> rows = table.room(count);
  for (int64_t k = 0; k < count; ++k) {
    const int64_t i = work.pairs[2 * k], j = work.pairs[2 * k + 1], place = i * L + j;
    const double row[] = {static_cast<double>(numbers[i]), static_cast<double>(numbers[j]), work.norms[place],
                          work.corrected[place],           static_cast<double>(i),          static_cast<double>(j)};
    static_assert(sizeof row == ATP_CONTACTS_COLUMNS * sizeof(double));
    std::memcpy(rows.data() + k * ATP_CONTACTS_COLUMNS, row, sizeof row);
  }
  table.append(count);
}

}  // namespace atp
