// SPDX-License-Identifier: MIT
#include "alignment/subset.hpp"

#include "alignment/name_table.hpp"
#include "alignment/text.hpp"

#include <algorithm>
#include <cstdio>
#include <cmath>
#include <initializer_list>

namespace atp {

namespace {

// Calls sink(column, count) for the insert runs of a sequence in the subset: the runs of the source, and its residues in removed columns.
template <class Sink>
void each_run(const Alignment &source, int64_t n, Span<const int64_t> columns, Sink &&sink) {
  const uint8_t *s = source.sequence(n);
  int64_t run = source.has_inserts() ? source.insert_offsets[n] : 0;
  const int64_t end = source.has_inserts() ? source.insert_offsets[n + 1] : 0;
  int64_t i = 0;
  for (int64_t k = 0; k <= columns.size(); ++k) {
    const int64_t next = k < columns.size() ? columns[k] : source.sites();
    int64_t residues = 0;
    for (; i < next; ++i) residues += s[i] != 0 ? 1 : 0;
    for (; run < end && static_cast<int64_t>(source.insert_runs[run].column) <= next; ++run) residues += source.insert_runs[run].count;
    if (residues > 0) sink(k, residues);
    ++i;
  }
}

}  // namespace

namespace {

// The number of names in the lines of a text, each of printable characters without blanks.
int64_t count_names(Span<const char> text) {
  int64_t count = 0, begin = 0;
  for (int64_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const bool ends = byte == '\n';
    if (ends && at == begin) fail(ATP_E_VALUE, "names" ATP_AT " is empty, must be a name", llong{count});
    if (!ends && (byte <= ' ' || byte == 0x7f))
      fail(ATP_E_VALUE, "names" ATP_AT " has the character %d, must have no blank and no control character", llong{count}, byte);
    if (!ends) continue;
    ++count;
    begin = at + 1;
  }
  return begin < text.size() ? count + 1 : count;  // the last line may lack its end
}

}  // namespace

Alignment *rename_sequences(Context &context, const Alignment &source, Span<const char> names) {
  const int64_t count = count_names(names);
  if (count != source.count())
    fail(ATP_E_SHAPE, "names has %lld lines, must have one for each of the %lld sequences", llong{count}, llong{source.count()});
  AlignmentShape shape = source.shape;
  shape.name_bytes = names.size() + (names[names.size() - 1] == '\n' ? 0 : 1);
  Alignment *made = create_in_block<Alignment>(context.allocator, &context, shape);
  std::memcpy(made->own_sequences.data(), source.sequences.data(), static_cast<std::size_t>(source.sequences.size()));
  std::copy(source.weights.begin(), source.weights.end(), made->weights.begin());
  int64_t begin = 0;
  for (int64_t n = 0; n < count; ++n) {  // line ends become final zeros: the block is zeroed
    made->name_offsets[n] = begin;
    for (; begin < names.size() && names[begin] != '\n'; ++begin) made->names[begin] = names[begin];
    ++begin;
  }
  std::copy(source.insert_offsets.begin(), source.insert_offsets.end(), made->insert_offsets.begin());
  std::copy(source.insert_runs.begin(), source.insert_runs.end(), made->insert_runs.begin());
  made->labels.copy(source.labels);
  std::memcpy(made->alphabet, source.alphabet, sizeof made->alphabet);
  std::memcpy(made->origin, source.origin, sizeof made->origin);
  return made;
}

Alignment *take_subset(Context &context, const Alignment &source, Span<const int64_t> rows, Span<const int64_t> columns) {
  AlignmentShape shape{rows.size(), columns.size(), source.colors(), 0};
  const bool runs = source.has_inserts() || columns.size() < source.sites();
  for (int64_t n : rows) {
    if (source.has_names()) shape.name_bytes += static_cast<int64_t>(std::strlen(source.name(n))) + 1;
    if (runs) each_run(source, n, columns, [&](int64_t, int64_t) { ++shape.insert_runs; });
  }
  const Scratch memory(context.allocator, Scratch::piece<int64_t>(shape.sites) + Scratch::piece<char>(shape.sites + 1));
  Arena arena = memory.arena();
  const Span<int64_t> numbers = arena.take<int64_t>(shape.sites);
  const Span<char> residues = arena.take<char>(shape.sites + 1);
  for (int64_t k = 0; k < shape.sites; ++k) {
    numbers[k] = source.labels.numbers()[columns[k]];
    residues[k] = source.labels.has_residues() ? source.labels.residues()[columns[k]] : '\0';
  }
  residues[shape.sites] = 0;
  Alignment *made = create_in_block<Alignment>(context.allocator, &context, shape);
  made->labels.set(numbers.data(), residues.data());
  made->labels.choose_columns(source.labels, columns);
  int64_t place = 0, run = 0;
  for (int64_t k = 0; k < rows.size(); ++k) {
    const int64_t n = rows[k];
    const uint8_t *s = source.sequence(n);
    uint8_t *out = made->own_sequences.data() + k * shape.sites;
    if (columns.size() == source.sites())
      std::memcpy(out, s, static_cast<std::size_t>(shape.sites));
    else
      for (int64_t i : columns) *out++ = s[i];
    made->weights[k] = source.weights[n];
    if (source.has_names()) {
      const std::size_t bytes = std::strlen(source.name(n)) + 1;
      std::memcpy(made->names.data() + place, source.name(n), bytes);
      made->name_offsets[k] = place;
      place += static_cast<int64_t>(bytes);
    }
    if (!made->has_inserts()) continue;
    each_run(source, n, columns, [&](int64_t column, int64_t count) {
      made->insert_runs[run++] = {static_cast<uint32_t>(column), static_cast<uint32_t>(count)};
    });
    made->insert_offsets[k + 1] = run;
  }
  std::memcpy(made->alphabet, source.alphabet, sizeof made->alphabet);
  std::memcpy(made->origin, source.origin, sizeof made->origin);
  return made;
}

Alignment *take_sequences(Context &context, const Alignment &source, Span<const int64_t> rows) {
  const Scratch memory(context.allocator, Scratch::piece<int64_t>(source.sites()));
  Arena arena = memory.arena();
  const Span<int64_t> columns = arena.take<int64_t>(source.sites());
  double sum = 0;
  for (int64_t n : rows) sum += source.weights[n];
  if (!(sum > 0)) fail(ATP_E_VALUE, "all sequences that are selected, %lld, have weight 0", llong{rows.size()});
  for (int64_t i = 0; i < columns.size(); ++i) columns[i] = i;
  return take_subset(context, source, rows, columns);
}

Alignment *select_sequences(Context &context, const Alignment &source, int64_t first, int64_t count, int64_t stride) {
  const Scratch memory(context.allocator, Scratch::piece<int64_t>(count));
  Arena arena = memory.arena();
  const Span<int64_t> rows = arena.take<int64_t>(count);
  for (int64_t k = 0; k < count; ++k) rows[k] = first + k * stride;
  return take_sequences(context, source, rows);
}

namespace {

[[noreturn]] void fail_other_columns(const SiteLabels &source, const SiteLabels &wanted) {
  const auto sites = llong{wanted.sites()}, total = llong{wanted.total_columns()};
  if (wanted.all_columns()) fail(ATP_E_SHAPE, "source has %lld sites, must have %lld", llong{source.sites()}, sites);
  fail(ATP_E_SHAPE, "source has %lld sites, must have %lld, or %lld as the alignment that the model was learned from",
       llong{source.sites()}, sites, total);
}

// Where in the source the columns of the sites are.
void find_columns(const SiteLabels &source, const SiteLabels &wanted, Span<int64_t> found) {
  const bool whole = source.all_columns() && source.sites() == wanted.sites();
  if (!whole && source.total_columns() != wanted.total_columns()) fail_other_columns(source, wanted);
  int64_t i = 0;
  for (int64_t k = 0; k < wanted.sites(); ++k) {
    const int64_t column = whole ? k : wanted.columns()[k];
    while (i < source.sites() && source.columns()[i] < column) ++i;
    if (i == source.sites() || source.columns()[i] != column)
      fail(ATP_E_SHAPE, "source lacks the column of site " ATP_INDEX " (number %lld): column " ATP_INDEX " of %lld was removed from it",
           llong{k}, llong{wanted.numbers()[k]}, llong{column}, llong{source.total_columns()});
    found[k] = i;
  }
}

}  // namespace

Alignment *take_sites(Context &context, const Alignment &source, const SiteLabels &labels) {
  const Scratch memory(context.allocator, Scratch::piece<int64_t>(source.count()) + Scratch::piece<int64_t>(labels.sites()));
  Arena arena = memory.arena();
  const Span<int64_t> rows = arena.take<int64_t>(source.count()), columns = arena.take<int64_t>(labels.sites());
  for (int64_t n = 0; n < rows.size(); ++n) rows[n] = n;
  find_columns(source.labels, labels, columns);
  Alignment *made = take_subset(context, source, rows, columns);
  made->labels.copy(labels);
  return made;
}

namespace {

void report(const Context &context, const Alignment &source, const FilterCounts &counts, double sequence, double column) {
  const auto n = llong{source.count()}, sites = llong{source.sites()};
  if (counts.gapped_sequences > 0)
    context.message(ATP_LOG_INFO, "%lld of %lld sequences were dropped: more than a fraction %g of gaps", llong{counts.gapped_sequences}, n,
                    sequence);
  if (counts.gapped_columns > 0)
    context.message(ATP_LOG_INFO, "%lld of %lld columns were dropped: more than a fraction %g of gaps", llong{counts.gapped_columns}, sites,
                    column);
  if (counts.duplicates > 0)
    context.message(ATP_LOG_INFO, "%lld of %lld sequences were dropped: equal to an earlier one", llong{counts.duplicates}, n);
}

// The rows that are equal to no earlier one in these columns.
void keep_distinct(Context &context, const Alignment &source, Span<const int64_t> rows, Span<const int64_t> columns,
                   Growing<int64_t> &kept) {
  NameTable seen(context.allocator);
  Growing<uint8_t> letters(context.allocator);
  letters.assign(columns.size(), 0);
  for (int64_t row : rows) {
    const uint8_t *s = source.sequence(row);
    for (int64_t i = 0; i < columns.size(); ++i) letters[i] = s[columns[i]];
    const int64_t same = seen.find_or_add(letters.data(), letters.size(), [&](int64_t t) {
      const uint8_t *other = source.sequence(kept[t]);
      for (int64_t i = 0; i < columns.size(); ++i)
        if (other[columns[i]] != letters[i]) return false;
      return true;
    });
    if (same < 0) kept.push_back(row);
  }
}

// Fractions are compared as counts with a tolerance, so that 0.2 of 10 is 2 despite rounding.
constexpr double kTolerance = 1e-9;

}  // namespace

Alignment *filter_alignment(Context &context, const Alignment &source, double max_gaps_sequence, double max_gaps_column,
                            bool remove_duplicates, FilterCounts &counts) {
  const int64_t n = source.count(), sites = source.sites();
  Growing<int64_t> rows(context.allocator), columns(context.allocator), kept(context.allocator);
  counts = FilterCounts();
  double total = 0;
  for (int64_t k = 0; k < n; ++k) {
    const uint8_t *s = source.sequence(k);
    int64_t gaps = 0;
    for (int64_t i = 0; i < sites; ++i) gaps += s[i] == 0 ? 1 : 0;
    if (static_cast<double>(gaps) > max_gaps_sequence * static_cast<double>(sites) + kTolerance) continue;
    rows.push_back(k);
    total += source.weights[k];
  }
  counts.gapped_sequences = n - rows.size();
  if (!(total > 0))
    fail(ATP_E_VALUE, "max-gaps-sequence is %g and leaves no sequence: all %lld have more gaps or weight 0", max_gaps_sequence, llong{n});
  Growing<double> gaps(context.allocator);
  gaps.assign(sites, 0);
  for (int64_t k = 0; k < rows.size(); ++k) {
    const uint8_t *s = source.sequence(rows[k]);
    const double w = source.weights[rows[k]];
    for (int64_t i = 0; i < sites; ++i) gaps[i] += s[i] == 0 ? w : 0;
  }
  for (int64_t i = 0; i < sites; ++i)
    if (gaps[i] <= (max_gaps_column + kTolerance) * total) columns.push_back(i);
  counts.gapped_columns = sites - columns.size();
  if (columns.size() < 2)
    fail(ATP_E_VALUE, "max-gaps-column is %g and leaves %lld of %lld columns, must leave at least 2", max_gaps_column,
         llong{columns.size()}, llong{sites});
  const Span<const int64_t> all_columns(columns.data(), columns.size());
  if (remove_duplicates) {
    keep_distinct(context, source, {rows.data(), rows.size()}, all_columns, kept);
    counts.duplicates = rows.size() - kept.size();
    double sum = 0;
    for (int64_t k = 0; k < kept.size(); ++k) sum += source.weights[kept[k]];
    if (!(sum > 0)) fail(ATP_E_VALUE, "remove-duplicates is 1 and leaves only sequences of weight 0, must leave one of positive weight");
  }
  Growing<int64_t> &final_rows = remove_duplicates ? kept : rows;
  report(context, source, counts, max_gaps_sequence, max_gaps_column);
  return take_subset(context, source, {final_rows.data(), final_rows.size()}, all_columns);
}

namespace {

// The columns in which not all sequences have the same colour.
int64_t count_varying(const Alignment &alignment) {
  int64_t varying = 0;
  for (int64_t i = 0; i < alignment.sites(); ++i) {
    int64_t k = 1;
    while (k < alignment.count() && alignment.sequence(k)[i] == alignment.sequence(0)[i]) ++k;
    varying += k < alignment.count() ? 1 : 0;
  }
  return varying;
}

// What a number of sequences lets expect: the highest of the levels from `lowest` on whose least number is reached.
double level_of(double value, atp_level lowest, std::initializer_list<double> least) {
  int level = lowest;
  for (const double next : least) level += value >= next ? 1 : 0;
  return level;
}

}  // namespace

void summarise(Context &context, const Alignment &alignment, double *numbers) {
  const int64_t n = alignment.count(), sites = alignment.sites();
  Growing<int64_t> rows(context.allocator), columns(context.allocator), kept(context.allocator);
  for (int64_t k = 0; k < n; ++k) rows.push_back(k);
  for (int64_t i = 0; i < sites; ++i) columns.push_back(i);
  keep_distinct(context, alignment, {rows.data(), n}, {columns.data(), sites}, kept);
  std::fill_n(numbers, ATP_SUMMARY_NUMBERS, 0.0);
  numbers[ATP_SUMMARY_DUPLICATES] = static_cast<double>(n - kept.size());
  numbers[ATP_SUMMARY_VARYING] = static_cast<double>(count_varying(alignment));
  const double total = alignment.effective_count();
  numbers[ATP_SUMMARY_PER_SITE] = total / static_cast<double>(sites);
  numbers[ATP_SUMMARY_PER_ROOT] = total / std::sqrt(static_cast<double>(sites));
  numbers[ATP_SUMMARY_CONTACTS] = level_of(numbers[ATP_SUMMARY_PER_ROOT], ATP_LEVEL_NONE, {4, 16, 64});
  numbers[ATP_SUMMARY_MUTATIONS] = level_of(numbers[ATP_SUMMARY_PER_SITE], ATP_LEVEL_POOR, {1, 10});
  if (gap_color(alignment.alphabet) < 0) return;
  Growing<double> gaps(context.allocator);  // of the columns
  gaps.assign(sites, 0);
  int64_t all = 0;
  for (int64_t k = 0; k < n; ++k) {
    const uint8_t *s = alignment.sequence(k);
    int64_t own = 0;
    for (int64_t i = 0; i < sites; ++i)
      if (s[i] == 0) {
        ++own;
        gaps[i] += alignment.weights[k];
      }
    all += own;
    if (2 * own > sites) ++numbers[ATP_SUMMARY_SEQUENCES_50];
  }
  numbers[ATP_SUMMARY_GAPS] = static_cast<double>(all) / static_cast<double>(n * sites);
  for (int64_t i = 0; i < sites; ++i) {
    numbers[ATP_SUMMARY_COLUMNS_90] += gaps[i] > 0.9 * total ? 1 : 0;
    numbers[ATP_SUMMARY_COLUMNS_50] += gaps[i] > 0.5 * total ? 1 : 0;
  }
}

namespace {

// The residue range at the end of a name, "DYR_ECOLI/1-159" or "NAME/-3-6".
struct Range {
  explicit Range(const char *name) {
    const char *slash = std::strrchr(name, '/');
    if (slash == nullptr) return;
    const char *p = slash + 1;
    int64_t begin = 0, finish = 0;
    if (!number(p, begin) || *p++ != '-' || !number(p, finish) || *p != 0) return;
    found = true;
    start = begin;
    end = finish;
    base = slash - name;
  }
  static bool number(const char *&p, int64_t &value) {
    const bool negative = *p == '-';
    const char *first = p += negative ? 1 : 0;
    for (; is_digit(*p) && p < first + 15; ++p) value = value * 10 + (*p - '0');
    if (negative) value = -value;
    return p > first;
  }
  bool found = false;
  int64_t start = 1, end = 0;
  int64_t base = 0;  // length of the name before the range
};

// The ranges of two proteins in one name, "A/1-93_B/5-107", ascending; the second begins at 1 or later.
struct TwoRanges {
  explicit TwoRanges(const char *name) {
    const Range last(name);
    if (!last.found || last.start < 1 || last.end < last.start) return;
    for (const char *slash = name; slash < name + last.base; ++slash) {
      const char *p = slash + 1;
      int64_t begin = 0, finish = 0;
      if (*slash != '/' || !Range::number(p, begin) || *p++ != '-' || !Range::number(p, finish) || p >= name + last.base) continue;
      start = begin;
      end = finish;
      second_start = last.start;
      second_end = last.end;
    }
  }
  // Whether they are the residues of a sequence with so many.
  bool fit(int64_t residues) const { return first() > 0 && first() + second_end - second_start + 1 == residues; }
  int64_t first() const { return end - start + 1; }
  int64_t start = 1, end = 0, second_start = 0, second_end = 0;
};

// The end of a name that looks like a range although Range does not read it, ":5-14" or "/5-7,20-26": at least two numbers and no letter
// after a separator. nullptr where there is none.
const char *unread_range(const char *name) {
  int numbers = 0;
  for (const char *p = name + std::strlen(name); p > name && !is_letter(p[-1]);) {
    --p;
    if (is_digit(*p) && !is_digit(p[1])) ++numbers;
    if (numbers > 0 && std::strchr("/:|([", *p) != nullptr) return numbers > 1 ? p : nullptr;
  }
  return nullptr;
}

constexpr int kLongest = 48;  // longer names are compared only this far

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Levenshtein distance of the first kLongest characters, ignoring case. A name that contains the other one has a small distance.
int distance(const char *a, int64_t a_size, const char *b, int64_t b_size) {
  const int n = static_cast<int>(std::min<int64_t>(a_size, kLongest)), m = static_cast<int>(std::min<int64_t>(b_size, kLongest));
  int row[kLongest + 1];
  for (int j = 0; j <= m; ++j) row[j] = j;
  for (int i = 1; i <= n; ++i) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= m; ++j) {
      const int other = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({other, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[m];
}

[[noreturn]] void fail_absent(const Alignment &source, const char *name) {
  constexpr int kShown = 3;
  const int64_t size = static_cast<int64_t>(std::strlen(name));
  int64_t best[kShown] = {-1, -1, -1};
  int distances[kShown] = {};
  for (int64_t n = 0; n < source.count(); ++n) {
    const char *other = source.name(n);
    const int64_t other_size = static_cast<int64_t>(std::strlen(other));
    if (other_size == 0) continue;
    const Range range(other);
    int d = distance(name, size, other, other_size);
    if (range.found) d = std::min(d, distance(name, size, other, range.base));
    for (int k = 0; k < kShown; ++k) {
      if (best[k] >= 0 && distances[k] <= d) continue;
      for (int t = kShown - 1; t > k; --t) {
        best[t] = best[t - 1];
        distances[t] = distances[t - 1];
      }
      best[k] = n;
      distances[k] = d;
      break;
    }
  }
  if (best[0] < 0) fail(ATP_E_VALUE, "name is %s, but the sequences have no names", Quoted(name, name + size).text);
  char list[256] = "";
  std::size_t used = 0;
  for (int k = 0; k < kShown && best[k] >= 0; ++k) {
    const char *other = source.name(best[k]);
    used += static_cast<std::size_t>(
        std::snprintf(list + used, sizeof list - used, "%s%s", k == 0 ? "" : ", ", Quoted(other, other + std::strlen(other)).text));
  }
  fail(ATP_E_VALUE, "name is %s, but no sequence has this name; the nearest names are %s", Quoted(name, name + size).text, list);
}

}  // namespace

int64_t find_sequence(const Alignment &source, const char *name) {
  const std::size_t size = std::strlen(name);
  int64_t found = -1, times = 0, base = -1, base_times = 0;
  for (int64_t n = 0; n < source.count(); ++n) {
    const char *other = source.name(n);
    if (other[0] == 0 || std::strncmp(other, name, size) != 0) continue;
    if (other[size] == 0) {
      if (times++ == 0) found = n;
    } else if (const Range range(other); range.found && range.base == static_cast<int64_t>(size)) {
      if (base_times++ == 0) base = n;
    }
  }
  if (times == 0) {
    found = base;
    times = base_times;
  }
  if (times == 0) fail_absent(source, name);
  if (times > 1)
    fail(ATP_E_VALUE, "name is %s, must be that of one sequence; %lld sequences have it, the first is number %lld%s%s",
         Quoted(name, name + size).text, llong{times}, llong{found}, base_times == times ? ", with the full name " : "",
         base_times == times ? source.name(found) : "");
  return found;
}

namespace {

// Numbers the sites of two proteins, which are numbered from `start` so far. Returns the first site of the second protein, 0 where one of
// them has none: then nothing is changed.
int64_t number_two(const TwoRanges &two, int64_t start, Span<int64_t> numbers) {
  int64_t second = 0;
  while (second < numbers.size() && numbers[second] - start < two.first()) ++second;
  if (second == 0 || second == numbers.size()) return 0;
  for (int64_t k = 0; k < numbers.size(); ++k) {
    const int64_t place = numbers[k] - start;
    numbers[k] = k < second ? two.start + place : two.end + two.second_start + place - two.first();
  }
  return second;
}

}  // namespace

Alignment *focus_alignment(Context &context, const Alignment &source, int64_t sequence) {
  const int64_t sites = source.sites();
  const char *name = source.name(sequence);
  const uint8_t *s = source.sequence(sequence);
  const Range range(name);
  const TwoRanges two(name);
  Growing<int64_t> columns(context.allocator), numbers(context.allocator), rows(context.allocator);
  Growing<char> residues(context.allocator);
  const int64_t step = range.found && range.end < range.start ? -1 : 1;
  int64_t number = range.start, run = source.has_inserts() ? source.insert_offsets[sequence] : 0;
  const int64_t runs_end = source.has_inserts() ? source.insert_offsets[sequence + 1] : 0;
  int64_t total = 0;
  for (int64_t i = 0; i <= sites; ++i) {
    for (; run < runs_end && static_cast<int64_t>(source.insert_runs[run].column) <= i; ++run) {
      number += step * static_cast<int64_t>(source.insert_runs[run].count);
      total += source.insert_runs[run].count;
    }
    if (i == sites || s[i] == 0) continue;
    columns.push_back(i);
    numbers.push_back(number);
    if (source.alphabet[0] != 0) residues.push_back(source.alphabet[s[i]]);
    number += step;
    ++total;
  }
  const Quoted quoted(name, name + std::strlen(name));
  if (columns.size() < 2)
    fail(ATP_E_VALUE, "sequence %s has residues in %lld columns, must have them in at least 2", quoted.text, llong{columns.size()});
  if (const char *unread = range.found ? nullptr : unread_range(name); unread != nullptr)
    context.message(ATP_LOG_WARNING,
                    "focus %s: %s at the end of its name is not read as a range, which has the form /12-170; its first residue is site 1",
                    quoted.text, Quoted(unread, unread + std::strlen(unread)).text);
  const int64_t told = range.found ? (range.end - range.start) * step + 1 : total;
  const int64_t second = two.fit(total) ? number_two(two, range.start, {numbers.data(), numbers.size()}) : 0;
  if (told != total && second == 0)
    context.message(ATP_LOG_WARNING,
                    "focus %s: the range in its name has %lld residues, the sequence %lld; site numbers %lld..%lld may be wrong",
                    quoted.text, llong{told}, llong{total}, llong{numbers[0]}, llong{numbers.back()});
  residues.push_back('\0');
  for (int64_t n = 0; n < source.count(); ++n) rows.push_back(n);
  Alignment *made = take_subset(context, source, {rows.data(), rows.size()}, {columns.data(), columns.size()});
  made->labels.set(numbers.data(), residues.data());
  if (second > 0 && source.labels.border() == 0) made->labels.set_border(source.labels.columns()[columns[second]]);
  return made;
}

}  // namespace atp
