// SPDX-License-Identifier: MIT
#include "alignment/focus.hpp"

#include "alignment/subset.hpp"
#include "alignment/symbols.hpp"
#include "alignment/text.hpp"

#include <algorithm>
#include <cstdio>

namespace atp {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

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

// Levenshtein distance of the first kLongest characters, ignoring case. A name that contains the other one has
// a small distance.
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
         Quoted(name, name + size).text, static_cast<long long>(times), static_cast<long long>(found),
         base_times == times ? ", with the full name " : "", base_times == times ? source.name(found) : "");
  return found;
}

Alignment *focus_alignment(Context &context, const Alignment &source, int64_t sequence) {
  const int64_t sites = source.sites();
  const char *name = source.name(sequence);
  const uint8_t *s = source.sequence(sequence);
  const Range range(name);
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
    fail(ATP_E_VALUE, "sequence %s has residues in %lld columns, must have them in at least 2", quoted.text,
         static_cast<long long>(columns.size()));
  if (const char *unread = range.found ? nullptr : unread_range(name); unread != nullptr)
    context.message(ATP_LOG_WARNING,
                    "focus %s: %s at the end of its name is not read as a range, which has the form /12-170; its first residue is site 1",
                    quoted.text, Quoted(unread, unread + std::strlen(unread)).text);
  const int64_t told = range.found ? (range.end - range.start) * step + 1 : total;
  if (told != total)
    context.message(ATP_LOG_WARNING,
                    "focus %s: the range in its name has %lld residues, the sequence %lld; site numbers %lld..%lld may be wrong",
                    quoted.text, static_cast<long long>(told), static_cast<long long>(total), static_cast<long long>(numbers[0]),
                    static_cast<long long>(numbers.back()));
  residues.push_back('\0');
  for (int64_t n = 0; n < source.count(); ++n) rows.push_back(n);
  Alignment *made = take_subset(context, source, {rows.data(), rows.size()}, {columns.data(), columns.size()});
  made->labels.set(numbers.data(), residues.data());
  return made;
}

}  // namespace atp
