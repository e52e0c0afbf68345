// SPDX-License-Identifier: MIT
#include "alignment/subset.hpp"

#include "alignment/name_table.hpp"

#include <algorithm>

namespace atp {

namespace {

// Calls sink(column, count) for the insert runs of a sequence in the subset: the runs of the source, and its
// residues in removed columns.
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

Alignment *select_sequences(Context &context, const Alignment &source, int64_t first, int64_t count, int64_t stride) {
  const Scratch memory(context.allocator, Scratch::piece<int64_t>(count) + Scratch::piece<int64_t>(source.sites()));
  Arena arena = memory.arena();
  const Span<int64_t> rows = arena.take<int64_t>(count), columns = arena.take<int64_t>(source.sites());
  double sum = 0;
  for (int64_t k = 0; k < count; ++k) {
    rows[k] = first + k * stride;
    sum += source.weights[rows[k]];
  }
  if (!(sum > 0))
    fail(ATP_E_VALUE, "first = %lld, count = %lld: all these sequences have weight 0", static_cast<long long>(first),
         static_cast<long long>(count));
  for (int64_t i = 0; i < columns.size(); ++i) columns[i] = i;
  return take_subset(context, source, rows, columns);
}

namespace {

[[noreturn]] void fail_other_columns(const SiteLabels &source, const SiteLabels &wanted) {
  const auto sites = static_cast<long long>(wanted.sites()), total = static_cast<long long>(wanted.total_columns());
  if (wanted.all_columns()) fail(ATP_E_SHAPE, "source has %lld sites, must have %lld", static_cast<long long>(source.sites()), sites);
  fail(ATP_E_SHAPE, "source has %lld sites, must have %lld, or %lld as the alignment that the model was learned from",
       static_cast<long long>(source.sites()), sites, total);
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
           static_cast<long long>(k), static_cast<long long>(wanted.numbers()[k]), static_cast<long long>(column),
           static_cast<long long>(source.total_columns()));
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
  const auto n = static_cast<long long>(source.count()), sites = static_cast<long long>(source.sites());
  if (counts.gapped_sequences > 0)
    context.message(ATP_LOG_INFO, "%lld of %lld sequences were dropped: more than a fraction %g of gaps",
                    static_cast<long long>(counts.gapped_sequences), n, sequence);
  if (counts.gapped_columns > 0)
    context.message(ATP_LOG_INFO, "%lld of %lld columns were dropped: more than a fraction %g of gaps",
                    static_cast<long long>(counts.gapped_columns), sites, column);
  if (counts.duplicates > 0)
    context.message(ATP_LOG_INFO, "%lld of %lld sequences were dropped: equal to an earlier one", static_cast<long long>(counts.duplicates),
                    n);
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
    fail(ATP_E_VALUE, "max-gaps-sequence is %g and leaves no sequence: all %lld have more gaps or weight 0", max_gaps_sequence,
         static_cast<long long>(n));
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
         static_cast<long long>(columns.size()), static_cast<long long>(sites));
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

void summarise(Context &context, const Alignment &alignment, double *numbers) {
  const int64_t n = alignment.count(), sites = alignment.sites();
  Growing<int64_t> rows(context.allocator), columns(context.allocator), kept(context.allocator);
  for (int64_t k = 0; k < n; ++k) rows.push_back(k);
  for (int64_t i = 0; i < sites; ++i) columns.push_back(i);
  keep_distinct(context, alignment, {rows.data(), n}, {columns.data(), sites}, kept);
  std::fill_n(numbers, ATP_SUMMARY_NUMBERS, 0.0);
  numbers[ATP_SUMMARY_DUPLICATES] = static_cast<double>(n - kept.size());
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
  const double total = alignment.effective_count();
  for (int64_t i = 0; i < sites; ++i) {
    numbers[ATP_SUMMARY_COLUMNS_90] += gaps[i] > 0.9 * total ? 1 : 0;
    numbers[ATP_SUMMARY_COLUMNS_50] += gaps[i] > 0.5 * total ? 1 : 0;
  }
}

}  // namespace atp
