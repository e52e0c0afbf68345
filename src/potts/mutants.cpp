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
  for (int64_t j = 0; j < model.sites(); ++j)
    if (j != i && s[j] != kMissing) sum.add(0.5 * (model.coupling(i, j, a, s[j]) + model.coupling(j, i, s[j], a)));
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
  const int64_t L = model.sites(), q = model.colors();
  double *shift = work, *field = work + q * q;
  CompensatedSum sums[kMaxColors];
  for (int64_t a = 0; a < q; ++a) {
    sums[a].add(-negative_log_softmax(old.field + i * q, q, model.beta, a));
    if (s[i] != kMissing) sums[a].add(old.losses[i]);
  }
  for (int64_t j = 0; j < L; ++j) {
    if (!model.sees(j, i) || s[j] == kMissing) continue;
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
  }
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

void best_doubles(const Model &model, const uint8_t *sequence, int64_t gap, Threads threads, Span<double> scratch, Span<DoubleMutant> heaps,
                  int64_t *doubles, Span<double> energies) {
  const int64_t L = model.sites(), q = model.colors(), k = energies.size();
  // Slots that are not filled yet are above everything.
  std::fill_n(heaps.data(), heaps.size(), DoubleMutant{INFINITY, INT64_MAX});
  const DoubleEnergies all(model, sequence, threads, scratch);
  parallel_for(threads, L * L, [&](int64_t pair, int thread) {
    const int64_t i = pair / L, j = pair % L;
    if (i >= j) return;
    DoubleMutant *heap = heaps.data() + thread * k;
    const double *block = all.epistasis(i, j, thread);
    for (int64_t a = 0; a < q; ++a)
      for (int64_t b = 0; b < q; ++b) {
        if (a == sequence[i] || a == gap || b == sequence[j] || b == gap) continue;
        const DoubleMutant found{all.energy(block, i, a, j, b), (pair * q + a) * q + b};
        if (!(found < heap[0])) continue;
        std::pop_heap(heap, heap + k);
        heap[k - 1] = found;
        std::push_heap(heap, heap + k);
      }
  });
  std::partial_sort(heaps.data(), heaps.data() + k, heaps.data() + heaps.size());
  for (int64_t n = 0; n < k; ++n) {
    const int64_t place = heaps[n].place, pair = place / (q * q);
    const int64_t row[] = {pair / L, place / q % q, pair % L, place % q};
    std::copy_n(row, 4, doubles + 4 * n);
    energies[n] = heaps[n].energy;
  }
}

// --- texts of mutants ---

namespace {

constexpr const char *kSeparators = "/:,";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

char shown(char c) { return c >= ' ' && c <= '~' ? c : '?'; }

// The beginning of a piece as messages show it.
struct Shown {
  char text[41] = "";
};

// A piece of the text.
struct Piece {
  const char *begin, *end;
  Shown show() const {
    Shown made;
    const std::ptrdiff_t n = std::min<std::ptrdiff_t>(end - begin, sizeof made.text - 1);
    std::transform(begin, begin + n, made.text, shown);
    return made;
  }
  void trim() {
    while (begin < end && is_blank(*begin)) ++begin;
    while (begin < end && is_blank(end[-1])) --end;
  }
};

class MutationParser {
 public:
  MutationParser(const Model &model, const uint8_t *sequence) : model_(model), sequence_(sequence) {}

  // Calls take(change) for each mutation of the text.
  template <class Take>
  void parse(const char *text, Take &&take) {
    for (line_ = 0; *text != 0; ++line_) {
      Piece line{text, text + std::strcspn(text, "\n")};
      text = *line.end == 0 ? line.end : line.end + 1;
      line.trim();
      parse_line(line, take);
    }
  }

 private:
  const Model &model_;
  const uint8_t *sequence_;
  int64_t line_ = 0;

  template <class Take>
  void parse_line(const Piece &line, Take &&take) {
    const char *at = line.begin;
    while (true) {
      Piece piece{at, at};
      while (piece.end < line.end && std::strchr(kSeparators, *piece.end) == nullptr) ++piece.end;
      at = piece.end;
      piece.trim();
      const Change change = change_of(piece);
      require_new(line, piece, change);
      take(change);
      if (at == line.end) return;
      ++at;
    }
  }

  // The pieces before this one are valid: they are read again, so that no list of sites is needed.
  void require_new(const Piece &line, const Piece &piece, const Change &change) const {
    for (const char *at = line.begin; at < piece.begin;) {
      Piece other{at, at};
      while (std::strchr(kSeparators, *other.end) == nullptr) ++other.end;
      at = other.end + 1;
      if (at > piece.begin) return;
      other.trim();
      if (change_of(other).site == change.site)
        fail(ATP_E_FORMAT, "line %lld: \"%s\": the mutant changes site %lld twice, must change each site once", number_of_line(),
             piece.show().text, static_cast<long long>(model_.labels.numbers()[change.site]));
    }
  }

  long long number_of_line() const { return static_cast<long long>(line_ + 1); }

  Change change_of(const Piece &piece) const {
    const auto bytes = piece.end - piece.begin;
    const bool deletion = bytes > 4 && std::strncmp(piece.end - 3, "del", 3) == 0 && is_digit(piece.end[-4]);
    const char *digits_end = piece.end - (deletion ? 3 : 1), *digits = piece.begin + 1;
    if (digits < digits_end && *digits == '-') ++digits;
    if (bytes < 3 || digits >= digits_end || digits_end - digits > 15 || !std::all_of(digits, digits_end, is_digit))
      fail(ATP_E_FORMAT, "line %lld: \"%s\" is not a mutation like A110D, with / : or , between several", number_of_line(),
           piece.show().text);
    const int64_t from = color_of(*piece.begin, piece), site = site_of(piece, digits, digits_end);
    require_wild_type(piece, site, from);
    return {line_, site, deletion ? gap_of(piece) : color_of(digits_end[0], piece)};
  }

  int64_t site_of(const Piece &piece, const char *digits, const char *end) const {
    int64_t number = 0;
    for (const char *p = digits; p < end; ++p) number = number * 10 + (*p - '0');
    if (digits - 1 > piece.begin && digits[-1] == '-') number = -number;  // the first letter may be a gap
    const Span<const int64_t> numbers = model_.labels.numbers();
    const int64_t *found = std::find(numbers.begin(), numbers.end(), number);
    if (found == numbers.end())
      fail(ATP_E_FORMAT, "line %lld: \"%s\": the model has no site %lld, its sites are within %lld..%lld", number_of_line(),
           piece.show().text, static_cast<long long>(number), static_cast<long long>(*std::min_element(numbers.begin(), numbers.end())),
           static_cast<long long>(*std::max_element(numbers.begin(), numbers.end())));
    return found - numbers.begin();
  }

  int64_t color_of(char symbol, const Piece &piece) const {
    const char *alphabet = model_.alphabet, *place = std::strchr(alphabet, symbol);
    if (symbol == '-' && gap_color(model_.alphabet) < 0) gap_of(piece);
    if (place == nullptr)
      fail(ATP_E_FORMAT, "line %lld: \"%s\": %c is not a symbol of the alphabet %s", number_of_line(), piece.show().text, shown(symbol),
           alphabet);
    return place - alphabet;
  }

  int64_t gap_of(const Piece &piece) const {
    const int64_t gap = gap_color(model_.alphabet);
    if (gap < 0)
      fail(ATP_E_FORMAT, "line %lld: \"%s\" is a deletion, but the model has no gap: it was learned with gaps as missing data",
           number_of_line(), piece.show().text);
    return gap;
  }

  void require_wild_type(const Piece &piece, int64_t site, int64_t from) const {
    const auto number = static_cast<long long>(model_.labels.numbers()[site]);
    if (sequence_[site] == kMissing)
      fail(ATP_E_MISMATCH, "line %lld: \"%s\": site %lld is missing in the sequence, the mutation has %c", number_of_line(),
           piece.show().text, number, model_.alphabet[from]);
    if (sequence_[site] != from)
      fail(ATP_E_MISMATCH, "line %lld: \"%s\": site %lld is %c in the sequence, not %c", number_of_line(), piece.show().text, number,
           model_.alphabet[sequence_[site]], model_.alphabet[from]);
  }
};

}  // namespace

int64_t parse_mutations(const Model &model, const uint8_t *sequence, const char *text, int64_t *changes, int64_t capacity) {
  if (model.alphabet[0] == 0) fail(ATP_E_CONFLICT, "the model has no alphabet, which mutations need");
  MutationParser parser(model, sequence);
  int64_t count = 0;
  parser.parse(text, [&](const Change &) { ++count; });
  if (count > capacity)
    fail(ATP_E_BUFFER, "capacity is %lld, must be at least %lld", static_cast<long long>(capacity), static_cast<long long>(count));
  parser.parse(text, [&](const Change &change) {
    *changes++ = change.mutant;
    *changes++ = change.site;
    *changes++ = change.color;
  });
  return count;
}

}  // namespace atp
